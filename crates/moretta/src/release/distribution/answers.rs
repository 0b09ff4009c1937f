//! How a release that follows targets answers: hard bounds from subdomains, expectations from targets.

use std::sync::Arc;

use super::line::Line;
use super::share::Share;
use super::{Distribution, Followed};
use crate::data::cells::{Cells, count_distinct};
use crate::data::domain::Domain;
use crate::data::table::Column;
use crate::data::value::Value;
use crate::error::{Error, Result};
use crate::query::{Aggregate, QueryBox, ValueSet};
use crate::release::answers::{Adversary, Answers, Askable, Estimate};
use crate::release::bucketized::translate;
use crate::release::histograms::{Parts, Populations, in_set};

impl Distribution {
    /// Calls `visit` with every row whose quasi-identifiers lie in a box.
    fn for_each_row(&self, one: &QueryBox, mut visit: impl FnMut(usize)) {
        let truth = |(attribute, set): &(usize, ValueSet)| {
            let column = self.qit.quasi.get(*attribute)?;
            let truth: Vec<bool> = column.domain.values().iter().map(|value| set.contains(value)).collect();
            Some((column.codes.as_slice(), truth))
        };
        let truths: Vec<(&[u32], Vec<bool>)> = one.sides.iter().filter_map(truth).collect();
        let inside = |row: &usize| truths.iter().all(|(codes, truth)| truth[codes[*row] as usize]);
        (0..self.group_of_row.len()).filter(inside).for_each(&mut visit);
    }

    fn people_of(&self, row: usize) -> u64 {
        self.qit.weights.as_ref().map_or(1, |weights| weights[row])
    }

