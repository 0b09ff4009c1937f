//! What a release of a grid is measured by.

use std::cell::RefCell;
use std::sync::Arc;

use moretta::internals::chance::Seed;
use moretta::internals::compare::{Learner, LearningTask};
use moretta::internals::counting::{Column, Held, Prepared, count_distinct};
use moretta::internals::data::domain::Domain;
use moretta::internals::planning::OpenRelease;
use moretta::internals::progress::Progress;
use moretta::internals::publish::{Report, publish};
use moretta::internals::query::{RelativeError, Workload, relative_errors};
use moretta::internals::utility::evaluator::{Belief, LossConfig, LossEvaluator};
use moretta::{Error, Policy, Result};
use serde::Deserialize;

use super::super::table::SECONDS;
use super::source::Source;
use crate::classification::{Relinked, TreeAndBayes};

/// A measure of a release.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Measure {
    /// Different combinations of quasi-identifiers in the original, and people who are alone with theirs.
    Combinations,
    Unique,
    Groups,
    MeanSize,
    Suppressed,
    Dm,
    Cavg,
    Gcp,
    Loss,
    Distortion,
    /// The mean relative error of random counts.
    QueryError,
    /// The median.
    MedianError,
    /// The worst privacy loss, and the mean utility loss.
    PLoss,
    ULoss,
    /// People, and groups, whose values all lie in one category.
    SimilarPeople,
    SimilarGroups,
    /// Of all minimal full-domain tables, those that have such a group.
    OpenTables,
    /// The accuracy of a decision tree, and of naive Bayes.
    Tree,
    Bayes,
    /// The same, learned from random linkings of columns that stand apart.
    TreeRelinked,
    BayesRelinked,
    Seconds,
}

impl Measure {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Combinations => "combinations of quasi-identifiers",
            Self::Unique => "people alone with theirs",
            Self::Groups => "groups",
            Self::MeanSize => "mean size of groups",
            Self::Suppressed => "people left out",
            Self::Dm => "DM",
            Self::Cavg => "CAVG",
            Self::Gcp => "GCP",
            Self::Loss => "loss",
            Self::Distortion => "distortion ratio",
            Self::QueryError => "mean relative error",
            Self::MedianError => "median relative error",
            Self::PLoss => "P_loss",
            Self::ULoss => "U_loss",
            Self::SimilarPeople => "people in groups of one category",
            Self::SimilarGroups => "groups of one category",
            Self::OpenTables => "minimal tables with a group of one category",
            Self::Tree => "accuracy of a decision tree",
            Self::Bayes => "accuracy of naive Bayes",
            Self::TreeRelinked => "accuracy after relinking at random, decision tree",
            Self::BayesRelinked => "accuracy after relinking at random, naive Bayes",
            Self::Seconds => SECONDS,
        }
        .to_owned()
    }
}

/// How measures are taken.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Measuring {
    queries: usize,
    dimension: usize,
    selectivity: f64,
    /// Whether queries are single groups of a GROUP BY.
    by_groups: bool,
    min_support: f64,
    /// Whether the adversary knows everybody's group.
    known_group: bool,
    /// Categories of the sensitive attribute.
    pub(super) categories: Vec<Vec<String>>,
    /// What is learned, and in how many folds.
    target: Option<String>,
    folds: usize,
    /// How many random linkings are learned from.
    linkings: u64,
}

impl Default for Measuring {
    fn default() -> Self {
        Self {
            queries: 1000,
            dimension: 3,
            selectivity: 0.05,
            by_groups: false,
            min_support: 0.05,
            known_group: true,
            categories: Vec::new(),
            target: None,
            folds: 10,
            linkings: 5,
        }
    }
}

/// A table, read and counted once.
pub(super) struct Table {
    pub(super) source: Source,
    prepared: Arc<Prepared>,
    /// What losses are measured with, by how.
    evaluator: RefCell<Option<(String, LossEvaluator)>>,
    /// The losses and the accuracies that were measured last, by what of: two measures ask for each.
    losses: RefCell<Option<(String, (f64, f64))>>,
    learned: RefCell<Option<(String, (f64, f64))>>,
}

/// What was found for a key before, or is found now.
fn once(
    kept: &RefCell<Option<(String, (f64, f64))>>,
    key: String,
    find: impl FnOnce() -> Result<(f64, f64)>,
) -> Result<(f64, f64)> {
    if let Some((known, found)) = &*kept.borrow()
        && *known == key
    {
        return Ok(*found);
    }
    let found = find()?;
    *kept.borrow_mut() = Some((key, found));
    Ok(found)
}

