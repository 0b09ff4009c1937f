//! Injector: bucketization against an adversary who knows what people can't have.

mod classes;
mod form;
#[cfg(test)]
mod properties;
mod residue;

use self::classes::{Classes, Outcast};
use self::form::form;
use self::residue::{PlacedResidue, index};
use super::{Method, MethodEntry, Task, Transparency};
use crate::config::Section;
use crate::data::role::Role;
use crate::error::{Code, Error, Result};
use crate::kind::bucketized::BucketizedPlan;
use crate::kind::{KindId, Plan};
use crate::knowledge::Points;
use crate::method::Supports;
use crate::model::SeveralRows;
use crate::model::{Known, MatchingL, PrivacyModel, find_model, matching_l_diversity};
use crate::progress::Progress;
use crate::release::plan::{Buckets, Piece};
use crate::text::enough;

pub(super) const ENTRY: MethodEntry = MethodEntry {
    name: "injector",
    summary: "bucketization: groups of people who can have each other's sensitive values, by rules mined from the table",
    paper: "Li 2010",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/methods/injector.md")),
    suppresses: true,
    supports: Supports::Only(&[matching_l_diversity::ENTRY.id()]),
    kinds: &[KindId::Bucketized],
    transparency: Transparency::Open("partners are chosen by which values people can have"),
    several_rows: SeveralRows::Refused("rules speak of rows"),
    read,
};

/// The bucketization of rule-based Injector (Li 2010, section 3.4.3, figure 3.2), under matching-l-diversity.
///
/// It depends on a person only through her class: her sensitive value, and the values that she can't have. So it works on
/// counted classes, and deals their people out in the end.
#[derive(Clone, Copy, Debug)]
struct Injector;

#[expect(clippy::unnecessary_wraps, reason = "methods are read by functions that may fail")]
fn read(_: &mut Section<'_>) -> Result<Box<dyn Method>> {
    Ok(Box::new(Injector))
}

impl Method for Injector {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn supports(&self) -> Supports {
        ENTRY.supports
    }

    fn kind(&self) -> KindId {
        KindId::Bucketized
    }

    fn supports_role(&self, role: Role) -> bool {
        !matches!(role, Role::Group | Role::Unclassified)
    }

    fn plan(&self, task: &Task<'_>, progress: &Progress) -> Result<Box<dyn Plan>> {
        task.refuse_too_many(ENTRY.name)?;
        let models = task.requirement.models();
        let model: &MatchingL =
            find_model(models).ok_or_else(|| Error::bug("injector was asked for another promise than its own"))?;
        let attribute = single_attribute(models, task)?;
        let l = models.iter().filter_map(|m| (&**m as &dyn std::any::Any).downcast_ref::<MatchingL>());
        let l = l.map(|model| model.l).max().unwrap_or(model.l);
        let points = Points::of_cells(task.cells, task.scales);
        let known = Known {
            names: &task.quasi_names,
            scales: task.scales,
            points: &points,
            cells: task.cells,
            whole: task.whole,
            token: task.token,
        };
        progress.start("mining rules", 0);
        let mut incompatible = known.rules(attribute, &model.mining)?.incompatible;
        for other in models.iter().filter_map(|m| (&**m as &dyn std::any::Any).downcast_ref::<MatchingL>()) {
            incompatible.join(&known.rules(attribute, &other.mining)?.incompatible);
        }
        progress.start("forming groups", 0);
        let values = &task.cells.columns[task.scales.len() + attribute];
        let mut classes = Classes::new(values, &points, &incompatible, &task.cells.people);
        let outcast = classes.cast_out(l);
        refuse_many(task, l, &outcast)?;
        let may_still = task.may_suppress - outcast.people;
        let (groups, residue) = form(&mut classes, l, task.token);
        progress.check()?;
        let PlacedResidue { groups, left_out } = index(&classes, groups, &residue, l, may_still, task.token)?;
        Ok(Box::new(BucketizedPlan(deal(&classes, &groups, outcast.people + left_out))))
    }
}

/// The index of the one sensitive attribute that the promise is about.
fn single_attribute(models: &[Box<dyn PrivacyModel>], task: &Task<'_>) -> Result<usize> {
    let mut indices: Vec<usize> = Vec::new();
    for model in models.iter().filter_map(|m| (&**m as &dyn std::any::Any).downcast_ref::<MatchingL>()) {
        indices.extend(model.attributes(task.whole)?);
    }
    indices.dedup();
    match indices.as_slice() {
        [only] => Ok(*only),
        _ => Err(Error::input("injector forms groups by one sensitive attribute, and the promise is about several")
            .help("name one as `attribute` of matching-l-diversity, or use mondrian with recoding = \"bucketize\"")),
    }
}

/// Refuses a table in which too many people have too few values left.
fn refuse_many(task: &Task<'_>, l: u64, outcast: &Outcast) -> Result<()> {
    if outcast.people <= task.may_suppress {
        return Ok(());
    }
    let share = outcast.people as f64 / task.whole.people.max(1) as f64;
    Err(Error::data(format!(
        "the rules leave {} people ({:.2}% of all) fewer than l = {l} values that they can have in the whole table; one has {}",
        outcast.people,
        100.0 * share,
        outcast.fewest
    )).coded(Code::NeedsSuppression)
    .help(format!(
        "lower `l`, raise `min_expectation`, or let these people be left out: suppression = {:.4}",
        enough(share)
    )))
}

/// Deals the people of each class to its places in the groups, cell by cell.
fn deal(classes: &Classes, groups: &[Vec<(u32, u64)>], left_out: u64) -> Buckets {
    let mut cursor: Vec<(usize, u64)> = vec![(0, 0); classes.len()];
    let mut pieces: Vec<Piece> = Vec::new();
    for (group, members) in (0..).zip(groups) {
        for &(class, mut people) in members {
            let (index, used) = &mut cursor[class as usize];
            while people > 0 {
                let (cell, all) = classes.cells(class)[*index];
                let taken = people.min(all - *used);
                pieces.push(Piece { group, cell, people: taken });
                people -= taken;
                *used += taken;
                if *used == all {
                    (*index, *used) = (*index + 1, 0);
                }
            }
        }
    }
    let mut notes = Vec::new();
    if left_out > 0 {
        notes.push(format!("{left_out} people were left out: the rules leave them too few values that they can have"));
    }
    Buckets { pieces, len: groups.len(), tree: None, notes }
}
