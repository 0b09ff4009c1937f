//! Re-identification by linkage: whose record is it?
//!
//! The three attackers of the literature: a prosecutor knows that the person is in the data; a journalist does not, and has a
//! register of the population; a marketer links everybody and is content with a share of right ones (El Emam and Dankar 2008).

use rayon::prelude::*;
use serde_json::json;

use super::finding::{Finding, Tested, VICTIMS, Victim, worst_indices};
use super::input::{OriginalTable, Population};
use super::{Attack, AuditInput, grade};
use crate::data::cells::count_distinct;
use crate::data::table::{CodedTable, Column};
use crate::error::Result;
use crate::kind::{Capability, OpenRelease, RecordClasses};
use crate::model::Risk;
use crate::policy::Danger;
use crate::progress::Progress;
use crate::release::Unit;
use crate::text::{grouped, rounded, short_percent};

pub(super) const ATTACK: Attack = Attack {
    name: "re-identification",
    adversary: "knows people's quasi-identifiers; a prosecutor also that the person is in the data, a journalist only the population that the data come from; neither knows a sensitive value",
    run,
};

fn run(scene: &AuditInput<'_>, progress: &Progress) -> Result<Tested> {
    let records = match (&scene.audited.by_people, scene.audited.release.records()) {
        (Some(people), Ok(records)) if scene.audited.release.labels().is_ok() => {
            RecordClasses { sizes: people.clone(), ..records }
        }
        (Some(_), Ok(records)) => by_people(scene, records)?,
        (None, Ok(_)) if scene.audited.unit == Unit::Rows => {
            return Ok(Tested::Skipped(
                "several rows may belong to one person, and the files do not tell which".into(),
            ));
        }
        (None, Ok(records)) => records,
        (_, Err(lacks)) => return Ok(Tested::Skipped(lacks.into())),
    };
    let mut findings = vec![prosecutor(scene, &records, progress)?];
    findings.extend(journalist(scene, &records.sizes, progress)?);
    findings.push(marketer(&records.sizes));
    Ok(Tested::Found(findings))
}

/// Classes that are no groups, with the different people whose records they hold.
fn by_people(scene: &AuditInput<'_>, records: RecordClasses) -> Result<RecordClasses> {
    let Some(original_table) = scene.original_table else { return Ok(records) };
    let Some(persons) = original_table.counted.persons() else { return Ok(records) };
    let Ok(find) = scene.audited.release.record_finder(&original_table.quasi())? else { return Ok(records) };
    let points = &original_table.points;
    let class_of_point: Vec<Option<u64>> =
        (0..points.len()).map(|point| find(&points.codes(point)).first().map(|found| found.0)).collect();
    let class = |(&point, &person): (&u32, &u32)| Some((class_of_point[point as usize]?, person));
    let mut present: Vec<(u64, u32)> = points.of_cell.iter().zip(persons.of_cell).filter_map(class).collect();
    present.sort_unstable();
    present.dedup();
    let mut sizes = vec![0; records.sizes.len()];
    present.iter().for_each(|&(class, _)| sizes[class as usize] += 1);
    Ok(RecordClasses { sizes, ..records })
}

fn prosecutor(
    scene: &AuditInput<'_>,
    RecordClasses { sizes, alike }: &RecordClasses,
    progress: &Progress,
) -> Result<Finding> {
    let smallest = sizes.iter().copied().min().unwrap_or(0);
    let measured = if smallest == 0 { 0.0 } else { 1.0 / smallest as f64 };
    let limit = scene.limit(Risk::Linkage);
    let line = limit.unwrap_or(0.2);
    let beyond = |size: u64| !Risk::Linkage.keeps(1.0 / size as f64, line);
    let affected = sizes.iter().filter(|&&size| beyond(size)).sum();
    let people = sizes.iter().sum();
    let unique = sizes.iter().filter(|&&size| size == 1).count();
    let mut finding = Finding::new("prosecutor risk", measured, people)
        .against(Risk::Linkage, limit)
        .hitting(affected, format!("the chance is above {}", short_percent(line)))
        .worst((smallest > 0).then(|| format!("a class of {smallest}")))
        .graded(Danger::ReIdentification, measured, |line| with_chance(sizes, line))
        .saying(match smallest {
            0 => "nobody's record can be found".to_owned(),
            1 => format!(
                "{} alone in a class: a record is certainly theirs for somebody who knows that they are in the data",
                stand(unique as u64)
            ),
            _ if with_chance(sizes, grade::RE_IDENTIFICATION.amber) > 0 => format!(
                "{} with 3 others or fewer, at worst {} in all, for somebody who knows that the person is in the data",
                stand(with_chance(sizes, grade::RE_IDENTIFICATION.amber)),
                grouped(smallest)
            ),
            _ => format!(
                "nobody has fewer than {smallest} candidates, for somebody who knows that the person is in the data"
            ),
        })
        .detail("classes", sizes.len())
        .detail("people_of_a_class_share", alike.as_str())
        .detail("sample_uniques", unique)
        .detail("class_sizes", histogram(sizes));
    if let Some(original_table) = scene.original_table {
        let Ok(linked) = linkage(&*scene.audited.release, original_table, sizes, progress)? else { return Ok(finding) };
        let worst = worst_indices(linked.iter().copied(), VICTIMS);
        let victim = |&point: &usize| Victim {
            row: original_table.row_of_point(point),
            says: format!("a certain record is this person's with a chance of {}", short_percent(linked[point])),
        };
        let highest = worst.first().map_or(0.0, |&point| linked[point]);
        finding = finding
            .detail("highest_chance_for_somebody_of_the_original", highest)
            .naming(worst.iter().map(victim).collect());
    }
    Ok(finding)
}

