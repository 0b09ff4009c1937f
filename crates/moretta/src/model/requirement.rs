//! The conjunction of the models that a policy requires.

use std::sync::Arc;

use rayon::prelude::*;
use serde_json::Map;

use super::worst::{WITNESSES, Worst};
use super::{
    Ancestor, Composition, Group, GroupCheck, Groups, Measure, PartitionTree, PrivacyModel, ProvedFrom, Safety,
    TableSummary, Verdict, level_to_json,
};
use crate::distance::Scratch;
use crate::error::{Code, Error, Result};
use crate::model::Scope;
use crate::progress::CancelToken;

/// All models of a policy, made ready for one table.
#[derive(Debug)]
pub struct Requirement<'m> {
    models: &'m [Box<dyn PrivacyModel>],
    /// One for each model that is about groups.
    checks: Vec<Box<dyn GroupCheck>>,
    /// The fewest people of a group, by promises about sizes alone.
    least: u64,
    /// Whether groups count different people, of whom each may have several rows.
    by_people: bool,
}

impl<'m> Requirement<'m> {
    /// Prepares all models to publish a table. Refuses what the table as a whole can't meet: where a model is
    /// merge-safe, the union of groups that keep the promise would keep it too. One that looks at
    /// ancestors can only hold if the whole, which is everybody's ancestor, is large enough to hold by itself.
    pub fn prepare(models: &'m [Box<dyn PrivacyModel>], whole: &TableSummary) -> Result<Self> {
        models.iter().try_for_each(|model| model.check_table(whole))?;
        let requirement = Self::for_judging(models, whole)?;
        let histograms: Vec<Vec<u64>> = whole.sensitive.iter().map(|attribute| attribute.people.clone()).collect();
        let all = Group { people: whole.people, sensitive: &histograms, parent: None };
        let mut scratch = Scratch::default();
        for model in models {
            match model.scope() {
                Scope::Sizes(least) if whole.people < least => return Err(too_few(&**model, whole.people)),
                Scope::Sizes(_) | Scope::Groups(_) | Scope::Members(_) | Scope::Release(_) => {}
            }
        }
        for (model, check) in requirement.about_groups() {
            let whole_decides = check.safety().merge || check.needs_ancestors().is_some();
            if whole_decides && !check.holds(&all, &mut scratch) {
                return Err(impossible(model, check, &all, whole));
            }
        }
        Ok(requirement)
    }

    /// Prepares all models to judge a table that is there already.
    pub fn for_judging(models: &'m [Box<dyn PrivacyModel>], whole: &TableSummary) -> Result<Self> {
        let about_groups = models.iter().filter_map(|model| match model.scope() {
            Scope::Groups(model) => Some(model),
            Scope::Sizes(_) | Scope::Members(_) | Scope::Release(_) => None,
        });
        let checks = about_groups.map(|model| model.prepare(whole)).collect::<Result<Vec<_>>>()?;
        let sizes = models.iter().filter_map(|model| match model.scope() {
            Scope::Sizes(least) => Some(least),
            Scope::Groups(_) | Scope::Members(_) | Scope::Release(_) => None,
        });
        let least = sizes.max().unwrap_or(1);
        Ok(Self { models, checks, least, by_people: false })
    }

    /// Prepares all models to publish a table of which several rows may belong to one person: `whole` counts different people, and so must
    /// whoever asks about a group.
    ///
    /// Refuses a table whose people can't stand in one group, even where a promise is not merge-safe and smaller groups might keep it:
    /// searches start from there, and join what fails until it holds.
    pub fn prepare_by_people(models: &'m [Box<dyn PrivacyModel>], whole: &TableSummary) -> Result<Self> {
        models.iter().try_for_each(|model| model.check_table(whole))?;
        let requirement = Self { by_people: true, ..Self::for_judging(models, whole)? };
        let histograms: Vec<Vec<u64>> = whole.sensitive.iter().map(|attribute| attribute.people.clone()).collect();
        let all = Group { people: whole.people, sensitive: &histograms, parent: None };
        let mut scratch = Scratch::default();
        let refused = requirement.about_groups().find(|(_, check)| !check.holds(&all, &mut scratch));
        if let Some((model, check)) = refused {
            return Err(impossible(model, check, &all, whole));
        }
        Ok(requirement)
    }

