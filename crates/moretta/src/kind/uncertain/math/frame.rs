//! Shapes: how a density is stretched and turned (section II-C, local optimization and its rotated extension).

use crate::numeric::tolerance;

/// A linear map in which a record's density is a sphere or a cube: turn onto the axes, then divide by the scales.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The axes, one row each, orthonormal; those of space where there are none.
    pub axes: Option<Vec<f64>>,
    /// The scale along each axis, above 0.
    pub scales: Vec<f64>,
}

impl Frame {
    /// Stretches along the axes of space.
    pub fn stretched(scales: Vec<f64>) -> Self {
        Self { axes: None, scales }
    }

    /// The number of coordinates.
    pub fn dims(&self) -> usize {
        self.scales.len()
    }

    /// The same shape, larger.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        Self { axes: self.axes.clone(), scales: self.scales.iter().map(|scale| scale * factor).collect() }
    }

    /// A vector as seen in this frame.
    pub fn apply(&self, vector: &[f64], into: &mut [f64]) {
        match &self.axes {
            None => into.iter_mut().zip(vector).zip(&self.scales).for_each(|((y, x), s)| *y = x / s),
            Some(axes) => {
                for ((y, axis), s) in into.iter_mut().zip(axes.chunks(self.dims())).zip(&self.scales) {
                    *y = axis.iter().zip(vector).map(|(a, x)| a * x).sum::<f64>() / s;
                }
            }
        }
    }

    /// What [`Frame::apply`] undoes.
    pub fn undo(&self, seen: &[f64], into: &mut [f64]) {
        match &self.axes {
            None => into.iter_mut().zip(seen).zip(&self.scales).for_each(|((x, y), s)| *x = y * s),
            Some(axes) => {
                into.fill(0.0);
                for ((y, axis), s) in seen.iter().zip(axes.chunks(self.dims())).zip(&self.scales) {
                    into.iter_mut().zip(axis).for_each(|(x, a)| *x += a * y * s);
                }
            }
        }
    }

    /// The least and the largest magnitude of each coordinate, in this frame, of vectors in a box.
    pub(crate) fn magnitudes(&self, low: &[f64], high: &[f64], least: &mut [f64], largest: &mut [f64]) {
        for axis in 0..self.dims() {
            let (mut middle, mut reach) = (0.0, 0.0);
            match &self.axes {
                None => {
                    middle = f64::midpoint(low[axis], high[axis]);
                    reach = (high[axis] - low[axis]) / 2.0;
                }
                Some(axes) => {
                    for (d, &a) in axes[axis * self.dims()..][..self.dims()].iter().enumerate() {
                        middle += a * f64::midpoint(low[d], high[d]);
                        reach += a.abs() * (high[d] - low[d]) / 2.0;
                    }
                }
            }
            // A hair wider than computed: what is left out must be bounded whatever was rounded.
            let hair = tolerance::TURNED_BOX * (middle.abs() + reach);
            least[axis] = (middle.abs() - reach - hair).max(0.0) / self.scales[axis];
            largest[axis] = (middle.abs() + reach + hair) / self.scales[axis];
        }
    }
}

/// The eigenvalues of a symmetric matrix (row by row), the largest first, and its eigenvectors, one row each.
///
/// Jacobi's rotations: slow for large matrices, exact and simple for the few attributes of a table.
pub fn eigen(matrix: &[f64], dims: usize) -> (Vec<f64>, Vec<f64>) {
    let mut a = matrix.to_vec();
    let mut vectors: Vec<f64> = (0..dims * dims).map(|i| f64::from(u8::from(i / dims == i % dims))).collect();
    let off_diagonal =
        |a: &[f64]| -> f64 { (0..dims * dims).filter(|i| i / dims != i % dims).map(|i| a[i] * a[i]).sum::<f64>() };
    let size: f64 = a.iter().map(|x| x * x).sum();
    for _sweep in 0..60 {
        if off_diagonal(&a) <= tolerance::DIAGONAL * size {
            break;
        }
        for p in 0..dims {
            for q in p + 1..dims {
                rotate(&mut a, &mut vectors, dims, p, q);
            }
        }
    }
    let mut order: Vec<usize> = (0..dims).collect();
    order.sort_by(|&i, &j| a[j * dims + j].total_cmp(&a[i * dims + i]).then(i.cmp(&j)));
    let values = order.iter().map(|&i| a[i * dims + i]).collect();
    let rows = order.iter().flat_map(|&i| upright(&vectors[i * dims..][..dims])).collect();
    (values, rows)
}

