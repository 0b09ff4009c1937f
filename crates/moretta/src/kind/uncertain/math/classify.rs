//! Classification: by the densities that fit best (section II-E), and by the nearest records.

use super::{Family, Frame};

/// A training record: a location, the class of its shape, its label.
#[derive(Clone, Debug)]
pub struct Labelled<'a> {
    /// The published location, in units.
    pub location: &'a [f64],
    /// The shape of its density; records without one count by distance alone.
    pub frame: Option<&'a Frame>,
    /// The label.
    pub label: u32,
}

/// The label of a location by the `q` records whose density there is highest: the label with the largest sum of densities.
///
/// Where no density reaches (uniform ones end), all fit alike and the nearest record decides.
pub fn best_fits(records: &[Labelled<'_>], family: Family, q: usize, location: &[f64]) -> u32 {
    let mut seen = vec![0.0; location.len()];
    let mut fits: Vec<(f64, f64, u32)> = records
        .iter()
        .map(|record| {
            let away: Vec<f64> = location.iter().zip(record.location).map(|(x, z)| x - z).collect();
            let volume: f64 = record.frame.map_or(0.0, |frame| {
                frame.apply(&away, &mut seen);
                frame.scales.iter().map(|scale| scale.ln()).sum()
            });
            if record.frame.is_none() {
                seen.copy_from_slice(&away);
            }
            let square: f64 = seen.iter().map(|w| w * w).sum();
            let fit = match family {
                Family::Gaussian => -0.5 * square - volume,
                Family::Uniform if seen.iter().all(|w| w.abs() <= 0.5) => -volume,
                Family::Uniform => f64::NEG_INFINITY,
            };
            (fit, square, record.label)
        })
        .collect();
    let best_first = |a: &(f64, f64, u32), b: &(f64, f64, u32)| b.0.total_cmp(&a.0).then(a.1.total_cmp(&b.1));
    let q = q.min(fits.len());
    fits.select_nth_unstable_by(q.saturating_sub(1), best_first);
    fits.truncate(q);
    fits.sort_by(best_first);
    let best = fits.first().map_or(0.0, |fit| fit.0);
    if best == f64::NEG_INFINITY {
        return fits.first().map_or(0, |fit| fit.2);
    }
    heaviest(fits.iter().map(|fit| (fit.2, (fit.0 - best).exp())))
}

/// The label of a location by the `q` nearest locations: the most frequent one.
pub fn nearest<'a>(records: impl Iterator<Item = (&'a [f64], u32)>, q: usize, location: &[f64]) -> u32 {
    let square = |at: &[f64]| at.iter().zip(location).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let mut far: Vec<(f64, u32)> = records.map(|(at, label)| (square(at), label)).collect();
    let q = q.min(far.len());
    if q > 0 {
        far.select_nth_unstable_by(q - 1, |a, b| a.0.total_cmp(&b.0));
        far.truncate(q);
    }
    heaviest(far.into_iter().map(|(_, label)| (label, 1.0)))
}

fn heaviest(votes: impl Iterator<Item = (u32, f64)>) -> u32 {
    let mut sums: Vec<f64> = Vec::new();
    for (label, weight) in votes {
        sums.resize(sums.len().max(label as usize + 1), 0.0);
        sums[label as usize] += weight;
    }
    (0..sums.len()).max_by(|&a, &b| sums[a].total_cmp(&sums[b]).then(b.cmp(&a))).unwrap_or(0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_density_wins_far_away_and_loses_nearby() {
        let (narrow, wide) = (Frame::stretched(vec![0.1]), Frame::stretched(vec![2.0]));
        let records = [
            Labelled { location: &[0.0], frame: Some(&narrow), label: 0 },
            Labelled { location: &[0.0], frame: Some(&wide), label: 1 },
        ];
        for family in [Family::Gaussian, Family::Uniform] {
            assert_eq!(best_fits(&records, family, 1, &[0.04]), 0);
            assert_eq!(best_fits(&records, family, 1, &[0.8]), 1);
        }
        assert_eq!(best_fits(&records, Family::Uniform, 2, &[9.0]), 1);
        let locations = [([0.0], 7), ([1.0], 3), ([1.2], 3)];
        assert_eq!(nearest(locations.iter().map(|(at, label)| (&at[..], *label)), 1, &[0.1]), 7);
        assert_eq!(nearest(locations.iter().map(|(at, label)| (&at[..], *label)), 3, &[0.1]), 3);
    }
}
