//! Work that is cancelled ends within a second, wherever it is, and leaves nothing behind; who watches it is told in order.

#![expect(clippy::print_stdout, reason = "what was measured is worth a look")]

mod at_looks;
mod at_scale;
mod cases;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use moretta::Fault;
use moretta::internals::progress::{CancelToken, Observer, Progress, Stage};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;

use cases::{Case, KEPT, Size};

/// How long work may go on after it was cancelled: a second; a build that was not optimized, which is several times as slow, has three.
const AT_MOST: Duration = Duration::from_secs(if cfg!(debug_assertions) { 3 } else { 1 });

/// So long the timed trials of all cases together may take, beside the one run of each that is not disturbed.
const BUDGET: Duration = Duration::from_secs(8);

/// More trials than this tell nothing new.
const MOST_TRIALS: usize = 500;

/// How many trials there are: what `MORETTA_TRIALS` says, else as many as the budget allows.
fn trials(cases: usize, all: Duration) -> usize {
    let stated = std::env::var("MORETTA_TRIALS").ok().and_then(|trials| trials.parse().ok());
    #[expect(clippy::cast_sign_loss, reason = "times are not negative")]
    let affordable = (BUDGET.as_secs_f64() / (0.5 * all.as_secs_f64()) * cases as f64) as usize;
    stated.unwrap_or(affordable).clamp(cases, MOST_TRIALS)
}

/// Tests that count threads of the process run one after the other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

/// The threads of this process, where the system tells.
fn threads() -> Option<usize> {
    fs::read_dir("/proc/self/task").ok().map(Iterator::count)
}

