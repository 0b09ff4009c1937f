//! Drawing the published location of a record from its density.

use rand::RngCore;

use super::normal::{draw_normal, draw_unit};
use super::{Family, Frame};

/// Draws a location, in units, from the density of a shape around a true location.
pub fn draw(truth: &[f64], family: Family, frame: &Frame, rng: &mut impl RngCore, location: &mut [f64]) {
    let noise: Vec<f64> = truth
        .iter()
        .map(|_| match family {
            Family::Gaussian => draw_normal(rng),
            Family::Uniform => draw_unit(rng) - 0.5,
        })
        .collect();
    frame.undo(&noise, location);
    location.iter_mut().zip(truth).for_each(|(z, x)| *z += x);
}

/// How many decimals a published location has along every coordinate: ten thousandth parts of the scale.
///
/// A location in all its digits would carry the rounding of `truth + noise`, from which a candidate can be excluded
/// exactly; what is rounded is a function of the density alone.
pub fn decimals(frame: &Frame, units: &[f64]) -> Vec<i32> {
    let along = |(d, unit): (usize, &f64)| {
        let spread = match &frame.axes {
            None => frame.scales[d],
            Some(axes) => {
                let part = |(axis, s): (&[f64], &f64)| (axis[d] * s) * (axis[d] * s);
                axes.chunks(frame.dims()).zip(&frame.scales).map(part).sum::<f64>().sqrt()
            }
        };
        4 - (spread * unit).log10().floor() as i32
    };
    units.iter().enumerate().map(along).collect()
}

/// A number with so many decimals; before the point where they are negative.
pub fn spell(x: f64, decimals: i32) -> String {
    let text = if decimals >= 0 {
        format!("{x:.*}", decimals.unsigned_abs() as usize)
    } else {
        let step = 10_f64.powi(-decimals);
        format!("{:.0}", (x / step).round() * step)
    };
    let trimmed = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if trimmed == "-0" { "0".to_owned() } else { trimmed.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::uncertain::math::normal::upper_tail;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn another_record_fits_as_well_as_often_as_the_lemmas_say() {
        const DRAWS: u32 = 40_000;
        let (owner, other) = ([0.2, -0.4], [0.3, -0.2]);
        let frame = Frame { axes: Some(vec![0.6, 0.8, -0.8, 0.6]), scales: vec![0.5, 1.1] };
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut apart = [0.0; 2];
        frame.apply(&[other[0] - owner[0], other[1] - owner[1]], &mut apart);
        for (family, chance) in [
            (Family::Gaussian, upper_tail(apart[0].hypot(apart[1]) / 2.0)),
            (Family::Uniform, (1.0 - apart[0].abs()).max(0.0) * (1.0 - apart[1].abs()).max(0.0)),
        ] {
            let mut wins = 0;
            let mut location = [0.0; 2];
            for _ in 0..DRAWS {
                draw(&owner, family, &frame, &mut rng, &mut location);
                let fit = |x: &[f64; 2]| {
                    let mut seen = [0.0; 2];
                    frame.apply(&[location[0] - x[0], location[1] - x[1]], &mut seen);
                    match family {
                        Family::Gaussian => -(seen[0] * seen[0] + seen[1] * seen[1]),
                        Family::Uniform => {
                            if seen.iter().all(|w| w.abs() <= 0.5) {
                                1.0
                            } else {
                                0.0
                            }
                        }
                    }
                };
                wins += u32::from(fit(&other) >= fit(&owner));
            }
            let share = f64::from(wins) / f64::from(DRAWS);
            // Five standard errors: a false alarm in about two million runs.
            let error = (chance * (1.0 - chance) / f64::from(DRAWS)).sqrt();
            assert!((share - chance).abs() < 5.0 * error, "{family:?}: {share} for {chance}");
        }
    }

    #[test]
    fn places_are_spelled_with_the_digits_that_their_scale_asks_for() {
        assert_eq!(decimals(&Frame::stretched(vec![0.5, 2.0]), &[10.0, 4000.0]), [4, 1]);
        assert_eq!(spell(12.345_678, 3), "12.346");
        assert_eq!(spell(-0.000_01, 2), "0");
        assert_eq!(spell(12_345.6, -2), "12300");
        assert_eq!(spell(7.1, 0), "7");
    }
}
