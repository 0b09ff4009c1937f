//! Promises about groups, straight from their definitions.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::distance::{Far, Wanted, distance};
use super::exact::Share;
use crate::cell::CellType;

/// People by value; only values that somebody has.
pub type Counts = BTreeMap<String, u64>;

/// What is known of a sensitive attribute.
#[derive(Clone, Debug)]
pub struct Described {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: CellType,
    /// Its hierarchy as the manifest lists it, leaf first.
    pub paths: Vec<Vec<String>>,
    /// Whether it has a hierarchy of any sort.
    pub has_tree: bool,
    /// Its values by category.
    pub categories: Vec<Vec<String>>,
}

/// A group: how many, and the values of each sensitive attribute.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The people.
    pub people: u64,
    /// The values of each sensitive attribute.
    pub counts: Vec<Counts>,
}

/// All that promises about groups are judged by.
#[derive(Clone, Debug, Default)]
pub struct Grouping {
    /// The sensitive attributes.
    pub attributes: Vec<Described>,
    /// The groups, in the order of the release.
    pub groups: Vec<Group>,
    /// For (n, t)-closeness: the parent of each part, the first being its own, and the part of each group.
    pub parts: Option<(Vec<usize>, Vec<usize>)>,
}

/// What the definition says.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// Whether it holds; nothing where rounding leaves that open.
    pub holds: Option<bool>,
    /// The levels reached, by the names of the library.
    pub levels: Vec<(&'static str, f64)>,
    /// What is measured by what is promised: at most 1 where it holds.
    pub ratio: f64,
}

impl Grouping {
    /// The whole release as one group.
    pub fn whole(&self) -> Group {
        let mut whole = Group { people: 0, counts: vec![Counts::new(); self.attributes.len()] };
        for group in &self.groups {
            whole.people += group.people;
            for (all, counts) in whole.counts.iter_mut().zip(&group.counts) {
                for (value, people) in counts {
                    *all.entry(value.clone()).or_default() += people;
                }
            }
        }
        whole
    }

    /// The same people in one group.
    #[must_use]
    pub fn united(&self) -> Self {
        Self { attributes: self.attributes.clone(), groups: vec![self.whole()], parts: None }
    }

    /// Judges a promise; nothing where the harness has no definition of it.
    pub fn judge(&self, model: &str, promised: &Map<String, Json>) -> Option<Judged> {
        if matches!(model, "k-anonymity" | "bucket-size" | "condensed-k") {
            let k = whole_number(promised, "k")?;
            let least = self.groups.iter().map(|group| group.people).min().unwrap_or(u64::MAX);
            return Some(Judged {
                holds: Some(least >= k),
                levels: vec![("k", least as f64)],
                ratio: k as f64 / least as f64,
            });
        }
        let about = |index: &usize| match promised.get("attribute").and_then(Json::as_str) {
            Some(name) => self.attributes[*index].name == name,
            None => true,
        };
        let whole = self.whole();
        let mut all: Option<Judged> = None;
        for attribute in (0..self.attributes.len()).filter(about) {
            for group in 0..self.groups.len() {
                let one = self.judge_one(model, promised, attribute, group, &whole)?;
                all = Some(match all {
                    None => one,
                    Some(all) => worse(&all, &one),
                });
            }
        }
        all
    }

