//! Groups from people who stand in none, by the greedy rule of weighted set cover.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::choices::{Choice, Choices, Loose, NEVER, parts};
use super::lots::Lots;
use super::size::NeededSize;
use crate::method::recoding::local::{Field, FieldMember, LocalPoints};
use crate::method::recoding::refine::Board;

/// So many points at most are put into boxes anew: a bit each.
const MOST_POINTS: usize = 40;

/// What a box costs is taken for up to so many 1024ths more, by chance: else every step would build the same.
const NOISE: usize = 600;

/// So many people who could be lent are enough to choose from, where only sizes matter, and where they are chosen for what they have.
const ENOUGH_LENDERS: [u64; 2] = [150, 500];

/// Dissolves groups and builds others.
#[derive(Debug)]
pub(super) struct Rebuilder {
    choices: Choices,
    /// The group of those who stand nowhere while a step is under way.
    nowhere: u32,
    enough_lenders: u64,
    size: NeededSize,
    loose: Vec<Loose>,
    /// What each loose person is thought to have to pay.
    due: Vec<u64>,
    /// What people of each point have paid in what was built for them, on average of late; nothing where nothing was.
    paid: Vec<Option<u64>>,
}

/// What a box costs against what its people are thought to have to pay, as the bits of a number that is not negative; the box; by how much chance makes it dearer.
type Entry = Reverse<(u64, u32, u64)>;

impl Rebuilder {
    pub(super) fn new(field: &Field<'_>, points: &LocalPoints, board: &mut Board<'_>) -> Self {
        let enough_lenders = ENOUGH_LENDERS[usize::from(!board.judge.counts_only())];
        Self {
            choices: Choices::new(field),
            nowhere: board.add_nowhere(),
            enough_lenders,
            size: NeededSize::new(field, board),
            loose: Vec::new(),
            due: Vec::new(),
            paid: vec![None; points.len()],
        }
    }

    /// Dissolves groups and builds others of their people; takes it back unless that saves loss. Says whether it did.
    pub(super) fn attempt(&mut self, board: &mut Board<'_>, point_of: &[u32], groups: &[u32], lots: &mut Lots) -> bool {
        board.attempt(|board| {
            let worst = self.dissolve(board, point_of, groups);
            let most = worst + worst / 4;
            self.choices.find(board, &mut self.loose, most + 1, self.size);
            let built = self.build(board, most, lots);
            if built {
                self.remember();
            }
            built
        })
    }

    /// Frees the people of the first group, and of as many others as there is room for. Yields the most that any of them paid.
    fn dissolve(&mut self, board: &mut Board<'_>, point_of: &[u32], groups: &[u32]) -> u64 {
        self.loose.clear();
        let mut worst = 0;
        for &group in groups {
            let members = board.groups[group as usize].members.clone();
            if self.loose.len() + members.len() > MOST_POINTS {
                let new = |member: &&FieldMember| self.place_of(point_of[member.cell as usize]).is_none();
                let mut points: Vec<u32> =
                    members.iter().filter(new).map(|member| point_of[member.cell as usize]).collect();
                points.sort_unstable();
                points.dedup();
                if self.loose.len() + points.len() > MOST_POINTS {
                    continue;
                }
            }
            worst = worst.max(parts(board.groups[group as usize].loss));
            for FieldMember { cell, people } in members {
                board.shift(cell, people, group, self.nowhere);
                let point = point_of[cell as usize];
                let at = self.place_of(point).unwrap_or_else(|| {
                    let one = Loose { point, people: 0, cells: Vec::new(), kinds: 0, home: NEVER, home_group: 0 };
                    self.loose.push(one);
                    self.loose.len() - 1
                });
                let one = &mut self.loose[at];
                one.people += people;
                one.kinds |= 1 << (board.field.kind_of_cell[cell as usize] % 64);
                match one.cells.iter_mut().find(|member| member.cell == cell) {
                    Some(member) => member.people += people,
                    None => one.cells.push(FieldMember { cell, people }),
                }
            }
        }
        worst
    }

    fn place_of(&self, point: u32) -> Option<usize> {
        self.loose.iter().position(|one| one.point == point)
    }

    /// Sends loose people home or into new boxes, whatever costs least against what they are thought to have to pay, until nobody is left.
    fn build(&mut self, board: &mut Board<'_>, most: u64, lots: &mut Lots) -> bool {
        if self.loose.is_empty() {
            return false;
        }
        let mut left: u64 = (1 << self.loose.len()) - 1;
        self.weigh(most, left);
        let mut heap: BinaryHeap<Entry> = BinaryHeap::with_capacity(self.choices.all.len());
        for (number, choice) in (0..).zip(&self.choices.all) {
            let noise = 1024 + lots.below(NOISE) as u64;
            let Some(share) = self.share(choice, left, noise) else { continue };
            heap.push(Reverse((share, number, noise)));
        }
        while left != 0 {
            let homes = bits(left).filter(|&at| self.loose[at].home < NEVER);
            let home =
                homes.map(|at| ((1024.0 * self.loose[at].home as f64 / self.due[at] as f64).to_bits(), at)).min();
            let best = self.cheapest(&mut heap, left);
            match (best, home) {
                (Some((share, choice, _)), _) if home.is_none_or(|(cost, _)| share < cost) => {
                    // A box that can't be completed is not tried again.
                    left &= !self.open(board, choice as usize, left).unwrap_or(0);
                }
                (_, Some((_, at))) => {
                    heap.extend(best.map(Reverse));
                    if !self.send_home(board, at) {
                        return false;
                    }
                    left &= !(1 << at);
                }
                _ => return false,
            }
        }
        true
    }

