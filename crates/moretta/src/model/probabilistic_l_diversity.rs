//! Probabilistic ℓ-diversity: no sensitive value is more likely than 1/ℓ.

use serde_json::{Map, Value as Json};

use super::each_attribute::{AttributeCheck, AttributeCounts};
use super::sentence::{
    OTHER_KINDS, Sentence, VALUES_DRAWN, VALUES_LISTED, VALUES_RANGES, VALUES_SHOWN, Wording, Wordings, refused,
};
use super::target::{Exact, Target};
use super::{
    Composition, GroupCheck, Measure, ModelEntry, PrivacyModel, Risk, Safer, Safety, SeveralRows, TableSummary,
};
use crate::config::Section;
use crate::distance::Scratch;
use crate::error::Result;
use crate::model::{GroupModel, Scope};
use crate::numeric::Ratio;
use crate::schema::Attribute;

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    name: "probabilistic-l-diversity",
    summary: "no sensitive value has a share above 1/l in any group",
    paper: "Wong, Li, Fu, Wang 2006; Li 2010",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/probabilistic-l-diversity.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Counted(
        "people who have the value, by people; not merge-safe, so joined groups are judged again",
    ),
    read,
};

const WORDINGS: Wordings = Wordings {
    generalized: Wording::Promise(Sentence {
        promise: "in every group of people who publish the same quasi-identifiers, no value of {any} has a share above 1/{l}",
        argument: "Counted in the file. Somebody who fits several groups is believed to have a value with a mean of their shares, which is no more than the largest.",
        not_protected: "what is known beforehand about a person; values that are alike in meaning",
        claim: "largest_share_of_groups",
    }),
    bucketized: Wording::Promise(Sentence {
        promise: "in every bucket, no value of {any} has a share above 1/{l}",
        argument: "Counted in the tables of sensitive values. Somebody whose row stands in several buckets is believed to have a value with a mean of their shares, which is no more than the largest.",
        not_protected: "what is known beforehand about a person; values that are alike in meaning",
        claim: "largest_share_of_buckets",
    }),
    ambiguous: refused(VALUES_LISTED),
    distribution: refused(VALUES_RANGES),
    uncertain: refused(VALUES_SHOWN),
    condensed: refused(VALUES_DRAWN),
    sliced: Wording::Promise(Sentence {
        promise: "among the people of a bucket who share what stands in one column with the sensitive attribute, no value of {any} has a share above 1/{l}",
        argument: "Counted in the table. What is believed of somebody who matches several buckets is a mean of what each tells, which is no more than the largest.",
        not_protected: "what is known beforehand about a person; values that are alike in meaning",
        claim: "largest_share_of_candidates",
    }),
    others: OTHER_KINDS,
};

/// c(G, s) · ℓ ≤ |G| for every group G and value s; ℓ may be any number of at least 1.
///
/// Decided in whole numbers, with ℓ as the decimal in the policy. Li (2010), section 1.2.1, item 2.
///
/// Merge-safe: c(G, s)·ℓ ≤ |G| and c(H, s)·ℓ ≤ |H| add up to the same for G ∪ H. Not grow-safe: rows
/// with the most frequent value raise its share. Cost: O(values) for each group.
#[derive(Clone, Debug)]
struct ProbabilisticL {
    target: Target,
    l: Exact,
}

#[derive(Debug)]
struct Check {
    l: Exact,
    /// How many the domain has.
    values: usize,
}

fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    let l = Exact::read(section, "l", "of at least 1", |l| l >= 1.0)?;
    let (target, _) = Target::read(section, attributes)?;
    Ok(Box::new(ProbabilisticL { target, l }))
}

impl PrivacyModel for ProbabilisticL {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn wordings(&self) -> &'static Wordings {
        &WORDINGS
    }

    fn parameters(&self) -> Map<String, Json> {
        let mut promised = Map::from_iter([("l".to_owned(), self.l.to_json())]);
        self.target.promise(&mut promised);
        promised
    }

    fn limit(&self, risk: Risk<'_>) -> Option<f64> {
        match risk {
            Risk::Belief(name) if self.target.includes(name) => Some(1.0 / self.l.value),
            _ => None,
        }
    }

    /// Neither merge-safe nor grow-safe by people: of {a, b, c} only a has s, and of {a, b, d} only b: a third each, and half of the four together.
    fn safety_by_people(&self) -> Option<Safety> {
        Some(Safety { merge: false, grow: false })
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Groups(self)
    }
}

impl GroupModel for ProbabilisticL {
    fn prepare(&self, whole: &TableSummary) -> Result<Box<dyn GroupCheck>> {
        self.target.prepare(whole, |sensitive| Ok(Check { l: self.l, values: sensitive.people.len() }))
    }
}

/// The largest ℓ that a group reaches whose most frequent value this many people have.
fn reached(people: u64, most: u64) -> Ratio {
    Ratio { num: people.into(), den: most.max(1).into() }
}

impl AttributeCheck for Check {
    fn safety(&self) -> Safety {
        Safety { merge: true, grow: false }
    }

    fn least_people(&self) -> u64 {
        self.l.bound.ceil()
    }

    /// Nobody stands beyond a cap of |G| / ℓ, which is the same for every value.
    fn composition(&self, _: u64) -> Option<Composition> {
        let (whole, cap) = self.l.bound.parts();
        Some(Composition::Shares { caps: vec![cap; self.values], whole, least: whole })
    }

    fn holds(&self, facet: &AttributeCounts<'_>, _: &mut Scratch) -> bool {
        reached(facet.people, facet.most()).at_least(self.l.bound)
    }

    fn measures(&self) -> &'static [Measure] {
        &[Measure { name: "l", safer: Safer::Higher }]
    }

    fn measure(&self, facet: &AttributeCounts<'_>, _: &mut Scratch, levels: &mut [f64]) {
        levels[0] = reached(facet.people, facet.most()).to_f64();
    }
}
