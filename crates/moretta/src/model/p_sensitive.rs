//! p-sensitive k-anonymity: groups of k with at least p different sensitive values.

use serde_json::{Map, Value as Json};

use super::each_attribute::{AttributeCheck, AttributeCounts};
use super::sentence::{
    BLURRED, DRAWN, DRAWN_SIZE, EXACT, LISTED, OTHER_KINDS, Refusal, SHUFFLED, SIZE, Sentence, Wording, Wordings,
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
    name: "p-sensitive",
    summary: "k-anonymity, and every group has at least p different sensitive values",
    paper: "Truta, Vinay 2006; Sun, Sun, Wang 2010",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/p-sensitive.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Counted("different people, and values that somebody has"),
    read,
};

const WORDINGS: Wordings = Wordings {
    generalized: Wording::Promise(Sentence {
        promise: "every person's quasi-identifiers are published alike for at least {k} people, who have at least {p} different values of {each}",
        argument: "Rows that publish the same quasi-identifiers are counted in the file. An adversary who knows a published person's quasi-identifiers finds at least the rows of her group, which are alike; their sensitive values are counted too.",
        not_protected: "how likely each value is: one of them may be that of almost everybody in a group",
        claim: "rows_alike_and_values",
    }),
    bucketized: Wording::Refused(Refusal {
        reason: EXACT,
        instead: &[
            SIZE,
            "model = \"distinct-l-diversity\"
l = {p}",
        ],
    }),
    ambiguous: Wording::Refused(Refusal { reason: LISTED, instead: &[SIZE] }),
    distribution: Wording::Refused(Refusal { reason: EXACT, instead: &[SIZE] }),
    uncertain: Wording::Refused(Refusal { reason: BLURRED, instead: &["model = \"uncertain-k-anonymity\"\nk = {k}"] }),
    condensed: Wording::Refused(Refusal { reason: DRAWN, instead: &[DRAWN_SIZE] }),
    sliced: Wording::Refused(Refusal {
        reason: SHUFFLED,
        instead: &[
            SIZE,
            "model = \"distinct-l-diversity\"
l = {p}",
        ],
    }),
    others: OTHER_KINDS,
};

/// |G| ≥ k and |{s : c(G, s) > 0}| ≥ p for every group G. Sun, Sun and Wang (2010), definition 2.
///
/// Merge-safe and grow-safe: people and values of a part are people and values of what contains it.
/// Cost: O(values) for each group.
#[derive(Clone, Debug)]
struct PSensitive {
    target: Target,
    p: u64,
    k: u64,
}

#[derive(Debug)]
struct Check {
    p: u64,
    k: u64,
}

fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    let (p, k) = (section.required_whole("p", 1)?, section.required_whole("k", 1)?);
    let (target, _) = Target::read(section, attributes)?;
    Ok(Box::new(PSensitive { target, p, k }))
}

impl PrivacyModel for PSensitive {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn wordings(&self) -> &'static Wordings {
        &WORDINGS
    }

    fn parameters(&self) -> Map<String, Json> {
        let mut promised = Map::from_iter([("p".to_owned(), self.p.into()), ("k".to_owned(), self.k.into())]);
        self.target.promise(&mut promised);
        promised
    }

    fn limit(&self, risk: Risk<'_>) -> Option<f64> {
        match risk {
            Risk::Linkage => Some(1.0 / self.k as f64),
            Risk::Values(name) if self.target.includes(name) => Some(self.p as f64),
            _ => None,
        }
    }

    /// Merge-safe and grow-safe by people too: people and values of a part are those of what contains it.
    fn safety_by_people(&self) -> Option<Safety> {
        Some(Safety { merge: true, grow: true })
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Groups(self)
    }
}

impl GroupModel for PSensitive {
    fn prepare(&self, whole: &TableSummary) -> Result<Box<dyn GroupCheck>> {
        self.target.prepare(whole, |_| Ok(Check { p: self.p, k: self.k }))
    }
}

impl AttributeCheck for Check {
    fn safety(&self) -> Safety {
        Safety { merge: true, grow: true }
    }

    fn least_people(&self) -> u64 {
        self.k.max(self.p)
    }

    fn composition(&self, _: u64) -> Option<Composition> {
        Some(Composition::Distinct(self.p))
    }

    fn holds(&self, facet: &AttributeCounts<'_>, _: &mut Scratch) -> bool {
        facet.people >= self.k && facet.distinct() >= self.p
    }

    fn measures(&self) -> &'static [Measure] {
        &[Measure { name: "p", safer: Safer::Higher }, Measure { name: "k", safer: Safer::Higher }]
    }

    fn measure(&self, facet: &AttributeCounts<'_>, _: &mut Scratch, levels: &mut [f64]) {
        levels[0] = facet.distinct() as f64;
        levels[1] = facet.people as f64;
    }
}
