//! Where a person stands among the drawn records: numbers by what they are, other values by whether they are hers.

use std::sync::Arc;

use super::Condensed;
use super::read::Drawn;
use crate::data::domain::Domain;
use crate::data::value::Value;
use crate::kind::uncertain::math::space::number_of;
use crate::kind::uncertain::math::{Coordinates, KdTree};
use crate::numeric::tolerance;

/// The drawn records, to find the nearest of them.
#[derive(Debug)]
pub(super) struct Locator {
    /// Nothing where no coordinate is known.
    tree: Option<KdTree>,
    /// For each coordinate, the quasi-identifier that it is about, and where each of its codes lies.
    axes: Vec<(usize, Vec<f64>)>,
}

impl Locator {
    /// For people described by codes into these domains.
    pub(super) fn new(release: &Condensed, quasi: &[(String, Arc<Domain>)]) -> Self {
        let (mut columns, mut axes) = (Vec::new(), Vec::new());
        for drawn in &release.drawn {
            let Some(source) = quasi.iter().position(|(name, _)| *name == drawn.attribute) else { continue };
            for (index, &at) in drawn.columns.iter().enumerate() {
                let column = &release.table.quasi[at];
                let of_code: Vec<f64> = column.domain.values().iter().map(number_of).collect();
                columns.push(column.codes.iter().map(|&code| of_code[code as usize]).collect::<Vec<f64>>());
                axes.push((source, quasi[source].1.values().iter().map(|value| place(drawn, index, value)).collect()));
            }
        }
        let mut points = Coordinates { columns, people: vec![1; release.table.rows()] };
        let units: Vec<f64> =
            points.moments().iter().map(|(_, deviation)| deviation.max(tolerance::LEAST_DEVIATION)).collect();
        points.columns.iter_mut().zip(&units).for_each(|(column, unit)| column.iter_mut().for_each(|x| *x /= unit));
        axes.iter_mut().zip(&units).for_each(|((_, places), unit): (&mut (usize, Vec<f64>), _)| {
            places.iter_mut().for_each(|x| *x /= unit);
        });
        let tree = (!axes.is_empty()).then(|| KdTree::new(&points));
        Self { tree, axes }
    }

    /// How far the nearest record is, and its row; nothing where nothing is known to be near by.
    pub(super) fn nearest(&self, person: &[u32]) -> Option<(f64, usize)> {
        let tree = self.tree.as_ref()?;
        let location: Vec<f64> = self.axes.iter().map(|(source, places)| places[person[*source] as usize]).collect();
        let mut found = Vec::new();
        tree.nearest(&location, 1, &mut found);
        found.first().map(|&(distance, at)| (distance, tree.order[at as usize] as usize))
    }
}

/// Where a value lies on a coordinate of its attribute: one for each value has 1 for its own, and 0 for the others.
fn place(drawn: &Drawn, index: usize, value: &Value) -> f64 {
    match drawn.values.get(index) {
        None => number_of(value),
        Some(own) => f64::from(u8::from(own.to_string() == value.to_string())),
    }
}
