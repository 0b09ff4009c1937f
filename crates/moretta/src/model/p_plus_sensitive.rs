//! p⁺-sensitive k-anonymity: groups of k with sensitive values from at least p categories.

use serde_json::{Map, Value as Json};

use super::each_attribute::{AttributeCheck, AttributeCounts};
use super::sentence::{
    BLURRED, DRAWN, DRAWN_SIZE, EXACT, LISTED, OTHER_KINDS, Refusal, SHUFFLED, SIZE, Sentence, Wording, Wordings,
};
use super::target::Target;
use super::{
    Categories, GroupCheck, Measure, ModelEntry, PrivacyModel, Risk, Safer, Safety, Sensitive, SeveralRows,
    TableSummary,
};
use crate::config::Section;
use crate::distance::Scratch;
use crate::error::{Error, Result};
use crate::model::{GroupModel, Scope};
use crate::schema::Attribute;

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    name: "p-plus-sensitive",
    summary: "k-anonymity, and every group has sensitive values of at least p categories",
    paper: "Sun, Sun, Wang 2010",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/p-plus-sensitive.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Counted("different people, and categories of which somebody has a value"),
    read,
};

const WORDINGS: Wordings = Wordings {
    generalized: Wording::Promise(Sentence {
        promise: "every person's quasi-identifiers are published alike for at least {k} people, who have values of {each} from at least {p} categories",
        argument: "Rows that publish the same quasi-identifiers are counted in the file. An adversary who knows a published person's quasi-identifiers finds at least the rows of her group, which are alike; the categories of their sensitive values are counted too.",
        not_protected: "how likely each category is: one of them may be that of almost everybody in a group",
        claim: "rows_alike_and_categories",
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

/// |G| ≥ k and |{i : some s in Sᵢ has c(G, s) > 0}| ≥ p for every group G, the categories S₁ … S_m being a
/// partition of the sensitive values. Sun, Sun and Wang (2010), definition 3.
///
/// Merge-safe and grow-safe: people and categories of a part are those of what contains it too.
/// Cost: O(values + categories) for each group.
#[derive(Clone, Debug)]
struct PPlusSensitive {
    target: Target,
    p: u64,
    k: u64,
}

#[derive(Debug)]
struct Check {
    p: u64,
    k: u64,
    categories: Categories,
}

fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    let (p, k) = (section.required_whole("p", 1)?, section.required_whole("k", 1)?);
    let (target, chosen) = Target::read(section, attributes)?;
    let fewest = require_categories(section, &chosen)?;
    if p > fewest as u64 {
        return Err(section
            .error_at("p", format!("`p` is {p}, but there are only {fewest} categories"))
            .help(format!("a whole number from 1 to {fewest}, or more categories")));
    }
    Ok(Box::new(PPlusSensitive { target, p, k }))
}

/// Refuses attributes without categories; says how many the others have, at the least.
pub(super) fn require_categories(section: &Section<'_>, attributes: &[&Attribute]) -> Result<usize> {
    let count = |attribute: &&Attribute| {
        match &attribute.categories {
        Some(lists) => Ok(lists.len()),
        None => Err(section.error(format!("{:?} has no categories", attribute.name)).help(format!(
            "under [attributes]: {} = {{ role = \"sensitive\", categories = [[\"most sensitive\", …], …, [\"least sensitive\", …]] }}",
            attribute.name
        ))),
    }
    };
    Ok(attributes.iter().map(count).collect::<Result<Vec<_>>>()?.into_iter().min().unwrap_or(0))
}

/// The categories of an attribute that was read with them.
pub(super) fn categories_of(sensitive: &Sensitive) -> Result<Categories> {
    let categories = sensitive.categories.clone();
    categories.ok_or_else(|| Error::bug(format!("the categories of {:?} did not reach the model", sensitive.name)))
}

impl PrivacyModel for PPlusSensitive {
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
            Risk::Values(name) | Risk::Categories(name) if self.target.includes(name) => Some(self.p as f64),
            _ => None,
        }
    }

    /// Merge-safe and grow-safe by people too: people and categories of a part are those of what contains it.
    fn safety_by_people(&self) -> Option<Safety> {
        Some(Safety { merge: true, grow: true })
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Groups(self)
    }
}

impl GroupModel for PPlusSensitive {
    fn prepare(&self, whole: &TableSummary) -> Result<Box<dyn GroupCheck>> {
        let check = |sensitive: &Sensitive| Ok(Check { p: self.p, k: self.k, categories: categories_of(sensitive)? });
        self.target.prepare(whole, check)
    }
}

impl Check {
    fn distinct(&self, facet: &AttributeCounts<'_>, room: &mut Vec<u64>) -> u64 {
        room.clear();
        room.resize(self.categories.len, 0);
        for (&count, &category) in facet.counts.iter().zip(&self.categories.of_code) {
            room[category as usize] |= count;
        }
        room.iter().filter(|&&people| people > 0).count() as u64
    }
}

impl AttributeCheck for Check {
    fn safety(&self) -> Safety {
        Safety { merge: true, grow: true }
    }

    fn least_people(&self) -> u64 {
        self.k.max(self.p)
    }

    fn holds(&self, facet: &AttributeCounts<'_>, scratch: &mut Scratch) -> bool {
        facet.people >= self.k && self.distinct(facet, &mut scratch.counts) >= self.p
    }

    fn measures(&self) -> &'static [Measure] {
        &[Measure { name: "p", safer: Safer::Higher }, Measure { name: "k", safer: Safer::Higher }]
    }

    fn measure(&self, facet: &AttributeCounts<'_>, scratch: &mut Scratch, levels: &mut [f64]) {
        levels[0] = self.distinct(facet, &mut scratch.counts) as f64;
        levels[1] = facet.people as f64;
    }
}
