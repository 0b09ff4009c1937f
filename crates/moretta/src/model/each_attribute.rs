//! Models that look at one sensitive attribute at a time.

use std::fmt::Debug;

use super::{Composition, Group, GroupCheck, Measure, Safety};
use crate::distance::Scratch;

/// One sensitive attribute of a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct AttributeCounts<'a> {
    /// The people in the group.
    pub(super) people: u64,
    /// How many of them have each value.
    pub(super) counts: &'a [u64],
    group: &'a Group<'a>,
    index: usize,
}

impl<'a> AttributeCounts<'a> {
    /// The parts that the group was cut from, from the nearest to the whole: their people, and how many have each value.
    pub(super) fn ancestors(&self) -> impl Iterator<Item = (u64, &'a [u64])> {
        let index = self.index;
        self.group.ancestors().map(move |ancestor| (ancestor.people, ancestor.sensitive[index].as_slice()))
    }

    /// How many different values the group has.
    pub(super) fn distinct(&self) -> u64 {
        self.counts.iter().filter(|&&count| count > 0).count() as u64
    }

    /// How many people have the most frequent value.
    pub(super) fn most(&self) -> u64 {
        self.counts.iter().copied().max().unwrap_or(0)
    }
}

/// What [`GroupCheck`] is for a group, for one sensitive attribute of it.
pub(super) trait AttributeCheck: Debug + Send + Sync {
    fn safety(&self) -> Safety;

    fn least_people(&self) -> u64 {
        1
    }

    fn needs_ancestors(&self) -> Option<u64> {
        None
    }

    fn composition(&self, _left_out: u64) -> Option<Composition> {
        None
    }

    fn holds(&self, facet: &AttributeCounts<'_>, scratch: &mut Scratch) -> bool;

    /// At most [`MOST_MEASURES`].
    fn measures(&self) -> &'static [Measure];

    fn measure(&self, facet: &AttributeCounts<'_>, scratch: &mut Scratch, levels: &mut [f64]);
}

/// More than any model measures.
const MOST_MEASURES: usize = 4;

/// A promise about each of some sensitive attributes: all must keep it, and the worst is what is reached.
///
/// What is safe for each attribute is safe for all: a conjunction of promises that survive a merge survives it.
#[derive(Debug)]
pub(super) struct PerAttribute<C> {
    /// The index of the attribute among the sensitive ones, and its check.
    checks: Vec<(usize, C)>,
}

impl<C: AttributeCheck> PerAttribute<C> {
    pub(super) fn new(checks: Vec<(usize, C)>) -> Self {
        Self { checks }
    }

    fn facets<'a>(&'a self, group: &'a Group<'a>) -> impl Iterator<Item = (&'a C, AttributeCounts<'a>)> {
        let facet = |index: usize| AttributeCounts {
            people: group.people,
            counts: group.sensitive[index].as_slice(),
            group,
            index,
        };
        self.checks.iter().map(move |(index, check)| (check, facet(*index)))
    }
}

impl<C: AttributeCheck> GroupCheck for PerAttribute<C> {
    fn safety(&self) -> Safety {
        let all = |property: fn(Safety) -> bool| self.checks.iter().all(|(_, check)| property(check.safety()));
        Safety { merge: all(|safety| safety.merge), grow: all(|safety| safety.grow) }
    }

    fn least_people(&self) -> u64 {
        self.checks.iter().map(|(_, check)| check.least_people()).max().unwrap_or(1)
    }

    fn needs_ancestors(&self) -> Option<u64> {
        self.checks.iter().filter_map(|(_, check)| check.needs_ancestors()).min()
    }

    fn compositions(&self, left_out: u64) -> Vec<(usize, Composition)> {
        let of_one = |(index, check): &(usize, C)| Some((*index, check.composition(left_out)?));
        self.checks.iter().filter_map(of_one).collect()
    }

    fn holds(&self, group: &Group<'_>, scratch: &mut Scratch) -> bool {
        self.facets(group).all(|(check, facet)| check.holds(&facet, scratch))
    }

    fn measures(&self) -> &[Measure] {
        self.checks.first().map_or(&[], |(_, check)| check.measures())
    }

    fn measure(&self, group: &Group<'_>, scratch: &mut Scratch, levels: &mut [f64]) {
        for (index, (check, facet)) in self.facets(group).enumerate() {
            let measures = check.measures();
            let mut own = [0.0; MOST_MEASURES];
            check.measure(&facet, scratch, &mut own);
            for ((level, own), measure) in levels.iter_mut().zip(own).zip(measures) {
                *level = if index == 0 { own } else { measure.safer.worse(*level, own) };
            }
        }
    }
}
