//! Writing a release that follows targets: exact quasi-identifiers by group, and apart from them each group's
//! subdomains, its target, and the bounds of sums.

use super::bounds::Bounds;
use super::ladder::Ladder;
use super::line::Line;
use super::plan::{DistributionPlan, PlannedGroup};
use super::{BOUNDS, SENSITIVE, TARGETS, write_bounds};
use crate::chance::permutation;
use crate::data::role::Role;
use crate::data::value::Type;
use crate::data::write::{Header, Values};
use crate::error::{Error, Result};
use crate::kind::bucketized::write::{columns, number};
use crate::kind::bucketized::{GROUP, QIT};
use crate::kind::distribution::Detail;
use crate::numeric::tolerance;
use crate::release::write::{Context, Dealt, RowTable, WrittenTables, detail, file_name, write_map, write_table};
use crate::release::{ColumnMeaning, NodeMeaning, TableFile, ValueMeaning};
use crate::storage::Storage;

type Texts = Vec<Option<Box<str>>>;

/// Writes the release, and beside it in private who stands where and which values are fakes.
pub(crate) fn write(
    plan: &DistributionPlan,
    context: &Context<'_>,
    release: &Storage,
    private: Option<&Storage>,
) -> Result<WrittenTables> {
    context.refuse_name(GROUP)?;
    let pieces = number(&plan.buckets, context).pieces;
    let groups = plan.buckets.len;
    let mut people = vec![0; groups];
    pieces.iter().for_each(|piece| people[piece.group as usize] += piece.people);
    let published = Published { context, ladder: &plan.ladder, groups: in_published_order(plan, context), people };
    let mut meanings = context.describe(|index, _| context.exact(index));
    meanings.iter_mut().filter(|c| c.role == Role::Sensitive).for_each(|column| published.describe(column));
    let mut columns = columns(context);
    let notes = super::ENTRY.annotate(QIT, columns.iter_mut().map(|(header, _)| header), &meanings, context.unit());
    let dealt = Dealt::new(context, &pieces)?;
    let table = RowTable {
        context,
        name: QIT,
        pieces: &pieces,
        groups,
        dealt: &dealt,
        kept: 0..context.table.quasi.len(),
        columns,
        notes,
    };
    let write_private = || match private {
        None => Ok(()),
        Some(private) => {
            write_map(context, &dealt, private)?;
            published.write_fakes(private)
        }
    };
    let tables_of_groups = || published.write(&meanings, release);
    let (qit, (noted, others)) =
        rayon::join(|| table.write(release, private), || rayon::join(write_private, tables_of_groups));
    noted?;
    let mut tables = vec![qit?];
    tables.extend(others?);
    let detail = detail(&Detail { target_distance: Some(round_up(plan.distance)), fakes: Some(plan.most_fakes) })?;
    Ok(WrittenTables { columns: meanings, tables, groups: groups as u64, detail, claim: None })
}

/// What groups publish, in the order of the numbers that [`number`] gives them.
fn in_published_order<'a>(plan: &'a DistributionPlan, context: &Context<'_>) -> Vec<&'a PlannedGroup> {
    let number_of = permutation(plan.buckets.len, &mut context.seed.stream("group numbers", 0));
    let mut ordered: Vec<(u32, &PlannedGroup)> = number_of.into_iter().zip(&plan.groups).collect();
    ordered.sort_unstable_by_key(|(number, _)| *number);
    ordered.into_iter().map(|(_, follower)| follower).collect()
}

struct Published<'a> {
    context: &'a Context<'a>,
    ladder: &'a Ladder,
    groups: Vec<&'a PlannedGroup>,
    people: Vec<u64>,
}

