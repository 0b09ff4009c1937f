//! Promises about who the people of a group are, not only about which values they share.
//!
//! Such a promise speaks of what an adversary knows beforehand, which is mined from the original. It is judged for the
//! groups of a search and, beside the original, for the groups of the released files, by the same check.

use std::fmt::Debug;

use serde_json::{Map, Value as Json};

use super::placed::Placed;
use super::worst::{WITNESSES, Worst};
use super::{PrivacyModel, ProvedFrom, Safer, TableSummary, Verdict};
use crate::data::cells::Cells;
use crate::distance::Scratch;
use crate::error::{Code, Error, Result};
use crate::hierarchy::Scale;
use crate::kind::OpenRelease;
use crate::knowledge::posterior::Posterior;
use crate::knowledge::{Evidence, Matching, Mining, Points, Rules, ValueSets};
use crate::model::Scope;
use crate::progress::{CancelToken, Progress};
use crate::release::Original;

/// A promise about the people of each group.
pub trait MemberModel: PrivacyModel {
    /// Makes it ready for a table.
    fn prepare_members(&self, known: &Known<'_>) -> Result<Box<dyn MemberCheck>>;
}

/// The original, as far as knowledge about people can be mined from it.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The names of the quasi-identifiers.
    pub names: &'a [String],
    /// How they generalize.
    pub scales: &'a [Scale],
    /// Their combinations.
    pub points: &'a Points,
    /// The distinct rows: a column for each quasi-identifier, then one for each sensitive attribute.
    pub cells: &'a Cells,
    /// The sensitive attributes.
    pub whole: &'a TableSummary,
    /// What stops those who mine it.
    pub token: &'a CancelToken,
}

impl Known<'_> {
    /// The people that have each value of a sensitive attribute, by point.
    pub fn evidence(&self, attribute: usize) -> Evidence<'_> {
        let codes = &self.cells.columns[self.scales.len() + attribute];
        let values = self.whole.sensitive[attribute].domain.len();
        Evidence::new(self.scales, self.points, (codes, values), &self.cells.people, self.token)
    }

    /// The rules about a sensitive attribute.
    pub fn rules(&self, attribute: usize, mining: &Mining) -> Result<Rules> {
        Rules::mine(&self.evidence(attribute), self.names, mining)
    }
}

/// The people of a group.
#[derive(Clone, Copy, Debug)]
pub struct Members<'a> {
    /// The points at which they are, ascending, and how many are at each.
    pub points: &'a [(u32, u64)],
    /// For each sensitive attribute, how many have each value of the original.
    pub sensitive: &'a [Vec<u64>],
}

/// A promise about the people of a group, made ready for a table.
pub trait MemberCheck: Debug + Send + Sync {
    /// Whether the union of two groups that keep the promise keeps it.
    fn merge_safe(&self) -> bool;

    /// The fewest people that a group needs.
    fn least_people(&self) -> u64 {
        1
    }

    /// Which way lies safety.
    fn safer(&self) -> Safer;

    /// How many levels are measured.
    fn levels(&self) -> usize {
        1
    }

    /// Whether a group may keep the promise: cheaper than [`MemberCheck::holds`], and true wherever that is.
    fn may_hold(&self, members: &Members<'_>, scratch: &mut MemberScratch) -> bool {
        self.holds(members, scratch)
    }

