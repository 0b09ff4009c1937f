//! (p, α)-sensitive k-anonymity: groups of k with p sensitive values, not all from the most sensitive categories.

use serde_json::{Map, Value as Json};

use super::each_attribute::{AttributeCheck, AttributeCounts};
use super::p_plus_sensitive::{categories_of, require_categories};
use super::sentence::{
    BLURRED, DRAWN, DRAWN_SIZE, EXACT, LISTED, OTHER_KINDS, Refusal, SHUFFLED, SIZE, Sentence, Wording, Wordings,
};
use super::target::{Exact, Target};
use super::{
    Categories, GroupCheck, Measure, ModelEntry, PrivacyModel, Risk, Safer, Safety, Sensitive, SeveralRows,
    TableSummary,
};
use crate::config::Section;
use crate::distance::Scratch;
use crate::error::Result;
use crate::model::{GroupModel, Scope};
use crate::numeric::Ratio;
use crate::schema::Attribute;

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    name: "p-alpha-sensitive",
    summary: "k-anonymity, and every group has at least p sensitive values and a total weight of at least alpha",
    paper: "Sun, Sun, Wang 2010",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/p-alpha-sensitive.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Refused("it adds up weights over people, each with one value"),
    read,
};

const WORDINGS: Wordings = Wordings {
    generalized: Wording::Promise(Sentence {
        promise: "every person's quasi-identifiers are published alike for at least {k} people, who have at least {p} different values of {each}, with weights that add up to at least {alpha}",
        argument: "Rows that publish the same quasi-identifiers are counted in the file. An adversary who knows a published person's quasi-identifiers finds at least the rows of her group, which are alike; their sensitive values and the weights of these are counted too.",
        not_protected: "how likely each value is: one of them may be that of almost everybody in a group",
        claim: "rows_alike_and_weights",
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

/// |G| ≥ k, |{s : c(G, s) > 0}| ≥ p and Σ over the people of G of weight(their value) ≥ α, for every group G.
///
/// A value of the category Sᵢ of m weighs (i − 1)/(m − 1): nothing in the most sensitive category, 1 in the
/// least; with one category, 1. The sum runs over people, not over distinct values, and is decided in whole
/// numbers over m − 1. Sun, Sun and Wang (2010), section 3, equation 1 and definition 4.
///
/// Merge-safe and grow-safe: no weight is negative, so more people never weigh less.
/// Cost: O(values) for each group.
#[derive(Clone, Debug)]
struct PAlphaSensitive {
    target: Target,
    p: u64,
    alpha: Exact,
    k: u64,
}

#[derive(Debug)]
struct Check {
    p: u64,
    alpha: Exact,
    k: u64,
    weights: CategoryWeights,
}

fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    let p = section.required_whole("p", 1)?;
    let alpha = Exact::read(section, "alpha", "of at least 0: the least total weight of a group", |_| true)?;
    let k = section.required_whole("k", 1)?;
    let (target, chosen) = Target::read(section, attributes)?;
    require_categories(section, &chosen)?;
    Ok(Box::new(PAlphaSensitive { target, p, alpha, k }))
}

impl PrivacyModel for PAlphaSensitive {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn wordings(&self) -> &'static Wordings {
        &WORDINGS
    }

    fn parameters(&self) -> Map<String, Json> {
        let mut promised = Map::from_iter([
            ("p".to_owned(), self.p.into()),
            ("alpha".to_owned(), self.alpha.to_json()),
            ("k".to_owned(), self.k.into()),
        ]);
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

    fn scope(&self) -> Scope<'_> {
        Scope::Groups(self)
    }
}

impl GroupModel for PAlphaSensitive {
    fn prepare(&self, whole: &TableSummary) -> Result<Box<dyn GroupCheck>> {
        self.target.prepare(whole, |sensitive: &Sensitive| {
            let weights = CategoryWeights::new(&categories_of(sensitive)?);
            Ok(Check { p: self.p, alpha: self.alpha, k: self.k, weights })
        })
    }
}

/// The weight of each value, in parts of [`CategoryWeights::unit`].
#[derive(Clone, Debug)]
pub(super) struct CategoryWeights {
    parts: Vec<u32>,
    /// m − 1, but never 0.
    unit: u64,
}

impl CategoryWeights {
    pub(super) fn new(categories: &Categories) -> Self {
        if categories.len <= 1 {
            return Self { parts: vec![1; categories.of_code.len()], unit: 1 };
        }
        Self { parts: categories.of_code.clone(), unit: categories.len as u64 - 1 }
    }

    /// The total weight of people, given as codes with their counts.
    pub(super) fn total<'c>(&self, counts: impl Iterator<Item = (usize, &'c u64)>) -> Ratio {
        let num = counts.map(|(code, &count)| u128::from(count) * u128::from(self.parts[code])).sum();
        Ratio { num, den: self.unit.into() }
    }
}

impl AttributeCheck for Check {
    fn safety(&self) -> Safety {
        Safety { merge: true, grow: true }
    }

    fn least_people(&self) -> u64 {
        // Nobody weighs more than 1.
        self.k.max(self.p).max(self.alpha.bound.ceil())
    }

    fn holds(&self, facet: &AttributeCounts<'_>, _: &mut Scratch) -> bool {
        facet.people >= self.k
            && facet.distinct() >= self.p
            && self.weights.total(facet.counts.iter().enumerate()).at_least(self.alpha.bound)
    }

    fn measures(&self) -> &'static [Measure] {
        &[
            Measure { name: "weight", safer: Safer::Higher },
            Measure { name: "p", safer: Safer::Higher },
            Measure { name: "k", safer: Safer::Higher },
        ]
    }

    fn measure(&self, facet: &AttributeCounts<'_>, _: &mut Scratch, levels: &mut [f64]) {
        levels[0] = self.weights.total(facet.counts.iter().enumerate()).to_f64();
        levels[1] = facet.distinct() as f64;
        levels[2] = facet.people as f64;
    }
}
