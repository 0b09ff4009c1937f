//! However a table holds its times, it gives the same release; and what is asked of one is never outside of the bounds.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray, TimestampMillisecondArray,
    TimestampNanosecondArray,
};
use bytes::Bytes;
use proptest::prelude::*;

use super::same_table::released;
use crate::check;
use crate::data::source::{Batches, Input};
use crate::data::timestamp::{DAY, HOUR, spelled};
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::query::{Query, Truth, answer};
use crate::testkit::published::publish;

const ROWS: i64 = 24;

/// The time of a row, in the first days of 2021.
fn time(row: i64) -> i64 {
    18_628 * DAY + row % 5 * 9 * HOUR + row % 3 * 1_500_000
}

fn policy(at: &str, output: &str) -> Policy {
    let text = format!(
        "[data]\nsource = \"t\"\n[attributes]\nat = {{ role = \"quasi\"{at} }}\nage = {{ role = \"quasi\" }}\n\
         ward = {{ role = \"sensitive\" }}\nseen = {{ role = \"insensitive\"{at} }}\n[[require]]\nmodel = \"k-anonymity\"\nk = 3\n\
         [method]\nname = \"mondrian\"\n[output]\nformat = \"{output}\"\n"
    );
    Policy::in_file(text, Path::new("policy.toml"), &[]).unwrap()
}

fn csv(spell: impl Fn(i64) -> String) -> Input {
    let mut text = "at,age,ward,seen\n".to_owned();
    for row in 0..ROWS {
        let seen = if row == 5 { String::new() } else { spell(time(row + 1)) };
        let _ = writeln!(text, "{},{},w{},{seen}", spell(time(row)), 20 + row % 4, row % 3);
    }
    Input::Memory("t.csv".into(), text.into())
}

fn batches(array: impl Fn(Vec<Option<i64>>) -> ArrayRef) -> Input {
    let at = (0..ROWS).map(|row| Some(time(row))).collect();
    let seen = (0..ROWS).map(|row| Some(time(row + 1)).filter(|_| row != 5)).collect();
    let columns: [(&str, ArrayRef); 4] = [
        ("at", array(at)),
        ("age", Arc::new((0..ROWS).map(|row| Some(20 + row % 4)).collect::<Int64Array>())),
        ("ward", Arc::new((0..ROWS).map(|row| Some(format!("w{}", row % 3))).collect::<StringArray>())),
        ("seen", array(seen)),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true))).unwrap();
    Input::Batches("t".into(), Arc::new(Batches::new(batch.schema(), vec![batch]).unwrap()))
}

/// As a clock an hour ahead of UTC tells it.
fn zoned(time: i64) -> String {
    format!("{}+01:00", spelled(time + HOUR).replace('T', " "))
}

#[test]
fn times_give_the_same_bytes_from_texts_in_any_form_and_zone_and_from_arrays_of_any_unit() {
    for output in ["csv", "parquet"] {
        let plain = policy("", output);
        let expected: BTreeMap<String, Bytes> = released(&plain, csv(spelled)).unwrap();
        if output == "csv" {
            let text = String::from_utf8_lossy(&expected["data.csv"]).into_owned();
            assert!(text.contains("2021-01-01T00:00:01.500") && text.contains("2021"), "{text}");
        }
        let german = |time: i64| {
            let text = spelled(time);
            format!("{}.{}.{} {}", &text[8..10], &text[5..7], &text[..4], &text[11..])
        };
        let micro = |times: Vec<Option<i64>>| times.into_iter().collect::<TimestampMicrosecondArray>();
        let by = |scale: i64, times: Vec<Option<i64>>| times.into_iter().map(move |time| time.map(|time| time / scale));
        for (name, policy, input) in [
            ("a blank", &plain, csv(|time| spelled(time).replace('T', " "))),
            ("UTC", &plain, csv(|time| spelled(time) + "Z")),
            ("another zone", &plain, csv(zoned)),
            ("a format", &policy(", type = \"timestamp\", format = \"%d.%m.%Y %H:%M:%S%.f\"", output), csv(german)),
            ("microseconds", &plain, batches(|times| Arc::new(micro(times)))),
            ("an array with a zone", &plain, batches(|times| Arc::new(micro(times).with_timezone("Europe/Rome")))),
            (
                "milliseconds",
                &plain,
                batches(|times| Arc::new(by(1_000, times).collect::<TimestampMillisecondArray>())),
            ),
            (
                "nanoseconds",
                &plain,
                batches(|times| {
                    let times = times.into_iter().map(|time| time.map(|time| time * 1_000));
                    Arc::new(times.collect::<TimestampNanosecondArray>())
                }),
            ),
        ] {
            assert_eq!(released(policy, input).unwrap(), expected, "{name}, {output}");
        }
    }
}

#[test]
fn what_is_no_time_is_refused_or_stays_a_text() {
    let stated = policy(", type = \"timestamp\"", "csv");
    let refused = released(&stated, csv(|time| spelled(time).replace("T00", "T24"))).unwrap_err();
    assert!(refused.contains("T24:00:00\" is not a timestamp"), "{refused}");
    // A stated time may be a day, which is its midnight.
    let days = |time: i64| spelled(time)[..10].to_owned();
    let text = released(&stated, csv(days)).unwrap();
    assert!(String::from_utf8_lossy(&text["data.csv"]).contains("2021-01-01T00:00:00"));
    let far = |times: Vec<Option<i64>>| -> ArrayRef {
        let far =
            |(row, time): (usize, Option<i64>)| time.map(|time| time + if row == 7 { 9_000 * 365 * DAY } else { 0 });
        Arc::new(times.into_iter().enumerate().map(far).collect::<TimestampMicrosecondArray>())
    };
    let texts = released(&policy("", "csv"), batches(far)).unwrap();
    let manifest = String::from_utf8_lossy(&texts["manifest.json"]).into_owned();
    assert!(manifest.contains("\"type\": \"text\"") && !manifest.contains("timestamp"), "{manifest}");
}

