//! The ways to state a hierarchy.

use std::fmt;

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::file::HierarchyFile;
use crate::config::Node;
use crate::data::value::Value;

/// How the values of an attribute are generalized.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum HierarchySpec {
    /// Nothing stated: numbers to intervals, dates and times to the calendar, everything else to sets.
    #[default]
    Default,
    /// Intervals with any ends, although the values might have a hierarchy.
    Free,
    /// A file, one leaf a line.
    File(HierarchyFile),
    /// Each leaf with its ancestors, leaf first: what a manifest lists.
    Listed(Vec<Vec<String>>),
    /// Intervals of these widths, each a multiple of the one before.
    Intervals(Vec<f64>),
    /// Characters masked from one side.
    Mask(Side),
    /// A tree of this fan-out over the values in order.
    Balanced(u32),
    /// Units of the calendar, each a part of the next: weeks only as the last.
    Dates(Vec<DateUnit>),
    /// Intervals between own cut points, level by level; each level has only cuts of the one before.
    Cuts(Vec<Vec<f64>>),
    /// The same between days, as days since 1970-01-01.
    DayCuts(Vec<Vec<i32>>),
    /// Numbers from `top` on taken together, and those below `bottom`; the others stay as they are.
    Ends {
        /// Below which numbers are taken together.
        bottom: Option<f64>,
        /// From which on they are.
        top: Option<f64>,
    },
    /// Numbers rounded to multiples of this one: published as the interval of what is rounded alike.
    Round(f64),
    /// The beginnings of codes, of these lengths, longer ones first.
    Prefixes(Vec<u32>),
    /// Codes of a known classification, by their structure.
    Codes(CodeSystem),
    /// Values of few people taken together, until each label stands for at least so many, level by level.
    Frequency(Vec<u64>),
    /// The same for methods that need a hierarchy; all others publish sets, or intervals, as if none were stated. Rare values that are taken together
    /// have nothing in common but that they are rare, and sets of neighbours lose less.
    FrequencyOrSets(Vec<u64>),
    /// What stands in other columns of the table, each coarser than the one before.
    Columns(Vec<String>),
}

impl HierarchySpec {
    /// Intervals of these widths, each a multiple of the one before.
    pub fn intervals(widths: impl IntoIterator<Item: Into<f64>>) -> Self {
        Self::Intervals(widths.into_iter().map(Into::into).collect())
    }

    /// Each value with its ancestors, the value first and the root last.
    pub fn rows<R, L>(rows: R) -> Self
    where
        R: IntoIterator<Item = L>,
        L: IntoIterator<Item: Into<String>>,
    {
        Self::Listed(rows.into_iter().map(|row| row.into_iter().map(Into::into).collect()).collect())
    }

    /// Intervals between these cut points.
    pub fn cuts(points: impl IntoIterator<Item: Into<f64>>) -> Self {
        Self::Cuts(vec![points.into_iter().map(Into::into).collect()])
    }

    /// Values of few people taken together, until each label stands for at least so many, level by level.
    pub fn frequency(people: impl IntoIterator<Item = u64>) -> Self {
        Self::Frequency(people.into_iter().collect())
    }

    /// Whether its labels are intervals that say themselves what they stand for.
    pub fn labels_are_intervals(&self) -> bool {
        matches!(
            self,
            Self::Intervals(_)
                | Self::Balanced(_)
                | Self::Cuts(_)
                | Self::DayCuts(_)
                | Self::Ends { .. }
                | Self::Round(_)
        )
    }

    /// Whether only the table itself tells what it is: who has which value, or what stands in other columns.
    pub fn needs_rows(&self) -> bool {
        matches!(self, Self::Frequency(_) | Self::FrequencyOrSets(_) | Self::Columns(_))
    }