fn rotate(matrix: &mut [f64], vectors: &mut [f64], dims: usize, first: usize, second: usize) {
    let off = matrix[first * dims + second];
    if off == 0.0 {
        return;
    }
    let slant = (matrix[second * dims + second] - matrix[first * dims + first]) / (2.0 * off);
    let tangent = if slant == 0.0 { 1.0 } else { slant.signum() / (slant.abs() + slant.hypot(1.0)) };
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = tangent * cosine;
    let turn = |entries: &mut [f64], one: usize, other: usize| {
        let (before, beside) = (entries[one], entries[other]);
        entries[one] = cosine * before - sine * beside;
        entries[other] = sine * before + cosine * beside;
    };
    for index in 0..dims {
        turn(matrix, index * dims + first, index * dims + second);
    }
    for index in 0..dims {
        turn(matrix, first * dims + index, second * dims + index);
        turn(vectors, first * dims + index, second * dims + index);
    }
}

/// An axis and its opposite are the same: the one whose largest entry is positive stands for both.
fn upright(axis: &[f64]) -> Vec<f64> {
    let largest =
        axis.iter().fold(0.0_f64, |best, &x| if x.abs() > best.abs() + tolerance::SHARE_TIE { x } else { best });
    axis.iter().map(|x| x * largest.signum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn eigenvectors_are_orthonormal_and_give_the_matrix_back(entries in proptest::collection::vec(-3.0..3.0_f64, 16)) {
            let symmetric: Vec<f64> = (0..16).map(|i| entries[i] + entries[i % 4 * 4 + i / 4]).collect();
            let (values, axes) = eigen(&symmetric, 4);
            prop_assert!(values.is_sorted_by(|a, b| a >= b));
            for i in 0..4 {
                for j in 0..4 {
                    let dot: f64 = (0..4).map(|k| axes[i * 4 + k] * axes[j * 4 + k]).sum();
                    prop_assert!((dot - f64::from(u8::from(i == j))).abs() < 1e-9);
                    let entry: f64 = (0..4).map(|k| values[k] * axes[k * 4 + i] * axes[k * 4 + j]).sum();
                    prop_assert!((entry - symmetric[i * 4 + j]).abs() < 1e-9);
                }
            }
            let frame = Frame { axes: Some(axes), scales: vec![0.5, 1.0, 2.0, 3.0] };
            let (mut there, mut back) = (vec![0.0; 4], vec![0.0; 4]);
            frame.apply(&entries[..4], &mut there);
            frame.undo(&there, &mut back);
            prop_assert!(back.iter().zip(&entries).all(|(a, b)| (a - b).abs() < 1e-9));
        }

        #[test]
        fn magnitudes_bound_every_vector_of_the_box(
            entries in proptest::collection::vec(-3.0..3.0_f64, 9),
            corners in proptest::collection::vec((-2.0..2.0_f64, 0.0..2.0_f64, 0.0..1.0_f64), 3),
            turned in any::<bool>(),
        ) {
            let symmetric: Vec<f64> = (0..9).map(|i| entries[i] + entries[i % 3 * 3 + i / 3]).collect();
            let frame = Frame { axes: turned.then(|| eigen(&symmetric, 3).1), scales: vec![0.5, 1.0, 2.0] };
            let low: Vec<f64> = corners.iter().map(|c| c.0).collect();
            let high: Vec<f64> = corners.iter().map(|c| c.0 + c.1).collect();
            let inside: Vec<f64> = corners.iter().map(|c| c.0 + c.1 * c.2).collect();
            let (mut least, mut largest, mut seen) = (vec![0.0; 3], vec![0.0; 3], vec![0.0; 3]);
            frame.magnitudes(&low, &high, &mut least, &mut largest);
            frame.apply(&inside, &mut seen);
            for d in 0..3 {
                prop_assert!(least[d] <= seen[d].abs() + 1e-12 && seen[d].abs() <= largest[d] + 1e-12);
            }
        }
    }
}
