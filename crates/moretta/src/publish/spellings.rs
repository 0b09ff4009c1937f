//! However a table spells its days and numbers, it gives the same release; and a spreadsheet says what the other files say.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Date32Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use bytes::Bytes;
use chrono::Datelike;

use super::same_table::released;
#[cfg(feature = "spreadsheet")]
use crate::check;
use crate::data::source::{Batches, Input};
use crate::data::value::date_of_days;
use crate::policy::Policy;
#[cfg(feature = "spreadsheet")]
use crate::progress::Progress;
#[cfg(feature = "spreadsheet")]
use crate::testkit::published::publish;

const ROWS: i32 = 24;

#[cfg(feature = "spreadsheet")]
const OUTPUTS: [&str; 3] = ["csv", "parquet", "xlsx"];
#[cfg(not(feature = "spreadsheet"))]
const OUTPUTS: [&str; 2] = ["csv", "parquet"];

/// The day of a row, counted from 1970.
fn day(row: i32, step: i32) -> i32 {
    8_800 + row % 7 * step
}

fn policy(format: Option<&str>, data: &str, output: &str) -> Policy {
    let format = format.map_or_else(String::new, |format| format!(", format = {format:?}"));
    let text = format!(
        "[data]\nsource = \"t\"\n{data}\n[attributes]\nborn = {{ role = \"quasi\"{format} }}\nage = {{ role = \"quasi\", type = \"integer\" }}\n\
         disease = {{ role = \"sensitive\" }}\nseen = {{ role = \"insensitive\"{format} }}\n[[require]]\nmodel = \"k-anonymity\"\nk = 3\n\
         [method]\nname = \"mondrian\"\n[output]\nformat = \"{output}\"\n"
    );
    Policy::in_file(text, Path::new("policy.toml"), &[]).unwrap()
}

fn csv(spell: impl Fn(i32) -> String, sign: char) -> Input {
    let mut text = ["born", "age", "disease", "seen"].join(&sign.to_string()) + "\n";
    for row in 0..ROWS {
        let seen = if row == 5 { String::new() } else { spell(day(row, 200)) };
        let fields = [spell(day(row, 40)), (20 + row % 5).to_string(), format!("d{}", row % 3), seen];
        text += &(fields.join(&sign.to_string()) + "\n");
    }
    Input::Memory("t.csv".into(), text.into())
}

fn batches(array: impl Fn(&[Option<i32>]) -> ArrayRef) -> Input {
    let days = |step| (0..ROWS).map(|row| Some(day(row, step))).collect::<Vec<_>>();
    let mut seen = days(200);
    seen[5] = None;
    let columns: [(&str, ArrayRef); 4] = [
        ("born", array(&days(40))),
        ("age", Arc::new((0..ROWS).map(|row| Some(i64::from(20 + row % 5))).collect::<Int64Array>())),
        ("disease", Arc::new((0..ROWS).map(|row| Some(format!("d{}", row % 3))).collect::<StringArray>())),
        ("seen", array(&seen)),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true))).unwrap();
    Input::Batches("t".into(), Arc::new(Batches::new(batch.schema(), vec![batch]).unwrap()))
}

fn spelled(format: &str, days: i32) -> String {
    let date = date_of_days(days).unwrap();
    let (year, month, day) = (date.year(), date.month(), date.day());
    match format {
        "%d.%m.%Y" => format!("{day}.{month}.{year}"),
        "%m/%d/%Y" => format!("{month:02}/{day:02}/{year}"),
        _ => date.to_string(),
    }
}

