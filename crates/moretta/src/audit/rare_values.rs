//! Rare exact values: what so few people have that it names them to whoever has heard of it.

use super::finding::{Finding, Tested, VICTIMS, Victim, spelled};
use super::{Attack, AuditInput};
use crate::error::Result;
use crate::progress::Progress;

pub(super) const ATTACK: Attack = Attack {
    name: "rare-values",
    adversary: "has heard that somebody with a rare sensitive value exists, and recognizes it in the release",
    run,
};

/// A value that fewer people have is rare.
const FEW: u64 = 3;

#[expect(clippy::unnecessary_wraps, reason = "every attack may fail to be run")]
fn run(scene: &AuditInput<'_>, _: &Progress) -> Result<Tested> {
    let release = &scene.audited.release;
    let groups = match release.groups() {
        Ok(groups) => groups,
        Err(lacks) => return Ok(Tested::Skipped(lacks.into())),
    };
    let mut findings = Vec::new();
    for (index, sensitive) in groups.whole.sensitive.iter().enumerate() {
        let rare: Vec<usize> =
            (0..sensitive.people.len()).filter(|&code| (1..FEW).contains(&sensitive.people[code])).collect();
        let people: u64 = rare.iter().map(|&code| sensitive.people[code]).sum();
        let fewest = sensitive.people.iter().copied().filter(|&people| people > 0).min().unwrap_or(0);
        let worst = rare.iter().min_by_key(|&&code| sensitive.people[code]).map(|&code| {
            let people = sensitive.people[code];
            let who = if people == 1 { "one person has".to_owned() } else { format!("{people} people have") };
            format!("{who} {} = {}", sensitive.name, spelled(sensitive.domain.value(code as u32)))
        });
        let mut finding = Finding::new("people, rarest value", fewest as f64, groups.whole.people)
            .about(&sensitive.name)
            .hitting(people, format!("fewer than {FEW} people have the value"))
            .worst(worst)
            .detail("rare_values", rare.len());
        if let Some(original_table) = scene.original_table {
            finding = finding.naming(victims(original_table, index, groups, &rare));
        }
        findings.push(finding);
    }
    Ok(if findings.is_empty() {
        Tested::Skipped("the release has no sensitive attribute".into())
    } else {
        Tested::Found(findings)
    })
}

fn victims(
    original_table: &super::OriginalTable,
    index: usize,
    groups: &crate::release::Groups,
    rare: &[usize],
) -> Vec<Victim> {
    let column = &original_table.counted.table.sensitive[index];
    let released = &groups.whole.sensitive[index];
    let codes: Vec<u32> =
        rare.iter().filter_map(|&code| column.domain.code(released.domain.value(code as u32))).collect();
    let rows = column.codes.iter().enumerate().filter(|(_, code)| codes.contains(code)).take(VICTIMS);
    rows.map(|(row, &code)| Victim {
        row: u64::from(original_table.counted.table.source_rows[row]) + 1,
        says: format!("has the rare {} {}", column.name, column.domain.value(code)),
    })
    .collect()
}
