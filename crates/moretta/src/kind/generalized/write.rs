//! Writing a generalized release: one table, in which groups publish the same quasi-identifiers.

use std::sync::Arc;

use super::Grouping;
use crate::data::cells::count_distinct;
use crate::data::domain::Domain;
use crate::data::format::{FileFormat, IntervalForm};
use crate::data::role::Role;
use crate::data::value::Type;
use crate::data::write::{Header, Values, table_writer};
use crate::error::Result;
use crate::kind::generalized::{DATA, Detail};
use crate::release::bounds::typed_columns;
use crate::release::write::{Context, Dealt, RowTable, Slot, WrittenTables, detail, write_map};
use crate::release::{Claim, ColumnMeaning, Placement, SetLabels};
use crate::storage::Storage;

/// Writes the release, and beside it in private who stands where and what values became.
pub(crate) fn write(
    plan: &Grouping,
    context: &Context<'_>,
    release: &Storage,
    private: Option<&Storage>,
) -> Result<WrittenTables> {
    let quasi = plan.attributes.len();
    let dealt = Dealt::new(context, &plan.pieces)?;
    let describe = |index: usize, attribute: &crate::schema::Attribute| {
        super::meaning(plan, index, &context.scales[index], &attribute.hierarchy)
    };
    let mut meanings = context.describe(describe);
    let typed = typed(plan, context, &mut meanings)?;
    let mut columns = columns(plan, context, &typed);
    let notes = super::ENTRY.annotate(DATA, columns.iter_mut().map(|(header, _)| header), &meanings, context.unit());
    let table = RowTable {
        context,
        name: DATA,
        pieces: &plan.pieces,
        groups: plan.len(),
        dealt: &dealt,
        kept: quasi..quasi + context.table.sensitive.len(),
        columns,
        notes,
    };
    let write_private = || match private {
        None => Ok(()),
        Some(private) => {
            write_map(context, &dealt, private)?;
            write_mapping(plan, context, private)
        }
    };
    let (file, noted) = rayon::join(|| table.write(release, private), write_private);
    noted?;
    Ok(WrittenTables {
        columns: meanings,
        tables: vec![file?],
        groups: plan.len() as u64,
        detail: detail(&Detail { partition: plan.tree.clone() })?,
        claim: context.claims.then(|| Claim::Placement(placement(plan))),
    })
}

/// Who stands where: people may fit several groups, and then the files do not tell. Labels are as a reader of the files finds them, in full.
fn placement(plan: &Grouping) -> Placement {
    let label = |group: usize| {
        let columns = plan.attributes.iter().zip(&plan.groups);
        columns.map(|(attribute, values)| attribute.labels[values[group] as usize].clone()).collect()
    };
    let pieces = plan.pieces.iter().map(|piece| (piece.group, piece.cell, piece.people)).collect();
    Placement { labels: (0..plan.len()).map(label).collect(), pieces }
}

/// The columns of ends that stand for a quasi-identifier, each with the code of every group; none where it is one column of labels.
type Typed = Vec<(Header, Vec<u32>)>;

/// For each quasi-identifier its columns of ends, if the policy asks for such. The meanings then say which they are.
fn typed(plan: &Grouping, context: &Context<'_>, meanings: &mut [ColumnMeaning]) -> Result<Vec<Typed>> {
    let mut all = vec![Typed::new(); plan.attributes.len()];
    if context.intervals == IntervalForm::Text {
        return Ok(all);
    }
    for (index, (planned, typed)) in plan.attributes.iter().zip(&mut all).enumerate() {
        let Some(meaning) = meanings.iter_mut().find(|meaning| meaning.name == planned.name) else { continue };
        let columns = typed_columns(meaning, &planned.labels).unwrap_or_default();
        columns.iter().try_for_each(|(header, _)| context.refuse_name(&header.name))?;
        let of_groups = |codes: Vec<u32>| plan.groups[index].iter().map(|&value| codes[value as usize]).collect();
        typed.extend(columns.into_iter().map(|(header, codes)| (header, of_groups(codes))));
    }
    Ok(all)
}

