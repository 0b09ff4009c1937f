//! What an adversary could exclude about people, by the rules that hold in a table.

use serde::Serialize;

use crate::error::{Error, Result};
use crate::knowledge::{Mining, Points, Rule, Rules};
use crate::model::Known;
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::progress::Progress;

/// The rules about one sensitive attribute.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RulesFound {
    /// The sensitive attribute.
    pub attribute: String,
    /// The people of the table.
    pub people: u64,
    /// Rules of confidence 1 that no more general one implies, the surest first.
    pub rules: Vec<RuleInWords>,
    /// Those that a more general one implies.
    pub redundant: Vec<RuleInWords>,
    /// Those of lower confidence, which exclude nothing.
    pub weaker: Vec<RuleInWords>,
    /// How many people can't have 0, 1, 2, … values.
    pub excluded_values: Vec<u64>,
}

/// A rule that a steward can read.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RuleInWords {
    /// Who it is about: `sex = M and age = 20-24`.
    pub condition: String,
    /// What they do not have.
    pub value: String,
    /// How many people it is about; a fraction where membership is fuzzy.
    pub support: f64,
    /// How sure one would be to find the value among so many.
    pub expectation: f64,
    /// The share of them who do not have it.
    pub confidence: f64,
}

/// Mines the table of a policy, one sensitive attribute after the other.
pub fn rules(policy: &Policy, counted: &Prepared, mining: &Mining, progress: &Progress) -> Result<Vec<RulesFound>> {
    if counted.table.sensitive.is_empty() || counted.table.quasi.is_empty() {
        return Err(Error::input("rules are about quasi-identifiers and a sensitive attribute; the policy lacks one")
            .at_file(&policy.file)
            .help("give attributes the roles \"quasi\" and \"sensitive\""));
    }
    progress.start("mining rules", 0);
    let names: Vec<String> = counted.table.quasi.iter().map(|column| column.name.clone()).collect();
    let points = Points::of_cells(&counted.cells, &counted.scales);
    let (scales, cells, whole) = (counted.scales.as_slice(), &counted.cells, &counted.whole);
    let known = Known { names: &names, scales, points: &points, cells, whole, token: progress.token() };
    let one = |(place, sensitive): (usize, &crate::release::Sensitive)| {
        let found = known.rules(place, mining)?;
        let words = |rules: &[Rule]| {
            let mut words: Vec<RuleInWords> =
                rules.iter().map(|rule| in_words(&found, rule, &names, sensitive)).collect();
            words.sort_by(|a, b| b.expectation.total_cmp(&a.expectation).then_with(|| a.condition.cmp(&b.condition)));
            words
        };
        Ok(RulesFound {
            attribute: sensitive.name.clone(),
            people: whole.people,
            rules: words(&found.rules),
            redundant: words(&found.redundant),
            weaker: words(&found.weaker),
            excluded_values: excluded_values(&found, &points),
        })
    };
    whole.sensitive.iter().enumerate().map(one).collect()
}

fn in_words(found: &Rules, rule: &Rule, names: &[String], sensitive: &crate::release::Sensitive) -> RuleInWords {
    RuleInWords {
        condition: found.condition(rule, names),
        value: sensitive.domain.value(rule.value).to_string(),
        support: rule.support,
        expectation: rule.expectation,
        confidence: rule.confidence,
    }
}

fn excluded_values(found: &Rules, points: &Points) -> Vec<u64> {
    let mut people = Vec::new();
    for (point, &here) in points.people.iter().enumerate() {
        let count = found.incompatible.count(point);
        if people.len() <= count {
            people.resize(count + 1, 0);
        }
        people[count] += here;
    }
    people
}
