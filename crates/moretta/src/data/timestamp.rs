//! Times of days: microseconds since 1970-01-01T00:00:00, without a zone. A text that states one is told in UTC.

use chrono::{DateTime, NaiveDate, NaiveDateTime};

use super::value::{date_of_days, days_of_date};

/// The microseconds of a day.
pub const DAY: i64 = 86_400_000_000;

/// The microseconds of an hour.
pub const HOUR: i64 = 3_600_000_000;

/// Years whose microseconds floating-point numbers hold exactly.
const YEARS: (i32, i32) = (1700, 2250);

/// A text that says a time, and whether it says in which zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpelledTime {
    /// Microseconds since 1970.
    pub microseconds: i64,
    /// Whether the text states a zone: then it is told in UTC.
    pub zoned: bool,
}

/// Reads `1994-03-07T14:30`, `1994-03-07 14:30:05.25`, `1994-03-07T14:30:05+01:00`; nothing for other texts, for years that are too far, and
/// for parts of microseconds.
pub fn parse(text: &str) -> Option<SpelledTime> {
    let bytes = text.as_bytes();
    let day = day_of(text.get(..10)?)?;
    if !matches!(bytes.get(10), Some(b'T' | b' ')) {
        return None;
    }
    let rest = &text[11..];
    let ends = rest.find(['Z', '+', '-', ' ']).unwrap_or(rest.len());
    let (time, zone) = rest.split_at(ends);
    let offset = if zone.is_empty() { 0 } else { offset(zone.strip_prefix(' ').unwrap_or(zone))? };
    let zoned = !zone.is_empty();
    let microseconds = i64::from(day) * DAY + time_of_day(time)? - offset;
    in_reach(microseconds).then_some(SpelledTime { microseconds, zoned })
}

/// `1994-03-07`
fn day_of(text: &str) -> Option<i32> {
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    Some(days_of_date(date))
}

/// `14:30`, `14:30:05`, `14:30:05.25`. Seconds beyond the sixtieth are none.
fn time_of_day(text: &str) -> Option<i64> {
    let (clock, part) = text.split_once('.').map_or((text, None), |(clock, part)| (clock, Some(part)));
    let mut numbers = clock.split(':').map(|part| {
        let digits = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| part.parse::<i64>().ok()).flatten()
    });
    let (hour, minute) = (numbers.next()??, numbers.next()??);
    let second = match numbers.next() {
        None if part.is_some() => return None,
        None => 0,
        Some(second) => second?,
    };
    if numbers.next().is_some() || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let part = part.map_or(Some(0), microseconds_of)?;
    Some(hour * HOUR + minute * 60_000_000 + second * 1_000_000 + part)
}

/// The digits after the point; those after the sixth must be zeros.
fn microseconds_of(digits: &str) -> Option<i64> {
    let (kept, rest) = digits.split_at_checked(6).unwrap_or((digits, ""));
    let are_digits = !digits.is_empty() && digits.len() <= 9 && digits.bytes().all(|byte| byte.is_ascii_digit());
    (are_digits && rest.bytes().all(|byte| byte == b'0')).then(|| format!("{kept:0<6}").parse().ok()).flatten()
}

/// `Z`, `+01`, `+0100`, `-01:30`.
fn offset(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let (sign, digits) = match zone.as_bytes().first()? {
        b'+' => (1, &zone[1..]),
        b'-' => (-1, &zone[1..]),
        _ => return None,
    };
    let number = |text: &str| (text.len() == 2).then(|| text.parse::<u8>().ok()).flatten().map(i64::from);
    let (hours, minutes) = match digits.len() {
        2 => (number(digits)?, 0),
        4 => (number(digits.get(..2)?)?, number(digits.get(2..)?)?),
        5 => {
            let (hours, minutes) = digits.split_once(':')?;
            (number(hours)?, number(minutes)?)
        }
        _ => return None,
    };
    (hours <= 15 && minutes <= 59).then_some(sign * (hours * HOUR + minutes * 60_000_000))
}

