//! What a release says about its densities, so that every record's is complete.

use serde::{Deserialize, Serialize};

use super::{Family, Frame, Scaling};
use crate::data::value::Type;
use crate::numeric::tolerance;

/// Which scales are published.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScaleRule {
    /// By classes so coarse that k is reached among the records that share a published scale.
    Grid,
    /// The smallest of each record: a fingerprint.
    Exact,
    /// The smallest of each record, rounded up to a power of this ratio: for experiments.
    Rounded(f64),
}

/// What the densities of a release are, for its manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Density {
    /// The family: `gaussian` (scales are standard deviations) or `uniform` (scales are the lengths of sides).
    pub family: Family,
    /// How densities are shaped.
    pub scaling: Scaling,
    /// Which scales are published.
    pub scale: ScaleRule,
    /// The coordinates: each has a column `z_NAME` (the centre) and a column `s_NAME` (the scale).
    pub dimensions: Vec<Dimension>,
    /// Quasi-identifiers that are published as they are; anonymity is counted among those who agree in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
    /// Quasi-identifiers that are not published: by the policy, or because everybody has the same value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<String>,
    /// In how many regions the records were cut before scales were chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regions: Option<usize>,
    /// The classes of records that publish the same scales, in the order in which they were formed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<Class>,
}

/// A coordinate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dimension {
    /// Its name: the attribute's, or `ATTRIBUTE=VALUE` where a value has a coordinate of its own.
    pub name: String,
    /// The attribute.
    pub attribute: String,
    /// The type of its original values.
    #[serde(rename = "type")]
    pub kind: Type,
    /// The value that has the coordinate 1, all others having 0; nothing for a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What axes are measured in: about a standard deviation.
    pub unit: f64,
    /// No original value is below this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// No original value is above this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// A class of records that publish the same scales.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Class {
    /// The region it was formed in; regions of each combination of kept values are counted on.
    pub region: usize,
    /// The scales that its records publish.
    pub scales: Vec<f64>,
    /// The axes, one row each, where they are turned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axes: Option<Vec<f64>>,
    /// How many people stand in it.
    pub people: u64,
}

impl Density {
    /// The column of a coordinate's centre.
    pub fn center_column(name: &str) -> String {
        format!("z_{name}")
    }

    /// The column of a coordinate's scale.
    pub fn scale_column(name: &str) -> String {
        format!("s_{name}")
    }

    /// The frame, in units, that published scales and axes mean.
    pub fn frame(&self, scales: &[f64], axes: Option<&[f64]>) -> Frame {
        match axes {
            Some(axes) => Frame { axes: Some(axes.to_vec()), scales: scales.to_vec() },
            None => Frame::stretched(scales.iter().zip(&self.dimensions).map(|(s, d)| s / d.unit).collect()),
        }
    }

    /// The scales to publish for a frame in units, none of them smaller: rounded up, so that anonymity only grows.
    pub fn published(dimensions: &[Dimension], frame: &Frame, digits: i32) -> (Vec<f64>, Option<Vec<f64>>) {
        let scales = frame.scales.iter().zip(dimensions).map(|(scale, dimension)| match frame.axes {
            Some(_) => round_up(*scale, digits),
            None => {
                let mut wide = round_up(scale * dimension.unit, digits);
                while wide / dimension.unit < *scale {
                    wide = round_up(wide * (1.0 + 10_f64.powi(1 - digits)), digits);
                }
                wide
            }
        });
        let rounded = |x: &f64| (x * 1e12).round() / 1e12;
        (scales.collect(), frame.axes.as_ref().map(|axes| axes.iter().map(rounded).collect()))
    }
}

/// A number no smaller than x with few significant digits.
pub fn round_up(x: f64, digits: i32) -> f64 {
    if x <= 0.0 || !x.is_finite() {
        return x;
    }
    let exponent = x.log10().floor() as i32 + 1 - digits;
    let text = |steps: f64| format!("{steps:.0}e{exponent}").parse::<f64>().unwrap_or(x);
    // A quotient that is whole but for its rounding is whole; should that be too small after all, a step more is not.
    let steps = (x / 10_f64.powi(exponent) - tolerance::WHOLE).ceil();
    let near = text(steps);
    if near >= x { near } else { text(steps + 1.0) }
}

#[cfg(test)]
mod tests {
    use super::round_up;

    #[test]
    fn rounding_goes_up_and_keeps_what_is_round() {
        for (x, rounded) in [(1.2345, 1.24), (0.000_123, 0.000_123), (999.1, 1000.0), (7.0, 7.0), (0.3, 0.3)] {
            assert!((round_up(x, 3) - rounded).abs() <= 1e-12 * rounded, "{x}: {}", round_up(x, 3));
            assert!(round_up(x, 3) >= x);
        }
    }
}
