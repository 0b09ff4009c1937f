//! Uncertain releases: every record a probability density.

mod adversary;
mod cumulative;
mod fits;
mod shares;

use std::sync::{Arc, OnceLock};

use hashbrown::HashMap;
use rayon::prelude::*;

use self::adversary::Reader;
pub use self::fits::Fits;
use self::shares::{Looks, Shares, mass};
use super::Files;
use super::answers::{Adversary, Answers, Askable, Estimate};
use super::grouped_rows::numbers_of;
use super::histograms::{Parts, Populations, Profiles};
use super::tally::{Law, Member, Tally};
use crate::data::Type;
use crate::data::domain::Domain;
use crate::data::table::Column;
use crate::data::value::Value;
use crate::error::{Code, Error, Result};
use crate::progress::Progress;
use crate::query::{QueryBox, ValueSet};
use crate::uncertain::density::{Class, Dimension};
use crate::uncertain::mass::Line;
use crate::uncertain::space::number_of;
use crate::uncertain::{Density, Frame};

/// The name of the table.
pub const UNCERTAIN: &str = "uncertain";

/// The column of axes, where densities are turned.
pub const AXES: &str = "axes";

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
    in_range: OnceLock<Vec<Vec<f64>>>,
    looks: OnceLock<Vec<Looks>>,
    fits: OnceLock<Fits>,
}

impl Uncertain {
    pub(super) fn read(files: &Files<'_>, progress: &Progress) -> Result<Self> {
        let density =
            files.manifest.density.clone().ok_or_else(|| files.wrong("the manifest does not state the densities"))?;
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
        counts.values().all(|count| *count == 0)
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
        let value = |(place, column): (usize, &Column)| number_of(column.domain.value(distinct.columns[place][cell]));
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

impl Answers for Uncertain {
    fn adversary<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Box<dyn Adversary + 'r>> {
        let space = crate::uncertain::Space::of_release(quasi, &self.density)?;
        let kept = space.kept.iter().zip(&self.kept).map(|(&place, column)| {
            let code = |value: &Value| column.domain.code(value);
            (place, quasi[place].1.values().iter().map(code).collect())
        });
        Ok(Box::new(Reader {
            release: self,
            kept: kept.collect(),
            space,
            domains: quasi.iter().map(|q| q.1.clone()).collect(),
        }))
    }

    fn attributes(&self) -> Vec<Askable> {
        let mut known: Vec<Askable> = Vec::new();
        for dimension in &self.density.dimensions {
            if !known.iter().any(|askable| askable.name == dimension.attribute) {
                let kind = if dimension.value.is_some() { crate::data::Type::Text } else { dimension.kind };
                known.push(Askable { name: dimension.attribute.clone(), kind });
            }
        }
        let exact = self.kept.iter().chain(&self.sensitive);
        known.extend(exact.map(|column| Askable { name: column.name.clone(), kind: column.domain.kind() }));
        known
    }

    fn values_of(&self, attribute: usize) -> Result<Vec<Value>> {
        let name = &self.attributes()[attribute].name;
        if let Some(column) = self.kept.iter().chain(&self.sensitive).find(|column| column.name == *name) {
            return Ok(column.domain.values().to_vec());
        }
        let of_value =
            |d: &crate::uncertain::density::Dimension| d.value.as_ref().map(|v| Value::Text(v.as_str().into()));
        let values: Vec<Value> =
            self.density.dimensions.iter().filter(|d| d.attribute == *name).filter_map(of_value).collect();
        if values.is_empty() {
            return Err(Error::input(format!("{name:?} is blurred: there are no values to group by"))
                .coded(Code::QueryUnsupported)
                .help("ask for ranges of it in WHERE"));
        }
        Ok(values)
    }

    /// A density that is not turned is a product: each condition is weighed once for every record.
    fn histograms(&self, populations: &Populations, attribute: usize) -> Result<Vec<Vec<f64>>> {
        let name = &self.attributes()[attribute].name;
        let Some(secret) = self.sensitive.iter().find(|column| column.name == *name) else {
            return Err(Error::bug(format!("{name:?} is not sensitive")));
        };
        if self.shapes.iter().any(|(frame, _)| frame.axes.is_some()) {
            return populations.one_by_one(attribute, secret.domain.values(), |condition| self.count(condition));
        }
        let records: Vec<u32> = (0..self.len() as u32).collect();
        let parts = Parts {
            columns: vec![records; self.attributes().len()],
            people: vec![1.0; self.len()],
            profile: secret.codes.clone(),
            profiles: Profiles::of_values(secret.domain.len()),
        };
        let weigh = |place: usize, set: &ValueSet| {
            let shares = Shares::new(self, &QueryBox { sides: vec![(place, set.clone())] });
            (0..self.len()).map(|record| shares.of(record).part).collect()
        };
        Ok(parts.histograms(populations, secret.domain.len(), weigh))
    }

    /// The sum over records of the part of their density in the condition, given what range values have (equation 21).
    fn count(&self, condition: &[QueryBox]) -> Result<Estimate> {
        let shares: Vec<Shares<'_>> = condition.iter().map(|one| Shares::new(self, one)).collect();
        let rows: Vec<usize> = (0..self.len()).collect();
        let sums: Vec<(f64, u64, u64)> = rows
            .par_chunks(4096)
            .map(|records| {
                let (mut sum, mut least, mut most) = (0.0, 0, 0);
                for &record in records {
                    let (mut share, mut surely, mut maybe) = (0.0, false, false);
                    for one in &shares {
                        let found = one.of(record);
                        share += found.part;
                        surely |= found.surely;
                        maybe |= found.maybe;
                    }
                    sum += share;
                    least += u64::from(surely);
                    most += u64::from(maybe);
                }
                (sum, least, most)
            })
            .collect();
        let total = sums.iter().fold((0.0, 0, 0), |all, one| (all.0 + one.0, all.1 + one.1, all.2 + one.2));
        Ok(Estimate::within(total.0, total.1 as f64, total.2 as f64))
    }

    /// Records do not depend on each other. A blurred value is expected where its density lies inside the condition, and may
    /// be anything that the range of all values, and for uniform densities the record's own, allows.
    fn tally(&self, attribute: usize, condition: &[QueryBox]) -> Result<Tally> {
        let mut tally = Tally::default();
        let name = &self.attributes()[attribute].name;
        let shares: Vec<Shares<'_>> = condition.iter().map(|one| Shares::new(self, one)).collect();
        let exact = self.kept.iter().chain(&self.sensitive).find(|column| column.name == *name);
        let numbers = exact.map(numbers_of).unwrap_or_default();
        let laws: Vec<Option<u32>> = numbers.iter().map(|x| tally.expected.law(x.map(Law::point))).collect();
        let coordinate = self.density.dimensions.iter().position(|dimension| dimension.attribute == *name);
        for record in 0..self.len() {
            let mut member = Member { low: f64::INFINITY, high: f64::NEG_INFINITY, people: 0, sure: false };
            for one in &shares {
                let found = one.of(record);
                let known = match (exact, coordinate) {
                    _ if !found.maybe => None,
                    (Some(column), _) => {
                        let code = column.codes[record] as usize;
                        numbers[code].map(|x| (x, x, laws[code]))
                    }
                    (None, Some(d)) => {
                        one.numbers(record, d).map(|(low, high, law)| (low, high, tally.expected.law(law)))
                    }
                    (None, None) => None,
                };
                let Some((low, high, law)) = known else { continue };
                tally.expected.expect(1.0, found.part, law);
                if low <= high {
                    (member.low, member.high) = (member.low.min(low), member.high.max(high));
                    (member.people, member.sure) = (1, member.sure | found.surely);
                }
            }
            tally.crowd.add(member);
        }
        tally.crowd.close_independent();
        Ok(tally)
    }
}

impl Uncertain {
    fn is_whole(&self, dimension: usize) -> bool {
        matches!(self.density.dimensions[dimension].kind, Type::Integer | Type::Date)
    }

