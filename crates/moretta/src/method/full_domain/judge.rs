//! Which groups of a node must be left out.

use super::counts::{Base, NodeCounts};
use crate::distance::Scratch;
use crate::method::Task;
use crate::model::{Group, Requirement};
use crate::release::{Ancestor, TableSummary};

/// Judges the groups of nodes.
#[derive(Debug)]
pub(super) struct NodeJudge<'a> {
    task: &'a Task<'a>,
    base: &'a Base,
    everyone: u64,
    least_people: u64,
    compares_with_whole: bool,
}

/// Groups that are left out, in order, and the people in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOutNode {
    pub(super) groups: Vec<u32>,
    pub(super) people: u64,
}

/// Groups on their way out, and room to judge the others.
struct Leaving {
    most: u64,
    out: Vec<bool>,
    people: u64,
    histograms: Vec<Vec<u64>>,
    scratch: Scratch,
}

impl<'a> NodeJudge<'a> {
    pub(super) fn new(task: &'a Task<'a>, base: &'a Base) -> Self {
        Self {
            task,
            base,
            everyone: task.cells.total(),
            least_people: task.requirement.least_people(),
            compares_with_whole: task.requirement.compares_with_whole(),
        }
    }

    /// The people in groups that are too small for any model: a part of those whom every release leaves out.
    ///
    /// A coarser node has no more of them, whatever the models are: the groups of a person only grow.
    pub(super) fn in_small_groups(&self, counts: &NodeCounts) -> u64 {
        counts.people.iter().filter(|&&people| people < self.least_people).sum()
    }

    /// Leaves out every group that fails; nothing if that takes more than `most` people, or everybody.
    ///
    /// Closeness compares a group with what is released. So when groups have been left out, the others are
    /// judged against what is left, those that now fail are left out too, and so on. It ends, since each round
    /// leaves out more, and it is sound: in the last round every group that stays was judged against exactly
    /// what is released, and none failed. It need not find the fewest people to leave out, since a group that
    /// failed might pass against the final rest; to search all subsets of groups would be hopeless.
    pub(super) fn leave_out(&self, counts: &NodeCounts, most: u64) -> Option<LeftOutNode> {
        let mut leaving = Leaving {
            most: most.min(self.everyone.checked_sub(1)?),
            out: vec![false; counts.len()],
            people: 0,
            histograms: self.empty_histograms(),
            scratch: Scratch::default(),
        };
        self.round(counts, self.task.requirement, &part_of(self.task.whole), &mut leaving)?;
        let mut known = 0;
        while self.compares_with_whole && leaving.people > known {
            known = leaving.people;
            let rest = self.rest(counts, &leaving);
            // A whole that a model can't be prepared for is one that it can't promise anything about.
            let requirement = self.task.requirement.against(&rest).ok()?;
            self.round(counts, &requirement, &part_of(&rest), &mut leaving)?;
        }
        let groups = (0..counts.len() as u32).filter(|&group| leaving.out[group as usize]).collect();
        Some(LeftOutNode { groups, people: leaving.people })
    }

    /// Leaves out the groups that fail; nothing as soon as they hold too many people. A node has no parts between its groups and the whole.
    fn round(
        &self,
        counts: &NodeCounts,
        requirement: &Requirement<'_>,
        whole: &Ancestor,
        leaving: &mut Leaving,
    ) -> Option<()> {
        let Leaving { most, out, people, histograms, scratch } = leaving;
        for (group, &size) in counts.people.iter().enumerate() {
            if out[group] {
                continue;
            }
            // So many people or values take as many rows, whoever they belong to.
            let holds = size >= self.least_people && {
                let people = match self.task.persons {
                    Some(_) => self.fill_by_people(counts, group, histograms),
                    None => {
                        self.fill(counts, group, histograms, |count, people| *count += people);
                        size
                    }
                };
                let sensitive = if counts.held.is_some() { &**histograms } else { &[] };
                let holds = requirement.holds(&Group { people, sensitive, parent: Some(whole) }, scratch);
                self.fill(counts, group, histograms, |count, _| *count = 0);
                holds
            };
            if !holds {
                out[group] = true;
                *people += size;
                if *people > *most {
                    return None;
                }
            }
        }
        Some(())
    }

    fn empty_histograms(&self) -> Vec<Vec<u64>> {
        self.task.sensitive_sizes.iter().map(|&size| vec![0; size]).collect()
    }

    /// Visits the counts of each sensitive value that a group holds.
    fn fill(&self, counts: &NodeCounts, group: usize, histograms: &mut [Vec<u64>], change: impl Fn(&mut u64, u64)) {
        let Some(held) = &counts.held else { return };
        let entries = held.starts[group] as usize..held.starts[group + 1] as usize;
        for (histogram, codes) in histograms.iter_mut().zip(&self.base.held_codes) {
            for (&number, &people) in held.numbers[entries.clone()].iter().zip(&held.people[entries.clone()]) {
                change(&mut histogram[codes[number as usize] as usize], people);
            }
        }
    }

    /// Counts the different people of a group, and those who have each value, into histograms of zeros.
    fn fill_by_people(&self, counts: &NodeCounts, group: usize, histograms: &mut [Vec<u64>]) -> u64 {
        let (Some(held), Some((persons, attributes))) = (&counts.held, self.base.held_codes.split_last()) else {
            return 0;
        };
        let numbers = &held.numbers[held.starts[group] as usize..held.starts[group + 1] as usize];
        let mut seen: Vec<(u32, u32)> = Vec::with_capacity(numbers.len());
        for (histogram, codes) in histograms.iter_mut().zip(attributes) {
            seen.clear();
            seen.extend(numbers.iter().map(|&number| (codes[number as usize], persons[number as usize])));
            seen.sort_unstable();
            seen.dedup();
            seen.iter().for_each(|&(code, _)| histogram[code as usize] += 1);
        }
        seen.clear();
        seen.extend(numbers.iter().map(|&number| (0, persons[number as usize])));
        seen.sort_unstable();
        seen.dedup();
        seen.len() as u64
    }

    /// The whole without those left out.
    fn rest(&self, counts: &NodeCounts, leaving: &Leaving) -> TableSummary {
        let mut rest = self.task.whole.clone();
        rest.people -= leaving.people;
        let mut gone = self.empty_histograms();
        for group in (0..counts.len()).filter(|&group| leaving.out[group]) {
            self.fill(counts, group, &mut gone, |count, people| *count += people);
        }
        for (attribute, gone) in rest.sensitive.iter_mut().zip(gone) {
            attribute.people.iter_mut().zip(gone).for_each(|(count, gone)| *count -= gone);
        }
        rest
    }
}

fn part_of(whole: &TableSummary) -> Ancestor {
    Ancestor::new(whole.people, whole.sensitive.iter().map(|attribute| attribute.people.clone()).collect(), None)
}
