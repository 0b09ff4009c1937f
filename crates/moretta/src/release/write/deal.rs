//! Who of a cell goes to which group, row by row.

use crate::data::table::Table;
use crate::release::plan::Piece;

/// Deals the people of each cell to the cell's pieces, in the order in which they come.
///
/// Rows of a cell agree in everything that the plan looks at, so any order is as good as another; a
/// row that stands for several people may be dealt to several groups.
pub(crate) struct QuotaAssigner<'p> {
    pieces: &'p [Piece],
    /// Pieces ordered by cell, and where those of each cell start.
    order: Vec<u32>,
    next: Vec<u32>,
    /// The people whom the piece at `next` can still take.
    room: Vec<u64>,
}

impl<'p> QuotaAssigner<'p> {
    pub(crate) fn new(pieces: &'p [Piece], cells: usize) -> Self {
        // A counting sort by cell: how many pieces each cell has, where they start, then each into its place.
        let mut next = vec![0_u32; cells + 1];
        pieces.iter().for_each(|piece| next[piece.cell as usize + 1] += 1);
        (0..cells).for_each(|cell| next[cell + 1] += next[cell]);
        let mut order = vec![0; pieces.len()];
        for (number, piece) in (0..).zip(pieces) {
            order[next[piece.cell as usize] as usize] = number;
            next[piece.cell as usize] += 1;
        }
        // Filling moved every start to the next cell's.
        next.rotate_right(1);
        next[0] = 0;
        next.truncate(cells);
        let first = |(cell, &index): (usize, &u32)| {
            let piece = order.get(index as usize).map(|&piece: &u32| pieces[piece as usize]);
            piece.filter(|piece| piece.cell as usize == cell).map_or(0, |piece| piece.people)
        };
        let room = next.iter().enumerate().map(first).collect();
        Self { pieces, order, next, room }
    }

    /// Deals `people` of a cell; `take` gets groups and how many go there. Who finds no room is left out.
    pub(crate) fn deal(&mut self, cell: u32, mut people: u64, mut take: impl FnMut(u32, u64)) {
        let at = cell as usize;
        while people > 0 {
            let piece = self.order.get(self.next[at] as usize).map(|&piece| self.pieces[piece as usize]);
            let Some(piece) = piece.filter(|piece| piece.cell == cell) else { return };
            let taken = people.min(self.room[at]);
            if taken > 0 {
                take(piece.group, taken);
            }
            people -= taken;
            self.room[at] -= taken;
            if self.room[at] == 0 {
                self.next[at] += 1;
                let following = self.order.get(self.next[at] as usize).map(|&p| self.pieces[p as usize]);
                self.room[at] = following.filter(|piece| piece.cell == cell).map_or(0, |piece| piece.people);
            }
        }
    }
}

/// How many people a row of a table stands for.
pub(crate) fn people_of(table: &Table, row: usize) -> u64 {
    table.weights.as_ref().map_or(1, |weights| weights[row])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas_are_filled_in_order_and_whoever_finds_no_room_is_left_out() {
        let piece = |group, cell, people| Piece { group, cell, people };
        let pieces = [piece(0, 0, 2), piece(1, 0, 3), piece(1, 2, 1)];
        let mut dealer = QuotaAssigner::new(&pieces, 3);
        let mut deal = |cell, people| {
            let mut taken = Vec::new();
            dealer.deal(cell, people, |group, people| taken.push((group, people)));
            taken
        };
        assert_eq!(deal(0, 1), [(0, 1)]);
        assert_eq!(deal(0, 3), [(0, 1), (1, 2)]);
        assert_eq!(deal(1, 1), []);
        assert_eq!(deal(0, 5), [(1, 1)]);
        assert_eq!(deal(2, 1), [(1, 1)]);
    }
}
