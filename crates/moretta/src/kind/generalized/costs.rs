//! The cost of generalized values.

use rayon::prelude::*;

use super::Grouping;
use crate::hierarchy::{GeneralizedValue, Scale};
use crate::release::costs::Utility;

/// Adds the cost of a plan's generalized values to what its groups cost. Who of `everyone` is not in the plan was
/// suppressed.
pub(crate) fn measure(plan: &Grouping, scales: &[Scale], everyone: u64, of_groups: Utility) -> Utility {
    let mut people = vec![0; plan.len()];
    plan.pieces.iter().for_each(|piece| people[piece.group as usize] += piece.people);
    let released: u64 = people.iter().sum();
    let suppressed = everyone - released;
    let cells = (everyone * scales.len() as u64).max(1) as f64;
    // The sum of a cost over people and attributes; whoever was left out costs the most there is.
    let sum = |cost: &(dyn Fn(&Scale, &GeneralizedValue) -> f64 + Sync), most: &dyn Fn(&Scale) -> f64| {
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
    let climbed =
        |scale: &Scale, value: &GeneralizedValue| f64::from(scale.climbed(value)) / full_height(scale).max(1.0);
    Utility {
        gcp: Some(sum(&|scale, value| scale.ncp(value), &|_| 1.0) / cells),
        loss: Some(sum(&|scale, value| scale.loss(value), &|_| 1.0) / cells),
        distortion: Some(if full_heights > 0.0 { heights / full_heights } else { 0.0 }),
        height: Some(heights / everyone.max(1) as f64),
        precision: Some(1.0 - sum(&climbed, &|_| 1.0) / cells),
        ..of_groups
    }
}
