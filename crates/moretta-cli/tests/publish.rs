//! From a table to a release and back, through the program.

mod support;

use std::fs;
use std::io::Write;

use support::{Desk, adult_policy, data_folder, group_sizes, rows};

const K5: &str = "[[require]]\nmodel = \"k-anonymity\"\nk = 5\n";

fn policy(source: &str, attributes: &str, k: u64) -> String {
    format!(
        "[data]\nsource = \"{source}\"\n\n[attributes]\n{attributes}\n[[require]]\nmodel = \"k-anonymity\"\nk = {k}\n\n[method]\nname = \"least-loss\"\n"
    )
}

#[test]
fn adult_is_published_five_anonymous_and_the_check_finds_the_same_k() {
    let Some(data) = data_folder("adult_is_published_five_anonymous_and_the_check_finds_the_same_k") else { return };
    let desk = Desk::new();
    desk.write("adult.toml", adult_policy(&data, K5));
    let report = desk.json(&["publish", "adult.toml", "--out", "one", "--threads", "1", "--seed", "1"]);
    assert_eq!(report["rows_in"], 30162);
    assert_eq!(report["rows_out"], 30162);
    assert_eq!(report["suppressed"], 0);
    assert_eq!(report["guarantees"][0]["holds"], true);

    let released = rows(&desk.path("one/release/data.csv"));
    let sizes = group_sizes(&released, &[0, 1, 2, 3, 4, 5]);
    let k = sizes.values().min().copied().unwrap_or(0);
    assert!(k >= 5);
    assert_eq!(report["groups"], sizes.len());
    assert_eq!(report["guarantees"][0]["achieved"]["k"], k);
    let checked = desk.json(&["check", "one/release/data.csv", "--policy", "adult.toml"]);
    assert_eq!((&checked["k"], &checked["groups"]), (&k.into(), &sizes.len().into()));
    assert_eq!(desk.json(&["check", "one"])["k"], k);

    let utility = &report["utility"];
    let squares: usize = sizes.values().map(|size| size * size).sum();
    assert_eq!(utility["dm"], squares);
    let cavg = 30162.0 / sizes.len() as f64 / 5.0;
    assert!((utility["cavg"].as_f64().unwrap() - cavg).abs() < 1e-9);
    let right: usize = sizes.keys().map(|key| most_frequent(&released, key)).sum();
    let wrong = 1.0 - right as f64 / 30162.0;
    assert!((utility["classification"].as_f64().unwrap() - wrong).abs() < 1e-9);
    let mapping = rows(&desk.path("one/private/mapping.csv"));
    for name in ["age", "workclass", "education", "marital_status", "race", "sex"] {
        let people = mapping.iter().filter(|row| row[0] == name).map(|row| row[3].parse::<u64>().unwrap());
        assert_eq!(people.sum::<u64>(), 30162, "{name}");
    }

    desk.json(&["publish", "adult.toml", "--out", "two", "--threads", "2", "--seed", "1"]);
    for file in ["data.csv", "manifest.json"] {
        assert_eq!(desk.read(&format!("one/release/{file}")), desk.read(&format!("two/release/{file}")), "{file}");
    }
}

#[test]
fn a_bound_is_proved_beside_the_same_release() {
    let desk = Desk::new();
    desk.write("t.csv", "age,city\n20,a\n20,a\n21,a\n30,a\n41,b\n42,b\n42,b\n60,c\n");
    desk.write("p.toml", policy("t.csv", "age = { role = \"quasi\" }\ncity = { role = \"quasi\" }", 2));
    let plain = desk.json(&["publish", "p.toml", "--out", "plain", "--seed", "1"]);
    assert!(plain.get("bound").is_none() && plain.get("gap").is_none());
    let report = desk.json(&["publish", "p.toml", "--out", "bounded", "--seed", "1", "--bound"]);
    let number = |of: &serde_json::Value| of.as_f64().unwrap();
    let (bound, loss) = (number(&report["bound"]), number(&report["utility"]["loss"]));
    assert!(bound > 0.0 && bound <= loss, "{bound} {loss}");
    assert!((number(&report["gap"]) - (loss / bound - 1.0)).abs() < 1e-9);
    assert!(number(&report["seconds"]["bound"]) >= 0.0);
    for file in ["data.csv", "manifest.json"] {
        assert_eq!(desk.read(&format!("plain/release/{file}")), desk.read(&format!("bounded/release/{file}")));
    }
    assert!(desk.read("bounded/private/report.html").contains("no release under this promise and these hierarchies"));
    assert!(!desk.read("plain/private/report.html").contains("no release under this promise"));
}

