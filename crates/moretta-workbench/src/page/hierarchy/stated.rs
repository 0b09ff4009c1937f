//! What a form says about a ladder, and what the policy does.

use std::cmp::Ordering;

use moretta::{CodeSystem, DateUnit, Error, HierarchySpec, Result, Side, files};
use serde_json::Value as Json;

use crate::page::form::{all, field};

/// What a form says about a ladder: its kind, and a text for each kind that needs one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stated {
    /// `none`, `free`, `stated` for what this page has no form for, or the key that a policy has; a tree is `tree`.
    pub(super) kind: String,
    pub(super) widths: String,
    /// A line for each level, the finest first.
    pub(super) cuts: String,
    pub(super) bottom: String,
    pub(super) top: String,
    pub(super) unit: String,
    pub(super) side: String,
    pub(super) lengths: String,
    pub(super) system: String,
    pub(super) people: String,
    /// Whether rare values are taken together only where a method needs a hierarchy.
    pub(super) sets: bool,
    pub(super) units: Vec<String>,
    /// A line for each value.
    pub(super) tree: String,
    /// What the policy states, as settings of the library.
    pub(super) settings: Vec<String>,
}

impl Stated {
    pub(super) fn of_form(fields: &[(String, String)], policy: Option<&Json>) -> Self {
        let text = |name: &str| field(fields, name).unwrap_or_default().to_owned();
        Self {
            kind: text("kind"),
            widths: text("widths"),
            cuts: text("cuts"),
            bottom: text("bottom"),
            top: text("top"),
            unit: text("unit"),
            side: text("side"),
            lengths: text("lengths"),
            system: text("system"),
            people: text("people"),
            sets: field(fields, "sets").is_some(),
            units: all(fields, "units").into_iter().map(str::to_owned).collect(),
            tree: text("tree"),
            settings: settings(policy),
        }
    }

    /// What a policy says; `file` gives the content of a file that it names.
    pub(super) fn of_policy(policy: Option<&Json>, file: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut stated = Self { side: "right".to_owned(), settings: settings(policy), ..Self::default() };
        let (kind, text) = match policy {
            None => ("none", None),
            Some(Json::String(name)) => ("tree", file(name)),
            Some(Json::Object(found)) => match found.iter().find(|(key, _)| *key != "sets") {
                Some((key, value)) => stated.read(key, value, found, file),
                None => ("none", None),
            },
            Some(_) => ("stated", None),
        };
        kind.clone_into(&mut stated.kind);
        stated.tree = text.unwrap_or_default();
        stated
    }

    fn read(
        &mut self,
        key: &str,
        value: &Json,
        found: &serde_json::Map<String, Json>,
        file: &dyn Fn(&str) -> Option<String>,
    ) -> (&'static str, Option<String>) {
        match (key, value) {
            ("file", Json::String(name)) => return ("tree", file(name)),
            ("rows", rows) => {
                let rows: Vec<Vec<String>> = serde_json::from_value(rows.clone()).unwrap_or_default();
                return ("tree", csv_of(&rows).ok());
            }
            ("intervals", Json::String(_)) => return ("free", None),
            ("intervals", widths) => self.widths = list(widths),
            ("cuts", cuts) if cuts[0].is_array() => {
                self.cuts = cuts.as_array().into_iter().flatten().map(list).collect::<Vec<_>>().join("\n");
            }
            ("cuts", cuts) => self.cuts = list(cuts),
            ("top" | "bottom", _) => {
                self.bottom = found.get("bottom").map(spelled).unwrap_or_default();
                self.top = found.get("top").map(spelled).unwrap_or_default();
                return ("ends", None);
            }
            ("round", unit) => self.unit = spelled(unit),
            ("mask", side) => self.side = spelled(side),
            ("dates", units) => self.units = units.as_array().into_iter().flatten().map(spelled).collect(),
            ("prefixes", lengths) => self.lengths = list(lengths),
            ("codes", system) => self.system = spelled(system),
            ("frequency", people) => {
                self.people = list(people);
                self.sets = found.get("sets") == Some(&Json::Bool(true));
            }
            _ => return ("stated", None),
        }
        let known = ["intervals", "cuts", "round", "mask", "dates", "prefixes", "codes", "frequency"];
        (known.into_iter().find(|known| *known == key).unwrap_or("stated"), None)
    }

