//! Who of a cell goes to which group, row by row.

use rayon::prelude::*;

use super::rows::push_text;
use super::{Context, pass_over_kept};
use crate::chance::KeyedHash;
use crate::data::table::CodedTable;
use crate::error::Result;
use crate::release::plan::Piece;

/// The people of each row, dealt to groups.
///
/// Rows of a cell agree in everything that the plan looks at, but not in insensitive attributes, which tell them apart in a release. So they are dealt
/// in the order of a keyed hash of what they publish: the order of the source, which a recipient may know, plays no part, and a
/// shuffled copy of the source gives the same release. Rows that publish the same are drawn for one by one, too, so that they do not go to
/// their groups side by side. A row that stands for several people may go to several groups.
pub(crate) struct Dealt {
    /// The group of each row, or one of the two below.
    group_of_row: Vec<u32>,
    /// For each row whose people do not all go to the same group: how many go where, by row.
    split: Vec<(u32, u32, u64)>,
}

const NOBODY: u32 = u32::MAX;
const SPLIT: u32 = u32::MAX - 1;

/// So many rows are dealt until somebody looks whether the work is to stop.
const ROWS_PER_LOOK: usize = 1 << 16;

/// The people of a cell are drawn for one by one up to so many; beyond that, in lots of equal size.
const MOST_LOTS: u64 = 1 << 22;

impl Dealt {
    /// Deals everybody.
    pub(crate) fn new(context: &Context<'_>, pieces: &[Piece]) -> Result<Self> {
        let (table, cells) = (context.table, context.cells);
        let mut dealer = QuotaAssigner::new(pieces, cells.len());
        context.progress.check()?;
        let mut dealt = Self { group_of_row: vec![NOBODY; table.rows()], split: Vec::new() };
        let told_apart = context.attributes.iter().any(|attribute| attribute.role.is_passed_over());
        let mut parts = Vec::new();
        if !told_apart || (0..cells.len()).all(|cell| dealer.takes_whole(cell, cells.people[cell])) {
            // Whoever is whose neighbour in the source: rows of a cell publish the same, or go to the same group.
            let whole: Vec<u32> = (0..cells.len()).map(|cell| dealer.only_group(cell, cells.people[cell])).collect();
            dealt.group_of_row = cells.cell_of_row.par_iter().map(|&cell| whole[cell as usize]).collect();
            context.progress.check()?;
            for (row, &cell) in cells.cell_of_row.iter().enumerate() {
                if row % ROWS_PER_LOOK == 0 {
                    context.progress.check()?;
                }
                if dealt.group_of_row[row] == SPLIT {
                    let lot = [(0, row as u32, people_of(table, row))];
                    dealt.deal(&mut dealer, cell, &lot, &mut parts);
                }
            }
            return Ok(dealt);
        }
        let hash = context.seed.keyed_hash("who of a cell goes where");
        let contents = contents(context, &hash)?;
        let mut order: Vec<u32> = (0..table.rows() as u32).collect();
        order.par_sort_unstable_by_key(|&row| {
            let at = row as usize;
            (cells.cell_of_row[at], contents[at], people_of(table, at), row)
        });
        context.progress.check()?;
        let mut lots = Vec::new();
        for rows in order.chunk_by(|&a, &b| cells.cell_of_row[a as usize] == cells.cell_of_row[b as usize]) {
            let Some(cell) = rows.first().map(|&row| cells.cell_of_row[row as usize]) else { continue };
            context.progress.check()?;
            lots.clear();
            draw_lots(rows, &contents, table, cells.people[cell as usize], &hash, &mut lots);
            lots.sort_unstable();
            dealt.deal(&mut dealer, cell, &lots, &mut parts);
        }
        dealt.split.sort_unstable();
        Ok(dealt)
    }

    /// Deals lots of people, which come in the order in which they were drawn; `parts` is room to work in.
    fn deal(
        &mut self,
        dealer: &mut QuotaAssigner<'_>,
        cell: u32,
        lots: &[(u128, u32, u64)],
        parts: &mut Vec<(u32, u32, u64)>,
    ) {
        parts.clear();
        for &(_, row, people) in lots {
            let left = dealer.deal(cell, people, |group, people| parts.push((row, group, people)));
            if left > 0 {
                parts.push((row, NOBODY, left));
            }
        }
        parts.sort_unstable();
        for of_row in parts.chunk_by(|a, b| a.0 == b.0) {
            let Some(&(row, group, _)) = of_row.first() else { continue };
            if of_row.iter().all(|part| part.1 == group) {
                self.group_of_row[row as usize] = group;
                continue;
            }
            self.group_of_row[row as usize] = SPLIT;
            for same in of_row.chunk_by(|a, b| a.1 == b.1).filter(|same| same[0].1 != NOBODY) {
                self.split.push((row, same[0].1, same.iter().map(|part| part.2).sum()));
            }
        }
    }

