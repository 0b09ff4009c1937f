//! Condensation: groups of nearest records give their moments, and records are drawn anew from these.

mod draw;
mod groups;

use std::sync::Arc;

pub use self::draw::redraw;
pub use self::groups::condense;
use super::{Method, MethodEntry, Task, Transparency};
use crate::config::Section;
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::error::{Code, Error, Result};
pub(crate) use crate::kind::condensed::Condensate;
use crate::kind::uncertain::math::{Categorical, Space};
use crate::kind::{KindId, Plan};
use crate::method::Supports;
use crate::model::SeveralRows;
use crate::model::condensed_k;
use crate::progress::Progress;
use crate::release::plan::Piece;

pub(super) const ENTRY: MethodEntry = MethodEntry {
    name: "condensation",
    summary: "groups of k nearest records, replaced by records drawn from the groups' means and covariances",
    paper: "Aggarwal and Yu 2004",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/methods/condensation.md")),
    suppresses: false,
    supports: Supports::Only(&[condensed_k::ENTRY.id()]),
    kinds: &[KindId::Condensed],
    transparency: Transparency::Open("this was not examined"),
    several_rows: SeveralRows::Refused("a record is drawn from rows"),
    read,
};

/// Static condensation (Aggarwal and Yu, EDBT 2004), the baseline of the uncertain model.
#[derive(Clone, Copy, Debug)]
struct Condensation {
    categorical: Option<Categorical>,
}

fn read(section: &mut Section<'_>) -> Result<Box<dyn Method>> {
    let categorical =
        section.choice("categorical", &[("drop", Categorical::Drop), ("one-hot", Categorical::OneHot)])?;
    Ok(Box::new(Condensation { categorical }))
}

impl Method for Condensation {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn supports(&self) -> Supports {
        ENTRY.supports
    }

    fn kind(&self) -> KindId {
        KindId::Condensed
    }

    fn supports_role(&self, role: Role) -> bool {
        !matches!(role, Role::Group | Role::Unclassified | Role::Insensitive)
    }

    fn plan(&self, task: &Task<'_>, progress: &Progress) -> Result<Box<dyn Plan>> {
        task.refuse_too_many(ENTRY.name)?;
        let k = task.requirement.least_people();
        if task.cells.total() < k.max(2) {
            return Err(Error::data(format!("{} records can't form a group of {k}", task.cells.total()))
                .coded(Code::PromiseImpossible));
        }
        let quasi: Vec<(String, Arc<Domain>)> =
            task.quasi_names.iter().cloned().zip(task.scales.iter().map(|scale| scale.domain().clone())).collect();
        let mut notes = Vec::new();
        let space = Space::new(&quasi, task.cells, self.categorical, &mut notes)?;
        let located = space.locate(&quasi, task.cells);
        progress.start("condensing", task.cells.total());
        let (groups, len) = condense(&located.points, k, task.seed, progress)?;
        let pieces = cells_of(&groups, &located.point_of_cell, &task.cells.people);
        let mut records = redraw(&located.points, &groups, len, task.seed, task.token)?;
        let dims = space.dimensions.len();
        for record in records.chunks_mut(dims) {
            record.iter_mut().zip(&space.dimensions).for_each(|(x, dimension)| *x *= dimension.unit);
        }
        notes.push(
            "a group's moments tell about its k records together; records drawn from them are nobody's".to_owned(),
        );
        Ok(Box::new(Condensate { dimensions: space.dimensions, pieces, len, records, notes }))
    }
}

/// From people of points to people of cells: cells of a point fill its quotas in their order.
fn cells_of(groups: &[Piece], point_of_cell: &[u32], people: &[u64]) -> Vec<Piece> {
    let mut cells: Vec<(u32, u32)> = (0..).zip(point_of_cell).map(|(cell, &point)| (point, cell)).collect();
    cells.sort_unstable();
    let mut quotas: Vec<&Piece> = groups.iter().collect();
    quotas.sort_unstable_by_key(|piece| (piece.cell, piece.group));
    let mut pieces = Vec::with_capacity(cells.len());
    let mut next = cells.into_iter();
    let (mut cell, mut left) = (0, 0);
    for quota in quotas {
        let mut wanted = quota.people;
        while wanted > 0 {
            if left == 0 {
                match next.next() {
                    Some((_, following)) => (cell, left) = (following, people[following as usize]),
                    None => break,
                }
                continue;
            }
            let taken = wanted.min(left);
            pieces.push(Piece { group: quota.group, cell, people: taken });
            wanted -= taken;
            left -= taken;
        }
    }
    pieces.sort_unstable_by_key(|piece| (piece.group, piece.cell));
    pieces
}
