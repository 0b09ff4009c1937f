//! Figures 7 and 8: classification.

use moretta::Result;
use moretta::internals::chance::Seed;
use moretta::internals::density::{Family, Labelled, ScaleRule, Scaling, best_fits, nearest};
use moretta::internals::progress::Progress;
use rayon::prelude::*;

use super::sample::Sample;
use crate::reproduce::{ExperimentContext, ResultTable};

/// Best fits, or nearest neighbours, that vote.
const VOTES: usize = 10;

/// Every tenth record is asked about, by the others.
const PART: usize = 10;

pub(super) fn run(context: &ExperimentContext, progress: &Progress) -> Result<Vec<ResultTable>> {
    let sample = &Sample::named(context, progress)?;
    let levels = context.settings.wholes("k")?;
    let title = format!("Classification accuracy in % by k ({})", sample.name);
    let columns = ["classifier".to_owned()].into_iter().chain(levels.iter().map(|k| format!("k = {k}")));
    let mut table = ResultTable::new(title, columns);
    for (name, family, scale) in [
        ("uniform, exact", Family::Uniform, ScaleRule::Exact),
        ("gaussian, exact", Family::Gaussian, ScaleRule::Exact),
        ("uniform, grid", Family::Uniform, ScaleRule::Grid),
    ] {
        let mut row = vec![name.to_owned()];
        for &k in &levels {
            row.push(format!("{:.1}", by_densities(sample, family, scale, k, context.seed)?));
        }
        table.row(row);
    }
    let condensed = levels.iter().map(|&k| Ok(format!("{:.1}", by_condensed(sample, k, context.seed)?)));
    let condensed = condensed.collect::<Result<Vec<String>>>()?;
    table.row(["condensation".to_owned()].into_iter().chain(condensed));
    let original = format!("{:.1}", by_original(sample));
    table.row(["original".to_owned()].into_iter().chain(levels.iter().map(|_| original.clone())));
    table.note(format!(
        "{VOTES} best fits (or nearest records) vote; a tenth of the records is asked about by the others"
    ));
    table.note("condensation is done for each class apart, as its paper does");
    Ok(vec![table])
}

fn asked(sample: &Sample) -> Vec<usize> {
    (0..sample.labels.len()).step_by(PART).collect()
}

fn training(sample: &Sample) -> impl Iterator<Item = usize> {
    (0..sample.labels.len()).filter(|record| record % PART != 0)
}

fn accuracy(sample: &Sample, guess: impl Fn(&[f64]) -> u32 + Sync) -> f64 {
    let asked = asked(sample);
    let right = asked.par_iter().filter(|&&record| guess(&sample.truth(record)) == sample.labels[record]).count();
    100.0 * right as f64 / asked.len() as f64
}

/// The densities are those of all records; those asked about do not vote.
fn by_densities(sample: &Sample, family: Family, scale: ScaleRule, k: u64, seed: Seed) -> Result<f64> {
    let assigned = sample.assign(family, Scaling::Global, scale, k as f64)?;
    let locations = sample.locations(&assigned, family, seed);
    let records: Vec<Labelled<'_>> = training(sample)
        .map(|record| Labelled {
            location: &locations[record],
            frame: Some(sample.frame(&assigned, record)),
            label: sample.labels[record],
        })
        .collect();
    Ok(accuracy(sample, |location| best_fits(&records, family, VOTES, location)))
}

fn by_condensed(sample: &Sample, k: u64, seed: Seed) -> Result<f64> {
    let classes = sample.labels.iter().copied().max().map_or(0, |last| last + 1);
    let mut drawn: Vec<(Vec<f64>, u32)> = Vec::new();
    for label in 0..classes {
        let records: Vec<u32> =
            training(sample).filter(|&record| sample.labels[record] == label).map(|record| record as u32).collect();
        drawn.extend(sample.condensed(&records, k, seed)?.into_iter().map(|location| (location, label)));
    }
    let nearest = |location: &[f64]| nearest(drawn.iter().map(|(at, label)| (at.as_slice(), *label)), VOTES, location);
    Ok(accuracy(sample, nearest))
}

fn by_original(sample: &Sample) -> f64 {
    let known: Vec<(Vec<f64>, u32)> =
        training(sample).map(|record| (sample.truth(record), sample.labels[record])).collect();
    accuracy(sample, |location| nearest(known.iter().map(|(at, label)| (at.as_slice(), *label)), VOTES, location))
}
