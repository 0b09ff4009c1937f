//! Every original that people could have, and every release that the method makes of it.
//!
//! The adversary knows the program, the policy and everybody's quasi-identifiers. So she runs the program on each original that has them, in every way in which
//! its draws can turn out, and keeps the originals that lead to the release she holds, each by the probability with which it does.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use num_integer::lcm;

use crate::audit::RunBudget;
use crate::chance::Branches;
use crate::data::cells::Cells;
use crate::data::domain::Domain;
use crate::distance::Scratch;
use crate::error::Result;
use crate::kind::{OpenRelease, Plan};
use crate::knowledge::Points;
use crate::model::{Group, Requirement};
use crate::numeric::contingency::{Contingency, contingencies};
use crate::numeric::gcd;
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::progress::{Progress, with_threads};
use crate::publish;
use crate::release::ShownRows;

/// What a recipient sees: what each group shows of its people, and how often each sensitive value occurs in it. In an order of its own.
pub(crate) type SeenRelease = Vec<(ShownRows, Vec<u64>)>;

/// The releases of all originals.
#[derive(Debug)]
pub(crate) struct Worlds {
    /// How many originals there are.
    pub(crate) originals: usize,
    /// How many values the sensitive attribute has.
    values: usize,
    /// For each release and each point, how likely its people have each value, up to a common factor.
    beliefs: BTreeMap<SeenRelease, Vec<u128>>,
}

impl Worlds {
    /// All originals with the same people and the same number of people of each value; nothing if that is too much, or if they are not of a kind that
    /// can be compared.
    pub(crate) fn of(
        policy: &Policy,
        prepared: &Prepared,
        points: &Points,
        budget: RunBudget,
        progress: &Progress,
    ) -> Result<Option<Self>> {
        // In one thread draws come in the same order whenever they turn out the same.
        with_threads(NonZeroUsize::new(1), || Self::in_one_thread(policy, prepared, points, budget, progress))
    }

    fn in_one_thread(
        policy: &Policy,
        prepared: &Prepared,
        points: &Points,
        budget: RunBudget,
        progress: &Progress,
    ) -> Result<Option<Self>> {
        let [sensitive] = &prepared.whole.sensitive[..] else { return Ok(None) };
        let occurring = sensitive.people.iter().filter(|&&people| people > 0).count();
        if occurring > budget.values {
            return Ok(None);
        }
        let Some(originals) = contingencies(&points.people, &sensitive.people, budget.originals) else {
            return Ok(None);
        };
        let quasi: Vec<Arc<Domain>> = prepared.scales.iter().map(|scale| scale.domain().clone()).collect();
        let values = sensitive.people.len();
        let mut led: Vec<(SeenRelease, usize, (u128, u128))> = Vec::new();
        let mut runs = budget.runs;
        for (number, original) in originals.iter().enumerate() {
            progress.check()?;
            let other = prepared.with_cells(cells_of(original, points, values));
            let run = |branches: &Branches| {
                // An original that the method refuses has led to nothing.
                let plan = publish::plan_branch(policy, &other, branches, &Progress::default()).ok()?;
                seen_plan(plan, &other.cells, &quasi, values)
            };
            let Some(found) = Branches::each(runs, run) else { return Ok(None) };
            runs = runs.saturating_sub(found.len());
            led.extend(found.into_iter().filter_map(|(likely, seen)| Some((seen?, number, likely))));
        }
        Ok(Self::weighed(&originals, led, values))
    }

    /// Nothing if the weights are too large.
    fn weighed(originals: &[Contingency], led: Vec<(SeenRelease, usize, (u128, u128))>, values: usize) -> Option<Self> {
        let whole = led.iter().try_fold(1_u128, |whole, &(_, _, (num, den))| {
            let den = den / gcd(num, den).max(1);
            (whole < 1 << 60 && den < 1 << 60).then(|| lcm(whole, den))
        })?;
        let mut beliefs: BTreeMap<SeenRelease, Vec<u128>> = BTreeMap::new();
        for (seen, number, (num, den)) in led {
            let original = &originals[number];
            let divisor = gcd(num, den).max(1);
            let weight = original.ways.checked_mul(num / divisor)?.checked_mul(whole / (den / divisor))?;
            let belief = beliefs.entry(seen).or_insert_with(|| vec![0; original.counts.len()]);
            for (sum, &people) in belief.iter_mut().zip(&original.counts) {
                *sum = sum.checked_add(weight.checked_mul(people.into())?)?;
            }
        }
        Some(Self { originals: originals.len(), values, beliefs })
    }

