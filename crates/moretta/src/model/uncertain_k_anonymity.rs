//! Uncertain k-anonymity: k records are expected to fit a published density at least as well as its owner.

use std::sync::Arc;

use rayon::prelude::*;
use serde_json::{Map, Value as Json, json};

use super::sentence::{OTHER_KINDS, Sentence, Wording, Wordings, refused};
use super::{ModelEntry, PrivacyModel, ProvedFrom, ReleaseModel, SeveralRows, Verdict, level_to_json};
use crate::condition::Predicate;
use crate::config::{Content, Node, Section};
use crate::data::cells::Cells;
use crate::data::domain::Domain;
use crate::error::{Code, Error, Result};
use crate::kind::Release;
use crate::kind::uncertain::Uncertain;
use crate::kind::uncertain::math::assign::{BlurSpec, assign, recompute, regions};
use crate::kind::uncertain::math::classes::least;
use crate::kind::uncertain::math::realized::{RankCandidates, Realized, ranks};
use crate::kind::uncertain::math::{AskedPoint, Family, Frame, KdTree, Located, ScaleRule, Space, TraversalScratch};
use crate::model::Scope;
use crate::release::{Claim, Original};
use crate::schema::Attribute;

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    name: "uncertain-k-anonymity",
    summary: "k records are expected to fit a published density at least as well as the person it is about",
    paper: "Aggarwal 2008",
    page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models/uncertain-k-anonymity.md")),
    wordings: WORDINGS,
    several_rows: SeveralRows::Refused("a record is one row"),
    read,
};

const WORDINGS: Wordings = Wordings {
    generalized: refused("it publishes no densities; only uncertain releases do"),
    bucketized: refused("it publishes no densities; only uncertain releases do"),
    ambiguous: refused("it publishes no densities; only uncertain releases do"),
    distribution: refused("it publishes no densities; only uncertain releases do"),
    uncertain: Wording::Promise(Sentence {
        promise: "at least {k} people are expected to fit each published density at least as well as the person it is about",
        argument: "The expected number is computed, by the density's own law, among the original records that publish the same scales, the person counted.",
        not_protected: "the sensitive values, which are published as they are; what one draw of the blur shows by chance",
        claim: "people_who_fit_as_well",
    }),
    condensed: refused("it publishes no densities; only uncertain releases do"),
    sliced: refused("it publishes no densities; only uncertain releases do"),
    others: OTHER_KINDS,
};

/// A(i) ≥ k for every record i (definitions 2.4 and 2.5), counted among the records that publish the same scales.
#[derive(Clone, Debug)]
pub struct UncertainKAnonymity {
    k: Asking,
}

/// Who asks for how much.
#[derive(Clone, Debug)]
enum Asking {
    /// Everybody for the same.
    All(f64),
    /// Each record for what an attribute says.
    Attribute(String),
    /// Each record for what the first rule says whose condition is true of it.
    Rules(Vec<Rule>),
}

#[derive(Clone, Debug)]
struct Rule {
    text: Option<String>,
    condition: Option<Predicate>,
    k: f64,
}

fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Box<dyn PrivacyModel>> {
    let node = section.get("k").ok_or_else(|| section.lacks("k"))?;
    let k = match &node.content {
        Content::Text(name) => {
            if !attributes.is_empty() && !attributes.iter().any(|a| a.name == *name) {
                return Err(section
                    .error_at("k", format!("`k` names {name:?}, which is no attribute"))
                    .coded(Code::UnknownAttribute));
            }
            Asking::Attribute(name.clone())
        }
        Content::List(rules) => {
            Asking::Rules(rules.iter().map(|rule| read_rule(rule, section)).collect::<Result<_>>()?)
        }
        _ => Asking::All(section.required_number("k", "of at least 1", |k| k >= 1.0)?),
    };
    Ok(Box::new(UncertainKAnonymity { k }))
}

fn read_rule(node: &Node, section: &Section<'_>) -> Result<Rule> {
    let wrong = || {
        section
            .error_at(
                "k",
                "a rule of `k` has a number `k` of at least 1 and, unless it is for all the rest, a condition `where`",
            )
            .help("k = [{ where = \"age >= 80\", k = 20 }, { k = 10 }]")
    };
    let Content::Table(entries) = &node.content else { return Err(wrong()) };
    let mut rule = Rule { text: None, condition: None, k: 0.0 };
    for (key, value) in entries {
        match (key.as_str(), &value.content) {
            ("where", Content::Text(text)) => {
                rule.condition = Some(Predicate::parse(text)?);
                rule.text = Some(text.clone());
            }
            ("k", Content::Integer(k)) => rule.k = *k as f64,
            ("k", Content::Float(k)) => rule.k = *k,
            _ => return Err(wrong()),
        }
    }
    if rule.k >= 1.0 && rule.k.is_finite() { Ok(rule) } else { Err(wrong()) }
}

