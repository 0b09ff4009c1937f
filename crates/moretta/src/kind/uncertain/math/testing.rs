//! Random counted points, and expected anonymity straight from its definition.

use std::ops::Range;

use proptest::prelude::*;

use super::normal::upper_tail;
use super::{Coordinates, Family, Frame};
use crate::data::merge_counts;

/// Coordinates on a coarse grid (so that coordinates tie) or anywhere, some of them crowded.
pub(crate) fn points(dims: Range<usize>, most: usize) -> impl Strategy<Value = Coordinates> {
    (dims, 2..most, any::<bool>()).prop_flat_map(|(dims, count, tied)| {
        let coordinate = if tied { (0..6).prop_map(|x| f64::from(x) * 0.5).boxed() } else { (0.0..3.0_f64).boxed() };
        let people = prop_oneof![4 => Just(1_u64), 1 => 1..8_u64];
        proptest::collection::vec((proptest::collection::vec(coordinate, dims), people), count).prop_map(move |rows| {
            let mut rows = rows;
            rows.sort_by(|a, b| a.0.partial_cmp(&b.0).expect("finite"));
            merge_counts(&mut rows, |a, b| a.0 == b.0, |row| &mut row.1);
            let columns = (0..dims).map(|d| rows.iter().map(|row| row.0[d]).collect()).collect();
            Coordinates { columns, people: rows.iter().map(|row| row.1).collect() }
        })
    })
}

/// The direct sum over all records: the record and its duplicates count 1 each.
pub(crate) fn direct(points: &Coordinates, of: usize, family: Family, scale: f64, frame: Option<&Frame>) -> f64 {
    let own = points.at(of);
    let mut anonymity = 0.0;
    for other in 0..points.len() {
        let w: Vec<f64> = points.at(other).iter().zip(&own).map(|(a, b)| a - b).collect();
        let mut seen = w.clone();
        if let Some(frame) = frame {
            frame.apply(&w, &mut seen);
        }
        let chance = match family {
            _ if other == of => 1.0,
            Family::Gaussian => upper_tail(seen.iter().map(|w| w * w).sum::<f64>().sqrt() / (2.0 * scale)),
            Family::Uniform => {
                seen.iter().map(|w| (scale - w.abs()).max(0.0)).product::<f64>() / scale.powf(w.len() as f64)
            }
        };
        anonymity += chance * points.people[other] as f64;
    }
    anonymity
}
