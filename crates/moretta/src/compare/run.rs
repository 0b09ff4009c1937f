//! Publishing and measuring every candidate of a plan.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::Candidate;
use super::learner::{Accuracy, Learner, LearningTask, Lessons};
use super::plan::ComparisonPlan;
use super::store::Store;
use crate::audit::{self, KnownProgram};
use crate::error::{Error, Fault, Result};
use crate::prepare::{Held, Prepared};
use crate::progress::{CancelToken, Progress, STACK, current_pool, in_pool};
use crate::publish::publish;
use crate::utility::evaluator::{LossEvaluator, Losses};
use crate::utility::frontier;

/// All candidates of a plan, measured.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Comparison {
    /// The candidates, in the order of the plan.
    pub points: Vec<Compared>,
    /// All quasi-identifiers removed.
    pub removed: Losses,
    /// The original published.
    pub published: Losses,
    /// What can be learned from the original, where that is measured.
    pub learned: Option<Accuracy>,
    /// How many large populations there are.
    pub populations: usize,
    /// The point where the frontier bends.
    pub knee: Option<usize>,
    /// How many points had been measured before.
    pub kept: usize,
}

/// A candidate and what was found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Compared {
    /// The candidate.
    pub candidate: Candidate,
    /// What was found.
    pub found: PointOutcome,
    /// Whether no other candidate loses less privacy without losing more utility.
    pub efficient: bool,
}

/// What was found for a candidate.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PointOutcome {
    /// It was published and measured.
    Measured(Box<Measured>),
    /// It can't be had: why.
    Refused(String),
}

/// A release that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Measured {
    /// What it costs.
    pub losses: Losses,
    /// What can be learned from it, where that is measured.
    pub accuracy: Option<Accuracy>,
    /// What somebody gains who knows the program, where that is measured.
    pub known_program: Option<KnownProgram>,
    /// Its groups.
    pub groups: u64,
    /// People left out.
    pub suppressed: u64,
    /// The time to publish and to measure.
    pub seconds: f64,
}

impl Compared {
    /// What was measured, if anything was.
    pub fn measured(&self) -> Option<&Measured> {
        match &self.found {
            PointOutcome::Measured(measured) => Some(measured),
            PointOutcome::Refused(_) => None,
        }
    }
}

/// Publishes and measures every candidate of a plan. Points that `store` has are not made again. A plan that asks what can be
/// learned needs a `learner`.
///
/// As many candidates as there are threads, but no more than four, are worked on at once, each by a thread of its own that hands
/// its work to the common pool, and memory stays bounded. In a pool of the call's own the thread that calls is one of them.
pub fn run(
    plan: &ComparisonPlan,
    prepared: &Arc<Prepared>,
    store: Option<&Store>,
    learner: Option<&dyn Learner>,
    progress: &Progress,
) -> Result<Comparison> {
    let Some(first) = plan.candidates.first() else { return Err(Error::input("the plan compares nothing")) };
    let lesson = Lesson::of(plan, learner)?;
    let policy = plan.policy(first)?;
    progress.start("finding populations", 0);
    let evaluator = LossEvaluator::new(&policy, prepared.clone(), &plan.measuring, progress)?;
    let lessons = match lesson {
        Some(Lesson { task, learner }) => Some(learner.prepare(task, &policy, prepared, plan.seed, progress)?),
        None => None,
    };
    let bench = Bench { prepared, evaluator: &evaluator, lessons: lessons.as_deref() };
    let known: Vec<Option<PointOutcome>> =
        plan.candidates.iter().map(|candidate| store.and_then(|store| store.find(plan, candidate))).collect();
    let kept = known.iter().flatten().count();
    let missing: Vec<usize> = (0..known.len()).filter(|&index| known[index].is_none()).collect();
    progress.start("comparing", missing.len() as u64);
    let known = Mutex::new(known);
    let failed: Mutex<Option<Error>> = Mutex::new(None);
    let next = AtomicUsize::new(0);
    // Threads of their own belong to no pool: their work goes to the one that this call runs in.
    let pool = current_pool();
    let work = || {
        while let Some(&index) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
            if failed.lock().unwrap_or_else(PoisonError::into_inner).is_some() || progress.is_cancelled() {
                return;
            }
            let candidate = &plan.candidates[index];
            let token = progress.token().for_part();
            let part = progress.part("candidate", index, plan.candidates.len()).stopped_by(&token);
            let work = || in_pool(pool.as_deref(), || measure(plan, candidate, &bench, &part));
            let outcome = match plan.patience {
                None => work().map(|found| (found, true)),
                Some(patience) => patiently(patience, progress, &token, work),
            };
            // What was given up is none the less to be had, on a faster machine or with more patience.
            let outcome = outcome.and_then(|(found, is_final)| {
                let store = store.filter(|_| is_final);
                store.map_or(Ok(()), |store| store.keep(plan, candidate, &found)).map(|()| found)
            });
            part.conclude(
                outcome.as_ref().map_or_else(|error| error.message().to_owned(), |found| in_short(candidate, found)),
            );
            match outcome {
                Ok(found) => known.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(found),
                Err(error) => {
                    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
            }
            progress.advance(1);
        }
    };
    std::thread::scope(|scope| -> Result<()> {
        let at_once = rayon::current_num_threads().clamp(1, MAX_CANDIDATES_AT_ONCE).min(missing.len());
        // A thread of the pool that only waited here would be one fewer to work, and the only one of a pool of one: it takes candidates too.
        let own = usize::from(pool.is_some());
        let start = |_| std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let started: std::io::Result<Vec<_>> = (own..at_once).map(start).collect();
        started.map(drop).map_err(|e| Error::system("can't start a thread", e))?;
        if pool.is_some() {
            work();
        }
        Ok(())
    })?;
    progress.check().map_err(|cancelled| if store.is_some() { cancelled.keeping("points") } else { cancelled })?;
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let found = known.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter();
    let compared = |(candidate, found): (&Candidate, Option<PointOutcome>)| {
        let found = found.ok_or_else(|| Error::bug("a point of the plan was not measured"))?;
        Ok(Compared { candidate: candidate.clone(), found, efficient: false })
    };
    let points = plan.candidates.iter().zip(found).map(compared).collect::<Result<Vec<Compared>>>()?;
    let learned = lessons.as_ref().map(|lessons| lessons.of_original(progress)).transpose()?;
    Ok(Comparison {
        removed: evaluator.removed()?,
        published: evaluator.published(progress)?,
        learned,
        populations: evaluator.populations(),
        knee: None,
        kept,
        points,
    }
    .with_frontier())
}

