//! The ways to state a hierarchy.

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