    /// As a policy states it; nothing for what is the default.
    pub fn to_json(&self) -> Option<Json> {
        let name =
            |unit: &DateUnit| DateUnit::NAMES.iter().find(|(_, known)| known == unit).map_or("", |(name, _)| name);
        Some(match self {
            Self::Default => return None,
            Self::Free => json!({ "intervals": "free" }),
            Self::File(file) => json!({ "file": file.file.display().to_string() }),
            Self::Listed(rows) => json!({ "rows": rows }),
            Self::Intervals(widths) => json!({ "intervals": widths }),
            Self::Mask(Side::Left) => json!({ "mask": "left" }),
            Self::Mask(Side::Right) => json!({ "mask": "right" }),
            Self::Balanced(fan) => json!({ "balanced": fan }),
            Self::Dates(units) => json!({ "dates": units.iter().map(name).collect::<Vec<_>>() }),
            Self::Cuts(levels) => cuts_to_json(levels),
            Self::DayCuts(levels) => {
                let spelled = |cuts: &Vec<i32>| cuts.iter().map(|&day| Value::Date(day).to_string()).collect();
                cuts_to_json(&levels.iter().map(spelled).collect::<Vec<Vec<String>>>())
            }
            Self::Ends { bottom, top } => {
                let ends = [("bottom", bottom), ("top", top)];
                ends.into_iter().filter_map(|(key, end)| end.map(|end| (key.to_owned(), json!(end)))).collect()
            }
            Self::Round(unit) => json!({ "round": unit }),
            Self::Prefixes(lengths) => json!({ "prefixes": lengths }),
            Self::Codes(system) => json!({ "codes": system.name() }),
            Self::Frequency(people) => json!({ "frequency": people }),
            Self::FrequencyOrSets(people) => json!({ "frequency": people, "sets": true }),
            Self::Columns(names) => json!({ "columns": names }),
        })
    }
}

/// One list where there is one level.
fn cuts_to_json<T: Serialize>(levels: &[Vec<T>]) -> Json {
    match levels {
        [one] => json!({ "cuts": one }),
        _ => json!({ "cuts": levels }),
    }
}

/// As a policy states it: `{ cuts = [0.0, 18.0, 65.0] }`; `{}` for what is the default.
impl fmt::Display for HierarchySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Node::from_json(&self.to_json().unwrap_or_else(|| json!({}))).inline())
    }
}

/// A side of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Its beginning.
    Left,
    /// Its end.
    Right,
}

/// A unit of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DateUnit {
    /// `1994-03-07T14`, of times
    Hour,
    /// `1994-03-07`, of times
    Day,
    /// `1994-W10`, from Monday to Sunday, numbered as in ISO 8601. Weeks lie in two months, quarters and years, so nothing is made of weeks.
    Week,
    /// `1994-03`
    Month,
    /// `1994-Q1`
    Quarter,
    /// `1994`
    Year,
    /// `1990s`
    Decade,
}

impl DateUnit {
    /// What days are generalized to where nothing is stated.
    pub const OF_DAYS: [Self; 4] = [Self::Month, Self::Quarter, Self::Year, Self::Decade];

    /// What times are.
    pub const OF_TIMES: [Self; 6] = [Self::Hour, Self::Day, Self::Month, Self::Quarter, Self::Year, Self::Decade];

    /// The names by which policies call them.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("hour", Self::Hour),
        ("day", Self::Day),
        ("week", Self::Week),
        ("month", Self::Month),
        ("quarter", Self::Quarter),
        ("year", Self::Year),
        ("decade", Self::Decade),
    ];
}

/// A classification whose codes say by their structure what they belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeSystem {
    /// Diagnoses: `E11.65` is a case of `E11`, which belongs to the chapter `E00-E90`.
    Icd10,
    /// Regions of Europe: `DE212`, `DE21`, `DE2`, `DE`.
    Nuts,
    /// Economic activities: `01.11`, `01.1`, `01`, section A.
    Nace,
    /// Subdivisions of countries: `DE-BY`, `DE`.
    Iso3166,
}

impl CodeSystem {
    /// The names by which policies call them.
    pub const NAMES: [(&'static str, Self); 4] =
        [("icd-10", Self::Icd10), ("nuts", Self::Nuts), ("nace", Self::Nace), ("iso-3166-2", Self::Iso3166)];

    /// The name by which policies call it.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }
}
