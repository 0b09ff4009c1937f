//! Groups that are dissolved together: people who differ in few attributes stand in them.

use super::lots::Lots;
use crate::method::recoding::local::{Field, LocalPoints};
use crate::method::recoding::refine::Board;

/// So many orders in which people lie beside others who are like them.
const ORDERS: usize = 16;

/// So many points on either side are looked at for other groups.
const REACH: usize = 60;

/// At most so many groups are dissolved together, and at least two.
const MOST_GROUPS: usize = 6;

/// A group of more members than this is too large for a small change.
const MOST_MEMBERS: usize = 256;

/// After so many changes the list of groups is made anew.
const CHANGES: usize = 100;

/// Points in several orders, and the groups that lose something.
pub(super) struct Nearby {
    /// The points, sorted by their ranks on the attributes in an order drawn for each.
    orders: Vec<Vec<u32>>,
    /// Where each point lies in each order.
    places: Vec<Vec<u32>>,
    /// The point of each cell.
    point_of: Vec<u32>,
    /// The cells of each point start here.
    starts: Vec<u32>,
    /// Groups that lost something when the list was made; some may have become empty since.
    costly: Vec<u32>,
    /// Changes since then.
    changes: usize,
}

impl Nearby {
    pub(super) fn new(field: &Field<'_>, points: &LocalPoints, board: &Board<'_>, lots: &mut Lots) -> Self {
        let count = points.len() as u32;
        let (mut point_of, mut starts) = (vec![0; field.task.cells.len()], Vec::new());
        for point in 0..count {
            let cells = points.cells(point);
            starts.push(cells.start);
            cells.for_each(|cell| point_of[cell as usize] = point);
        }
        starts.push(field.task.cells.len() as u32);
        let (mut orders, mut places) = (Vec::new(), Vec::new());
        for number in 0..ORDERS {
            let mut attributes: Vec<usize> = (0..field.ranks.len()).collect();
            for end in (1..attributes.len()).rev() {
                attributes.swap(end, lots.below(end + 1));
            }
            // Each attribute comes last in some order: people who are alike but for it lie side by side there.
            let last = number % field.ranks.len().max(1);
            attributes.sort_by_key(|&attribute| attribute == last);
            let ranks = |point: u32| {
                let cell = starts[point as usize] as usize;
                attributes.iter().map(move |&attribute| field.ranks[attribute][cell])
            };
            let mut order: Vec<u32> = (0..count).collect();
            order.sort_by(|&a, &b| ranks(a).cmp(ranks(b)));
            let mut place = vec![0; count as usize];
            (0..).zip(&order).for_each(|(at, &point)| place[point as usize] = at);
            orders.push(order);
            places.push(place);
        }
        let mut nearby = Self { orders, places, point_of, starts, costly: Vec::new(), changes: 0 };
        nearby.list(board);
        nearby
    }

    /// The point of each cell.
    pub(super) fn point_of(&self) -> &[u32] {
        &self.point_of
    }

    /// Takes note that groups were opened, once in a while.
    pub(super) fn welcome(&mut self, board: &Board<'_>) {
        self.changes += 1;
        if self.changes == CHANGES {
            self.changes = 0;
            self.list(board);
        }
    }

    fn list(&mut self, board: &Board<'_>) {
        let lists = |&group: &u32| {
            let there = &board.groups[group as usize];
            there.loss > 0.0 && (1..=MOST_MEMBERS).contains(&there.members.len())
        };
        self.costly = (0..board.groups.len() as u32).filter(lists).collect();
    }

    /// A group that loses something, and some near it; nothing where no group does.
    pub(super) fn choose(&mut self, board: &Board<'_>, lots: &mut Lots) -> Option<Vec<u32>> {
        let first = loop {
            if self.costly.is_empty() {
                return None;
            }
            let at = lots.below(self.costly.len());
            let group = self.costly[at];
            let members = board.groups[group as usize].members.len();
            if (1..=MOST_MEMBERS).contains(&members) {
                break group;
            }
            // Should it be opened again, the next list has it.
            self.costly.swap_remove(at);
        };
        let members = &board.groups[first as usize].members;
        let from = self.point_of[members[lots.below(members.len())].cell as usize];
        let wanted = 2 + lots.below(MOST_GROUPS - 1);
        let number = lots.below(self.orders.len());
        let (order, at) = (&self.orders[number], self.places[number][from as usize] as usize);
        let mut found = Vec::new();
        for distance in 1..=REACH {
            let before = at.checked_sub(distance);
            let after = Some(at + distance).filter(|&after| after < order.len());
            for point in before.into_iter().chain(after).map(|place| order[place] as usize) {
                for cell in self.starts[point]..self.starts[point + 1] {
                    for &(group, _) in &board.stand[cell as usize] {
                        let there = &board.groups[group as usize];
                        let fits = there.loss > 0.0 && there.members.len() <= MOST_MEMBERS;
                        if fits && group != first && !found.contains(&group) {
                            found.push(group);
                        }
                    }
                }
            }
            if found.len() >= 2 * wanted {
                break;
            }
        }
        let mut chosen = vec![first];
        while chosen.len() < wanted && !found.is_empty() {
            chosen.push(found.swap_remove(lots.below(found.len())));
        }
        Some(chosen)
    }
}
