//! Days and times that a table spells in a way of its own.

use std::sync::Arc;

use crate::data::day_format::{DayFormat, possible_formats};
use crate::data::domain::Domain;
use crate::data::table::Column;
use crate::data::timestamp;
use crate::data::value::{Type, Value};

/// A column of texts that are all days, or all times, as such, with the format that tells so. Where several formats would, none is taken: nobody but who
/// knows the table can say which it is. Times that are all midnights are days, as are those that are too far for times.
pub(super) fn recognized(column: Column) -> (Column, Option<DayFormat>) {
    let found = formats(&column);
    let [format] = &found[..] else { return (column, None) };
    let read = |kind: Type| -> Option<Vec<Value>> {
        let value = |value: &Value| match value {
            Value::Text(text) => format.read_as(text, kind),
            _ => Some(Value::Missing),
        };
        column.domain.values().iter().map(value).collect()
    };
    let has_hours = |value: &Value| matches!(value, Value::Timestamp(time) if time % timestamp::DAY != 0);
    let times = if format.has_time() { read(Type::Timestamp) } else { None };
    let (kind, values) = match (times.filter(|times| times.iter().any(has_hours)), read(Type::Date)) {
        (Some(times), _) => (Type::Timestamp, times),
        (None, Some(days)) => (Type::Date, days),
        (None, None) => return (column, None),
    };
    let (domain, code_of) = Domain::from_unsorted(kind, values);
    let codes = column.codes.iter().map(|&code| code_of[code as usize]).collect();
    (Column { name: column.name, domain: Arc::new(domain), codes }, Some(format.clone()))
}

/// What to ask about a column whose texts may be days in several ways.
pub(super) fn question(column: &Column) -> Option<String> {
    let found = formats(column);
    let [first, .., last] = &found[..] else { return None };
    let formats: Vec<String> = found.iter().map(|format| format!("{:?}", format.to_string())).collect();
    let differ = |text: &&str| first.read(text) != last.read(text);
    let example = texts(column).find(differ).or_else(|| texts(column).next())?;
    let read = |format: &DayFormat| format.read(example).map(|day| day.to_string()).unwrap_or_default();
    Some(format!(
        "{:?}: days such as {example:?} may be {} or {}, and no value tells which; state the attribute's `format`: {}",
        column.name,
        read(first),
        read(last),
        formats.join(" or ")
    ))
}

/// What becomes of times of the day in a column of days.
pub(super) fn read_over(column: &Column, format: &DayFormat) -> Option<String> {
    let name = &column.name;
    (format.has_time() && column.domain.kind() == Type::Date)
        .then(|| format!("{name:?}: times are read as days, and the time of the day is not published"))
}

fn formats(column: &Column) -> Vec<DayFormat> {
    if column.domain.kind() == Type::Text { possible_formats(&texts(column)) } else { Vec::new() }
}

fn texts(column: &Column) -> impl Iterator<Item = &str> + Clone {
    column.domain.values().iter().filter_map(|value| match value {
        Value::Text(text) => Some(&**text),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(texts: &[&str]) -> Column {
        let value = |text: &&str| if text.is_empty() { Value::Missing } else { Value::Text((*text).into()) };
        let (domain, codes) = Domain::from_unsorted(Type::Text, texts.iter().map(value).collect());
        Column { name: "born".to_owned(), domain: Arc::new(domain), codes }
    }

    #[test]
    fn days_are_recognized_where_only_one_format_fits() {
        let (days, format) = recognized(column(&["25/04/2022", "", "03/04/2022", "3/4/2022"]));
        assert_eq!(format.unwrap().to_string(), "%d/%m/%Y");
        let values: Vec<String> = days.codes.iter().map(|&code| days.domain.value(code).to_string()).collect();
        assert_eq!(values, ["2022-04-25", "", "2022-04-03", "2022-04-03"]);
        assert_eq!(question(&days), None);
    }

    #[test]
    fn days_that_may_be_read_in_two_ways_are_asked_about_and_stay_texts() {
        let (texts, format) = recognized(column(&["1/1/2022", "3/4/2022", "5/6/2021"]));
        assert_eq!((format, texts.domain.kind()), (None, Type::Text));
        assert_eq!(
            question(&texts).unwrap(),
            "\"born\": days such as \"3/4/2022\" may be 2022-04-03 or 2022-03-04, and no value tells which; state the attribute's \
             `format`: \"%d/%m/%Y\" or \"%m/%d/%Y\""
        );
        assert_eq!(question(&column(&["flu"])), None);
    }

    #[test]
    fn times_are_recognized_and_days_where_there_are_no_hours_or_years_are_far_and_that_is_told() {
        let (times, format) = recognized(column(&["25.4.2022 12:00", "", "25.4.2022 13:30"]));
        let values: Vec<String> = times.codes.iter().map(|&code| times.domain.value(code).to_string()).collect();
        assert_eq!(values, ["2022-04-25T12:00:00", "", "2022-04-25T13:30:00"]);
        assert_eq!((times.domain.kind(), read_over(&times, &format.unwrap())), (Type::Timestamp, None));
        for texts in [["25.4.2022 00:00", "26.4.2022 00:00"], ["25.4.2022 12:00", "31.12.9999 00:00"]] {
            let (days, format) = recognized(column(&texts));
            assert_eq!(days.domain.kind(), Type::Date, "{texts:?}");
            assert!(read_over(&days, &format.unwrap()).unwrap().contains("read as days"));
        }
        let (days, format) = recognized(column(&["25.4.2022"]));
        assert_eq!(read_over(&days, &format.unwrap()), None);
    }
}
