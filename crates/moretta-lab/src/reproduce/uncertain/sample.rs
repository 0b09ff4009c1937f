//! The paper's tables as points, and releases of them.

use std::sync::Arc;

use moretta::internals::chance::Seed;
use moretta::internals::counting::Prepared;
use moretta::internals::counting::{Cells, count_distinct, permutation};
use moretta::internals::data::Type;
use moretta::internals::data::domain::Domain;
use moretta::internals::density::{
    Assigned, BlurSpec, Coordinates, Dimension, Family, Frame, Located, ScaleRule, Scaling, Space, assign, condense,
    draw, redraw,
};
use moretta::internals::progress::{CancelToken, Progress};
use moretta::{Error, Result};
use rand::RngCore;

use crate::adult::Adult;
use crate::generate;
use crate::reproduce::ExperimentContext;

/// A table: a location, in units, and a label for every record.
pub(super) struct Sample {
    pub(super) name: &'static str,
    pub(super) dimensions: Vec<Dimension>,
    pub(super) located: Located,
    /// The point of every record.
    pub(super) point_of: Vec<u32>,
    pub(super) labels: Vec<u32>,
    /// What stops the work on it.
    token: CancelToken,
}

/// The numbers of Adult.
const NUMBERS: [&str; 6] = ["age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week"];

impl Sample {
    /// The table that a figure's file names: U10K, G20.D10K or Adult's numbers, with so many records.
    pub(super) fn named(context: &ExperimentContext, progress: &Progress) -> Result<Self> {
        let records = context.settings.whole("records")?;
        match context.settings.text("table")?.as_str() {
            "U10K" => Self::generated("U10K", "u10k", records, context.seed, progress),
            "G20.D10K" => Self::generated("G20.D10K", "g20", records, context.seed, progress),
            "Adult" => Self::adult(context, records, progress),
            other => Err(Error::input(format!("there is no table {other:?}"))
                .at_file(&context.file)
                .help("there are: U10K, G20.D10K, Adult")),
        }
    }

    fn generated(name: &'static str, kind: &str, records: usize, seed: Seed, progress: &Progress) -> Result<Self> {
        let table = generate::by_name(kind, records as u64, seed.0 as u64)?;
        let mut columns = table.rows(0, records);
        let coordinates = generate::space::DIMENSIONS;
        let labels = columns.split_off(coordinates).pop().unwrap_or_else(|| vec![0; records]);
        let quasi: Vec<_> =
            table.attributes()[..coordinates].iter().map(|a| (a.name.to_owned(), a.domain.clone())).collect();
        Self::new(name, &quasi, &columns, labels, progress)
    }

    fn adult(context: &ExperimentContext, records: usize, progress: &Progress) -> Result<Self> {
        let numbers = Adult::all().with("quasi", &NUMBERS).with("sensitive", &["income"]);
        let table = Prepared::read(&context.adult(&numbers, "")?, progress)?.table;
        let order = permutation(table.rows(), &mut context.seed.stream("sample of Adult", 0));
        let rows = &order[..records.min(order.len())];
        let pick = |codes: &Vec<u32>| -> Vec<u32> { rows.iter().map(|&row| codes[row as usize]).collect() };
        let columns: Vec<Vec<u32>> = table.quasi.iter().map(|column| pick(&column.codes)).collect();
        let quasi: Vec<_> = table.quasi.iter().map(|column| (column.name.clone(), column.domain.clone())).collect();
        Self::new("Adult", &quasi, &columns, pick(&table.sensitive[0].codes), progress)
    }

    fn new(
        name: &'static str,
        quasi: &[(String, Arc<Domain>)],
        columns: &[Vec<u32>],
        labels: Vec<u32>,
        progress: &Progress,
    ) -> Result<Self> {
        let sized: Vec<(&[u32], usize)> =
            columns.iter().zip(quasi).map(|(c, (_, d))| (c.as_slice(), d.len())).collect();
        let cells: Cells = count_distinct(&sized, labels.len(), None);
        let mut space = Space::new(quasi, &cells, None, &mut Vec::new())?;
        space.state_ranges(quasi, false);
        let located = space.locate(quasi, &cells);
        let point_of = cells.cell_of_row.iter().map(|&cell| located.point_of_cell[cell as usize]).collect();
        Ok(Self { name, dimensions: space.dimensions, located, point_of, labels, token: progress.token().clone() })
    }

    pub(super) fn dims(&self) -> usize {
        self.dimensions.len()
    }

    /// The true location of a record.
    pub(super) fn truth(&self, record: usize) -> Vec<f64> {
        self.located.points.at(self.point_of[record] as usize)
    }

    /// Half the step of a coordinate that has whole numbers only, in units; 0 for others. Such numbers are blurred and drawn like
    /// all others, so that a range of them reaches half a step farther.
    pub(super) fn half(&self, d: usize) -> f64 {
        let dimension = &self.dimensions[d];
        if dimension.kind == Type::Integer { 0.5 / dimension.unit } else { 0.0 }
    }

    /// The least and the largest value of a coordinate, in units.
    pub(super) fn range(&self, d: usize) -> (f64, f64) {
        let dimension = &self.dimensions[d];
        (dimension.low.unwrap_or(0.0) / dimension.unit, dimension.high.unwrap_or(0.0) / dimension.unit)
    }

    /// The densities of a release.
    pub(super) fn assign(&self, family: Family, scaling: Scaling, scale: ScaleRule, k: f64) -> Result<Assigned> {
        let k = vec![k; self.located.points.len()];
        let wish = BlurSpec { family, scaling, scale, k: &k, token: &self.token };
        let assigned = assign(&self.located, &self.dimensions, &wish);
        self.token.check()?;
        assigned.map_err(|_| Error::bug("a k that this sample can't reach"))
    }

    /// A published location for every record.
    pub(super) fn locations(&self, assigned: &Assigned, family: Family, seed: Seed) -> Vec<Vec<f64>> {
        let mut rng = seed.stream("places", 0);
        let location = |record: usize| {
            let mut location = vec![0.0; self.dims()];
            draw(&self.truth(record), family, self.frame(assigned, record), &mut rng, &mut location);
            location
        };
        (0..self.point_of.len()).map(location).collect()
    }

    pub(super) fn frame<'a>(&self, assigned: &'a Assigned, record: usize) -> &'a Frame {
        &assigned.frames[assigned.class_of_point[self.point_of[record] as usize] as usize]
    }

    /// Records drawn anew, for those of a label or for all; with as many labels.
    pub(super) fn condensed(&self, records: &[u32], k: u64, seed: Seed) -> Result<Vec<Vec<f64>>> {
        let columns = self.located.points.columns.iter();
        let points = Coordinates {
            columns: columns
                .map(|c| records.iter().map(|&r| c[self.point_of[r as usize] as usize]).collect())
                .collect(),
            people: vec![1; records.len()],
        };
        let quiet = Progress::watched(None, self.token.clone());
        let (pieces, groups) = condense(&points, k, seed, &quiet)?;
        let drawn = redraw(&points, &pieces, groups, seed, &self.token)?;
        Ok(drawn.chunks(self.dims()).map(<[f64]>::to_vec).collect())
    }
}

/// A number below `n`.
pub(super) fn below(rng: &mut impl RngCore, n: usize) -> usize {
    ((u128::from(rng.next_u64()) * n as u128) >> 64) as usize
}
