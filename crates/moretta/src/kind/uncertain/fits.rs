//! How well records fit a location: the sum over all of them is what every question of an adversary costs.

use super::Uncertain;
use super::math::Family;
use crate::numeric::tolerance;

/// The densities of all records, laid out for one pass after the other.
#[derive(Debug)]
pub struct Fits {
    dims: usize,
    family: Family,
    /// The centre of each record in units, record after record.
    centers: Vec<f64>,
    /// For each shape, what a difference of locations is multiplied by: its axes, one row each, divided by the scales.
    maps: Vec<Vec<f64>>,
    /// For each shape, the logarithm of its volume.
    volumes: Vec<f64>,
    shape_of: Vec<u32>,
    turned: bool,
}

impl Fits {
    pub(crate) fn new(release: &Uncertain) -> Self {
        let dims = release.density.dimensions.len();
        let mut centers = vec![0.0; release.len() * dims];
        centers.chunks_mut(dims.max(1)).enumerate().for_each(|(record, center)| release.center(record, center));
        let turned = release.shapes.iter().any(|(frame, _)| frame.axes.is_some());
        let map = |frame: &super::math::Frame| -> Vec<f64> {
            let straight = || (0..dims * dims).map(|at| f64::from(u8::from(at / dims == at % dims))).collect();
            match (turned, &frame.axes) {
                (false, _) => frame.scales.iter().map(|scale| 1.0 / scale).collect(),
                (true, axes) => {
                    let axes = axes.clone().unwrap_or_else(straight);
                    axes.iter().enumerate().map(|(at, a)| a / frame.scales[at / dims]).collect()
                }
            }
        };
        Self {
            dims,
            family: release.density.family,
            centers,
            maps: release.shapes.iter().map(|(frame, _)| map(frame)).collect(),
            volumes: release
                .shapes
                .iter()
                .map(|(frame, _)| frame.scales.iter().map(|scale| scale.ln()).sum())
                .collect(),
            shape_of: release.shape_of.clone(),
            turned,
        }
    }

    /// The logarithm of a record's density at a location, both in units, but for what all records share (equation 1; the
    /// fit of definition 2.3).
    pub fn log_fit(&self, record: usize, location: &[f64]) -> f64 {
        let shape = self.shape_of[record] as usize;
        let (map, volume) = (&self.maps[shape], self.volumes[shape]);
        let center = &self.centers[record * self.dims..(record + 1) * self.dims];
        let seen = |axis: usize| -> f64 {
            if self.turned {
                let row = &map[axis * self.dims..(axis + 1) * self.dims];
                row.iter().zip(location).zip(center).map(|((a, x), z)| a * (x - z)).sum()
            } else {
                (location[axis] - center[axis]) * map[axis]
            }
        };
        match self.family {
            Family::Gaussian => -0.5 * (0..self.dims).map(|axis| seen(axis).powi(2)).sum::<f64>() - volume,
            Family::Uniform if (0..self.dims).all(|axis| seen(axis).abs() <= tolerance::HALF_SIDE) => -volume,
            Family::Uniform => f64::NEG_INFINITY,
        }
    }
}
