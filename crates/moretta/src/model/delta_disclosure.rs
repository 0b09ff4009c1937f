//! δ-disclosure privacy: no group makes any sensitive value much more, or much less, likely.

use serde_json::{Map, Value as Json};

use super::each_attribute::{AttributeCheck, AttributeCounts};
use super::sentence::{
    OTHER_KINDS, Sentence, VALUES_DRAWN, VALUES_LISTED, VALUES_RANGES, VALUES_SHOWN, Wording, Wordings, refused,
};
use super::target::{Exact, Target};
use super::{GroupCheck, Measure, ModelEntry, PrivacyModel, Risk, Safer, Safety, Sensitive, SeveralRows, TableSummary};
use crate::config::Section;
use crate::distance::Scratch;
use crate::error::Result;
use crate::model::{GroupModel, Scope};
use crate::numeric::tolerance;
use crate::schema::Attribute;

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    name: "delta-disclosure",
    summary: "the share of every sensitive value in every group differs from that in the table by a factor within exp(±delta)",
    paper: "Brickell, Shmatikov 2008; Li 2010",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/delta-disclosure.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Refused("shares of people with several values are no distribution"),
    read,
};

const WORDINGS: Wordings = Wordings {
    generalized: Wording::Promise(Sentence {
        promise: "in every group of people who publish the same quasi-identifiers, every value of {each} has a share between exp(-{delta}) and exp({delta}) times its share among all released people",
        argument: "Counted in the file. Somebody who fits several groups is believed to have a value with a mean of their shares, which lies between the same bounds.",
        not_protected: "what the whole table tells about everybody",
        claim: "shares_near_the_whole_of_groups",
    }),
    bucketized: Wording::Promise(Sentence {
        promise: "in every bucket, every value of {each} has a share between exp(-{delta}) and exp({delta}) times its share among all released people",
        argument: "Counted in the tables of sensitive values. Somebody whose row stands in several buckets is believed to have a value with a mean of their shares, which lies between the same bounds.",
        not_protected: "what the whole table tells about everybody",
        claim: "shares_near_the_whole_of_buckets",
    }),
    ambiguous: refused(VALUES_LISTED),
    distribution: refused(VALUES_RANGES),
    uncertain: refused(VALUES_SHOWN),
    condensed: refused(VALUES_DRAWN),
    sliced: Wording::Promise(Sentence {
        promise: "among the people of a bucket who share what stands in one column with the sensitive attribute, every value of {each} has a share between exp(-{delta}) and exp({delta}) times its share among all released people",
        argument: "Counted in the table. What is believed of somebody who matches several buckets is a mean of what each tells, which lies between the same bounds.",
        not_protected: "what the whole table tells about everybody",
        claim: "shares_near_the_whole_of_candidates",
    }),
    others: OTHER_KINDS,
};

/// |ln(p(G, s) / q(s))| ≤ δ for every group G and *every* value s of the table, p being the share in G and q that among
/// the released rows. A group that lacks a value is at infinity.
///
/// The ratio is taken of whole numbers, so that equal shares give 0; [`tolerance::LOGARITHM`] forgives the rounding of one
/// logarithm, since exp δ is irrational and no fraction could decide. Brickell and Shmatikov (KDD 2008),
/// with ≤ for their <; Li (2010), section 5.3 ("semantic privacy").
///
/// Merge-safe: the promise says exp(−δ)·q(s) ≤ p(G, s) ≤ exp(δ)·q(s), and the share in a union is a weighted mean
/// of the shares in its parts. Not grow-safe: joining rows may move any share. Cost: O(values) for each group.
#[derive(Clone, Debug)]
struct DeltaDisclosure {
    target: Target,
    delta: Exact,
}

#[derive(Debug)]
struct Check {
    delta: f64,
    people: u64,
    whole: Vec<u64>,
}

fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    let delta = Exact::read(section, "delta", "above 0", |delta| delta > 0.0)?;
    let (target, _) = Target::read(section, attributes)?;
    Ok(Box::new(DeltaDisclosure { target, delta }))
}

impl PrivacyModel for DeltaDisclosure {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn wordings(&self) -> &'static Wordings {
        &WORDINGS
    }

    fn parameters(&self) -> Map<String, Json> {
        let mut promised = Map::from_iter([("delta".to_owned(), self.delta.to_json())]);
        self.target.promise(&mut promised);
        promised
    }

    fn limit(&self, risk: Risk<'_>) -> Option<f64> {
        match risk {
            Risk::Ratio(name) if self.target.includes(name) => Some(self.delta.value),
            _ => None,
        }
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Groups(self)
    }
}

impl GroupModel for DeltaDisclosure {
    fn prepare(&self, whole: &TableSummary) -> Result<Box<dyn GroupCheck>> {
        self.target.prepare(whole, |sensitive: &Sensitive| {
            Ok(Check { delta: self.delta.value, people: whole.people, whole: sensitive.people.clone() })
        })
    }
}

/// |ln(p/q)| for a value that `count` of `people` have in the group and `whole_count` of `whole_people` in the table.
pub(super) fn disclosure(count: u64, people: u64, whole_count: u64, whole_people: u64) -> f64 {
    match (count, whole_count) {
        (0, 0) => 0.0,
        (0, _) | (_, 0) => f64::INFINITY,
        _ => ((count as f64 * whole_people as f64) / (whole_count as f64 * people as f64)).ln().abs(),
    }
}

impl Check {
    /// Whether a group of so many people may have these counts of values.
    fn allows(&self, people: u64, counts: &[u64]) -> bool {
        let mut pairs = counts.iter().zip(&self.whole);
        pairs.all(|(&p, &q)| disclosure(p, people, q, self.people) <= self.delta + tolerance::LOGARITHM)
    }
}

impl AttributeCheck for Check {
    fn safety(&self) -> Safety {
        Safety { merge: true, grow: false }
    }

    fn least_people(&self) -> u64 {
        // One for each value of the table.
        self.whole.iter().filter(|&&count| count > 0).count() as u64
    }

    fn holds(&self, facet: &AttributeCounts<'_>, _: &mut Scratch) -> bool {
        self.allows(facet.people, facet.counts)
    }

    fn measures(&self) -> &'static [Measure] {
        &[Measure { name: "delta", safer: Safer::Lower }]
    }

    fn measure(&self, facet: &AttributeCounts<'_>, _: &mut Scratch, levels: &mut [f64]) {
        let pairs = facet.counts.iter().zip(&self.whole);
        levels[0] = pairs.map(|(&p, &q)| disclosure(p, facet.people, q, self.people)).fold(0.0, f64::max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_met_exactly_and_not_exceeded() {
        let allows = |delta: f64| Check { delta, people: 20, whole: vec![10, 10] }.allows(4, &[3, 1]);
        // The second value has half of its share in the table, the first one three halves.
        assert!(allows(std::f64::consts::LN_2));
        assert!(!allows(std::f64::consts::LN_2 - 1e-6));
        assert!(!allows(0.64), "nor by a tenth");
        assert!(
            !Check { delta: 100.0, people: 20, whole: vec![10, 10] }.allows(4, &[4, 0]),
            "a value that is gone is at infinity"
        );
    }
}
