//! Whoever is left when groups are full joins one where every promise still holds.

use crate::chance::Stream;
use crate::distance::Scratch;
use crate::method::Task;
use crate::model::Group;
use crate::release::plan::Piece;

/// So many groups are tried at random for each person; then all of them, as long as the budget lasts.
const TRIES: usize = 256;

/// So many groups may be tried in full scans, over all people: enough for whoever eligibility leaves over, and no more
/// than a second or two where most people fit nowhere.
const SCANS: usize = 20_000_000;

/// Groups, and what has joined them.
pub(super) struct Residue<'a> {
    task: &'a Task<'a>,
    /// The cells of the groups' first members, group after group.
    members: &'a [u32],
    size: usize,
    /// Who has joined a group since.
    joined: Vec<Vec<u32>>,
    histograms: Vec<Vec<u64>>,
    scratch: Scratch,
    stream: Stream<'a>,
    budget: usize,
}

impl<'a> Residue<'a> {
    pub(super) fn new(task: &'a Task<'a>, members: &'a [u32], size: usize) -> Self {
        let histograms = task.sensitive_sizes.iter().map(|&size| vec![0; size]).collect();
        let joined = vec![Vec::new(); members.len() / size];
        let stream = task.stream("residue", 0);
        Self { task, members, size, joined, histograms, scratch: Scratch::default(), stream, budget: SCANS }
    }

    /// Puts people into groups; says how many fit nowhere.
    pub(super) fn index(&mut self, rest: Vec<(u32, u64)>, pieces: &mut Vec<Piece>) -> u64 {
        let mut stuck = 0;
        for (cell, people) in rest {
            for _ in 0..people {
                if self.task.token.is_cancelled() {
                    return stuck;
                }
                match self.find(cell) {
                    Some(group) => {
                        self.joined[group].push(cell);
                        pieces.push(Piece { group: group as u32, cell, people: 1 });
                    }
                    None => stuck += 1,
                }
            }
        }
        stuck
    }

    fn find(&mut self, cell: u32) -> Option<usize> {
        let groups = self.joined.len();
        for _ in 0..TRIES.min(groups) {
            let group = self.stream.below(groups);
            if self.welcomes(group, cell) {
                return Some(group);
            }
        }
        if self.budget < groups {
            return None;
        }
        self.budget -= groups;
        (0..groups).find(|&group| self.welcomes(group, cell))
    }

    fn welcomes(&mut self, group: usize, cell: u32) -> bool {
        let quasi = self.task.scales.len();
        let first = &self.members[group * self.size..(group + 1) * self.size];
        let all: Vec<u32> = first.iter().chain(&self.joined[group]).copied().chain([cell]).collect();
        for (column, histogram) in self.task.cells.columns[quasi..].iter().zip(&mut self.histograms) {
            all.iter().for_each(|&member| histogram[column[member as usize] as usize] += 1);
        }
        let joint = Group { people: all.len() as u64, sensitive: &self.histograms, parent: None };
        let holds = self.task.requirement.holds(&joint, &mut self.scratch);
        for (column, histogram) in self.task.cells.columns[quasi..].iter().zip(&mut self.histograms) {
            all.iter().for_each(|&member| histogram[column[member as usize] as usize] = 0);
        }
        holds
    }
}
