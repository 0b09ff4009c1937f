//! Rows in classes that agree on some columns, refined column by column.

use super::uniqueness::SubsetSizes;

/// How many people each row stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowWeights<'a>(pub(super) Option<&'a [u64]>);

impl RowWeights<'_> {
    pub(super) fn of(self, row: u32) -> u64 {
        self.0.map_or(1, |weights| weights[row as usize])
    }
}

/// The classes of rows that agree on some columns.
///
/// A row that is alone stays alone whatever columns join, so only classes of two rows or more are
/// kept; of the others only how many there are. The more telling the columns, the less is left to do.
#[derive(Clone, Debug, Default)]
pub(super) struct Partition {
    /// The rows of the classes kept, one class after another.
    rows: Vec<u32>,
    /// Where each class ends in them.
    ends: Vec<u32>,
    alone: SubsetSizes,
}

/// An index for each code of a column, all 0 between uses; kept so that no class pays for clearing it.
#[derive(Debug, Default)]
pub(super) struct PartitionScratch {
    slots: Vec<u64>,
    seen: Vec<u32>,
}

/// The slot of a code that occurs in one row of a class only.
const ALONE: u64 = u64::MAX;

impl Partition {
    /// All rows that stand for somebody, in one class.
    pub(super) fn whole(rows: usize, people: RowWeights<'_>) -> Self {
        let rows: Vec<u32> = (0..rows as u32).filter(|&row| people.of(row) > 0).collect();
        match rows.as_slice() {
            [] => Self::default(),
            &[only] => {
                let mut alone = SubsetSizes::default();
                alone.observe(people.of(only));
                Self { alone, ..Self::default() }
            }
            all => Self { ends: vec![all.len() as u32], rows, alone: SubsetSizes::default() },
        }
    }

    /// Whether every row is alone.
    pub(super) fn is_settled(&self) -> bool {
        self.ends.is_empty()
    }

    /// The classes of two rows or more.
    fn classes(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.rows[std::mem::replace(&mut start, end as usize)..end as usize])
    }

    /// The people in each class, summed up.
    pub(super) fn sizes(&self, people: RowWeights<'_>) -> SubsetSizes {
        let mut sizes = self.alone;
        for class in self.classes() {
            sizes.observe(class.iter().map(|&row| people.of(row)).sum());
        }
        sizes
    }

    /// The classes of rows that agree on one more column.
    pub(super) fn refine(
        &self,
        codes: &[u32],
        domain: usize,
        people: RowWeights<'_>,
        scratch: &mut PartitionScratch,
    ) -> Self {
        let PartitionScratch { slots, seen } = scratch.for_domain(domain);
        let mut finer = Self { rows: Vec::new(), ends: Vec::new(), alone: self.alone };
        for class in self.classes() {
            count(class, codes, slots, seen, |_| 1);
            let mut end = finer.rows.len();
            for &code in seen.iter() {
                let slot = &mut slots[code as usize];
                let rows = std::mem::replace(slot, if *slot == 1 { ALONE } else { end as u64 });
                if rows > 1 {
                    end += rows as usize;
                    finer.ends.push(end as u32);
                }
            }
            finer.rows.resize(end, 0);
            for &row in class {
                match &mut slots[codes[row as usize] as usize] {
                    &mut ALONE => finer.alone.observe(people.of(row)),
                    index => {
                        finer.rows[*index as usize] = row;
                        *index += 1;
                    }
                }
            }
            seen.drain(..).for_each(|code| slots[code as usize] = 0);
        }
        finer
    }

    /// What [`Partition::sizes`] would say after [`Partition::refine`], without making the classes.
    pub(super) fn refined_sizes(
        &self,
        codes: &[u32],
        domain: usize,
        people: RowWeights<'_>,
        scratch: &mut PartitionScratch,
    ) -> SubsetSizes {
        let PartitionScratch { slots, seen } = scratch.for_domain(domain);
        let mut sizes = self.alone;
        for class in self.classes() {
            count(class, codes, slots, seen, |row| people.of(row));
            seen.drain(..).for_each(|code| sizes.observe(std::mem::take(&mut slots[code as usize])));
        }
        sizes
    }
}

impl PartitionScratch {
    fn for_domain(&mut self, domain: usize) -> &mut Self {
        if self.slots.len() < domain {
            self.slots.resize(domain, 0);
        }
        self
    }
}

/// Adds up `worth` by code, and lists the codes in the order in which they are seen.
fn count(class: &[u32], codes: &[u32], slots: &mut [u64], seen: &mut Vec<u32>, worth: impl Fn(u32) -> u64) {
    for &row in class {
        let code = codes[row as usize];
        let slot = &mut slots[code as usize];
        if *slot == 0 {
            seen.push(code);
        }
        *slot += worth(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_alone_leave_and_are_counted() {
        let (people, mut scratch) = (RowWeights(None), PartitionScratch::default());
        let whole = Partition::whole(5, people);
        let by_first = whole.refine(&[0, 1, 0, 2, 0], 3, people, &mut scratch);
        assert_eq!(by_first.rows, [0, 2, 4]);
        assert_eq!(by_first.sizes(people), SubsetSizes { distinct: 3, unique: 2, smallest: 1 });
        let by_both = by_first.refine(&[7, 0, 7, 0, 3], 8, people, &mut scratch);
        assert_eq!(by_both.rows, [0, 2]);
        assert_eq!(by_both.sizes(people), SubsetSizes { distinct: 4, unique: 3, smallest: 1 });
        assert!(by_both.refine(&[0, 0, 1, 0, 0], 2, people, &mut scratch).is_settled());
    }

    #[test]
    fn a_row_that_stands_for_nobody_is_no_row() {
        let people = RowWeights(Some(&[3, 0, 1]));
        let whole = Partition::whole(3, people);
        let refined = whole.refine(&[0, 1, 2], 3, people, &mut PartitionScratch::default());
        assert_eq!(refined.sizes(people), SubsetSizes { distinct: 2, unique: 1, smallest: 1 });
        assert_eq!(Partition::whole(0, people).sizes(people), SubsetSizes::default());
    }
}
