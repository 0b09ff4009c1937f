//! Finding out the type of a column from its texts.

use super::thousands::NumberSigns;
use super::timestamp;
use super::value::{Decimal, Type, Value};

/// What every text seen so far could be. Texts that are missing values are not shown to it.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "one answer a type")]
pub struct Guess {
    seen: bool,
    integer: bool,
    number: bool,
    number_with_comma: bool,
    date: bool,
    timestamp: bool,
    /// Whether times state a zone; all of them must, or none.
    zoned: Option<bool>,
    boolean: bool,
    signs: NumberSigns,
}

impl Default for Guess {
    fn default() -> Self {
        Self {
            seen: false,
            integer: true,
            number: true,
            number_with_comma: true,
            date: true,
            timestamp: true,
            zoned: None,
            boolean: true,
            signs: NumberSigns::default(),
        }
    }
}

impl Guess {
    /// A guess about texts whose numbers are written with these signs.
    pub fn with(signs: NumberSigns) -> Self {
        Self { signs, ..Self::default() }
    }

    /// Takes one more text into account.
    pub fn observe(&mut self, text: &str) {
        let can_be = |kind, decimal| Value::parse(text, kind, decimal).is_some();
        let number = &*self.signs.plain(text);
        let can_be_number = |kind, decimal| Value::parse(number, kind, decimal).is_some();
        // A code with a leading zero (a zip code, an account) is no number: it would lose the zero.
        let plain = is_plain(number);
        self.seen = true;
        self.integer = self.integer && plain && can_be_number(Type::Integer, Decimal::Point);
        self.number = self.number && plain && can_be_number(Type::Number, Decimal::Point);
        self.number_with_comma = self.number_with_comma && plain && can_be_number(Type::Number, Decimal::Comma);
        self.date = self.date && can_be(Type::Date, Decimal::Point);
        self.timestamp = self.timestamp && self.is_time(text.trim());
        self.boolean = self.boolean && can_be(Type::Boolean, Decimal::Point);
    }

    /// Whether a text is a time, with a zone if those before have one. A day alone is none: who writes some as days may mean something by it.
    fn is_time(&mut self, text: &str) -> bool {
        let Some(time) = timestamp::parse(text) else { return false };
        *self.zoned.get_or_insert(time.zoned) == time.zoned
    }

    /// The narrowest type that fits all texts seen; text if there were none.
    pub fn kind(&self) -> Type {
        match self {
            Self { seen: false, .. } => Type::Text,
            Self { integer: true, .. } => Type::Integer,
            Self { number: true, .. } | Self { number_with_comma: true, .. } => Type::Number,
            Self { date: true, .. } => Type::Date,
            Self { timestamp: true, .. } => Type::Timestamp,
            Self { boolean: true, .. } => Type::Boolean,
            _ => Type::Text,
        }
    }

    /// The decimal sign that the texts are written with.
    pub fn decimal(&self) -> Decimal {
        if !self.number && self.number_with_comma { Decimal::Comma } else { Decimal::Point }
    }
}

/// Whether a text keeps its meaning as a number.
fn is_plain(text: &str) -> bool {
    let digits = text.trim().trim_start_matches('-');
    let is_code = matches!(digits.as_bytes(), [b'+', ..] | [b'0', b'0'..=b'9', ..]);
    // A whole number that no 64 bits hold would become a float, and many of them the same one: it is a code.
    let too_long =
        digits.len() > 18 && digits.bytes().all(|b| b.is_ascii_digit()) && text.trim().parse::<i64>().is_err();
    !is_code && !too_long
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_narrowest_fitting_type_is_found() {
        for (texts, kind) in [
            (&["1", "-20"][..], Type::Integer),
            (&["1", "2.5"], Type::Number),
            (&["1,5", "2"], Type::Number),
            (&["02138", "10001"], Type::Text),
            (&["0", "0.5"], Type::Number),
            (&["1994-03-07"], Type::Date),
            (&["1994-03-07 00:00:00", "1994-03-08"], Type::Date),
            (&["1994-03-07 14:30", "1994-03-07 00:00"], Type::Timestamp),
            (&["1994-03-07T14:30:05Z", "1994-03-07T00:00:00+02:00"], Type::Timestamp),
            (&["1994-03-07T14:30:05Z", "1994-03-07T00:00:00"], Type::Text),
            (&["1994-03-07T14:30:05", "1994-03-07"], Type::Text),
            (&["true", "false"], Type::Boolean),
            (&["yes", "no"], Type::Text),
            (&["1", "x"], Type::Text),
            (&["99999999999999999999"], Type::Text),
            (&["9223372036854775807", "-9223372036854775808"], Type::Integer),
            (&["1e25", "2"], Type::Number),
            (&[], Type::Text),
        ] {
            let mut guess = Guess::default();
            texts.iter().for_each(|text| guess.observe(text));
            assert_eq!(guess.kind(), kind, "{texts:?}");
        }
    }
}
