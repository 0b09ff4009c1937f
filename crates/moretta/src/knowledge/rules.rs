//! Negative association rules: what an adversary may exclude about a person of whom she knows the quasi-identifiers.

use super::items::Items;
use super::mine::{self, Mined};
use super::points::Evidence;
use super::value_sets::{ValueSets, values_of};
use crate::data::lookup::HashMap;
use crate::error::{Error, Result};
use crate::hierarchy::Scale;
use crate::numeric::tolerance;

/// What counts as a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mining {
    /// The least expectation of a rule: how sure one would be to see the value among so many people.
    pub min_expectation: f64,
    /// The most conditions of a rule.
    pub max_items: usize,
    /// Whether people close to a numeric condition count in part.
    pub fuzzy: bool,
    /// Rules of at least this confidence are listed; only those of confidence 1 exclude anything.
    pub min_confidence: f64,
    /// Whether texts without a hierarchy are conditions by themselves. A promise must not rest on so little; an attack may.
    pub flat: bool,
}

impl Mining {
    /// Rules of confidence 1, crisp, with one condition: what the dissertation mined, as far as its counts tell.
    pub fn at(min_expectation: f64) -> Self {
        Self { min_expectation, max_items: 1, fuzzy: false, min_confidence: 1.0, flat: false }
    }

    fn check(&self) -> Result<()> {
        let shares = [("min_expectation", self.min_expectation), ("min_confidence", self.min_confidence)];
        match shares.iter().find(|(_, share)| !(0.0..=1.0).contains(share)) {
            Some((name, share)) => Err(Error::input(format!("`{name}` is {share}")).help("a number from 0 to 1")),
            None if self.max_items == 0 => {
                Err(Error::input("`max_items` is 0").help("a rule has at least one condition"))
            }
            None => Ok(()),
        }
    }
}

/// X ⇒ ¬s: nobody, or almost nobody, who satisfies X has the value s.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The conditions X: attributes and their items, at most one item an attribute.
    pub items: Vec<(usize, u32)>,
    /// The value s that is excluded.
    pub value: u32,
    /// The people that satisfy X.
    pub support: f64,
    /// How likely some of so many people would have s, if X did not matter: `1 − (1 − P(s))^support`.
    pub expectation: f64,
    /// The share of those who satisfy X and lack s.
    pub confidence: f64,
}

/// All rules that hold in a table about one sensitive attribute.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The generalized values of each quasi-identifier that conditions are made of.
    pub items: Vec<Items>,
    /// Rules of confidence 1 that no other with a more general condition implies.
    pub rules: Vec<Rule>,
    /// Those that another one implies.
    pub redundant: Vec<Rule>,
    /// Those of lower confidence: worth a look, but they exclude nothing.
    pub weaker: Vec<Rule>,
    /// For each point, the values that its people can't have.
    pub incompatible: ValueSets,
}

impl Rules {
    /// Mines a table. Li (2010), section 3.3: an itemset X is frequent if it has the people that the most frequent
    /// value needs to be expected; with a histogram of the sensitive values for each, the rules are its zeros.
    pub fn mine(evidence: &Evidence<'_>, names: &[String], mining: &Mining) -> Result<Self> {
        mining.check()?;
        let scales: Vec<Scale> = evidence.scales.iter().map(Scale::by_hierarchy).collect();
        let evidence = &evidence.with_scales(&scales);
        let item = |(scale, name): (&Scale, &String)| {
            let alone = mining.flat && scale.tree().is_none() && !scale.domain().kind().is_ordered();
            if alone { Ok(Items::of_values(scale)) } else { Items::new(name, scale, mining.fuzzy) }
        };
        let items = evidence.scales.iter().zip(names).map(item).collect::<Result<Vec<_>>>()?;
        let found = mine::mine(evidence, &items, mining);
        evidence.token.check()?;
        Ok(Self::of_found(items, found, evidence))
    }

    fn of_found(items: Vec<Items>, found: Mined, evidence: &Evidence<'_>) -> Self {
        let Mined { itemsets, weaker, incompatible } = found;
        let expected = Expected::new(&evidence.histogram());
        let barred: HashMap<&[(usize, u32)], &[u64]> = itemsets.iter().map(|set| (&*set.items, &*set.barred)).collect();
        let mut general: Vec<(usize, u32)> = Vec::new();
        let mut implied = |set: &[(usize, u32)], value: u32| {
            (0..set.len()).any(|index| {
                generalize(&items, set, index, &mut general);
                barred.get(general.as_slice()).is_some_and(|row| row[value as usize / 64] >> (value % 64) & 1 == 1)
            })
        };
        let (mut rules, mut redundant) = (Vec::new(), Vec::new());
        for set in &itemsets {
            for value in values_of(&set.barred) {
                let rule = Rule {
                    items: set.items.clone(),
                    value,
                    support: set.support,
                    expectation: expected.share(value, set.support),
                    confidence: 1.0,
                };
                if implied(&set.items, value) { redundant.push(rule) } else { rules.push(rule) }
            }
        }
        Self { items, rules, redundant, weaker, incompatible }
    }

    /// The values that a person can't have, by the rules one by one; `ranks` are the person's. Slow, and for anybody:
    /// [`Rules::incompatible`] knows it for the people of the table.
    pub fn excluded(&self, ranks: &[u32]) -> Vec<u32> {
        let applies = |rule: &&Rule| {
            rule.items.iter().all(|&(attribute, item)| self.items[attribute].holds(item, ranks[attribute]))
        };
        let mut values: Vec<u32> =
            self.rules.iter().chain(&self.redundant).filter(applies).map(|rule| rule.value).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// The conditions of a rule in words: `sex = M and age = 20-24`.
    pub fn condition(&self, rule: &Rule, names: &[String]) -> String {
        let one = |&(attribute, item): &(usize, u32)| {
            format!("{} = {}", names[attribute], self.items[attribute].labels[item as usize])
        };
        rule.items.iter().map(one).collect::<Vec<_>>().join(" and ")
    }
}

/// The next more general itemset in one place; the condition goes where nothing more general than it says anything.
///
/// If any more general condition excludes a value, then so does one of these: what lies between excludes it too.
fn generalize(items: &[Items], set: &[(usize, u32)], index: usize, general: &mut Vec<(usize, u32)>) {
    general.clear();
    general.extend_from_slice(set);
    let (attribute, item) = set[index];
    match items[attribute].parents[item as usize] {
        Some(parent) => general[index].1 = parent,
        None => drop(general.remove(index)),
    }
}

/// How likely a value turns up among some people, by its share in the table.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    /// ln(1 − P(s)).
    ln_absent: Vec<f64>,
}

impl Expected {
    pub(super) fn new(histogram: &[u64]) -> Self {
        let all = histogram.iter().sum::<u64>() as f64;
        Self { ln_absent: histogram.iter().map(|&people| (-(people as f64) / all).ln_1p()).collect() }
    }

    /// `1 − (1 − P(s))^people`.
    pub(super) fn share(&self, value: u32, people: f64) -> f64 {
        if people > 0.0 { -(people * self.ln_absent[value as usize]).exp_m1() } else { 0.0 }
    }

    /// The fewest people that any value needs to be expected so surely, less the rounding.
    pub(super) fn least_people(&self, expectation: f64) -> f64 {
        let most = self.ln_absent.iter().copied().fold(0.0, f64::min);
        if most < 0.0 { (-expectation).ln_1p() / most * (1.0 - tolerance::CUT) } else { f64::INFINITY }
    }
}
