//! Distinct ℓ-diversity: every group has at least ℓ different sensitive values.

use serde_json::{Map, Value as Json};

use super::each_attribute::{AttributeCheck, AttributeCounts};
use super::sentence::{
    OTHER_KINDS, Sentence, VALUES_DRAWN, VALUES_LISTED, VALUES_RANGES, VALUES_SHOWN, Wording, Wordings, refused,
};
use super::target::Target;
use super::{
    Composition, GroupCheck, Measure, ModelEntry, PrivacyModel, Risk, Safer, Safety, SeveralRows, TableSummary,
};
use crate::config::Section;
use crate::distance::Scratch;
use crate::error::Result;
use crate::model::{GroupModel, Scope};
use crate::schema::Attribute;

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    name: "distinct-l-diversity",
    summary: "every group has at least l different sensitive values",
    paper: "Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/distinct-l-diversity.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Counted("values that somebody has"),
    read,
};

const WORDINGS: Wordings = Wordings {
    generalized: Wording::Promise(Sentence {
        promise: "every group of people who publish the same quasi-identifiers has at least {l} different values of {each}",
        argument: "Counted in the file. The rows that a person fits include those of her group, so that no fewer values are left for her.",
        not_protected: "how likely each value is: one of them may be that of almost everybody",
        claim: "distinct_values_of_groups",
    }),
    bucketized: Wording::Promise(Sentence {
        promise: "every bucket has at least {l} different values of {each}",
        argument: "Counted in the tables of sensitive values. A person's row names her bucket, and any of its people may have any of its values.",
        not_protected: "how likely each value is: one of them may be that of almost everybody",
        claim: "distinct_values_of_buckets",
    }),
    ambiguous: refused(VALUES_LISTED),
    distribution: refused(VALUES_RANGES),
    uncertain: refused(VALUES_SHOWN),
    condensed: refused(VALUES_DRAWN),
    sliced: Wording::Promise(Sentence {
        promise: "the people of a bucket who share what stands in one column with the sensitive attribute have at least {l} different values of {each}",
        argument: "Counted in the table. A person matches her own bucket at least, and the values of those who agree with her there are left for her.",
        not_protected: "how likely each value is: one of them may be that of almost everybody",
        claim: "distinct_values_of_candidates",
    }),
    others: OTHER_KINDS,
};

/// |{s : c(G, s) > 0}| ≥ ℓ for every group G, c(G, s) being the people of G that have the value s.
///
/// Machanavajjhala et al. (TKDD 2007), section 4; Li (2010), section 1.2.1, item 1.
///
/// Merge-safe and grow-safe: a union has every value of its parts, and joining rows take no value away.
/// Cost: O(values) for each group.
#[derive(Clone, Debug)]
struct DistinctL {
    target: Target,
    l: u64,
}

#[derive(Debug)]
struct Check {
    l: u64,
}

fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    let l = section.required_whole("l", 1)?;
    let (target, _) = Target::read(section, attributes)?;
    Ok(Box::new(DistinctL { target, l }))
}

impl PrivacyModel for DistinctL {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn wordings(&self) -> &'static Wordings {
        &WORDINGS
    }

    fn parameters(&self) -> Map<String, Json> {
        let mut promised = Map::from_iter([("l".to_owned(), self.l.into())]);
        self.target.promise(&mut promised);
        promised
    }

    fn limit(&self, risk: Risk<'_>) -> Option<f64> {
        match risk {
            Risk::Values(name) if self.target.includes(name) => Some(self.l as f64),
            _ => None,
        }
    }

    /// Merge-safe and grow-safe by people too: a value that somebody has stays one.
    fn safety_by_people(&self) -> Option<Safety> {
        Some(Safety { merge: true, grow: true })
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Groups(self)
    }
}

impl GroupModel for DistinctL {
    fn prepare(&self, whole: &TableSummary) -> Result<Box<dyn GroupCheck>> {
        self.target.prepare(whole, |_| Ok(Check { l: self.l }))
    }
}

impl AttributeCheck for Check {
    fn safety(&self) -> Safety {
        Safety { merge: true, grow: true }
    }

    fn least_people(&self) -> u64 {
        self.l
    }

    fn composition(&self, _: u64) -> Option<Composition> {
        Some(Composition::Distinct(self.l))
    }

    fn holds(&self, facet: &AttributeCounts<'_>, _: &mut Scratch) -> bool {
        facet.distinct() >= self.l
    }

    fn measures(&self) -> &'static [Measure] {
        &[Measure { name: "l", safer: Safer::Higher }]
    }

    fn measure(&self, facet: &AttributeCounts<'_>, _: &mut Scratch, levels: &mut [f64]) {
        levels[0] = facet.distinct() as f64;
    }
}
