//! What stays with the steward: the policy, the seed, what was measured, and a page to decide from.

use std::fmt::Write as _;

use super::Report;
use crate::chance::Seed;
use crate::error::{Error, Result};
use crate::policy::Policy;
use crate::release::{Release, Shelf};
use crate::report::{self, Before, Story};

/// Writes the policy with its overrides, the seed, and the report for programs.
pub(super) fn write(policy: &Policy, seed: Seed, report: &Report, shelf: &Shelf) -> Result<()> {
    let mut text = policy.text.trim_end().to_owned() + "\n";
    for setting in &policy.overrides {
        let _ = writeln!(text, "# set on the command line: {setting}");
    }
    shelf.write("policy.toml", text.as_bytes())?;
    shelf.write("seed.txt", format!("{}\n", seed.0).as_bytes())?;
    let report = serde_json::to_string_pretty(report).map_err(|e| Error::bug(e.to_string()))?;
    shelf.write("report.json", format!("{report}\n").as_bytes()).map(drop)
}

/// Writes the page for people.
pub(super) fn write_page(
    policy: &Policy,
    seed: Seed,
    report: &Report,
    release: &Release,
    before: &Before,
    shelf: &Shelf,
) -> Result<()> {
    let utility = match serde_json::to_value(report.utility) {
        Ok(serde_json::Value::Object(utility)) => utility,
        _ => serde_json::Map::new(),
    };
    let story = Story {
        method: Some(report.method),
        people: report.rows_out,
        suppressed: report.suppressed,
        verdicts: &report.guarantees,
        release,
        before,
        utility,
        query_error: None,
        audit: None,
        warnings: &report.warnings,
        policy: &policy.text,
        seed: Some(seed.0),
    };
    shelf.write(report::FILE, story.to_html().as_bytes()).map(drop)
}