    /// The part of a record's density along a coordinate that lies in the range of all values.
    fn in_range(&self, dimension: usize, record: usize) -> f64 {
        let of_dimension = |d: usize| -> Vec<f64> {
            let range = self.range(d);
            let of_record = |record: usize| {
                let scale = self.shapes[self.shape_of[record] as usize].1.scales[d];
                let line = Line { family: self.density.family, center: self.centers[d][record], scale };
                mass(&line, range.0, range.1)
            };
            (0..self.len()).map(of_record).collect()
        };
        let all = self.in_range.get_or_init(|| (0..self.density.dimensions.len()).map(of_dimension).collect());
        all[dimension][record]
    }

    fn looks(&self) -> &[Looks] {
        self.looks.get_or_init(|| Looks::all(self))
    }

    /// The range of all values along a coordinate; a whole number stands for everything that is rounded to it.
    fn range(&self, dimension: usize) -> (f64, f64) {
        let half = if self.is_whole(dimension) { 0.5 } else { 0.0 };
        let Dimension { low, high, .. } = &self.density.dimensions[dimension];
        (low.map_or(f64::NEG_INFINITY, |low| low - half), high.map_or(f64::INFINITY, |high| high + half))
    }
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
        let shelf = published.shelf();
        let error = Uncertain::read(&Files::open(&shelf).unwrap(), &Progress::default()).unwrap_err();
        assert_eq!((error.code(), error.message()), ("release-damaged", "\"s_age\" lacks a number"));
    }
}
