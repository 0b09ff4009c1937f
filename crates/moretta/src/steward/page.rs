//! The page that a person can decide from, as publishing writes it and as an audit writes it anew.

use std::path::Path;

use serde_json::{Map, Value as Json};

use super::audit::{create_private, write_whole};
use crate::audit::{Audit, AuditInput};
use crate::chance::Seed;
use crate::error::{Error, Fault, Result};
use crate::kind::OpenRelease;
use crate::policy::Policy;
use crate::progress::Progress;
use crate::publish::Report;
use crate::query::Workload;
use crate::report::{self, OriginalRisk, ReportInput};
use crate::storage::Storage;

/// A larger release is not asked random queries: it would take longer than the attacks.
const MOST_PEOPLE: u64 = 500_000;

/// Writes the page of a release that was just made.
pub(super) fn of_publishing(
    policy: &Policy,
    seed: Seed,
    report: &Report,
    release: &dyn OpenRelease,
    before: &OriginalRisk,
    storage: &Storage,
) -> Result<()> {
    let utility = match serde_json::to_value(&report.utility) {
        Ok(Json::Object(utility)) => utility,
        _ => Map::new(),
    };
    let story = ReportInput {
        method: Some(report.method),
        people: report.rows_out,
        persons: report.people_out,
        suppressed: report.suppressed,
        verdicts: &report.guarantees,
        release,
        before,
        utility,
        query_error: None,
        audit: None,
        bound: report.bound,
        warnings: &report.warnings,
        policy: &policy.text,
        seed: Some(seed),
    };
    storage.write(report::FILE, story.to_html().as_bytes()).map(drop)
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
