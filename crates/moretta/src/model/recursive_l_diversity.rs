//! Recursive (c, ℓ)-diversity: the most frequent value is not too frequent, the rare ones not too rare.

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
    name: "recursive-l-diversity",
    summary: "the most frequent sensitive value is less than c times as frequent as all from the l-th on together",
    paper: "Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/recursive-l-diversity.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Refused("counts of people with several values do not add up to people"),
    read,
};

const WORDINGS: Wordings = Wordings {
    generalized: Wording::Promise(Sentence {
        promise: "in every group of people who publish the same quasi-identifiers, the most frequent value of {each} is had by fewer people than {c} times all who have a value from rank {l} on",
        argument: "Counted in the file. It is said of each group alone: somebody who fits several is not bounded by it.",
        not_protected: "values that are alike in meaning; somebody who fits several groups, for whom their values mix",
        claim: "recursive_of_groups",
    }),
    bucketized: Wording::Promise(Sentence {
        promise: "in every bucket, the most frequent value of {each} is had by fewer people than {c} times all who have a value from rank {l} on",
        argument: "Counted in the tables of sensitive values. It is said of each bucket alone.",
        not_protected: "values that are alike in meaning; somebody who fits several groups, for whom their values mix",
        claim: "recursive_of_buckets",
    }),
    ambiguous: refused(VALUES_LISTED),
    distribution: refused(VALUES_RANGES),
    uncertain: refused(VALUES_SHOWN),
    condensed: refused(VALUES_DRAWN),
    sliced: refused(
        "what is believed of a person is a mean over all buckets that she matches, and a mean can break what each of them keeps",
    ),
    others: OTHER_KINDS,
};

/// r₁ < c · (r_ℓ + … + r_m) for every group, r₁ ≥ r₂ ≥ … ≥ r_m being the counts of its values in *descending* order.
///
/// Decided in whole numbers, with c as the decimal in the policy. With fewer than ℓ values the right side is 0 and
/// nothing holds. Machanavajjhala et al. (TKDD 2007), section 4; Li (2010), section 1.2.1, item 4.
///
/// Merge-safe: write T for r_ℓ + … + r_m, everybody but the ℓ − 1 largest counts. The ℓ − 1 largest counts of a union
/// sum to at most what the ℓ − 1 largest of either part sum to, so T(G ∪ H) ≥ T(G) + T(H); and
/// r₁(G ∪ H) ≤ r₁(G) + r₁(H) < c·T(G) + c·T(H). Not grow-safe: rows of the most frequent value raise r₁
/// alone. Cost: O(values) for each group.
#[derive(Clone, Debug)]
struct RecursiveL {
    target: Target,
    c: Exact,
    l: u64,
}

#[derive(Debug)]
struct Check {
    c: Exact,
    l: u64,
}

fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    let c = Exact::read(section, "c", "above 0", |c| c > 0.0)?;
    let l = section.required_whole("l", 1)?;
    let (target, _) = Target::read(section, attributes)?;
    Ok(Box::new(RecursiveL { target, c, l }))
}

impl PrivacyModel for RecursiveL {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn wordings(&self) -> &'static Wordings {
        &WORDINGS
    }

    fn parameters(&self) -> Map<String, Json> {
        let mut promised = Map::from_iter([("c".to_owned(), self.c.to_json()), ("l".to_owned(), self.l.into())]);
        self.target.promise(&mut promised);
        promised
    }

    fn limit(&self, risk: Risk<'_>) -> Option<f64> {
        match risk {
            Risk::Values(name) if self.target.includes(name) => Some(self.l as f64),
            // r₁ < c · (n − r₁), since r₁ itself is not in the sum from the ℓ-th on.
            Risk::Belief(name) if self.l >= 2 && self.target.includes(name) => {
                Some(self.c.value / (1.0 + self.c.value))
            }
            _ => None,
        }
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Groups(self)
    }
}

impl GroupModel for RecursiveL {
    fn prepare(&self, whole: &TableSummary) -> Result<Box<dyn GroupCheck>> {
        self.target.prepare(whole, |_| Ok(Check { c: self.c, l: self.l }))
    }
}

/// r₁, and r_ℓ + … + r_m. `room` is room to work in.
fn head_and_tail(counts: &[u64], l: u64, room: &mut Vec<u64>) -> (u64, u64) {
    room.clear();
    room.extend(counts.iter().copied().filter(|&count| count > 0));
    let head = room.iter().copied().max().unwrap_or(0);
    match usize::try_from(l).ok().and_then(|l| l.checked_sub(1)).filter(|&larger| larger < room.len()) {
        None => (head, 0),
        Some(larger) => {
            room.select_nth_unstable_by(larger, |a, b| b.cmp(a));
            (head, room[larger..].iter().sum())
        }
    }
}

/// Whether `head < c · tail`.
fn below(head: u64, tail: u64, c: Exact) -> bool {
    tail > 0 && !Ratio { num: head.into(), den: tail.into() }.at_least(c.bound)
}

/// What c must exceed: infinite if there is no tail.
pub(super) fn c_to_exceed(head: u64, tail: u64) -> f64 {
    if tail == 0 { f64::INFINITY } else { head as f64 / tail as f64 }
}

/// The largest ℓ that holds with this c; 0 if none does.
fn largest_l(counts: &[u64], c: Exact, room: &mut Vec<u64>) -> u64 {
    room.clear();
    room.extend(counts.iter().copied().filter(|&count| count > 0));
    room.sort_unstable_by(|a, b| b.cmp(a));
    let mut tail: u64 = room.iter().sum();
    let head = room.first().copied().unwrap_or(0);
    let holds = |&count: &u64| {
        let holds = below(head, tail, c);
        tail -= count;
        holds
    };
    room.iter().map(holds).take_while(|&holds| holds).count() as u64
}

impl AttributeCheck for Check {
    fn safety(&self) -> Safety {
        Safety { merge: true, grow: false }
    }

    fn least_people(&self) -> u64 {
        self.l
    }

    /// What stands below c times the sum of the ℓ-th value and the rarer ones needs them to be there.
    fn composition(&self, _: u64) -> Option<Composition> {
        Some(Composition::Distinct(self.l))
    }

    fn holds(&self, facet: &AttributeCounts<'_>, scratch: &mut Scratch) -> bool {
        let (head, tail) = head_and_tail(facet.counts, self.l, &mut scratch.counts);
        below(head, tail, self.c)
    }

    fn measures(&self) -> &'static [Measure] {
        &[Measure { name: "c", safer: Safer::Lower }, Measure { name: "l", safer: Safer::Higher }]
    }

    /// What c must exceed for the promised ℓ, and the largest ℓ for the promised c.
    fn measure(&self, facet: &AttributeCounts<'_>, scratch: &mut Scratch, levels: &mut [f64]) {
        let (head, tail) = head_and_tail(facet.counts, self.l, &mut scratch.counts);
        levels[0] = c_to_exceed(head, tail);
        levels[1] = largest_l(facet.counts, self.c, &mut scratch.counts) as f64;
    }
}
