//! Reading an uncertain release.

use std::sync::OnceLock;

use super::fits::Fits;
use super::math::density::Class;
use super::math::space::number_of;
use super::math::{Density, Frame};
use super::shares::Looks;
use super::{Detail, UNCERTAIN};
use crate::data::lookup::HashMap;
use crate::data::table::Column;
use crate::data::value::Value;
use crate::error::Result;
use crate::progress::Progress;
use crate::release::Files;

/// An uncertain release.
#[derive(Debug)]
pub struct Uncertain {
    /// What its densities are.
    pub density: Density,
    /// The centres, coordinate by coordinate, in original numbers.
    pub centers: Vec<Vec<f64>>,
    /// The distinct shapes, in units, with what they publish.
    pub shapes: Vec<(Frame, Class)>,
    /// The shape of each record.
    pub shape_of: Vec<u32>,
    /// Quasi-identifiers that are published as they are.
    pub kept: Vec<Column>,
    /// Sensitive attributes.
    pub sensitive: Vec<Column>,
    /// For each coordinate, the part of each record's density that lies in the range of all values.
    pub(super) in_range: OnceLock<Vec<Vec<f64>>>,
    pub(super) looks: OnceLock<Vec<Looks>>,
    pub(super) fits: OnceLock<Fits>,
}

impl Uncertain {
    pub(crate) fn read(files: &Files<'_>, progress: &Progress) -> Result<Self> {
        let Detail { density } = files.detail()?;
        let table = files.read(UNCERTAIN, &files.attributes()?, progress)?;
        files.compare("people", files.manifest.people, table.rows() as u64)?;
        let dims = density.dimensions.len();
        if table.quasi.len() < 2 * dims + density.kept.len() {
            return Err(files.wrong("the table lacks columns that the manifest states"));
        }
        let mut columns = table.quasi;
        let kept = columns.split_off(columns.len() - density.kept.len());
        let axes = if columns.len() > 2 * dims { columns.pop() } else { None };
        let scales = columns.split_off(dims);
        if let Some(column) = columns.iter().chain(&scales).find(|column| column.domain.missing().is_some()) {
            return Err(files.wrong(format!("{:?} lacks a number", column.name)));
        }
        let numbers = |column: &Column| -> Vec<f64> {
            let of_code: Vec<f64> = column.domain.values().iter().map(number_of).collect();
            column.codes.iter().map(|&code| of_code[code as usize]).collect()
        };
        let centers = columns.iter().map(numbers).collect();
        let (shapes, shape_of) = shapes(files, &density, &scales, axes.as_ref())?;
        let (in_range, looks, fits) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Ok(Self { density, centers, shapes, shape_of, kept, sensitive: table.sensitive, in_range, looks, fits })
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.shape_of.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.shape_of.is_empty()
    }

    /// Whether the files hold exactly the scales of these classes, each as often as it states.
    pub fn publishes(&self, classes: &[Class]) -> bool {
        let mut counts: HashMap<Vec<u64>, i64> = HashMap::new();
        let key = |class: &Class| -> Vec<u64> {
            class.scales.iter().chain(class.axes.iter().flatten()).map(|x| x.to_bits()).collect()
        };
        self.shapes.iter().for_each(|(_, class)| *counts.entry(key(class)).or_default() += class.people.cast_signed());
        classes.iter().for_each(|class| *counts.entry(key(class)).or_default() -= class.people.cast_signed());
        counts.retain(|_, count| *count != 0);
        counts.is_empty()
    }

    /// The centre of a record, in units.
    pub fn center(&self, record: usize, into: &mut [f64]) {
        for ((x, column), dimension) in into.iter_mut().zip(&self.centers).zip(&self.density.dimensions) {
            *x = column[record] / dimension.unit;
        }
    }

    /// The densities of all records, ready to be weighed.
    pub fn fits(&self) -> &Fits {
        self.fits.get_or_init(|| Fits::new(self))
    }
}

type Shaped = (Vec<(Frame, Class)>, Vec<u32>);

fn shapes(files: &Files<'_>, density: &Density, scales: &[Column], axes: Option<&Column>) -> Result<Shaped> {
    let columns: Vec<(&[u32], usize)> = scales.iter().chain(axes).map(Column::counted).collect();
    let rows = scales.first().map_or(0, |column| column.codes.len());
    let distinct = crate::data::cells::count_distinct(&columns, rows, None);
    let shape = |cell: usize| {
        let value = |(index, column): (usize, &Column)| number_of(column.domain.value(distinct.columns[index][cell]));
        let scales: Vec<f64> = scales.iter().enumerate().map(value).collect();
        let axes = match axes.map(|column| column.domain.value(distinct.columns[scales.len()][cell])) {
            Some(Value::Text(text)) => {
                Some(serde_json::from_str::<Vec<f64>>(text).map_err(|_| files.wrong("axes are no list of numbers"))?)
            }
            _ => None,
        };
        if scales.iter().any(|scale| *scale <= 0.0)
            || axes.as_ref().is_some_and(|axes| axes.len() != scales.len() * scales.len())
        {
            return Err(files.wrong("a record has a scale that is not above 0, or axes that are not square"));
        }
        let frame = density.frame(&scales, axes.as_deref());
        Ok((frame, Class { region: 0, scales, axes, people: distinct.people[cell] }))
    };
    Ok(((0..distinct.len()).map(shape).collect::<Result<_>>()?, distinct.cell_of_row.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::published::publish;

    #[test]
    fn a_number_that_is_lost_is_damage() {
        let rows: String = (0..20).map(|i| format!("{},{},flu\n", 20 + i * 7 % 41, 1000 + i * 13 % 17)).collect();
        let policy = "[attributes]\nage = { role = \"quasi\" }\nincome = { role = \"quasi\" }\n\
                      disease = { role = \"sensitive\" }\n[[require]]\nmodel = \"uncertain-k-anonymity\"\nk = 3\n[method]\nname = \"uncertain\"\n";
        let published = publish(&format!("age,income,disease\n{rows}"), policy, 7).unwrap();
        let text = published.text(UNCERTAIN);
        let mut lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let column = lines[0].iter().position(|name| *name == "s_age").unwrap();
        lines[1][column] = "";
        let lines: Vec<String> = lines.iter().map(|line| line.join(",") + "\n").collect();
        published.forge(UNCERTAIN, &lines.concat());
        let storage = published.storage();
        let error =
            Uncertain::read(&Files::open(&storage, &Progress::default()).unwrap(), &Progress::default()).unwrap_err();
        assert_eq!((error.code(), error.message()), ("release-damaged", "\"s_age\" lacks a number"));
    }
}