/// Measures a point, or gives it up when it has taken too long; whether what was found stays so.
fn patiently(
    patience: Duration,
    whole: &Progress,
    token: &CancelToken,
    work: impl FnOnce() -> Result<PointOutcome>,
) -> Result<(PointOutcome, bool)> {
    let clock = Instant::now();
    let found = token.within(patience, work);
    whole.check()?;
    if token.is_cancelled() || clock.elapsed() > patience {
        let seconds = patience.as_secs_f64();
        return Ok((PointOutcome::Refused(format!("it takes longer than the {seconds} s that each point has")), false));
    }
    found.map(|found| (found, true))
}

/// A point in a line, for those who watch.
fn in_short(candidate: &Candidate, found: &PointOutcome) -> String {
    let (series, numbers) = (candidate.series(), candidate.numbers());
    match found {
        PointOutcome::Refused(reason) => format!("{series}, {numbers}: can't be had, {reason}"),
        PointOutcome::Measured(measured) => {
            let losses = &measured.losses;
            format!("{series}, {numbers}: P_loss {:.4}, U_loss {:.4}", losses.privacy.worst, losses.utility.mean)
        }
    }
}

/// What every candidate is published from and measured by: the table, read and counted once.
struct Bench<'a> {
    prepared: &'a Arc<Prepared>,
    evaluator: &'a LossEvaluator,
    lessons: Option<&'a dyn Lessons>,
}

/// The most candidates that are worked on at once.
const MAX_CANDIDATES_AT_ONCE: usize = 4;

/// What is to be learned, and who learns it.
#[derive(Clone, Copy)]
struct Lesson<'a> {
    task: &'a LearningTask,
    learner: &'a dyn Learner,
}

impl<'a> Lesson<'a> {
    /// The lesson of a plan, if it has one.
    fn of(plan: &'a ComparisonPlan, learner: Option<&'a dyn Learner>) -> Result<Option<Self>> {
        match (&plan.classification, learner) {
            (None, _) => Ok(None),
            (Some(task), Some(learner)) => Ok(Some(Self { task, learner })),
            (Some(_), None) => {
                let message = "the plan measures \"classification\", and there is no learner to do it";
                Err(Error::input(message).at_file(&plan.file).help("compare with a learner, or leave out `measure`"))
            }
        }
    }
}

/// Publishes and measures one candidate. What this data or this pair of method and model can't do is a finding, and
/// only a machine that fails is an error.
fn measure(
    plan: &ComparisonPlan,
    candidate: &Candidate,
    bench: &Bench<'_>,
    progress: &Progress,
) -> Result<PointOutcome> {
    let measured = || -> Result<Measured> {
        let clock = Instant::now();
        let policy = plan.policy(candidate)?;
        let (report, release) = publish(&policy, Held::Shared(bench.prepared), plan.seed, progress)?;
        let losses = bench.evaluator.measure(&*release, progress)?;
        let known_program = if plan.known_program {
            let original = (bench.prepared, plan.seed);
            Some(audit::known_program(release, &policy, original, report.rows_out, progress)?)
        } else {
            drop(release);
            None
        };
        let accuracy = bench.lessons.map(|lessons| lessons.of_candidate(&policy, progress)).transpose()?;
        let seconds = clock.elapsed().as_secs_f64();
        Ok(Measured { losses, accuracy, known_program, groups: report.groups, suppressed: report.suppressed, seconds })
    };
    match measured() {
        Ok(measured) => Ok(PointOutcome::Measured(Box::new(measured))),
        Err(error) if matches!(error.fault(), Fault::Machine | Fault::Bug | Fault::Cancelled) => Err(error),
        Err(error) => Ok(PointOutcome::Refused(error.message().to_owned())),
    }
}

impl Comparison {
    fn with_frontier(mut self) -> Self {
        let measured: Vec<(usize, frontier::Point)> = (0..)
            .zip(&self.points)
            .filter_map(|(index, point)| {
                let losses = &point.measured()?.losses;
                Some((
                    index,
                    (
                        frontier::rounded_for_comparison(losses.privacy.worst),
                        frontier::rounded_for_comparison(losses.utility.mean),
                    ),
                ))
            })
            .collect();
        let losses: Vec<frontier::Point> = measured.iter().map(|(_, losses)| *losses).collect();
        for ((index, _), efficient) in measured.iter().zip(frontier::efficient(&losses)) {
            self.points[*index].efficient = efficient;
        }
        self.knee = frontier::knee(&losses).map(|index| measured[index].0);
        self
    }
}
