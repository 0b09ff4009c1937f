//! Small tables: the method is run on every original, in every way in which its draws can turn out.

use super::BeliefInTruth;
use super::worlds::{Worlds, seen_release};
use crate::audit::AuditInput;
use crate::audit::finding::{Finding, Tested, VICTIMS, Victim, spelled, worst_indices};
use crate::audit::input::OriginalTable;
use crate::audit::subjects::Subjects;
use crate::error::Result;
use crate::model::Requirement;
use crate::numeric::tolerance;
use crate::progress::Progress;
use crate::text::short_percent;

/// What is found; nothing where there is too much to try, or where no original leads to the release: another program made it. With
/// `is_promised`, nobody may be beyond the promise.
pub(super) fn attack(
    scene: &AuditInput<'_>,
    original_table: &OriginalTable,
    is_promised: bool,
    progress: &Progress,
) -> Result<Option<Tested>> {
    let OriginalTable { policy, counted, points, .. } = original_table;
    let release = &*scene.audited.release;
    let Some(seen) = seen_release(release, counted) else { return Ok(None) };
    let Some(worlds) = Worlds::of(policy, counted, points, scene.budget, progress)? else { return Ok(None) };
    let requirement = Requirement::for_judging(&scene.audited.models, &counted.whole)?;
    let (Some(beliefs), Some(beyond)) = (worlds.beliefs(&seen), worlds.beyond(&seen, &requirement)) else {
        return Ok(None);
    };
    let Some(subjects) = scene.subjects(progress)?.first() else { return Ok(None) };
    let domain = &counted.whole.sensitive[0].domain;
    let known: Vec<Vec<f64>> = beliefs.collect();
    let mut worst: Vec<Rise> = Vec::new();
    for (subject, &point) in subjects.points.iter().flatten().enumerate() {
        let rises = subjects.values.iter().zip(subjects.belief(subject)).filter_map(|(value, before)| {
            let after = known[point as usize][domain.code(value)? as usize];
            Some(Rise { gain: after - before, point, value: spelled(value), before, after })
        });
        worst.extend(rises.max_by(|a, b| a.gain.total_cmp(&b.gain)));
    }
    let hit = |holds: &dyn Fn(&Rise) -> bool| -> u64 {
        worst.iter().filter(|rise| holds(rise)).map(|rise| points.people[rise.point as usize]).sum()
    };
    let people = points.people.iter().sum();
    let outside =
        beyond.iter().zip(&points.people).filter(|&(&beyond, _)| beyond).map(|(_, people)| people).sum::<u64>();
    let first = worst_indices(worst.iter().map(|rise| rise.gain), VICTIMS);
    let victims = first.iter().map(|&index| Victim {
        row: original_table.row_of_point(worst[index].point as usize),
        says: worst[index].says(),
    });
    let top = first.first().map(|&index| &worst[index]);
    let mut finding = Finding::new("rise of belief", top.map_or(0.0, |rise| rise.gain.max(0.0)), people)
        .about(&subjects.attribute)
        .hitting(hit(&|rise| rise.gain > tolerance::MEASURED), "belief in some value rises for who knows the program")
        .worst(top.map(Rise::says))
        .saying(format!(
            "{outside} of {people} people are beyond the promise for somebody who knows the program: of {} originals only some lead to this release",
            worlds.originals
        ))
        .detail("form", "exact")
        .detail("originals", worlds.originals)
        .detail("people_beyond_the_promise", outside)
        .believing(in_truth(original_table, subjects, &known))
        .naming(victims.collect());
    finding.holds = is_promised.then_some(outside == 0);
    Ok(Some(Tested::Found(vec![finding])))
}

/// The belief in people's true values, for who has the files alone and for who knows the program.
fn in_truth(original_table: &OriginalTable, subjects: &Subjects, known: &[Vec<f64>]) -> BeliefInTruth {
    let counted = &*original_table.counted;
    let mut subject_of_point = vec![None; original_table.points.len()];
    let points = subjects.points.iter().flatten().enumerate();
    points.for_each(|(subject, &point)| subject_of_point[point as usize] = Some(subject));
    let domain = &counted.whole.sensitive[0].domain;
    BeliefInTruth::mean(counted.cells.people.iter().enumerate().map(|(cell, &people)| {
        let (point, code) =
            (original_table.points.of_cell[cell] as usize, counted.cells.columns[counted.scales.len()][cell]);
        let shown = subjects.values.iter().position(|value| value == domain.value(code));
        let before = subject_of_point[point].zip(shown).map_or(0.0, |(subject, value)| subjects.belief(subject)[value]);
        (people, BeliefInTruth { before, after: known[point][code as usize] })
    }))
}

/// What knowing the program adds to the belief about the people of a point.
struct Rise {
    gain: f64,
    point: u32,
    value: String,
    before: f64,
    after: f64,
}

impl Rise {
    fn says(&self) -> String {
        let (before, after) = (short_percent(self.before), short_percent(self.after));
        format!("belief in {} rises from {before} to {after} for who knows the program", self.value)
    }
}
