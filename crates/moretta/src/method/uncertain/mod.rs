//! Uncertain publication: every record as a location and a probability density.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use rayon::prelude::*;

use super::{Method, MethodEntry, Task, Transparency};
use crate::config::Section;
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::error::{Code, Error, Result};
pub(super) use crate::kind::uncertain::Densities;
use crate::kind::uncertain::math::assign::{Assigned, BlurSpec, assign, refuse};
use crate::kind::uncertain::math::draw::draw;
use crate::kind::uncertain::math::{Categorical, Density, Family, Located, ScaleRule, Scaling, Space};
use crate::kind::{KindId, Plan};
use crate::method::Supports;
use crate::model::SeveralRows;
use crate::model::{UncertainKAnonymity, find_model, uncertain_k_anonymity};
use crate::progress::Progress;

pub(super) const ENTRY: MethodEntry = MethodEntry {
    name: "uncertain",
    summary: "every record as a blurred location with the density of its blur, usable by tools for uncertain data",
    paper: "Aggarwal 2008",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/methods/uncertain.md")),
    suppresses: false,
    supports: Supports::Only(&[uncertain_k_anonymity::ENTRY.id()]),
    kinds: &[KindId::Uncertain],
    transparency: Transparency::Holds("sensitive values play no part in it"),
    several_rows: SeveralRows::Refused("a record is one row"),
    read,
};

/// The uncertain model (Aggarwal, ICDE 2008, section II). We differ where the published scale would be a fingerprint.
#[derive(Clone, Copy, Debug)]
struct UncertainMethod {
    family: Family,
    scaling: Scaling,
    scale: ScaleRule,
    categorical: Option<Categorical>,
    range: Range,
}

/// What is said about the least and the largest value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Range {
    Rounded,
    Exact,
    None,
}

fn read(section: &mut Section<'_>) -> Result<Box<dyn Method>> {
    let family = section.choice("family", &[("gaussian", Family::Gaussian), ("uniform", Family::Uniform)])?;
    let scalings = [("global", Scaling::Global), ("local", Scaling::Local), ("rotated", Scaling::Rotated)];
    let scaling = section.choice("scaling", &scalings)?;
    let scale = section.choice("scale", &[("grid", ScaleRule::Grid), ("exact", ScaleRule::Exact)])?;
    let rules = [("keep", Categorical::Keep), ("drop", Categorical::Drop), ("one-hot", Categorical::OneHot)];
    let categorical = section.choice("categorical", &rules)?;
    let ranges = [("rounded", Range::Rounded), ("exact", Range::Exact), ("none", Range::None)];
    let range = section.choice("range", &ranges)?;
    Ok(Box::new(UncertainMethod {
        family: family.unwrap_or(Family::Gaussian),
        scaling: scaling.unwrap_or(Scaling::Global),
        scale: scale.unwrap_or(ScaleRule::Grid),
        categorical,
        range: range.unwrap_or(Range::Rounded),
    }))
}

impl Method for UncertainMethod {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn supports(&self) -> Supports {
        ENTRY.supports
    }

    fn kind(&self) -> KindId {
        KindId::Uncertain
    }

    fn supports_role(&self, role: Role) -> bool {
        !matches!(role, Role::Group | Role::Unclassified | Role::Insensitive)
    }

