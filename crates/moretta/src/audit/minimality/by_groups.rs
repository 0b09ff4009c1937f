//! Groups that do not overlap: which finer parts of each the method would have tried, and left alone.
//!
//! Assignments of a group's values to its people are drawn at random, and those left out under which a finer table would have kept the
//! promise. Who stands in which group is known, so that each group can be looked at alone.

use rand::seq::SliceRandom;

use super::BeliefInTruth;
use crate::audit::AuditInput;
use crate::audit::finding::{Finding, Tested, VICTIMS, Victim, worst_indices};
use crate::audit::input::OriginalTable;
use crate::distance::Scratch;
use crate::error::Result;
use crate::hierarchy::Scale;
use crate::kind::generalized::Generalized;
use crate::model::{Group, Members, Placed, Requirement};
use crate::numeric::tolerance;
use crate::progress::Progress;
use crate::release::TableSummary;
use crate::text::short_percent;

/// How many assignments are drawn for each group.
const DRAWS: usize = 400;

/// Larger groups are left alone: finer parts of them would have kept nearly any promise, or nearly none.
const LARGEST: u64 = 300;

/// A gain counts beyond so many standard errors of the drawing.
const STANDARD_ERRORS: f64 = 4.0;

/// What is found; nothing where groups overlap, or it is not known what the method would have tried.
pub(super) fn attack(
    scene: &AuditInput<'_>,
    original_table: &OriginalTable,
    method: &str,
    progress: &Progress,
) -> Result<Option<Tested>> {
    let Ok(release) = scene.audited.release.labels() else { return Ok(None) };
    let finer: fn(&Generalized, &OriginalTable, usize, &Members<'_>) -> Vec<Vec<u32>> = match method {
        "mondrian" => median_cuts,
        "full-domain" => finer_levels,
        _ => return Ok(None),
    };
    let released = in_codes_of_original(&release.groups.whole, original_table);
    let requirement = Requirement::for_judging(&scene.audited.models, &released)?;
    if requirement.needs_ancestors().is_some() {
        return Ok(None);
    }
    let original = original_table.counted.original();
    let Some(placed) = Placed::new(&*scene.audited.release, &original, &original_table.points, progress.token())?
    else {
        return Ok(None);
    };
    let groups = Forced::of_groups(scene, release, original_table, &placed, &requirement, finer)?;
    Ok(Some(Tested::Found(vec![summed(original_table, &groups, method)])))
}

/// What is released, counted in the codes of the original: assignments are drawn in those, and a value that suppression took away has none
/// in the release.
fn in_codes_of_original(released: &TableSummary, original_table: &OriginalTable) -> TableSummary {
    let mut whole = original_table.counted.whole.clone();
    whole.people = released.people;
    for (own, shown) in whole.sensitive.iter_mut().zip(&released.sensitive) {
        own.people.fill(0);
        for (value, &people) in shown.domain.values().iter().zip(&shown.people) {
            if let Some(code) = own.domain.code(value) {
                own.people[code as usize] += people;
            }
        }
    }
    whole
}

/// Somebody in a group, as rejected assignments show her.
#[derive(Clone, Debug)]
struct Hit {
    gain: f64,
    point: u32,
    value: String,
    before: f64,
    after: f64,
}

/// What rejecting assignments yields in one group.
#[derive(Clone, Debug, Default)]
struct Forced {
    people: u64,
    rejected: bool,
    /// The truth itself is rejected: the adversary's idea of the method is wrong here.
    misled: bool,
    hit_people: u64,
    worst: Option<Hit>,
    /// In the true values of the group's people.
    in_truth: BeliefInTruth,
}

