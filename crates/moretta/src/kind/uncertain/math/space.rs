//! From counted rows of a table to points in space.

use std::sync::Arc;

use super::density::{Dimension, round_up};
use super::{Coordinates, Density};
use crate::data::cells::{Cells, count_distinct};
use crate::data::domain::Domain;
use crate::data::value::{Type, Value};
use crate::error::{Code, Error, Result};
use crate::numeric::tolerance;

/// What becomes of quasi-identifiers that are no numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Categorical {
    /// Published as they are; anonymity is then counted among those who agree in them.
    Keep,
    /// Not published.
    Drop,
    /// A coordinate for each value: 1 for those who have it, 0 for the others.
    OneHot,
}

/// How records become points.
#[derive(Clone, Debug)]
pub struct Space {
    /// The coordinates.
    pub dimensions: Vec<Dimension>,
    /// The quasi-identifiers that are published as they are, by index.
    pub kept: Vec<usize>,
    /// The quasi-identifiers that are not published, by index.
    pub excluded: Vec<usize>,
    /// For each coordinate, the quasi-identifier and, for one of its values, the code.
    sources: Vec<(usize, Option<u32>)>,
}

/// Records as points, in units.
#[derive(Clone, Debug)]
pub struct Located {
    /// The distinct points of each combination of kept values, one combination after the other.
    pub points: Coordinates,
    /// The combination of kept values of each point, counted from 0.
    pub stratum: Vec<u32>,
    /// The point of each cell.
    pub point_of_cell: Vec<u32>,
}

impl Space {
    /// The space of a table's quasi-identifiers; what was left out, and why, is noted.
    pub fn new(
        quasi: &[(String, Arc<Domain>)],
        cells: &Cells,
        categorical: Option<Categorical>,
        notes: &mut Vec<String>,
    ) -> Result<Self> {
        let mut space = Self { dimensions: Vec::new(), kept: Vec::new(), excluded: Vec::new(), sources: Vec::new() };
        for (index, (name, domain)) in quasi.iter().enumerate() {
            if domain.len() < 2 {
                notes.push(format!("{name:?} is left out: everybody has the same value"));
                space.excluded.push(index);
            } else if domain.kind().is_ordered() {
                refuse_missing(name, domain, index, cells)?;
                let number = |code: u32| number_of(domain.value(code));
                space.add(index, None, name.clone(), (name, domain), (cells, &number));
            } else {
                match categorical {
                    Some(Categorical::Keep) => space.kept.push(index),
                    Some(Categorical::Drop) => space.excluded.push(index),
                    Some(Categorical::OneHot) => {
                        for (code, value) in (0..).zip(domain.values()) {
                            let is_it = |other: u32| f64::from(u8::from(other == code));
                            space.add(index, Some(code), format!("{name}={value}"), (name, domain), (cells, &is_it));
                        }
                    }
                    None => {
                        return Err(Error::input(format!("{name:?} is no number, and nothing says what becomes of it"))
                            .help("set `categorical` in [method] to \"keep\", \"drop\" or \"one-hot\", or give it another role"));
                    }
                }
            }
        }
        // Squares of what is measured in such units must be numbers still.
        let beyond_measure = |dimension: &&Dimension| !tolerance::MEASURABLE.contains(&dimension.unit);
        if let Some(dimension) = space.dimensions.iter().find(beyond_measure) {
            return Err(Error::data(format!(
                "the values of {:?} spread over {}, too much or too little to be measured",
                dimension.attribute, dimension.unit
            ))
            .help("state them in another unit, so that they spread over 1e-100 to 1e100"));
        }
        if space.dimensions.is_empty() {
            return Err(Error::data("no quasi-identifier is a number that varies: there is nothing to blur")
                .help("the method is for numeric tables; others can use least-loss"));
        }
        Ok(space)
    }

    /// The space that a release states, over a table that should be its original.
    pub fn of_release(quasi: &[(String, Arc<Domain>)], density: &Density) -> Result<Self> {
        let index = |name: &str| {
            quasi.iter().position(|(own, _)| own == name).ok_or_else(|| {
                Error::input(format!("the original has no quasi-identifier {name:?}, which the release has"))
                    .coded(Code::OriginalMismatch)
                    .help("use the policy that the release was made with")
            })
        };
        let source = |dimension: &Dimension| -> Result<(usize, Option<u32>)> {
            let index = index(&dimension.attribute)?;
            let values = quasi[index].1.values();
            let code = dimension.value.as_ref().map(|text| {
                // A value that the original lacks is one that nobody has.
                values.iter().position(|value| value.to_string() == *text).map_or(u32::MAX, |code| code as u32)
            });
            Ok((index, code))
        };
        Ok(Self {
            sources: density.dimensions.iter().map(source).collect::<Result<_>>()?,
            dimensions: density.dimensions.clone(),
            kept: density.kept.iter().map(|name| index(name)).collect::<Result<_>>()?,
            excluded: density.excluded.iter().map(|name| index(name)).collect::<Result<_>>()?,
        })
    }

