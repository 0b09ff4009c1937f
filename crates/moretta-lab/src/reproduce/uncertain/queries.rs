//! Figures 1 to 6: the error of range queries.

use moretta::Result;
use moretta::internals::chance::Seed;
use moretta::internals::density::{Assigned, Family, Marginal, ScaleRule, Scaling};
use moretta::internals::numeric::tolerance;
use moretta::internals::progress::Progress;
use rayon::prelude::*;

use super::sample::{Sample, below};
use crate::reproduce::{ExperimentContext, ResultTable};

/// Query sizes, as the paper sorts them.
const SIZES: [(usize, usize); 4] = [(51, 100), (101, 200), (201, 300), (301, 400)];

/// How often two ends of a range are drawn, until they differ.
const ENDS: usize = 1000;

/// Where a size is too large for the table, no query is found, and this many boxes were tried.
const TRIES: usize = 60_000;

struct Query {
    sides: Vec<(f64, f64)>,
    truth: usize,
}

/// A release that can be asked.
enum Published {
    Densities { family: Family, assigned: Assigned, locations: Vec<Vec<f64>> },
    Drawn(Vec<Vec<f64>>),
}

/// Figures 1, 3 and 5: errors by the size of queries.
pub(super) fn by_size(context: &ExperimentContext, progress: &Progress) -> Result<Vec<ResultTable>> {
    let sample = Sample::named(context, progress)?;
    let queries = queries(&sample, context.settings.whole("queries")?, context.seed);
    let k = context.settings.whole("k")? as u64;
    let mut table = ResultTable::new(
        format!("Error in % by query size, k = {k} ({})", sample.name),
        ["release", "51-100", "101-200", "201-300", "301-400"],
    );
    for (name, release) in releases(&sample, k, context.seed)? {
        let errors = SIZES.iter().map(|size| error(&sample, &release, &queries, *size));
        table.row([name.to_owned()].into_iter().chain(errors));
    }
    table.note("\"exact\" is the paper's: a scale for each record, which is a fingerprint; \"grid\" is ours; \"naive\" counts published centres, which blurs once and not twice");
    table.note("ends of ranges are values of random records, so that skewed attributes are asked about where people are; no range is a point");
    Ok(vec![table])
}

/// Figures 2, 4 and 6: errors by the anonymity level.
pub(super) fn by_level(context: &ExperimentContext, progress: &Progress) -> Result<Vec<ResultTable>> {
    let sample = Sample::named(context, progress)?;
    let queries = queries(&sample, context.settings.whole("queries")?, context.seed);
    let levels = context.settings.wholes("k")?;
    let columns = ["release".to_owned()].into_iter().chain(levels.iter().map(|k| format!("k = {k}")));
    let mut table = ResultTable::new(format!("Error in % by k, queries of 101 to 200 ({})", sample.name), columns);
    let mut rows: Vec<Vec<String>> = Vec::new();
    for k in levels {
        for (index, (name, release)) in standard(&sample, k, context.seed)?.into_iter().enumerate() {
            if rows.len() <= index {
                rows.push(vec![name.to_owned()]);
            }
            rows[index].push(error(&sample, &release, &queries, SIZES[1]));
        }
    }
    rows.into_iter().for_each(|row| table.row(row));
    Ok(vec![table])
}

fn standard(sample: &Sample, k: u64, seed: Seed) -> Result<Vec<(&'static str, Published)>> {
    let everybody: Vec<u32> = (0..sample.point_of.len() as u32).collect();
    Ok(vec![
        ("uniform, exact", densities(sample, (Family::Uniform, Scaling::Global, ScaleRule::Exact), k, seed)?),
        ("gaussian, exact", densities(sample, (Family::Gaussian, Scaling::Global, ScaleRule::Exact), k, seed)?),
        ("condensation", Published::Drawn(sample.condensed(&everybody, k, seed)?)),
    ])
}

fn releases(sample: &Sample, k: u64, seed: Seed) -> Result<Vec<(&'static str, Published)>> {
    let mut all = standard(sample, k, seed)?;
    for (name, family) in [("uniform, exact, naive", Family::Uniform), ("gaussian, exact, naive", Family::Gaussian)] {
        let assigned = sample.assign(family, Scaling::Global, ScaleRule::Exact, k as f64)?;
        all.push((name, Published::Drawn(sample.locations(&assigned, family, seed))));
    }
    for (name, kind) in [
        ("uniform, exact, local", (Family::Uniform, Scaling::Local, ScaleRule::Exact)),
        ("gaussian, exact, local", (Family::Gaussian, Scaling::Local, ScaleRule::Exact)),
        ("uniform, grid", (Family::Uniform, Scaling::Global, ScaleRule::Grid)),
        ("gaussian, grid", (Family::Gaussian, Scaling::Global, ScaleRule::Grid)),
        ("uniform, grid, local", (Family::Uniform, Scaling::Local, ScaleRule::Grid)),
    ] {
        all.push((name, densities(sample, kind, k, seed)?));
    }
    Ok(all)
}

