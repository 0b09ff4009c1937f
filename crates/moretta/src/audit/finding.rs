//! What an attack found.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::grade::{self, Grade};
use crate::model::Risk;
use crate::numeric::tolerance;
use crate::policy::Danger;
use crate::text::rounded;

/// How an attack went.
#[derive(Clone, Debug)]
pub enum Tested {
    /// It could not be run, for this reason.
    Skipped(String),
    /// What it found; one finding for each thing that it measures.
    Found(Vec<Finding>),
}

/// Something that an attack measured, without anybody's name: those are apart, in [`Finding::victims`].
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// What was measured.
    pub measure: &'static str,
    /// The sensitive attribute that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// The bound that was promised; nothing if no promise speaks of it.
    pub promised: Option<f64>,
    /// The worst that was measured.
    pub measured: f64,
    /// The same for somebody who knows in which group the person stands, where `measured` does not take that for known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_group: Option<f64>,
    /// The worst case in words.
    pub worst: Option<String>,
    /// How bad it is, whatever was promised.
    pub grade: Grade,
    /// What was found, in a sentence.
    pub sentence: String,
    /// The people whom the attack reaches with at least the level at which a finding becomes amber, and with that at which it becomes red; nothing
    /// where it is not graded.
    pub affected: BTreeMap<String, u64>,
    /// The people who are hit: beyond the promise or, where nothing is promised, as `counts` says.
    pub hit: u64,
    /// Who counts as hit.
    pub counts: String,
    /// The people who were attacked.
    pub people: u64,
    /// How those who were looked at were chosen, where there were too many: every figure is then of them alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled: Option<String>,
    /// Whether the promise holds as far as the attack tells; nothing if nothing was promised.
    pub holds: Option<bool>,
    /// More figures.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Json>,
    /// What it endangers and how far, on the scale of that danger.
    #[serde(skip)]
    pub reaches: Option<(Danger, f64)>,
    /// The worst-hit people. Never for a recipient's eyes.
    #[serde(skip)]
    pub victims: Vec<Victim>,
}

/// A person of the original, and what happens to her.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Victim {
    /// The row of the original, counted from 1.
    pub row: u64,
    /// What the attack reaches.
    pub says: String,
}

/// How many of the worst-hit are named.
pub(super) const VICTIMS: usize = 10;

impl Finding {
    /// Something measured about so many people, of which nothing is promised yet.
    pub fn new(measure: &'static str, measured: f64, people: u64) -> Self {
        Self {
            measure,
            attribute: None,
            promised: None,
            measured,
            known_group: None,
            worst: None,
            grade: Grade::None,
            sentence: String::new(),
            affected: BTreeMap::new(),
            hit: 0,
            counts: String::new(),
            people,
            sampled: None,
            holds: None,
            details: Map::new(),
            reaches: None,
            victims: Vec::new(),
        }
    }

    /// About a sensitive attribute.
    #[must_use]
    pub fn about(mut self, attribute: &str) -> Self {
        self.attribute = Some(attribute.to_owned());
        self
    }

    /// Compared with a promise, if there is one.
    #[must_use]
    pub fn against(mut self, risk: Risk<'_>, limit: Option<f64>) -> Self {
        self.promised = limit;
        self.holds = limit.map(|limit| risk.keeps(self.measured, limit));
        self
    }

    /// Something that must not happen at all, whatever was promised.
    #[must_use]
    pub fn forbidden(mut self) -> Self {
        self.promised = Some(0.0);
        self.holds = Some(self.measured <= 0.0);
        self
    }

    /// So many people are hit, by this rule.
    #[must_use]
    pub fn hitting(mut self, hit: u64, counts: impl Into<String>) -> Self {
        self.hit = hit;
        self.counts = counts.into();
        self
    }

