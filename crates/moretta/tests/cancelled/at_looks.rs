//! Work that is cancelled at a certain look at its token: moments that depend on no clock and on no machine.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use moretta::internals::progress::{CancelToken, LookCounter, Progress, with_threads};
use moretta::{Fault, Result};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;

use crate::cases::{self, Case, Size};
use crate::{AT_MOST, alone, names, threads, threads_are_back_to};

/// How often each case is cancelled: at its first look, at its last, and in between.
const TRIALS: usize = 5;

/// Does the work of a case on a single thread, where its looks come in one order.
pub(crate) fn watched(case: &Case, home: &Path, token: &CancelToken) -> Result<()> {
    let progress = Progress::watched(None, token.clone());
    with_threads(NonZeroUsize::new(1), || (case.work)(home, &progress))
}

/// The looks at which a case is cancelled that looks so often.
fn moments(looks: u64, dice: &mut ChaCha8Rng) -> Vec<u64> {
    let mut moments = vec![1, looks];
    moments.extend((2..TRIALS).map(|_| dice.random_range(1..=looks)));
    moments.sort_unstable();
    moments.dedup();
    moments
}

#[test]
fn at_whatever_look_work_is_cancelled_it_ends_and_leaves_nothing() {
    let _alone = alone();
    let home = TempDir::new().unwrap();
    let cases = cases::every_way(home.path(), Size::Times(0.1));
    let mut dice = ChaCha8Rng::seed_from_u64(1);
    let (mut trials, mut latest) = (0, (Duration::ZERO, String::new()));
    for case in &cases {
        let looks = Arc::new(LookCounter::cancelling_at(0));
        let all = watched(case, home.path(), &CancelToken::counted(&looks));
        all.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        drop(std::fs::remove_dir_all(home.path().join("out")));
        for look in moments(looks.count(), &mut dice) {
            let late = cancel_at(case, home.path(), look);
            trials += usize::from(late.is_some());
            if late.is_some_and(|late| late > latest.0) {
                latest = (late.unwrap(), format!("{}, look {look} of {}", case.name, looks.count()));
            }
        }
    }
    println!("{} cases, {trials} trials; the slowest went on for {:?}: {}", cases.len(), latest.0, latest.1);
    assert!(trials >= 300, "{trials} trials");
    assert!(latest.0 <= AT_MOST, "{latest:?}");
}

/// Cancels a case at a look; how long it went on after that, if it came so far.
fn cancel_at(case: &Case, home: &Path, look: u64) -> Option<Duration> {
    let (files, before) = (names(home), threads());
    let looks = Arc::new(LookCounter::cancelling_at(look));
    let ended = watched(case, home, &CancelToken::counted(&looks));
    let late = looks.since_cancelled();
    match (&ended, late) {
        // What depends on a clock, as how often a search is asked how far it is, can be short of the look.
        (Ok(()), None) => drop(std::fs::remove_dir_all(home.join("out"))),
        (Ok(()), Some(_)) => panic!("{} went on to its end after look {look}", case.name),
        (Err(error), _) => assert_eq!(error.fault(), Fault::Cancelled, "{}, look {look}: {error}", case.name),
    }
    assert_eq!(names(home), files, "{}, look {look}: left something behind", case.name);
    assert!(threads_are_back_to(before), "{}, look {look}: left a thread", case.name);
    late
}

#[test]
fn the_stated_look_cancels_and_the_longest_gap_is_found() {
    let looks = Arc::new(LookCounter::cancelling_at(3));
    let token = CancelToken::counted(&looks);
    assert_eq!([token.is_cancelled(), token.is_cancelled()], [false, false]);
    assert_eq!(looks.since_cancelled(), None);
    std::thread::sleep(Duration::from_millis(20));
    assert!(token.is_cancelled() && token.clone().is_cancelled() && looks.since_cancelled().is_some());
    assert!(looks.count() == 4 && looks.longest_gap().length >= Duration::from_millis(20));
}

#[test]
fn what_comes_after_the_last_look_is_a_gap_too() {
    let looks = Arc::new(LookCounter::cancelling_at(0));
    assert!(!CancelToken::counted(&looks).is_cancelled());
    std::thread::sleep(Duration::from_millis(20));
    let gap = looks.longest_gap();
    assert!(gap.length >= Duration::from_millis(20) && gap.after < Duration::from_millis(20));
}