    /// Where the people of a row go; `take` gets groups and how many go there. Who is left out goes nowhere.
    pub(crate) fn of_row(&self, table: &CodedTable, row: usize, mut take: impl FnMut(u32, u64)) {
        match self.group_of_row[row] {
            NOBODY => {}
            SPLIT => {
                let first = self.split.partition_point(|part| (part.0 as usize) < row);
                let own = self.split[first..].iter().take_while(|part| part.0 as usize == row);
                own.for_each(|&(_, group, people)| take(group, people));
            }
            group => take(group, people_of(table, row)),
        }
    }
}

/// A keyed hash of what each row publishes beside the values of its cell. The cell counts as well: otherwise the same values would
/// stand in the same order in every cell, and one cell would tell about the others.
fn contents(context: &Context<'_>, hash: &KeyedHash) -> Result<Vec<u128>> {
    let mut contents = vec![0_u128; context.table.rows()];
    pass_over_kept(context, |batch, kept| {
        let hashed: Vec<u128> = kept
            .par_iter()
            .map_init(Vec::new, |record: &mut Vec<u8>, &(row, index)| {
                record.clear();
                record.extend_from_slice(&context.cells.cell_of_row[row as usize].to_le_bytes());
                batch.columns.iter().for_each(|column| push_text(record, column[index as usize].as_deref()));
                hash.of([record.as_slice()])
            })
            .collect();
        kept.iter().zip(hashed).for_each(|(&(row, _), content)| contents[row as usize] = content);
        Ok(())
    })?;
    Ok(contents)
}

/// Draws for the people of a cell, whose rows come sorted by content and weight: a number for each, which depends on what the row publishes and on
/// how many before it publish the same, and on nothing else.
fn draw_lots(
    rows: &[u32],
    contents: &[u128],
    table: &CodedTable,
    people: u64,
    hash: &KeyedHash,
    lots: &mut Vec<(u128, u32, u64)>,
) {
    let size = people.div_ceil(MOST_LOTS).max(1);
    for alike in rows.chunk_by(|&a, &b| contents[a as usize] == contents[b as usize]) {
        let mut number = 0_u64;
        for &row in alike {
            let mut left = people_of(table, row as usize);
            while left > 0 {
                let content = contents[row as usize].to_le_bytes();
                let lot = left.min(size);
                lots.push((hash.of([content.as_slice(), number.to_le_bytes().as_slice()]), row, lot));
                left -= lot;
                number += 1;
            }
        }
    }
}

/// Deals the people of each cell to the cell's pieces, in the order in which they come.
struct QuotaAssigner<'p> {
    pieces: &'p [Piece],
    /// Pieces ordered by cell, and where those of each cell start.
    order: Vec<u32>,
    next: Vec<u32>,
    /// The people whom the piece at `next` can still take.
    room: Vec<u64>,
}

