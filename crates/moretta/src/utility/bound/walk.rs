//! All boxes in which some group would pay more than the box loses.

use super::axis::NOWHERE;
use super::rule::{GroupRule, RuleRoom};
use super::table::Priced;
use crate::progress::CancelToken;

/// Cells times levels that are looked at before the walk is given up.
pub(super) const MOST_WORK: u64 = 20_000_000_000;

/// A box in which prices are too high.
#[derive(Debug)]
pub(super) struct Dear<'a> {
    /// Everybody in it, the dearest first.
    pub(super) cells: &'a [u32],
    /// What the box loses.
    pub(super) loss: u64,
    /// A price that no group in it is above on average; more than the loss.
    pub(super) level: u64,
    /// The rule by which that is so.
    pub(super) rule: &'a GroupRule,
}

/// Shows every box that is too dear; nothing if the work was too much, or stopped.
///
/// Attributes are fixed one after the other. What is inside a box that is not too dear is not too dear either: it holds fewer groups and
/// loses no less.
pub(super) fn walk(
    priced: &Priced<'_>,
    token: &CancelToken,
    show: &mut impl FnMut(&Dear<'_>, &mut RuleRoom),
) -> Option<()> {
    let room = RuleRoom::for_table(priced.table);
    let mut walk = Walk { priced, token, show, room, work: 0 };
    let all: Vec<u32> = (0..priced.order.len() as u32).collect();
    walk.visit(0, &all, 0);
    (walk.work <= MOST_WORK && !token.is_cancelled()).then_some(())
}

struct Walk<'a, F> {
    priced: &'a Priced<'a>,
    token: &'a CancelToken,
    show: &'a mut F,
    room: RuleRoom,
    work: u64,
}

impl<F: FnMut(&Dear<'_>, &mut RuleRoom)> Walk<'_, F> {
    fn visit(&mut self, depth: usize, cells: &[u32], loss: u64) {
        if self.work > MOST_WORK || self.token.is_cancelled() {
            return;
        }
        let priced = self.priced;
        let mut dear = None;
        for rule in &priced.table.rules {
            match rule.dearest(priced, cells, loss, &mut self.room) {
                Some(level) if level > loss => {
                    if dear.as_ref().is_none_or(|(least, _)| level < *least) {
                        dear = Some((level, rule));
                    }
                }
                _ => return,
            }
        }
        let Some((level, rule)) = dear else { return };
        let Some((axis, ranks)) = priced.table.axes.get(depth) else {
            (self.show)(&Dear { cells, loss, level, rule }, &mut self.room);
            return;
        };
        let mut before: Vec<(u32, u32)> = Vec::new();
        for (number, level) in axis.levels.iter().enumerate() {
            self.work += cells.len() as u64;
            let part_of = |cell: u32| level.part_of_rank[ranks[priced.order[cell as usize] as usize] as usize];
            let mut parted: Vec<(u32, u32)> =
                cells.iter().map(|&cell| (part_of(cell), cell)).filter(|&(part, _)| part != NOWHERE).collect();
            parted.sort_unstable();
            let below = (axis.nested && number > 0).then(|| &axis.levels[number - 1]);
            for run in parted.chunk_by(|a, b| a.0 == b.0) {
                // The same people in a smaller box have been looked at.
                let first = run[0].1;
                let part_below =
                    below.map(|below| below.part_of_rank[ranks[priced.order[first as usize] as usize] as usize]);
                if part_below.is_some_and(|part| part != NOWHERE && size_of(&before, part) == run.len()) {
                    continue;
                }
                let inside: Vec<u32> = run.iter().map(|&(_, cell)| cell).collect();
                self.visit(depth + 1, &inside, loss + level.loss(run[0].0));
            }
            before = if axis.nested { sizes(&parted) } else { Vec::new() };
        }
    }
}

/// The parts that occur, in order, with their cells.
fn sizes(parted: &[(u32, u32)]) -> Vec<(u32, u32)> {
    parted.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].0, run.len() as u32)).collect()
}

fn size_of(sizes: &[(u32, u32)], part: u32) -> usize {
    sizes.binary_search_by_key(&part, |&(part, _)| part).map_or(0, |at| sizes[at].1 as usize)
}