    /// Graded by how far it reaches; `people` says how many are reached with at least a level.
    #[must_use]
    pub fn graded(mut self, danger: Danger, level: f64, people: impl Fn(f64) -> u64) -> Self {
        let levels = grade::levels(danger);
        // What floats leave of certainty is certainty.
        let level = if level >= tolerance::CERTAIN { 1.0 } else { level };
        self.reaches = Some((danger, level));
        self.grade = levels.grade(level);
        self.affected = levels.both().map(|line| (line.to_string(), people(line))).into_iter().collect();
        self
    }

    /// What was found, in a sentence.
    #[must_use]
    pub fn saying(mut self, sentence: impl Into<String>) -> Self {
        self.sentence = sentence.into();
        self
    }

    /// With a sentence if it has none yet, and red if it breaks a promise.
    #[must_use]
    pub(super) fn finished(mut self) -> Self {
        if self.sentence.is_empty() {
            let of = self.attribute.as_ref().map_or(String::new(), |name| format!(" of {name}"));
            let worst = self.worst.as_ref().map_or(String::new(), |worst| format!("; at worst {worst}"));
            self.sentence = format!("{}{of}: {}{worst}", self.measure, rounded(self.measured, 4));
        }
        if self.holds == Some(false) {
            self.grade = Grade::Red;
            let bound = self.promised.map_or(String::new(), |bound| format!(" of {}", rounded(bound, 4)));
            self.sentence = format!("the promised bound{bound} is broken: {}", self.sentence);
        }
        self
    }

    /// The people who are reached with at least the level that made the finding's grade; those at the lower level if it has none.
    pub fn people_reached(&self) -> u64 {
        let reached = |line: f64| self.affected.get(&line.to_string()).copied();
        let levels = self.reaches.map(|(danger, _)| grade::levels(danger));
        levels
            .and_then(|levels| reached(if self.grade == Grade::Red { levels.red } else { levels.amber }))
            .unwrap_or(self.hit)
    }

    /// What somebody measures who also knows the person's group.
    #[must_use]
    pub fn knowing_group(mut self, measured: Option<f64>) -> Self {
        self.known_group = measured;
        self
    }

    /// The worst case in words.
    #[must_use]
    pub fn worst(mut self, words: Option<String>) -> Self {
        self.worst = words;
        self
    }

    /// One more figure.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Json>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// Measured on a part only, chosen in this way.
    #[must_use]
    pub fn sampling(mut self, how: impl Into<String>) -> Self {
        self.sampled = Some(how.into());
        self
    }

    /// The worst-hit people.
    #[must_use]
    pub fn naming(mut self, victims: Vec<Victim>) -> Self {
        self.victims = victims;
        self
    }
}

/// The worst of some findings, for somebody who waits for the others.
pub(super) fn in_short(findings: &[Finding]) -> String {
    let Some(worst) = findings.iter().rev().max_by_key(|finding| finding.grade) else { return "nothing".to_owned() };
    let grade = match worst.grade {
        Grade::None => String::new(),
        grade => format!("{}: ", grade.name()),
    };
    grade + &worst.sentence
}

/// A value, for sentences.
pub(super) fn spelled(value: &crate::data::Value) -> String {
    if value.is_missing() { "a missing value".to_owned() } else { value.to_string() }
}

/// The indices of the largest levels, worst first; ties in order.
pub(super) fn worst_indices(levels: impl Iterator<Item = f64>, most: usize) -> Vec<usize> {
    let mut kept: Vec<(f64, usize)> = Vec::with_capacity(most + 1);
    for (index, level) in levels.enumerate() {
        if level.is_nan() || (kept.len() == most && kept.last().is_none_or(|last| last.0 >= level)) {
            continue;
        }
        let at = kept.partition_point(|&(other, _)| other >= level);
        kept.insert(at, (level, index));
        kept.truncate(most);
    }
    kept.into_iter().map(|(_, index)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_come_first_and_ties_in_order() {
        assert_eq!(worst_indices([0.1, 0.5, f64::NAN, 0.5, 0.9, 0.2].into_iter(), 3), [4, 1, 3]);
        assert_eq!(worst_indices([].into_iter(), 3), [0_usize; 0]);
    }
}
