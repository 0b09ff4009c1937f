//! Bucketized releases: exact quasi-identifiers in one table, the sensitive values of their groups in others.

use rayon::prelude::*;

use super::Bucketized;
use crate::condition::{QueryBox, ValueSet};
use crate::data::cells::count_distinct;
use crate::data::table::Column;
use crate::data::value::Value;
use crate::error::{Error, Result};
use crate::release::grouped_rows::{GroupedRows, numbers_of};
use crate::release::histograms::{Parts, Profiles, in_set};
use crate::release::tally::{AggregateEvidence, Member, ValueDistribution};
use crate::release::{Analyst, Askable, Estimate, Populations};

impl Bucketized {
    fn rows(&self) -> GroupedRows<'_> {
        GroupedRows {
            table: &self.qit,
            insensitive: &self.insensitive,
            sensitive: self.groups.whole.sensitive.len(),
            group_of_row: &self.group_of_row,
            groups: self.groups.len(),
        }
    }

    /// The index of an attribute among the sensitive ones, if it is one.
    fn sensitive_place(&self, attribute: usize) -> Option<usize> {
        attribute.checked_sub(self.qit.quasi.len()).filter(|&index| index < self.groups.whole.sensitive.len())
    }

    /// Which values of which sensitive attributes a box allows.
    fn allowed(&self, one: &QueryBox) -> Allowed {
        let side = |(attribute, set): &(usize, ValueSet)| {
            let index = self.sensitive_place(*attribute)?;
            let values = self.groups.whole.sensitive[index].domain.values().iter();
            Some((index, values.map(|value| set.contains(value)).collect()))
        };
        one.sides.iter().filter_map(side).collect()
    }

    /// Whether a box restricts what rows publish.
    fn restricts_rows(&self, one: &QueryBox) -> bool {
        one.sides.iter().any(|(attribute, _)| self.sensitive_place(*attribute).is_none())
    }

    fn matching(&self, one: &QueryBox) -> Vec<u64> {
        if self.restricts_rows(one) { self.rows().matching(one) } else { self.groups.people.clone() }
    }
}

/// How many people of a group of `size` can be both among `a` and among `b` of its members.
pub(crate) fn overlap(size: u64, a: u64, b: u64) -> (u64, u64) {
    ((a + b).saturating_sub(size), a.min(b))
}

impl Analyst for Bucketized {
    fn attributes(&self) -> Vec<Askable> {
        let quasi = self.qit.quasi.iter().map(|c| (&c.name, &c.domain));
        let sensitive = self.groups.whole.sensitive.iter().map(|s| (&s.name, &s.domain));
        let all = quasi.chain(sensitive).chain(self.insensitive.iter().map(|c| (&c.name, &c.domain)));
        all.map(|(name, domain)| Askable { name: name.clone(), kind: domain.kind() }).collect()
    }

    fn values_of(&self, attribute: usize) -> Result<Vec<Value>> {
        let domain = match self.sensitive_place(attribute) {
            Some(index) => Some(&self.groups.whole.sensitive[index].domain),
            None => self.rows().column(attribute).map(|column| &column.domain),
        };
        let domain = domain.ok_or_else(|| Error::bug(format!("the release has no attribute {attribute}")))?;
        Ok(domain.values().to_vec())
    }

    fn histograms(&self, populations: &Populations, attribute: usize) -> Result<Vec<Vec<f64>>> {
        let sensitive = attribute - self.qit.quasi.len();
        let columns: Vec<(&[u32], usize)> = std::iter::once((self.group_of_row.as_slice(), self.groups.len()))
            .chain(self.qit.quasi.iter().map(Column::counted))
            .collect();
        let mut cells = count_distinct(&columns, self.qit.rows(), self.qit.weights.as_deref());
        let profile = cells.columns.remove(0);
        let people = cells.people.iter().map(|&people| people as f64).collect();
        let profiles = Profiles::of_groups(&self.groups, sensitive);
        let parts = Parts { columns: cells.columns, people, profile, profiles };
        let weigh = |index: usize, set: &_| in_set(self.qit.quasi[index].domain.values(), set);
        parts.histograms(populations, self.groups.whole.sensitive[sensitive].domain.len(), weigh)
    }

    /// Inside a group sensitive values are taken to be independent of quasi-identifiers, and of each other.
    fn count(&self, condition: &[QueryBox]) -> Result<Estimate> {
        let per_box: Vec<(Vec<u64>, Allowed)> =
            condition.iter().map(|one| (self.matching(one), self.allowed(one))).collect();
        let in_groups = |start: usize| {
            let (mut estimate, mut lower, mut upper) = (0.0, 0, 0);
            for group in start..(start + GROUPS_PER_CHUNK).min(self.groups.len()) {
                let mut most = 0;
                for (matching, allowed) in &per_box {
                    let found = self.in_group(group, matching[group], allowed);
                    estimate += found.expected;
                    // Disjoint boxes: what each must hold adds up, and together they hold no more than the group.
                    lower += found.least;
                    most += found.most;
                }
                upper += most.min(self.groups.people[group]);
            }
            (estimate, lower, upper)
        };
        let chunks = self.groups.len().div_ceil(GROUPS_PER_CHUNK);
        let parts: Vec<(f64, u64, u64)> =
            (0..chunks).into_par_iter().map(|chunk| in_groups(chunk * GROUPS_PER_CHUNK)).collect();
        let all = parts.iter().fold((0.0, 0, 0), |all, one| (all.0 + one.0, all.1 + one.1, all.2 + one.2));
        let suppressed = if condition.is_empty() { 0 } else { self.suppressed };
        Ok(Estimate::within(all.0, all.1 as f64, (all.2 + suppressed) as f64))
    }

