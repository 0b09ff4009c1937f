//! Numbers whose thousands are told apart by a sign: 1.234.567,50.

use std::borrow::Cow;

use super::value::Decimal;

/// The signs with which a table writes its numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NumberSigns {
    /// Before the fraction; found out if not stated.
    pub decimal: Option<Decimal>,
    /// Between thousands; none if not stated.
    pub thousands: Option<char>,
}

impl NumberSigns {
    /// A text without the signs between its thousands, if that is what they are: groups of three digits after a first one of up to three.
    pub fn plain(self, text: &str) -> Cow<'_, str> {
        self.thousands.and_then(|sign| self.joined(text.trim(), sign)).map_or(Cow::Borrowed(text), Cow::Owned)
    }

    fn joined(self, text: &str, sign: char) -> Option<String> {
        let digits = text.trim_start_matches(['-', '+']);
        let before = &text[..text.len() - digits.len()];
        let is_decimal = |c: char| match self.decimal {
            Some(Decimal::Point) => c == '.',
            Some(Decimal::Comma) => c == ',',
            None => matches!(c, '.' | ',') && c != sign,
        };
        let whole = digits.split(is_decimal).next().unwrap_or(digits);
        let fraction = &digits[whole.len()..];
        let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let mut groups = whole.split(sign);
        let first = groups.next().filter(|first| all_digits(first) && first.len() <= 3 && !first.starts_with('0'))?;
        let mut joined = format!("{before}{first}");
        let mut any = false;
        for group in groups {
            if group.len() != 3 || !all_digits(group) {
                return None;
            }
            joined.push_str(group);
            any = true;
        }
        any.then(|| joined + fraction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_groups_of_three_digits_are_thousands() {
        let comma = NumberSigns { decimal: Some(Decimal::Comma), thousands: Some('.') };
        for (text, plain) in [
            ("1.234.567,50", "1234567,50"),
            ("-1.234", "-1234"),
            ("12", "12"),
            ("12,5", "12,5"),
            ("1.23", "1.23"),
            ("1234.567", "1234.567"),
            ("0.123", "0.123"),
            ("1..234", "1..234"),
            ("a.bcd", "a.bcd"),
        ] {
            assert_eq!(comma.plain(text), plain);
        }
        let blank = NumberSigns { decimal: None, thousands: Some(' ') };
        assert_eq!(blank.plain("1 234,5"), "1234,5");
        assert_eq!(blank.plain("1 234.5"), "1234.5");
        assert_eq!(NumberSigns::default().plain("1.234"), "1.234");
    }
}