/// Whether a time lies in the years that are taken.
pub fn in_reach(microseconds: i64) -> bool {
    let first = |year| NaiveDate::from_ymd_opt(year, 1, 1).map(|date| i64::from(days_of_date(date)) * DAY);
    first(YEARS.0).is_some_and(|first| first <= microseconds)
        && first(YEARS.1 + 1).is_some_and(|end| microseconds < end)
}

/// The day and the time of the day; nothing beyond the calendar.
pub fn of_microseconds(microseconds: i64) -> Option<NaiveDateTime> {
    DateTime::from_timestamp_micros(microseconds).map(|time| time.naive_utc())
}

/// Midnight of a day, if it lies in the years that are taken.
pub fn midnight(days: i32) -> Option<i64> {
    Some(i64::from(days) * DAY).filter(|&microseconds| in_reach(microseconds))
}

/// The day in which a time lies.
pub fn day(microseconds: i64) -> i32 {
    microseconds.div_euclid(DAY) as i32
}

/// `1994-03-07T14`: the hour in which a time lies.
pub fn hour_label(microseconds: i64) -> Option<String> {
    let date = date_of_days(day(microseconds))?;
    Some(format!("{date}T{:02}", microseconds.rem_euclid(DAY) / HOUR))
}

/// The first and the last microsecond of the hour that a label says.
pub fn hour(label: &str) -> Option<(i64, i64)> {
    let (day, hour) = (day_of(label.get(..10)?)?, label.get(10..)?.strip_prefix('T')?);
    let digits = hour.len() == 2 && hour.bytes().all(|byte| byte.is_ascii_digit());
    let hour: i64 = digits.then(|| hour.parse().ok()).flatten().filter(|&hour| hour < 24)?;
    let first = i64::from(day) * DAY + hour * HOUR;
    Some((first, first + HOUR - 1))
}

/// As it is published: `1994-03-07T14:30:05`, with three or six digits more where they are needed.
pub fn spelled(microseconds: i64) -> String {
    match of_microseconds(microseconds) {
        Some(time) => format!("{}T{}", time.date(), time.time()),
        None => format!("microsecond {microseconds}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_are_read_however_their_zone_is_stated_and_told_in_utc() {
        for (text, told, zoned) in [
            ("1994-03-07T14:30", "1994-03-07T14:30:00", false),
            ("1994-03-07 14:30:05", "1994-03-07T14:30:05", false),
            ("1994-03-07 14:30:05.25", "1994-03-07T14:30:05.250", false),
            ("1994-03-07T14:30:05.123456000", "1994-03-07T14:30:05.123456", false),
            ("1994-03-07T14:30:05Z", "1994-03-07T14:30:05", true),
            ("1994-03-07 14:30:05 +01", "1994-03-07T13:30:05", true),
            ("1994-03-07T00:30:00+0100", "1994-03-06T23:30:00", true),
            ("1994-03-07T23:30:00-01:30", "1994-03-08T01:00:00", true),
        ] {
            let read = parse(text).expect(text);
            assert_eq!((spelled(read.microseconds).as_str(), read.zoned), (told, zoned), "{text}");
        }
        for text in [
            "1994-03-07",
            "1994-3-7T14:30",
            "1994-03-07T24:00",
            "1994-03-07T14:60",
            "1994-03-07T14:30:60",
            "1994-03-07T14",
            "1994-03-07T14:30.5",
            "1994-03-07T14:30:05.1234567",
            "1994-03-07T14:30:05.",
            "1994-02-30T14:30",
            "1994-03-07T14:30:05 CET",
            "1994-03-07T14:30:05+1",
            "1994-03-07T+4:30",
            "1699-12-31T23:59",
            "9999-12-31T00:00",
            "täglich um zwölf",
            "",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_time_comes_back_from_its_spelling_and_lies_in_its_hour(microseconds in -(1_i64 << 52)..1_i64 << 52) {
            let told = parse(&spelled(microseconds)).unwrap();
            prop_assert_eq!(told, SpelledTime { microseconds, zoned: false });
            let (first, last) = hour(&hour_label(microseconds).unwrap()).unwrap();
            prop_assert!(first <= microseconds && microseconds <= last && last - first == HOUR - 1);
            prop_assert_eq!((microseconds as f64) as i64, microseconds);
        }
    }
}
