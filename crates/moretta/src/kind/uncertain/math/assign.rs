//! Who publishes which density.

use super::classes::core;
use super::density::{Class, Dimension};
use super::ladder::{ladder, smallest_scales};
use super::shape::{local_moments, mean_moments, shape};
use super::solve::{is_feasible, limit};
use super::{Coordinates, Density, Family, Frame, Located, ScaleRule, Scaling};
use crate::error::{Code, Error, Result};
use crate::progress::CancelToken;

/// Digits of published scales: few where they are shared, many where they are exact.
const GRID_DIGITS: i32 = 4;
const EXACT_DIGITS: i32 = 9;

/// In how many regions local shapes are tried.
const REGIONS: [usize; 4] = [1, 2, 4, 8];

/// Densities for all points.
#[derive(Clone, Debug)]
pub struct Assigned {
    /// The classes: what they publish.
    pub classes: Vec<Class>,
    /// What they mean, in units.
    pub frames: Vec<Frame>,
    /// The class of each point.
    pub class_of_point: Vec<u32>,
    /// In how many regions each combination of kept values was cut.
    pub regions: usize,
    /// Whether densities are stretched or turned; spheres and cubes are not.
    pub shaped: bool,
}

/// What is asked of densities.
#[derive(Clone, Copy, Debug)]
pub struct BlurSpec<'a> {
    /// The family.
    pub family: Family,
    /// How they are shaped.
    pub scaling: Scaling,
    /// Which scales are published.
    pub scale: ScaleRule,
    /// The expected anonymity that each point asks for.
    pub k: &'a [f64],
    /// What stops the search. What is found after that is not to be looked at.
    pub token: &'a CancelToken,
}

/// Chooses densities; refuses what no density gives, naming a point by its place.
pub fn assign(located: &Located, dimensions: &[Dimension], wish: &BlurSpec<'_>) -> Result<Assigned, Infeasible> {
    feasible(located, wish)?;
    match wish.scale {
        ScaleRule::Grid => by_grid(located, dimensions, wish).ok_or(Infeasible { point: 0, limit: 0.0 }),
        ScaleRule::Exact | ScaleRule::Rounded(_) => exactly(located, dimensions, wish),
    }
}

/// A point whose anonymity no scale can give.
#[derive(Clone, Copy, Debug)]
pub struct Infeasible {
    /// The point.
    pub point: usize,
    /// What its anonymity stays below, whatever the scale.
    pub limit: f64,
}

fn feasible(located: &Located, wish: &BlurSpec<'_>) -> Result<(), Infeasible> {
    let mut totals = vec![0; located.stratum.last().map_or(0, |&last| last as usize + 1)];
    for (&stratum, people) in located.stratum.iter().zip(&located.points.people) {
        totals[stratum as usize] += people;
    }
    let limits =
        located.stratum.iter().zip(&located.points.people).enumerate().filter_map(|(point, (&stratum, &own))| {
            let total = totals[stratum as usize];
            let fails = !is_feasible(own, total, wish.family, wish.k[point]);
            fails.then(|| Infeasible { point, limit: limit(own, total, wish.family) })
        });
    limits.min_by(|a, b| a.limit.total_cmp(&b.limit)).map_or(Ok(()), Err)
}

/// The points of each combination of kept values, cut at medians of the widest side into so many regions.
pub fn regions(located: &Located, count: usize) -> Vec<Vec<u32>> {
    let mut parts: Vec<Vec<u32>> = Vec::new();
    let mut start = 0;
    while start < located.stratum.len() {
        let end = located.stratum.partition_point(|&s| s <= located.stratum[start]);
        cut((start as u32..end as u32).collect(), &located.points, count, &mut parts);
        start = end;
    }
    parts
}

