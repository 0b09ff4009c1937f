//! How a release that follows targets answers: hard bounds from subdomains, expectations from targets.

use super::line::Line;
use super::share::Share;
use super::{Distribution, ReleasedGroup};
use crate::condition::{QueryBox, ValueSet};
use crate::data::cells::count_distinct;
use crate::data::table::Column;
use crate::data::value::Value;
use crate::error::{Error, Result};
use crate::release::grouped_rows::{GroupedRows, numbers_of};
use crate::release::histograms::{Parts, Populations, in_set};
use crate::release::tally::{AggregateEvidence, Member, ValueDistribution, check_type, with_known};
use crate::release::{Aggregate, Analyst, Askable, Estimate};

impl Distribution {
    fn rows(&self) -> GroupedRows<'_> {
        GroupedRows {
            table: &self.qit,
            insensitive: &self.insensitive,
            sensitive: 1,
            group_of_row: &self.group_of_row,
            groups: self.groups.len(),
        }
    }

    /// How many people of each group have values in a box.
    fn matching(&self, one: &QueryBox) -> Vec<u64> {
        self.rows().matching(one)
    }

    /// Whether a condition speaks of the sensitive attribute.
    fn restricts_sensitive(&self, condition: &[QueryBox]) -> bool {
        condition.iter().any(|one| one.side(self.qit.quasi.len()).is_some())
    }

    /// Which values lie in what a box allows the sensitive attribute to be; nothing where it allows all.
    fn allowed(&self, one: &QueryBox) -> Option<Vec<bool>> {
        let set = one.side(self.qit.quasi.len())?;
        Some(self.values.iter().map(|value| set.contains(value)).collect())
    }

    /// An attribute that rows publish: of the matching rows of a group any may have the sensitive values in question.
    fn tally_rows(&self, tally: &mut AggregateEvidence, column: &Column, one: &QueryBox) {
        let numbers = numbers_of(column);
        let laws: Vec<Option<u32>> =
            numbers.iter().map(|x| tally.expected.law(x.map(ValueDistribution::point))).collect();
        let allowed = self.allowed(one);
        for same in self.rows().by_group(one, column).chunk_by(|a, b| a.0 == b.0) {
            let matching: u64 = same.iter().map(|(_, _, people)| people).sum();
            let (expected, least, most) = in_group(&self.groups[same[0].0 as usize], matching, allowed.as_ref());
            for &(_, code, people) in same {
                let Some(x) = numbers[code as usize] else { continue };
                tally.crowd.add(Member { low: x, high: x, people, sure: true });
                tally.expected.expect(people as f64, expected / matching as f64, laws[code as usize]);
            }
            tally.crowd.close(least, most);
        }
    }

    /// The sensitive attribute: of all subdomains, fakes included, any may be those of the people in question.
    fn tally_sensitive(&self, tally: &mut AggregateEvidence, line: &Line, one: &QueryBox) {
        let allowed = self.allowed(one);
        let inside = |rank: &u32| allowed.as_ref().is_none_or(|allowed| allowed[*rank as usize]);
        let number = |rank: u32| line.to_f64(line.indices[rank as usize].into());
        for (group, m) in self.groups.iter().zip(self.matching(one)).filter(|(_, m)| *m > 0) {
            let (expected, least, most) = in_group(group, m, allowed.as_ref());
            for (ranks, people) in &group.subdomains {
                let mut within = ranks.clone().filter(inside);
                let Some(first) = within.next() else { continue };
                let last = within.next_back().unwrap_or(first);
                let sure = ranks.clone().all(|rank| inside(&rank));
                tally.crowd.add(Member { low: number(first), high: number(last), people: *people, sure });
            }
            tally.crowd.close(least, most);
            let shares = (0..).zip(&group.target).filter(|(rank, _)| inside(rank));
            let law = ValueDistribution::weighted(shares.map(|(rank, share)| (number(rank), share.to_f64())).collect());
            let law = tally.expected.law(law);
            tally.expected.expect(m as f64, expected / m as f64, law);
        }
    }

    /// The expected minimum (or, downwards, maximum) of independent draws, m of each group's target.
    fn expected_end(&self, selected: &[u64], line: &Line, downwards: bool) -> f64 {
        let mut ranks: Vec<usize> = (0..self.values.len()).collect();
        if downwards {
            ranks.reverse();
        }
        let drawn: Vec<(&ReleasedGroup, f64)> =
            self.groups.iter().zip(selected).filter(|(_, m)| **m > 0).map(|(group, m)| (group, *m as f64)).collect();
        let mut beyond = vec![1.0_f64; drawn.len()];
        let (mut before, mut expected) = (1.0, 0.0);
        for rank in ranks {
            let mut all_beyond = 1.0;
            for ((group, m), beyond) in drawn.iter().zip(&mut beyond) {
                *beyond = (*beyond - group.target[rank].to_f64()).max(0.0);
                all_beyond *= beyond.powf(*m);
            }
            expected += (before - all_beyond) * line.to_f64(line.indices[rank].into());
            before = all_beyond;
        }
        // What rounding has left over belongs to the last value.
        let last = if downwards { line.indices.first() } else { line.indices.last() };
        expected + before * last.map_or(0.0, |&index| line.to_f64(index.into()))
    }
}