    /// What everybody is thought to have to pay: between the least that they could and what they have paid before. People who are hard to serve weigh more, since who
    /// serves them beside others deserves to be taken first.
    fn weigh(&mut self, most: u64, left: u64) {
        self.due = self.loose.iter().map(|one| one.home.min(most).max(1)).collect();
        for choice in &self.choices.all {
            let (people, kinds) = self
                .serves(choice, left)
                .fold((0, 0), |(people, kinds), at| (people + self.loose[at].people, kinds | self.loose[at].kinds));
            let Some(each) = choice.loss.saturating_mul(self.size.of(people, kinds)).checked_div(people) else {
                continue;
            };
            bits(choice.inside).for_each(|at| self.due[at] = self.due[at].min(each.max(1)));
        }
        for (due, one) in self.due.iter_mut().zip(&self.loose) {
            if let Some(paid) = self.paid[one.point as usize] {
                *due = u64::midpoint(*due, paid) + 1;
            }
        }
    }

    /// Takes note of what was paid. It is what the boxes around people cost when others are looked after too.
    fn remember(&mut self) {
        for one in &self.loose {
            let paid = &mut self.paid[one.point as usize];
            *paid = Some(paid.map_or(one.home, |before| (7 * before + one.home) / 8));
        }
    }

    /// The best box that is still as good as it was thought to be. What it costs only grows while people are served.
    fn cheapest(&self, heap: &mut BinaryHeap<Entry>, left: u64) -> Option<(u64, u32, u64)> {
        while let Some(Reverse((before, number, noise))) = heap.pop() {
            let Some(share) = self.share(&self.choices.all[number as usize], left, noise) else { continue };
            if share <= before {
                return Some((share, number, noise));
            }
            heap.push(Reverse((share, number, noise)));
        }
        None
    }

    /// The points that a box serves better than an open one.
    fn serves(&self, choice: &Choice, left: u64) -> impl Iterator<Item = usize> {
        let loss = choice.loss;
        bits(choice.inside & left).filter(move |&at| self.loose[at].home > loss)
    }

    /// What a box costs against what its people are thought to have to pay; nothing where it serves nobody.
    fn share(&self, choice: &Choice, left: u64, noise: u64) -> Option<u64> {
        let (mut people, mut kinds, mut due) = (0, 0, 0.0);
        for at in self.serves(choice, left) {
            people += self.loose[at].people;
            kinds |= self.loose[at].kinds;
            due += self.loose[at].people as f64 * self.due[at] as f64;
        }
        let share = choice.loss as f64 * self.size.of(people, kinds) as f64 / due * noise as f64;
        (people > 0).then(|| share.to_bits())
    }

    /// Opens a box for those whom it serves, with people lent where they are too few. Yields who they are; nothing, and nothing changed, where it does not hold.
    fn open(&mut self, board: &mut Board<'_>, number: usize, left: u64) -> Option<u64> {
        let choice = &self.choices.all[number];
        let (loss, inside) = (choice.loss, choice.inside);
        let served = self.serves(choice, left).fold(0, |served: u64, at| served | 1 << at);
        let mark = board.mark();
        let group = board.open_or_add(self.choices.nodes(number));
        for at in bits(served) {
            self.loose[at].cells.iter().for_each(|member| board.shift(member.cell, member.people, self.nowhere, group));
        }
        if !board.holds(group) && !board.borrow_few(group, &[self.nowhere], self.enough_lenders) {
            board.take_back(mark);
            return None;
        }
        for at in bits(inside & left) {
            let one = &mut self.loose[at];
            if one.home > loss {
                (one.home, one.home_group) = (loss, group);
            }
        }
        Some(served)
    }

    /// Sends the people of a point to the cheapest open box around them, if it takes them.
    fn send_home(&self, board: &mut Board<'_>, at: usize) -> bool {
        let one = &self.loose[at];
        one.cells.iter().all(|&FieldMember { cell, people }| {
            let takes = board.supports_role(one.home_group, cell, people);
            if takes {
                board.shift(cell, people, self.nowhere, one.home_group);
            }
            takes
        })
    }
}

/// The places of the bits that are set.
fn bits(set: u64) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(set), |&left| Some(left & left.wrapping_sub(1)))
        .take_while(|&left| left != 0)
        .map(|left| left.trailing_zeros() as usize)
}