/// Whether there are so many threads again: the system may list one that has ended and was joined for a moment longer.
fn threads_are_back_to(before: Option<usize>) -> bool {
    let clock = Instant::now();
    while threads() != before {
        if clock.elapsed() > Duration::from_secs(1) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Runs a case, cancels it after a while; how long it went on after that.
fn cancel(case: &Case, home: &Path, after: Duration) -> Duration {
    let token = CancelToken::new();
    let before = names(home);
    let (result, returned, cancelled) = std::thread::scope(|scope| {
        let stopper = scope.spawn(|| {
            std::thread::sleep(after);
            let now = Instant::now();
            token.cancel();
            now
        });
        let result = (case.work)(home, &Progress::watched(None, token.clone()));
        let returned = Instant::now();
        (result, returned, stopper.join().unwrap())
    });
    match result {
        Ok(()) => drop(fs::remove_dir_all(home.join("out"))),
        Err(error) => {
            assert_eq!((error.fault(), error.code()), (Fault::Cancelled, "cancelled"), "{}: {error}", case.name);
        }
    }
    assert_eq!(names(home), before, "{} left something behind", case.name);
    returned.saturating_duration_since(cancelled)
}

/// `MORETTA_TRIALS=500 cargo test --release -p moretta --test cancelled -- --nocapture whatever` has hundreds of trials in an optimized build.
#[test]
fn whatever_is_cancelled_ends_within_a_second_and_leaves_nothing() {
    let _alone = alone();
    let home = TempDir::new().unwrap();
    let cases = cases::all(home.path(), Size::Times(0.5), KEPT);
    let mut dice = ChaCha8Rng::seed_from_u64(1);
    // The pool of all calls starts with the first run and stays.
    let whole: Vec<Duration> = cases.iter().map(|case| undisturbed(case, home.path())).collect();
    let all: Duration = whole.iter().sum();
    let pool = threads();
    let trials = trials(cases.len(), all);
    let (mut slow, mut worst) = (Vec::new(), (Duration::ZERO, String::new()));
    for trial in 0..trials {
        let number = trial % cases.len();
        let after = whole[number].mul_f64(dice.random::<f64>());
        let late = cancel(&cases[number], home.path(), after);
        let report =
            format!("{}, cancelled after {after:?} of {:?}: went on for {late:?}", cases[number].name, whole[number]);
        if late > worst.0 {
            worst = (late, report.clone());
        }
        if late > AT_MOST {
            slow.push(report);
        }
    }
    println!("{} cases of {all:?} in all, {trials} trials; the slowest: {}", cases.len(), worst.1);
    assert!(slow.is_empty(), "{slow:#?}");
    assert!(threads_are_back_to(pool), "a thread is left");
}

fn undisturbed(case: &Case, home: &Path) -> Duration {
    let clock = Instant::now();
    (case.work)(home, &Progress::default()).unwrap_or_else(|error| panic!("{}: {error}", case.name));
    let took = clock.elapsed();
    drop(fs::remove_dir_all(home.join("out")));
    took
}

/// Keeps all that it is told.
#[derive(Default)]
struct Notebook(Mutex<Vec<Stage>>);

impl Observer for Notebook {
    fn observe(&self, stage: &Stage) {
        self.0.lock().unwrap().push(stage.clone());
    }
}

#[test]
fn an_observer_is_told_of_stages_in_order() {
    let _alone = alone();
    let home = TempDir::new().unwrap();
    let cases = cases::all(home.path(), Size::Times(0.2), KEPT);
    for case in &cases {
        let notebook = Arc::new(Notebook::default());
        let progress = Progress::watched(Some(notebook.clone()), CancelToken::new());
        (case.work)(home.path(), &progress).unwrap();
        drop(progress);
        drop(fs::remove_dir_all(home.path().join("out")));
        let told = notebook.0.lock().unwrap();
        check_order(&case.name, &told);
        let deepest = told.iter().map(|stage| stage.path.len()).max();
        // Some attacks have stages of their own.
        let expected = match case.name.as_str() {
            "compare" => 5..=5,
            name if name.starts_with("audit") => 2..=3,
            _ => 1..=1,
        };
        assert!(deepest.is_some_and(|deepest| expected.contains(&deepest)), "{}: {told:#?}", case.name);
    }
}

/// Stages begin and end, steps only grow in between, and a stage within another is told of while that one is under way.
fn check_order(case: &str, told: &[Stage]) {
    let mut open: Vec<Stage> = Vec::new();
    for stage in told {
        assert!(!stage.path.is_empty(), "{case}");
        let outer = stage.path[..stage.path.len() - 1].to_vec();
        let fraction = stage.fraction().unwrap_or(0.0);
        assert!(
            (0.0..=1.0).contains(&fraction) && (0.0..=1.0).contains(&stage.overall.unwrap_or(0.0)),
            "{case}: {stage:?}"
        );
        let known = open.iter().position(|before| before.path == stage.path);
        if let Some(known) = known {
            let before = &open[known];
            assert!(stage.done >= before.done && stage.total == before.total, "{case}: {before:?}, then {stage:?}");
            assert!(
                stage.overall.unwrap_or(0.0) >= before.overall.unwrap_or(0.0),
                "{case}: {before:?}, then {stage:?}"
            );
        } else {
            assert!(outer.is_empty() || open.iter().any(|one| one.path == outer), "{case}: {stage:?} in nothing");
        }
        open.retain(|one| one.path != stage.path);
        if !stage.ended {
            open.push(stage.clone());
        }
    }
    assert!(open.is_empty(), "{case}: never ended: {open:?}");
    assert!(told.last().is_some_and(|last| last.ended), "{case}");
}

#[test]
fn a_cancelled_token_stops_work_before_it_starts() {
    let _alone = alone();
    let home = TempDir::new().unwrap();
    for case in cases::all(home.path(), Size::Times(0.2), KEPT) {
        let token = CancelToken::new();
        token.cancel();
        let error = (case.work)(home.path(), &Progress::watched(None, token)).unwrap_err();
        assert_eq!(error.fault(), Fault::Cancelled, "{}: {error}", case.name);
    }
}
