//! Synthetic tables of people, for examples, experiments and scale.
//!
//! Nobody in them exists, so they can be handed around freely; yet they are skewed and correlated as
//! real tables are, because a method that does well on independent uniform columns shows nothing.

mod blocks;
pub mod census;
mod draw;
pub mod hospital;
pub mod space;
mod write;

use std::ops::RangeInclusive;
use std::sync::Arc;

use moretta::internals::data::domain::Domain;
use moretta::internals::data::value::{Type, Value};
use moretta::internals::words::nearest;
use moretta::{Error, Result};

pub use blocks::BLOCK_ROWS;
pub use census::census;
pub use hospital::hospital;
pub use write::{write, write_file};

/// An attribute of a synthetic table.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name of its column.
    pub name: &'static str,
    /// The values that its codes stand for.
    pub domain: Arc<Domain>,
}

impl Attribute {
    fn new(name: &'static str, domain: Domain) -> Self {
        Self { name, domain: Arc::new(domain) }
    }

    fn integers(name: &'static str, range: RangeInclusive<u64>) -> Self {
        let values = range.map(|value| Value::Integer(value.cast_signed())).collect();
        Self::new(name, Domain::from_sorted(Type::Integer, values))
    }
}

/// A synthetic table: attributes with their domains, and rows made block by block.
///
/// A row depends on the seed and on its place, never on how the table is cut or on how many rows are
/// asked for in all: a longer table starts with the rows of a shorter one.
pub trait Generator: Send + Sync {
    /// The attributes, in column order.
    fn attributes(&self) -> &[Attribute];

    /// Codes of the rows `first..first + count`, one column for each attribute.
    ///
    /// A table that ends before that gives the rows it has. Every cut gives the same rows; cuts that
    /// start at a multiple of [`BLOCK_ROWS`] waste no work.
    fn rows(&self, first: u64, count: usize) -> Vec<Vec<u32>>;
}

/// The tables that can be generated: names, each with a line about it.
pub const KINDS: &[(&str, &str)] = &[
    ("census", "9 attributes of a census with realistic skew and correlations; any number of rows"),
    ("hospital", "patients with quasi-identifiers and a diagnosis that depends on age and sex"),
    ("u10k", "points spread evenly over a cube; any number of rows and coordinates"),
    ("g20", "points in twenty Gaussian clusters, each of one of two classes; any number of rows and coordinates"),
];

/// The generator of the given name, for a table of `rows` rows.
pub fn by_name(name: &str, rows: u64, seed: u64) -> Result<Box<dyn Generator>> {
    by_name_in(name, rows, None, seed)
}

/// The same, for points in space with so many coordinates.
pub fn by_name_in(name: &str, rows: u64, dimensions: Option<usize>, seed: u64) -> Result<Box<dyn Generator>> {
    if dimensions.is_some() && ["census", "hospital"].contains(&name) {
        return Err(
            Error::input(format!("`{name}` has attributes, not coordinates")).help("`dimensions` is for u10k and g20")
        );
    }
    let coordinates = dimensions.unwrap_or(space::DIMENSIONS);
    match name {
        "u10k" => Ok(Box::new(space::cube(coordinates, seed)?)),
        "g20" => Ok(Box::new(space::clusters(coordinates, seed)?)),
        "census" => Ok(Box::new(census(seed))),
        "hospital" => Ok(Box::new(hospital(rows, seed)?)),
        _ => {
            let names = || KINDS.iter().map(|&(kind, _)| kind);
            let help = match nearest(name, names()) {
                Some(kind) => format!("did you mean `{kind}`?"),
                None => format!("there are: {}", names().collect::<Vec<_>>().join(", ")),
            };
            Err(Error::input(format!("no table of the kind `{name}` can be generated")).help(help))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: u64 = BLOCK_ROWS as u64 + 3_000;

    fn all(seed: u64) -> impl Iterator<Item = Box<dyn Generator>> {
        KINDS.iter().map(move |&(kind, _)| by_name(kind, ROWS, seed).expect(kind))
    }

    #[test]
    fn every_kind_has_a_column_for_each_attribute_and_codes_within_its_domain() {
        for table in all(1) {
            let columns = table.rows(0, 5_000);
            assert_eq!(columns.len(), table.attributes().len());
            for (column, attribute) in columns.iter().zip(table.attributes()) {
                assert_eq!(column.len(), 5_000);
                assert!(column.iter().all(|&code| (code as usize) < attribute.domain.len()), "{}", attribute.name);
            }
        }
    }

    #[test]
    fn the_seed_decides_the_rows() {
        for ((same, again), other) in all(1).zip(all(1)).zip(all(2)) {
            assert_eq!(same.rows(0, 1_000), again.rows(0, 1_000));
            // Not the first column, which may be a number that every row has anyway.
            assert_ne!(same.rows(0, 1_000)[1..], other.rows(0, 1_000)[1..]);
        }
    }

    #[test]
    fn rows_do_not_depend_on_the_cut() {
        let block = BLOCK_ROWS as u64;
        for table in all(3) {
            let whole = table.rows(0, ROWS as usize);
            for (first, count) in [(0, 10), (7, 100), (block - 5, 10), (block, 50), (block + 9, 20), (12, 0)] {
                for (part, column) in table.rows(first, count).iter().zip(&whole) {
                    assert_eq!(part[..], column[first as usize..][..count], "{count} rows from {first}");
                }
            }
        }
    }

    #[test]
    fn a_longer_table_starts_with_the_rows_of_a_shorter_one() {
        for &(kind, _) in KINDS {
            let (short, long) = (by_name(kind, 500, 4).expect(kind), by_name(kind, 9_000, 4).expect(kind));
            let (few, many) = (short.rows(0, 500), long.rows(0, 9_000));
            for (place, attribute) in short.attributes().iter().enumerate() {
                for (&a, &b) in few[place].iter().zip(&many[place]) {
                    assert_eq!(attribute.domain.value(a), long.attributes()[place].domain.value(b));
                }
            }
        }
    }

    #[test]
    fn blocks_differ_from_each_other() {
        for table in all(5) {
            assert_ne!(table.rows(0, 1_000)[1..], table.rows(BLOCK_ROWS as u64, 1_000)[1..]);
        }
    }

    #[test]
    fn an_unknown_kind_is_refused_with_the_nearest_one() {
        let advice = |name| by_name(name, 1, 1).err().and_then(|e| e.advice().map(str::to_owned));
        assert_eq!(advice("cencus").as_deref(), Some("did you mean `census`?"));
        assert_eq!(advice("warehouse").as_deref(), Some("there are: census, hospital, u10k, g20"));
    }
}
