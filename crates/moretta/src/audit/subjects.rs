//! The people who are attacked, and what can be believed about each.

use rayon::prelude::*;

use super::beliefs::{Beliefs, held};
use super::finding::{Victim, spelled, worst_indices};
use super::input::{AuditInput, OriginalTable};
use crate::data::value::Value;
use crate::error::Result;
use crate::kind::OpenRelease;
use crate::progress::Progress;
use crate::release::Groups;
use crate::text::{grouped, short_percent};

/// The most beliefs that are kept, over all sensitive attributes: half a gigabyte of them. A larger table is attacked by a part of its people, evenly
/// chosen.
const MOST_BELIEFS: usize = 1 << 25;

/// So many people, evenly chosen, show how many values are believed of one.
const PILOT: usize = 256;

/// The most densities that are computed: some seconds' work.
const MOST_FITS: usize = 1 << 27;

/// What can be believed about people's value of one sensitive attribute.
#[derive(Debug)]
pub(super) struct Subjects {
    /// The attribute.
    pub(super) attribute: String,
    /// The index of the attribute among the sensitive ones of the release.
    pub(super) index: usize,
    /// Its values in the release.
    pub(super) values: Vec<Value>,
    /// How likely each is for somebody of whom nothing is known.
    pub(super) prior: Vec<f64>,
    /// How many people each subject stands for.
    pub(super) people: Vec<u64>,
    /// The point of the original at which each stands; nothing for members of released groups.
    pub(super) points: Option<Vec<u32>>,
    beliefs: Beliefs,
    /// People about whom the release says nothing.
    pub(super) untouched: u64,
    /// How many subjects there would be if all were looked at, and that every so manieth is.
    of: usize,
    step: usize,
    /// The same about members of groups, for somebody who knows whose group is which; nothing where subjects are such members,
    /// or where groups do not decide.
    pub(super) known_groups: Option<Box<Self>>,
}

