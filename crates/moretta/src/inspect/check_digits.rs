//! Numbers that people are known by, recognized by their check digits.
//!
//! A check digit tells a social-security number from any other number of the same length: of ten numbers that mean something else,
//! one passes. So a column of them is recognized by its values, whatever it is called.

/// The digits of a number that may be grouped by blanks, points, hyphens or slashes; nothing if it holds anything else.
fn digits(text: &str) -> Option<Vec<u32>> {
    let kept = text.chars().filter(|sign| !matches!(sign, ' ' | '.' | '-' | '/'));
    let digits: Option<Vec<u32>> = kept.map(|sign| sign.to_digit(10)).collect();
    // A number such as 111 111 111 passes many checks, and belongs to nobody.
    digits.filter(|digits| digits.windows(2).any(|pair| pair[0] != pair[1]))
}

/// The same, where there must be so many.
fn so_many(text: &str, wanted: usize) -> Option<Vec<u32>> {
    digits(text).filter(|digits| digits.len() == wanted)
}

fn weighted(digits: &[u32], weights: &[u32]) -> u32 {
    digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum()
}

/// Letters and digits of a number in capitals, without the blanks and hyphens that group them.
fn compact(text: &str) -> String {
    text.chars().filter(|sign| !matches!(sign, ' ' | '-' | '.')).map(|sign| sign.to_ascii_uppercase()).collect()
}

fn luhn(digits: &[u32]) -> bool {
    let doubled = |digit: u32| if digit > 4 { 2 * digit - 9 } else { 2 * digit };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, &digit)| if place % 2 == 1 { doubled(digit) } else { digit })
        .sum();
    sum.is_multiple_of(10)
}

/// Payment cards: 13 to 19 digits, the first of a card network.
pub(super) fn is_card(text: &str) -> bool {
    digits(text)
        .is_some_and(|digits| (13..=19).contains(&digits.len()) && (2..=6).contains(&digits[0]) && luhn(&digits))
}

/// Bank accounts: a country, and a remainder of 1 when divided by 97.
pub(super) fn is_iban(text: &str) -> bool {
    let text = compact(text);
    let well_formed = (15..=34).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && text.bytes().take(2).all(|byte| byte.is_ascii_uppercase())
        && text.bytes().skip(2).take(2).all(|byte| byte.is_ascii_digit());
    let turned = || text.chars().skip(4).chain(text.chars().take(4)).filter_map(|sign| sign.to_digit(36));
    well_formed && turned().fold(0, |rest, value| (rest * if value > 9 { 100 } else { 10 } + value) % 97) == 1
}

/// United States: no check digit, but three groups, and some numbers that are never given.
pub(super) fn is_us_ssn(text: &str) -> bool {
    let parts: Vec<&str> = text.trim().split('-').collect();
    let [area, group, serial] = parts[..] else { return false };
    let lengths = (area.len(), group.len(), serial.len()) == (3, 2, 4);
    let numbers = [area, group, serial].iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    lengths && numbers && area != "000" && area != "666" && !area.starts_with('9') && group != "00" && serial != "0000"
}

/// United Kingdom, national insurance: two letters, six digits, a letter from A to D.
pub(super) fn is_nino(text: &str) -> bool {
    let text = compact(text).into_bytes();
    text.len() == 9
        && text[..2].iter().all(u8::is_ascii_uppercase)
        && text[2..8].iter().all(u8::is_ascii_digit)
        && (b'A'..=b'D').contains(&text[8])
}

