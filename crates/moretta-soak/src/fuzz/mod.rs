//! Hostile bytes for every reader: from a small corpus, by random mutation, for a bounded time.

mod mutate;
mod targets;

use std::path::Path;
use std::time::{Duration, Instant};

use rayon::prelude::*;

pub use targets::{TARGETS, Target, csv, hierarchy, labels, manifest, parquet, policy, sql};

use crate::dice::Dice;
use crate::trial::guarded;

/// An input that takes longer than this is a failure: it is a few kilobytes.
const SLOW: Duration = Duration::from_secs(10);

/// What a target came to.
#[derive(Clone, Debug)]
pub struct Fed {
    /// The target.
    pub name: &'static str,
    /// How many inputs it was fed.
    pub inputs: usize,
    /// What went wrong, and with which bytes.
    pub failures: Vec<(String, Vec<u8>)>,
}

/// Feeds every target for its share of the time.
pub fn run(seed: u64, time: Duration) -> Vec<Fed> {
    crate::trial::keep_panics();
    TARGETS.par_iter().map(|target| feed(target, seed, time / TARGETS.len() as u32 * 2)).collect()
}

fn feed(target: &Target, seed: u64, time: Duration) -> Fed {
    let started = Instant::now();
    let mut dice = Dice::new(seed);
    let mut fed = Fed { name: target.name, inputs: 0, failures: Vec::new() };
    for bytes in target.corpus {
        try_one(target, bytes, &mut fed);
    }
    while started.elapsed() < time && fed.failures.len() < 5 {
        let mut bytes = target.corpus[dice.below(target.corpus.len())].to_vec();
        for _ in 0..=dice.skewed(8) {
            let other: &[u8] = target.corpus[dice.below(target.corpus.len())];
            mutate::mutate(&mut bytes, other, &mut dice);
        }
        try_one(target, &bytes, &mut fed);
    }
    fed
}

fn try_one(target: &Target, bytes: &[u8], fed: &mut Fed) {
    let started = Instant::now();
    fed.inputs += 1;
    let words = match guarded(|| (target.feed)(bytes)) {
        Err(words) => words,
        Ok(()) if started.elapsed() > SLOW => format!("took {:.0} s", started.elapsed().as_secs_f64()),
        Ok(()) => return,
    };
    fed.failures.push((words, bytes.to_vec()));
}

/// Writes what went wrong as files; one line for each.
pub fn save(fed: &[Fed], out: &Path) -> std::io::Result<Vec<String>> {
    let mut lines = Vec::new();
    for target in fed {
        for (number, (words, bytes)) in target.failures.iter().enumerate() {
            std::fs::create_dir_all(out)?;
            let file = out.join(format!("fuzz-{}-{number}", target.name));
            std::fs::write(&file, bytes)?;
            lines.push(format!("fuzz {}: {words}\n  {}", target.name, file.display()));
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use moretta::internals::data::source::{Input, ReadOptions, Source};
    use moretta::internals::inspect;
    use moretta::internals::progress::Progress;

    use super::*;

    #[test]
    fn columns_of_different_lengths_are_no_table() {
        let bytes = include_bytes!("../../corpus/parquet/uneven.parquet").as_slice();
        let input = Input::Memory("uneven.parquet".into(), bytes.into());
        let looked = Source::open(input, ReadOptions::detect())
            .and_then(|source| inspect::inspect(&source, &Progress::default()));
        let error = looked.unwrap_err();
        assert_eq!(error.code(), "table-unreadable");
        assert!(error.to_string().contains("has 2 rows, and it says that it has 6"), "{error}");
    }

    #[test]
    fn every_reader_takes_its_corpus_and_a_thousand_mutations() {
        for target in TARGETS {
            let mut dice = Dice::new(7);
            for round in 0..1000 {
                let mut bytes = target.corpus[dice.below(target.corpus.len())].to_vec();
                for _ in 0..round % 6 {
                    mutate::mutate(&mut bytes, target.corpus[0], &mut dice);
                }
                (target.feed)(&bytes);
            }
        }
    }
}