/// The mean of a group's target.
fn mean(group: &ReleasedGroup, line: &Line) -> f64 {
    let term = |(share, &index): (&Share, &i64)| share.to_f64() * line.to_f64(index.into());
    group.target.iter().zip(&line.indices).map(term).sum()
}

/// What is known about the people of a group in a box.
fn in_group(group: &ReleasedGroup, matching: u64, allowed: Option<&Vec<bool>>) -> (f64, u64, u64) {
    let Some(allowed) = allowed else { return (matching as f64, matching, matching) };
    let share: f64 = group.target.iter().zip(allowed).filter(|(_, yes)| **yes).map(|(share, _)| share.to_f64()).sum();
    let (mut surely, mut possibly) = (0, 0);
    for (ranks, count) in &group.subdomains {
        let inside = &allowed[ranks.start as usize..ranks.end as usize];
        surely += if inside.iter().all(|&yes| yes) { *count } else { 0 };
        possibly += if inside.iter().any(|&yes| yes) { *count } else { 0 };
    }
    // Of all subdomains, fakes included, any may be those of the people in question.
    let least = matching.saturating_sub(group.entries() - surely);
    (matching as f64 * share, least, matching.min(possibly))
}

impl Analyst for Distribution {
    fn attributes(&self) -> Vec<Askable> {
        let shown = |c: &Column| Askable { name: c.name.clone(), kind: c.domain.kind() };
        let (name, kind) = self.sensitive.clone();
        let quasi = self.qit.quasi.iter().map(shown);
        quasi.chain([Askable { name, kind }]).chain(self.insensitive.iter().map(shown)).collect()
    }

    fn values_of(&self, attribute: usize) -> Result<Vec<Value>> {
        let shown = self.rows().column(attribute).map(|column| column.domain.values().to_vec());
        Ok(shown.unwrap_or_else(|| self.values.clone()))
    }

    fn histograms(&self, populations: &Populations, _: usize) -> Result<Vec<Vec<f64>>> {
        let columns: Vec<(&[u32], usize)> = std::iter::once((self.group_of_row.as_slice(), self.groups.len()))
            .chain(self.qit.quasi.iter().map(Column::counted))
            .collect();
        let mut cells = count_distinct(&columns, self.qit.rows(), self.qit.weights.as_deref());
        let mut parts = Parts { profile: cells.columns.remove(0), ..Parts::default() };
        parts.columns = cells.columns;
        parts.people = cells.people.iter().map(|&people| people as f64).collect();
        self.groups
            .iter()
            .for_each(|group| parts.profiles.push((0..).zip(group.target.iter().map(|share| share.to_f64()))));
        let weigh = |index: usize, set: &ValueSet| in_set(self.qit.quasi[index].domain.values(), set);
        parts.histograms(populations, self.values.len(), weigh)
    }

