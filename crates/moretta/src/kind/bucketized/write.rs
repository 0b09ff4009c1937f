//! Writing a bucketized release: exact quasi-identifiers by group, and apart from them the sensitive values of
//! each group.

use super::{GROUP, QIT, st_name};
use crate::chance::permutation;
use crate::data::cells::count_distinct;
use crate::data::role::Role;
use crate::data::value::Type;
use crate::data::write::{Header, Values};
use crate::error::Result;
use crate::kind::KindEntry;
use crate::kind::bucketized::{COUNT, VALUE};
use crate::kind::generalized::Detail;
use crate::release::plan::{Buckets, Piece};
use crate::release::write::{Context, Dealt, RowTable, Slot, WrittenTables, detail, write_map, write_table};
use crate::release::{ColumnMeaning, PartitionTree, TableFile};
use crate::schema::Attribute;
use crate::storage::Storage;

/// Writes the release, and beside it in private who stands where.
pub(crate) fn write(
    plan: &Buckets,
    context: &Context<'_>,
    release: &Storage,
    private: Option<&Storage>,
) -> Result<WrittenTables> {
    context.refuse_name(GROUP)?;
    let Numbered { pieces, tree } = number(plan, context);
    let dealt = Dealt::new(context, &pieces)?;
    let meanings = context.describe(|index, _| context.exact(index));
    let mut columns = columns(context);
    let notes = super::ENTRY.annotate(QIT, columns.iter_mut().map(|(header, _)| header), &meanings, context.unit());
    let table = RowTable {
        context,
        name: QIT,
        pieces: &pieces,
        groups: plan.len,
        dealt: &dealt,
        kept: 0..context.table.quasi.len(),
        columns,
        notes,
    };
    // Two threads: rows in the one, counts and the private map in the other.
    let write_rest = || {
        private.map_or(Ok(()), |private| write_map(context, &dealt, private))?;
        write_sensitive((&super::ENTRY, &meanings), context, (&pieces, plan.len), release)
    };
    let (qit, sensitive) = rayon::join(|| table.write(release, private), write_rest);
    let mut tables = vec![qit?];
    tables.extend(sensitive?);
    Ok(WrittenTables {
        columns: meanings,
        tables,
        groups: plan.len as u64,
        detail: detail(&Detail { partition: tree })?,
        claim: None,
    })
}

/// Groups under the numbers that they publish.
pub(crate) struct Numbered {
    /// Who stands in which group, ordered by group and cell.
    pub(crate) pieces: Vec<Piece>,
    /// The parts of the table that they were cut from.
    pub(crate) tree: Option<PartitionTree>,
}

/// Numbers groups at random: the order in which a method found them may tell about the original.
pub(crate) fn number(plan: &Buckets, context: &Context<'_>) -> Numbered {
    use rayon::prelude::*;
    let number_of = permutation(plan.len, &mut context.seed.stream("group numbers", 0));
    let renumbered = |piece: &Piece| Piece { group: number_of[piece.group as usize], ..*piece };
    let mut pieces: Vec<Piece> = plan.pieces.iter().map(renumbered).collect();
    pieces.par_sort_unstable_by_key(|piece| (piece.group, piece.cell));
    let tree = plan.tree.as_ref().map(|known| {
        let mut tree = known.clone();
        for (&new, &node) in number_of.iter().zip(&known.node_of_group) {
            tree.node_of_group[new as usize] = node;
        }
        tree
    });
    Numbered { pieces, tree }
}

pub(crate) fn columns<'a>(context: &Context<'_>) -> Vec<(Header, Slot<'a>)> {
    let (mut quasi, mut insensitive) = (0.., 0..);
    let column = |attribute: &Attribute| match attribute.role {
        Role::Quasi => {
            let index = quasi.next()?;
            Some((Header::coded(&attribute.name, context.table.quasi[index].domain.clone()), Slot::Kept(index)))
        }
        Role::Insensitive | Role::Pseudonym => {
            let index = insensitive.next()?;
            Some((Header::plain(&attribute.name, context.insensitive_types[index]), Slot::Insensitive(index)))
        }
        Role::Weight => Some((Header::plain(&attribute.name, Type::Integer), Slot::Weight)),
        _ => None,
    };
    let own = context.attributes.iter().filter_map(column);
    own.chain([(Header::plain(GROUP, Type::Integer), Slot::Group)]).collect()
}

/// Writes a table for each sensitive attribute: how many people of each group have each value.
pub(crate) fn write_sensitive(
    (kind, meanings): (&KindEntry, &[ColumnMeaning]),
    context: &Context<'_>,
    (pieces, groups): (&[Piece], usize),
    storage: &Storage,
) -> Result<Vec<TableFile>> {
    let quasi = context.table.quasi.len();
    let of_group: Vec<u32> = pieces.iter().map(|piece| piece.group).collect();
    let people: Vec<u64> = pieces.iter().map(|piece| piece.people).collect();
    let table = |(index, column): (usize, &crate::data::table::Column)| {
        let cells = &context.cells.columns[quasi + index];
        let values: Vec<u32> = pieces.iter().map(|piece| cells[piece.cell as usize]).collect();
        let sized = [(of_group.as_slice(), groups), (values.as_slice(), column.domain.len())];
        let counted = count_distinct(&sized, pieces.len(), Some(&people));
        let numbers: Vec<i64> = counted.columns[0].iter().map(|&group| i64::from(group) + 1).collect();
        let counts: Vec<i64> = counted.people.iter().map(|people| people.cast_signed()).collect();
        let mut headers = [
            Header::plain(GROUP, Type::Integer),
            Header::coded(VALUE, column.domain.clone()),
            Header::plain(COUNT, Type::Integer),
        ];
        let columns = [Values::Integers(&numbers), Values::Codes(&counted.columns[1]), Values::Integers(&counts)];
        let name = st_name(&column.name);
        let notes = kind.annotate(&name, &mut headers, meanings, context.unit());
        write_table(context, storage, &name, (&headers, &notes), &columns)
    };
    context.table.sensitive.iter().enumerate().map(table).collect()
}