impl Forced {
    fn of_groups(
        scene: &AuditInput<'_>,
        release: &Generalized,
        original_table: &OriginalTable,
        placed: &Placed<'_>,
        requirement: &Requirement<'_>,
        finer: fn(&Generalized, &OriginalTable, usize, &Members<'_>) -> Vec<Vec<u32>>,
    ) -> Result<Vec<Self>> {
        let together = scene.audited.method.as_deref() == Some("full-domain");
        let draw = |group: usize, members: &Members<'_>| -> Option<Draws> {
            let people: u64 = members.points.iter().map(|&(_, people)| people).sum();
            if people > LARGEST || members.points.len() < 2 {
                return None;
            }
            let parts = finer(release, original_table, group, members);
            Some(Draws::new(members, &parts, requirement, scene.seed.stream("assignments", group as u64)))
        };
        let drawn: Vec<(Option<Draws>, u64)> = placed.each_numbered(|group, members, _| {
            (draw(group, members), members.points.iter().map(|&(_, people)| people).sum())
        })?;
        // A full-domain node fails as a whole: another group may be the reason, and then this one tells nothing.
        let nodes = drawn.iter().filter_map(|(draws, _)| draws.as_ref()).map(|draws| draws.parts).max().unwrap_or(0);
        let others_keep: Vec<f64> = (0..nodes)
            .map(|node| {
                let kept = |(draws, _): &(Option<Draws>, u64)| match draws {
                    Some(draws) => draws.kept_share(node).max(tolerance::LEAST_SHARE).ln(),
                    // What was not drawn is taken to keep the promise: the worst case.
                    None => 0.0,
                };
                drawn.iter().map(kept).sum::<f64>()
            })
            .collect();
        placed.each_numbered(|group, members, _| {
            let (draws, people) = &drawn[group];
            let share = share_of_truth(members);
            let untold =
                Self { people: *people, in_truth: BeliefInTruth { before: share, after: share }, ..Self::default() };
            draws.as_ref().map_or(untold, |draws| {
                let weight = |kept: &[bool]| -> f64 {
                    let one = |node: usize| match (together, kept[node]) {
                        (_, false) => 1.0,
                        (false, true) => 0.0,
                        (true, true) => {
                            let others =
                                (others_keep[node] - draws.kept_share(node).max(tolerance::LEAST_SHARE).ln()).exp();
                            1.0 - others.min(1.0)
                        }
                    };
                    (0..kept.len()).map(one).product()
                };
                draws.weigh(members, original_table, weight)
            })
        })
    }
}

/// Random assignments of a group's sensitive values to its members.
#[derive(Debug)]
struct Draws {
    parts: usize,
    people: u64,
    /// For each draw, the value of each member, and whether each finer table would have kept the promise.
    values: Vec<Vec<u32>>,
    kept: Vec<Vec<bool>>,
    /// The index, among the group's points, of each member.
    point_of: Vec<u32>,
}

impl Draws {
    fn new(
        members: &Members<'_>,
        parts: &[Vec<u32>],
        requirement: &Requirement<'_>,
        mut chance: rand_chacha::ChaCha12Rng,
    ) -> Self {
        let point_of: Vec<u32> = members
            .points
            .iter()
            .enumerate()
            .flat_map(|(index, &(_, people))| std::iter::repeat_n(index as u32, people as usize))
            .collect();
        let spread = |counts: &Vec<u64>| -> Vec<u32> {
            let each = counts.iter().enumerate();
            each.flat_map(|(code, &people)| std::iter::repeat_n(code as u32, people as usize)).collect()
        };
        let mut attributes: Vec<Vec<u32>> = members.sensitive.iter().map(spread).collect();
        let sizes: Vec<usize> = members.sensitive.iter().map(Vec::len).collect();
        let mut scratch = Scratch::default();
        let (mut values, mut kept) = (Vec::with_capacity(DRAWS), Vec::with_capacity(DRAWS));
        for _ in 0..DRAWS {
            attributes.iter_mut().for_each(|values| values.shuffle(&mut chance));
            let keeps = |parts: &Vec<u32>, scratch: &mut Scratch| {
                let count = parts.iter().copied().max().map_or(0, |last| last + 1);
                (0..count).all(|part| {
                    let mut sensitive: Vec<Vec<u64>> = sizes.iter().map(|&size| vec![0; size]).collect();
                    let mut people = 0;
                    for (member, &index) in point_of.iter().enumerate() {
                        if parts[index as usize] == part {
                            people += 1;
                            let counts = sensitive.iter_mut().zip(&attributes);
                            counts.for_each(|(counts, values)| counts[values[member] as usize] += 1);
                        }
                    }
                    requirement.holds(&Group { people, sensitive: &sensitive, parent: None }, scratch)
                })
            };
            kept.push(parts.iter().map(|parts| keeps(parts, &mut scratch)).collect());
            values.push(attributes.first().cloned().unwrap_or_default());
        }
        Self { parts: parts.len(), people: point_of.len() as u64, values, kept, point_of }
    }

