//! Sets of sensitive values, one after the other in memory.

/// Sets of values of one attribute, each a row of bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueSets {
    values: usize,
    words: usize,
    bits: Vec<u64>,
}

impl ValueSets {
    /// Some empty sets of values out of `values`.
    pub fn empty(sets: usize, values: usize) -> Self {
        let words = values.div_ceil(64).max(1);
        Self { values, words, bits: vec![0; sets * words] }
    }

    /// How many sets there are.
    pub fn len(&self) -> usize {
        self.bits.len() / self.words
    }

    /// Whether there is no set at all.
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// How many values there are to choose from.
    pub fn values(&self) -> usize {
        self.values
    }

    /// The bits of a set.
    pub fn row(&self, set: usize) -> &[u64] {
        &self.bits[set * self.words..(set + 1) * self.words]
    }

    /// Whether a set holds a value.
    pub fn contains(&self, set: usize, value: u32) -> bool {
        self.row(set)[value as usize / 64] >> (value % 64) & 1 == 1
    }

    /// Puts a value into a set.
    pub fn insert(&mut self, set: usize, value: u32) {
        self.bits[set * self.words + value as usize / 64] |= 1 << (value % 64);
    }

    /// Puts all values of a row into a set.
    pub fn insert_all(&mut self, set: usize, row: &[u64]) {
        for (word, more) in self.bits[set * self.words..].iter_mut().zip(row) {
            *word |= more;
        }
    }

    /// Adds what each set of another list holds.
    pub fn join(&mut self, other: &Self) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(word, more)| *word |= more);
    }

    /// How many values a set holds.
    pub fn count(&self, set: usize) -> usize {
        self.row(set).iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The values of a set, ascending.
    pub fn iter(&self, set: usize) -> impl Iterator<Item = u32> + '_ {
        values_of(self.row(set))
    }

    /// Appends a set.
    pub fn push(&mut self, row: &[u64]) {
        self.bits.extend_from_slice(row);
    }

    /// Numbers the distinct sets in the order of their bits: the sets, and the number of each.
    pub fn distinct(&self) -> (Self, Vec<u32>) {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| self.row(a as usize).cmp(self.row(b as usize)).then(a.cmp(&b)));
        let mut distinct = Self::empty(0, self.values);
        let mut number = vec![0; self.len()];
        for &set in &order {
            let row = self.row(set as usize);
            if distinct.is_empty() || distinct.row(distinct.len() - 1) != row {
                distinct.push(row);
            }
            number[set as usize] = distinct.len() as u32 - 1;
        }
        (distinct, number)
    }
}

/// The values of a row of bits, ascending.
pub fn values_of(row: &[u64]) -> impl Iterator<Item = u32> + '_ {
    (0_u32..).zip(row).flat_map(|(index, &word)| {
        std::iter::successors(Some(word).filter(|&word| word != 0), |word| Some(word & (word - 1)).filter(|&w| w != 0))
            .map(move |word| index * 64 + word.trailing_zeros())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_was_put_in_and_equal_ones_share_a_number() {
        let mut sets = ValueSets::empty(3, 130);
        for (set, value) in [(0, 129), (0, 3), (2, 3), (2, 129), (1, 64)] {
            sets.insert(set, value);
        }
        assert_eq!(sets.iter(0).collect::<Vec<_>>(), [3, 129]);
        assert_eq!((sets.count(1), sets.contains(1, 64), sets.contains(1, 63)), (1, true, false));
        let (distinct, number) = sets.distinct();
        assert_eq!(distinct.len(), 2);
        assert_eq!(number[0], number[2]);
        assert_ne!(number[0], number[1]);
    }
}