    fn plan(&self, task: &Task<'_>, progress: &Progress) -> Result<Box<dyn Plan>> {
        task.refuse_too_many(ENTRY.name)?;
        let model = find_model::<UncertainKAnonymity>(task.requirement.models())
            .ok_or_else(|| Error::bug("the method was asked for another promise than its own"))?;
        if task.cells.total() < 2 {
            return Err(Error::data("a single record has nobody to be confused with")
                .coded(Code::PromiseImpossible)
                .help("publish at least two records"));
        }
        let quasi: Vec<(String, Arc<Domain>)> =
            task.quasi_names.iter().cloned().zip(task.scales.iter().map(|scale| scale.domain().clone())).collect();
        let sensitive = task.whole.sensitive.iter().map(|s| (s.name.clone(), s.domain.clone()));
        let columns: Vec<(String, Arc<Domain>)> = quasi.iter().cloned().chain(sensitive).collect();
        let mut notes = Vec::new();
        let mut space = Space::new(&quasi, task.cells, self.categorical, &mut notes)?;
        if self.range != Range::None {
            space.state_ranges(&quasi, self.range == Range::Rounded);
        }
        progress.start("finding scales", 0);
        let located = space.locate(&quasi, task.cells);
        let k = model.of_points(&columns, task.cells, &located)?;
        let wish = BlurSpec { family: self.family, scaling: self.scaling, scale: self.scale, k: &k, token: task.token };
        let assigned = assign(&located, &space.dimensions, &wish);
        progress.check()?;
        let assigned = assigned.map_err(|infeasible| {
            let row = task
                .cells
                .cell_of_row
                .iter()
                .position(|&c| located.point_of_cell[c as usize] as usize == infeasible.point);
            refuse(infeasible, k[infeasible.point], row.map_or(0, |row| row + 1), self.family)
        })?;
        progress.start("drawing", 0);
        let locations = locations(&located, &assigned, self.family, task)?;
        if self.scale != ScaleRule::Grid {
            notes.push(
                "scale = \"exact\": a record's scale is a function of the data, and who holds the public records can \
                 recompute it and link the record by it alone"
                    .to_owned(),
            );
        }
        if self.scaling != Scaling::Global && !assigned.shaped {
            notes.push(
                "`scaling` had no effect: shapes are shared by whole regions of the table, so that they are no fingerprints, and none of them is better \
                 here than spheres, which are published"
                    .to_owned(),
            );
        }
        Ok(Box::new(self.densities(task, space, &located, assigned, (locations, notes), &quasi)))
    }
}

impl UncertainMethod {
    fn densities(
        self,
        task: &Task<'_>,
        space: Space,
        located: &Located,
        assigned: Assigned,
        (locations, notes): (Vec<f64>, Vec<String>),
        quasi: &[(String, Arc<Domain>)],
    ) -> Densities {
        let named = |indices: &[usize]| indices.iter().map(|&index| quasi[index].0.clone()).collect();
        let is_grid = self.scale == ScaleRule::Grid;
        let density = Density {
            family: self.family,
            scaling: self.scaling,
            scale: self.scale,
            kept: named(&space.kept),
            excluded: named(&space.excluded),
            dimensions: space.dimensions,
            regions: is_grid.then_some(assigned.regions),
            classes: if is_grid { assigned.classes.clone() } else { Vec::new() },
        };
        let class_of_cell =
            located.point_of_cell.iter().map(|&point| assigned.class_of_point[point as usize]).collect();
        Densities {
            density,
            classes: assigned.classes,
            frames: assigned.frames,
            class_of_cell,
            kept: space.kept,
            locations,
            people: task.cells.total(),
            notes,
        }
    }
}

/// Draws the location of every person. Each cell has a stream of its own: threads do not matter.
fn locations(located: &Located, assigned: &Assigned, family: Family, task: &Task<'_>) -> Result<Vec<f64>> {
    let dims = located.points.dims();
    let drawn = task
        .cells
        .people
        .par_iter()
        .enumerate()
        .map(|(cell, &people)| {
            task.token.check()?;
            let point = located.point_of_cell[cell] as usize;
            let truth = located.points.at(point);
            let frame = &assigned.frames[assigned.class_of_point[point] as usize];
            let mut rng = task.seed.stream("densities", cell as u64);
            let mut locations = vec![0.0; dims * people as usize];
            locations.chunks_mut(dims).for_each(|location| draw(&truth, family, frame, &mut rng, location));
            Ok(locations)
        })
        .collect::<Result<Vec<Vec<f64>>>>()?;
    Ok(drawn.concat())
}