    /// Whether a group keeps the promise.
    fn holds(&self, members: &Members<'_>, scratch: &mut MemberScratch) -> bool;

    /// The levels that a group reaches.
    fn measure(&self, members: &Members<'_>, scratch: &mut MemberScratch, levels: &mut [f64]);

    /// The levels, under their names.
    fn achieved(&self, levels: &[f64]) -> Map<String, Json>;
}

/// Room to work in.
#[derive(Clone, Debug, Default)]
pub struct MemberScratch {
    pub(crate) matching: Matching,
    pub(crate) posterior: Posterior,
    pub(crate) distances: Scratch,
    /// The place of a class among those of the group; `u32::MAX` where it has none.
    pub(crate) place_of_class: Vec<u32>,
    pub(crate) classes: Vec<u32>,
    pub(crate) people: Vec<u64>,
    pub(crate) barred: ValueSets,
    pub(crate) priors: Vec<f64>,
    pub(crate) after: Vec<u64>,
    pub(crate) moved: Vec<f64>,
}

/// All promises of a policy about the people of groups, made ready for one table.
#[derive(Debug)]
pub struct MemberRequirement {
    checks: Vec<Box<dyn MemberCheck>>,
    names: Vec<&'static str>,
    /// The combinations of quasi-identifiers, and the one of each cell.
    pub points: Points,
}

impl MemberRequirement {
    /// Prepares the models that are about members; nothing if there is none.
    pub fn new(
        models: &[Box<dyn PrivacyModel>],
        names: &[String],
        scales: &[Scale],
        cells: &Cells,
        whole: &TableSummary,
        token: &CancelToken,
    ) -> Result<Option<Self>> {
        let about_members: Vec<&dyn MemberModel> = models
            .iter()
            .filter_map(|model| match model.scope() {
                Scope::Members(model) => Some(model),
                Scope::Groups(_) | Scope::Sizes(_) | Scope::Release(_) => None,
            })
            .collect();
        if about_members.is_empty() {
            return Ok(None);
        }
        let points = Points::of_cells(cells, scales);
        let known = Known { names, scales, points: &points, cells, whole, token };
        let checks = about_members.iter().map(|model| model.prepare_members(&known)).collect::<Result<Vec<_>>>()?;
        let names = about_members.iter().map(|model| model.name()).collect();
        Ok(Some(Self { checks, names, points }))
    }

    /// Whether unions of groups that keep the promises keep them.
    pub fn merge_safe(&self) -> bool {
        self.checks.iter().all(|check| check.merge_safe())
    }

    /// The fewest people that a group needs.
    pub fn least_people(&self) -> u64 {
        self.checks.iter().map(|check| check.least_people()).max().unwrap_or(1)
    }

    /// Whether a group keeps every promise.
    pub fn holds(&self, members: &Members<'_>, scratch: &mut MemberScratch) -> bool {
        self.checks.iter().all(|check| check.holds(members, scratch))
    }

    /// Whether both parts of a group keep every promise. What is cheap is asked first.
    pub fn hold_both(&self, left: &Members<'_>, right: &Members<'_>, scratch: &mut MemberScratch) -> bool {
        let may = |members, scratch: &mut _| self.checks.iter().all(|check| check.may_hold(members, scratch));
        may(left, scratch) && may(right, scratch) && self.holds(left, scratch) && self.holds(right, scratch)
    }

    /// The refusal of a table of which a group breaks a promise, whatever is done.
    pub fn refusal(&self, members: &Members<'_>) -> Error {
        let mut scratch = MemberScratch::default();
        let failing = self.checks.iter().zip(&self.names).find(|(check, _)| !check.holds(members, &mut scratch));
        let Some((check, name)) = failing else { return Error::bug("a group that keeps every promise was refused") };
        let mut levels = vec![0.0; check.levels()];
        check.measure(members, &mut scratch, &mut levels);
        let people: u64 = members.points.iter().map(|&(_, people)| people).sum();
        let reached = check.achieved(&levels);
        let reached: Vec<String> = reached.iter().map(|(name, level)| format!("{name} = {level}")).collect();
        Error::data(format!(
            "this table can't meet {name}: {people} people, who can't be divided any further, reach only {}",
            reached.join(", ")
        ))
        .coded(Code::PromiseImpossible)
        .help("ask for less, or publish more people together")
    }
}

/// Judges the groups of a release beside the original; nothing where the original is missing or the files do not tell
/// who is in which group.
pub fn judge(
    model: &dyn MemberModel,
    release: &dyn OpenRelease,
    original: Option<&Original<'_>>,
    progress: &Progress,
) -> Result<Option<Verdict>> {
    let Some(original) = original else { return Ok(None) };
    let Some((scales, whole)) = original.described else { return Ok(None) };
    let points = Points::of_cells(original.cells, scales);
    let token = progress.token();
    let Some(placed) = Placed::new(release, original, &points, token)? else { return Ok(None) };
    let names: Vec<String> = original.quasi.iter().map(|(name, _)| name.clone()).collect();
    let check = model.prepare_members(&Known {
        names: &names,
        scales,
        points: &points,
        cells: original.cells,
        whole,
        token,
    })?;
    let mut levels = vec![check.safer().goodness(f64::INFINITY); check.levels()];
    let (mut failing, mut all) = (Worst::new(check.safer()), Worst::new(check.safer()));
    let judged = placed.judge(&*check)?;
    for (group, (own, holds)) in judged.into_iter().enumerate() {
        for (worst, &level) in levels.iter_mut().zip(&own) {
            *worst = check.safer().worse(*worst, level);
        }
        all.offer(own[0], group);
        if !holds {
            failing.offer(own[0], group);
        }
    }
    let mut witnesses = failing.groups();
    let holds = witnesses.is_empty();
    witnesses.extend(all.groups());
    witnesses.dedup();
    witnesses.truncate(WITNESSES);
    Ok(Some(Verdict {
        model: model.name(),
        promised: model.parameters(),
        achieved: check.achieved(&levels),
        holds,
        proved_from: ProvedFrom::FilesAndOriginal,
        witnesses,
    }))
}