    fn add(
        &mut self,
        index: usize,
        code: Option<u32>,
        name: String,
        (attribute, domain): (&str, &Domain),
        (cells, number): (&Cells, &dyn Fn(u32) -> f64),
    ) {
        let column = cells.columns[index].iter().map(|&code| number(code)).collect();
        let one = Coordinates { columns: vec![column], people: cells.people.clone() };
        let (_, deviation) = one.moments()[0];
        self.sources.push((index, code));
        self.dimensions.push(Dimension {
            name,
            attribute: attribute.to_owned(),
            kind: if code.is_some() { Type::Number } else { domain.kind() },
            value: code.map(|code| domain.value(code).to_string()),
            unit: round_up(deviation, 3),
            low: code.map(|_| 0.0),
            high: code.map(|_| 1.0),
        });
    }

    /// States the range of every number: no original value lies outside. Rounded outwards to about a tenth of the
    /// range, so that nobody's value is told, or as it is.
    pub fn state_ranges(&mut self, quasi: &[(String, Arc<Domain>)], rounded: bool) {
        for (dimension, &(index, code)) in self.dimensions.iter_mut().zip(&self.sources) {
            let values = quasi[index].1.values();
            if let (None, Some(first), Some(last)) = (code, values.first(), values.last()) {
                let (low, high) = (number_of(first), number_of(last));
                let step = if rounded { 10_f64.powf((high - low).log10().floor()) } else { 0.0 };
                let out = |x: f64, round: fn(f64) -> f64| if step > 0.0 { round(x / step) * step } else { x };
                dimension.low = Some(out(low, f64::floor).min(low));
                dimension.high = Some(out(high, f64::ceil).max(high));
            }
        }
    }

    /// Where a person stands, in units: codes of all quasi-identifiers into their domains.
    pub fn location_of(&self, person: &[u32], domains: &[Arc<Domain>]) -> Vec<f64> {
        let coordinate = |(&(index, code), dimension): (&(usize, Option<u32>), &Dimension)| match code {
            Some(code) => f64::from(u8::from(person[index] == code)) / dimension.unit,
            None => number_of(domains[index].value(person[index])) / dimension.unit,
        };
        self.sources.iter().zip(&self.dimensions).map(coordinate).collect()
    }

    /// Where the cells of a table stand.
    pub fn locate(&self, quasi: &[(String, Arc<Domain>)], cells: &Cells) -> Located {
        let mut indices = self.kept.clone();
        for &(index, _) in &self.sources {
            if !indices.contains(&index) {
                indices.push(index);
            }
        }
        let sized: Vec<(&[u32], usize)> =
            indices.iter().map(|&index| (cells.columns[index].as_slice(), quasi[index].1.len())).collect();
        let distinct = count_distinct(&sized, cells.len(), Some(&cells.people));
        let coordinate = |(&(index, code), dimension): (&(usize, Option<u32>), &Dimension)| -> Vec<f64> {
            let column = indices.iter().position(|&p| p == index).map_or(&[][..], |at| &distinct.columns[at]);
            let number = |&other: &u32| match code {
                Some(code) => f64::from(u8::from(other == code)),
                None => number_of(quasi[index].1.value(other)),
            };
            column.iter().map(|code| number(code) / dimension.unit).collect()
        };
        let columns = self.sources.iter().zip(&self.dimensions).map(coordinate).collect();
        let mut stratum = Vec::with_capacity(distinct.len());
        for point in 0..distinct.len() {
            let same = |column: &Vec<u32>| point > 0 && column[point] == column[point - 1];
            let last = stratum.last().copied();
            stratum.push(match last {
                None => 0,
                Some(last) => last + u32::from(!distinct.columns[..self.kept.len()].iter().all(same)),
            });
        }
        Located {
            points: Coordinates { columns, people: distinct.people },
            stratum,
            point_of_cell: distinct.cell_of_row,
        }
    }
}

/// A value as a number; days count from 1970.
pub fn number_of(value: &Value) -> f64 {
    value.as_number().unwrap_or(0.0)
}

fn refuse_missing(name: &str, domain: &Domain, index: usize, cells: &Cells) -> Result<()> {
    let Some(missing) = domain.missing() else { return Ok(()) };
    let lacks = |cell: u32| cells.columns[index][cell as usize] == missing;
    let row = cells.cell_of_row.iter().position(|&cell| lacks(cell)).map_or(0, |row| row + 1);
    Err(Error::input(format!("{name:?} lacks a value in row {row}, and a density needs a number"))
        .coded(Code::MissingValue)
        .help("set missing = \"drop\" in [data]"))
}