#[test]
fn days_give_the_same_bytes_from_texts_in_any_format_from_days_and_from_midnights() {
    for output in OUTPUTS {
        let expected: BTreeMap<String, Bytes> =
            released(&policy(None, "", output), csv(|days| spelled("", days), ',')).unwrap();
        assert!(expected.len() >= 4, "{:?}", expected.keys());
        let day_array = |days: &[Option<i32>]| -> ArrayRef { Arc::new(days.iter().copied().collect::<Date32Array>()) };
        let midnights = |days: &[Option<i32>]| -> ArrayRef {
            let instant = |days: &Option<i32>| days.map(|days| i64::from(days) * 86_400_000_000);
            Arc::new(days.iter().map(instant).collect::<TimestampMicrosecondArray>())
        };
        let texts = |days: &[Option<i32>]| -> ArrayRef {
            Arc::new(days.iter().map(|days| days.map(|days| spelled("%d.%m.%Y", days))).collect::<StringArray>())
        };
        for (name, policy, input) in [
            ("points", policy(Some("%d.%m.%Y"), "", output), csv(|days| spelled("%d.%m.%Y", days), ',')),
            ("slashes", policy(Some("%m/%d/%Y"), "", output), csv(|days| spelled("%m/%d/%Y", days), ';')),
            ("days", policy(None, "", output), batches(day_array)),
            ("days, and a format", policy(Some("%d.%m.%Y"), "", output), batches(day_array)),
            ("midnights", policy(None, "", output), batches(midnights)),
            ("texts of a frame", policy(Some("%d.%m.%Y"), "", output), batches(texts)),
        ] {
            assert_eq!(released(&policy, input).unwrap(), expected, "{name}, {output}");
        }
    }
}

#[test]
fn a_day_that_is_not_in_its_format_is_refused_with_its_line() {
    let policy = policy(Some("%d.%m.%Y"), "", "csv");
    let input = |born: &str, seen: &str| {
        let rows = format!(
            "born,age,disease,seen\n07.03.1994,20,a,07.03.1994\n{born},20,b,{seen}\n08.03.1994,20,c,08.03.1994\n"
        );
        Input::Memory("t.csv".into(), rows.into())
    };
    let refused = |born: &str, seen: &str| released(&policy, input(born, seen)).unwrap_err();
    assert_eq!(refused("13.13.1994", "07.03.1994"), "column \"born\": \"13.13.1994\" is not a date");
    assert_eq!(refused("07.03.94", "07.03.1994"), "column \"born\": \"07.03.94\" is not a date");
    assert_eq!(refused("07.03.1994", "31.04.1994"), "column \"seen\": \"31.04.1994\", in row 2, is not a date");
    assert!(released(&policy, input("07.03.1994", "1994-03-07")).is_ok());
}

