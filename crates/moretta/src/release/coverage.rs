//! Which groups could hold a person: those whose published values cover each of the person's own.

use std::sync::OnceLock;

use fixedbitset::FixedBitSet;

/// For every value of every quasi-identifier, the groups that cover it, found when first asked for.
pub struct Coverage<'r> {
    groups: usize,
    /// `of_value[a][code]`: a bit for each group.
    of_value: Vec<Vec<OnceLock<FixedBitSet>>>,
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

    /// The number of groups: every set of them has a bit for each.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The groups that cover a value of an attribute.
    pub fn of_value(&self, attribute: usize, code: u32) -> &FixedBitSet {
        self.of_value[attribute][code as usize].get_or_init(|| {
            let mut covering = FixedBitSet::with_capacity(self.groups);
            (self.find)(attribute, code, &mut |group| covering.insert(group));
            covering
        })
    }

    /// The groups that cover all of a person's values, in order.
    pub fn of_person(&self, person: &[u32]) -> Vec<usize> {
        let mut values = person.iter().enumerate().map(|(a, &code)| self.of_value(a, code));
        let Some(mut covering) = values.next().cloned() else { return (0..self.groups).collect() };
        values.for_each(|of_value| covering.intersect_with(of_value));
        covering.ones().collect()
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
