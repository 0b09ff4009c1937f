//! Who stands where, with moves that can be taken back.

use super::boxes::{OpenBoxes, key, ladders};
use crate::method::recoding::local::{Field, FieldMember, Judge, LocalPoints, Tally};
use crate::numeric::tolerance;

/// Groups under way: each has a box, and holds at least whenever a move is complete.
pub(in crate::method::recoding) struct Board<'f> {
    pub(in crate::method::recoding) field: &'f Field<'f>,
    pub(in crate::method::recoding) points: &'f LocalPoints,
    pub(in crate::method::recoding) judge: Judge<'f>,
    /// How many people it takes to open a box, at least or so.
    pub(in crate::method::recoding) fewest: u64,
    /// What has been looked at so far: the measure of time that does not depend on the machine.
    pub(in crate::method::recoding) work: u64,
    /// Whether a group that holds still does when anybody joins: then nobody asks.
    grow_safe: bool,
    open: OpenBoxes,
    /// The groups that people of each cell stand in.
    pub(in crate::method::recoding) stand: Vec<Vec<(u32, u64)>>,
    pub(in crate::method::recoding) groups: Vec<BoxGroup>,
    /// What each group counts.
    pub(in crate::method::recoding) tallies: Vec<Tally>,
    /// Where those stand who are left out of the release, if anybody may be.
    outside: Option<Outside>,
    /// The loss of everybody.
    cost: f64,
    /// What the loss of everybody must stay below for the move under way to be worth it.
    limit: f64,
    /// The moves of people since the last commit.
    journal: Vec<Move>,
}

pub(in crate::method::recoding) struct BoxGroup {
    /// The box: a node for each attribute.
    pub(in crate::method::recoding) nodes: Vec<u32>,
    /// What it costs a person, summed over attributes.
    pub(in crate::method::recoding) loss: f64,
    pub(in crate::method::recoding) members: Vec<FieldMember>,
}

/// A group without a box, whose people lose everything.
struct Outside {
    group: u32,
    may_suppress: u64,
}

#[derive(Clone, Copy)]
struct Move {
    cell: u32,
    people: u64,
    from: u32,
    to: u32,
}

impl<'f> Board<'f> {
    pub(in crate::method::recoding) fn new(
        field: &'f Field<'f>,
        points: &'f LocalPoints,
        groups: &[Vec<FieldMember>],
    ) -> Self {
        let mut judge = Judge::new(field);
        let fewest = judge.fewest_chosen();
        let mut board = Self {
            field,
            points,
            judge,
            fewest,
            work: 0,
            grow_safe: field.task.requirement.safety().grow,
            open: OpenBoxes::default(),
            stand: vec![Vec::new(); field.task.cells.len()],
            groups: Vec::with_capacity(groups.len()),
            tallies: Vec::with_capacity(groups.len()),
            outside: None,
            cost: 0.0,
            limit: f64::INFINITY,
            journal: Vec::new(),
        };
        for members in groups {
            let group = board.add_group(field.nodes(members));
            members.iter().for_each(|member| board.put(member.cell, member.people, group));
        }
        board
    }

    /// The loss of everybody, in people × attributes.
    pub(in crate::method::recoding) fn cost(&self) -> f64 {
        self.cost
    }

    /// By how much the move under way must still improve, or may still worsen, to be worth it in the end.
    pub(in crate::method::recoding) fn margin(&self) -> f64 {
        self.limit - self.cost
    }

    /// The points that are published coarser than they are, with the most that their people lose.
    pub(in crate::method::recoding) fn wishes(&self) -> Vec<(u32, f64)> {
        let worst = |point: u32| {
            let stands = self.points.cells(point).flat_map(|cell| &self.stand[cell as usize]);
            (point, stands.map(|&(group, _)| self.groups[group as usize].loss).fold(0.0, f64::max))
        };
        (0..self.points.len() as u32).map(worst).filter(|&(_, loss)| loss > 0.0).collect()
    }

    /// The groups that are published.
    pub(in crate::method::recoding) fn into_groups(mut self) -> Vec<Vec<FieldMember>> {
        if let Some(Outside { group, .. }) = self.outside {
            self.groups[group as usize].members.clear();
        }
        self.groups.into_iter().map(|group| group.members).filter(|members| !members.is_empty()).collect()
    }

    /// Lets up to so many people be left out, each at the price of everything that they could tell.
    pub(in crate::method::recoding) fn let_out(&mut self, may_suppress: u64) {
        let group = self.groups.len() as u32;
        self.outside = Some(Outside { group, may_suppress });
        // No open box leads there: nobody goes home to it.
        self.groups.push(BoxGroup { nodes: Vec::new(), loss: self.field.full_loss(), members: Vec::new() });
        self.tallies.push(Tally::new(self.field));
    }

    pub(in crate::method::recoding) fn is_outside(&self, group: u32) -> bool {
        self.outside.as_ref().is_some_and(|outside| outside.group == group)
    }

    /// The place for some more people who are left out; nothing where that would be too many.
    pub(in crate::method::recoding) fn outside_for(&self, people: u64) -> Option<u32> {
        let Outside { group, may_suppress } = *self.outside.as_ref()?;
        (self.tallies[group as usize].people + people <= may_suppress).then_some(group)
    }

