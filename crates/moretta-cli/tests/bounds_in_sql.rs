//! Scripts of SQL that estimate and bound: what they find is what `moretta query` does, on random questions. SQLite here; the servers in
//! `checks/databases`.

mod support;

use std::fmt::Write as _;

use rusqlite::Connection;
use serde_json::Value as Json;
use support::Desk;

/// People with awkward values: commas, quotes, other letters, decimals that floats change.
fn table() -> String {
    let mut text = "name,age,region,disease\n".to_owned();
    for row in 0..240_u32 {
        let mixed = row.wrapping_mul(2_654_435_761) >> 12;
        let region = ["north, far", "\"south\"", "ést", "west"][mixed as usize / 40 % 4];
        let disease = ["flu", "cold", "gout", "ulcer", "a\\b\tc"][mixed as usize / 240 % 5];
        let _ = writeln!(text, "name{row},{},{},\"{disease}\"", 20 + mixed % 40, quoted(region));
    }
    text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn policy(method: &str, require: &str) -> String {
    format!(
        "[data]\nsource = \"t.csv\"\n[attributes]\nname = {{ role = \"identifier\" }}\nage = {{ role = \"quasi\" }}\n\
         region = {{ role = \"quasi\" }}\ndisease = {{ role = \"sensitive\" }}\n[[require]]\n{require}\n[method]\n{method}\n"
    )
}

fn desk(method: &str, require: &str) -> Desk {
    let desk = Desk::new();
    desk.write("t.csv", table());
    desk.write("files.toml", policy(method, require));
    desk
}

/// Conditions on exact columns, and on the sensitive one.
fn conditions() -> impl Iterator<Item = (String, String)> {
    (0..60_u32).map(|number| {
        let mixed = number.wrapping_mul(2_246_822_519) >> 8;
        let low = 18 + mixed % 35;
        let rows = match mixed % 3 {
            0 => format!("age BETWEEN {low} AND {}", low + mixed / 7 % 20),
            1 => format!("age >= {low} AND region = 'ést'"),
            _ => format!("region IN ('west', 'north, far') AND age < {low}"),
        };
        let disease = match mixed / 3 % 3 {
            0 => "= 'flu'",
            1 => "IN ('gout', 'ulcer', 'cold')",
            _ => "<> 'cold'",
        };
        (rows, disease.to_owned())
    })
}

#[test]
fn views_estimate_and_queries_bound_as_the_program_does() {
    for dialect in [&[][..], &["--dialect", "sqlite"]] {
        let desk = desk("name = \"anatomy\"", "model = \"distinct-l-diversity\"\nl = 3");
        desk.json(&["publish", "files.toml", "--out", "files", "--seed", "7"]);
        let script = desk.run(&[&["export", "files", "--sql"], dialect].concat());
        assert!(script.status.success());
        let script = String::from_utf8(script.stdout).unwrap();
        let base = Connection::open_in_memory().unwrap();
        base.execute_batch(&script).unwrap();
        let bounds = commented_query(&script);
        let mut uncertain = 0;
        for (rows, disease) in conditions() {
            let asked = format!("SELECT COUNT(*) WHERE {rows} AND disease {disease}");
            let answer: Json = desk.json(&["query", "files", &asked]);
            let sql = format!(
                "SELECT coalesce(SUM(moretta_people), 0.0) FROM estimate_disease WHERE {rows} AND disease {disease}"
            );
            let estimate: f64 = base.query_row(&sql, [], |row| row.get(0)).unwrap();
            assert!((estimate - answer["estimate"].as_f64().unwrap()).abs() < 1e-6, "{asked}: {estimate} {answer}");
            let sql = bounds.replace("ROWS", &rows).replace("VALUES", &format!("value {disease}"));
            let (lower, upper): (Option<f64>, Option<f64>) =
                base.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            let found = (lower.unwrap_or(0.0), upper.unwrap_or(0.0));
            assert_eq!(found, (answer["lower"].as_f64().unwrap(), answer["upper"].as_f64().unwrap()), "{asked}");
            uncertain += u32::from(found.0 < found.1);
        }
        assert!(uncertain > 20, "questions that the release leaves open");
    }
}

/// The lines of the first query that a script leaves as a comment.
fn commented_query(script: &str) -> String {
    let start = script.find("--   SELECT").unwrap_or_else(|| panic!("no query: {script}"));
    script[start..]
        .lines()
        .take_while(|line| line.starts_with("--   "))
        .map(|line| format!("{}\n", &line[5..]))
        .collect()
}

#[test]
fn queries_of_sliced_and_ambiguous_releases_estimate_and_bound_as_the_program_does() {
    let sliced = ("name = \"slicing\"\ncolumns = 2\nsensitive_column = 1", "model = \"l-diverse-slicing\"\nl = 2");
    let three = ("name = \"slicing\"\ncolumns = [[\"age\"], [\"region\"], [\"disease\"]]", sliced.1);
    let ambiguous = (
        "name = \"ambiguity\"\nsuppression = 0.7",
        "model = \"alpha-beta-privacy\"\nalpha = 0.9\nbeta = 0.6\npresence = \"group\"",
    );
    for (method, require) in [sliced, three, ambiguous] {
        let desk = desk(method, require);
        desk.json(&["publish", "files.toml", "--out", "files", "--seed", "7"]);
        let script = String::from_utf8(desk.run(&["export", "files", "--sql", "--dialect", "sqlite"]).stdout).unwrap();
        let base = Connection::open_in_memory().unwrap();
        base.execute_batch(&script).unwrap();
        let query = commented_query(&script);
        // What each place of the query is about, as the script says it: names of columns, or of the attribute whose values are listed.
        let places: Vec<(&str, &str)> = script
            .lines()
            .filter_map(|line| line.strip_prefix("-- ")?.split_once(": o"))
            .filter(|(place, _)| query.contains(&format!("{place} THEN")))
            .collect();
        assert!(places.len() >= 2, "{script}");
        let (mut uncertain, mut some) = (0, 0);
        for number in 0..60_u32 {
            let mixed = number.wrapping_mul(2_246_822_519) >> 8;
            let low = 18 + mixed % 35;
            let asked = [
                ("age", format!("BETWEEN {low} AND {}", low + 5 + mixed / 7 % 20)),
                ("region", ["IN ('west', 'north, far')", "= 'ést'", ""][mixed as usize % 3].to_owned()),
                (
                    "disease",
                    ["= 'flu'", "IN ('gout', 'ulcer', 'cold')", "<> 'cold'", ""][mixed as usize / 3 % 4].to_owned(),
                ),
            ];
            let asked: Vec<(&str, String)> = asked.into_iter().filter(|(_, condition)| !condition.is_empty()).collect();
            let all: Vec<String> = asked.iter().map(|(name, condition)| format!("{name} {condition}")).collect();
            let answer: Json = desk.json(&["query", "files", &format!("SELECT COUNT(*) WHERE {}", all.join(" AND "))]);
            let mut sql = query.clone();
            for (place, about) in &places {
                let here = asked.iter().filter(|(name, _)| about.contains(&format!("\"{name}\"")));
                let here: Vec<String> = here
                    .map(|(name, condition)| {
                        format!("{} {condition}", if place.starts_with("VALUES") { "value" } else { *name })
                    })
                    .collect();
                let condition = if here.is_empty() { "1 = 1".to_owned() } else { here.join(" AND ") };
                sql = sql.replace(&format!("{place} THEN"), &format!("{condition} THEN"));
            }
            let found: [f64; 3] = base.query_row(&sql, [], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?])).unwrap();
            let wanted = ["estimate", "lower", "upper"].map(|key| answer[key].as_f64().unwrap());
            // The program keeps an estimate within its bounds.
            let estimate = found[0].clamp(found[1], found[2]);
            assert!((estimate - wanted[0]).abs() < 1e-6, "{method}: {all:?}: {found:?} {answer}");
            assert_eq!(found[1..], wanted[1..], "{method}: {all:?}");
            uncertain += u32::from(found[1] < found[2]);
            some += u32::from(found[1] > 0.0);
        }
        assert!(uncertain > 20 && some > 5, "{method}: {uncertain} {some}");
    }
}

