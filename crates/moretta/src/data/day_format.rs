//! How a table spells its days and times, where it does not spell them as we do: 1994-03-07, 1994-03-07T14:30:00.

use std::fmt;

use chrono::format::{Fixed, Item, Numeric, StrftimeItems};
use chrono::{Datelike, NaiveDate, NaiveDateTime};

use super::timestamp;
use super::value::{Decimal, Type, Value, days_of_date};

/// The spelling of days, in the signs of `strftime`: `%d.%m.%Y`. A time of the day may follow, `%d.%m.%Y %H:%M`; in a column of days
/// it is read over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayFormat {
    text: Box<str>,
    has_time: bool,
}

/// Formats that are looked for in a table: the place of the day and of the month, and the sign between them, differ. Seconds may have parts.
const KNOWN: [&str; 24] = [
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%dT%H:%M:%S%.f",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y %H:%M:%S%.f",
    "%d/%m/%Y %H:%M",
    "%m/%d/%Y %H:%M",
    "%d/%m/%Y %H:%M:%S%.f",
    "%m/%d/%Y %H:%M:%S%.f",
    "%d/%m/%Y %I:%M %p",
    "%m/%d/%Y %I:%M %p",
    "%d.%m.%Y",
    "%m.%d.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d %b %Y",
    "%d-%b-%Y",
    "%d %B %Y",
    "%B %d, %Y",
];

/// Years that are written with four digits: with fewer of them the century is a guess.
const YEARS: std::ops::RangeInclusive<i32> = 1000..=9999;

impl DayFormat {
    /// A format; says why it tells no day.
    pub fn new(text: &str) -> Result<Self, String> {
        let (mut year, mut month, mut day, mut hour, mut minute) = (false, false, false, false, false);
        for item in StrftimeItems::new(text) {
            match item {
                Item::Numeric(Numeric::Year, _) => year = true,
                Item::Numeric(Numeric::Month, _) | Item::Fixed(Fixed::ShortMonthName | Fixed::LongMonthName) => {
                    month = true;
                }
                Item::Numeric(Numeric::Day, _) => day = true,
                Item::Numeric(Numeric::Ordinal, _) => (month, day) = (true, true),
                Item::Numeric(Numeric::Hour | Numeric::Hour12, _) => hour = true,
                Item::Numeric(Numeric::Minute, _) => minute = true,
                Item::Literal(_)
                | Item::Space(_)
                | Item::Numeric(Numeric::Second, _)
                | Item::Fixed(
                    Fixed::ShortWeekdayName
                    | Fixed::LongWeekdayName
                    | Fixed::Nanosecond
                    | Fixed::LowerAmPm
                    | Fixed::UpperAmPm,
                ) => {}
                Item::Numeric(Numeric::YearMod100 | Numeric::YearDiv100, _) => {
                    return Err("a year of two digits leaves the century open".to_owned());
                }
                Item::Error => return Err("it has a sign that is none of strftime's".to_owned()),
                _ => return Err("it says more than a day and a time".to_owned()),
            }
        }
        let needed =
            [(year, "year"), (month, "month"), (day, "day"), (hour || !minute, "hour"), (minute || !hour, "minute")];
        let lacks = needed.into_iter().find(|(there, _)| !there);
        if let Some((_, what)) = lacks {
            return Err(format!("it has no {what}"));
        }
        let format = Self { text: text.into(), has_time: hour };
        // Days of a typed table are spelled as ours, and must not be taken for others.
        match format.own("2001-02-03") {
            Some(date) if date.month() != 2 => Err("it reads 2001-02-03 as another day".to_owned()),
            _ => Ok(format),
        }
    }

    fn own(&self, text: &str) -> Option<NaiveDate> {
        let date = if self.has_time {
            NaiveDateTime::parse_from_str(text, &self.text).ok().map(|time| time.date())
        } else {
            NaiveDate::parse_from_str(text, &self.text).ok()
        };
        date.filter(|date| YEARS.contains(&date.year()))
    }

    /// Whether it has a time of the day.
    pub fn has_time(&self) -> bool {
        self.has_time
    }

    /// The time that a text says, in this format or as we spell times; nothing where it says none.
    pub fn read_time(&self, text: &str) -> Option<Value> {
        let own = NaiveDateTime::parse_from_str(text.trim(), &self.text).ok().map(|time| time.and_utc());
        // Parts of microseconds are none of ours.
        let own = own.filter(|time| time.timestamp_subsec_nanos() % 1_000 == 0).map(|time| time.timestamp_micros());
        let own = own.filter(|&time| timestamp::in_reach(time)).map(Value::Timestamp);
        own.or_else(|| Value::parse(text, Type::Timestamp, Decimal::Point))
    }

    /// The value of a column of days or of times.
    pub fn read_as(&self, text: &str, kind: Type) -> Option<Value> {
        if kind == Type::Timestamp { self.read_time(text) } else { self.read(text) }
    }

    /// The day that a text says, in this format or as we spell days; nothing where it says none.
    pub fn read(&self, text: &str) -> Option<Value> {
        let own = self.own(text.trim()).map(|date| Value::Date(days_of_date(date)));
        own.or_else(|| Value::parse(text, Type::Date, Decimal::Point))
    }
}