fn densities(sample: &Sample, kind: (Family, Scaling, ScaleRule), k: u64, seed: Seed) -> Result<Published> {
    let (family, scaling, scale) = kind;
    let assigned = sample.assign(family, scaling, scale, k as f64)?;
    let locations = sample.locations(&assigned, family, seed);
    Ok(Published::Densities { family, assigned, locations })
}

/// Random boxes, until there are enough of every size.
fn queries(sample: &Sample, wanted: usize, seed: Seed) -> Vec<Query> {
    let mut rng = seed.stream("queries", 0);
    let records = sample.point_of.len();
    let truths: Vec<Vec<f64>> = (0..records).map(|record| sample.truth(record)).collect();
    let mut found: Vec<Query> = Vec::new();
    let mut counts = [0; SIZES.len()];
    for _ in 0..TRIES {
        let side = |d: usize, rng: &mut _| {
            // No density answers what is asked about a point, so ends differ if they can.
            let ends = |rng: &mut _| (truths[below(rng, records)][d], truths[below(rng, records)][d]);
            let (a, b) = (0..ENDS).map(|_| ends(rng)).find(|(a, b)| a.total_cmp(b).is_ne()).unwrap_or_default();
            (a.min(b), a.max(b))
        };
        let sides: Vec<(f64, f64)> = (0..sample.dims()).map(|d| side(d, &mut rng)).collect();
        let truth = truths.iter().filter(|at| holds(&sides, at)).count();
        if let Some(size) = SIZES.iter().position(|size| size.0 <= truth && truth <= size.1)
            && counts[size] < wanted
        {
            counts[size] += 1;
            found.push(Query { sides, truth });
        }
        if counts.iter().all(|count| *count == wanted) {
            break;
        }
    }
    found
}

fn holds(sides: &[(f64, f64)], at: &[f64]) -> bool {
    sides.iter().zip(at).all(|((low, high), x)| low <= x && x <= high)
}

/// The mean relative error (equation 22), in percent, of queries of a size.
fn error(sample: &Sample, release: &Published, queries: &[Query], size: (usize, usize)) -> String {
    let wanted: Vec<&Query> = queries.iter().filter(|query| size.0 <= query.truth && query.truth <= size.1).collect();
    let of = |query: &&Query| (estimate(sample, release, query) - query.truth as f64).abs() / query.truth as f64;
    let errors: Vec<f64> = wanted.par_iter().map(of).collect();
    if errors.is_empty() {
        return "–".to_owned();
    }
    format!("{:.1}", 100.0 * errors.iter().sum::<f64>() / errors.len() as f64)
}

/// Equation 21, or the number of drawn records inside.
fn estimate(sample: &Sample, release: &Published, query: &Query) -> f64 {
    match release {
        Published::Drawn(records) => {
            let wider = |(d, &(low, high)): (usize, &(f64, f64))| (low - sample.half(d), high + sample.half(d));
            let sides: Vec<(f64, f64)> = query.sides.iter().enumerate().map(wider).collect();
            records.iter().filter(|at| holds(&sides, at)).count() as f64
        }
        Published::Densities { family, assigned, locations } => {
            let ranges: Vec<(f64, f64)> = (0..sample.dims()).map(|d| sample.range(d)).collect();
            let of_record = |(record, location): (usize, &Vec<f64>)| {
                let frame = sample.frame(assigned, record);
                let mut share = 1.0;
                for d in 0..ranges.len() {
                    let line = Marginal { family: *family, center: location[d], scale: frame.scales[d] };
                    let half = sample.half(d);
                    let (low, high) = query.sides[d];
                    share *= line.share(&[(low - half, high + half)], (ranges[d].0 - half, ranges[d].1 + half));
                    if share < tolerance::NEGLIGIBLE_PART {
                        return 0.0;
                    }
                }
                share
            };
            locations.iter().enumerate().map(of_record).sum()
        }
    }
}
