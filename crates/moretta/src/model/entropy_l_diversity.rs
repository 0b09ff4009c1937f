//! Entropy ℓ-diversity: sensitive values are as evenly spread as ℓ equally frequent ones.

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
use crate::numeric::tolerance;
use crate::schema::Attribute;

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    name: "entropy-l-diversity",
    summary: "the entropy of the sensitive values of every group is at least ln l",
    paper: "Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/entropy-l-diversity.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Refused("shares of people with several values do not add up to 1"),
    read,
};

const WORDINGS: Wordings = Wordings {
    generalized: Wording::Promise(Sentence {
        promise: "in every group of people who publish the same quasi-identifiers, the entropy of {each} is at least ln {l}",
        argument: "Counted in the file. Somebody who fits several groups is believed to have a value with a mean of their shares, and the entropy of a mean is no less than the least.",
        not_protected: "the likeliest value: a high entropy leaves room for one that is had by many",
        claim: "entropy_of_groups",
    }),
    bucketized: Wording::Promise(Sentence {
        promise: "in every bucket, the entropy of {each} is at least ln {l}",
        argument: "Counted in the tables of sensitive values. Somebody whose row stands in several buckets is believed to have a value with a mean of their shares, and the entropy of a mean is no less than the least.",
        not_protected: "the likeliest value: a high entropy leaves room for one that is had by many",
        claim: "entropy_of_buckets",
    }),
    ambiguous: refused(VALUES_LISTED),
    distribution: refused(VALUES_RANGES),
    uncertain: refused(VALUES_SHOWN),
    condensed: refused(VALUES_DRAWN),
    sliced: Wording::Promise(Sentence {
        promise: "among the people of a bucket who share what stands in one column with the sensitive attribute, the entropy of {each} is at least ln {l}",
        argument: "Counted in the table. What is believed of somebody who matches several buckets is a mean of what each tells, and the entropy of a mean is no less than the least.",
        not_protected: "the likeliest value: a high entropy leaves room for one that is had by many",
        claim: "entropy_of_candidates",
    }),
    others: OTHER_KINDS,
};

/// H(G) ≥ ln ℓ for every group G, H(G) = − Σ p ln p over the shares p of its sensitive values; ℓ may be
/// any number of at least 1.
///
/// Computed as `ln |G| − Σ c ln c / |G|`, from logarithms of whole numbers, which leaves one rounding a
/// value; [`tolerance::LOGARITHM`] forgives it, so that ℓ equally frequent values are entropy ℓ-diverse. Entropies
/// are irrational but for even groups: no fraction could decide. Machanavajjhala et al. (TKDD 2007),
/// section 4; Li (2010), section 1.2.1, item 3.
///
/// Merge-safe: entropy is concave, so the union has at least the weighted mean of its parts' entropies, and
/// so at least the smaller. Not grow-safe: rows of one value lower it. Cost: O(values) for each group.
#[derive(Clone, Debug)]
struct EntropyL {
    target: Target,
    l: Exact,
}

#[derive(Debug)]
struct Check {
    ln_l: f64,
    least_people: u64,
}

fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    let l = Exact::read(section, "l", "of at least 1", |l| l >= 1.0)?;
    let (target, _) = Target::read(section, attributes)?;
    Ok(Box::new(EntropyL { target, l }))
}

impl PrivacyModel for EntropyL {
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
            // exp(entropy) is at most the number of values.
            Risk::Values(name) if self.target.includes(name) => Some(self.l.value),
            _ => None,
        }
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Groups(self)
    }
}

impl GroupModel for EntropyL {
    fn prepare(&self, whole: &TableSummary) -> Result<Box<dyn GroupCheck>> {
        // exp H is at most the number of people; a little less than l, since H may fall short by the tolerance.
        #[expect(clippy::cast_sign_loss, reason = "l is at least 1")]
        let least_people = (self.l.value * (1.0 - 2.0 * tolerance::LOGARITHM)).ceil() as u64;
        self.target.prepare(whole, |_| Ok(Check { ln_l: self.l.value.ln(), least_people }))
    }
}

/// The entropy, in nats, of so many people with these counts of values.
pub(super) fn entropy(people: u64, counts: &[u64]) -> f64 {
    let term = |&count: &u64| if count > 1 { count as f64 * (count as f64).ln() } else { 0.0 };
    let sum: f64 = counts.iter().map(term).sum();
    let people = people.max(1) as f64;
    (people.ln() - sum / people).max(0.0)
}

/// exp H: as many equally frequent values have this entropy. A whole number where it can't be told from one.
pub(super) fn effective_values(entropy: f64) -> f64 {
    let values = entropy.exp();
    let whole = values.round();
    if (values - whole).abs() <= tolerance::LOGARITHM * values { whole } else { values }
}

impl AttributeCheck for Check {
    fn safety(&self) -> Safety {
        Safety { merge: true, grow: false }
    }

    fn least_people(&self) -> u64 {
        self.least_people
    }

    /// exp H is at most the number of values too.
    fn composition(&self, _: u64) -> Option<Composition> {
        Some(Composition::Distinct(self.least_people))
    }

    fn holds(&self, facet: &AttributeCounts<'_>, _: &mut Scratch) -> bool {
        entropy(facet.people, facet.counts) + tolerance::LOGARITHM >= self.ln_l
    }

    fn measures(&self) -> &'static [Measure] {
        &[Measure { name: "l", safer: Safer::Higher }]
    }

    fn measure(&self, facet: &AttributeCounts<'_>, _: &mut Scratch, levels: &mut [f64]) {
        levels[0] = effective_values(entropy(facet.people, facet.counts));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "even groups must come out whole to the last bit")]
    fn an_even_group_of_l_values_reaches_exactly_l() {
        for values in 1..200_u64 {
            for each in [1, 3, 1_000_003] {
                let counts = vec![each; values as usize];
                assert_eq!(effective_values(entropy(each * values, &counts)), values as f64);
            }
        }
        let uneven = effective_values(entropy(4, &[2, 1, 1]));
        assert!((uneven - 8_f64.sqrt()).abs() < 1e-12);
    }
}
