//! Local shapes: the spread of a record's neighbours along the attributes, or along their own principal axes
//! (section II-C).

use rayon::prelude::*;

use super::frame::eigen;
use super::{Coordinates, Frame, KdTree};
use crate::progress::CancelToken;

/// How densities are shaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// One shape for all: unit variance along every attribute.
    Global,
    /// Stretched along the attributes as the neighbours are.
    Local,
    /// Stretched along the neighbours' principal axes.
    Rotated,
}

/// A standard deviation below this part of the global one counts as none.
const NO_SPREAD: f64 = 0.001;

/// Second moments of the nearest neighbours of every point, row by row, in the order of the points.
///
/// `people` of them, the record and its duplicates included. Only the diagonal where `scaling` needs no more.
pub(crate) fn local_moments(points: &Coordinates, people: u64, scaling: Scaling, token: &CancelToken) -> Vec<Vec<f64>> {
    let tree = KdTree::new(points);
    let by_place: Vec<Vec<f64>> = (0..tree.len())
        .into_par_iter()
        .map_init(Vec::new, |found, index| {
            if token.is_cancelled() {
                return vec![1.0; points.dims() * points.dims()];
            }
            tree.nearest(&tree.points.at(index), people, found);
            covariance(&tree.points, found, scaling == Scaling::Rotated)
        })
        .collect();
    let mut of_point = vec![Vec::new(); points.len()];
    for (&point, moments) in tree.order.iter().zip(by_place) {
        of_point[point as usize] = moments;
    }
    of_point
}

fn covariance(points: &Coordinates, near: &[(f64, u32)], full: bool) -> Vec<f64> {
    let dims = points.dims();
    let total: f64 = near.iter().map(|&(_, at)| points.people[at as usize] as f64).sum();
    let mean = |column: &Vec<f64>| -> f64 {
        near.iter().map(|&(_, at)| column[at as usize] * points.people[at as usize] as f64).sum::<f64>() / total
    };
    let means: Vec<f64> = points.columns.iter().map(mean).collect();
    let mut matrix = vec![0.0; dims * dims];
    for &(_, at) in near {
        let people = points.people[at as usize] as f64 / total;
        for i in 0..dims {
            let away = points.columns[i][at as usize] - means[i];
            for j in if full { 0..dims } else { i..i + 1 } {
                matrix[i * dims + j] += people * away * (points.columns[j][at as usize] - means[j]);
            }
        }
    }
    matrix
}

/// The shape that second moments ask for. Without any spread along an axis the global one (1) serves.
pub(crate) fn shape(moments: &[f64], dims: usize, scaling: Scaling) -> Frame {
    let scale = |variance: f64| if variance.sqrt() < NO_SPREAD { 1.0 } else { variance.sqrt() };
    let scale = |variance: f64| if variance > 0.0 { scale(variance) } else { 1.0 };
    match scaling {
        Scaling::Global => Frame::stretched(vec![1.0; dims]),
        Scaling::Local => Frame::stretched((0..dims).map(|d| scale(moments[d * dims + d])).collect()),
        Scaling::Rotated => {
            let (values, axes) = eigen(moments, dims);
            Frame { axes: Some(axes), scales: values.into_iter().map(scale).collect() }
        }
    }
}

/// The mean of the moments of some points, each counted by its people.
pub(crate) fn mean_moments(moments: &[Vec<f64>], points: &Coordinates, of: &[u32]) -> Vec<f64> {
    let dims = points.dims();
    let total: f64 = of.iter().map(|&p| points.people[p as usize] as f64).sum();
    let mut mean = vec![0.0; dims * dims];
    for &p in of {
        let share = points.people[p as usize] as f64 / total;
        mean.iter_mut().zip(&moments[p as usize]).for_each(|(m, x)| *m += share * x);
    }
    mean
}