    /// Rows are known; which sensitive values of the group are theirs is not.
    fn tally(&self, attribute: usize, condition: &[QueryBox]) -> Result<AggregateEvidence> {
        let mut tally = AggregateEvidence::default();
        for one in condition {
            match (self.sensitive_place(attribute), self.rows().column(attribute)) {
                (Some(index), _) => self.tally_sensitive(&mut tally, index, one),
                (None, Some(column)) => self.tally_rows(&mut tally, column, one),
                (None, None) => {}
            }
        }
        tally.add_suppressed(self.suppressed, attribute, condition);
        Ok(tally)
    }
}

/// Which values of which sensitive attributes are inside.
type Allowed = Vec<(usize, Vec<bool>)>;

/// Groups that are looked at together.
const GROUPS_PER_CHUNK: usize = 1 << 14;

impl Bucketized {
    /// An attribute that rows publish: of the matching rows of a group any may have the sensitive values in question.
    fn tally_rows(&self, tally: &mut AggregateEvidence, column: &Column, one: &QueryBox) {
        let numbers = numbers_of(column);
        let mut point = |x: Option<f64>| tally.expected.law(x.map(ValueDistribution::point));
        let laws: Vec<Option<u32>> = numbers.iter().map(|&x| point(x)).collect();
        let allowed = self.allowed(one);
        let rows = self.rows();
        if allowed.is_empty() {
            for (code, people) in rows.histogram(one, column).into_iter().enumerate() {
                let Some(x) = numbers[code] else { continue };
                tally.crowd.add(Member { low: x, high: x, people, sure: true });
                tally.expected.expect(people as f64, 1.0, laws[code]);
            }
            return tally.crowd.close_independent();
        }
        for same in rows.by_group(one, column).chunk_by(|a, b| a.0 == b.0) {
            let matching: u64 = same.iter().map(|(_, _, people)| people).sum();
            let found = self.in_group(same[0].0 as usize, matching, &allowed);
            for &(_, code, people) in same {
                let Some(x) = numbers[code as usize] else { continue };
                tally.crowd.add(Member { low: x, high: x, people, sure: true });
                tally.expected.expect(people as f64, found.expected / matching as f64, laws[code as usize]);
            }
            tally.crowd.close(found.least, found.most);
        }
    }

    /// A sensitive attribute: of its values in the group any may belong to the matching rows.
    fn tally_sensitive(&self, tally: &mut AggregateEvidence, index: usize, one: &QueryBox) {
        let allowed = self.allowed(one);
        let inside = allowed.iter().find(|(attribute, _)| *attribute == index).map(|(_, inside)| inside.as_slice());
        let domain = &self.groups.whole.sensitive[index].domain;
        for (group, &matching) in self.matching(one).iter().enumerate().filter(|(_, matching)| **matching > 0) {
            let found = self.in_group(group, matching, &allowed);
            let mut points = Vec::new();
            let (codes, people) = self.groups.held(index, group);
            for (&code, &people) in codes.iter().zip(people) {
                let x = domain.value(code).as_number().filter(|_| inside.is_none_or(|inside| inside[code as usize]));
                if let Some(x) = x {
                    tally.crowd.add(Member { low: x, high: x, people, sure: true });
                    points.push((x, people as f64));
                }
            }
            tally.crowd.close(found.least, found.most);
            let law = tally.expected.law(ValueDistribution::weighted(points));
            tally.expected.expect(matching as f64, found.expected / matching as f64, law);
        }
    }
}

/// What is known about the people of a group in a box.
#[derive(Clone, Copy, Debug)]
struct BoxInGroup {
    expected: f64,
    least: u64,
    most: u64,
}

impl Bucketized {
    fn in_group(&self, group: usize, matching: u64, sensitive: &[(usize, Vec<bool>)]) -> BoxInGroup {
        let size = self.groups.people[group];
        let mut found = BoxInGroup { expected: matching as f64, least: matching, most: matching };
        for (attribute, truth) in sensitive {
            let (codes, people) = self.groups.held(*attribute, group);
            let held = codes.iter().zip(people).filter(|(code, _)| truth[**code as usize]).map(|(_, n)| n).sum();
            found.expected *= held as f64 / size as f64;
            found.least = overlap(size, found.least, held).0;
            found.most = overlap(size, found.most, held).1;
        }
        found
    }
}