impl Subjects {
    pub(super) fn of_scene(scene: &AuditInput<'_>, progress: &Progress) -> Result<Vec<Self>> {
        let release = &*scene.audited.release;
        match scene.original_table {
            Some(original_table) => {
                let names = original_table.counted.table.sensitive.iter().map(|column| column.name.as_str());
                let found = names
                    .enumerate()
                    .map(|(index, name)| Self::of_people(release, original_table, index, name, progress));
                Ok(found.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
            }
            None => Ok(release.groups_that_decide().map(Self::of_groups).unwrap_or_default()),
        }
    }

    /// Whoever stands in a group, and knows of it no more than the release shows.
    fn of_groups(groups: &Groups) -> Vec<Self> {
        (0..groups.whole.sensitive.len()).map(|index| Self::of_members(groups, index)).collect()
    }

    fn of_members(groups: &Groups, index: usize) -> Self {
        let sensitive = &groups.whole.sensitive[index];
        let values = sensitive.domain.values().to_vec();
        let mut beliefs = Beliefs::new(values.len());
        for group in 0..groups.len() {
            let (codes, people) = groups.held(index, group);
            let size = groups.people[group] as f64;
            beliefs.push(codes.iter().zip(people).map(|(&code, &people)| (code, people as f64 / size)));
        }
        Self {
            attribute: sensitive.name.clone(),
            index,
            values,
            prior: shares(&sensitive.people),
            people: groups.people.clone(),
            points: None,
            beliefs,
            untouched: 0,
            of: groups.len(),
            step: 1,
            known_groups: None,
        }
    }

    /// The people of the original; nothing if the release does not show the attribute.
    fn of_people(
        release: &dyn OpenRelease,
        original_table: &OriginalTable,
        index: usize,
        name: &str,
        progress: &Progress,
    ) -> Result<Option<Self>> {
        let Some(askable) = release.attributes().iter().position(|askable| askable.name == name) else {
            return Ok(None);
        };
        let values = release.values_of(askable)?;
        let adversary = release.adversary(&original_table.quasi())?;
        let points = &original_table.points;
        let believe = |&point: &u32| {
            progress.check()?;
            Ok(adversary.posterior(&points.codes(point as usize), index).as_deref().map(held))
        };
        let attributes = original_table.counted.table.sensitive.len();
        let evenly = |step: usize| (0..points.len() as u32).step_by(step.max(1)).collect::<Vec<u32>>();
        let pilot = evenly(points.len().div_ceil(PILOT));
        let piloted = pilot.par_iter().map(believe).collect::<Result<Vec<Option<Vec<(u32, f64)>>>>>()?;
        let held_by_pilot: usize = piloted.iter().flatten().map(Vec::len).sum();
        let kept =
            (points.len().saturating_mul(held_by_pilot) / pilot.len().max(1)).div_ceil(MOST_BELIEFS / attributes);
        let weighed = points.len().saturating_mul(release.records_weighed()).div_ceil(MOST_FITS);
        let step = kept.max(weighed).max(1);
        let chosen = evenly(step);
        let believed = chosen.par_iter().map(believe).collect::<Result<Vec<Option<Vec<(u32, f64)>>>>>()?;
        let mut found = Self {
            attribute: name.to_owned(),
            index,
            prior: prior(release, original_table, index, &values),
            beliefs: Beliefs::new(values.len()),
            values,
            people: Vec::new(),
            points: None,
            untouched: 0,
            of: points.len(),
            step,
            known_groups: release.groups_that_decide().ok().map(|groups| Box::new(Self::of_members(groups, index))),
        };
        let mut kept = Vec::new();
        for (point, belief) in chosen.into_iter().zip(believed) {
            let people = points.people[point as usize];
            match belief {
                None => found.untouched += people,
                Some(belief) => {
                    kept.push(point);
                    found.people.push(people);
                    found.beliefs.push(belief);
                }
            }
        }
        found.points = Some(kept);
        Ok(Some(found))
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.beliefs.len()
    }

    /// What is believed about a subject.
    pub(super) fn belief(&self, subject: usize) -> Vec<f64> {
        let mut belief = Vec::new();
        self.beliefs.spread(subject, &mut belief);
        belief
    }

    /// The people of all subjects.
    pub(super) fn total(&self) -> u64 {
        self.people.iter().sum()
    }

    /// A level of each subject.
    pub(super) fn each<T: Send>(&self, level: impl Fn(&[f64]) -> T + Sync) -> Vec<T> {
        let one = |room: &mut Vec<f64>, subject: usize| level(self.beliefs.spread(subject, room));
        (0..self.len()).into_par_iter().map_init(Vec::new, one).collect()
    }

    /// The largest of a level over members of groups, for somebody who knows whose group is which.
    pub(super) fn largest_of_known_groups(&self, level: impl Fn(&[f64]) -> f64 + Sync) -> Option<f64> {
        let members = self.known_groups.as_ref()?;
        members.each(level).into_iter().reduce(f64::max)
    }

    /// The people for whom something holds.
    pub(super) fn count<T>(&self, levels: &[T], hit: impl Fn(&T) -> bool) -> u64 {
        self.people.iter().zip(levels).filter(|(_, level)| hit(level)).map(|(people, _)| people).sum()
    }

    /// What happens to somebody, in words: the belief in one value.
    pub(super) fn describe(&self, subject: usize, value: usize) -> String {
        let (before, after) = (self.prior[value], self.belief(subject)[value]);
        let moves = if after >= before { "rises" } else { "falls" };
        format!(
            "belief in {} {moves} from {} to {}",
            spelled(&self.values[value]),
            short_percent(before),
            short_percent(after)
        )
    }

    /// The worst-hit people by a level, with the value that says so.
    pub(super) fn victims(&self, scene: &AuditInput<'_>, most: usize, levels: &[(f64, usize)]) -> Vec<Victim> {
        let (Some(points), Some(original_table)) = (&self.points, scene.original_table) else { return Vec::new() };
        let worst = worst_indices(levels.iter().map(|&(level, _)| level), most);
        let name = |subject: usize| Victim {
            row: original_table.row_of_point(points[subject] as usize),
            says: self.describe(subject, levels[subject].1),
        };
        worst.into_iter().map(name).collect()
    }

    /// What every finding says about who was looked at.
    pub(super) fn with_coverage(&self, finding: super::Finding) -> super::Finding {
        let mut finding = finding.about(&self.attribute);
        if self.untouched > 0 {
            finding = finding.detail("people_the_release_says_nothing_about", self.untouched);
        }
        if self.step > 1 {
            finding = finding.sampling(evenly_chosen(self.of, self.step));
        }
        finding
    }
}

/// How people are chosen where there are too many.
pub(super) fn evenly_chosen(of: usize, step: usize) -> String {
    let (of, chosen) = (grouped(of as u64), grouped(of.div_ceil(step.max(1)) as u64));
    format!("{chosen} of {of} combinations of quasi-identifiers, evenly chosen; people who are counted are theirs")
}

fn shares(people: &[u64]) -> Vec<f64> {
    let total = people.iter().sum::<u64>().max(1) as f64;
    people.iter().map(|&people| people as f64 / total).collect()
}

/// The overall distribution: as the release shows it where it does, else that of the original.
fn prior(release: &dyn OpenRelease, original_table: &OriginalTable, index: usize, values: &[Value]) -> Vec<f64> {
    if let Ok(groups) = release.groups() {
        return shares(&groups.whole.sensitive[index].people);
    }
    let sensitive = &original_table.counted.whole.sensitive[index];
    let people = |value: &Value| sensitive.domain.code(value).map_or(0, |code| sensitive.people[code as usize]);
    shares(&values.iter().map(people).collect::<Vec<u64>>())
}
