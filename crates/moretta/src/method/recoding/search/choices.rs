//! The boxes around people who stand in no group, and who of them is inside.

use super::boxes_met::{BoxMet, BoxesMet};
use super::size::NeededSize;
use crate::method::recoding::local::{Field, FieldMember};
use crate::method::recoding::refine::{Board, mix};

/// Losses of a person are counted in such parts of an attribute, so that no sum depends on its order.
const UNIT: f64 = (1_u64 << 24) as f64;

/// Nobody pays so much.
pub(super) const NEVER: u64 = u64::MAX;

/// So many boxes around one point are looked at; where there are more, only the cheaper ones.
const MOST_BOXES: usize = 4096;

/// People of one point who stand in no group.
#[derive(Debug)]
pub(super) struct Loose {
    pub(super) point: u32,
    pub(super) people: u64,
    pub(super) cells: Vec<FieldMember>,
    /// The kinds of them, a bit for every sixty-fourth.
    pub(super) kinds: u64,
    /// What they pay in the cheapest box that is open around them, or in the one that was opened for them.
    pub(super) home: u64,
    /// The group of that box.
    pub(super) home_group: u32,
}

/// A box that is not open.
#[derive(Debug)]
pub(super) struct Choice {
    /// What it costs a person.
    pub(super) loss: u64,
    /// The loose points inside, one bit each.
    pub(super) inside: u64,
    /// Its nodes start here.
    nodes: usize,
}

/// A step from a rank up: the node, what it costs, and its part of a box's number.
#[derive(Clone, Copy, Debug)]
struct Rung {
    node: u32,
    loss: u64,
    mixed: u64,
}

/// All boxes around loose people that are of interest. Buffers are kept from step to step.
#[derive(Debug)]
pub(super) struct Choices {
    /// `ladders[a][rank]`: from the leaf to the root.
    ladders: Vec<Vec<Vec<Rung>>>,
    pub(super) all: Vec<Choice>,
    nodes: Vec<u32>,
    met: BoxesMet,
}

/// What is looked for around one point.
struct Around<'a, 'f> {
    board: &'a Board<'f>,
    cell: usize,
    number: usize,
    alone: bool,
    bound: u64,
    looked: usize,
}

impl Choices {
    pub(super) fn new(field: &Field<'_>) -> Self {
        let mut ladders = Vec::new();
        for (attribute, (taxonomy, scale)) in (0..).zip(field.taxonomies.iter().zip(field.task.scales)) {
            let rung = |(node, loss)| Rung { node, loss: parts(loss), mixed: mix(attribute, node) };
            let ladder = |rank| taxonomy.ladder(rank).into_iter().map(rung).collect();
            ladders.push((0..scale.ranks().max(1)).map(ladder).collect());
        }
        Self { ladders, all: Vec::new(), nodes: Vec::new(), met: BoxesMet::new() }
    }

    /// Finds the boxes around loose people that cost less than `bound`, and the cheapest open one around each.
    pub(super) fn find(&mut self, board: &Board<'_>, loose: &mut [Loose], bound: u64, size: NeededSize) {
        self.all.clear();
        self.nodes.clear();
        self.met.clear();
        let mut chosen = vec![0; self.ladders.len()];
        for (number, one) in loose.iter_mut().enumerate() {
            let cell = one.cells.first().map_or(0, |member| member.cell as usize);
            let mut bound = bound;
            loop {
                let mut around = Around { board, cell, number, alone: size.is_met_by(one.people), bound, looked: 0 };
                self.climb(&mut around, one, 0, 0, 0, &mut chosen);
                if around.looked <= MOST_BOXES || bound == 0 {
                    break;
                }
                bound /= 2;
            }
        }
    }

    /// The node of each attribute of a box.
    pub(super) fn nodes(&self, choice: usize) -> &[u32] {
        let start = self.all[choice].nodes;
        &self.nodes[start..start + self.ladders.len()]
    }

    /// Makes boxes attribute by attribute; a ladder's steps cost more and more, so that the first that is too dear ends it.
    fn climb(
        &mut self,
        around: &mut Around<'_, '_>,
        one: &mut Loose,
        attribute: usize,
        key: u64,
        loss: u64,
        chosen: &mut [u32],
    ) {
        if around.looked > MOST_BOXES {
            return;
        }
        if attribute == self.ladders.len() {
            around.looked += 1;
            self.look(around, one, key, loss, chosen);
            return;
        }
        let rank = around.board.field.ranks[attribute][around.cell] as usize;
        for at in 0..self.ladders[attribute][rank].len() {
            let rung = self.ladders[attribute][rank][at];
            if loss + rung.loss >= around.bound {
                break;
            }
            chosen[attribute] = rung.node;
            self.climb(around, one, attribute + 1, key.wrapping_add(rung.mixed), loss + rung.loss, chosen);
        }
    }

    fn look(&mut self, around: &Around<'_, '_>, one: &mut Loose, key: u64, loss: u64, chosen: &[u32]) {
        let Self { met, all, nodes, .. } = self;
        let known = met.get_or(key, || {
            let open = around.board.open_at(key);
            match open.filter(|&group| !around.board.groups[group as usize].members.is_empty()) {
                Some(group) => BoxMet::Open(group),
                None if loss == 0 && !around.alone => BoxMet::Nothing,
                None => {
                    all.push(Choice { loss, inside: 0, nodes: nodes.len() });
                    nodes.extend_from_slice(chosen);
                    BoxMet::Choice(all.len() as u32 - 1)
                }
            }
        });
        match known {
            BoxMet::Open(group) if loss < one.home => (one.home, one.home_group) = (loss, group),
            BoxMet::Choice(choice) => self.all[choice as usize].inside |= 1 << around.number,
            BoxMet::Open(_) | BoxMet::Nothing => {}
        }
    }
}

/// A loss in whole parts.
#[expect(clippy::cast_sign_loss, reason = "losses are not negative")]
pub(super) fn parts(loss: f64) -> u64 {
    (loss * UNIT).round() as u64
}