/// How many rows of a group have its most frequent sensitive value.
fn most_frequent(released: &[Vec<String>], group: &[String]) -> usize {
    let members: Vec<Vec<String>> = released.iter().filter(|row| row[..6] == *group).cloned().collect();
    group_sizes(&members, &[6]).values().copied().max().unwrap_or(0)
}

#[test]
fn the_bundled_example_keeps_every_row_with_its_insensitive_value() {
    let desk = Desk::new();
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/hospital");
    desk.json(&["publish", &format!("{example}/policy.toml"), "--out", "out"]);
    let released = rows(&desk.path("out/release/data.csv"));
    // Published columns: age, sex, zip_code, profession, admission_date, ward, diagnosis.
    assert!(group_sizes(&released, &[0, 1, 2, 3, 4]).values().all(|&size| size >= 5));
    let original = rows(format!("{example}/patients.csv").as_ref());
    assert_eq!(group_sizes(&released, &[5, 6]), group_sizes(&original, &[6, 7]), "ward and diagnosis belong together");
    assert_eq!(group_sizes(&released, &[1, 5, 6]), group_sizes(&original, &[2, 6, 7]), "and to a sex that stays exact");
    let sorted = rows(&desk.path("out/private/map.csv"));
    assert_eq!(sorted.len(), original.len());
    // Whoever publishes the same quasi-identifiers stands together, so that no order is left to tell anything.
    let groups = released.chunk_by(|a, b| a[..5] == b[..5]);
    assert_eq!(groups.count(), group_sizes(&released, &[0, 1, 2, 3, 4]).len());
}

#[test]
fn the_same_table_in_other_spellings_gives_the_same_release() {
    let desk = Desk::new();
    let attributes = "id = { role = \"identifier\" }\nage = { role = \"quasi\" }\ntown = { role = \"quasi\" }\nill = { role = \"sensitive\" }\nnote = { role = \"insensitive\" }\n";
    let lines: Vec<String> = (0..40)
        .map(|i| format!("{i},{},\"to,wn{}\",ill{},\"two\nlines {}\"", 20 + i % 7, i % 3, i % 5, i % 2))
        .collect();
    let plain = format!("id,age,town,ill,note\n{}\n", lines.join("\n"));
    desk.write("plain.csv", &plain);
    desk.write("bom.csv", format!("\u{feff}{plain}"));
    desk.write("crlf.csv", lines.iter().fold("id,age,town,ill,note\r\n".to_owned(), |text, line| text + line + "\r\n"));
    desk.write("semicolon.csv", plain.replace(',', ";").replace("to;wn", "to,wn"));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(plain.as_bytes()).unwrap();
    desk.write("packed.csv.gz", packed.finish().unwrap());
    let utf16: Vec<u8> = plain.encode_utf16().fold(vec![0xff, 0xfe], |mut bytes, unit| {
        bytes.extend(unit.to_le_bytes());
        bytes
    });
    desk.write("utf16.csv", utf16);
    let mut releases = Vec::new();
    for source in ["plain.csv", "bom.csv", "crlf.csv", "semicolon.csv", "packed.csv.gz", "utf16.csv"] {
        desk.write("policy.toml", policy(source, attributes, 4));
        desk.json(&["publish", "policy.toml", "--out", source.split('.').next().unwrap(), "--seed", "3"]);
        releases.push(desk.read(&format!("{}/release/data.csv", source.split('.').next().unwrap())));
    }
    assert!(releases.iter().all(|release| *release == releases[0]));
    assert!(releases[0].contains("\"two\nlines 1\""));
}

#[test]
fn a_table_goes_through_parquet_and_back() {
    let desk = Desk::new();
    desk.json(&["generate", "census", "--rows", "4000", "--seed", "5", "--out", "census.parquet"]);
    desk.json(&["generate", "census", "--rows", "4000", "--seed", "5", "--out", "census.csv"]);
    let quasi = ["age", "gender", "education", "marital", "race", "work_class", "country"];
    let attributes: String = quasi.iter().map(|name| format!("{name} = {{ role = \"quasi\" }}\n")).collect();
    let attributes = attributes + "occupation = { role = \"sensitive\" }\nsalary_class = { role = \"insensitive\" }\n";
    desk.write("a.toml", policy("census.csv", &attributes, 10));
    desk.write("b.toml", policy("census.parquet", &attributes, 10));
    desk.json(&["publish", "a.toml", "--out", "a"]);
    desk.json(&["publish", "b.toml", "--out", "b"]);
    assert_eq!(desk.read("a/release/data.csv"), desk.read("b/release/data.csv"));

    let report = desk.json(&["publish", "b.toml", "--out", "c", "--set", "output.format=parquet"]);
    assert_eq!(report["guarantees"][0]["holds"], true);
    let from_csv = desk.json(&["check", "a"]);
    let from_parquet = desk.json(&["check", "c"]);
    assert_eq!(from_csv["guarantees"], from_parquet["guarantees"]);
    desk.write("d.toml", policy("c/release/data.parquet", &attributes, 10));
    assert_eq!(desk.json(&["check", "c/release/data.parquet", "--policy", "b.toml"])["k"], from_csv["k"]);
}