/// A release that was made, with the policy that made it.
pub(super) type Made = Option<(String, Report, Box<dyn OpenRelease>)>;

impl Table {
    pub(super) fn read(source: Source, progress: &Progress) -> Result<Self> {
        let prepared = Arc::new(Prepared::read(&source.policy("")?, progress)?);
        let (evaluator, losses, learned) = Default::default();
        Ok(Self { source, prepared, evaluator, losses, learned })
    }

    /// Publishes, unless what was made before is the same.
    pub(super) fn publish<'m>(
        &self,
        policy: &Policy,
        seed: Seed,
        before: &'m mut Made,
        progress: &Progress,
    ) -> Result<&'m (String, Report, Box<dyn OpenRelease>)> {
        let text = policy.tree.to_toml();
        if before.as_ref().is_none_or(|(known, ..)| *known != text) {
            *before = None;
            let (report, release) = publish(policy, Held::Shared(&self.prepared), seed, progress)?;
            *before = Some((text, report, release));
        }
        before.as_ref().ok_or_else(|| Error::bug("a release that was made is not there"))
    }

    /// A measure as a cell.
    pub(super) fn measure(
        &self,
        measure: &Measure,
        measuring: &Measuring,
        policy: &Policy,
        made: Option<&(String, Report, Box<dyn OpenRelease>)>,
        seed: Seed,
        progress: &Progress,
    ) -> Result<String> {
        let learned = match measure {
            Measure::Tree | Measure::Bayes => Some(0),
            Measure::TreeRelinked | Measure::BayesRelinked => Some(measuring.linkings),
            _ => None,
        };
        if let Some(linkings) = learned {
            let key = format!("{measuring:?} {linkings} {} {}", made.is_none(), policy.tree.to_toml());
            let learn = || self.learn((measuring, linkings), policy, made.is_none(), seed, progress);
            let accuracy = once(&self.learned, key, learn)?;
            let tree = matches!(measure, Measure::Tree | Measure::TreeRelinked);
            return Ok(format!("{:.3}", if tree { accuracy.0 } else { accuracy.1 }));
        }
        if matches!(measure, Measure::Combinations | Measure::Unique) {
            let quasi: Vec<_> = self.prepared.table.quasi.iter().map(Column::counted).collect();
            let distinct = count_distinct(&quasi, self.prepared.table.rows(), None);
            let alone = distinct.people.iter().filter(|&&people| people == 1).count();
            return Ok(if *measure == Measure::Unique { alone } else { distinct.len() }.to_string());
        }
        let Some((_, report, release)) = made else { return Ok("–".to_owned()) };
        let share = |found: Option<f64>| found.map_or("–".to_owned(), |x| format!("{x:.4}"));
        let release = &**release;
        Ok(match measure {
            Measure::Groups => report.groups.to_string(),
            Measure::MeanSize => format!("{:.2}", report.rows_out as f64 / report.groups.max(1) as f64),
            Measure::Suppressed => report.suppressed.to_string(),
            Measure::Dm => report.utility.dm.map_or("–".to_owned(), |dm| dm.to_string()),
            Measure::Cavg => report.utility.cavg.map_or("–".to_owned(), |cavg| format!("{cavg:.3}")),
            Measure::Gcp => share(report.utility.gcp),
            Measure::Loss => share(report.utility.loss),
            Measure::Distortion => share(report.utility.distortion),
            Measure::QueryError => format!("{:.3}", self.errors(measuring, release, seed, progress)?.mean),
            Measure::MedianError => format!("{:.3}", self.errors(measuring, release, seed, progress)?.median),
            Measure::PLoss | Measure::ULoss => {
                let key = format!("{measuring:?} {}", policy.tree.to_toml());
                let found = once(&self.losses, key, || self.lost(measuring, policy, release, seed, progress))?;
                share(Some(if *measure == Measure::PLoss { found.0 } else { found.1 }))
            }
            Measure::SimilarPeople => similar(&measuring.categories, release)?.0.to_string(),
            Measure::SimilarGroups => similar(&measuring.categories, release)?.1.to_string(),
            Measure::Seconds => format!("{:.2}", report.seconds.publish),
            Measure::Tree
            | Measure::Bayes
            | Measure::TreeRelinked
            | Measure::BayesRelinked
            | Measure::Combinations
            | Measure::Unique
            | Measure::OpenTables => String::new(),
        })
    }

    /// Publishes every minimal full-domain table that a report lists, and counts those with a group of one category.
    pub(super) fn open_tables(
        &self,
        categories: &[Vec<String>],
        rest: &str,
        report: &Report,
        seed: Seed,
        progress: &Progress,
    ) -> Result<String> {
        let listed = |note: &String| {
            let levels = note.strip_prefix("minimal: ")?;
            levels.find('}').map(|end| levels[..=end].to_owned())
        };
        let listed: Vec<String> = report.warnings.iter().filter_map(listed).collect();
        let mut open = 0;
        for levels in &listed {
            let policy = self.source.policy(&rest.replace("search = \"minimal\"", levels))?;
            let (_, release) = publish(&policy, Held::Shared(&self.prepared), seed, progress)?;
            open += usize::from(similar(categories, &*release)?.1 > 0);
        }
        Ok(format!("{open} of {}", listed.len()))
    }

    /// P_loss and U_loss.
    fn lost(
        &self,
        measuring: &Measuring,
        policy: &Policy,
        release: &dyn OpenRelease,
        seed: Seed,
        progress: &Progress,
    ) -> Result<(f64, f64)> {
        let key = format!("{measuring:?}");
        if self.evaluator.borrow().as_ref().is_none_or(|(known, _)| *known != key) {
            let belief = if measuring.known_group { Belief::Group } else { Belief::Posterior };
            // Counts are asked by a measure of their own.
            let workload = Workload { dimension: 1, selectivity: 1.0, queries: 1, seed };
            let config = LossConfig { min_support: measuring.min_support, belief, workload, ..LossConfig::usual(seed) };
            let evaluator = LossEvaluator::new(policy, self.prepared.clone(), &config, progress)?;
            *self.evaluator.borrow_mut() = Some((key, evaluator));
        }
        let evaluator = self.evaluator.borrow();
        let (_, evaluator) = evaluator.as_ref().ok_or_else(|| Error::bug("an evaluator that was made is not there"))?;
        let losses = evaluator.measure(release, progress)?;
        Ok((losses.privacy.worst, losses.utility.mean))
    }

    fn errors(
        &self,
        measuring: &Measuring,
        release: &dyn OpenRelease,
        seed: Seed,
        progress: &Progress,
    ) -> Result<RelativeError> {
        let Measuring { queries, dimension, selectivity, .. } = *measuring;
        let workload = Workload { dimension, selectivity, queries, seed };
        let original = self.prepared.original();
        if !measuring.by_groups {
            return workload.compare(release, &original, progress);
        }
        let queries = workload.make_groups(&original, progress)?;
        Ok(RelativeError::of(relative_errors(&queries, release, &original, progress)?))
    }

    fn learn(
        &self,
        (measuring, linkings): (&Measuring, u64),
        policy: &Policy,
        original: bool,
        seed: Seed,
        progress: &Progress,
    ) -> Result<(f64, f64)> {
        let task = LearningTask { target: measuring.target.clone(), folds: measuring.folds };
        let learner: &dyn Learner = if linkings > 0 { &Relinked { times: linkings } } else { &TreeAndBayes };
        let lessons = learner.prepare(&task, policy, &self.prepared, seed, progress)?;
        let found = if original { lessons.of_original(progress)? } else { lessons.of_candidate(policy, progress)? };
        Ok((found.tree, found.bayes))
    }
}

/// People in groups whose values all lie in one category, and those groups.
fn similar(categories: &[Vec<String>], release: &dyn OpenRelease) -> Result<(u64, u64)> {
    let groups = release.groups().map_err(|why| Error::data(why.to_string()))?;
    let domain: &Domain = &groups.whole.sensitive[0].domain;
    let category = |code: &u32| {
        let value = domain.value(*code).to_string();
        categories.iter().position(|category| category.contains(&value))
    };
    let (mut people, mut found) = (0, 0);
    for group in 0..groups.len() {
        let (codes, counts) = groups.held(0, group);
        let mut of: Vec<Option<usize>> = codes.iter().map(category).collect();
        if of.contains(&None) {
            return Err(Error::input("a sensitive value is in none of the `categories`"));
        }
        of.dedup();
        if of.iter().all(|category| *category == of[0]) {
            people += counts.iter().sum::<u64>();
            found += 1;
        }
    }
    Ok((people, found))
}