/// The forms in which times are published.
const FORMS: [&str; 5] = [
    "",
    ", hierarchy = { dates = [\"hour\", \"day\", \"week\"] }",
    ", hierarchy = { dates = [\"day\"] }",
    ", hierarchy = { dates = [\"month\", \"quarter\"] }",
    ", intervals = \"free\"",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn the_truth_lies_within_the_bounds_and_both_forms_of_intervals_answer_alike(
        hours in proptest::collection::vec((0_i64..900, 0_u32..4), 6..30), form in 0..FORMS.len(), low in 0_i64..900, length in 0_i64..400
    ) {
        let start = 18_600 * DAY;
        let mut csv = "at,ward\n".to_owned();
        for (later, (hour, ward)) in [0, 61_500_000].into_iter().cycle().zip(&hours) {
            let _ = writeln!(csv, "{},w{ward}", spelled(start + hour * HOUR + later));
        }
        let policy = |intervals: &str| {
            format!(
                "[attributes]\nat = {{ role = \"quasi\", type = \"timestamp\"{} }}\nward = {{ role = \"sensitive\" }}\n[[require]]\nmodel = \"k-anonymity\"\nk = 2\n\
                 [method]\nname = \"mondrian\"\n[output]\nintervals = \"{intervals}\"\n",
                FORMS[form]
            )
        };
        let forms = ["text", "bounds"].map(|intervals| publish(&csv, &policy(intervals), 3).unwrap());
        let truth = Prepared::read(&forms[0].policy, &Progress::default()).unwrap();
        let truth = truth.original();
        let (from, to) = (spelled(start + low * HOUR), spelled(start + (low + length) * HOUR));
        for asked in [
            format!("SELECT COUNT(*) WHERE at BETWEEN '{from}' AND '{to}'"),
            format!("SELECT COUNT(*) WHERE at < '{}'", &to[..10]),
            format!("SELECT COUNT(*) WHERE at >= '{from}' AND ward = 'w1'"),
            "SELECT MAX(at)".to_owned(),
        ] {
            let query = Query::parse(&asked).unwrap();
            let found = answer(&*forms[0].release, &query).unwrap().rows[0].estimates[0];
            let exact = answer(&Truth(&truth), &query).unwrap().rows[0].estimates[0].estimate.unwrap();
            prop_assert!(found.lower.unwrap() <= exact && exact <= found.upper.unwrap(), "{asked}: {exact} not in {found:?}");
            prop_assert_eq!(found, answer(&*forms[1].release, &query).unwrap().rows[0].estimates[0], "{}", asked);
        }
        for published in &forms {
            let verified = check::release(&published.storage(), None, &Progress::default()).unwrap();
            prop_assert!(verified.verdicts.iter().all(|verdict| verdict.holds), "{:?}", verified.verdicts);
        }
        let ends = forms[1].text("data");
        prop_assert!(ends.starts_with("at_low,at_high,"), "{ends}");
    }
}

#[test]
fn the_empty_text_has_a_name_where_it_is_a_value() {
    let policy = |data: &str| {
        let text = format!(
            "[data]\nsource = \"t\"\nmissing = \"keep\"\n{data}\n[attributes]\nage = {{ role = \"quasi\" }}\nward = {{ role = \"sensitive\" }}\n\
             note = {{ role = \"insensitive\" }}\n[[require]]\nmodel = \"k-anonymity\"\nk = 2\n[method]\nname = \"mondrian\"\n"
        );
        Policy::in_file(text, Path::new("policy.toml"), &[])
    };
    let input = |odd: &str| {
        let texts = [Some("x"), None, Some(""), Some(odd)];
        let column = || -> ArrayRef { Arc::new(texts.into_iter().collect::<StringArray>()) };
        let age: ArrayRef = Arc::new(Int64Array::from(vec![20, 20, 20, 20]));
        let columns = [("age", age), ("ward", column()), ("note", column())];
        let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true))).unwrap();
        Input::Batches("t".into(), Arc::new(Batches::new(batch.schema(), vec![batch]).unwrap()))
    };
    let rows = |data: &str| {
        let files = released(&policy(data).unwrap(), input("y")).unwrap();
        let text = String::from_utf8_lossy(&files["data.csv"]).into_owned();
        let mut rows: Vec<String> = text.lines().skip(1).map(ToOwned::to_owned).collect();
        rows.sort();
        rows
    };
    assert_eq!(rows(""), ["20,,", "20,,", "20,x,x", "20,y,y"]);
    assert_eq!(rows("empty_text = \"(empty)\""), ["20,(empty),(empty)", "20,,", "20,x,x", "20,y,y"]);
    let named = policy("empty_text = \"(empty)\"").unwrap();
    let clash = released(&named, input("(empty)")).unwrap_err();
    assert!(clash.contains("column \"ward\": the value of row 4 is the word that `empty_text` has"), "{clash}");
    let untold = released(&named, Input::Memory("t.csv".into(), "age,ward,note\n1,a,b\n".into())).unwrap_err();
    assert!(untold.contains("does not tell an empty text from no value"), "{untold}");
    for data in ["empty_text = \"\"", "empty_text = \"NA\"\nmissing_values = [\"NA\"]"] {
        assert!(policy(data).unwrap_err().message().contains("means a missing value"), "{data}");
    }
}