    /// How many people of each group have quasi-identifiers in a box.
    fn matching(&self, one: &QueryBox) -> Vec<u64> {
        let mut matching = vec![0; self.groups.len()];
        self.for_each_row(one, |row| matching[self.group_of_row[row] as usize] += self.people_of(row));
        matching
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

    /// An aggregate of a quasi-identifier: known exactly.
    fn of_quasi(&self, aggregate: Aggregate, attribute: usize, condition: &[QueryBox]) -> Estimate {
        let column = &self.qit.quasi[attribute];
        let numbers: Vec<Option<f64>> = column.domain.values().iter().map(Value::as_number).collect();
        let (mut people, mut sum, mut least, mut most) = (0, 0.0, f64::INFINITY, f64::NEG_INFINITY);
        for one in condition {
            self.for_each_row(one, |row| {
                if let Some(x) = numbers[column.codes[row] as usize] {
                    people += self.people_of(row);
                    sum += x * self.people_of(row) as f64;
                    (least, most) = (x.min(least), x.max(most));
                }
            });
        }
        if people == 0 {
            return Estimate::default();
        }
        let exact = match aggregate {
            Aggregate::Sum => sum,
            Aggregate::Avg => sum / people as f64,
            Aggregate::Min => least,
            Aggregate::Max => most,
        };
        Estimate::within(exact, exact, exact)
    }

    /// The expected minimum (or, downwards, maximum) of independent draws, m of each group's target.
    fn expected_end(&self, selected: &[u64], line: &Line, downwards: bool) -> f64 {
        let mut ranks: Vec<usize> = (0..self.values.len()).collect();
        if downwards {
            ranks.reverse();
        }
        let drawn: Vec<(&Followed, f64)> =
            self.groups.iter().zip(selected).filter(|(_, m)| **m > 0).map(|(group, m)| (group, *m as f64)).collect();
        let mut beyond = vec![1.0_f64; drawn.len()];
        let (mut before, mut expected) = (1.0, 0.0);
        for rank in ranks {
            let mut all_beyond = 1.0;
            for ((group, m), beyond) in drawn.iter().zip(&mut beyond) {
                *beyond = (*beyond - group.target[rank].to_f64()).max(0.0);
                all_beyond *= beyond.powf(*m);
            }
            expected += (before - all_beyond) * line.to_f64(line.places[rank].into());
            before = all_beyond;
        }
        // What rounding has left over belongs to the last value.
        let last = if downwards { line.places.first() } else { line.places.last() };
        expected + before * last.map_or(0.0, |&place| line.to_f64(place.into()))
    }
}

/// The mean of a group's target.
fn mean(group: &Followed, line: &Line) -> f64 {
    let term = |(share, &place): (&Share, &i64)| share.to_f64() * line.to_f64(place.into());
    group.target.iter().zip(&line.places).map(term).sum()
}

/// What is known about the people of a group in a box.
fn in_group(group: &Followed, matching: u64, allowed: Option<&Vec<bool>>) -> (f64, u64, u64) {
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

impl Answers for Distribution {
    fn adversary<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<Box<dyn Adversary + 'r>> {
        let translation = translate(quasi, &self.qit.quasi)?;
        let mut columns: Vec<(&[u32], usize)> = self.qit.quasi.iter().map(Column::counted).collect();
        columns.push((&self.group_of_row, self.groups.len()));
        let cells = count_distinct(&columns, self.qit.rows(), self.qit.weights.as_deref());
        Ok(Box::new(Reader { release: self, translation, cells }))
    }

    fn attributes(&self) -> Vec<Askable> {
        let quasi = self.qit.quasi.iter().map(|c| Askable { name: c.name.clone(), kind: c.domain.kind() });
        let (name, kind) = self.sensitive.clone();
        quasi.chain([Askable { name, kind }]).collect()
    }

    fn values_of(&self, attribute: usize) -> Result<Vec<Value>> {
        let quasi = self.qit.quasi.get(attribute).map(|column| column.domain.values().to_vec());
        Ok(quasi.unwrap_or_else(|| self.values.clone()))
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
        let weigh = |place: usize, set: &ValueSet| in_set(self.qit.quasi[place].domain.values(), set);
        Ok(parts.histograms(populations, self.values.len(), weigh))
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

    fn aggregate(&self, aggregate: Aggregate, attribute: usize, condition: &[QueryBox]) -> Result<Estimate> {
        let askable = &self.attributes()[attribute];
        let adds_up = matches!(askable.kind, crate::data::Type::Integer | crate::data::Type::Number);
        let has_ends = askable.kind.is_ordered() && matches!(aggregate, Aggregate::Min | Aggregate::Max);
        if !adds_up && !has_ends {
            return Err(Error::input(format!(
                "{}({}) needs numbers, and its values are of the type {}",
                aggregate.name(),
                askable.name,
                askable.kind.name()
            ))
            .help("ask for COUNT(*)"));
        }
        if self.restricts_sensitive(condition) {
            return Err(Error::input(format!(
                "{} is answered for conditions on quasi-identifiers, not on {:?}",
                aggregate.name(),
                self.sensitive.0
            ))
            .help("ask for COUNT(*), or leave the condition out"));
        }
        let Some(line) = self.line.as_ref().filter(|_| attribute == self.qit.quasi.len()) else {
            return Ok(self.of_quasi(aggregate, attribute, condition));
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

/// An adversary: finds the rows with a person's values.
#[derive(Debug)]
struct Reader<'r> {
    release: &'r Distribution,
    translation: Vec<Vec<Option<u32>>>,
    /// Distinct quasi-identifiers and groups, sorted.
    cells: Cells,
}

impl Reader<'_> {
    /// The groups in which rows have the person's values, and how many people those are.
    fn rows(&self, person: &[u32]) -> Vec<(usize, u64)> {
        let known: Option<Vec<u32>> =
            person.iter().zip(&self.translation).map(|(&code, codes)| codes[code as usize]).collect();
        let Some(known) = known else { return Vec::new() };
        let groups = &self.cells.columns[known.len()];
        self.cells.beginning_with(&known).map(|cell| (groups[cell] as usize, self.cells.people[cell])).collect()
    }
}

impl Adversary for Reader<'_> {
    fn candidates(&self, person: &[u32]) -> Vec<(u64, f64)> {
        self.rows(person).into_iter().map(|(group, people)| (group as u64, people as f64)).collect()
    }

    /// Exact values tell who is there.
    fn presence(&self, person: &[u32]) -> Option<f64> {
        Some(if self.rows(person).is_empty() { 0.0 } else { 1.0 })
    }

    /// The target of the group: what the subdomains add up to.
    fn posterior(&self, person: &[u32], attribute: usize) -> Option<Vec<f64>> {
        let rows = self.rows(person);
        let total: u64 = rows.iter().map(|(_, people)| people).sum();
        if attribute > 0 || total == 0 {
            return None;
        }
        let mut belief = vec![0.0; self.release.values.len()];
        for (group, people) in rows {
            let weight = people as f64 / total as f64;
            let target = &self.release.groups[group].target;
            belief.iter_mut().zip(target).for_each(|(belief, share)| *belief += weight * share.to_f64());
        }
        Some(belief)
    }
}
