//! (n, t)-closeness: every group is distributed almost as some part of at least n people that contains it.

use serde_json::{Map, Value as Json};

use super::closeness::Closeness;
use super::each_attribute::{AttributeCheck, AttributeCounts};
use super::sentence::{
    OTHER_KINDS, Sentence, VALUES_DRAWN, VALUES_LISTED, VALUES_RANGES, VALUES_SHOWN, Wording, Wordings, refused,
};
use super::{GroupCheck, Measure, ModelEntry, PrivacyModel, Safer, Safety, Sensitive, SeveralRows, TableSummary};
use crate::config::Section;
use crate::distance::{PreparedDistance, Scratch};
use crate::error::Result;
use crate::model::{GroupModel, Scope};
use crate::numeric::Threshold;
use crate::schema::Attribute;

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    name: "n-t-closeness",
    summary: "the sensitive values of every group are distributed, up to t, as in some part of at least n people around it",
    paper: "Li, Li, Venkatasubramanian 2010; Li 2010",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/n-t-closeness.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Refused("shares of people with several values are no distribution"),
    read,
};

const WORDINGS: Wordings = Wordings {
    generalized: Wording::Promise(Sentence {
        promise: "for every group of people who publish the same quasi-identifiers there is a part of the table of at least {n} people around it in which the distribution of {each} is no farther than {t} from that of the group (distance: {distance})",
        argument: "The parts are those that the manifest names, the whole table among them; the distance is computed from the counts of the file. A group of at least {n} people is its own part.",
        not_protected: "what a part of {n} people tells about all its people",
        claim: "closeness_to_a_part_of_groups",
    }),
    bucketized: Wording::Promise(Sentence {
        promise: "for every bucket there is a part of the table of at least {n} people around it in which the distribution of {each} is no farther than {t} from that of the bucket (distance: {distance})",
        argument: "The parts are those that the manifest names, the whole table among them; the distance is computed from the counts of the tables. A bucket of at least {n} people is its own part.",
        not_protected: "what a part of {n} people tells about all its people",
        claim: "closeness_to_a_part_of_buckets",
    }),
    ambiguous: refused(VALUES_LISTED),
    distribution: refused(VALUES_RANGES),
    uncertain: refused(VALUES_SHOWN),
    condensed: refused(VALUES_DRAWN),
    sliced: refused("its buckets have no parts of the table around them: a person may match buckets of several"),
    others: OTHER_KINDS,
};

/// For every group G: |G| ≥ n, or D[P(G), P(A)] ≤ t for some ancestor A of G with |A| ≥ n.
///
/// Ancestors are the parts of the partition tree that G was cut from, the whole table among them; where no
/// tree is known, the whole table alone. Li (2010), definition 2.2.2 and figure 2.1.
///
/// Not merge-safe: two groups may each be close to an ancestor of its own, and their union close to no common
/// one. Methods that merge must judge again. Not grow-safe: joining rows may move P anywhere. Still, if the
/// whole table fails, it has fewer than n people, and no grouping can do better. Cost: O(values · ancestors) for each
/// group of fewer than n, from the nearest ancestor up to the first that is close enough.
#[derive(Clone, Debug)]
struct NTCloseness {
    n: u64,
    closeness: Closeness,
}

#[derive(Debug)]
struct Check {
    n: u64,
    t: Threshold,
    distance: PreparedDistance,
}

fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    let n = section.required_whole("n", 1)?;
    Ok(Box::new(NTCloseness { n, closeness: Closeness::read(section, attributes)? }))
}

impl PrivacyModel for NTCloseness {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn wordings(&self) -> &'static Wordings {
        &WORDINGS
    }

    fn parameters(&self) -> Map<String, Json> {
        let mut promised = Map::from_iter([("n".to_owned(), self.n.into())]);
        self.closeness.promise(&mut promised);
        promised
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Groups(self)
    }
}

impl GroupModel for NTCloseness {
    fn prepare(&self, whole: &TableSummary) -> Result<Box<dyn GroupCheck>> {
        self.closeness.target.prepare(whole, |sensitive: &Sensitive| {
            let distance = self.closeness.distance(sensitive)?;
            Ok(Check { n: self.n, t: self.closeness.t.bound, distance })
        })
    }
}

impl AttributeCheck for Check {
    fn safety(&self) -> Safety {
        Safety { merge: false, grow: false }
    }

    fn needs_ancestors(&self) -> Option<u64> {
        Some(self.n)
    }

    fn holds(&self, facet: &AttributeCounts<'_>, scratch: &mut Scratch) -> bool {
        let close = |(people, counts): (u64, &[u64])| {
            people >= self.n && self.distance.within(facet.counts, counts, self.t, scratch)
        };
        facet.people >= self.n || facet.ancestors().any(close)
    }

    fn measures(&self) -> &'static [Measure] {
        &[Measure { name: "t", safer: Safer::Lower }, Measure { name: "n", safer: Safer::Higher }]
    }

    /// The least t for the promised n, and the largest n for the promised t.
    fn measure(&self, facet: &AttributeCounts<'_>, scratch: &mut Scratch, levels: &mut [f64]) {
        let mut nearest = if facet.people >= self.n { 0.0 } else { f64::INFINITY };
        let mut largest = facet.people;
        for (people, counts) in facet.ancestors() {
            if people >= self.n {
                nearest = f64::min(nearest, self.distance.measure_in(facet.counts, counts, scratch));
            }
            if people > largest && self.distance.within(facet.counts, counts, self.t, scratch) {
                largest = people;
            }
        }
        levels[0] = nearest;
        levels[1] = largest as f64;
    }
}
