//! The standard normal distribution for many questions: a table with its slopes, exact to about 1e-13.

use std::sync::OnceLock;

use super::math::normal;

/// Beyond this there is nothing left to speak of.
const END: f64 = 8.5;
const STEPS_PER_UNIT: f64 = 256.0;
const KNOTS: usize = 17 * 256 + 2;

/// Values and slopes at the knots of the table.
static TABLE: OnceLock<Vec<(f64, f64)>> = OnceLock::new();

fn table() -> &'static [(f64, f64)] {
    TABLE.get_or_init(|| {
        let knot = |at: usize| at as f64 / STEPS_PER_UNIT - END;
        (0..KNOTS).map(|at| (normal::cumulative(knot(at)), normal::density(knot(at)) / STEPS_PER_UNIT)).collect()
    })
}

/// The probability of being below a number, by cubic interpolation.
pub(crate) fn cumulative(x: f64) -> f64 {
    if x <= -END {
        return 0.0;
    }
    if x >= END {
        return 1.0;
    }
    let knot = (x + END) * STEPS_PER_UNIT;
    #[expect(clippy::cast_sign_loss, reason = "x lies above the beginning of the table")]
    let at = knot as usize;
    let t = knot - at as f64;
    let table = table();
    let ((a, slope_a), (b, slope_b)) = (table[at], table[at + 1]);
    let (t2, t3) = (t * t, t * t * t);
    a * (2.0 * t3 - 3.0 * t2 + 1.0) + slope_a * (t3 - 2.0 * t2 + t) + b * (3.0 * t2 - 2.0 * t3) + slope_b * (t3 - t2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_distribution() {
        for step in -9500..9500 {
            let x = f64::from(step) / 1000.0 + 0.000_37;
            assert!((cumulative(x) - normal::cumulative(x)).abs() < 1e-12, "{x}");
        }
    }
}
