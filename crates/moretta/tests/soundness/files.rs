//! Small tables, published to a folder, and their files read as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use moretta::Policy;
use moretta::internals::progress::Progress;
use moretta::internals::steward::{Options, publish};
use serde_json::{Map, Value as Json};

/// People of the original: age, height, zip code, disease, copies.
pub(crate) type Person = (i64, i64, &'static str, &'static str, u64);

const ZIPS: [&str; 4] = ["11", "12", "21", "22"];
/// The diseases, in two categories of two.
pub(crate) const DISEASES: [&str; 4] = ["cold", "flu", "gout", "pox"];

/// A table of some people that depends on nothing but its number.
pub(crate) fn people(number: u64) -> Vec<Person> {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut draw = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % below
    };
    let (rows, ages, diseases) = (16 + draw(16), 2 + draw(7), 2 + draw(3));
    let weighted = number % 3 == 2;
    (0..rows)
        .map(|_| {
            let zip = ZIPS[draw(4) as usize];
            let copies = if weighted { 1 + draw(3) } else { 1 };
            (draw(ages) as i64, draw(12) as i64, zip, DISEASES[draw(diseases) as usize], copies)
        })
        .collect()
}

/// A table of text, by column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Text {
    /// Reads CSV: fields apart by commas, in quotes where they hold one.
    fn parse(text: &str) -> Self {
        let mut lines = text.lines().map(fields);
        Self { header: lines.next().unwrap_or_default(), rows: lines.collect() }
    }

    pub(crate) fn at(&self, name: &str) -> usize {
        self.header.iter().position(|column| column == name).unwrap_or_else(|| panic!("no {name} in {:?}", self.header))
    }

    /// The people of a row: its weight, where rows have one.
    pub(crate) fn people(&self, row: &[String]) -> u64 {
        self.header.iter().position(|column| column == "copies").map_or(1, |at| row[at].parse().unwrap())
    }

    /// The rows by the values of some columns.
    pub(crate) fn by(&self, columns: &[&str]) -> BTreeMap<Vec<String>, Vec<&Vec<String>>> {
        let at: Vec<usize> = columns.iter().map(|name| self.at(name)).collect();
        let mut groups: BTreeMap<Vec<String>, Vec<&Vec<String>>> = BTreeMap::new();
        for row in &self.rows {
            groups.entry(at.iter().map(|&at| row[at].clone()).collect()).or_default().push(row);
        }
        groups
    }
}

fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    let mut signs = line.chars().peekable();
    while let Some(sign) = signs.next() {
        let last = fields.len() - 1;
        match sign {
            '"' if quoted && signs.peek() == Some(&'"') => fields[last].extend(signs.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            _ => fields[last].push(sign),
        }
    }
    fields
}

/// A release as its files, with the original and the promise that it was made under.
#[derive(Debug)]
pub(crate) struct Released {
    pub(crate) original: Vec<Person>,
    pub(crate) quasi: Vec<&'static str>,
    pub(crate) manifest: Json,
    pub(crate) tables: BTreeMap<String, Text>,
    /// The group of each row of the original, from what is private.
    pub(crate) map: Text,
    pub(crate) readme: String,
}

impl Released {
    pub(crate) fn parameters(&self) -> &Map<String, Json> {
        self.manifest["guarantees"][0]["parameters"].as_object().unwrap()
    }

    pub(crate) fn number(&self, parameter: &str) -> f64 {
        self.parameters()[parameter].as_f64().unwrap()
    }

    pub(crate) fn table(&self, name: &str) -> &Text {
        &self.tables[name]
    }
}

/// Publishes people; nothing where the table can't keep the promise.
pub(crate) fn try_publish(original: &[Person], require: &str, method: &str, numeric: bool) -> Option<Released> {
    let home = tempfile::tempdir().unwrap();
    let mut csv = "age,height,zip,disease,copies\n".to_owned();
    for (age, height, zip, disease, copies) in original {
        let _ = writeln!(csv, "{age},{height},{zip},{disease},{copies}");
    }
    std::fs::write(home.path().join("people.csv"), csv).unwrap();
    let (quasi, zip, height) =
        if numeric { (["age", "height"], "drop", "quasi") } else { (["age", "zip"], "quasi", "drop") };
    let is_weighted = original.iter().any(|person| person.4 > 1);
    let copies = if is_weighted { "weight" } else { "drop" };
    let policy = format!(
        "[data]\nsource = \"people.csv\"\n[attributes]\n\
         age = {{ role = \"quasi\", type = \"integer\", hierarchy = {{ intervals = [2, 4, 8] }} }}\n\
         height = {{ role = \"{height}\", type = \"integer\" }}\n\
         zip = {{ role = \"{zip}\", type = \"text\"{} }}\n\
         disease = {{ role = \"sensitive\", type = \"text\", categories = [[\"cold\", \"flu\"], [\"gout\", \"pox\"]] }}\n\
         copies = {{ role = \"{copies}\", type = \"integer\" }}\n\
         [[require]]\n{require}\n[method]\n{method}\n",
        if numeric { "" } else { ", hierarchy = { mask = \"right\" }" },
    );
    let policy =
        Policy::in_file(policy, &home.path().join("policy.toml"), &[]).unwrap_or_else(|e| panic!("{e}\n{require}"));
    let out = home.path().join("out");
    let options = Options { out: Some(out.clone()), force: false, seed: Some(5) };
    if let Err(error) = publish(&policy, &options, &Progress::default()) {
        assert_eq!(error.fault(), moretta::Fault::Data, "{error}\n{require}\n{method}");
        return None;
    }
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    let manifest: Json = serde_json::from_str(&read(&out.join("release/manifest.json"))).unwrap();
    let table = |entry: &Json| {
        let file = entry["file"].as_str().unwrap();
        (entry["name"].as_str().unwrap().to_owned(), Text::parse(&read(&out.join("release").join(file))))
    };
    let tables = manifest["tables"].as_array().unwrap().iter().map(table).collect();
    let map = Text::parse(&std::fs::read_to_string(out.join("private/map.csv")).unwrap_or_default());
    let readme = read(&out.join("release/README.txt"));
    Some(Released { original: original.to_vec(), quasi: quasi.to_vec(), manifest, tables, map, readme })
}
