//! Linkage of records that are densities: whose record is this?
//!
//! Aggarwal (2008), equation 3: every person of a public table is a candidate, weighed by the record's density at her place. The
//! second adversary recomputes which scale each candidate would have been given, and keeps those who share the
//! record's; on a grid of classes that leaves the class, with exact scales next to nobody.

use rayon::prelude::*;

use super::finding::{Finding, Tested, VICTIMS, Victim, worst_indices};
use super::input::OriginalTable;
use super::{Attack, AuditInput};
use crate::error::Result;
use crate::kind::uncertain::Uncertain;
use crate::kind::uncertain::math::{Family, Located, ScaleRule, Space, assign};
use crate::model::{UncertainKAnonymity, find_model};
use crate::numeric::tolerance;
use crate::policy::Danger;
use crate::progress::Progress;
use crate::text::{rounded, short_percent};

pub(super) const ATTACK: Attack = Attack {
    name: "uncertain-linkage",
    adversary: "holds a table with everybody's true numbers, knows the method and k, and asks of each record whose it is",
    run,
};

/// The most densities that are computed.
const MOST_FITS: usize = 1 << 26;

fn run(scene: &AuditInput<'_>, progress: &Progress) -> Result<Tested> {
    let release = match scene.audited.release.densities() {
        Ok(densities) => densities,
        Err(lacks) => return Ok(Tested::Skipped(lacks.into())),
    };
    let Some(original_table) = scene.original_table else {
        return Ok(Tested::Skipped("candidates are people of the original: add --original POLICY".into()));
    };
    let quasi = original_table.quasi();
    let located = Space::of_release(&quasi, &release.density)?.locate(&quasi, &original_table.counted.cells);
    let by_fit = likelihood(release, &located, None, progress)?;
    let mut findings = vec![summed(original_table, &located, "right links, likelihood", &by_fit)];
    if let Some(class_of_point) = classes(scene, release, original_table, &located, progress)? {
        findings.push(by_scale(release, &located, &class_of_point));
        let by_both = likelihood(release, &located, Some(&class_of_point), progress)?;
        findings.push(summed(original_table, &located, "right links, both", &by_both));
    }
    Ok(Tested::Found(findings))
}

/// For each record that was looked at: its best candidate, and the chance that it is the owner.
struct Linked {
    best: Vec<(u32, f64)>,
    of: usize,
}

/// The class that each candidate would stand in; nothing where the release states no classes or asks for no k.
fn classes(
    scene: &AuditInput<'_>,
    release: &Uncertain,
    original_table: &OriginalTable,
    located: &Located,
    progress: &Progress,
) -> Result<Option<Vec<u32>>> {
    let Some(model) = find_model::<UncertainKAnonymity>(&scene.audited.models) else { return Ok(None) };
    if release.density.scale != ScaleRule::Grid {
        return Ok(None);
    }
    let table = &original_table.counted.table;
    let columns: Vec<_> =
        table.quasi.iter().chain(&table.sensitive).map(|column| (column.name.clone(), column.domain.clone())).collect();
    let k = model.of_points(&columns, &original_table.counted.cells, located)?;
    Ok(assign::recompute(located, &release.density, &k, progress.token()))
}

/// The posterior of the likeliest candidate of each record, all people being as likely beforehand.
fn likelihood(
    release: &Uncertain,
    located: &Located,
    class_of_point: Option<&[u32]>,
    progress: &Progress,
) -> Result<Linked> {
    let (points, dims) = (&located.points, located.points.dims());
    let step = (points.len() * release.len()).div_ceil(MOST_FITS).max(1);
    let gaussian = release.density.family == Family::Gaussian;
    let best = (0..release.len())
        .into_par_iter()
        .step_by(step)
        .map_init(
            || (vec![0.0; dims], vec![0.0; dims], vec![0.0; dims]),
            |(center, away, seen), record| {
                progress.check()?;
                let (frame, shape) = &release.shapes[release.shape_of[record] as usize];
                release.center(record, center);
                let (mut total, mut best) = (0.0, (u32::MAX, 0.0));
                for point in 0..points.len() {
                    let shares_scale = class_of_point.is_none_or(|class| {
                        let class = &release.density.classes[class[point] as usize];
                        class.scales == shape.scales && class.axes == shape.axes
                    });
                    if !shares_scale {
                        continue;
                    }
                    for (dim, away) in away.iter_mut().enumerate() {
                        *away = points.columns[dim][point] - center[dim];
                    }
                    frame.apply(away, seen);
                    let fit = if gaussian {
                        (-0.5 * seen.iter().map(|w| w * w).sum::<f64>()).exp()
                    } else {
                        f64::from(u8::from(seen.iter().all(|w| w.abs() <= tolerance::HALF_SIDE)))
                    };
                    total += fit * points.people[point] as f64;
                    if fit > best.1 {
                        best = (point as u32, fit);
                    }
                }
                Ok((best.0, if total > 0.0 { best.1 / total } else { 0.0 }))
            },
        )
        .collect::<Result<Vec<(u32, f64)>>>()?;
    Ok(Linked { best, of: release.len() })
}

fn summed(original_table: &OriginalTable, located: &Located, measure: &'static str, linked: &Linked) -> Finding {
    let mean = linked.best.iter().map(|best| best.1).sum::<f64>() / linked.best.len().max(1) as f64;
    let worst = worst_indices(linked.best.iter().map(|best| best.1), VICTIMS);
    let says =
        |record: usize| format!("a record is this person's with a chance of {}", short_percent(linked.best[record].1));
    let row = |point: u32| {
        let cell = located.point_of_cell.iter().position(|&other| other == point)?;
        Some(original_table.row_of_point(original_table.points.of_cell[cell] as usize))
    };
    let victims =
        worst.iter().filter_map(|&record| Some(Victim { row: row(linked.best[record].0)?, says: says(record) }));
    let hit = linked.best.iter().filter(|best| best.1 > 0.5).count() as u64;
    Finding::new(measure, mean, linked.best.len() as u64)
        .hitting(hit, "the likeliest candidate has more than 50 %")
        .graded(Danger::ReIdentification, worst.first().map_or(0.0, |&record| linked.best[record].1), |line| {
            linked.best.iter().filter(|best| best.1 >= line).count() as u64
        })
        .saying(format!(
            "a record is somebody's with a chance of up to {}, for somebody who knows their quasi-identifiers",
            rounded(worst.first().map_or(0.0, |&record| linked.best[record].1), 4)
        ))
        .worst(worst.first().map(|&record| says(record)))
        .detail("what", "mean over records: the expected share of right links")
        .detail("largest", worst.first().map_or(0.0, |&record| linked.best[record].1))
        .detail("records", linked.of)
        .naming(victims.collect())
}

/// The chance to link by the scale alone: one by the people who share it.
fn by_scale(release: &Uncertain, located: &Located, class_of_point: &[u32]) -> Finding {
    let mut people = vec![0_u64; release.density.classes.len()];
    class_of_point
        .iter()
        .zip(&located.points.people)
        .for_each(|(&class, people_here)| people[class as usize] += people_here);
    let smallest = people.iter().copied().filter(|&people| people > 0).min().unwrap_or(0);
    let alone = people.iter().filter(|&&people| people == 1).count() as u64;
    Finding::new("chance by scale", 1.0 / smallest.max(1) as f64, people.iter().sum())
        .hitting(alone, "nobody else shares the scale")
        .worst(Some(format!("{smallest} people share the rarest scale")))
        .detail("classes", people.len())
}