    /// As the library takes it; nothing where there is no ladder.
    pub(super) fn spec(&self) -> Result<Option<HierarchySpec>> {
        Ok(Some(match self.kind.as_str() {
            "intervals" => HierarchySpec::Intervals(numbers(&self.widths)?),
            "cuts" if parts(&self.cuts).any(is_like_a_day) => HierarchySpec::DayCuts(levels(&self.cuts, day)?),
            "cuts" => HierarchySpec::Cuts(levels(&self.cuts, number)?),
            "ends" => {
                let end = |text: &str| if text.is_empty() { Ok(None) } else { number(text).map(Some) };
                let (bottom, top) = (end(&self.bottom)?, end(&self.top)?);
                if bottom.is_none() && top.is_none() {
                    return Err(Error::input("neither end is stated").help("for example 18 and 90"));
                }
                HierarchySpec::Ends { bottom, top }
            }
            "round" => HierarchySpec::Round(number(&self.unit)?),
            "mask" if self.side == "left" => HierarchySpec::Mask(Side::Left),
            "mask" => HierarchySpec::Mask(Side::Right),
            "dates" => {
                let units = DateUnit::NAMES.iter().filter(|(name, _)| self.units.iter().any(|unit| unit == name));
                HierarchySpec::Dates(units.map(|(_, unit)| *unit).collect())
            }
            "prefixes" => HierarchySpec::Prefixes(whole(&self.lengths)?),
            "codes" => {
                let system = CodeSystem::NAMES.iter().find(|(name, _)| *name == self.system);
                HierarchySpec::Codes(system.ok_or_else(|| Error::input("no classification is chosen"))?.1)
            }
            "frequency" if self.sets => HierarchySpec::FrequencyOrSets(whole(&self.people)?),
            "frequency" => HierarchySpec::Frequency(whole(&self.people)?),
            "tree" => HierarchySpec::rows(rows_of(&self.tree)?),
            "stated" => files::stated_hierarchy(&self.settings)?,
            _ => return Ok(None),
        }))
    }
}

/// What a policy states, key by key, as the library takes settings.
fn settings(policy: Option<&Json>) -> Vec<String> {
    let Some(Json::Object(found)) = policy else { return Vec::new() };
    found.iter().map(|(key, value)| format!("{key}={value}")).collect()
}

fn spelled(value: &Json) -> String {
    match (value.as_str(), value.as_f64()) {
        (Some(text), _) => text.to_owned(),
        // 18 and not 18.0.
        (None, Some(number)) => number.to_string(),
        (None, None) => value.to_string(),
    }
}

fn list(items: &Json) -> String {
    match items {
        Json::Array(items) => items.iter().map(spelled).collect::<Vec<_>>().join(", "),
        one => spelled(one),
    }
}

fn number(text: &str) -> Result<f64> {
    let read = text.trim().parse().ok().filter(|x: &f64| x.is_finite());
    read.ok_or_else(|| {
        Error::input(format!("{text:?} is no number")).help("with a point, not a comma, before decimals")
    })
}

/// Days since 1970-01-01, as the library reads them.
fn day(text: &str) -> Result<i32> {
    let is_plain = text.chars().all(|sign| sign.is_ascii_digit() || sign == '-');
    let read = is_plain.then(|| files::stated_hierarchy(&[format!("cuts=[\"{text}\"]")]).ok()).flatten();
    let one = match read {
        Some(HierarchySpec::DayCuts(levels)) => levels.first().and_then(|cuts| cuts.first().copied()),
        _ => None,
    };
    one.ok_or_else(|| Error::input(format!("{text:?} is no day")).help("year, month and day: 2020-01-31"))
}

/// A year and a hyphen: more like a day than like a number.
fn is_like_a_day(text: &str) -> bool {
    text.split_once('-').is_some_and(|(year, _)| year.len() == 4 && year.bytes().all(|sign| sign.is_ascii_digit()))
}

/// What stands between commas or blanks.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|sign: char| matches!(sign, ',' | ';') || sign.is_whitespace()).filter(|part| !part.is_empty())
}

/// Numbers between commas or blanks.
fn numbers(text: &str) -> Result<Vec<f64>> {
    let all: Result<Vec<f64>> = parts(text).map(number).collect();
    match all {
        Ok(none) if none.is_empty() => Err(Error::input("no number is stated").help("for example 5, 10, 20")),
        all => all,
    }
}

/// Whole numbers between commas or blanks.
fn whole<T: TryFrom<u64>>(text: &str) -> Result<Vec<T>> {
    let read = |part: &str| part.parse().ok().and_then(|number: u64| T::try_from(number).ok());
    let all: Result<Vec<T>> = parts(text)
        .map(|part| read(part).ok_or_else(|| Error::input(format!("{part:?} is no whole number"))))
        .collect();
    match all {
        Ok(none) if none.is_empty() => Err(Error::input("no number is stated").help("for example 3, 2")),
        all => all,
    }
}

/// Cut points, a line for each level, the finest first.
fn levels<T: PartialOrd>(text: &str, read: fn(&str) -> Result<T>) -> Result<Vec<Vec<T>>> {
    let mut levels: Vec<Vec<T>> = Vec::new();
    for line in text.lines().filter(|line| parts(line).next().is_some()) {
        let mut cuts = parts(line).map(read).collect::<Result<Vec<T>>>()?;
        cuts.sort_by(|one, other| one.partial_cmp(other).unwrap_or(Ordering::Equal));
        cuts.dedup();
        if levels.last().is_some_and(|finer| cuts.iter().any(|cut| !finer.contains(cut))) {
            return Err(Error::input("a coarser level cuts where the finer one does not")
                .help("leave cut points out from line to line, and add none"));
        }
        levels.push(cuts);
    }
    if levels.is_empty() {
        return Err(Error::input("no cut point is stated").help("for example 18, 30, 45, 65"));
    }
    Ok(levels)
}