    fn judge_one(
        &self,
        model: &str,
        promised: &Map<String, Json>,
        attribute: usize,
        group: usize,
        whole: &Group,
    ) -> Option<Judged> {
        let described = &self.attributes[attribute];
        let counts = &self.groups[group].counts[attribute];
        let people = self.groups[group].people;
        let distinct = counts.len() as u64;
        let most = counts.values().copied().max().unwrap_or(0);
        match model {
            "distinct-l-diversity" => {
                let l = whole_number(promised, "l")?;
                Some(at_least(&[("l", distinct, l)]))
            }
            "p-sensitive" => Some(at_least(&[
                ("p", distinct, whole_number(promised, "p")?),
                ("k", people, whole_number(promised, "k")?),
            ])),
            "p-plus-sensitive" => {
                let seen =
                    described.categories.iter().filter(|list| list.iter().any(|value| counts.contains_key(value)));
                let seen = seen.count() as u64;
                Some(at_least(&[
                    ("p", seen, whole_number(promised, "p")?),
                    ("k", people, whole_number(promised, "k")?),
                ]))
            }
            "p-alpha-sensitive" => {
                let lists = described.categories.len();
                let category = |value: &String| described.categories.iter().position(|list| list.contains(value));
                let mut weight = 0_u64;
                for (value, count) in counts {
                    weight += count * if lists == 1 { 1 } else { category(value)? as u64 };
                }
                let parts = (lists.max(2) - 1) as u128;
                let (weight, alpha) = (Share::new(weight.into(), parts), share(promised, "alpha")?);
                let mut judged = at_least(&[
                    ("p", distinct, whole_number(promised, "p")?),
                    ("k", people, whole_number(promised, "k")?),
                ]);
                judged.holds = Some(judged.holds == Some(true) && weight >= alpha);
                judged.ratio = judged.ratio.max(alpha.to_f64() / weight.to_f64().max(f64::MIN_POSITIVE));
                judged.levels.push(("weight", weight.to_f64()));
                Some(judged)
            }
            "probabilistic-l-diversity" => {
                let l = share(promised, "l")?;
                let reached = Share::new(people.into(), most.into());
                Some(Judged {
                    holds: Some(reached >= l),
                    levels: vec![("l", reached.to_f64())],
                    ratio: l.to_f64() / reached.to_f64(),
                })
            }
            "alpha-k-anonymity" => {
                let bounded = |value: &String| match promised.get("values").and_then(Json::as_array) {
                    Some(values) => values.iter().any(|one| one.as_str() == Some(value)),
                    None => true,
                };
                let most =
                    counts.iter().filter(|(value, _)| bounded(value)).map(|(_, &count)| count).max().unwrap_or(0);
                let (alpha, k) = (share(promised, "alpha")?, whole_number(promised, "k")?);
                let reached = Share::new(most.into(), people.into());
                Some(Judged {
                    holds: Some(reached <= alpha && people >= k),
                    levels: vec![("alpha", reached.to_f64()), ("k", people as f64)],
                    ratio: (reached.to_f64() / alpha.to_f64()).max(k as f64 / people as f64),
                })
            }
            "entropy-l-diversity" => {
                let l = share(promised, "l")?.to_f64();
                let entropy: f64 = -counts
                    .values()
                    .map(|&count| {
                        let p = count as f64 / people as f64;
                        p * p.ln()
                    })
                    .sum::<f64>();
                Some(Judged {
                    holds: decide(l.ln() - entropy, 0.0),
                    levels: vec![("l", entropy.exp())],
                    ratio: l / entropy.exp(),
                })
            }
            "recursive-l-diversity" => {
                let (c, l) = (share(promised, "c")?, whole_number(promised, "l")?);
                let mut sorted: Vec<u64> = counts.values().copied().collect();
                sorted.sort_unstable_by(|a, b| b.cmp(a));
                let tail = |l: u64| sorted.iter().skip(l as usize - 1).sum::<u64>();
                let below = |l: u64| tail(l) > 0 && Share::new(most.into(), tail(l).into()) < c;
                let needed = if tail(l) == 0 { f64::INFINITY } else { most as f64 / tail(l) as f64 };
                let largest = (1..=distinct).take_while(|&l| below(l)).count();
                Some(Judged {
                    holds: Some(below(l)),
                    levels: vec![("c", needed), ("l", largest as f64)],
                    ratio: needed / c.to_f64(),
                })
            }
            "delta-disclosure" => {
                let delta = share(promised, "delta")?.to_f64();
                let ratio = |(value, &all): (&String, &u64)| {
                    let here = counts.get(value).copied().unwrap_or(0) as f64 / people as f64;
                    (here / (all as f64 / whole.people as f64)).ln().abs()
                };
                let worst = whole.counts[attribute].iter().map(ratio).fold(0.0, f64::max);
                Some(Judged { holds: decide(worst, delta), levels: vec![("delta", worst)], ratio: worst / delta })
            }
            "t-closeness" => {
                let far = distance(&wanted(promised), described, counts, &whole.counts[attribute])?;
                let t = share(promised, "t")?;
                Some(Judged {
                    holds: within(far, t),
                    levels: vec![("t", far.to_f64())],
                    ratio: by(far.to_f64(), t.to_f64()),
                })
            }
            "n-t-closeness" => self.judge_parts(promised, attribute, group, whole),
            _ => None,
        }
    }