    /// How often a finer table would have kept the promise here.
    fn kept_share(&self, node: usize) -> f64 {
        let kept = self.kept.iter().filter(|kept| kept.get(node).copied().unwrap_or(true)).count();
        kept as f64 / self.kept.len().max(1) as f64
    }

    /// What is believed of the first sensitive attribute when each draw counts by its weight.
    fn weigh(&self, members: &Members<'_>, original_table: &OriginalTable, weight: impl Fn(&[bool]) -> f64) -> Forced {
        let weights: Vec<f64> = self.kept.iter().map(|kept| weight(kept)).collect();
        let total: f64 = weights.iter().sum();
        let share = share_of_truth(members);
        let mut found = Forced {
            people: self.people,
            in_truth: BeliefInTruth { before: share, after: share },
            ..Forced::default()
        };
        found.rejected = weights.iter().any(|&weight| weight < 1.0);
        let counts = &members.sensitive[0];
        let values = counts.len();
        // Nothing is left: the adversary's idea of the method is wrong here.
        let effective =
            total * total / weights.iter().map(|weight| weight * weight).sum::<f64>().max(tolerance::LEAST_SHARE);
        found.misled = found.rejected && total <= 0.0;
        if !found.rejected || effective < 30.0 {
            return found;
        }
        let mut belief = vec![0.0; members.points.len() * values];
        for (drawn, weight) in self.values.iter().zip(&weights) {
            for (member, &value) in drawn.iter().enumerate() {
                belief[self.point_of[member] as usize * values + value as usize] += weight;
            }
        }
        let domain = &original_table.counted.table.sensitive[0].domain;
        for (index, &(point, people)) in members.points.iter().enumerate() {
            let mut hit = false;
            for (code, &count) in counts.iter().enumerate() {
                let before = count as f64 / self.people as f64;
                let after = belief[index * values + code] / total / people as f64;
                let error = (before * (1.0 - before) / (effective * people as f64)).sqrt();
                let gain = after - before;
                if gain > STANDARD_ERRORS * error + tolerance::MEASURED {
                    hit = true;
                    if found.worst.as_ref().is_none_or(|worst| gain > worst.gain) {
                        let value = domain.value(code as u32).to_string();
                        found.worst = Some(Hit { gain, point, value, before, after });
                    }
                }
            }
            found.hit_people += if hit { people } else { 0 };
        }
        let after = members.points.iter().enumerate().flat_map(|(index, &(point, _))| {
            let (belief, all) = (&belief, original_table.points.people[point as usize] as f64);
            original_table.values_at(point).map(move |(code, having)| {
                // Of the people of a point as many are in this group as of each of its values.
                let share = having as f64 / all;
                share * belief[index * values + code as usize] / total
            })
        });
        found.in_truth.after = after.sum::<f64>() / self.people as f64;
        found
    }
}

/// The mean belief in the true values of a group's people: of each, the share of people who have the same.
fn share_of_truth(members: &Members<'_>) -> f64 {
    let people: u64 = members.sensitive[0].iter().sum();
    let squares: f64 = members.sensitive[0].iter().map(|&having| (having as f64).powi(2)).sum();
    squares / (people.max(1) as f64).powi(2)
}

