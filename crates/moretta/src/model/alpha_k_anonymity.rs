//! (α, k)-anonymity: groups of k in which no sensitive value has a share above α.

use serde_json::{Map, Value as Json};

use super::each_attribute::{AttributeCheck, AttributeCounts};
use super::sentence::{
    BLURRED, DRAWN, DRAWN_SIZE, EXACT, LISTED, OTHER_KINDS, Refusal, SHUFFLED, SIZE, Sentence, Wording, Wordings,
};
use super::target::{Exact, Target};
use super::{GroupCheck, Measure, ModelEntry, PrivacyModel, Risk, Safer, Safety, Sensitive, SeveralRows, TableSummary};
use crate::config::{Section, suggestion};
use crate::distance::Scratch;
use crate::error::{Error, Result};
use crate::model::{GroupModel, Scope};
use crate::numeric::Ratio;
use crate::schema::Attribute;

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    name: "alpha-k-anonymity",
    summary: "k-anonymity, and no sensitive value (or none of some) has a share above alpha in any group",
    paper: "Wong, Li, Fu, Wang 2006",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/alpha-k-anonymity.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Counted(
        "people who have the value, by people, and different people; joined groups are judged again",
    ),
    read,
};

const WORDINGS: Wordings = Wordings {
    generalized: Wording::Promise(Sentence {
        promise: "every person's quasi-identifiers are published alike for at least {k} people, and {no value} of {any} has a share above {alpha} among them",
        argument: "Rows that publish the same quasi-identifiers are counted in the file. An adversary who knows a published person's quasi-identifiers finds at least the rows of her group, which are alike; their sensitive values are counted too.",
        not_protected: "what is known beforehand about a person; values that are alike in meaning",
        claim: "rows_alike_and_shares",
    }),
    bucketized: Wording::Refused(Refusal {
        reason: EXACT,
        instead: &[
            SIZE,
            "model = \"probabilistic-l-diversity\"
l = {1/alpha}",
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
            "model = \"l-diverse-slicing\"
l = {1/alpha}",
        ],
    }),
    others: OTHER_KINDS,
};

/// |G| ≥ k and c(G, s) ≤ α · |G| for every group G and every value s, or every s among `values`.
///
/// Decided in whole numbers, with α as the decimal in the policy. Wong et al. (KDD 2006),
/// who bound one sensitive value first and then all; Li (2010), section 6.1.1.
///
/// Merge-safe: the inequalities of two groups add up to those of their union. Not grow-safe: rows with
/// a bounded value raise its share. Cost: O(values) for each group.
#[derive(Clone, Debug)]
struct AlphaK {
    target: Target,
    alpha: Exact,
    k: u64,
    values: Option<Vec<String>>,
}

#[derive(Debug)]
struct Check {
    alpha: Exact,
    k: u64,
    /// The codes of the bounded values; all if not stated.
    bounded: Option<Vec<u32>>,
}

fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    let alpha = Exact::read(section, "alpha", "above 0, and at most 1", |alpha| alpha > 0.0 && alpha <= 1.0)?;
    let k = section.required_whole("k", 1)?;
    let values = section.texts("values")?;
    let (target, chosen) = Target::read(section, attributes)?;
    match &values {
        Some(values) if values.is_empty() => {
            return Err(section
                .error_at("values", "`values` is empty, so that nothing would be bounded")
                .help("list the values that must stay rare, or leave it out to bound all"));
        }
        Some(_) if chosen.len() > 1 => {
            return Err(section
                .error_at("values", "`values` of which attribute?")
                .help("there are several sensitive ones; name one: attribute = \"…\""));
        }
        _ => {}
    }
    Ok(Box::new(AlphaK { target, alpha, k, values }))
}

impl PrivacyModel for AlphaK {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn wordings(&self) -> &'static Wordings {
        &WORDINGS
    }

    fn parameters(&self) -> Map<String, Json> {
        let mut promised =
            Map::from_iter([("alpha".to_owned(), self.alpha.to_json()), ("k".to_owned(), self.k.into())]);
        if let Some(values) = &self.values {
            promised.insert("values".to_owned(), values.clone().into());
        }
        self.target.promise(&mut promised);
        promised
    }

    fn limit(&self, risk: Risk<'_>) -> Option<f64> {
        match risk {
            Risk::Linkage => Some(1.0 / self.k as f64),
            Risk::Belief(name) if self.values.is_none() && self.target.includes(name) => Some(self.alpha.value),
            _ => None,
        }
    }

    /// A value that does not occur is a slip of the fingers: bounding it would protect nobody.
    fn check_table(&self, whole: &TableSummary) -> Result<()> {
        for (_, sensitive) in self.target.resolve(whole)? {
            let texts: Vec<String> = sensitive.domain.values().iter().map(ToString::to_string).collect();
            if let Some(unknown) = self.values.iter().flatten().find(|value| !texts.contains(value)) {
                let names: Vec<&str> = texts.iter().map(String::as_str).collect();
                let message = format!("{}: no row has the {} {unknown:?}", ENTRY.name, sensitive.name);
                return Err(Error::input(message).help(suggestion(unknown, &names)));
            }
        }
        Ok(())
    }

    /// Neither merge-safe nor grow-safe by people: of {a, b, c} only a has s, and of {a, b, d} only b: a third each, and half of the four together.
    fn safety_by_people(&self) -> Option<Safety> {
        Some(Safety { merge: false, grow: false })
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Groups(self)
    }
}

impl GroupModel for AlphaK {
    fn prepare(&self, whole: &TableSummary) -> Result<Box<dyn GroupCheck>> {
        let codes = |sensitive: &Sensitive, values: &Vec<String>| {
            let bounded = |code: &u32| values.contains(&sensitive.domain.value(*code).to_string());
            (0..sensitive.domain.len() as u32).filter(bounded).collect()
        };
        self.target.prepare(whole, |sensitive| {
            let bounded = self.values.as_ref().map(|values| codes(sensitive, values));
            Ok(Check { alpha: self.alpha, k: self.k, bounded })
        })
    }
}

impl Check {
    /// The share of the most frequent bounded value.
    fn share(&self, facet: &AttributeCounts<'_>) -> Ratio {
        let most = match &self.bounded {
            None => facet.most(),
            Some(codes) => codes.iter().map(|&code| facet.counts[code as usize]).max().unwrap_or(0),
        };
        Ratio { num: most.into(), den: facet.people.max(1).into() }
    }
}

impl AttributeCheck for Check {
    fn safety(&self) -> Safety {
        Safety { merge: true, grow: false }
    }

    fn least_people(&self) -> u64 {
        self.k
    }

    fn holds(&self, facet: &AttributeCounts<'_>, _: &mut Scratch) -> bool {
        facet.people >= self.k && self.share(facet).at_most(self.alpha.bound)
    }

    fn measures(&self) -> &'static [Measure] {
        &[Measure { name: "alpha", safer: Safer::Lower }, Measure { name: "k", safer: Safer::Higher }]
    }

    fn measure(&self, facet: &AttributeCounts<'_>, _: &mut Scratch, levels: &mut [f64]) {
        levels[0] = self.share(facet).to_f64();
        levels[1] = facet.people as f64;
    }
}