impl Published<'_> {
    fn write(&self, meanings: &[ColumnMeaning], storage: &Storage) -> Result<Vec<TableFile>> {
        let mut tables = vec![self.write_subdomains(meanings, storage)?];
        if let Some(line) = self.ladder.line.as_ref().filter(|line| line.adds_up) {
            tables.push(self.write_bounds(meanings, storage, line)?);
        }
        tables.push(self.write_targets(meanings, storage)?);
        Ok(tables)
    }

    fn spelled(&self, rank: u32) -> Box<str> {
        self.ladder.values[rank as usize].to_string().into()
    }

    /// Subdomains sorted by their ends: the order tells nothing, and fakes look like all others.
    fn write_subdomains(&self, meanings: &[ColumnMeaning], storage: &Storage) -> Result<TableFile> {
        let (mut numbers, mut counts) = (Vec::new(), Vec::new());
        let (mut lows, mut highs): (Texts, Texts) = (Vec::new(), Vec::new());
        let on_line = self.ladder.line.is_some();
        for (number, follower) in (1..).zip(&self.groups) {
            let mut subdomains = follower.subdomains.clone();
            subdomains.sort_unstable_by_key(|(ranks, _)| (ranks.start, ranks.end));
            for (ranks, count) in subdomains {
                numbers.push(number);
                counts.push(count.cast_signed());
                if on_line {
                    lows.push(Some(self.spelled(ranks.start)));
                    highs.push(Some(self.spelled(ranks.end - 1)));
                } else {
                    lows.push(Some(self.ladder.label(ranks.start, ranks.end).into()));
                }
            }
        }
        let kind = self.ladder.kind;
        let group = (Header::plain(GROUP, Type::Integer), Values::Integers(&numbers));
        let count = (Header::plain("count", Type::Integer), Values::Integers(&counts));
        let ends = if on_line {
            vec![
                (Header::plain("low", kind), Values::Texts(&lows)),
                (Header::plain("high", kind), Values::Texts(&highs)),
            ]
        } else {
            vec![(Header::plain("value", Type::Text), Values::Texts(&lows))]
        };
        let (mut headers, columns): (Vec<Header>, Vec<Values<'_>>) =
            std::iter::once(group).chain(ends).chain([count]).unzip();
        let notes = super::ENTRY.annotate(SENSITIVE, &mut headers, meanings, self.context.unit());
        write_table(self.context, storage, SENSITIVE, (&headers, &notes), &columns)
    }

    fn write_bounds(&self, meanings: &[ColumnMeaning], storage: &Storage, line: &Line) -> Result<TableFile> {
        let ends = |(ranks, count): &(std::ops::Range<u32>, u64)| {
            (line.indices[ranks.start as usize], line.indices[ranks.end as usize - 1], *count)
        };
        let of_group = |follower: &&PlannedGroup| Bounds::of(&follower.subdomains.iter().map(ends).collect::<Vec<_>>());
        let bounds: Vec<Bounds> = self.groups.iter().map(of_group).collect();
        let format = self.context.output;
        let file = file_name(BOUNDS, format);
        let mut sink = storage.create(&file)?;
        let numbered = (1..).zip(&self.people).zip(&bounds).map(|((number, &people), bounds)| (number, people, bounds));
        let rows = write_bounds(format, &mut sink, (line, meanings, self.context.unit()), numbered).map_err(|e| {
            if e.kind() == std::io::ErrorKind::Other {
                return Error::data(e.to_string()).help("measure it in a larger unit");
            }
            storage.unwritable(&file, e)
        })?;
        let print = sink.finish()?;
        Ok(TableFile {
            name: BOUNDS.to_owned(),
            file,
            format,
            rows,
            bytes: print.bytes,
            sha256: print.sha256,
            parts: Vec::new(),
        })
    }

    fn write_targets(&self, meanings: &[ColumnMeaning], storage: &Storage) -> Result<TableFile> {
        let mut numbers = Vec::new();
        let (mut values, mut tops, mut bottoms): (Texts, Texts, Texts) = (Vec::new(), Vec::new(), Vec::new());
        for (number, follower) in (1_i64..).zip(&self.groups) {
            for (rank, share) in (0..).zip(follower.target.iter()) {
                numbers.push(number);
                values.push(Some(self.spelled(rank)));
                tops.push(Some(share.num.to_string().into()));
                bottoms.push(Some(share.den.to_string().into()));
            }
        }
        let mut headers = [
            Header::plain(GROUP, Type::Integer),
            Header::plain("value", self.ladder.kind),
            Header::plain("numerator", Type::Text),
            Header::plain("denominator", Type::Text),
        ];
        let columns =
            [Values::Integers(&numbers), Values::Texts(&values), Values::Texts(&tops), Values::Texts(&bottoms)];
        let notes = super::ENTRY.annotate(TARGETS, &mut headers, meanings, self.context.unit());
        write_table(self.context, storage, TARGETS, (&headers, &notes), &columns)
    }

    fn write_fakes(&self, storage: &Storage) -> Result<()> {
        let (mut numbers, mut counts) = (Vec::new(), Vec::new());
        let mut values: Texts = Vec::new();
        for (number, follower) in (1_i64..).zip(&self.groups) {
            for &(rank, count) in &follower.fakes {
                numbers.push(number);
                values.push(Some(self.spelled(rank)));
                counts.push(count.cast_signed());
            }
        }
        let headers = [
            Header::plain(GROUP, Type::Integer),
            Header::plain("value", self.ladder.kind),
            Header::plain("count", Type::Integer),
        ];
        let columns = [Values::Integers(&numbers), Values::Texts(&values), Values::Integers(&counts)];
        write_table(self.context, storage, "fakes", (&headers, &[]), &columns).map(drop)
    }

    /// The meaning of labels that stand for several values.
    fn describe(&self, column: &mut ColumnMeaning) {
        if self.ladder.line.is_some() {
            return;
        }
        let all = self.groups.iter().flat_map(|follower| &follower.subdomains);
        let mut runs: Vec<(u32, u32)> = all.map(|(r, _)| (r.start, r.end)).filter(|r| r.1 - r.0 > 1).collect();
        runs.sort_unstable();
        runs.dedup();
        let leaves =
            |(first, end)| (first..end).map(|rank: u32| self.ladder.values[rank as usize].to_string()).collect();
        let nodes =
            runs.into_iter().map(|run| NodeMeaning { label: self.ladder.label(run.0, run.1), leaves: leaves(run) });
        column.values = ValueMeaning::Hierarchy { nodes: nodes.collect() };
    }
}

/// Rounded up to thousandths: enough for a reader, and too little to tell about a group's own distribution.
fn round_up(distance: f64) -> f64 {
    (distance * 1000.0 - tolerance::WHOLE).ceil().max(0.0) / 1000.0
}
