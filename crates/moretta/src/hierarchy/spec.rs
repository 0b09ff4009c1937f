//! The ways to state a hierarchy.

use serde_json::{Value as Json, json};

use super::file::HierarchyFile;

/// How the values of an attribute are generalized.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum HierarchySpec {
    /// Nothing stated: numbers to intervals, dates to the calendar, everything else to sets.
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
    /// Units of the calendar, each a part of the next.
    Dates(Vec<DateUnit>),
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
        })
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
pub enum DateUnit {
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
    /// All units, from the smallest.
    pub const ALL: [Self; 4] = [Self::Month, Self::Quarter, Self::Year, Self::Decade];

    /// The names by which policies call them.
    pub const NAMES: [(&'static str, Self); 4] =
        [("month", Self::Month), ("quarter", Self::Quarter), ("year", Self::Year), ("decade", Self::Decade)];
}