    /// All releases that can come out.
    #[cfg(test)]
    pub(crate) fn releases(&self) -> impl Iterator<Item = &SeenRelease> {
        self.beliefs.keys()
    }

    /// How likely a release is to come out, if all originals are equally likely.
    #[cfg(test)]
    pub(crate) fn likelihood(&self, seen: &SeenRelease) -> f64 {
        let sum = |belief: &Vec<u128>| belief.iter().sum::<u128>() as f64;
        self.beliefs.get(seen).map_or(0.0, sum) / self.beliefs.values().map(sum).sum::<f64>()
    }

    /// For each point the belief in each value of somebody who holds a release; nothing if no original leads to it.
    pub(crate) fn beliefs(&self, seen: &SeenRelease) -> Option<impl Iterator<Item = Vec<f64>>> {
        let share = |counts: &[u128]| {
            let all = counts.iter().sum::<u128>().max(1) as f64;
            counts.iter().map(|&count| count as f64 / all).collect()
        };
        Some(self.beliefs.get(seen)?.chunks(self.values.max(1)).map(share))
    }

    /// Whether the belief about each point's people, taken as the values of a group, breaks a promise about values.
    pub(crate) fn beyond(&self, seen: &SeenRelease, requirement: &Requirement<'_>) -> Option<Vec<bool>> {
        let mut scratch = Scratch::default();
        let breaks = |counts: &[u128]| {
            let divisor = counts.iter().fold(0, |divisor, &count| gcd(divisor, count)).max(1);
            let counts: Vec<u64> = counts
                .iter()
                .map(|&count| u64::try_from(count / divisor).ok()?.checked_mul(LARGE))
                .collect::<Option<_>>()?;
            let people = counts.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count))?;
            Some(!requirement.values_hold(&Group { people, sensitive: &[counts], parent: None }, &mut scratch))
        };
        self.beliefs.get(seen)?.chunks(self.values.max(1)).map(breaks).collect()
    }
}

/// Beliefs are judged as groups of so many people at least: what is promised about sizes is not asked here.
const LARGE: u64 = 1 << 16;

/// The cells of a table of points by values: by quasi-identifiers, then by value.
fn cells_of(original: &Contingency, points: &Points, values: usize) -> Cells {
    let mut cells = Cells { columns: vec![Vec::new(); points.columns.len() + 1], ..Cells::default() };
    for (index, &people) in original.counts.iter().enumerate().filter(|&(_, &people)| people > 0) {
        let codes = points.columns.iter().map(|column| column[index / values]).chain([(index % values) as u32]);
        cells.columns.iter_mut().zip(codes).for_each(|(column, code)| column.push(code));
        cells.people.push(people);
    }
    cells
}

/// What a plan will show.
fn seen_plan(mut plan: Box<dyn Plan>, cells: &Cells, quasi: &[Arc<Domain>], values: usize) -> Option<SeenRelease> {
    let rows = plan.shown(cells, quasi).ok()?;
    let mut seen: SeenRelease = rows.into_iter().map(|rows| (rows, vec![0; values])).collect();
    for piece in plan.pieces_mut().ok()? {
        let value = cells.columns[quasi.len()][piece.cell as usize];
        seen[piece.group as usize].1[value as usize] += piece.people;
    }
    seen.sort_unstable();
    Some(seen)
}

/// What a release shows, with its values in the codes of the original; nothing if it is of another kind, or has values of its own.
pub(crate) fn seen_release(release: &dyn OpenRelease, prepared: &Prepared) -> Option<SeenRelease> {
    let (rows, groups) = (release.shown().ok()?, release.groups().ok()?);
    let [own] = &prepared.whole.sensitive[..] else { return None };
    let codes: Vec<u32> = groups
        .whole
        .sensitive
        .first()?
        .domain
        .values()
        .iter()
        .map(|value| own.domain.code(value))
        .collect::<Option<_>>()?;
    let histogram = |group: usize| {
        let mut people = vec![0; own.people.len()];
        let (held, counts) = groups.held(0, group);
        held.iter().zip(counts).for_each(|(&code, &count)| people[codes[code as usize] as usize] += count);
        people
    };
    let mut seen: SeenRelease = rows.into_iter().enumerate().map(|(group, rows)| (rows, histogram(group))).collect();
    seen.sort_unstable();
    Some(seen)
}