impl UncertainKAnonymity {
    /// What each cell of a table asks for; `columns` are those of the cells.
    pub fn of_cells(&self, columns: &[(String, Arc<Domain>)], cells: &Cells) -> Result<Vec<f64>> {
        let index = |name: &str| {
            columns.iter().position(|(column, _)| column == name).ok_or_else(|| {
                Error::input(format!(
                    "`k` of {} speaks of {name:?}, which is not a quasi-identifier or sensitive",
                    ENTRY.name
                ))
                .help("give the attribute one of these roles")
            })
        };
        match &self.k {
            Asking::All(k) => Ok(vec![*k; cells.len()]),
            Asking::Attribute(name) => {
                let index = index(name)?;
                let of_value = |value: &crate::data::Value| {
                    value.as_number().filter(|k| *k >= 1.0).ok_or_else(|| {
                        Error::data(format!("{name:?} has the value {value}, and it says what k a record asks for"))
                            .help("a number of at least 1")
                    })
                };
                let k = columns[index].1.values().iter().map(of_value).collect::<Result<Vec<f64>>>()?;
                Ok(cells.columns[index].iter().map(|&code| k[code as usize]).collect())
            }
            Asking::Rules(rules) => {
                let column = |name: &str| index(name).map(|index| (index, &*columns[index].1));
                let bound = rules
                    .iter()
                    .map(|rule| Ok((rule.condition.as_ref().map(|c| c.bind(&column)).transpose()?, rule.k)))
                    .collect::<Result<Vec<_>>>()?;
                let of_cell = |cell: usize| {
                    let code = |column: usize| cells.columns[column][cell];
                    let applies = |rule: &&(Option<crate::condition::Bound>, f64)| {
                        rule.0.as_ref().is_none_or(|condition| condition.truth(&code) == Some(true))
                    };
                    bound.iter().find(applies).map(|rule| rule.1)
                };
                (0..cells.len())
                    .map(|cell| {
                        of_cell(cell).ok_or_else(|| {
                            let row =
                                cells.cell_of_row.iter().position(|&c| c as usize == cell).map_or(0, |row| row + 1);
                            Error::data(format!("no rule of `k` speaks of the record in row {row}"))
                                .help("end the rules with one for all the rest: { k = 10 }")
                        })
                    })
                    .collect()
            }
        }
    }

    /// What each point asks for: the most that anybody there asks for.
    pub fn of_points(&self, columns: &[(String, Arc<Domain>)], cells: &Cells, located: &Located) -> Result<Vec<f64>> {
        let mut k = vec![1.0_f64; located.points.len()];
        for (of_cell, &point) in self.of_cells(columns, cells)?.into_iter().zip(&located.point_of_cell) {
            k[point as usize] = k[point as usize].max(of_cell);
        }
        Ok(k)
    }
}

impl PrivacyModel for UncertainKAnonymity {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn wordings(&self) -> &'static Wordings {
        &WORDINGS
    }

    fn parameters(&self) -> Map<String, Json> {
        let rule = |rule: &Rule| match &rule.text {
            Some(text) => json!({ "where": text, "k": level_to_json(rule.k) }),
            None => json!({ "k": level_to_json(rule.k) }),
        };
        let k = match &self.k {
            Asking::All(k) => level_to_json(*k),
            Asking::Attribute(name) => Json::String(name.clone()),
            Asking::Rules(rules) => rules.iter().map(rule).collect(),
        };
        Map::from_iter([("k".to_owned(), k)])
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Release(self)
    }
}

impl ReleaseModel for UncertainKAnonymity {
    fn judge(&self, release: &dyn Release, original: Option<&Original<'_>>) -> Result<Option<Verdict>> {
        let release = release.densities().map_err(|lacks| {
            Error::input(format!("{} can't be judged here: {lacks}", ENTRY.name)).coded(Code::ModelUnsupported)
        })?;
        let Some(original) = original else { return Ok(None) };
        let reached = self.reached(release, original)?;
        let mut achieved = Map::new();
        let level = |level: f64| level_to_json((level * 1e3).floor() / 1e3);
        achieved.insert("k".to_owned(), reached.as_ref().map_or(Json::Null, |reached| level(reached.level)));
        if let Some(realized) = reached.as_ref().and_then(|reached| reached.realized) {
            let [low, median, high] = realized.quantiles;
            let round = |x: f64, parts: f64| level_to_json((x * parts).round() / parts);
            let found = json!({
                "quantile_5": low,
                "median": median,
                "quantile_95": high,
                "mean": round(realized.mean, 10.0),
                "below_k": round(realized.below, 1000.0),
            });
            achieved.insert("realized".to_owned(), found);
        }
        Ok(Some(Verdict {
            model: ENTRY.name,
            promised: self.parameters(),
            achieved,
            holds: reached.is_some(),
            proved_from: ProvedFrom::FilesAndOriginal,
            witnesses: Vec::new(),
        }))
    }
}

/// What a release reaches that keeps its promise.
struct Reached {
    /// The least expected anonymity of any record.
    level: f64,
    /// What became of the expectation, where it is known whose each record is.
    realized: Option<Realized>,
}

