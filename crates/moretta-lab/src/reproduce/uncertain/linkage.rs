//! What the published scale gives away: linkage by recomputed scale, by likelihood, and by both.

use std::collections::BTreeMap;

use moretta::Result;
use moretta::internals::density::{Assigned, Family, KdTree, ScaleRule, Scaling, TraversalScratch};
use moretta::internals::progress::Progress;
use rayon::prelude::*;

use super::sample::Sample;
use crate::reproduce::{ExperimentContext, ResultTable};

const K: f64 = 10.0;

/// A grid that looks coarse and is not.
const FINE: f64 = 1.02;

pub(super) fn run(context: &ExperimentContext, progress: &Progress) -> Result<Vec<ResultTable>> {
    let mut tables = Vec::new();
    let sample = &Sample::named(context, progress)?;
    for (name, family) in [("gaussian", Family::Gaussian), ("uniform", Family::Uniform)] {
        let title = format!("Linkage of {name} densities, k = {K} ({}): % of records", sample.name);
        let columns = ["scales", "by scale alone", "by likelihood alone", "by both", "classes", "mean scale"];
        let mut table = ResultTable::new(title, columns);
        for (name, rule) in
            [("exact", ScaleRule::Exact), ("grid of ratio 1.02", ScaleRule::Rounded(FINE)), ("ours", ScaleRule::Grid)]
        {
            let assigned = sample.assign(family, Scaling::Global, rule, K)?;
            let locations = sample.locations(&assigned, family, context.seed);
            table.row([name.to_owned()].into_iter().chain(attack(sample, &assigned, family, &locations)));
        }
        table.note("by scale alone: one candidate has the published scale; by likelihood: nobody (in the class) fits as well as the owner");
        table.note("the mean scale is in standard deviations");
        tables.push(table);
    }
    Ok(tables)
}

fn attack(sample: &Sample, assigned: &Assigned, family: Family, locations: &[Vec<f64>]) -> Vec<String> {
    // Candidates with the same published scale.
    let mut sharers: BTreeMap<Vec<u64>, Vec<u32>> = BTreeMap::new();
    let key = |point: usize| -> Vec<u64> {
        assigned.classes[assigned.class_of_point[point] as usize].scales.iter().map(|s| s.to_bits()).collect()
    };
    (0..sample.located.points.len()).for_each(|point| sharers.entry(key(point)).or_default().push(point as u32));
    let mut records_of: BTreeMap<Vec<u64>, Vec<u32>> = BTreeMap::new();
    for (record, &point) in sample.point_of.iter().enumerate() {
        records_of.entry(key(point as usize)).or_default().push(record as u32);
    }
    let all = KdTree::new(&sample.located.points);
    let rank = |tree: &KdTree, record: u32, scratch: &mut TraversalScratch| {
        let record = record as usize;
        tree.rank(&locations[record], &sample.truth(record), family, Some(sample.frame(assigned, record)), scratch)
    };
    let (mut alone, mut likely, mut both) = (0, 0, 0);
    for (scale, records) in &records_of {
        let candidates = sample.located.points.select(&sharers[scale]);
        let only = candidates.total() == 1;
        let tree = KdTree::new(&candidates);
        let linked: Vec<(bool, bool)> = records
            .par_iter()
            .map_init(TraversalScratch::default, |scratch, &record| {
                (rank(&all, record, scratch) == 1, rank(&tree, record, scratch) == 1)
            })
            .collect();
        alone += if only { records.len() } else { 0 };
        likely += linked.iter().filter(|linked| linked.0).count();
        both += linked.iter().filter(|linked| linked.1).count();
    }
    let total = sample.point_of.len();
    let percent = |count: usize| format!("{:.1}", 100.0 * count as f64 / total as f64);
    let scale = |record: usize| sample.frame(assigned, record).scales.iter().sum::<f64>() / sample.dims() as f64;
    let mean = (0..total).map(scale).sum::<f64>() / total as f64;
    vec![percent(alone), percent(likely), percent(both), sharers.len().to_string(), format!("{mean:.3}")]
}
