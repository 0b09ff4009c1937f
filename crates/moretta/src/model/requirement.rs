//! The conjunction of the models that a policy requires.

use rayon::prelude::*;
use serde_json::Map;

use super::{Group, GroupCheck, Groups, Measure, PrivacyModel, ProvedFrom, Safety, Verdict, Whole, level_to_json};
use crate::distance::Scratch;
use crate::error::{Error, Result};

/// All models of a policy, made ready for one table.
#[derive(Debug)]
pub struct Requirement<'m> {
    models: &'m [Box<dyn PrivacyModel>],
    checks: Vec<Box<dyn GroupCheck>>,
}

/// How many of the worst groups a verdict names.
const WITNESSES: usize = 10;

impl<'m> Requirement<'m> {
    /// Prepares all models. Refuses what the table as a whole can't meet: where a model is
    /// merge-safe, no grouping can do better than the best of its groups, and their union would hold.
    pub fn prepare(models: &'m [Box<dyn PrivacyModel>], whole: &Whole) -> Result<Self> {
        let requirement = Self::for_judging(models, whole)?;
        let histograms: Vec<Vec<u64>> = whole.sensitive.iter().map(|attribute| attribute.people.clone()).collect();
        let all = Group { people: whole.people, sensitive: &histograms, parent: None };
        let mut scratch = Scratch::default();
        for (model, check) in models.iter().zip(&requirement.checks) {
            if check.safety().merge && !check.holds(&all, &mut scratch) {
                return Err(impossible(&**model, &**check, &all));
            }
        }
        Ok(requirement)
    }

    /// Prepares all models to judge a table that is there already.
    pub fn for_judging(models: &'m [Box<dyn PrivacyModel>], whole: &Whole) -> Result<Self> {
        let checks = models.iter().map(|model| model.prepare(whole)).collect::<Result<Vec<_>>>()?;
        Ok(Self { models, checks })
    }

    /// The same models, to judge against another whole: what is left when people are left out.
    pub fn against(&self, whole: &Whole) -> Result<Self> {
        Self::for_judging(self.models, whole)
    }

    /// Whether a group keeps every promise.
    pub fn holds(&self, group: &Group<'_>, scratch: &mut Scratch) -> bool {
        self.checks.iter().all(|check| check.holds(group, scratch))
    }

    /// The fewest people that a group needs.
    pub fn least_people(&self) -> u64 {
        self.checks.iter().map(|check| check.least_people()).max().unwrap_or(1)
    }

    /// Whether sensitive values matter, or only sizes.
    pub fn needs_histograms(&self) -> bool {
        self.checks.iter().any(|check| check.needs_histograms())
    }

    /// What a search may rely on: what all models allow.
    pub fn safety(&self) -> Safety {
        let all = |property: fn(Safety) -> bool| self.checks.iter().all(|check| property(check.safety()));
        Safety { merge: all(|safety| safety.merge), grow: all(|safety| safety.grow) }
    }

    /// Judges all groups, one verdict a model.
    pub fn judge(&self, groups: &Groups) -> Vec<Verdict> {
        self.models.iter().zip(&self.checks).map(|(model, check)| judge(&**model, &**check, groups)).collect()
    }
}

fn judge(model: &dyn PrivacyModel, check: &dyn GroupCheck, groups: &Groups) -> Verdict {
    let measures = check.measures();
    let levels = levels_of_groups(check, groups);
    let worst = |place: usize| {
        let measure = measures[place];
        levels.iter().map(|(_, levels)| levels[place]).reduce(|a, b| measure.safer.worse(a, b))
    };
    let achieved: Map<_, _> = (0..measures.len())
        .filter_map(|place| Some((measures[place].name.to_owned(), level_to_json(worst(place)?))))
        .collect();
    Verdict {
        model: model.name(),
        promised: model.promised(),
        achieved,
        holds: levels.iter().all(|&(holds, _)| holds),
        proved_from: ProvedFrom::Files,
        witnesses: worst_groups(&levels, measures),
    }
}

/// Whether each group keeps the promise, and its levels.
fn levels_of_groups(check: &dyn GroupCheck, groups: &Groups) -> Vec<(bool, Vec<f64>)> {
    (0..groups.len())
        .into_par_iter()
        .with_min_len(512)
        .map_init(
            || (groups.scratch(), Scratch::default()),
            |(histograms, scratch), number| {
                groups.fill(number, histograms);
                let group = Group { people: groups.people[number], sensitive: histograms, parent: None };
                let mut levels = vec![0.0; check.measures().len()];
                check.measure(&group, scratch, &mut levels);
                let holds = check.holds(&group, scratch);
                groups.clear(number, histograms);
                (holds, levels)
            },
        )
        .collect()
}

/// The groups with the worst level of the first measure; failing ones come first.
fn worst_groups(levels: &[(bool, Vec<f64>)], measures: &[Measure]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..levels.len()).collect();
    let Some(measure) = measures.first() else { return Vec::new() };
    let badness = |group: usize| {
        let (holds, levels) = &levels[group];
        let level = match measure.safer {
            super::Safer::Higher => levels[0],
            super::Safer::Lower => -levels[0],
        };
        (*holds, level)
    };
    let by_badness = |&a: &usize, &b: &usize| {
        let ((holds_a, level_a), (holds_b, level_b)) = (badness(a), badness(b));
        holds_a.cmp(&holds_b).then(level_a.total_cmp(&level_b)).then(a.cmp(&b))
    };
    if order.len() > WITNESSES {
        order.select_nth_unstable_by(WITNESSES, by_badness);
        order.truncate(WITNESSES);
    }
    order.sort_unstable_by(by_badness);
    order
}

fn impossible(model: &dyn PrivacyModel, check: &dyn GroupCheck, all: &Group<'_>) -> Error {
    let measures = check.measures();
    let mut levels = vec![0.0; measures.len()];
    check.measure(all, &mut Scratch::default(), &mut levels);
    let list = |pairs: Vec<(String, String)>| {
        pairs.iter().map(|(name, level)| format!("{name} = {level}")).collect::<Vec<_>>().join(", ")
    };
    let wished = list(model.promised().iter().map(|(name, value)| (name.clone(), value.to_string())).collect());
    let best = list(measures.iter().zip(&levels).map(|(m, level)| (m.name.to_owned(), level.to_string())).collect());
    Error::data(format!(
        "this table can't meet {} with {wished}: all {} people in one group reach only {best}",
        model.name(),
        all.people
    ))
    .help("ask for less, or publish more people together")
}
