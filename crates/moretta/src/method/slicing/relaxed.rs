//! Cuts through values: where no cut between values is left, people who share one are dealt to both sides.

use std::collections::VecDeque;

use super::feasible::candidates_hold;
use super::shared::{Shared, ValueShare};
use super::strict::Cutter;
use crate::distance::Scratch;
use crate::numeric::Threshold;

/// Buckets are cut through values only while those who match them are few beside those who stand in them: this keeps
/// the whole work close to linear.
const MATCHING_PER_CELL: usize = 4;

impl Cutter<'_> {
    /// Cuts buckets further, wherever the whole sliced table stays diverse.
    pub(super) fn cut_through(&self, buckets: Vec<Vec<u32>>) -> Vec<Vec<ValueShare>> {
        let mut shared = Shared::new(self.layout, buckets);
        let mut scratch = Scratch::default();
        let mut waiting: VecDeque<usize> = (0..shared.len()).collect();
        self.progress.start("cutting through values", waiting.len() as u64);
        while let Some(bucket) = waiting.pop_front() {
            self.progress.advance(1);
            if self.progress.is_cancelled() {
                break;
            }
            if self.halve(&mut shared, bucket, &mut scratch) {
                waiting.push_back(bucket);
                waiting.push_back(shared.len() - 1);
            }
        }
        shared.into_buckets()
    }

    fn halve(&self, shared: &mut Shared<'_>, bucket: usize, scratch: &mut Scratch) -> bool {
        let shares = shared.shares(bucket);
        let people: u64 = shares.iter().map(|&(_, people)| people).sum();
        let many_match = shared.matching(bucket) > MATCHING_PER_CELL * shares.len();
        if people < 2 * self.least.max(self.fewest()) || many_match {
            return false;
        }
        let cells: Vec<u32> = shares.iter().map(|&(cell, _)| cell).collect();
        self.by_width(&cells).into_iter().any(|attribute| {
            let (left, right) = self.deal(shared.shares(bucket), attribute, people / 2);
            let candidates_hold = self.groups.is_none_or(|column| {
                let mut holds = |side: &[ValueShare]| candidates_hold(self.task, self.layout, column, side, scratch);
                holds(&left) && holds(&right)
            });
            candidates_hold && shared.cut(bucket, left, right)
        })
    }

    /// Fewer people than this are never diverse by themselves, and rarely together with others.
    fn fewest(&self) -> u64 {
        self.layout.secrets.iter().filter_map(|secret| secret.l).map(Threshold::ceil).max().unwrap_or(1)
    }

    /// The `wanted` people with the lowest values of an attribute, and the others. Those who share the value in the
    /// middle are dealt out in proportion for each sensitive value, so that both sides stay as diverse as they can.
    fn deal(&self, shares: &[ValueShare], attribute: usize, wanted: u64) -> (Vec<ValueShare>, Vec<ValueShare>) {
        let keys = &self.layout.keys[attribute];
        let value = |cell: u32| {
            self.layout.secrets.first().map_or(0, |secret| secret.value_of_pair[secret.pair[cell as usize] as usize])
        };
        let mut sorted: Vec<(u32, u32, ValueShare)> =
            shares.iter().map(|&share| (keys[share.0 as usize], value(share.0), share)).collect();
        sorted.sort_unstable();
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let mut below = 0;
        for tied in sorted.chunk_by(|a, b| a.0 == b.0) {
            let people: u64 = tied.iter().map(|&(.., (_, people))| people).sum();
            let wanted_here = wanted.saturating_sub(below).min(people);
            below += people;
            let mut passed = 0;
            for stratum in tied.chunk_by(|a, b| a.1 == b.1) {
                let size: u64 = stratum.iter().map(|&(.., (_, people))| people).sum();
                let quota = |passed: u64| (u128::from(wanted_here) * u128::from(passed) / u128::from(people)) as u64;
                let mut goes_left = quota(passed + size) - quota(passed);
                passed += size;
                for &(.., (cell, people)) in stratum {
                    let here = goes_left.min(people);
                    goes_left -= here;
                    left.extend((here > 0).then_some((cell, here)));
                    right.extend((people > here).then_some((cell, people - here)));
                }
            }
        }
        (left, right)
    }
}