/// As a policy states it.
impl fmt::Display for DayFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Which formats all of some texts could be written in. More than one: only who knows the table can tell, as with 3/4/2022.
pub fn possible_formats<'t>(texts: &(impl Iterator<Item = &'t str> + Clone)) -> Vec<DayFormat> {
    if texts.clone().next().is_none() {
        return Vec::new();
    }
    let known = KNOWN.into_iter().filter_map(|text| DayFormat::new(text).ok());
    known.filter(|format| texts.clone().all(|text| format.own(text.trim()).is_some())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formats(texts: &[&str]) -> Vec<String> {
        possible_formats(&texts.iter().copied()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn days_are_read_as_the_format_says() {
        for (format, text, day) in [
            ("%d.%m.%Y", "07.03.1994", "1994-03-07"),
            ("%d.%m.%Y", " 7.3.1994 ", "1994-03-07"),
            ("%m/%d/%Y", "03/07/1994", "1994-03-07"),
            ("%d %b %Y", "7 Mar 1994", "1994-03-07"),
            ("%B %d, %Y", "March 7, 1994", "1994-03-07"),
            ("%d.%m.%Y", "1994-03-07", "1994-03-07"),
            ("%d.%m.%Y %H:%M", "7.3.1994 23:59", "1994-03-07"),
            ("%Y-%m-%dT%H:%M:%S%.f", "1994-03-07T00:00:01", "1994-03-07"),
            ("%Y-%m-%d %H:%M:%S%.f", "1994-03-07 00:00:01.250", "1994-03-07"),
            ("%m/%d/%Y %I:%M %p", "3/7/1994 12:30 PM", "1994-03-07"),
        ] {
            let read = DayFormat::new(format).unwrap().read(text);
            assert_eq!(read.map(|value| value.to_string()).as_deref(), Some(day), "{format} {text}");
        }
        for (format, text, time) in [
            ("%d.%m.%Y %H:%M", "7.3.1994 23:59", "1994-03-07T23:59:00"),
            ("%m/%d/%Y %I:%M %p", "3/7/1994 12:30 PM", "1994-03-07T12:30:00"),
            ("%d.%m.%Y %H:%M:%S%.f", "07.03.1994 00:00:01.25", "1994-03-07T00:00:01.250"),
            ("%d.%m.%Y %H:%M", "1994-03-07 23:59", "1994-03-07T23:59:00"),
        ] {
            let read = DayFormat::new(format).unwrap().read_as(text, Type::Timestamp);
            assert_eq!(read.map(|value| value.to_string()).as_deref(), Some(time), "{format} {text}");
        }
        let format = DayFormat::new("%d.%m.%Y").unwrap();
        for text in ["7.13.1994", "30.02.1994", "7.3.94", "07.03.1994 12:00", "", "7/3/1994"] {
            assert_eq!(format.read(text), None, "{text}");
        }
    }

    #[test]
    fn a_format_that_tells_no_day_or_a_wrong_one_is_refused() {
        for (format, why) in [
            ("%d.%m.%y", "century"),
            ("%d.%m", "no year"),
            ("%Y-%m", "no day"),
            ("%d.%m.%Y %H", "no minute"),
            ("%d.%m.%Y %M", "no hour"),
            ("%d.%m.%Y %H:%M %z", "more than a day and a time"),
            ("%Q", "strftime"),
            ("%Y-%d-%m", "another day"),
        ] {
            let error = DayFormat::new(format).unwrap_err();
            assert!(error.contains(why), "{format}: {error}");
        }
        DayFormat::new("%Y-%m-%d").unwrap();
    }

    #[test]
    fn which_of_two_numbers_is_the_day_is_told_by_one_above_twelve_and_by_nothing_else() {
        assert_eq!(formats(&["03/04/2022", "25/04/2022"]), ["%d/%m/%Y"]);
        assert_eq!(formats(&["03/04/2022", "04/25/2022"]), ["%m/%d/%Y"]);
        assert_eq!(formats(&["3/4/2022", "5/6/2021"]), ["%d/%m/%Y", "%m/%d/%Y"]);
        assert_eq!(formats(&["3.4.2022"]), ["%d.%m.%Y", "%m.%d.%Y"]);
        assert_eq!(formats(&["25/04/2022", "04/25/2022"]), [""; 0]);
        assert_eq!(formats(&["2022/04/25"]), ["%Y/%m/%d"]);
        assert_eq!(formats(&["2022-04-25 12:00", "2022-04-05 07:30"]), ["%Y-%m-%d %H:%M"]);
        assert_eq!(formats(&["2022-04-25T12:00:00", "2022-04-05T07:30:01.5"]), ["%Y-%m-%dT%H:%M:%S%.f"]);
        assert_eq!(formats(&["2022-04-25", "2022-04-05 07:30"]), [""; 0]);
        assert_eq!(formats(&["3.4.22", "1.2.3", "x"]), [""; 0]);
        assert_eq!(formats(&[]), [""; 0]);
    }
}