#[test]
fn weights_count_people_and_equal_rows_are_published_once() {
    let desk = Desk::new();
    desk.write("people.csv", "age,ill,copies\n20,flu,3\n20,flu,2\n21,cold,1\n60,flu,4\n61,flu,0\n62,cold,5\n");
    let attributes = "age = { role = \"quasi\" }\nill = { role = \"sensitive\" }\ncopies = { role = \"weight\" }\n";
    desk.write("policy.toml", policy("people.csv", attributes, 5));
    let report = desk.json(&["publish", "policy.toml", "--out", "out"]);
    assert_eq!(report["rows_in"], 15);
    assert_eq!(report["left_out"]["weightless"], 1);
    let released = rows(&desk.path("out/release/data.csv"));
    let flu_at_20: Vec<_> = released.iter().filter(|row| row[0].contains("20") && row[1] == "flu").collect();
    assert_eq!(flu_at_20.len(), 1, "{released:?}");
    assert_eq!(flu_at_20[0][2], "5");
    let people: u64 = released.iter().map(|row| row[2].parse::<u64>().unwrap()).sum();
    assert_eq!(people, 15);
    assert_eq!(desk.json(&["check", "out"])["k"], report["guarantees"][0]["achieved"]["k"]);
}

#[test]
fn a_missing_value_that_is_kept_is_a_value_of_its_own() {
    let desk = Desk::new();
    let rows_text: String =
        (0..12).map(|i| format!("{},x\n", if i < 3 { String::new() } else { (20 + i).to_string() })).collect();
    desk.write("people.csv", format!("age,ill\n{rows_text}"));
    let attributes = "age = { role = \"quasi\" }\nill = { role = \"sensitive\" }\n";
    let text = policy("people.csv", attributes, 3).replace("[attributes]", "missing = \"keep\"\n\n[attributes]");
    desk.write("policy.toml", text);
    let report = desk.json(&["publish", "policy.toml", "--out", "out"]);
    assert_eq!(report["rows_out"], 12);
    let released = rows(&desk.path("out/release/data.csv"));
    assert_eq!(released.iter().filter(|row| row[0].is_empty()).count(), 3, "{released:?}");
}

#[test]
fn a_release_that_was_changed_is_refused() {
    let desk = Desk::new();
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/hospital/policy.toml");
    desk.json(&["publish", example, "--out", "out"]);
    let data = desk.path("out/release/data.csv");
    let text = fs::read_to_string(&data).unwrap();
    fs::write(&data, text.replacen("female", "FEMALE", 1)).unwrap();
    let output = desk.run(&["check", "out"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("SHA-256 differs"), "{output:?}");
    fs::write(&data, &text[..text.len() / 2]).unwrap();
    assert_eq!(desk.run(&["check", "out"]).status.code(), Some(1));
    fs::remove_file(&data).unwrap();
    assert_eq!(desk.run(&["check", "out"]).status.code(), Some(2));
    fs::write(desk.path("out/release/manifest.json"), "{").unwrap();
    assert_eq!(desk.run(&["check", "out"]).status.code(), Some(2));
}

#[test]
fn the_release_holds_nothing_that_it_must_not() {
    let desk = Desk::new();
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/hospital/policy.toml");
    desk.json(&["publish", example, "--out", "out", "--seed", "987654321"]);
    for file in ["data.csv", "manifest.json"] {
        let text = desk.read(&format!("out/release/{file}"));
        for secret in ["P0000001", "patient_id", "987654321", "examples", "patients.csv", "days_of_stay"] {
            assert!(!text.contains(secret), "{file} holds {secret}");
        }
    }
    let stored = "0x0000000000000000000000003ade68b1";
    assert_eq!(desk.read("out/private/seed.txt").trim(), stored);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(desk.path("out/private")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}

#[test]
fn a_starter_policy_is_accepted_as_it_is() {
    let desk = Desk::new();
    for kind in ["hospital", "census"] {
        let table = format!("{kind}.csv");
        desk.json(&["generate", kind, "--rows", "2000", "--out", &table]);
        let policy = desk.run(&["init", &table]);
        assert!(policy.status.success());
        desk.write("policy.toml", policy.stdout);
        let report = desk.json(&["publish", "policy.toml"]);
        assert_eq!(report["guarantees"][0]["holds"], true, "{kind}");
    }
    assert!(!desk.names().iter().any(|name| name.starts_with('.')), "a dry run writes nothing");
}
