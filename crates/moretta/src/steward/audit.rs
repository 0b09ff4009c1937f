//! The findings with people, for the steward's eyes.

use std::io::Write;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::audit::{AttackReport, Audit, AuditInput, Grade, Skipped, Victim};
use crate::error::{Error, Fault, Result};
use crate::progress::Progress;
use crate::query::Workload;
use crate::release::manifest::SCHEMA;
use crate::report::{self, OriginalRisk, ReportInput};
use crate::storage::{Readers, write_atomically};

/// The file in `private/` that names the people who are hit worst.
pub const FILE: &str = "audit.json";

/// A larger release is not asked random queries: it would take longer than the attacks.
const MOST_PEOPLE: u64 = 500_000;

#[derive(Serialize)]
struct Named<'a> {
    #[serde(flatten)]
    attack: &'a AttackReport,
    people_hit_worst: &'a [Victim],
}

#[derive(Serialize)]
struct Findings<'a> {
    schema: u32,
    grade: Grade,
    attacks: Vec<Named<'a>>,
    skipped: &'a [Skipped],
}

/// Writes a file of a folder that is not given away, whole or not at all.
fn write_whole(folder: &Path, name: &str, text: &str) -> Result<()> {
    let index = folder.join(name);
    write_atomically(&index, Readers::Owner, |file| file.write_all(text.as_bytes()))
        .map_err(|e| Error::machine("write the findings", &index, e))
}

/// Writes the page that a person can decide from, beside the findings.
pub fn write_page(folder: &Path, scene: &AuditInput<'_>, audit: &Audit, progress: &Progress) -> Result<()> {
    let Some(original_table) = scene.original_table else { return Ok(()) };
    let (audited, original) = (scene.audited, original_table.counted.original());
    let before = OriginalRisk::of(&original.quasi, &original.sensitive, original.cells);
    let workload = Workload { dimension: 2, selectivity: 0.1, queries: 200, seed: scene.seed };
    // A release that can't be asked so (no sensitive attribute, too large) has no such figure.
    let askable = audited.people <= MOST_PEOPLE && !original.sensitive.is_empty();
    let query_error = match askable.then(|| workload.compare(&*audited.release, &original, progress)) {
        Some(Err(error)) if matches!(error.fault(), Fault::Machine | Fault::Bug | Fault::Cancelled) => {
            return Err(error);
        }
        asked => asked.and_then(Result::ok),
    };
    let story = ReportInput {
        method: audited.method.as_deref(),
        people: audited.people,
        persons: audited.persons,
        suppressed: before.people.saturating_sub(audited.people),
        verdicts: &audited.verdicts,
        release: &*audited.release,
        before: &before,
        utility: utility_beside(folder)?,
        query_error,
        audit: Some(audit),
        bound: None,
        warnings: &audited.doubts,
        policy: &original_table.policy.text,
        seed: None,
    };
    let page = story.to_html();
    progress.check()?;
    create_private(folder)?;
    write_whole(folder, report::FILE, &page)
}

/// What publishing measured, if its report stands in the same folder.
fn utility_beside(folder: &Path) -> Result<Map<String, Json>> {
    let file = folder.join("report.json");
    let bytes = match std::fs::read(&file) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Map::new()),
        read => read.map_err(|e| Error::machine("read the report", &file, e))?,
    };
    let report: Json = serde_json::from_slice(&bytes).map_err(|e| {
        let error = Error::input(format!("the report of publishing can't be read: {e}")).at_file(&file);
        error.help("restore it, or remove it")
    })?;
    Ok(report.get("utility").and_then(Json::as_object).cloned().unwrap_or_default())
}

/// Writes the findings with the rows of the worst-hit people into a folder that is not given away.
pub fn write_private(folder: &Path, audit: &Audit) -> Result<()> {
    create_private(folder)?;
    let named = |attack| Named { attack, people_hit_worst: AttackReport::victims(attack) };
    let findings = Findings {
        schema: SCHEMA,
        grade: audit.grade(),
        attacks: audit.attacks.iter().map(named).collect(),
        skipped: &audit.skipped,
    };
    let text = serde_json::to_string_pretty(&findings).map_err(|e| Error::bug(e.to_string()))?;
    write_whole(folder, FILE, &format!("{text}\n"))
}

fn create_private(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|e| Error::machine("write the findings", folder, e))
}
