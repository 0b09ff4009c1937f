//! Whether counts are what an even distribution gives.

/// Whether counts over equally likely outcomes pass a chi-square test at one in a million.
///
/// The cube root of chi-square over its degrees of freedom is nearly normal (Wilson and Hilferty, 1931).
pub(crate) fn is_even(counts: &[u64]) -> bool {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    assert!(expected >= 5.0, "too few draws for the test");
    let statistic: f64 = counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum();
    let freedom = (counts.len() - 1) as f64;
    let spread = 2.0 / (9.0 * freedom);
    let deviation = ((statistic / freedom).cbrt() - (1.0 - spread)) / spread.sqrt();
    // Too even is as suspicious as too uneven.
    deviation.abs() < 4.9
}

#[test]
fn even_counts_pass_and_uneven_ones_do_not() {
    assert!(is_even(&[1012, 987, 1034, 967]));
    assert!(!is_even(&[1212, 787, 1034, 967]));
}