#[test]
fn a_format_that_can_not_be_is_refused_where_it_stands() {
    let read = |attribute: &str| {
        let text = format!("[attributes]\nborn = {{ role = \"quasi\", {attribute} }}\n");
        Policy::parse(text).map(|policy| policy.attributes[0].kind)
    };
    assert_eq!(read("format = \"%d.%m.%Y\"").unwrap(), Some(crate::data::value::Type::Date));
    for (attribute, why) in [
        ("format = \"%d.%m.%y\"", "century"),
        ("format = \"%d.%m.%Y\", type = \"text\"", "the type is text"),
        ("format = \"dd.mm.yyyy\"", "no year"),
    ] {
        let error = read(attribute).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn numbers_with_signs_between_thousands_give_the_release_of_plain_ones() {
    let policy = |data: &str| {
        let text = format!(
            "[data]\nsource = \"t\"\n{data}\n[attributes]\npay = {{ role = \"quasi\" }}\nzip = {{ role = \"quasi\" }}\nshare = {{ role = \"sensitive\" }}\n\
             open = {{ role = \"insensitive\" }}\n[[require]]\nmodel = \"k-anonymity\"\nk = 2\n[method]\nname = \"mondrian\"\n"
        );
        Policy::in_file(text, Path::new("policy.toml"), &[])
    };
    let table = |spell: fn(u32) -> String, half: fn(u32) -> String, sign: char| {
        let mut text = ["pay", "zip", "share", "open"].join(&sign.to_string()) + "\n";
        for row in 0..12_u32 {
            let _ = writeln!(
                text,
                "{}{sign}0{}{sign}{}{sign}{}",
                spell(998 + row % 4),
                1000 + row % 3,
                half(row % 5),
                half(1233 + row % 2)
            );
        }
        Input::Memory("t.csv".into(), text.into())
    };
    let plain = released(&policy("").unwrap(), table(|n| n.to_string(), |n| format!("{n}.5"), ',')).unwrap();
    let german = released(
        &policy("thousands = \".\"\ndelimiter = \";\"").unwrap(),
        table(
            |n| if n < 1000 { n.to_string() } else { format!("1.{:03}", n - 1000) },
            |n| if n < 1000 { format!("{n},5") } else { format!("1.{:03},5", n - 1000) },
            ';',
        ),
    )
    .unwrap();
    assert_eq!(german, plain);
    // Codes with a leading zero stay what they are.
    let data = String::from_utf8_lossy(&plain["data.csv"]).into_owned();
    assert!(data.contains("01000"), "{data}");
    assert!(policy("thousands = \".\"\ndecimal = \".\"").unwrap_err().to_string().contains("the same sign"));
    assert!(policy("thousands = \"x\"").unwrap_err().to_string().contains("`thousands` is \"x\""));
    let batch = RecordBatch::try_from_iter([("pay", Arc::new(Int64Array::from(vec![1])) as ArrayRef)]).unwrap();
    let typed = Input::Batches("t".into(), Arc::new(Batches::new(batch.schema(), vec![batch]).unwrap()));
    let pointless = released(&policy("thousands = \".\"").unwrap(), typed).unwrap_err();
    assert_eq!(pointless, "`thousands` is stated, and this is not a CSV file");
}

#[cfg(feature = "spreadsheet")]
#[test]
fn a_spreadsheet_is_checked_asked_and_exported_as_other_files_are() {
    let table = |output: &str, form: &str| {
        let mut text = "born,age,zip,disease,note\n".to_owned();
        for row in 0..30 {
            let _ = writeln!(
                text,
                "{},{},0{},d{},=n{}",
                spelled("", day(row, 40)),
                20 + row % 6,
                10 + row % 4,
                row % 3,
                row % 2
            );
        }
        let policy = format!(
            "[attributes]\nborn = {{ role = \"quasi\" }}\nage = {{ role = \"quasi\" }}\nzip = {{ role = \"quasi\" }}\ndisease = {{ role = \"sensitive\" }}\n\
             note = {{ role = \"insensitive\" }}\n[[require]]\nmodel = \"k-anonymity\"\nk = 3\n[method]\nname = \"mondrian\"\n\
             [output]\nformat = \"{output}\"\nintervals = \"{form}\"\n"
        );
        publish(&text, &policy, 5).unwrap()
    };
    for form in ["text", "bounds"] {
        let (csv, sheet) = (table("csv", form), table("xlsx", form));
        let seen = |published: &crate::testkit::published::Published| {
            let verified = check::release(&published.storage(), None, &Progress::default()).unwrap();
            let storage = published.storage();
            let files = crate::release::Files::open(&storage, &Progress::default()).unwrap();
            let tables = crate::export::tables(&files).unwrap();
            let shown: Vec<String> =
                published.for_questions().shown().unwrap().iter().map(|rows| format!("{rows:?}")).collect();
            (format!("{:?}", verified.verdicts), shown, tables[0].1.clone())
        };
        let (expected, found) = (seen(&csv), seen(&sheet));
        assert_eq!((&expected.0, &expected.1), (&found.0, &found.1), "{form}");
        assert_eq!(expected.2, found.2, "{form}");
        let bytes = std::fs::read(sheet.folder().join("release/data.xlsx")).unwrap();
        assert_eq!(bytes, std::fs::read(table("xlsx", form).folder().join("release/data.xlsx")).unwrap());
        assert!(sheet.folder().join("private/map.xlsx").exists());
    }
}

#[cfg(feature = "spreadsheet")]
#[test]
fn what_a_sheet_has_no_room_for_is_refused_and_nothing_is_left() {
    let policy = "[attributes]\nage = { role = \"quasi\" }\nnote = { role = \"insensitive\" }\n[[require]]\nmodel = \"k-anonymity\"\nk = 2\n\
                  [method]\nname = \"mondrian\"\n[output]\nformat = \"xlsx\"\n";
    let error = publish("age,note\n20,_x0041_\n20,b\n", policy, 1).err().unwrap();
    assert!(error.message().contains("_x0041_"), "{error}");
    assert_eq!(error.fault(), crate::Fault::Data);
}