    /// All models, those about a whole release included.
    pub fn models(&self) -> &'m [Box<dyn PrivacyModel>] {
        self.models
    }

    /// Whether any model is about the values of groups.
    pub fn judges_groups(&self) -> bool {
        !self.checks.is_empty()
    }

    /// The models that are about groups, with their checks.
    fn about_groups(&self) -> impl Iterator<Item = (&dyn PrivacyModel, &dyn GroupCheck)> {
        let models = self.models.iter().filter(|model| matches!(model.scope(), Scope::Groups(_)));
        models.map(|model| &**model).zip(self.checks.iter().map(|check| &**check))
    }

    /// The same models, to judge against another whole: what is left when people are left out.
    pub fn against(&self, whole: &TableSummary) -> Result<Self> {
        Ok(Self { by_people: self.by_people, ..Self::for_judging(self.models, whole)? })
    }

    /// Whether a group keeps every promise.
    pub fn holds(&self, group: &Group<'_>, scratch: &mut Scratch) -> bool {
        group.people >= self.least && self.values_hold(group, scratch)
    }

    /// Whether the values of a group keep every promise about them, whatever is promised about its size alone.
    pub fn values_hold(&self, group: &Group<'_>, scratch: &mut Scratch) -> bool {
        self.checks.iter().all(|check| check.holds(group, scratch))
    }

    /// The fewest people that a group needs.
    pub fn least_people(&self) -> u64 {
        self.checks.iter().map(|check| check.least_people()).max().unwrap_or(1).max(self.least)
    }

    /// What is true of the sensitive values of any group in a release that leaves out at most so many people: attributes among the sensitive ones,
    /// and their values. Empty where models look at the values in other ways.
    pub fn compositions(&self, left_out: u64) -> Vec<(usize, Composition)> {
        self.checks.iter().flat_map(|check| check.compositions(left_out)).collect()
    }

    /// Whether sensitive values matter, or only sizes.
    pub fn needs_histograms(&self) -> bool {
        self.checks.iter().any(|check| check.needs_histograms())
    }

    /// Whether a verdict about a group may change when people elsewhere are left out.
    pub fn compares_with_whole(&self) -> bool {
        self.checks.iter().any(|check| check.compares_with_whole())
    }

    /// What a search may rely on: what all models allow.
    pub fn safety(&self) -> Safety {
        if self.by_people {
            let unsafe_by_people = Safety { merge: false, grow: false };
            let each = || self.models.iter().map(|model| model.safety_by_people().unwrap_or(unsafe_by_people));
            return Safety { merge: each().all(|safety| safety.merge), grow: each().all(|safety| safety.grow) };
        }
        let all = |property: fn(Safety) -> bool| self.checks.iter().all(|check| property(check.safety()));
        Safety { merge: all(|safety| safety.merge), grow: all(|safety| safety.grow) }
    }

    /// Whether ancestors matter: the least and the largest number of people that a model wants one to have.
    pub fn needs_ancestors(&self) -> Option<(u64, u64)> {
        let sizes = || self.checks.iter().filter_map(|check| check.needs_ancestors());
        Some((sizes().min()?, sizes().max()?))
    }

    /// Judges all groups, one verdict a model. Of the parts that contain a group, only the whole is known.
    pub fn judge(&self, groups: &Groups, token: &CancelToken) -> Result<Vec<Verdict>> {
        self.judge_each(groups, &PartitionTree::trivial(groups.len()), token)
    }

    /// Judges all groups, one verdict a model, with a tree of the parts that contain them.
    pub fn judge_in(&self, groups: &Groups, tree: &PartitionTree, token: &CancelToken) -> Result<Vec<Verdict>> {
        tree.check(groups.len())?;
        self.judge_each(groups, tree, token)
    }

    /// Judges all groups, one verdict a model, each with parts of the table that contain it, in a chain.
    pub fn judge_inside(&self, groups: &Groups, parts: &[Arc<Ancestor>], token: &CancelToken) -> Result<Vec<Verdict>> {
        let own = (0..groups.len() as u32).collect();
        let tree = PartitionTree { parents: vec![0; groups.len()], node_of_group: own };
        self.judge_all(Place { groups, tree: &tree, nodes: parts }, token)
    }

    fn judge_each(&self, groups: &Groups, tree: &PartitionTree, token: &CancelToken) -> Result<Vec<Verdict>> {
        let nodes = match self.needs_ancestors() {
            None => Vec::new(),
            Some(_) => tree.ancestors(&groups.scratch(), |group, sums| {
                groups.add(group, sums);
                groups.people[group]
            }),
        };
        self.judge_all(Place { groups, tree, nodes: &nodes }, token)
    }

    fn judge_all(&self, index: Place<'_>, token: &CancelToken) -> Result<Vec<Verdict>> {
        self.about_groups().map(|(model, check)| judge(model, check, index, token)).collect()
    }
}

