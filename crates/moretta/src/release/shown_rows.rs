//! What groups show of their people's quasi-identifiers: all that a recipient sees of them.

use std::sync::Arc;

use super::plan::Piece;
use crate::data::cells::Cells;
use crate::data::domain::Domain;

/// The different rows of a group as they are published, each with its people, in order.
pub type ShownRows = Vec<(Vec<String>, u64)>;

/// Rows in order, with equal ones counted together.
pub(crate) fn in_order(mut rows: ShownRows) -> ShownRows {
    rows.sort_unstable();
    crate::data::merge_counts(&mut rows, |a, b| a.0 == b.0, |row| &mut row.1);
    rows
}

/// The rows of groups that publish exact values.
pub(crate) fn exact(pieces: &[Piece], groups: usize, cells: &Cells, quasi: &[Arc<Domain>]) -> Vec<ShownRows> {
    let mut rows: Vec<ShownRows> = vec![Vec::new(); groups];
    for piece in pieces {
        let value = |(domain, codes): (&Arc<Domain>, &Vec<u32>)| domain.value(codes[piece.cell as usize]).to_string();
        rows[piece.group as usize].push((quasi.iter().zip(&cells.columns).map(value).collect(), piece.people));
    }
    rows.into_iter().map(in_order).collect()
}