impl UncertainKAnonymity {
    /// The least expected anonymity of any record, with the scales that the files hold; nothing if somebody has less than asked
    /// for, or if the files do not hold the scales that the original leads to.
    ///
    /// Which record has which density is recomputed: it is a function of the original, which is why a record's anonymity is
    /// counted only among those who publish the same.
    fn reached(&self, release: &Uncertain, original: &Original<'_>) -> Result<Option<Reached>> {
        let density = &release.density;
        let columns: Vec<(String, Arc<Domain>)> = original.quasi.iter().chain(&original.sensitive).cloned().collect();
        let space = Space::of_release(&original.quasi, density)?;
        let located = space.locate(&original.quasi, original.cells);
        let k = self.of_points(&columns, original.cells, &located)?;
        let exact = density.scale != ScaleRule::Grid;
        let (classes, class_of_point) = if exact {
            let wish = BlurSpec { family: density.family, scaling: density.scaling, scale: density.scale, k: &k };
            match assign(&located, &density.dimensions, &wish) {
                Ok(assigned) => (assigned.classes, assigned.class_of_point),
                Err(_) => return Ok(None),
            }
        } else {
            match recompute(&located, density, &k) {
                Some(class_of_point) => (density.classes.clone(), class_of_point),
                None => return Ok(None),
            }
        };
        if !release.publishes(&classes) {
            return Ok(None);
        }
        let frames: Vec<Frame> =
            classes.iter().map(|class| density.frame(&class.scales, class.axes.as_deref())).collect();
        let frame = |class: u32| &frames[class as usize];
        let mut worst = f64::INFINITY;
        if exact {
            for part in regions(&located, 1) {
                let own: Vec<Frame> = part.iter().map(|&point| frame(class_of_point[point as usize]).clone()).collect();
                worst = worst.min(least_of_own(&located, &part, density.family, &k, &own));
            }
        } else {
            let mut members: Vec<Vec<u32>> = vec![Vec::new(); classes.len()];
            (0..).zip(&class_of_point).for_each(|(point, &class)| members[class as usize].push(point));
            for (class, members) in (0..).zip(members).filter(|(_, members)| !members.is_empty()) {
                let here = located.points.select(&members).seen_in(frame(class));
                let asked: Vec<f64> = members.iter().map(|&point| k[point as usize]).collect();
                match least(&here, density.family, &asked) {
                    Some(level) => worst = worst.min(level),
                    None => return Ok(None),
                }
            }
        }
        if worst <= 0.0 {
            return Ok(None);
        }
        let candidates = RankCandidates {
            points: &located.points,
            group_of_point: if exact { &located.stratum } else { &class_of_point },
            class_of_point: &class_of_point,
            frames: &frames,
            family: density.family,
        };
        let realized = match &original.claim {
            Some(Claim::Owners(owners)) => realized(release, &located, &candidates, owners, &k),
            _ => None,
        };
        Ok(Some(Reached { level: worst, realized }))
    }
}

/// What became of the expectation, if each record is said to be somebody's who publishes its shape.
fn realized(
    release: &Uncertain,
    located: &Located,
    candidates: &RankCandidates<'_>,
    owners: &[u32],
    k: &[f64],
) -> Option<Realized> {
    let points: Vec<u32> =
        owners.iter().map(|&cell| located.point_of_cell.get(cell as usize).copied()).collect::<Option<_>>()?;
    let claimed = |record: usize| &candidates.frames[candidates.class_of_point[points[record] as usize] as usize];
    let fits = |record: usize| release.shapes[release.shape_of[record] as usize].0 == *claimed(record);
    if points.len() != release.len() || !(0..points.len()).all(fits) {
        return None;
    }
    let ranks = ranks(candidates, &points, &|record, index| release.center(record, index));
    Some(Realized::of(&ranks, points.iter().map(|&point| k[point as usize])))
}

/// The least anonymity among some points that have shapes of their own, a lower bound; 0 if one of them has less than it asks for.
fn least_of_own(located: &Located, members: &[u32], family: Family, k: &[f64], own: &[Frame]) -> f64 {
    let tree = KdTree::new(&located.points.select(members));
    (0..tree.len())
        .into_par_iter()
        .map_init(TraversalScratch::default, |scratch, index| {
            let at = tree.order[index] as usize;
            let center = tree.points.at(index);
            let asked = AskedPoint { center: &center, own: tree.points.people[index], frame: Some(&own[at]) };
            let k = k[members[at] as usize];
            // Who has much more than asked for need not be known exactly.
            let slack = 0.01 * k / tree.total().max(1) as f64;
            let (low, _) = tree.anonymity(&asked, family, 1.0, (slack, 1.5 * k), scratch);
            if low >= k || tree.reaches(&asked, family, 1.0, k, scratch) { low.max(k) } else { 0.0 }
        })
        .reduce(|| f64::INFINITY, f64::min)
}
