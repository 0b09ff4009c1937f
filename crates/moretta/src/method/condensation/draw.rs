//! New records with the moments of a group.

use rayon::prelude::*;

use crate::chance::Seed;
use crate::error::Result;
use crate::kind::uncertain::math::Coordinates;
use crate::kind::uncertain::math::frame::eigen;
use crate::kind::uncertain::math::normal::draw_unit;
use crate::progress::CancelToken;
use crate::release::plan::Piece;

/// Draws as many records as each group has people: uniformly along the eigenvectors of its covariance, with its variance
/// along each, around its mean. Groups one after the other, coordinates together.
pub fn redraw(
    points: &Coordinates,
    pieces: &[Piece],
    groups: usize,
    seed: Seed,
    token: &CancelToken,
) -> Result<Vec<f64>> {
    let dims = points.dims();
    let start = |group: usize| pieces.partition_point(|piece| (piece.group as usize) < group);
    let drawn = (0..groups)
        .into_par_iter()
        .map(|group| {
            token.check()?;
            let own = &pieces[start(group)..start(group + 1)];
            let people: u64 = own.iter().map(|piece| piece.people).sum();
            let (mean, covariance) = moments(points, own);
            let (values, axes) = eigen(&covariance, dims);
            let mut rng = seed.stream("condensation", group as u64);
            let mut records = Vec::with_capacity(people as usize * dims);
            for _ in 0..people {
                let mut record = mean.clone();
                for (axis, value) in axes.chunks(dims).zip(&values) {
                    // A uniform number of width √12 has variance 1.
                    let step = (draw_unit(&mut rng) - 0.5) * (12.0 * value.max(0.0)).sqrt();
                    record.iter_mut().zip(axis).for_each(|(x, a)| *x += step * a);
                }
                records.extend(record);
            }
            Ok(records)
        })
        .collect::<Result<Vec<Vec<f64>>>>()?;
    Ok(drawn.concat())
}

/// The mean and the covariance of a group.
fn moments(points: &Coordinates, own: &[Piece]) -> (Vec<f64>, Vec<f64>) {
    let dims = points.dims();
    let total: f64 = own.iter().map(|piece| piece.people as f64).sum();
    let mut mean = vec![0.0; dims];
    for piece in own {
        let share = piece.people as f64 / total;
        mean.iter_mut().zip(&points.columns).for_each(|(m, column)| *m += share * column[piece.cell as usize]);
    }
    let mut covariance = vec![0.0; dims * dims];
    for piece in own {
        let share = piece.people as f64 / total;
        let away: Vec<f64> = points.columns.iter().zip(&mean).map(|(c, m)| c[piece.cell as usize] - m).collect();
        for i in 0..dims {
            for j in 0..dims {
                covariance[i * dims + j] += share * away[i] * away[j];
            }
        }
    }
    (mean, covariance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_records_keep_mean_and_covariance() {
        // A large group on a slanted line with some width: its draws must show both.
        let x: Vec<f64> = (0..4000).map(|i| f64::from(i % 50) / 10.0).collect();
        let y: Vec<f64> = (0..4000).map(|i| f64::from(i % 50) / 5.0 + f64::from(i % 7) / 7.0).collect();
        let points = Coordinates { columns: vec![x, y], people: vec![1; 4000] };
        let pieces: Vec<Piece> = (0..4000).map(|cell| Piece { group: 0, cell, people: 1 }).collect();
        let records = redraw(&points, &pieces, 1, Seed(1), &CancelToken::new()).unwrap();
        let again = Coordinates {
            columns: (0..2).map(|d| records.iter().skip(d).step_by(2).copied().collect()).collect(),
            people: vec![1; 4000],
        };
        let (mean, covariance) = moments(&points, &pieces);
        let (new_mean, new_covariance) = moments(&again, &pieces);
        // About six standard errors: a false alarm in a hundred million.
        for (a, b) in mean.iter().zip(&new_mean) {
            assert!((a - b).abs() < 0.3, "{a} {b}");
        }
        for (a, b) in covariance.iter().zip(&new_covariance) {
            assert!((a - b).abs() < 0.1 * covariance[3], "{a} {b}");
        }
    }
}
