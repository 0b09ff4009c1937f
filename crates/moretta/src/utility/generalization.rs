//! The cost of generalized values.

use rayon::prelude::*;

use super::Utility;
use crate::hierarchy::{Generalized, Scale};
use crate::method::Plan;
use crate::model::{Groups, Whole};

/// Measures a plan's generalized values, and the groups that were read back from its release. Who of the
/// `original` is not in the plan was suppressed.
pub fn measure(plan: &Plan, scales: &[Scale], groups: &Groups, original: &Whole, k: Option<u64>) -> Utility {
    let mut people = vec![0; plan.len()];
    plan.pieces.iter().for_each(|piece| people[piece.group as usize] += piece.people);
    let released: u64 = people.iter().sum();
    let everyone = original.people;
    let suppressed = everyone - released;
    let cells = (everyone * scales.len() as u64).max(1) as f64;
    // The sum of a cost over people and attributes; whoever was left out costs the most there is.
    let sum = |cost: &(dyn Fn(&Scale, &Generalized) -> f64 + Sync), most: &dyn Fn(&Scale) -> f64| {
        let attributes = plan.attributes.par_iter().zip(scales).zip(&plan.groups);
        let sums = attributes.map(|((planned, scale), column)| {
            let costs: Vec<f64> = planned.values.iter().map(|value| cost(scale, value)).collect();
            column.iter().zip(&people).map(|(&code, &people)| costs[code as usize] * people as f64).sum::<f64>()
        });
        let lost = suppressed as f64 * scales.iter().map(most).sum::<f64>();
        // Sums are collected in order, so that the figure does not depend on the number of threads.
        sums.collect::<Vec<f64>>().iter().sum::<f64>() + lost
    };
    let full_height = |scale: &Scale| f64::from(scale.height());
    let heights = sum(&|scale, value| f64::from(scale.climbed(value)), &full_height);
    let full_heights = everyone as f64 * scales.iter().map(full_height).sum::<f64>();
    let climbed = |scale: &Scale, value: &Generalized| f64::from(scale.climbed(value)) / full_height(scale).max(1.0);
    let entropy_loss = entropy_loss(groups, original, suppressed);
    Utility {
        dm: groups.people.iter().map(|size| size * size).sum::<u64>() + suppressed * everyone,
        cavg: k.map(|k| everyone as f64 / groups.len().max(1) as f64 / k as f64),
        gcp: sum(&|scale, value| scale.ncp(value), &|_| 1.0) / cells,
        loss: sum(&|scale, value| scale.loss(value), &|_| 1.0) / cells,
        distortion: if full_heights > 0.0 { heights / full_heights } else { 0.0 },
        height: heights / everyone.max(1) as f64,
        precision: 1.0 - sum(&climbed, &|_| 1.0) / cells,
        classification: classification(groups, everyone, suppressed),
        entropy_loss,
        entropy_utility: entropy_loss.map(|loss| entropy_of_table(original) - loss),
    }
}

/// The share of people who lack their group's most frequent value, or were left out.
fn classification(groups: &Groups, everyone: u64, suppressed: u64) -> Option<f64> {
    let attributes = groups.whole.sensitive.len();
    if attributes == 0 {
        return None;
    }
    let mut scratch = groups.scratch();
    let mut wrong = suppressed * attributes as u64;
    for group in 0..groups.len() {
        groups.fill(group, &mut scratch);
        let most = |histogram: &Vec<u64>| histogram.iter().copied().max().unwrap_or(0);
        wrong += scratch.iter().map(|histogram| groups.people[group] - most(histogram)).sum::<u64>();
        groups.clear(group, &mut scratch);
    }
    Some(wrong as f64 / (attributes as u64 * everyone.max(1)) as f64)
}

/// H(T), summed over the sensitive attributes.
fn entropy_of_table(original: &Whole) -> f64 {
    let all: f64 = original.sensitive.iter().map(|attribute| entropy_of_all(&attribute.people)).sum();
    all / original.people.max(1) as f64
}

/// Σ |G| · H(G) over groups, where those left out are as uncertain as the whole table, by everybody.
fn entropy_loss(groups: &Groups, original: &Whole, suppressed: u64) -> Option<f64> {
    if groups.whole.sensitive.is_empty() {
        return None;
    }
    let mut scratch = groups.scratch();
    let mut sum = 0.0;
    for group in 0..groups.len() {
        groups.fill(group, &mut scratch);
        sum += scratch.iter().map(|histogram| entropy_of_all(histogram)).sum::<f64>();
        groups.clear(group, &mut scratch);
    }
    let everyone = original.people.max(1) as f64;
    Some((sum + suppressed as f64 * entropy_of_table(original)) / everyone)
}

/// n · H = n ln n − Σ c ln c for the n people of a histogram.
fn entropy_of_all(histogram: &[u64]) -> f64 {
    let n_ln_n = |count: u64| if count > 1 { count as f64 * (count as f64).ln() } else { 0.0 };
    n_ln_n(histogram.iter().sum()) - histogram.iter().map(|&count| n_ln_n(count)).sum::<f64>()
}