impl<'p> QuotaAssigner<'p> {
    fn new(pieces: &'p [Piece], cells: usize) -> Self {
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

    /// Whether all people of a cell go to one piece, or none of them is published. Asked before anybody is dealt.
    fn takes_whole(&self, cell: usize, people: u64) -> bool {
        self.room[cell] == people || self.room[cell] == 0
    }

    /// The group of all people of a cell, nobody's where it has no pieces; [`SPLIT`] where they go to several, or some are left out. Asked
    /// before anybody is dealt.
    fn only_group(&self, cell: usize, people: u64) -> u32 {
        let first = self.order.get(self.next[cell] as usize).map(|&piece| self.pieces[piece as usize]);
        match first.filter(|piece| piece.cell as usize == cell) {
            None => NOBODY,
            Some(piece) if piece.people == people => piece.group,
            Some(_) => SPLIT,
        }
    }

    /// Deals `people` of a cell; `take` gets groups and how many go there. Gives how many find no room and are left out.
    fn deal(&mut self, cell: u32, mut people: u64, mut take: impl FnMut(u32, u64)) -> u64 {
        let at = cell as usize;
        while people > 0 {
            let piece = self.order.get(self.next[at] as usize).map(|&piece| self.pieces[piece as usize]);
            let Some(piece) = piece.filter(|piece| piece.cell == cell) else { break };
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
        people
    }
}

/// How many people a row of a table stands for.
pub(crate) fn people_of(table: &CodedTable, row: usize) -> u64 {
    table.weights.as_ref().map_or(1, |weights| weights[row])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Seed;
    use crate::data::table::ReadCounts;
    use crate::testkit::chi_square;

    #[test]
    fn quotas_are_filled_in_order_and_whoever_finds_no_room_is_left_out() {
        let piece = |group, cell, people| Piece { group, cell, people };
        let pieces = [piece(0, 0, 2), piece(1, 0, 3), piece(1, 2, 1)];
        let mut dealer = QuotaAssigner::new(&pieces, 3);
        assert!(dealer.takes_whole(1, 4) && dealer.takes_whole(2, 1) && !dealer.takes_whole(0, 5));
        let mut deal = |cell, people| {
            let mut taken = Vec::new();
            let left = dealer.deal(cell, people, |group, people| taken.push((group, people)));
            (taken, left)
        };
        assert_eq!(deal(0, 1), (vec![(0, 1)], 0));
        assert_eq!(deal(0, 3), (vec![(0, 1), (1, 2)], 0));
        assert_eq!(deal(1, 1), (vec![], 1));
        assert_eq!(deal(0, 5), (vec![(1, 1)], 4));
        assert_eq!(deal(2, 1), (vec![(1, 1)], 0));
        // More at once than the first piece takes, and than all of them take.
        let mut dealer = QuotaAssigner::new(&pieces, 3);
        let mut taken = Vec::new();
        assert_eq!(dealer.deal(0, 9, |group, people| taken.push((group, people))), 4);
        assert_eq!(taken, [(0, 2), (1, 3)]);
    }

    fn table(weights: &[u64]) -> CodedTable {
        CodedTable {
            quasi: vec![],
            sensitive: vec![],
            group: None,
            person: None,
            weights: Some(weights.to_vec()),
            source_rows: (0..weights.len() as u32).collect(),
            tally: ReadCounts::default(),
        }
    }

    /// Deals the rows of one cell, with these contents and weights, to groups of these sizes; gives who went where, by row.
    fn dealt(seed: u128, contents: &[u128], weights: &[u64], groups: &[u64]) -> Vec<Vec<(u32, u64)>> {
        let table = table(weights);
        let hash = Seed(seed).keyed_hash("test");
        let mut order: Vec<u32> = (0..weights.len() as u32).collect();
        order.sort_by_key(|&row| (contents[row as usize], weights[row as usize]));
        let pieces: Vec<Piece> = (0..).zip(groups).map(|(group, &people)| Piece { group, cell: 0, people }).collect();
        let mut dealer = QuotaAssigner::new(&pieces, 1);
        let mut dealt = Dealt { group_of_row: vec![NOBODY; weights.len()], split: Vec::new() };
        let mut lots = Vec::new();
        draw_lots(&order, contents, &table, weights.iter().sum(), &hash, &mut lots);
        lots.sort_unstable();
        dealt.deal(&mut dealer, 0, &lots, &mut Vec::new());
        dealt.split.sort_unstable();
        let of_row = |row| {
            let mut parts = Vec::new();
            dealt.of_row(&table, row, |group, people| parts.push((group, people)));
            parts
        };
        (0..weights.len()).map(of_row).collect()
    }

    #[test]
    fn every_row_is_as_likely_in_every_group() {
        // Three rows that differ and three that publish the same, into six groups of one.
        let mut counts = vec![0_u64; 36];
        // Who of those that publish the same stand where: pairs of groups, each equally likely to be shared by the same content.
        let mut together = vec![0_u64; 15];
        for seed in 0..6_000 {
            let groups = dealt(seed, &[5, 6, 7, 8, 8, 8], &[1; 6], &[1; 6]);
            for (row, parts) in groups.iter().enumerate() {
                counts[row * 6 + parts[0].0 as usize] += 1;
            }
            let mut alike: Vec<u32> = groups[3..].iter().map(|parts| parts[0].0).collect();
            alike.sort_unstable();
            let mut pair = 0;
            for a in 0..6 {
                for b in a + 1..6 {
                    together[pair] += u64::from(alike.contains(&a) && alike.contains(&b));
                    pair += 1;
                }
            }
        }
        assert!(chi_square::is_even(&counts[..18]), "{counts:?}");
        // The three that are alike get numbers in the order of the source; together they fall evenly.
        let alike: Vec<u64> = (0..6).map(|group| (3..6).map(|row| counts[row * 6 + group]).sum()).collect();
        assert!(alike.iter().all(|&count| (2_800..3_200).contains(&count)), "{alike:?}");
        assert!(together.iter().all(|&count| (1_050..1_350).contains(&count)), "{together:?}");
    }

    #[test]
    fn the_order_of_rows_plays_no_part() {
        let (contents, weights) = ([3, 1, 3, 2, 3, 1], [2, 1, 5, 4, 1, 3]);
        let turned = |row: usize| (row * 5 + 2) % 6;
        let of_content = |contents: &[u128], groups: &[Vec<(u32, u64)>]| {
            let mut found = std::collections::BTreeMap::new();
            for (content, parts) in contents.iter().zip(groups) {
                parts.iter().for_each(|&(group, people)| *found.entry((*content, group)).or_insert(0) += people);
            }
            found
        };
        for seed in 0..50 {
            let straight = dealt(seed, &contents, &weights, &[4, 4, 4]);
            let moved: Vec<u128> = (0..6).map(|row| contents[turned(row)]).collect();
            let heavy: Vec<u64> = (0..6).map(|row| weights[turned(row)]).collect();
            let other = dealt(seed, &moved, &heavy, &[4, 4, 4]);
            assert_eq!(of_content(&contents, &straight), of_content(&moved, &other));
            let placed: u64 = straight.iter().flatten().map(|part| part.1).sum();
            assert_eq!(placed, 12, "four find no room");
        }
    }
}
