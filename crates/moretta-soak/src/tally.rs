//! What a run came to, as tables.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::case::Case;
use crate::draw_policy::{Choices, Pair};
use crate::features::{self, FEATURES};
use crate::trial::{Outcome, Trial};

/// Cases of a method with a model.
#[derive(Clone, Copy, Debug, Default)]
struct Cases {
    published: usize,
    refused: usize,
}

/// Refusals for one reason.
#[derive(Clone, Debug, Default)]
struct Refusals {
    all: usize,
    /// The first of its messages in the order of the alphabet.
    example: Option<String>,
    confirmed: usize,
    contradicted: usize,
}

/// Spoiled releases of one way.
#[derive(Clone, Copy, Debug, Default)]
struct Spoiled {
    all: usize,
    breaking: usize,
    noticed: usize,
}

/// What a run came to.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Cases that ran.
    pub cases: usize,
    by_pair: BTreeMap<(&'static str, &'static str), Cases>,
    refusals: BTreeMap<String, Refusals>,
    worst: BTreeMap<String, (usize, f64)>,
    spoiled: BTreeMap<&'static str, Spoiled>,
    questions: (usize, usize),
    features: BTreeMap<&'static str, usize>,
    /// Failures that are not, by sort.
    pub failures: BTreeMap<&'static str, usize>,
}

impl Tally {
    /// Counts a case.
    pub fn add(&mut self, pair: Pair, case: &Case, trial: &Trial) {
        self.cases += 1;
        let cases = self.by_pair.entry((pair.method, pair.model)).or_default();
        match &trial.outcome {
            Outcome::Published => {
                cases.published += 1;
                features::of(case).into_iter().for_each(|name| *self.features.entry(name).or_default() += 1);
            }
            Outcome::Refused(code, message, confirmed) => {
                cases.refused += 1;
                let refusals = self.refusals.entry(code.clone()).or_default();
                refusals.all += 1;
                if refusals.example.as_ref().is_none_or(|example| message < example) {
                    refusals.example = Some(message.clone());
                }
                refusals.confirmed += usize::from(*confirmed == Some(true));
                refusals.contradicted += usize::from(*confirmed == Some(false));
            }
        }
        for (model, ratio) in &trial.measured {
            let worst = self.worst.entry(model.clone()).or_default();
            *worst = (worst.0 + 1, worst.1.max(*ratio));
        }
        for &(way, breaks, noticed) in &trial.spoiled {
            let spoiled = self.spoiled.entry(way).or_default();
            spoiled.all += 1;
            spoiled.breaking += usize::from(breaks);
            spoiled.noticed += usize::from(noticed);
        }
        self.questions.0 += trial.questions.0;
        self.questions.1 += trial.questions.1;
    }

    /// Pairs that are accepted, and things that cases may have, that no case published.
    pub fn uncovered(&self, choices: &Choices) -> Vec<String> {
        let published =
            |pair: &&Pair| self.by_pair.get(&(pair.method, pair.model)).is_none_or(|cases| cases.published == 0);
        let pairs = choices.pairs.iter().filter(published).map(|pair| format!("{} with {}", pair.method, pair.model));
        let unknown = choices.unknown.iter().map(|name| format!("{name} (no parameters known)"));
        let lacking = FEATURES.iter().filter(|name| !self.features.contains_key(*name)).map(|name| (*name).to_owned());
        pairs.chain(unknown).chain(lacking).collect()
    }

    /// The tables, as Markdown.
    pub fn render(&self, choices: &Choices) -> String {
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{} cases, {} questions answered, {} declined.\n",
            self.cases, self.questions.0, self.questions.1
        );
        let mut methods: Vec<&str> = self.by_pair.keys().map(|(method, _)| *method).collect();
        methods.dedup();
        let _ = writeln!(text, "Published; refused, by method and model:\n\n| method | cases |\n|---|---|");
        for method in methods {
            let cells = self.by_pair.iter().filter(|((name, _), _)| *name == method);
            let cells: Vec<String> =
                cells.map(|((_, model), cases)| format!("{model} {}; {}", cases.published, cases.refused)).collect();
            let _ = writeln!(text, "| {method} | {} |", cells.join(", "));
        }
        let _ = writeln!(text, "\n| published with | cases |\n|---|---|");
        for (name, cases) in &self.features {
            let _ = writeln!(text, "| {name} | {cases} |");
        }
        let _ = writeln!(
            text,
            "\n| refused because | cases | confirmed by the definition | not even one group is tried, though it would do | for example |\n|---|---|---|---|---|"
        );
        for (code, refusals) in &self.refusals {
            let Refusals { all, example, confirmed, contradicted } = refusals;
            let example = example.as_deref().unwrap_or("").replace('|', "\\|");
            let _ = writeln!(text, "| {code} | {all} | {confirmed} | {contradicted} | {example} |");
        }
        let _ = writeln!(text, "\n| model | promises recomputed | worst measured by promised |\n|---|---|---|");
        for (model, (promises, worst)) in &self.worst {
            let _ = writeln!(text, "| {model} | {promises} | {worst:.6} |");
        }
        let _ =
            writeln!(text, "\n| spoiled by | releases | breaking a promise | noticed of these |\n|---|---|---|---|");
        for (way, spoiled) in &self.spoiled {
            let _ = writeln!(text, "| {way} | {} | {} | {} |", spoiled.all, spoiled.breaking, spoiled.noticed);
        }
        let uncovered = self.uncovered(choices);
        let _ = writeln!(
            text,
            "\nNever published: {}.",
            if uncovered.is_empty() { "none".to_owned() } else { uncovered.join(", ") }
        );
        let _ = writeln!(text, "\nFailures: {}.", self.failures.values().sum::<usize>());
        for (what, count) in &self.failures {
            let _ = writeln!(text, "- {what}: {count}");
        }
        text
    }
}