fn cut(mut points: Vec<u32>, all: &Coordinates, count: usize, parts: &mut Vec<Vec<u32>>) {
    if count < 2 || points.len() < 2 {
        points.sort_unstable();
        parts.push(points);
        return;
    }
    let spread = |column: &Vec<f64>| {
        let of = points.iter().map(|&p| column[p as usize]);
        of.clone().fold(f64::NEG_INFINITY, f64::max) - of.fold(f64::INFINITY, f64::min)
    };
    let spreads: Vec<f64> = all.columns.iter().map(spread).collect();
    let widest = (0..spreads.len()).max_by(|&a, &b| spreads[a].total_cmp(&spreads[b]).then(b.cmp(&a))).unwrap_or(0);
    let column = &all.columns[widest];
    points.sort_unstable_by(|&a, &b| column[a as usize].total_cmp(&column[b as usize]).then(a.cmp(&b)));
    let total: u64 = points.iter().map(|&p| all.people[p as usize]).sum();
    let mut before = 0;
    let middle = points.iter().position(|&p| {
        before += all.people[p as usize];
        2 * before >= total
    });
    let right = points.split_off((middle.unwrap_or(0) + 1).min(points.len() - 1));
    cut(points, all, count / 2, parts);
    cut(right, all, count / 2, parts);
}

fn by_grid(located: &Located, dimensions: &[Dimension], wish: &BlurSpec<'_>) -> Option<Assigned> {
    let spherical = attempt(located, dimensions, wish, None, 1)?;
    if wish.scaling == Scaling::Global {
        return Some(spherical.1);
    }
    let moments = local_moments(&located.points, neighbours(wish.k), wish.scaling, wish.token);
    let mut best = spherical;
    for count in REGIONS {
        match attempt(located, dimensions, wish, Some(&moments), count) {
            Some(next) if next.0 < best.0 => best = next,
            _ if count > 1 => break,
            _ => {}
        }
    }
    Some(best.1)
}

/// How many neighbours tell a local shape: the anonymity level, and two at least.
#[expect(clippy::cast_sign_loss, reason = "k is at least 1")]
fn neighbours(k: &[f64]) -> u64 {
    k.iter().copied().fold(2.0, f64::max).ceil() as u64
}

/// Classes for a number of regions, and their loss: the people's mean logarithm of the volume.
fn attempt(
    located: &Located,
    dimensions: &[Dimension],
    wish: &BlurSpec<'_>,
    moments: Option<&[Vec<f64>]>,
    count: usize,
) -> Option<(f64, Assigned)> {
    let mut assigned = Assigned {
        classes: Vec::new(),
        frames: Vec::new(),
        class_of_point: vec![0; located.points.len()],
        regions: count,
        shaped: moments.is_some(),
    };
    let mut loss = 0.0;
    for (region, part) in regions(located, count).iter().enumerate() {
        let form = match moments {
            None => Frame::stretched(vec![1.0; dimensions.len()]),
            Some(moments) => shape(&mean_moments(moments, &located.points, part), dimensions.len(), wish.scaling),
        };
        let publish = |scale: f64| {
            let (scales, axes) = Density::published(dimensions, &form.times(scale), GRID_DIGITS);
            (frame_of(dimensions, &scales, axes.as_deref()), scales, axes)
        };
        let here = located.points.select(part);
        let k: Vec<f64> = part.iter().map(|&p| wish.k[p as usize]).collect();
        for rung in ladder(&here, wish.family, &k, &form, &|scale| publish(scale).0, wish.token)? {
            let (frame, scales, axes) = publish(rung.scale);
            let class = assigned.classes.len() as u32;
            rung.points.iter().for_each(|&at| assigned.class_of_point[part[at as usize] as usize] = class);
            let people: u64 = rung.points.iter().map(|&at| here.people[at as usize]).sum();
            loss += people as f64 * frame.scales.iter().map(|scale| scale.ln()).sum::<f64>();
            assigned.classes.push(Class { region, scales, axes, people });
            assigned.frames.push(frame);
        }
    }
    Some((loss, assigned))
}