/// United Kingdom, health service: ten digits modulo 11.
pub(super) fn is_nhs(text: &str) -> bool {
    so_many(text, 10).is_some_and(|digits| {
        let check = 11 - weighted(&digits[..9], &[10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11;
        check % 11 == digits[9]
    })
}

/// Canada: nine digits.
pub(super) fn is_sin(text: &str) -> bool {
    so_many(text, 9).is_some_and(|digits| luhn(&digits))
}

/// Germany, tax: eleven digits, ISO 7064.
pub(super) fn is_german_tax(text: &str) -> bool {
    so_many(text, 11).filter(|digits| digits[0] != 0).is_some_and(|digits| {
        let product = digits[..10].iter().fold(10, |product, digit| match (product + digit) % 10 {
            0 => 9, // twice ten, modulo eleven
            sum => 2 * sum % 11,
        });
        (11 - product) % 10 == digits[10]
    })
}

/// Germany, pension: area, birthday, the initial of a name, serial, check digit.
pub(super) fn is_german_pension(text: &str) -> bool {
    let text = compact(text);
    let Some(initial) = text.chars().nth(8).filter(char::is_ascii_uppercase) else { return false };
    let place = u32::from(initial) - u32::from('A') + 1;
    let spelled = text.replacen(initial, &format!("{place:02}"), 1);
    text.len() == 12
        && so_many(&spelled, 13).is_some_and(|digits| {
            let weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
            let sum: u32 =
                digits.iter().zip(weights).map(|(digit, weight)| digit * weight).map(|x| x / 10 + x % 10).sum();
            sum % 10 == digits[12]
        })
}

/// France: sex, month of birth, place, order, and a key modulo 97. Corsica has a letter.
pub(super) fn is_nir(text: &str) -> bool {
    let text = compact(text).replacen("2A", "19", 1).replacen("2B", "18", 1);
    let Some(digits) = so_many(&text, 15).filter(|digits| matches!(digits[0], 1 | 2)) else { return false };
    let number = |digits: &[u32]| digits.iter().fold(0, |number: u64, &digit| number * 10 + u64::from(digit));
    97 - number(&digits[..13]) % 97 == number(&digits[13..])
}

/// Spain: eight digits and a letter; foreigners have a letter for the first digit.
pub(super) fn is_dni(text: &str) -> bool {
    const LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let mut text = compact(text).into_bytes();
    if let Some(first @ b'X'..=b'Z') = text.first_mut() {
        *first = *first - b'X' + b'0';
    }
    let [number @ .., letter] = text.as_slice() else { return false };
    let number = std::str::from_utf8(number).ok().filter(|number| number.len() == 8);
    number.and_then(|number| number.parse::<usize>().ok()).is_some_and(|number| LETTERS[number % 23] == *letter)
}

/// Italy: sixteen letters and digits, the last a check letter.
pub(super) fn is_codice_fiscale(text: &str) -> bool {
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    let text = compact(text).into_bytes();
    if text.len() != 16 || !text.iter().all(u8::is_ascii_alphanumeric) || !text[15].is_ascii_uppercase() {
        return false;
    }
    let place = |byte: u8| u32::from(if byte.is_ascii_digit() { byte - b'0' } else { byte - b'A' });
    let values = text[..15].iter().enumerate();
    let sum: u32 = values.map(|(at, &b)| if at % 2 == 0 { ODD[place(b) as usize] } else { place(b) }).sum();
    sum % 26 == place(text[15]) && text[..6].iter().all(u8::is_ascii_uppercase)
}

/// Portugal, tax: nine digits modulo 11.
pub(super) fn is_nif(text: &str) -> bool {
    so_many(text, 9).is_some_and(|digits| {
        let rest = weighted(&digits[..8], &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
        digits[8] == if rest < 2 { 0 } else { 11 - rest }
    })
}

/// Brazil: nine digits and two check digits.
pub(super) fn is_cpf(text: &str) -> bool {
    so_many(text, 11).is_some_and(|digits| {
        let check = |end: usize| {
            let sum: u32 = (0..end).map(|at| digits[at] * (end + 1 - at) as u32).sum();
            sum * 10 % 11 % 10 == digits[end]
        };
        check(9) && check(10)
    })
}

/// Poland: birthday, serial and a check digit.
pub(super) fn is_pesel(text: &str) -> bool {
    so_many(text, 11)
        .is_some_and(|digits| weighted(&digits, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]).is_multiple_of(10) && digits[4] < 4)
}

/// Netherlands: nine digits modulo 11.
pub(super) fn is_bsn(text: &str) -> bool {
    so_many(text, 9).is_some_and(|digits| weighted(&digits[..8], &[9, 8, 7, 6, 5, 4, 3, 2]) % 11 == digits[8])
}

/// Switzerland: thirteen digits from 756.
pub(super) fn is_ahv(text: &str) -> bool {
    so_many(text, 13)
        .filter(|digits| digits[..3] == [7, 5, 6])
        .is_some_and(|digits| weighted(&digits, &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]).is_multiple_of(10))
}

/// Sweden: birthday, serial and a check digit, with or without the century.
pub(super) fn is_personnummer(text: &str) -> bool {
    let Some(digits) = digits(&text.replace('+', "-")) else { return false };
    let tail = match digits.len() {
        10 => &digits[..],
        12 => &digits[2..],
        _ => return false,
    };
    let (month, day) = (tail[2] * 10 + tail[3], tail[4] * 10 + tail[5]);
    (1..=12).contains(&month) && (1..=31).contains(&day) && luhn(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_examples_pass_and_one_wrong_digit_does_not() {
        for (is_valid, right, wrong) in [
            (is_card as fn(&str) -> bool, "4111 1111 1111 1111", "4111 1111 1111 1112"),
            (is_iban, "DE89 3704 0044 0532 0130 00", "DE88 3704 0044 0532 0130 00"),
            (is_iban, "GB82WEST12345698765432", "GB82WEST12345698765431"),
            (is_us_ssn, "078-05-1120", "666-05-1120"),
            (is_nino, "QQ 12 34 56 C", "QQ 12 34 56 E"),
            (is_nhs, "943 476 5919", "943 476 5918"),
            (is_sin, "046 454 286", "046 454 287"),
            (is_german_tax, "86095742719", "86095742718"),
            (is_german_pension, "65 170839 J 003", "65 170839 J 004"),
            (is_nir, "2 55 08 14 168 025 38", "2 55 08 14 168 025 39"),
            (is_dni, "12345678Z", "12345678A"),
            (is_dni, "X1234567L", "X1234567M"),
            (is_codice_fiscale, "RSSMRA85T10A562S", "RSSMRA85T10A562T"),
            (is_nif, "123456789", "123456788"),
            (is_cpf, "529.982.247-25", "529.982.247-24"),
            (is_pesel, "44051401359", "44051401358"),
            (is_bsn, "111222333", "111222334"),
            (is_ahv, "756.9217.0769.85", "756.9217.0769.84"),
            (is_personnummer, "811218-9876", "811218-9875"),
            (is_personnummer, "19811218-9876", "19811318-9876"),
        ] {
            assert!(is_valid(right), "{right}");
            assert!(!is_valid(wrong), "{wrong}");
        }
    }

    #[test]
    fn texts_that_are_no_numbers_pass_nowhere() {
        for text in ["", "-", "x", "é", "000000000", "日本語日本語日本語", "2A", "ßßßßßßßßß", "1234567é"]
        {
            let all: [fn(&str) -> bool; 16] = [
                is_card,
                is_iban,
                is_us_ssn,
                is_nino,
                is_nhs,
                is_sin,
                is_german_tax,
                is_german_pension,
                is_nir,
                is_dni,
                is_codice_fiscale,
                is_nif,
                is_cpf,
                is_pesel,
                is_bsn,
                is_personnummer,
            ];
            assert!(all.iter().all(|is_valid| !is_valid(text)), "{text:?}");
        }
    }
}
