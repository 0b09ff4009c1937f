//! The cost of generalized values.

use rayon::prelude::*;

use super::{Grouping, PlannedAttribute};
use crate::hierarchy::{GeneralizedValue, Scale};
use crate::release::costs::{ColumnCost, Utility};

/// Adds the cost of a plan's generalized values to what its groups cost. Who of `everyone` is not in the plan was
/// suppressed.
pub(crate) fn measure(plan: &Grouping, scales: &[Scale], everyone: u64, of_groups: &Utility) -> Utility {
    let mut people = vec![0; plan.len()];
    plan.pieces.iter().for_each(|piece| people[piece.group as usize] += piece.people);
    let released: u64 = people.iter().sum();
    let suppressed = everyone - released;
    let cells = (everyone * scales.len() as u64).max(1) as f64;
    // The sums of a cost over people, for each attribute; whoever was left out costs the most there is. Sums are collected in order,
    // so that the figure does not depend on the number of threads.
    let sums = |cost: &(dyn Fn(&Scale, &GeneralizedValue) -> f64 + Sync), most: &(dyn Fn(&Scale) -> f64 + Sync)| {
        let attributes = plan.attributes.par_iter().zip(scales).zip(&plan.groups);
        let sums = attributes.map(|((planned, scale), column)| {
            let costs: Vec<f64> = planned.values.iter().map(|value| cost(scale, value)).collect();
            let published = column.iter().zip(&people).map(|(&code, &people)| costs[code as usize] * people as f64);
            published.sum::<f64>() + suppressed as f64 * most(scale)
        });
        sums.collect::<Vec<f64>>()
    };
    let full_height = |scale: &Scale| f64::from(scale.height());
    let heights = sums(&|scale, value| f64::from(scale.climbed(value)), &full_height).iter().sum::<f64>();
    let full_heights = everyone as f64 * scales.iter().map(full_height).sum::<f64>();
    let climbed =
        |scale: &Scale, value: &GeneralizedValue| f64::from(scale.climbed(value)) / full_height(scale).max(1.0);
    let gcp = sums(&|scale, value| scale.ncp(value), &|_| 1.0);
    let loss = sums(&|scale, value| scale.loss(value), &|_| 1.0);
    let of_one = |sum: f64| Some(sum / everyone.max(1) as f64);
    let column = |((planned, &loss), &gcp): ((&PlannedAttribute, &f64), &f64)| ColumnCost {
        name: planned.name.clone(),
        loss: of_one(loss),
        gcp: of_one(gcp),
        association: Vec::new(),
    };
    Utility {
        columns: plan.attributes.iter().zip(&loss).zip(&gcp).map(column).collect(),
        gcp: Some(gcp.iter().sum::<f64>() / cells),
        weighted_gcp: weighted(&gcp, scales).map(|sum| sum / everyone.max(1) as f64),
        loss: Some(loss.iter().sum::<f64>() / cells),
        distortion: Some(if full_heights > 0.0 { heights / full_heights } else { 0.0 }),
        height: Some(heights / everyone.max(1) as f64),
        precision: Some(1.0 - sums(&climbed, &|_| 1.0).iter().sum::<f64>() / cells),
        ..of_groups.clone()
    }
}

/// The mean of the attributes' sums by their importance; nothing where all are as important.
fn weighted(sums: &[f64], scales: &[Scale]) -> Option<f64> {
    let all: f64 = scales.iter().map(Scale::importance).sum();
    let differ = scales.windows(2).any(|pair| pair[0].importance().total_cmp(&pair[1].importance()).is_ne());
    differ.then(|| sums.iter().zip(scales).map(|(sum, scale)| scale.importance() * sum).sum::<f64>() / all)
}