    /// (n, t)-closeness: n people, or close to some part around the group that has n.
    fn judge_parts(
        &self,
        promised: &Map<String, Json>,
        attribute: usize,
        group: usize,
        whole: &Group,
    ) -> Option<Judged> {
        let (n, t) = (whole_number(promised, "n")?, share(promised, "t")?);
        let (counts, people) = (&self.groups[group].counts[attribute], self.groups[group].people);
        let mut around: Vec<Group> = vec![whole.clone()];
        if let Some((parents, of_group)) = &self.parts {
            // A file that was changed may have other groups than the tree has leaves.
            if of_group.len() != self.groups.len() || of_group.iter().any(|&node| node >= parents.len()) {
                return None;
            }
            let mut node = *of_group.get(group)?;
            while node != 0 {
                let inside = |other: &usize| {
                    let mut at = of_group[*other];
                    while at != 0 && at != node {
                        at = parents[at];
                    }
                    at == node
                };
                let part: Vec<Group> =
                    (0..self.groups.len()).filter(inside).map(|other| self.groups[other].clone()).collect();
                around.push(Self { attributes: self.attributes.clone(), groups: part, parts: None }.whole());
                node = *parents.get(node)?;
            }
        }
        let mut nearest = if people >= n { 0.0 } else { f64::INFINITY };
        let mut holds = Some(people >= n);
        for part in around.iter().filter(|part| part.people >= n) {
            // Distances are over the values of the whole table; a value that a part lacks is at 0 in it.
            let mut all = whole.counts[attribute].clone();
            all.iter_mut().for_each(|(value, count)| *count = part.counts[attribute].get(value).copied().unwrap_or(0));
            let far = distance(&wanted(promised), &self.attributes[attribute], counts, &all)?;
            nearest = nearest.min(far.to_f64());
            holds = match (holds, within(far, t)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (None, _) | (_, None) => None,
                (Some(false), Some(false)) => Some(false),
            };
        }
        Some(Judged { holds, levels: vec![("t", nearest)], ratio: by(nearest, t.to_f64()) })
    }
}

fn by(measured: f64, promised: f64) -> f64 {
    if measured == 0.0 { 0.0 } else { measured / promised }
}

fn at_least(levels: &[(&'static str, u64, u64)]) -> Judged {
    Judged {
        holds: Some(levels.iter().all(|(_, reached, promised)| reached >= promised)),
        levels: levels.iter().map(|&(name, reached, _)| (name, reached as f64)).collect(),
        ratio: levels.iter().map(|&(_, reached, promised)| promised as f64 / reached as f64).fold(0.0, f64::max),
    }
}

/// Rounding, and the tolerance that logarithms have, leave a little open.
fn decide(measured: f64, bound: f64) -> Option<bool> {
    if (measured - bound).abs() < 1e-7 { None } else { Some(measured < bound) }
}

fn within(far: Far, bound: Share) -> Option<bool> {
    match far {
        Far::Exact(far) => Some(far <= bound),
        Far::Rounded(far) => decide(far, bound.to_f64()),
    }
}

/// The worse of two judgements about the same promise, level by level.
fn worse(a: &Judged, b: &Judged) -> Judged {
    let lower = |name: &str| matches!(name, "alpha" | "c" | "t" | "delta");
    let level = |(&(name, x), &(_, y)): (&(&'static str, f64), &(&'static str, f64))| {
        (name, if lower(name) { x.max(y) } else { x.min(y) })
    };
    let holds = match (a.holds, b.holds) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (None, _) | (_, None) => None,
        _ => Some(true),
    };
    Judged { holds, levels: a.levels.iter().zip(&b.levels).map(level).collect(), ratio: a.ratio.max(b.ratio) }
}

fn wanted(promised: &Map<String, Json>) -> Wanted<'_> {
    let text = |key: &str| promised.get(key).and_then(Json::as_str).unwrap_or("");
    let bandwidth = promised.get("bandwidth").and_then(Json::as_f64).unwrap_or(1.0);
    Wanted { distance: text("distance"), order: text("order"), bandwidth }
}

/// A parameter as the decimal that is written.
pub fn share(promised: &Map<String, Json>, key: &str) -> Option<Share> {
    Share::decimal(&promised.get(key)?.to_string())
}

fn whole_number(promised: &Map<String, Json>, key: &str) -> Option<u64> {
    promised.get(key)?.as_u64()
}
