//! Column generalization: no combination of a column's quasi-identifiers is rarer than k.

use crate::data::cells::count_distinct;
use crate::error::Result;
use crate::hierarchy::{HierarchySpec, Scale};
use crate::kind::sliced::Recoded;
use crate::method::{Task, mondrian};
use crate::model::{self, PrivacyModel, Requirement};
use crate::progress::Progress;
use crate::release::TableSummary;

/// Makes a column k-anonymous by Mondrian's cuts (Li 2010, section 4.3.2, definition 4.1.4).
///
/// Values become intervals or sets, never nodes of a hierarchy: regions must not overlap, or a person would match
/// several values of the column, and nodes of different heights do.
pub(super) fn coarsen(task: &Task<'_>, indices: &[usize], k: u64) -> Result<Recoded> {
    let scales = indices.iter().map(|&index| plain_scale(&task.scales[index], &task.quasi_names[index]));
    let scales: Vec<Scale> = scales.collect::<Result<_>>()?;
    let sized: Vec<(&[u32], usize)> = indices
        .iter()
        .zip(&scales)
        .map(|(&index, s)| (task.cells.columns[index].as_slice(), s.domain().len()))
        .collect();
    let cells = count_distinct(&sized, task.cells.len(), Some(&task.cells.people));
    let models: Vec<Box<dyn PrivacyModel>> = vec![model::k_anonymity(k)];
    let whole = TableSummary { people: task.whole.people, sensitive: Vec::new() };
    let requirement = Requirement::prepare(&models, &whole)?;
    let part = Task {
        quasi_names: indices.iter().map(|&index| task.quasi_names[index].clone()).collect(),
        scales: &scales,
        cells: &cells,
        sensitive_sizes: Vec::new(),
        requirement: &requirement,
        whole: &whole,
        may_suppress: 0,
        seed: task.seed,
        branches: None,
        persons: None,
        links: &[],
        group: None,
        token: task.token,
    };
    let grouping = mondrian::halves(&part, &Progress::default())?;
    let mut region_of = vec![0; cells.len()];
    grouping.pieces.iter().for_each(|piece| region_of[piece.cell as usize] = piece.group);
    let region_of_cell = cells.cell_of_row.iter().map(|&cell| region_of[cell as usize]).collect();
    Ok(Recoded { grouping, scales, region_of_cell })
}

fn plain_scale(scale: &Scale, name: &str) -> Result<Scale> {
    let domain = scale.domain().clone();
    let spec = if domain.kind().is_ordered() { HierarchySpec::Free } else { HierarchySpec::Default };
    Scale::new(&spec, domain, name)
}