/// A tree as text: a line for each value, separated by commas, semicolons or tabs.
pub(super) fn rows_of(text: &str) -> Result<Vec<Vec<String>>> {
    let first = text.lines().next().unwrap_or_default();
    let delimiter = [b',', b';', b'\t'].into_iter().find(|sign| first.as_bytes().contains(sign)).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new();
    reader.has_headers(false).flexible(true).delimiter(delimiter).trim(csv::Trim::All);
    let records = reader.from_reader(text.as_bytes()).into_records();
    let row = |record: csv::StringRecord| {
        let mut row: Vec<String> = record.iter().map(str::to_owned).collect();
        while row.len() > 1 && row.last().is_some_and(String::is_empty) {
            row.pop();
        }
        row
    };
    let rows: std::result::Result<Vec<_>, _> = records.map(|record| record.map(row)).collect();
    rows.map_err(|e| Error::input(format!("the tree can't be read: {e}")).help("one line a value: flu,infection,*"))
}

pub(super) fn csv_of(rows: &[Vec<String>]) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    let failed = |what: String| Error::bug(format!("a tree can't be written: {what}"));
    rows.iter().try_for_each(|row| writer.write_record(row)).map_err(|e| failed(e.to_string()))?;
    let bytes = writer.into_inner().map_err(|e| failed(e.to_string()))?;
    String::from_utf8(bytes).map_err(|e| failed(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_policy_states_is_what_its_form_saves() {
        for policy in [
            json!({ "intervals": [5.0, 10.0] }),
            json!({ "cuts": [18.0, 65.0] }),
            json!({ "cuts": [[18.0, 30.0, 65.0], [18.0]] }),
            json!({ "cuts": ["2023-04-01", "2023-07-01"] }),
            json!({ "cuts": [["2023-04-01", "2023-07-01"], ["2023-07-01"]] }),
            json!({ "bottom": 18.0, "top": 90.5 }),
            json!({ "round": 100.0 }),
            json!({ "mask": "left" }),
            json!({ "dates": ["month", "year"] }),
            json!({ "prefixes": [3, 1] }),
            json!({ "codes": "icd-10" }),
            json!({ "frequency": [20, 100] }),
            json!({ "frequency": [20, 100], "sets": true }),
            json!({ "columns": ["city", "country"] }),
            json!({ "balanced": 3 }),
        ] {
            let stated = Stated::of_policy(Some(&policy), &|_| None);
            let spec = stated.spec().unwrap_or_else(|error| panic!("{policy}: {error}")).expect("a ladder");
            assert_eq!(spec.to_json().expect("stated"), policy);
        }
        assert_eq!(Stated::of_policy(None, &|_| None).spec().expect("nothing"), None);
        assert_eq!(Stated::of_policy(Some(&json!({ "intervals": "free" })), &|_| None).kind, "free");
        let tree = Stated::of_policy(Some(&json!("t.csv")), &|name| Some(format!("{name},*\n")));
        assert_eq!((tree.kind.as_str(), tree.tree.as_str()), ("tree", "t.csv,*\n"));
    }

    #[test]
    fn what_is_mistyped_is_named() {
        let wrong = |kind: &str, text: &str| {
            let text = text.to_owned();
            let kind = kind.to_owned();
            let stated = Stated {
                kind,
                widths: text.clone(),
                cuts: text.clone(),
                unit: text.clone(),
                lengths: text.clone(),
                bottom: text,
                ..Stated::default()
            };
            stated.spec().expect_err("mistyped").to_string()
        };
        assert!(wrong("intervals", "5, x").contains("\"x\" is no number"));
        assert!(wrong("cuts", "18\n20").contains("coarser level"));
        assert!(wrong("cuts", "\n").contains("no cut point"));
        assert!(wrong("cuts", "2023-02-30").contains("\"2023-02-30\" is no day"));
        assert!(wrong("cuts", "2023-04-01, 18").contains("\"18\" is no day"));
        assert!(wrong("cuts", "2023-04-01\n2023-05-01").contains("coarser level"));
        assert!(wrong("round", "").contains("no number"));
        assert!(wrong("ends", "").contains("neither end"));
        assert!(wrong("prefixes", "2.5").contains("no whole number") && wrong("prefixes", " ").contains("no number"));
        assert!(wrong("codes", "x").contains("classification"));
    }

    #[test]
    fn trees_come_back_as_they_were_written() {
        let rows =
            vec![vec!["a,b".to_owned(), "say \"x\"".to_owned(), "*".to_owned()], vec!["c".to_owned(), "*".to_owned()]];
        assert_eq!(rows_of(&csv_of(&rows).expect("text")).expect("rows"), rows);
        assert_eq!(rows_of("a;A;*\nb;*;\n").expect("rows"), [vec!["a", "A", "*"], vec!["b", "*"]]);
    }
}