    pub(in crate::method::recoding) fn holds(&mut self, group: u32) -> bool {
        self.judge.holds(&self.tallies[group as usize])
    }

    pub(in crate::method::recoding) fn add_group(&mut self, nodes: Vec<u32>) -> u32 {
        let group = self.groups.len() as u32;
        let loss = self.field.taxonomies.iter().zip(&nodes).map(|(taxonomy, &node)| taxonomy.loss(node)).sum();
        self.open.insert(&nodes, group);
        self.groups.push(BoxGroup { nodes, loss, members: Vec::new() });
        self.tallies.push(Tally::new(self.field));
        group
    }

    /// A group without a box for people who are on their way from one group to another: nobody stands there between two moves.
    pub(in crate::method::recoding) fn add_nowhere(&mut self) -> u32 {
        let group = self.groups.len() as u32;
        // No open box leads there: nobody goes home to it.
        self.groups.push(BoxGroup { nodes: Vec::new(), loss: 0.0, members: Vec::new() });
        self.tallies.push(Tally::new(self.field));
        group
    }

    /// The group of a box, by the sum of [`mix`](super::boxes::mix) over its nodes; it may have become empty.
    pub(in crate::method::recoding) fn open_at(&self, key: u64) -> Option<u32> {
        self.open.at(key)
    }

    /// The group of a box, a new one if there is none.
    pub(in crate::method::recoding) fn open_or_add(&mut self, nodes: &[u32]) -> u32 {
        self.open.at(key(nodes)).unwrap_or_else(|| self.add_group(nodes.to_vec()))
    }

    /// The cheapest open box around a cell, other than its own, that costs less than `below` and takes the people.
    pub(in crate::method::recoding) fn home(
        &mut self,
        group: u32,
        cell: u32,
        people: u64,
        below: f64,
    ) -> Option<(u32, f64)> {
        let mut best = None;
        let (judge, tallies, grow_safe) = (&mut self.judge, &mut self.tallies, self.grow_safe);
        let boxes = self.groups.iter().map(|group| group.nodes.as_slice());
        self.work += self.open.around(&ladders(self.field, cell), boxes, below, &mut |other, loss| {
            let there = &mut tallies[other as usize];
            let supports_role =
                other != group && there.people > 0 && (grow_safe || judge.holds_with(there, cell, people));
            if supports_role {
                best = Some((other, loss));
            }
            supports_role
        });
        best
    }

    /// Whether a group takes some people of a cell.
    pub(in crate::method::recoding) fn supports_role(&mut self, group: u32, cell: u32, people: u64) -> bool {
        self.grow_safe || self.judge.holds_with(&mut self.tallies[group as usize], cell, people)
    }

    /// Does something, and takes it back unless it succeeds and saves loss.
    pub(in crate::method::recoding) fn attempt(&mut self, act: impl FnOnce(&mut Self) -> bool) -> bool {
        let (before, groups) = (self.cost, self.groups.len());
        self.limit = before - tolerance::COST_TIE;
        self.journal.clear();
        if act(self) && self.cost < self.limit {
            return true;
        }
        self.take_back(0);
        while self.groups.len() > groups {
            self.tallies.pop();
            if let Some(group) = self.groups.pop() {
                self.open.remove(&group.nodes, self.groups.len() as u32);
            }
        }
        self.cost = before;
        false
    }

    /// A index in the journal, to come back to.
    pub(in crate::method::recoding) fn mark(&self) -> usize {
        self.journal.len()
    }

    /// Takes back all moves since a mark.
    pub(in crate::method::recoding) fn take_back(&mut self, mark: usize) {
        while self.journal.len() > mark {
            let Some(Move { cell, people, from, to }) = self.journal.pop() else { return };
            self.take(cell, people, to);
            self.put(cell, people, from);
        }
    }

    /// Moves people of a cell from a group to another.
    pub(in crate::method::recoding) fn shift(&mut self, cell: u32, people: u64, from: u32, to: u32) {
        self.work += 1;
        self.take(cell, people, from);
        self.put(cell, people, to);
        self.journal.push(Move { cell, people, from, to });
    }

    fn put(&mut self, cell: u32, people: u64, group: u32) {
        let stand = &mut self.stand[cell as usize];
        match stand.iter_mut().find(|index| index.0 == group) {
            Some(index) => index.1 += people,
            None => stand.push((group, people)),
        }
        let there = &mut self.groups[group as usize];
        match there.members.iter_mut().find(|member| member.cell == cell) {
            Some(member) => member.people += people,
            None => there.members.push(FieldMember { cell, people }),
        }
        self.tallies[group as usize].add(self.field, cell, people);
        self.cost += there.loss * people as f64;
    }

    fn take(&mut self, cell: u32, people: u64, group: u32) {
        let stand = &mut self.stand[cell as usize];
        stand.iter_mut().filter(|index| index.0 == group).for_each(|index| index.1 -= people);
        stand.retain(|index| index.1 > 0);
        let there = &mut self.groups[group as usize];
        there.members.iter_mut().filter(|member| member.cell == cell).for_each(|member| member.people -= people);
        there.members.retain(|member| member.people > 0);
        self.tallies[group as usize].remove(self.field, cell, people);
        self.cost -= there.loss * people as f64;
    }
}
