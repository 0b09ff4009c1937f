//! A failing case made as small as it goes: rows, columns, promises and settings are taken away while it still fails in the same way.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::case::Case;
use crate::dice::Dice;
use crate::trial;

/// How long a case may be shrunk.
const TIME: Duration = Duration::from_secs(30);

/// Shrinks a case that fails in a way; the smallest found, with what it shows.
pub(crate) fn shrink(case: &Case, sort: &str, seed: u64, folder: &Path) -> (Case, String) {
    let started = Instant::now();
    let fails = |case: &Case| -> Option<String> {
        let _ = std::fs::remove_dir_all(folder);
        // Questions and spoils depend on chance: a smaller case is asked anew, a few times.
        (0..3).find_map(|attempt| {
            let trial = trial::guarded_run(case, folder, &mut Dice::new(seed.wrapping_add(attempt)));
            let _ = std::fs::remove_dir_all(folder);
            trial.failures.into_iter().find(|failure| failure.sort == sort).map(|failure| failure.text)
        })
    };
    let mut best = case.clone();
    let mut words = String::new();
    let mut step = best.rows.len().div_ceil(2).max(1);
    loop {
        let mut smaller = false;
        let mut from = 0;
        while from < best.rows.len() && started.elapsed() < TIME {
            let mut fewer = best.clone();
            fewer.rows.drain(from..(from + step).min(best.rows.len()));
            match fails(&fewer) {
                Some(found) => {
                    (best, words, smaller) = (fewer, found, true);
                }
                None => from += step,
            }
        }
        for simpler in simplified(&best) {
            if started.elapsed() < TIME
                && let Some(found) = fails(&simpler)
            {
                (best, words, smaller) = (simpler, found, true);
                break;
            }
        }
        if started.elapsed() >= TIME || (!smaller && step == 1) {
            return (best, words);
        }
        if !smaller {
            step = (step / 2).max(1);
        }
    }
}

/// The case without one of its columns, promises, settings or hierarchies.
fn simplified(case: &Case) -> Vec<Case> {
    let mut found = Vec::new();
    for column in 0..case.columns.len() {
        let mut without = case.clone();
        without.columns.remove(column);
        without.rows.iter_mut().for_each(|row| drop(row.remove(column)));
        found.push(without);
    }
    for column in (0..case.columns.len()).filter(|&column| !case.columns[column].limits.is_empty()) {
        let mut without = case.clone();
        without.columns[column].limits.pop();
        found.push(without);
    }
    if case.promises.len() > 1 {
        for promise in 0..case.promises.len() {
            let mut without = case.clone();
            without.promises.remove(promise);
            found.push(without);
        }
    }
    for setting in 0..case.method.settings.len() {
        let mut without = case.clone();
        without.method.settings.remove(setting);
        found.push(without);
    }
    if !case.spelled.is_empty() {
        found.push(Case { spelled: "", ..case.clone() });
    }
    if case.format != "csv" {
        found.push(Case { format: "csv", ..case.clone() });
    }
    found
}