/// The attributes in the order of the policy.
fn columns<'a>(plan: &'a Grouping, context: &Context<'_>, typed: &'a [Typed]) -> Vec<(Header, Slot<'a>)> {
    let (mut quasi, mut sensitive, mut insensitive) = (0.., 0.., 0..);
    let columns = |attribute: &crate::schema::Attribute| match attribute.role {
        Role::Quasi => match quasi.next().map(|index| (index, &plan.attributes[index], &typed[index])) {
            None => Vec::new(),
            Some((index, planned, ends)) if ends.is_empty() => {
                let labels = Domain::labels(SetLabels::of(&planned.values, &context.scales[index]).labels);
                vec![(Header::coded(&planned.name, Arc::new(labels)), Slot::OfGroup(&plan.groups[index]))]
            }
            Some((_, _, ends)) => {
                ends.iter().map(|(header, of_groups)| (header.clone(), Slot::OfGroup(of_groups))).collect()
            }
        },
        Role::Sensitive => {
            let column = |index: usize| {
                let column = &context.table.sensitive[index];
                (Header::coded(&column.name, column.domain.clone()), Slot::Kept(index))
            };
            sensitive.next().map(column).into_iter().collect()
        }
        Role::Insensitive | Role::Pseudonym => {
            let column = |index: usize| {
                (Header::plain(&attribute.name, context.insensitive_types[index]), Slot::Insensitive(index))
            };
            insensitive.next().map(column).into_iter().collect()
        }
        Role::Weight => vec![(Header::plain(&attribute.name, Type::Integer), Slot::Weight)],
        Role::Identifier | Role::Person | Role::Drop | Role::Group | Role::Unclassified => Vec::new(),
    };
    context.attributes.iter().flat_map(columns).collect()
}

/// Writes the private mapping: for each quasi-identifier, what each of its values became, and for how many people.
fn write_mapping(plan: &Grouping, context: &Context<'_>, storage: &Storage) -> Result<()> {
    const FILE: &str = "mapping.csv";
    let mut sink = storage.create(FILE)?;
    let unwritable = |e: std::io::Error| storage.unwritable(FILE, e);
    let columns = ["attribute", "value", "became"].map(|name| Header::plain(name, Type::Text));
    let headers: Vec<Header> = columns.into_iter().chain([Header::plain("people", Type::Integer)]).collect();
    let mut writer = table_writer(FileFormat::Csv, &mut sink, &headers).map_err(unwritable)?;
    let people: Vec<u64> = plan.pieces.iter().map(|piece| piece.people).collect();
    for ((planned, scale), (codes, became)) in
        plan.attributes.iter().zip(context.scales).zip(context.cells.columns.iter().zip(&plan.groups))
    {
        let from: Vec<u32> = plan.pieces.iter().map(|piece| codes[piece.cell as usize]).collect();
        let to: Vec<u32> = plan.pieces.iter().map(|piece| became[piece.group as usize]).collect();
        let sized = [(from.as_slice(), scale.domain().len()), (to.as_slice(), planned.labels.len())];
        let pairs = count_distinct(&sized, from.len(), Some(&people));
        let text = |text: String| Some(text.into_boxed_str());
        let spelled = SetLabels::of(&planned.values, scale).labels;
        let names: Vec<_> = pairs.people.iter().map(|_| text(planned.name.clone())).collect();
        let values: Vec<_> =
            pairs.columns[0].iter().map(|&code| text(scale.domain().value(code).to_string())).collect();
        let labels: Vec<_> = pairs.columns[1].iter().map(|&code| text(spelled[code as usize].clone())).collect();
        let people: Vec<i64> = pairs.people.iter().map(|people| people.cast_signed()).collect();
        let columns =
            [Values::Texts(&names), Values::Texts(&values), Values::Texts(&labels), Values::Integers(&people)];
        writer.write(&columns).map_err(unwritable)?;
    }
    writer.finish().map_err(unwritable)?;
    sink.finish().map(drop)
}