/// Groups, and the parts that contain them.
#[derive(Clone, Copy)]
struct Place<'a> {
    groups: &'a Groups,
    tree: &'a PartitionTree,
    /// The nodes of the tree; none where no model needs them.
    nodes: &'a [Arc<Ancestor>],
}

fn judge(model: &dyn PrivacyModel, check: &dyn GroupCheck, index: Place<'_>, token: &CancelToken) -> Result<Verdict> {
    let measures = check.measures();
    let tally = tally(check, index, token);
    token.check()?;
    let achieved: Map<_, _> = measures
        .iter()
        .zip(&tally.levels)
        .filter(|_| !index.groups.is_empty())
        .map(|(measure, &level)| (measure.name.to_owned(), level_to_json(level)))
        .collect();
    Ok(Verdict {
        model: model.name(),
        promised: model.parameters(),
        achieved,
        holds: tally.failing.level().is_none(),
        proved_from: ProvedFrom::Files,
        witnesses: tally.witnesses(),
    })
}

/// What is known about the groups judged so far.
struct Tally {
    /// The worst level of each measure.
    levels: Vec<f64>,
    /// The worst groups by the first measure, among those that break the promise and among all.
    failing: Worst,
    all: Worst,
}

impl Tally {
    fn new(measures: &[Measure]) -> Self {
        let safer = measures.first().map_or(super::Safer::Higher, |measure| measure.safer);
        // The best there is, so that any group is worse.
        let levels = measures.iter().map(|measure| measure.safer.goodness(f64::INFINITY)).collect();
        Self { levels, failing: Worst::new(safer), all: Worst::new(safer) }
    }

    fn take(&mut self, measures: &[Measure], levels: &[f64]) {
        for ((worst, &level), measure) in self.levels.iter_mut().zip(levels).zip(measures) {
            *worst = measure.safer.worse(*worst, level);
        }
    }

    fn join(mut self, other: &Self, measures: &[Measure]) -> Self {
        self.take(measures, &other.levels);
        self.failing.join(&other.failing);
        self.all.join(&other.all);
        self
    }

    /// The worst groups; failing ones come first.
    fn witnesses(&self) -> Vec<usize> {
        let mut groups = self.failing.groups();
        let others: Vec<usize> = self.all.groups().into_iter().filter(|group| !groups.contains(group)).collect();
        groups.extend(others);
        groups.truncate(WITNESSES);
        groups
    }
}