/// For each point of the original, the chance of the likeliest record; 0 where nobody's record fits.
fn linkage(
    release: &dyn OpenRelease,
    original_table: &OriginalTable,
    sizes: &[u64],
    progress: &Progress,
) -> Result<Capability<Vec<f64>>> {
    let find = match release.record_finder(&original_table.quasi())? {
        Ok(find) => find,
        Err(lacks) => return Ok(Err(lacks)),
    };
    let chance = |point: usize| {
        progress.check()?;
        let candidates = find(&original_table.points.codes(point));
        let total: f64 = candidates.iter().map(|candidate| candidate.1).sum();
        let of_group = |&(group, weight): &(u64, f64)| weight / total / sizes[group as usize].max(1) as f64;
        Ok(candidates.iter().map(of_group).fold(0.0, f64::max))
    };
    (0..original_table.points.len()).into_par_iter().map(chance).collect::<Result<Vec<f64>>>().map(Ok)
}

/// How many classes there are of each size, in steps that double.
fn histogram(sizes: &[u64]) -> serde_json::Value {
    let mut bars: Vec<(u64, u64, u64)> = Vec::new();
    for &size in sizes {
        let step = size.max(1).ilog2() as usize;
        while bars.len() <= step {
            bars.push((1 << bars.len(), 0, 0));
        }
        bars[step].1 += 1;
        bars[step].2 += size;
    }
    bars.iter()
        .map(|&(from, classes, people)| json!({"from": from, "to": 2 * from - 1, "classes": classes, "people": people}))
        .collect()
}

/// A record of the smallest class, for somebody who does not know who of the population was sampled.
fn journalist(scene: &AuditInput<'_>, sizes: &[u64], progress: &Progress) -> Result<Option<Finding>> {
    const MEASURE: &str = "journalist risk";
    let people: u64 = sizes.iter().sum();
    let (risks, how) = match (scene.population, scene.original_table) {
        (Some(Population::Size(population)), _) => {
            let share = (people as f64 / (*population).max(people).max(1) as f64).min(1.0);
            let estimated = sizes.iter().map(|&size| expected_risk(size, share)).collect::<Vec<f64>>();
            (estimated, "estimated from the size of the population")
        }
        (Some(Population::Table(register)), Some(original_table)) => {
            let release = &*scene.audited.release;
            let Ok(fitting) = fitting_of_population(release, register, original_table, sizes.len(), progress)? else {
                return Ok(None);
            };
            let risk = |(&own, fitting): (&u64, u64)| 1.0 / own.max(fitting).max(1) as f64;
            (sizes.iter().zip(fitting).map(risk).collect(), "counted in the public table")
        }
        _ => return Ok(None),
    };
    let measured = risks.iter().copied().fold(0.0, f64::max);
    let limit = scene.limit(Risk::Linkage);
    let line = limit.unwrap_or(0.2);
    let affected =
        sizes.iter().zip(&risks).filter(|(_, risk)| !Risk::Linkage.keeps(**risk, line)).map(|(s, _)| s).sum();
    let reached = |line: f64| sizes.iter().zip(&risks).filter(|(_, risk)| **risk >= line).map(|(size, _)| size).sum();
    let finding = Finding::new(MEASURE, measured, people)
        .graded(Danger::ReIdentification, measured, reached)
        .saying(format!(
            "a record is somebody's with a chance of {}, for somebody who knows the population only",
            rounded(measured, 4)
        ))
        .against(Risk::Linkage, limit)
        .hitting(affected, format!("the chance is above {}", short_percent(line)))
        .detail("how", how);
    Ok(Some(finding))
}