/// The halves into which Mondrian's median would have cut a group, attribute by attribute.
fn median_cuts(_: &Generalized, original_table: &OriginalTable, _: usize, members: &Members<'_>) -> Vec<Vec<u32>> {
    let people: u64 = members.points.iter().map(|&(_, people)| people).sum();
    let cut = |(column, scale): (&Vec<u32>, &Scale)| -> Option<Vec<u32>> {
        let rank_of = scale.rank_of_codes();
        let ranks: Vec<u32> =
            members.points.iter().map(|&(point, _)| rank_of[column[point as usize] as usize]).collect();
        let mut order: Vec<(u32, u64)> =
            ranks.iter().copied().zip(members.points.iter().map(|&(_, people)| people)).collect();
        order.sort_unstable();
        let mut below = 0;
        let middle = order.iter().find(|&&(_, here)| {
            below += here;
            2 * below >= people
        })?;
        // Whoever stands at the median goes to the left, unless nobody would be left on the right.
        let split = if order.last().is_some_and(|last| last.0 > middle.0) { middle.0 + 1 } else { middle.0 };
        let parts: Vec<u32> = ranks.iter().map(|&rank| u32::from(rank >= split)).collect();
        (parts.contains(&0) && parts.contains(&1)).then_some(parts)
    };
    original_table.points.columns.iter().zip(&original_table.counted.scales).filter_map(cut).collect()
}

/// The parts of a group one level further down in one hierarchy, attribute by attribute. An attribute that can't go further down, or
/// does not divide the group, yields one part.
fn finer_levels(
    release: &Generalized,
    original_table: &OriginalTable,
    group: usize,
    members: &Members<'_>,
) -> Vec<Vec<u32>> {
    let row = release.groups.first_row(group);
    let one = |(attribute, scale): (usize, &Scale)| -> Vec<u32> {
        let published = &release.table.quasi[attribute];
        let label = published.domain.value(published.codes[row]).to_string();
        let undivided = vec![0; members.points.len()];
        let Some(tree) = scale.tree() else { return undivided };
        let rank_of = scale.rank_of_codes();
        let rank = |point: u32| rank_of[original_table.points.columns[attribute][point as usize] as usize];
        let first = rank(members.points[0].0);
        let level = (1..tree.levels()).find(|&level| tree.label(tree.at_level(first, level)) == label);
        let Some(level) = level else { return undivided };
        let nodes: Vec<_> = members.points.iter().map(|&(point, _)| tree.at_level(rank(point), level - 1)).collect();
        let mut distinct = nodes.clone();
        distinct.sort_unstable();
        distinct.dedup();
        nodes.iter().map(|node| distinct.partition_point(|other| other < node) as u32).collect()
    };
    original_table.counted.scales.iter().enumerate().map(one).collect()
}

fn summed(original_table: &OriginalTable, groups: &[Forced], method: &str) -> Finding {
    let people = groups.iter().map(|group| group.people).sum();
    let gains: Vec<f64> = groups.iter().map(|group| group.worst.as_ref().map_or(0.0, |hit| hit.gain)).collect();
    let worst = worst_indices(gains.iter().copied(), VICTIMS);
    let hits: Vec<&Hit> = worst.iter().filter_map(|&group| groups[group].worst.as_ref()).collect();
    let says = |hit: &Hit| {
        format!(
            "belief in {} rises from {} to {} for who knows the method",
            hit.value,
            short_percent(hit.before),
            short_percent(hit.after)
        )
    };
    let victims = hits
        .iter()
        .map(|hit| Victim { row: original_table.row_of_point(hit.point as usize), says: says(hit) })
        .collect();
    let name = original_table.counted.table.sensitive.first().map_or("", |column| &column.name);
    Finding::new("rise of belief", hits.first().map_or(0.0, |hit| hit.gain), people)
        .about(name)
        .hitting(
            groups.iter().map(|group| group.hit_people).sum(),
            "belief in some value rises, beyond the error of sampling",
        )
        .worst(hits.first().map(|hit| says(hit)))
        .detail("method", method)
        .detail("groups", groups.len())
        .detail("groups_in_which_assignments_are_rejected", groups.iter().filter(|group| group.rejected).count())
        .detail("groups_in_which_the_adversary_is_misled", groups.iter().filter(|group| group.misled).count())
        .detail("draws_a_group", DRAWS)
        .believing(BeliefInTruth::mean(groups.iter().map(|group| (group.people, group.in_truth))))
        .naming(victims)
}
