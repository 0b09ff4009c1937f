//! t-closeness: the sensitive values of every group are distributed almost as in the whole table.

use serde_json::{Map, Value as Json};

use super::closeness::Closeness;
use super::each_attribute::{AttributeCheck, AttributeCounts};
use super::sentence::{
    OTHER_KINDS, Sentence, VALUES_DRAWN, VALUES_LISTED, VALUES_RANGES, VALUES_SHOWN, Wording, Wordings, refused,
};
use super::{
    Composition, GroupCheck, Measure, ModelEntry, PrivacyModel, Risk, Safer, Safety, Sensitive, SeveralRows,
    TableSummary,
};
use crate::config::Section;
use crate::distance::{PreparedDistance, Scratch};
use crate::error::Result;
use crate::model::{GroupModel, Scope};
use crate::numeric::Threshold;
use crate::schema::Attribute;

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    name: "t-closeness",
    summary: "the sensitive values of every group are distributed as in the whole table, up to a distance t",
    paper: "Li, Li, Venkatasubramanian 2007; Li 2010",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/t-closeness.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Refused("shares of people with several values are no distribution"),
    read,
};

const WORDINGS: Wordings = Wordings {
    generalized: Wording::Promise(Sentence {
        promise: "in every group of people who publish the same quasi-identifiers, the distribution of {each} is no farther than {t} from that of all released people (distance: {distance})",
        argument: "Counted in the file, and the distance is computed from the counts. What somebody who fits several groups is believed to have is a mean of theirs, and no distance here grows by taking means.",
        not_protected: "what the whole table tells about everybody; a rare value, which may be excluded or made certain within t",
        claim: "closeness_of_groups",
    }),
    bucketized: Wording::Promise(Sentence {
        promise: "in every bucket, the distribution of {each} is no farther than {t} from that of all released people (distance: {distance})",
        argument: "Counted in the tables of sensitive values, and the distance is computed from the counts. No distance here grows by taking means over buckets.",
        not_protected: "what the whole table tells about everybody; a rare value, which may be excluded or made certain within t",
        claim: "closeness_of_buckets",
    }),
    ambiguous: refused(VALUES_LISTED),
    distribution: refused(VALUES_RANGES),
    uncertain: refused(VALUES_SHOWN),
    condensed: refused(VALUES_DRAWN),
    sliced: Wording::Promise(Sentence {
        promise: "among the people of a bucket who share what stands in one column with the sensitive attribute, the distribution of {each} is no farther than {t} from that of all released people (distance: {distance})",
        argument: "Counted in the table, and the distance is computed from the counts. No distance here grows by taking means over the buckets that somebody matches.",
        not_protected: "what the whole table tells about everybody; a rare value, which may be excluded or made certain within t",
        claim: "closeness_of_candidates",
    }),
    others: OTHER_KINDS,
};

/// D[P(G), Q] ≤ t for every group G: P(G) is the distribution of its sensitive values, Q that of the released rows.
///
/// Decided in fractions where D is rational, else up to the distances' one tolerance. Li (2010), definition 2.2.1.
///
/// Merge-safe for every distance here. The distribution of a union is a weighted mean of those of its parts, and each
/// distance is convex in P (earth mover's: theorem 2.3.2; variational: a norm; KL and JS: jointly convex), so the
/// union is no farther away than the worse part. Kernel smoothing is linear up to its renormalization, so a
/// smoothed union is a weighted mean of its smoothed parts too, with other weights, and JS is convex. (Where floats
/// decide, the worse part may be passed by the rounding of the last digit.) Not grow-safe: joining rows may move P
/// anywhere. Cost: O(values) for each group; see each distance.
#[derive(Clone, Debug)]
struct TCloseness {
    closeness: Closeness,
}

#[derive(Debug)]
struct Check {
    t: Threshold,
    distance: PreparedDistance,
    /// Whether the distance is half the sum of differences.
    is_variation: bool,
    whole: Vec<u64>,
}

fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    Ok(Box::new(TCloseness { closeness: Closeness::read(section, attributes)? }))
}

impl PrivacyModel for TCloseness {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn wordings(&self) -> &'static Wordings {
        &WORDINGS
    }

    fn parameters(&self) -> Map<String, Json> {
        let mut promised = Map::new();
        self.closeness.promise(&mut promised);
        promised
    }

    fn limit(&self, risk: Risk<'_>) -> Option<f64> {
        match risk {
            Risk::Variation(name) => self.closeness.variation(name),
            _ => None,
        }
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Groups(self)
    }
}

impl GroupModel for TCloseness {
    fn prepare(&self, whole: &TableSummary) -> Result<Box<dyn GroupCheck>> {
        self.closeness.target.prepare(whole, |sensitive: &Sensitive| {
            let distance = self.closeness.distance(sensitive)?;
            let is_variation = self.closeness.variation(&sensitive.name).is_some();
            Ok(Check { t: self.closeness.t.bound, distance, is_variation, whole: sensitive.people.clone() })
        })
    }
}

impl AttributeCheck for Check {
    fn safety(&self) -> Safety {
        Safety { merge: true, grow: false }
    }

    /// Where the distance is half the sum of differences, Σ min(p, q) ≥ 1 − t. Of n people or a few less, so many left out, nobody knows which,
    /// a value's share is at most its people in the whole table among those who are left at least.
    fn composition(&self, left_out: u64) -> Option<Composition> {
        let (num, den) = self.t.parts();
        let whole = self.whole.iter().sum::<u64>().checked_sub(left_out).filter(|_| self.is_variation)?;
        let least = u128::from(whole) * u128::from(den.saturating_sub(num)) / u128::from(den);
        Some(Composition::Shares { caps: self.whole.clone(), whole, least: u64::try_from(least).ok()? })
    }

    fn holds(&self, facet: &AttributeCounts<'_>, scratch: &mut Scratch) -> bool {
        self.distance.within(facet.counts, &self.whole, self.t, scratch)
    }

    fn measures(&self) -> &'static [Measure] {
        &[Measure { name: "t", safer: Safer::Lower }]
    }

    fn measure(&self, facet: &AttributeCounts<'_>, scratch: &mut Scratch, levels: &mut [f64]) {
        levels[0] = self.distance.measure_in(facet.counts, &self.whole, scratch);
    }
}