/// The people of the population that fit each class.
fn fitting_of_population(
    release: &dyn OpenRelease,
    register: &CodedTable,
    original_table: &OriginalTable,
    classes: usize,
    progress: &Progress,
) -> Result<Capability<Vec<u64>>> {
    let columns: Vec<_> = register.quasi.iter().map(Column::counted).collect();
    let persons = count_distinct(&columns, register.rows(), None);
    let quasi: Vec<_> = register.quasi.iter().map(|column| (column.name.clone(), column.domain.clone())).collect();
    debug_assert_eq!(quasi.len(), original_table.names.len());
    let find = match release.record_finder(&quasi)? {
        Ok(find) => find,
        Err(lacks) => return Ok(Err(lacks)),
    };
    let candidates = (0..persons.len())
        .into_par_iter()
        .map(|person| {
            progress.check()?;
            let codes: Vec<u32> = persons.columns.iter().map(|column| column[person]).collect();
            Ok(find(&codes))
        })
        .collect::<Result<Vec<Vec<(u64, f64)>>>>()?;
    let mut fitting = vec![0; classes];
    for (person, candidates) in candidates.into_iter().enumerate() {
        candidates.iter().for_each(|&(group, _)| fitting[group as usize] += persons.people[person]);
    }
    Ok(Ok(fitting))
}

/// E[1/F | f] for a class of f in a sample that holds a share π of the population, where F − f is negative binomial
/// (Benedetti and Franconi 1998): the exact expectation for 1 and 2, and its usual approximation π/(f − (1 − π)) above.
fn expected_risk(sample: u64, share: f64) -> f64 {
    if sample == 0 {
        return 0.0;
    }
    if share >= 1.0 {
        return 1.0 / sample as f64;
    }
    let odds = share / (1.0 - share);
    let log = (1.0 / share).ln();
    match sample {
        1 => odds * log,
        2 => odds - odds * odds * log,
        _ => share / (sample as f64 - (1.0 - share)),
    }
}

/// The people whose class has so few that one of them is found with at least this chance.
fn with_chance(sizes: &[u64], line: f64) -> u64 {
    sizes.iter().filter(|&&size| size > 0 && 1.0 / size as f64 >= line).sum()
}

fn stand(people: u64) -> String {
    if people == 1 { "1 person stands".to_owned() } else { format!("{} people stand", grouped(people)) }
}

/// The share of right links if everybody is linked at random within the class.
fn marketer(sizes: &[u64]) -> Finding {
    let people: u64 = sizes.iter().sum();
    let expected = sizes.len() as f64 / people.max(1) as f64;
    Finding::new("marketer risk", expected, people).hitting(sizes.len() as u64, "expected right links")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ 1/F over F ≥ f of the negative binomial C(F − 1, f − 1) π^f (1 − π)^(F − f), term by term.
    fn by_summation(sample: u64, share: f64) -> f64 {
        let (f, mut term, mut sum) = (sample as f64, share.powf(sample as f64), 0.0);
        for step in 0..100_000 {
            let population = f + f64::from(step);
            sum += term / population;
            term *= population / (f64::from(step) + 1.0) * (1.0 - share);
        }
        sum
    }

    #[test]
    fn the_expected_risk_is_that_of_the_negative_binomial() {
        for share in [0.01, 0.1, 0.5, 0.9] {
            for sample in [1, 2] {
                assert!((expected_risk(sample, share) - by_summation(sample, share)).abs() < 1e-9, "{sample} {share}");
            }
            for sample in [3, 5, 20] {
                let exact = by_summation(sample, share);
                assert!((expected_risk(sample, share) / exact - 1.0).abs() < 0.25, "{sample} {share} {exact}");
            }
        }
        assert!((expected_risk(4, 1.0) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn class_sizes_are_counted_in_doubling_steps() {
        let bars = histogram(&[1, 1, 2, 3, 4, 9]);
        assert_eq!(bars[0], json!({"from": 1, "to": 1, "classes": 2, "people": 2}));
        assert_eq!(bars[1], json!({"from": 2, "to": 3, "classes": 2, "people": 5}));
        assert_eq!(bars[3], json!({"from": 8, "to": 15, "classes": 1, "people": 9}));
    }
}
