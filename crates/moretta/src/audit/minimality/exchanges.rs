//! Real tables: the method is run on originals in which two people of a group have exchanged their values.
//!
//! Such an original fits the files as well as the true one. Where the method makes other groups of it, who knows the program can rule it out. The
//! share of exchanges that are ruled out is estimated from a sample, and from it what the belief in people's true values becomes.

use rand::Rng;

use super::BeliefInTruth;
use crate::audit::AuditInput;
use crate::audit::finding::{Finding, Tested};
use crate::audit::input::OriginalTable;
use crate::data::cells::Cells;
use crate::error::Result;
use crate::kind::Plan;
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::publish;
use crate::release::ShownRows;
use crate::release::plan::Piece;

/// Larger tables would take minutes: the method is run once for each exchange.
const MOST_CELLS: usize = 60_000;

/// So many people are drawn for each exchange until one is found who can exchange with somebody.
const PATIENCE: usize = 64;

pub(super) fn attack(scene: &AuditInput<'_>, original_table: &OriginalTable, progress: &Progress) -> Result<Tested> {
    let counted = &*original_table.counted;
    let skip = |reason: &str| Ok(Tested::Skipped(reason.to_owned()));
    if counted.cells.len() > MOST_CELLS {
        return skip("the method would have to be run again and again: publish and audit a sample of the table");
    }
    let [sensitive] = &counted.whole.sensitive[..] else {
        return skip("people exchange one sensitive value, and there is not one sensitive attribute");
    };
    let again = |prepared: &Prepared| publish::plan(&original_table.policy, prepared, scene.seed, progress);
    let Ok(planned) = again(counted) else { return skip("the method does not publish this original") };
    let mut plan = planned.plan;
    let boxes = boxes_of(&*plan, counted);
    let released: Option<Vec<ShownRows>> = scene.audited.release.shown().ok().map(|mut rows| {
        rows.sort_unstable();
        rows
    });
    if released.is_none() || released != boxes {
        return skip(
            "the method does not make the groups of this release from this original: another version made it, or another policy",
        );
    }
    let Ok(pieces) = plan.pieces_mut().map(|pieces| pieces.to_vec()) else { return skip("its groups are not known") };
    let exchanges = Exchanges::new(counted, &pieces);
    let mut chance = scene.seed.stream("exchanges", 0);
    let (mut tried, mut ruled_out) = (0_u64, 0_u64);
    let (mut before, mut after_all) = (0.0, 0.0);
    progress.start("exchanging values", scene.budget.exchanges);
    for _ in 0..scene.budget.exchanges {
        let Some(exchange) = (0..PATIENCE).find_map(|_| exchanges.draw(&mut chance)) else { break };
        let other = counted.with_cells(exchanges.apply(&exchange));
        let planned = again(&other);
        progress.check()?;
        let same = planned.is_ok_and(|planned| boxes_of(&*planned.plan, &other) == boxes);
        tried += 1;
        ruled_out += u64::from(!same);
        before += exchange.share;
        after_all += 1.0 - exchange.share;
        progress.advance(1);
    }
    if tried == 0 {
        return skip("nobody shares a group with people of other quasi-identifiers and other values");
    }
    let rate = ruled_out as f64 / tried as f64;
    let error = (rate * (1.0 - rate) / tried as f64).sqrt().max(1.0 / tried as f64);
    let (before, others) = (before / tried as f64, after_all / tried as f64);
    // Of all that could be exchanged the share that is ruled out drops out of what she weighs.
    let after = before / (1.0 - others * rate);
    let people = counted.whole.people;
    let finding = Finding::new("rise of belief", after - before, people)
        .about(&sensitive.name)
        .saying(format!(
            "of {tried} exchanges of values inside groups {ruled_out} would have led to other groups: belief in people's true values rises from {before:.2} to {after:.2} on average"
        ))
        .detail("form", "exchanges")
        .detail("exchanges", tried)
        .detail("exchanges_ruled_out", rate)
        .detail("standard_error", error)
        .believing(BeliefInTruth { before, after });
    Ok(Tested::Found(vec![finding]))
}

