//! Classes of people: those with the same sensitive value of whom the same values are excluded.

use crate::data::cells::count_distinct;
use crate::knowledge::{Points, ValueSets};

/// All classes of a table, with the people that are still to be placed.
#[derive(Debug)]
pub(super) struct Classes {
    /// The sensitive value of each class.
    pub(super) value: Vec<u32>,
    /// The values excluded for each class.
    pub(super) barred: ValueSets,
    /// The people of each class who are still to be placed.
    pub(super) left: Vec<u64>,
    /// `conflict[c * classes + d]`: 1 if people of `c` and `d` can't have each other's values, or have the same.
    conflict: Vec<u64>,
    /// The cells of each class, and their people.
    cells: Vec<Vec<(u32, u64)>>,
}

/// People who have too few values left in the whole table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcast {
    pub(super) people: u64,
    /// How many values the worst of them has.
    pub(super) fewest: u64,
}

impl Classes {
    /// The classes of cells with these sensitive values, at points for which values are excluded.
    pub(super) fn new(values: &[u32], points: &Points, incompatible: &ValueSets, people: &[u64]) -> Self {
        let (sets, set_of_point) = incompatible.distinct();
        let set_of_cell: Vec<u32> = points.of_cell.iter().map(|&point| set_of_point[point as usize]).collect();
        let columns = [(values, incompatible.values()), (set_of_cell.as_slice(), sets.len())];
        let counted = count_distinct(&columns, values.len(), Some(people));
        let mut barred = ValueSets::empty(0, incompatible.values());
        counted.columns[1].iter().for_each(|&set| barred.push(sets.row(set as usize)));
        let mut cells = vec![Vec::new(); counted.len()];
        for (cell, &class) in (0_u32..).zip(&counted.cell_of_row) {
            cells[class as usize].push((cell, people[cell as usize]));
        }
        let mut classes =
            Self { value: counted.columns[0].clone(), barred, left: counted.people, conflict: Vec::new(), cells };
        let all = classes.len() as u32;
        let pairs = (0..all).flat_map(|c| (0..all).map(move |d| (c, d)));
        classes.conflict = pairs.map(|(c, d)| u64::from(classes.clash(c, d))).collect();
        classes
    }

    pub(super) fn len(&self) -> usize {
        self.value.len()
    }

    /// Definition 3.4.2: the same value, or a value that one of them can't have.
    fn clash(&self, c: u32, d: u32) -> bool {
        let (s, t) = (self.value[c as usize], self.value[d as usize]);
        s == t || self.barred.contains(c as usize, t) || self.barred.contains(d as usize, s)
    }

    /// With whom a class conflicts: a 1 for each class that it does.
    pub(super) fn conflicts(&self, class: u32) -> &[u64] {
        &self.conflict[class as usize * self.len()..(class as usize + 1) * self.len()]
    }

    /// The cells of a class, and their people.
    pub(super) fn cells(&self, class: u32) -> &[(u32, u64)] {
        &self.cells[class as usize]
    }

    /// Takes out the people who can have fewer than `l` of the values that the others have, until nobody is left who can't.
    pub(super) fn cast_out(&mut self, l: u64) -> Outcast {
        let mut outcast = Outcast { people: 0, fewest: u64::MAX };
        loop {
            let mut occurs = vec![false; self.barred.values()];
            (0..self.len()).filter(|&c| self.left[c] > 0).for_each(|c| occurs[self.value[c] as usize] = true);
            let can_have = |class: usize| {
                let free = |value: &u32| occurs[*value as usize] && !self.barred.contains(class, *value);
                (0..occurs.len() as u32).filter(free).count() as u64
            };
            let out: Vec<(usize, u64)> = (0..self.len())
                .filter(|&class| self.left[class] > 0)
                .map(|class| (class, can_have(class)))
                .filter(|&(_, values)| values < l)
                .collect();
            if out.is_empty() {
                return outcast;
            }
            for (class, values) in out {
                outcast.people += std::mem::take(&mut self.left[class]);
                outcast.fewest = outcast.fewest.min(values);
            }
        }
    }
}