#[test]
fn queries_of_typed_bounds_bound_as_the_program_does() {
    let desk = Desk::new();
    // Numbers with decimals, whole numbers, days; some are missing.
    let mut table = "age,pay,born,disease\n".to_owned();
    for row in 0..300_u32 {
        let mixed = row.wrapping_mul(2_654_435_761) >> 12;
        let pay = if mixed % 11 == 0 { String::new() } else { format!("{}.{}", mixed % 90, mixed / 90 % 10) };
        let _ = writeln!(
            table,
            "{},{pay},19{}-0{}-1{},{}",
            20 + mixed % 40,
            50 + mixed % 45,
            1 + mixed / 7 % 9,
            mixed / 63 % 10,
            ["flu", "cold", "gout"][mixed as usize / 240 % 3]
        );
    }
    desk.write("t.csv", table);
    let text = |name: &str, suppression: &str| {
        format!(
            "[data]\nsource = \"t.csv\"\nmissing = \"keep\"\n[attributes]\nage = {{ role = \"quasi\" }}\n\
             pay = {{ role = \"quasi\" }}\nborn = {{ role = \"quasi\" }}\ndisease = {{ role = \"sensitive\" }}\n\
             [[require]]\nmodel = \"k-anonymity\"\nk = 6\n[method]\nname = \"{name}\"\n{suppression}[output]\nintervals = \"bounds\"\n"
        )
    };
    for (number, (name, suppression)) in
        [("mondrian", ""), ("least-loss", "suppression = 0.05\n")].into_iter().enumerate()
    {
        let (policy, out) = (format!("p{number}.toml"), format!("out{number}"));
        desk.write(&policy, text(name, suppression));
        desk.json(&["publish", &policy, "--out", &out, "--seed", "7"]);
        let script = String::from_utf8(desk.run(&["export", &out, "--sql", "--dialect", "sqlite"]).stdout).unwrap();
        let base = Connection::open_in_memory().unwrap();
        base.execute_batch(&script).unwrap();
        let query = commented_query(&script);
        let stated = |word: &str, attribute: &str| {
            let line = script.lines().find_map(|line| line.strip_prefix(&format!("-- {word} \"{attribute}\": ")));
            line.unwrap_or_else(|| panic!("{script}")).to_owned()
        };
        let mut uncertain = 0;
        for number in 0..60_u32 {
            let mixed = number.wrapping_mul(2_246_822_519) >> 8;
            let (age, pay, year) = (18 + mixed % 35, mixed / 35 % 70, 50 + mixed % 37);
            let asked = [
                ("age", age.to_string(), (age + 5 + mixed % 9).to_string()),
                ("pay", format!("{pay}.3"), format!("{}.7", pay + 9 + mixed % 17)),
                ("born", format!("'19{year}-03-01'"), format!("'19{}-11-30'", year + 3)),
            ];
            let asked = &asked[mixed as usize % 2..=1 + mixed as usize / 2 % 2];
            let all: Vec<String> = asked.iter().map(|(name, a, b)| format!("{name} BETWEEN {a} AND {b}")).collect();
            let disease = ["", " AND disease <> 'flu'"][mixed as usize / 5 % 2];
            let answer: Json =
                desk.json(&["query", &out, &format!("SELECT COUNT(*) WHERE {}{disease}", all.join(" AND "))]);
            let mut sql = query.clone();
            for word in ["SURELY", "PERHAPS"] {
                let part = |(name, a, b): &(&str, String, String)| {
                    let ends = |text: &str| {
                        text.replace("= a", &format!("= {a}"))
                            .replace("> a", &format!("> {a}"))
                            .replace("= b", &format!("= {b}"))
                    };
                    ends(&stated(word, name))
                };
                let parts: Vec<String> = asked.iter().map(part).collect();
                sql = sql.replace(&format!("{word} THEN"), &format!("{}{disease} THEN", parts.join(" AND ")));
            }
            let found: (f64, f64) = base.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            let wanted = (answer["lower"].as_f64().unwrap(), answer["upper"].as_f64().unwrap());
            assert_eq!(found, wanted, "{name}: {all:?} {sql}");
            uncertain += u32::from(found.0 < found.1);
        }
        assert!(uncertain > 20, "{name}: {uncertain}");
    }
}
