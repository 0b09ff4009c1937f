//! Decimal numbers as PostgreSQL sends them: digits of base 10,000, the place of the first, and how many decimals are shown.

use std::fmt;

/// A decimal number of any length.
#[derive(Debug)]
pub(super) struct Numeric {
    negative: bool,
    /// The power of 10,000 that the first digit counts.
    weight: i32,
    /// How many decimals there are after the point.
    scale: usize,
    digits: Vec<u16>,
}

const BROKEN: &str = "is no decimal number";

impl Numeric {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        let mut words = bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
        let mut word = || words.next().ok_or(BROKEN);
        let (count, weight, sign, scale) = (word()?, word()?.cast_signed(), word()?, word()?);
        let negative = match sign {
            0x0000 => false,
            0x4000 => true,
            0xc000 => return Err("is NaN, which is no number; let `query` make it null"),
            _ => return Err("is infinity, which is no number; let `query` make it null"),
        };
        let digits: Vec<u16> = words.collect();
        if digits.len() != usize::from(count) || digits.iter().any(|&digit| digit >= 10_000) {
            return Err(BROKEN);
        }
        Ok(Self { negative, weight: weight.into(), scale: scale.into(), digits })
    }

    /// The digit that counts a power of 10,000.
    fn digit(&self, power: i32) -> u16 {
        usize::try_from(self.weight - power).ok().and_then(|place| self.digits.get(place)).copied().unwrap_or(0)
    }

    /// The whole number of units of the last of `scale` decimals.
    pub(super) fn scaled(&self, scale: i8) -> Result<i128, &'static str> {
        const LONG: &str = "has more digits than its type";
        let scale = i32::from(scale);
        let last = -(scale + 3) / 4;
        let places = usize::try_from(self.weight - last + 1).unwrap_or(0);
        if self.digits.iter().skip(places).any(|&digit| digit != 0) {
            return Err(LONG);
        }
        let mut sum: i128 = 0;
        for power in (last..=self.weight.max(0)).rev() {
            let mut digit = i128::from(self.digit(power));
            let mut factor: i128 = 10_000;
            if 4 * power < -scale {
                // The last digit goes beyond the last decimal.
                let beyond = 10_i128.pow((-scale - 4 * power).unsigned_abs());
                if digit % beyond != 0 {
                    return Err(LONG);
                }
                digit /= beyond;
                factor /= beyond;
            }
            sum = sum.checked_mul(factor).and_then(|sum| sum.checked_add(digit)).ok_or(LONG)?;
        }
        Ok(if self.negative { -sum } else { sum })
    }
}

impl fmt::Display for Numeric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negative {
            f.write_str("-")?;
        }
        let top = self.weight.max(0);
        write!(f, "{}", self.digit(top))?;
        for power in (0..top).rev() {
            write!(f, "{:04}", self.digit(power))?;
        }
        if self.scale > 0 {
            let decimals: String =
                (1..).take(self.scale.div_ceil(4)).map(|place| format!("{:04}", self.digit(-place))).collect();
            write!(f, ".{}", &decimals[..self.scale])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sent(weight: i16, negative: bool, scale: u16, digits: &[u16]) -> Vec<u8> {
        let sign = if negative { 0x4000 } else { 0 };
        let head = [digits.len() as u16, weight.cast_unsigned(), sign, scale];
        head.iter().chain(digits).flat_map(|word| word.to_be_bytes()).collect()
    }

    /// What a server sends for a number of so many units of the last decimal: written from the definition, digit by digit.
    fn of(units: i64, scale: u16) -> Vec<u8> {
        let text = format!("{:0>width$}", units.unsigned_abs(), width = usize::from(scale) + 1);
        let (whole, decimals) = text.split_at(text.len() - usize::from(scale));
        let whole = format!("{}{whole}", "0".repeat((4 - whole.len() % 4) % 4));
        let decimals = format!("{decimals}{}", "0".repeat((4 - decimals.len() % 4) % 4));
        let digits = |text: &str| {
            text.as_bytes()
                .chunks(4)
                .map(|four| std::str::from_utf8(four).unwrap().parse().unwrap())
                .collect::<Vec<u16>>()
        };
        let mut weight = i16::try_from(whole.len() / 4).unwrap() - 1;
        let mut all = [digits(&whole), digits(&decimals)].concat();
        while all.last() == Some(&0) {
            all.pop();
        }
        while all.first() == Some(&0) {
            all.remove(0);
            weight -= 1;
        }
        sent(if all.is_empty() { 0 } else { weight }, units < 0, scale, &all)
    }

    proptest! {
        #[test]
        fn every_number_comes_back(units in any::<i64>(), scale in 0_u16..22) {
            let number = Numeric::read(&of(units, scale)).unwrap();
            let text = format!("{:0>width$}", units.unsigned_abs(), width = usize::from(scale) + 1);
            let (whole, decimals) = text.split_at(text.len() - usize::from(scale));
            let sign = if units < 0 { "-" } else { "" };
            let point = if scale > 0 { "." } else { "" };
            prop_assert_eq!(number.to_string(), format!("{sign}{whole}{point}{decimals}"));
            prop_assert_eq!(number.scaled(i8::try_from(scale).unwrap()), Ok(i128::from(units)));
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        assert!(Numeric::read(&[0, 0, 0, 0, 0xc0, 0, 0, 0]).unwrap_err().contains("NaN"));
        assert!(Numeric::read(&[0, 0, 0, 0, 0xd0, 0, 0, 0]).unwrap_err().contains("infinity"));
        assert!(Numeric::read(&[0, 1, 0, 0]).is_err() && Numeric::read(&sent(0, false, 0, &[10_000])).is_err());
        assert_eq!(
            Numeric::read(&sent(0, false, 3, &[1, 2_340])).unwrap().scaled(2),
            Err("has more digits than its type")
        );
        assert_eq!(Numeric::read(&sent(-2, false, 8, &[1])).unwrap().scaled(2), Err("has more digits than its type"));
        assert_eq!(Numeric::read(&sent(2, false, 0, &[1])).unwrap().to_string(), "100000000");
    }
}
