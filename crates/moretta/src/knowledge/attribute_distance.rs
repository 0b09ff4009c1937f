//! How far apart two values of a quasi-identifier are: what decides whose neighbours tell about whom.

use crate::data::domain::Domain;
use crate::error::{Error, Result};
use crate::hierarchy::Scale;

/// Distances from 0 to 1 between the values of an attribute. Li (2010), section 3.5.3.
#[derive(Clone, Debug, PartialEq)]
pub struct AttributeDistance {
    values: usize,
    /// Row by row.
    matrix: Vec<f64>,
}

impl AttributeDistance {
    /// The distances that an attribute has by itself: of numbers and dates by their range, of values in a
    /// hierarchy by the height of their common ancestor, of others 1. A missing value is as far from others as can be.
    pub fn of_scale(scale: &Scale) -> Self {
        let domain = scale.domain();
        if domain.kind().is_ordered() {
            return Self::of_line(domain);
        }
        let ranks = scale.rank_of_codes();
        Self::build(domain.len(), |a, b| match scale.tree() {
            None => f64::from(u8::from(a != b)),
            Some(tree) => {
                let (low, high) = (ranks[a].min(ranks[b]), ranks[a].max(ranks[b]));
                f64::from(tree.height(tree.common_ancestor(low, high))) / f64::from(tree.height(0).max(1))
            }
        })
    }

    fn of_line(domain: &Domain) -> Self {
        let indices: Vec<Option<f64>> = domain.values().iter().map(crate::data::Value::as_number).collect();
        let known = || indices.iter().flatten().copied();
        let range = known().fold(f64::NEG_INFINITY, f64::max) - known().fold(f64::INFINITY, f64::min);
        Self::build(indices.len(), |a, b| match (indices[a], indices[b]) {
            (Some(_), Some(_)) if range <= 0.0 => 0.0,
            (Some(x), Some(y)) => (x - y).abs() / range,
            _ => f64::from(u8::from(a != b)),
        })
    }

    /// Distances that somebody states, in the order of `labels`; each value of the domain must be there.
    ///
    /// Refused: a matrix that is not square, not symmetric, whose diagonal is not 0, or with a distance outside 0..1.
    pub fn stated(name: &str, labels: &[String], rows: &[Vec<f64>], domain: &Domain) -> Result<Self> {
        let refused = |why: String| Error::input(format!("the distances of {name:?}: {why}"));
        let square = rows.len() == labels.len() && rows.iter().all(|row| row.len() == labels.len());
        if !square {
            let widths = rows.iter().map(Vec::len).min().unwrap_or(0);
            return Err(refused(format!("{} values and a matrix of {} by {widths}", labels.len(), rows.len()))
                .help("as many rows and columns as values"));
        }
        for (i, row) in rows.iter().enumerate() {
            for (j, &distance) in row.iter().enumerate() {
                let pair = format!("{:?} to {:?}", labels[i], labels[j]);
                if !(0.0..=1.0).contains(&distance) || (i == j && distance != 0.0) {
                    return Err(refused(format!("{pair} is {distance}"))
                        .help("distances lie from 0 to 1, and a value is at 0 from itself"));
                }
                if (distance - rows[j][i]).abs() > 0.0 {
                    return Err(refused(format!("{pair} is {distance}, and {} back", rows[j][i]))
                        .help("distances are symmetric"));
                }
            }
        }
        let index = |value: &crate::data::Value| {
            let text = value.to_string();
            labels
                .iter()
                .position(|label| *label == text)
                .ok_or_else(|| refused(format!("the value {text:?} is missing")).help("list every value that occurs"))
        };
        let indices = domain.values().iter().map(index).collect::<Result<Vec<usize>>>()?;
        Ok(Self::build(indices.len(), |a, b| rows[indices[a]][indices[b]]))
    }

    fn build(values: usize, distance: impl Fn(usize, usize) -> f64) -> Self {
        let matrix = (0..values).flat_map(|a| (0..values).map(move |b| (a, b))).map(|(a, b)| distance(a, b)).collect();
        Self { values, matrix }
    }

    /// How many values there are.
    pub fn values(&self) -> usize {
        self.values
    }

    /// How far apart two values are.
    pub fn between(&self, a: u32, b: u32) -> f64 {
        self.matrix[a as usize * self.values + b as usize]
    }

    /// The Epanechnikov kernel of every pair, `1 − (d/B)²` closer than the bandwidth and 0 elsewhere, row by row. Its factor
    /// 3/(4B) cancels wherever weights are compared. With an infinite bandwidth all are alike.
    pub fn kernel(&self, bandwidth: f64) -> Result<Vec<f64>> {
        if bandwidth.is_nan() || bandwidth <= 0.0 {
            return Err(Error::input(format!("the bandwidth is {bandwidth}"))
                .help("a bandwidth is a number above 0, in distances from 0 to 1; for example 0.3"));
        }
        let weight = |&distance: &f64| {
            let x = distance / bandwidth;
            if x < 1.0 { 1.0 - x * x } else { 0.0 }
        };
        Ok(self.matrix.iter().map(weight).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_must_be_square_symmetric_and_complete() {
        let labels = ["a", "b"].map(str::to_owned);
        let domain = Domain::labels(["a", "b"]);
        let stated = |rows: &[Vec<f64>]| AttributeDistance::stated("x", &labels, rows, &domain);
        assert!((stated(&[vec![0.0, 0.5], vec![0.5, 0.0]]).unwrap().between(0, 1) - 0.5).abs() < 1e-15);
        for (rows, words) in [
            (vec![vec![0.0, 0.5]], "2 values and a matrix of 1 by 2"),
            (vec![vec![0.0, 0.5], vec![0.4, 0.0]], "\"a\" to \"b\" is 0.5, and 0.4 back"),
            (vec![vec![0.0, 2.0], vec![2.0, 0.0]], "\"a\" to \"b\" is 2"),
            (vec![vec![0.1, 0.5], vec![0.5, 0.0]], "\"a\" to \"a\" is 0.1"),
            (vec![vec![0.0, f64::NAN], vec![f64::NAN, 0.0]], "is NaN"),
        ] {
            let error = stated(&rows).unwrap_err();
            assert!(error.message().contains(words), "{error}");
        }
        let short = AttributeDistance::stated("x", &labels[..1], &[vec![0.0]], &domain).unwrap_err();
        assert!(short.message().contains("\"b\" is missing"), "{short}");
    }

    #[test]
    fn a_bandwidth_is_above_zero() {
        let distance = AttributeDistance::build(2, |a, b| f64::from(u8::from(a != b)));
        for bandwidth in [0.0, -1.0, f64::NAN, f64::NEG_INFINITY] {
            assert!(distance.kernel(bandwidth).is_err(), "{bandwidth}");
        }
        assert_eq!(distance.kernel(2.0).unwrap(), [1.0, 0.75, 0.75, 1.0]);
        assert_eq!(distance.kernel(f64::INFINITY).unwrap(), [1.0; 4]);
    }
}
