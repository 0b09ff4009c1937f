//! Which groups could hold a person: those whose published values cover each of the person's own.

use std::sync::OnceLock;

/// For every value of every quasi-identifier, the groups that cover it, found when first asked for.
pub struct Coverage<'r> {
    groups: usize,
    /// `of_value[a][code]`: a bit for each group.
    of_value: Vec<Vec<OnceLock<Box<[u64]>>>>,
    find: Find<'r>,
}

/// Names the groups that cover a value of an attribute.
type Find<'r> = Box<dyn Fn(usize, u32, &mut dyn FnMut(usize)) + Send + Sync + 'r>;

impl std::fmt::Debug for Coverage<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Coverage").field("groups", &self.groups).finish_non_exhaustive()
    }
}

impl<'r> Coverage<'r> {
    /// Coverage by `groups` groups of attributes with `sizes` values; `find` names the groups that cover a value.
    pub fn new(
        groups: usize,
        sizes: &[usize],
        find: impl Fn(usize, u32, &mut dyn FnMut(usize)) + Send + Sync + 'r,
    ) -> Self {
        let of_value = sizes.iter().map(|&size| (0..size).map(|_| OnceLock::new()).collect()).collect();
        Self { groups, of_value, find: Box::new(find) }
    }

    /// The words of a bit set with a bit for each group.
    pub fn words(&self) -> usize {
        self.groups.div_ceil(64)
    }

    /// The groups that cover a value of an attribute.
    pub fn of_value(&self, attribute: usize, code: u32) -> &[u64] {
        self.of_value[attribute][code as usize].get_or_init(|| {
            let mut bits = vec![0; self.words()].into_boxed_slice();
            (self.find)(attribute, code, &mut |group| bits[group / 64] |= 1 << (group % 64));
            bits
        })
    }

    /// The groups that cover all of a person's values, in order.
    pub fn of_person(&self, person: &[u32]) -> Vec<usize> {
        let sets: Vec<&[u64]> = person.iter().enumerate().map(|(a, &code)| self.of_value(a, code)).collect();
        let mut found = Vec::new();
        for word in 0..self.words() {
            let all = if self.groups - word * 64 >= 64 { u64::MAX } else { (1 << (self.groups % 64)) - 1 };
            for_each_bit(sets.iter().fold(all, |bits, set| bits & set[word]), |bit| found.push(word * 64 + bit));
        }
        found
    }
}

/// Calls `visit` with the place of every bit that is set.
pub fn for_each_bit(mut bits: u64, mut visit: impl FnMut(usize)) {
    while bits != 0 {
        visit(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_covered_where_every_value_is() {
        // Group g covers the values of attribute a that differ from g modulo 3 + a.
        let covers = |a: usize, code: u32, group: usize| group % (3 + a) != code as usize;
        let coverage = Coverage::new(130, &[3, 4], move |a, code, visit| {
            (0..130).filter(|&group| covers(a, code, group)).for_each(visit);
        });
        for person in [[0, 0], [2, 3], [1, 2]] {
            let wanted: Vec<usize> = (0..130).filter(|&g| covers(0, person[0], g) && covers(1, person[1], g)).collect();
            assert_eq!(coverage.of_person(&person), wanted);
        }
        assert_eq!(coverage.of_person(&[]).len(), 130);
    }
}
