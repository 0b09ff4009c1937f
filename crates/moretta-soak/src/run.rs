//! Many cases at once, until time or cases are used up.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::case::Case;
use crate::dice::Dice;
use crate::draw_policy::{self, Choices, Pair};
use crate::shrink::shrink;
use crate::tally::Tally;
use crate::trial::{self, Trial};

/// What a run may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// What all cases are drawn from.
    pub seed: u64,
    /// The time.
    pub time: Duration,
    /// The cases.
    pub cases: u64,
    /// Where failing cases are written.
    pub out: PathBuf,
    /// Only methods and models whose name contains this.
    pub only: Option<String>,
}

/// How many failures of one sort are shrunk; the others are counted.
const SHRUNKEN: usize = 3;

/// The pair, the case and the chance of a number.
pub fn numbered(choices: &Choices, seed: u64, number: u64) -> (Pair, Case, Dice) {
    let pair = choices.pairs[(number % choices.pairs.len() as u64) as usize];
    let mut dice = Dice::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number));
    let case = draw_policy::case(&mut dice, pair);
    (pair, case, dice)
}

/// Where cases are published: in memory where the system has such a folder, since every file is synchronized.
fn scratch() -> std::io::Result<tempfile::TempDir> {
    let shared = Path::new("/dev/shm");
    let made = tempfile::Builder::new().prefix("moretta-soak-").tempdir_in(shared);
    if shared.is_dir() && made.is_ok() { made } else { tempfile::tempdir() }
}

/// Runs cases; shows each new failure as it is found.
pub fn run(choices: &Choices, limits: &Limits, show: &(dyn Fn(&str) + Sync)) -> std::io::Result<Tally> {
    trial::keep_panics();
    let started = Instant::now();
    let home = scratch()?;
    let tally = Mutex::new(Tally::default());
    let wanted = |pair: &&Pair| match &limits.only {
        Some(name) => pair.method.contains(name) || pair.model.contains(name),
        None => true,
    };
    let choices = Choices { pairs: choices.pairs.iter().filter(wanted).copied().collect(), ..choices.clone() };
    if choices.pairs.is_empty() {
        return Ok(Tally::default());
    }
    let batch = 128;
    let mut next = 0;
    while next < limits.cases && started.elapsed() < limits.time {
        let end = (next + batch).min(limits.cases);
        (next..end).into_par_iter().for_each(|number| {
            if started.elapsed() >= limits.time {
                return;
            }
            let (pair, case, mut dice) = numbered(&choices, limits.seed, number);
            let folder = home.path().join(number.to_string());
            let trial = trial::guarded_run(&case, &folder, &mut dice);
            let _ = std::fs::remove_dir_all(&folder);
            let new = count(&tally, pair, &case, &trial);
            for (sort, text) in new {
                report(&case, sort, &text, number, limits, home.path(), show);
            }
        });
        next = end;
    }
    Ok(tally.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
}

/// Counts a case; the failures that are to be shrunk.
fn count(tally: &Mutex<Tally>, pair: Pair, case: &Case, trial: &Trial) -> Vec<(&'static str, String)> {
    let mut tally = tally.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    tally.add(pair, case, trial);
    let mut new = Vec::new();
    for failure in &trial.failures {
        let seen = tally.failures.entry(failure.sort).or_default();
        *seen += 1;
        if *seen <= SHRUNKEN && !new.iter().any(|(sort, _)| *sort == failure.sort) {
            new.push((failure.sort, failure.text.clone()));
        }
    }
    new
}

/// Shrinks a failure, and writes it as a folder that one can publish by hand.
fn report(
    case: &Case,
    sort: &'static str,
    text: &str,
    number: u64,
    limits: &Limits,
    home: &Path,
    show: &(dyn Fn(&str) + Sync),
) {
    let folder = home.join(format!("{number}-{}", sort.replace(' ', "-")));
    let (smallest, words) = shrink(case, sort, number, &folder);
    let words = if words.is_empty() { text } else { &words };
    let place = limits.out.join(format!("{}-{number}-{}", limits.seed, sort.replace(' ', "-")));
    let note = format!(
        "{sort}: {words}\n\nseed {} case {number}; publish with: moretta publish policy.toml --out out --seed {}\n",
        limits.seed, smallest.seed
    );
    let written = smallest.save(&place).and_then(|()| std::fs::write(place.join("FAILURE.txt"), &note));
    let at = written.map_or_else(|error| error.to_string(), |()| place.display().to_string());
    show(&format!("{sort} (case {number}, {} with {}): {words}\n  {at}", case.method.name, case.promises[0].name));
}