/// The frame, in units, that published scales and axes mean.
pub fn frame_of(dimensions: &[Dimension], scales: &[f64], axes: Option<&[f64]>) -> Frame {
    match axes {
        Some(axes) => Frame { axes: Some(axes.to_vec()), scales: scales.to_vec() },
        None => Frame::stretched(scales.iter().zip(dimensions).map(|(s, d)| s / d.unit).collect()),
    }
}

/// The paper's own: the smallest scale of each record among all that agree in what is kept.
fn exactly(located: &Located, dimensions: &[Dimension], wish: &BlurSpec<'_>) -> Result<Assigned, Infeasible> {
    let mut assigned = Assigned {
        classes: Vec::new(),
        frames: Vec::new(),
        class_of_point: vec![0; located.points.len()],
        regions: 1,
        shaped: wish.scaling != Scaling::Global,
    };
    for (region, part) in regions(located, 1).iter().enumerate() {
        let here = located.points.select(part);
        let k: Vec<f64> = part.iter().map(|&p| wish.k[p as usize]).collect();
        let forms: Option<Vec<Frame>> = (wish.scaling != Scaling::Global).then(|| {
            let moments = local_moments(&here, neighbours(&k), wish.scaling, wish.token);
            moments.iter().map(|moments| shape(moments, dimensions.len(), wish.scaling)).collect()
        });
        let scales = smallest_scales(&here, wish.family, &k, forms.as_deref(), wish.token);
        for (at, scale) in scales.into_iter().enumerate() {
            let point = part[at] as usize;
            let mut scale = scale.ok_or(Infeasible { point, limit: f64::NAN })?;
            if let ScaleRule::Rounded(ratio) = wish.scale {
                scale = ratio.powf((scale.ln() / ratio.ln()).ceil()).max(scale);
            }
            let form =
                forms.as_ref().map_or_else(|| Frame::stretched(vec![1.0; dimensions.len()]), |forms| forms[at].clone());
            let (scales, axes) = Density::published(dimensions, &form.times(scale), EXACT_DIGITS);
            assigned.class_of_point[point] = assigned.classes.len() as u32;
            assigned.frames.push(frame_of(dimensions, &scales, axes.as_deref()));
            assigned.classes.push(Class { region, scales, axes, people: here.people[at] });
        }
    }
    Ok(assigned)
}

/// Recomputes who stands in which of the classes that a release states; nothing if somebody stands in none, or if a
/// class does not have the people that it states.
pub fn recompute(located: &Located, density: &Density, k: &[f64], token: &CancelToken) -> Option<Vec<u32>> {
    let mut class_of_point = vec![u32::MAX; located.points.len()];
    let parts = regions(located, density.regions.unwrap_or(1));
    for (region, part) in parts.into_iter().enumerate() {
        let mut rest = part;
        for (class, stated) in density.classes.iter().enumerate().filter(|(_, class)| class.region == region) {
            let frame = density.frame(&stated.scales, stated.axes.as_deref());
            let here = located.points.select(&rest).seen_in(&frame);
            let asked: Vec<f64> = rest.iter().map(|&p| k[p as usize]).collect();
            let taken = core(&here, density.family, &asked, token);
            let people: u64 = taken.iter().map(|&at| here.people[at as usize]).sum();
            if people != stated.people {
                return None;
            }
            taken.iter().for_each(|&at| class_of_point[rest[at as usize] as usize] = class as u32);
            rest.retain(|&p| class_of_point[p as usize] == u32::MAX);
        }
        if !rest.is_empty() {
            return None;
        }
    }
    Some(class_of_point)
}

/// The error for a table that can't give what is asked: the record, by its row, and the number.
pub fn refuse(infeasible: Infeasible, k: f64, row: usize, family: Family) -> Error {
    let reason = match family {
        Family::Gaussian => "another record wins at most half the time, whatever the scale",
        Family::Uniform => "there are no more records to be confused with",
    };
    Error::data(format!(
        "the record in row {row} can't have an expected anonymity of {k}: it stays below {}, since {reason}",
        infeasible.limit
    ))
    .coded(Code::PromiseImpossible)
    .help(format!("ask for less than {}", infeasible.limit))
}