/// One pass over all groups, without memory for each of them.
fn tally(check: &dyn GroupCheck, index: Place<'_>, token: &CancelToken) -> Tally {
    let Place { groups, tree, nodes } = index;
    let measures = check.measures();
    let start = || (Tally::new(measures), vec![0.0; measures.len()], groups.scratch(), Scratch::default());
    (0..groups.len())
        .into_par_iter()
        .with_min_len(512)
        .fold(start, |(mut tally, mut levels, mut histograms, mut scratch), number| {
            if token.is_cancelled() {
                return (tally, levels, histograms, scratch);
            }
            groups.fill(number, &mut histograms);
            let parent = nodes.get(tree.node_of_group[number] as usize).map(|node| &**node);
            let group = Group { people: groups.people[number], sensitive: &histograms, parent };
            check.measure(&group, &mut scratch, &mut levels);
            tally.take(measures, &levels);
            let first = levels.first().copied().unwrap_or(0.0);
            tally.all.offer(first, number);
            if !check.holds(&group, &mut scratch) {
                tally.failing.offer(first, number);
            }
            groups.clear(number, &mut histograms);
            (tally, levels, histograms, scratch)
        })
        .map(|(tally, ..)| tally)
        .reduce(|| Tally::new(measures), |a, b| a.join(&b, measures))
}

fn too_few(model: &dyn PrivacyModel, people: u64) -> Error {
    let wished: Vec<String> = model.parameters().iter().map(|(name, value)| format!("{name} = {value}")).collect();
    Error::data(format!(
        "this table can't meet {} with {}: it has only {people} people",
        model.name(),
        wished.join(", ")
    ))
    .coded(Code::PromiseImpossible)
    .help("ask for less, or publish more people together")
}

fn impossible(model: &dyn PrivacyModel, check: &dyn GroupCheck, all: &Group<'_>, whole: &TableSummary) -> Error {
    let measures = check.measures();
    let mut levels = vec![0.0; measures.len()];
    check.measure(all, &mut Scratch::default(), &mut levels);
    let list = |pairs: Vec<(String, String)>| {
        pairs.iter().map(|(name, level)| format!("{name} = {level}")).collect::<Vec<_>>().join(", ")
    };
    let wished = list(model.parameters().iter().map(|(name, value)| (name.clone(), value.to_string())).collect());
    let spell = |level: f64| if level.is_finite() { level.to_string() } else { "infinite".to_owned() };
    let best = list(measures.iter().zip(&levels).map(|(m, &level)| (m.name.to_owned(), spell(level))).collect());
    Error::data(format!(
        "this table can't meet {} with {wished}: all {} people in one group reach only {best}",
        model.name(),
        all.people
    ))
    .coded(Code::PromiseImpossible)
    .help(
        with_too_few_values(model, whole).unwrap_or_else(|| "ask for less, or publish more people together".to_owned()),
    )
}

/// The attributes that can't have ℓ different values in any group, since all the table has fewer.
fn with_too_few_values(model: &dyn PrivacyModel, whole: &TableSummary) -> Option<String> {
    let parameters = model.parameters();
    let wished = parameters.get("l")?.as_f64()?;
    let stated = parameters.get("attribute").and_then(|name| name.as_str());
    let of_model = whole.sensitive.iter().filter(|attribute| stated.is_none_or(|name| attribute.name == name));
    let values = |people: &[u64]| people.iter().filter(|&&people| people > 0).count();
    let (few, enough): (Vec<_>, Vec<_>) = of_model.partition(|attribute| (values(&attribute.people) as f64) < wished);
    let list: Vec<String> =
        few.iter().map(|attribute| format!("{:?} has {} values", attribute.name, values(&attribute.people))).collect();
    let way = match enough.first() {
        Some(other) => format!("ask for less, or about others alone: `attribute = {:?}`", other.name),
        None => "ask for less".to_owned(),
    };
    (!few.is_empty()).then(|| format!("{}; {way}", list.join(", ")))
}