/// What the groups of a plan show, in order: without their values, which an exchange inside a group leaves as they are.
fn boxes_of(plan: &dyn Plan, prepared: &Prepared) -> Option<Vec<ShownRows>> {
    let quasi: Vec<_> = prepared.scales.iter().map(|scale| scale.domain().clone()).collect();
    let mut rows = plan.shown(&prepared.cells, &quasi).ok()?;
    rows.sort_unstable();
    Some(rows)
}

/// Who could exchange values with whom.
struct Exchanges<'a> {
    cells: &'a Cells,
    quasi: usize,
    pieces: &'a [Piece],
    /// The people up to and with each piece.
    ends: Vec<u64>,
    /// The first piece of each group.
    starts: Vec<usize>,
}

/// Two cells of a group, of each of which one person takes the other's value.
struct Exchange {
    cells: [u32; 2],
    /// The share of the first one's value in the group.
    share: f64,
}

impl<'a> Exchanges<'a> {
    fn new(prepared: &'a Prepared, pieces: &'a [Piece]) -> Self {
        let ends = pieces.iter().scan(0, |sum, piece| {
            *sum += piece.people;
            Some(*sum)
        });
        let starts = (0..pieces.len()).filter(|&index| index == 0 || pieces[index - 1].group != pieces[index].group);
        let (ends, starts) = (ends.collect(), starts.collect());
        Self { cells: &prepared.cells, quasi: prepared.scales.len(), pieces, ends, starts }
    }

    /// Anybody, and anybody of the same group who has other quasi-identifiers and another value; nothing if there is no such person.
    fn draw(&self, chance: &mut impl Rng) -> Option<Exchange> {
        let person = chance.random_range(0..*self.ends.last()?);
        let piece = self.pieces[self.ends.partition_point(|&end| end <= person)];
        let at = self.starts.partition_point(|&start| self.pieces[start].group <= piece.group);
        let last = self.starts.get(at).copied().unwrap_or(self.pieces.len());
        let group = &self.pieces[self.starts[at - 1]..last];
        let value = |cell: u32| self.cells.columns[self.quasi][cell as usize];
        let elsewhere = |cell: u32| {
            self.cells.columns[..self.quasi].iter().any(|column| column[cell as usize] != column[piece.cell as usize])
        };
        let others: Vec<&Piece> =
            group.iter().filter(|other| value(other.cell) != value(piece.cell) && elsewhere(other.cell)).collect();
        let mut left = chance.random_range(0..others.iter().map(|other| other.people).sum::<u64>().max(1));
        let partner = others.iter().find(|other| {
            let here = left < other.people;
            left = left.saturating_sub(other.people);
            here
        })?;
        let alike = group.iter().filter(|other| value(other.cell) == value(piece.cell));
        let share = alike.map(|other| other.people).sum::<u64>() as f64
            / group.iter().map(|other| other.people).sum::<u64>() as f64;
        Some(Exchange { cells: [piece.cell, partner.cell], share })
    }

    /// The cells of the table after an exchange.
    fn apply(&self, exchange: &Exchange) -> Cells {
        let row = |cell: u32| -> Vec<u32> { self.cells.columns.iter().map(|column| column[cell as usize]).collect() };
        let [one, other] = exchange.cells.map(row);
        let (mut given, mut taken) = (one.clone(), other.clone());
        std::mem::swap(&mut given[self.quasi], &mut taken[self.quasi]);
        let mut rows: Vec<(Vec<u32>, u64)> = (0..self.cells.len() as u32)
            .map(|cell| (row(cell), self.cells.people[cell as usize] - u64::from(exchange.cells.contains(&cell))))
            .collect();
        rows.extend([(given, 1), (taken, 1)]);
        rows.retain(|&(_, people)| people > 0);
        rows.sort_unstable();
        crate::data::merge_counts(&mut rows, |a, b| a.0 == b.0, |row| &mut row.1);
        let columns = (0..self.cells.columns.len()).map(|column| rows.iter().map(|(row, _)| row[column]).collect());
        Cells {
            columns: columns.collect(),
            people: rows.iter().map(|&(_, people)| people).collect(),
            ..Cells::default()
        }
    }
}
