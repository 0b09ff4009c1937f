//! Numbers as people read them: the one place where pages, tables and messages get their spelling from.

/// 30162 as `30,162`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A text that begins with a capital letter.
pub fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// A count with its noun: `1 group`, `2,000 groups`.
pub fn counted(number: u64, noun: &str, plural: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { noun } else { plural })
}

/// A number with at most so many decimals, and no zeros at its end. What is below 1 is not rounded up to it: 0.99996 is `0.9999`, since 1 means
/// certain. `∞` where it has no end, or is none: a level that can't be told is
/// as bad as can be.
pub fn rounded(x: f64, decimals: i32) -> String {
    if x.is_finite() {
        let parts = 10_f64.powi(decimals);
        let near = (x * parts).round() / parts;
        return format!("{}", if x < 1.0 && near >= 1.0 { (parts - 1.0) / parts } else { near });
    }
    if x == f64::NEG_INFINITY { "-∞".to_owned() } else { "∞".to_owned() }
}

/// A share in per cent with one decimal: `12.5 %`. Less than all is never `100.0 %`.
pub fn percent(share: f64) -> String {
    let near = format!("{:.1} %", 100.0 * share);
    if share < 1.0 && near == "100.0 %" { "> 99.9 %".to_owned() } else { near }
}

/// A share in per cent with the decimals that matter, for sentences: `63 %`, `2.5 %`, `0.012 %`. Less than all is never `100 %`: `99.96 %`,
/// `> 99.99 %`.
pub fn short_percent(share: f64) -> String {
    let percent = 100.0 * share;
    if share < 1.0 && percent.round() >= 100.0 {
        let cut = (percent * 100.0).floor() / 100.0;
        return if (percent * 100.0).round() >= 10_000.0 { "> 99.99 %".to_owned() } else { format!("{cut} %") };
    }
    let decimals = match percent {
        _ if percent >= 10.0 => 0,
        _ if percent >= 1.0 => 1,
        _ => 3,
    };
    format!("{} %", rounded(percent, decimals))
}

/// A loss beside what is proved to be the least, in a sentence. The bound is rounded down, so that what is read is proved too.
pub fn bounded(loss: f64, bound: f64) -> String {
    let down = (bound * 1e4).floor() / 1e4;
    if down <= 0.0 {
        return format!(
            "Loss {loss:.4}; that any release under this promise and these hierarchies must lose something was not proved."
        );
    }
    format!(
        "Loss {loss:.4}; no release under this promise and these hierarchies can lose less than {down:.4} (gap {}).",
        short_percent((loss / bound - 1.0).max(0.0))
    )
}

/// A share rounded up to four decimals: written into a policy, it is enough.
pub fn enough(share: f64) -> f64 {
    (share * 1e4).ceil() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_and_have_their_noun() {
        let numbers = [0, 999, 1000, 30_162, 1_234_567];
        assert_eq!(numbers.map(grouped), ["0", "999", "1,000", "30,162", "1,234,567"]);
        let rows = [0, 1, 2000].map(|number| counted(number, "row", "rows"));
        assert_eq!(rows, ["0 rows", "1 row", "2,000 rows"]);
    }

    #[test]
    fn numbers_have_the_decimals_that_are_asked_for() {
        assert_eq!(rounded(2.0 / 3.0, 4), "0.6667");
        assert_eq!(rounded(2.0 / 3.0, 6), "0.666667");
        assert_eq!(rounded(5.0, 4), "5");
        assert_eq!([f64::INFINITY, f64::NEG_INFINITY, f64::NAN].map(|x| rounded(x, 4)), ["∞", "-∞", "∞"]);
    }

    #[test]
    fn shares_are_spelled_in_per_cent() {
        assert_eq!([0.1254, 1.0].map(percent), ["12.5 %", "100.0 %"]);
        let shares = [0.0312, 0.8, 1.0, 0.0, 0.000_3];
        assert_eq!(shares.map(short_percent), ["3.1 %", "80 %", "100 %", "0 %", "0.03 %"]);
        assert_eq!([0.631, 0.0249, 0.000_123_4, 0.0].map(short_percent), ["63 %", "2.5 %", "0.012 %", "0 %"]);
    }

    #[test]
    fn what_is_not_all_is_not_rounded_up_to_it() {
        assert_eq!([0.999_96, 0.999_94, 1.0, 0.999_999_9].map(|x| rounded(x, 4)), ["0.9999", "0.9999", "1", "0.9999"]);
        assert_eq!(
            [0.9996, 0.999_99, 0.995, 0.994, 1.0].map(short_percent),
            ["99.96 %", "> 99.99 %", "99.5 %", "99 %", "100 %"]
        );
        assert_eq!([0.9994, 0.9996, 1.0].map(percent), ["99.9 %", "> 99.9 %", "100.0 %"]);
    }

    #[test]
    fn a_bound_is_rounded_down() {
        let sentence =
            "Loss 0.0188; no release under this promise and these hierarchies can lose less than 0.0163 (gap 14 %).";
        assert_eq!(bounded(0.018_76, 0.016_39), sentence);
        assert!(bounded(0.5, 0.000_09).contains("not proved") && bounded(0.5, 0.0).contains("not proved"));
        assert!(bounded(0.25, 0.25).ends_with("less than 0.2500 (gap 0 %)."));
    }

    #[test]
    fn what_is_written_into_a_policy_is_enough() {
        for share in [1.0 / 3.0, 0.000_01, 0.25, 1.0] {
            assert!(enough(share) >= share && enough(share) - share <= 1e-4);
        }
    }
}