    /// Every person's value follows the target of the group.
    fn count(&self, condition: &[QueryBox]) -> Result<Estimate> {
        let (mut estimate, mut lower, mut upper) = (0.0, 0, vec![0; self.groups.len()]);
        for one in condition {
            let allowed = self.allowed(one);
            let matching = self.matching(one);
            for ((group, m), upper) in self.groups.iter().zip(matching).zip(&mut upper) {
                let (expected, least, most) = in_group(group, m, allowed.as_ref());
                estimate += expected;
                lower += least;
                *upper += most;
            }
        }
        let upper: u64 = upper.iter().zip(&self.groups).map(|(&most, group)| most.min(group.people)).sum();
        Ok(Estimate::within(estimate, lower as f64, upper as f64))
    }

    fn tally(&self, attribute: usize, condition: &[QueryBox]) -> Result<AggregateEvidence> {
        let mut tally = AggregateEvidence::default();
        for one in condition {
            match (self.rows().column(attribute), &self.line) {
                (Some(column), _) => self.tally_rows(&mut tally, column, one),
                (None, Some(line)) => self.tally_sensitive(&mut tally, line, one),
                (None, None) => {}
            }
        }
        Ok(tally)
    }

    /// Where everybody's value counts, sums of subdomains are known beforehand, to the last digit.
    fn aggregate(&self, aggregate: Aggregate, attribute: usize, condition: &[QueryBox]) -> Result<Estimate> {
        let askable = &self.attributes()[attribute];
        check_type(aggregate, &askable.name, askable.kind)?;
        let line = self.line.as_ref().filter(|_| attribute == self.qit.quasi.len());
        let Some(line) = line.filter(|_| !self.restricts_sensitive(condition)) else {
            return Ok(self.tally(attribute, &with_known(condition, attribute))?.answer(aggregate));
        };
        let mut selected = vec![0; self.groups.len()];
        for one in condition {
            selected.iter_mut().zip(self.matching(one)).for_each(|(sum, matching)| *sum += matching);
        }
        let people: u64 = selected.iter().sum();
        if people == 0 {
            return Ok(Estimate::default());
        }
        let bounded = || {
            let chosen = self.groups.iter().zip(&selected).filter(|(_, m)| **m > 0);
            chosen.filter_map(|(group, &m)| Some((group, m, group.bounds.as_ref()?)))
        };
        // A group that is passed over would make a sum too small.
        if bounded().count() < selected.iter().filter(|m| **m > 0).count() {
            return Err(Error::bug("a group has no bounds, although its values are numbers"));
        }
        let ends: Vec<(i128, i128)> = bounded()
            .map(|(_, m, bounds)| match aggregate {
                Aggregate::Sum | Aggregate::Avg => bounds.sum(m),
                Aggregate::Min => bounds.least(m),
                Aggregate::Max => bounds.greatest(m),
            })
            .collect();
        let expected_sum = || bounded().map(|(group, m, _)| m as f64 * mean(group, line)).sum::<f64>();
        let sums = || (ends.iter().map(|end| end.0).sum::<i128>(), ends.iter().map(|end| end.1).sum::<i128>());
        let each = |pick: fn(i128, i128) -> i128| {
            let both = ends.iter().copied().reduce(|a, b| (pick(a.0, b.0), pick(a.1, b.1)));
            both.unwrap_or_default()
        };
        let ((low, high), expected, parts) = match aggregate {
            Aggregate::Sum => (sums(), expected_sum(), 1.0),
            Aggregate::Avg => (sums(), expected_sum() / people as f64, people as f64),
            Aggregate::Min => (each(i128::min), self.expected_end(&selected, line, false), 1.0),
            Aggregate::Max => (each(i128::max), self.expected_end(&selected, line, true), 1.0),
        };
        let (low, high) = (line.to_f64(low) / parts, line.to_f64(high) / parts);
        Ok(Estimate::within(expected.clamp(low, high), low, high))
    }
}
