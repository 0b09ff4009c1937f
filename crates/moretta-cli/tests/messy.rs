//! Tables as they come: each is read as it is meant, or refused with what is wrong and what would help.

mod support;

use support::Desk;

/// What a command is to say about a file.
struct Case {
    file: &'static str,
    bytes: Vec<u8>,
    command: &'static [&'static str],
    /// The exit status.
    status: i32,
    /// What stands in its output, in words.
    says: &'static [&'static str],
}

const INSPECT: &[&str] = &["inspect"];
const INIT: &[&str] = &["init"];

fn case(
    file: &'static str,
    bytes: impl Into<Vec<u8>>,
    command: &'static [&'static str],
    status: i32,
    says: &'static [&'static str],
) -> Case {
    Case { file, bytes: bytes.into(), command, status, says }
}

/// Three hundred people: age, sex, disease, each as a function makes them from their number.
fn rows(header: &str, row: impl Fn(usize) -> String) -> String {
    let rows: String = (0..300).map(|i| row(i) + "\n").collect();
    if header.is_empty() { rows } else { format!("{header}\n{rows}") }
}

fn age(i: usize) -> usize {
    18 + i * 7 % 70
}

fn disease(i: usize) -> &'static str {
    ["flu", "HIV", "gout"][i * i % 7 % 3]
}

fn person(i: usize) -> String {
    format!("{},{},{}", age(i), if i.is_multiple_of(2) { "m" } else { "f" }, disease(i))
}

fn cases() -> Vec<Case> {
    let windows = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
    let crlf = format!("{}1,2\n", rows("age,sex,disease", person)).replace('\n', "\r\n");
    vec![
        case("headless.csv", rows("", person), INSPECT, 2, &["the first line looks like a row", "`--no-header`"]),
        case(
            "index.csv",
            rows(",age,sex,disease", |i| format!("{i},{}", person(i))),
            INSPECT,
            0,
            &["column1", "it only numbers the rows"],
        ),
        case(
            "lines.json",
            rows("", |i| format!("{{\"age\": {}, \"disease\": \"{}\"}}", age(i), disease(i))),
            INSPECT,
            2,
            &["this is JSON"],
        ),
        case(
            "notes.csv",
            format!("# from the ward\n# 2022\n{}", rows("age,sex,disease", person)),
            INSPECT,
            2,
            &["begins with comments", "start in line 3"],
        ),
        case(
            "digits.csv",
            rows("code,disease", |i| format!("{}{i:04},{}", "1".repeat(22), disease(i))),
            INSPECT,
            0,
            &["text", "300", "1111111111111111111111"],
        ),
        case(
            "nine.csv",
            rows("age,disease", |i| {
                format!("{},{}", if i % 7 == 0 { "-9".to_owned() } else { age(i).to_string() }, disease(i))
            }),
            INIT,
            0,
            &["Missing too? \"-9\" in 43 rows of \"age\""],
        ),
        case("crlf.csv", crlf, INSPECT, 2, &["this line has 2 fields, the header has 3", "crlf.csv:302"]),
        case("gaps.csv", "age,sex,disease\n30,m,flu\n\n\n31,f\n", INSPECT, 2, &["gaps.csv:5"]),
        case(
            "windows.csv",
            windows(&rows("age,town", |i| format!("{},K\u{f6}ln", age(i)))),
            INSPECT,
            2,
            &["not UTF-8", "`--encoding windows-1252`"],
        ),
        case(
            "points.csv",
            rows("income;disease", |i| format!("1.{}0,56;{}", age(i), disease(i))),
            INSPECT,
            0,
            &["take the sign between thousands away"],
        ),
        case(
            "blanks.csv",
            rows("age,disease", |i| {
                format!("{},{}", age(i), if i % 2 == 0 { format!(" {} ", disease(i)) } else { disease(i).to_owned() })
            }),
            INSPECT,
            0,
            &["What looks wrong", "blanks around"],
        ),
        case(
            "accents.csv",
            rows("age,town", |i| format!("{},{}", age(i), if i % 2 == 0 { "Orl\u{e9}ans" } else { "Orle\u{301}ans" })),
            INSPECT,
            0,
            &["What looks wrong", "accents"],
        ),
        case(
            "people.dta",
            b"<stata_dta><header><release>118</release>".to_vec(),
            INSPECT,
            2,
            &["this is a Stata file", "moretta[statistics]"],
        ),
        case(
            "people.sav",
            b"$FL2@(#) SPSS DATA FILE and so on".to_vec(),
            INSPECT,
            2,
            &["this is an SPSS file", "moretta[statistics]"],
        ),
        case(
            "people.feather",
            b"ARROW1\0\0and so on".to_vec(),
            INSPECT,
            2,
            &["this is an Arrow file (Feather)", "Parquet"],
        ),
    ]
}

#[test]
fn messy_tables_are_read_as_they_are_meant_or_refused_with_what_would_help() {
    let desk = Desk::new();
    for Case { file, bytes, command, status, says } in cases() {
        desk.write(file, bytes);
        let output = desk.run(&[command, &[file]].concat());
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(status), "{file}: {text}");
        says.iter().for_each(|words| assert!(text.contains(words), "{file}: {words:?} is not in: {text}"));
    }
}

/// A policy over ages, sexes and diseases with a hierarchy of diseases, and what publishing under it says.
fn with_hierarchy(hierarchy: &[u8]) -> (Option<i32>, String) {
    let desk = Desk::new();
    desk.write("t.csv", rows("age,sex,disease", person));
    desk.write("tree.csv", hierarchy);
    desk.write(
        "policy.toml",
        "[data]\nsource = \"t.csv\"\n[attributes]\nage = { role = \"quasi\" }\nsex = { role = \"quasi\" }\n\
         disease = { role = \"quasi\", hierarchy = \"tree.csv\" }\n[[require]]\nmodel = \"k-anonymity\"\nk = 2\n\
         [method]\nname = \"least-loss\"\n",
    );
    let output = desk.run(&["publish", "policy.toml"]);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_hierarchy_names_all_that_it_lacks_may_have_tabs_and_says_how_it_is_spelled() {
    let (status, words) = with_hierarchy(b"hiv,x,*\n");
    assert_eq!(status, Some(2));
    for line in ["no leaves \"HIV\", \"flu\", \"gout\"", "HIV,\u{2026},*    (there is \"hiv\")", "flu,\u{2026},*"] {
        assert!(words.contains(line), "{words}");
    }
    assert_eq!(with_hierarchy(b"flu\tI\t*\nHIV\tI\t*\ngout\tS\t*\n").0, Some(0));
    let (status, words) = with_hierarchy(b"flu,Infektion,*\nHIV,Infektion,*\ngout,Stoffwechsel\xf6,*\n");
    assert!(status == Some(2) && words.contains("tree.csv:3") && words.contains("save the file as UTF-8"), "{words}");
}

#[test]
fn a_misspelt_key_is_named_itself() {
    let desk = Desk::new();
    desk.write("t.csv", rows("age,sex,disease", person));
    desk.write("policy.toml", "[data]\nsorce = \"t.csv\"\n[attributes]\nage = { role = \"quasi\" }\n");
    let words = String::from_utf8_lossy(&desk.run(&["publish", "policy.toml"]).stderr).into_owned();
    assert!(words.contains("unknown key `sorce`") && words.contains("did you mean `source`?"), "{words}");
}
