//! Ambiguous releases: for each quasi-identifier the values of every group, apart from all others
//! (Wang, *Ambiguity*, sections 4 and 5).

use super::Ambiguous;
use crate::condition::{QueryBox, ValueSet};
use crate::data::domain::Domain;
use crate::data::value::Value;
use crate::error::Result;
use crate::kind::bucketized::overlap;
use crate::release::histograms::{Parts, Profiles, in_set};
use crate::release::tally::{AggregateEvidence, Member, ValueDistribution};
use crate::release::{Analyst, Askable, Estimate, Populations};

/// What is known about the people of a group in a box.
struct BoxInGroup {
    expected: f64,
    least: u64,
    most: u64,
}

impl Ambiguous {
    /// The truth of each value of each attribute that a box restricts: quasi-identifiers, then sensitive ones.
    fn truths(&self, one: &QueryBox) -> Vec<(usize, Vec<bool>)> {
        let of = |(attribute, set): &(usize, ValueSet)| {
            let values = self.domain(*attribute).values().iter();
            (*attribute, values.map(|value| set.contains(value)).collect())
        };
        one.sides.iter().map(of).collect()
    }

    fn domain(&self, attribute: usize) -> &Domain {
        match attribute.checked_sub(self.auxiliary.len()) {
            None => &self.auxiliary[attribute].domain,
            Some(sensitive) => &self.groups.whole.sensitive[sensitive].domain,
        }
    }

    /// c · ∏ (lᵢ / mᵢ) over the attributes that the condition names (section 6.1, corrected), and bounds: every
    /// value that a group lists belongs to somebody in it.
    fn in_group(&self, group: usize, truths: &[(usize, Vec<bool>)]) -> BoxInGroup {
        let size = self.groups.people[group];
        let mut found = BoxInGroup { expected: size as f64, least: size, most: size };
        for (attribute, truth) in truths {
            let (share, least, most) = match attribute.checked_sub(self.auxiliary.len()) {
                None => {
                    let listed = self.auxiliary[*attribute].of_group(group);
                    let matching = listed.iter().filter(|&&code| truth[code as usize]).count() as u64;
                    let all = listed.len() as u64;
                    let least = if matching == all { size } else { matching };
                    let most = if matching == 0 { 0 } else { size.saturating_sub(all - matching) };
                    (matching as f64 / all as f64, least, most)
                }
                Some(sensitive) => {
                    let (codes, people) = self.groups.held(sensitive, group);
                    let held: u64 =
                        codes.iter().zip(people).filter(|(code, _)| truth[**code as usize]).map(|(_, n)| n).sum();
                    (held as f64 / size as f64, held, held)
                }
            };
            found.expected *= share;
            found.least = overlap(size, found.least, least).0;
            found.most = overlap(size, found.most, most).1;
        }
        found
    }
}

impl Analyst for Ambiguous {
    fn attributes(&self) -> Vec<Askable> {
        let columns = self.auxiliary.iter().map(|at| (&at.name, &at.domain));
        let sensitive = self.groups.whole.sensitive.iter().map(|s| (&s.name, &s.domain));
        columns.chain(sensitive).map(|(name, domain)| Askable { name: name.clone(), kind: domain.kind() }).collect()
    }

    fn values_of(&self, attribute: usize) -> Result<Vec<Value>> {
        Ok(self.domain(attribute).values().to_vec())
    }

    fn histograms(&self, populations: &Populations, attribute: usize) -> Result<Vec<Vec<f64>>> {
        let (sensitive, groups) = (attribute - self.auxiliary.len(), &self.groups);
        let every_group: Vec<u32> = (0..groups.len() as u32).collect();
        let parts = Parts {
            columns: vec![every_group.clone(); self.auxiliary.len()],
            people: groups.people.iter().map(|&people| people as f64).collect(),
            profile: every_group,
            profiles: Profiles::of_groups(groups, sensitive),
        };
        let weigh = |index: usize, set: &ValueSet| {
            let listed = &self.auxiliary[index];
            let truth = in_set(listed.domain.values(), set);
            let share = |group: usize| {
                let codes = listed.of_group(group);
                codes.iter().map(|&code| truth[code as usize]).sum::<f64>() / codes.len().max(1) as f64
            };
            (0..groups.len()).map(share).collect()
        };
        parts.histograms(populations, groups.whole.sensitive[sensitive].domain.len(), weigh)
    }

    fn count(&self, condition: &[QueryBox]) -> Result<Estimate> {
        let truths: Vec<_> = condition.iter().map(|one| self.truths(one)).collect();
        let (mut estimate, mut lower, mut upper) = (0.0, 0, 0);
        for group in 0..self.groups.len() {
            let mut most = 0;
            for truths in &truths {
                let found = self.in_group(group, truths);
                estimate += found.expected;
                lower += found.least;
                most += found.most;
            }
            upper += most.min(self.groups.people[group]);
        }
        let suppressed = if condition.is_empty() { 0 } else { self.suppressed };
        Ok(Estimate::within(estimate, lower as f64, (upper + suppressed) as f64))
    }

    fn tally(&self, attribute: usize, condition: &[QueryBox]) -> Result<AggregateEvidence> {
        let mut tally = AggregateEvidence::default();
        for one in condition {
            let truths = self.truths(one);
            for group in 0..self.groups.len() {
                self.tally_group(&mut tally, attribute, group, &truths);
            }
        }
        tally.add_suppressed(self.suppressed, attribute, condition);
        Ok(tally)
    }
}

impl Ambiguous {
    /// The values of a group that a box allows: of a sensitive attribute as often as the group has them; of a quasi-identifier
    /// each at least once, and the other people of the group have any of those that are listed.
    fn tally_group(
        &self,
        tally: &mut AggregateEvidence,
        attribute: usize,
        group: usize,
        truths: &[(usize, Vec<bool>)],
    ) {
        let found = self.in_group(group, truths);
        if found.most == 0 {
            return;
        }
        let truth = truths.iter().find(|(index, _)| *index == attribute).map(|(_, truth)| truth.as_slice());
        let domain = self.domain(attribute);
        let number = |code: u32| domain.value(code).as_number().filter(|_| truth.is_none_or(|t| t[code as usize]));
        let size = self.groups.people[group];
        let mut points: Vec<(f64, f64)> = Vec::new();
        match attribute.checked_sub(self.auxiliary.len()) {
            Some(sensitive) => {
                let (codes, people) = self.groups.held(sensitive, group);
                for (&code, &people) in codes.iter().zip(people) {
                    let Some(x) = number(code) else { continue };
                    points.push((x, people as f64));
                    tally.crowd.add(Member { low: x, high: x, people, sure: true });
                }
            }
            None => {
                let listed = self.auxiliary[attribute].of_group(group);
                points.extend(listed.iter().filter_map(|&code| number(code)).map(|x| (x, 1.0)));
                let ends =
                    points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), (x, _)| (x.min(l), x.max(h)));
                for (x, _) in &points {
                    tally.crowd.add(Member { low: *x, high: *x, people: 1, sure: true });
                }
                let others = size.saturating_sub(listed.len() as u64);
                let sure = points.len() == listed.len();
                tally.crowd.add(Member { low: ends.0, high: ends.1, people: others, sure });
            }
        }
        tally.crowd.close(found.least, found.most);
        let law = tally.expected.law(ValueDistribution::weighted(points));
        tally.expected.expect(size as f64, found.expected / size as f64, law);
    }
}
