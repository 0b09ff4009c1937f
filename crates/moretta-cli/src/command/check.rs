//! `moretta check`: which levels does a table reach, and does a release keep its promise?

use std::fmt::Write as _;
use std::path::PathBuf;

use moretta::check::{self, Levels, Verified};
use moretta::model::Groups;
use moretta::{Policy, Result};
use serde_json::{Value as Json, json};

use super::{Outcome, verdict_table, versioned};
use crate::console::{Console, STRONG};
use crate::layout::{Table, count, counted};
use crate::progress::Shown;

/// Check a table that is already anonymized, or verify a release
///
/// With --policy, TARGET is a table: which levels does it reach under the policy's roles, and does it keep
/// the policy's promises? Without it, TARGET is the folder of a release: file hashes, structure, counts,
/// and every promise that the files alone can prove.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// A table, or the folder of a release
    target: PathBuf,
    /// The policy that gives a table's columns their roles
    #[arg(long, value_name = "POLICY")]
    policy: Option<PathBuf>,
    /// Override a value of the policy, as in require.0.k=10
    #[arg(long, value_name = "KEY=VALUE", requires = "policy")]
    set: Vec<String>,
}

pub(crate) fn run(options: &Options, console: &Console) -> Result<Outcome> {
    match &options.policy {
        Some(policy) => check_table(options, &Policy::load(policy, &options.set)?, console),
        None => verify_release(options, console),
    }
}

fn check_table(options: &Options, policy: &Policy, console: &Console) -> Result<Outcome> {
    let shown = Shown::start(console);
    let (levels, _) = check::table(&options.target, policy, shown.progress())?;
    drop(shown);
    console.result(|| versioned(&levels), || render_levels(&levels));
    Ok(Outcome::of(&levels.guarantees))
}

fn render_levels(levels: &Levels) -> String {
    let mut text = String::new();
    let people = counted(levels.rows, "person", "people");
    let groups = counted(levels.groups, "group", "groups");
    let _ = writeln!(text, "{STRONG}{people} in {groups}: k = {}.{STRONG:#}\n", count(levels.k));
    let sizes = &levels.class_sizes;
    let mut table = Table::new(["group size", "people"]);
    table.row(["smallest", &count(sizes.min)]);
    table.row(["median", &count(sizes.median)]);
    table.row(["mean", &format!("{:.1}", sizes.mean)]);
    table.row(["largest", &count(sizes.max)]);
    table.row(["standing alone", &count(sizes.unique)]);
    text.push_str(&table.render());
    if !levels.guarantees.is_empty() {
        let _ = write!(text, "\n{}", verdict_table(&levels.guarantees));
    }
    text
}

fn verify_release(options: &Options, console: &Console) -> Result<Outcome> {
    let shown = Shown::start(console);
    let verified = check::release_folder(&options.target, shown.progress())?;
    drop(shown);
    console.result(|| verified_to_json(&verified), || render_verified(&verified));
    Ok(Outcome::of(&verified.verdicts))
}

fn smallest(groups: &Groups) -> u64 {
    groups.people.iter().copied().min().unwrap_or(0)
}

fn verified_to_json(verified: &Verified) -> Json {
    let files: Vec<Json> = verified
        .manifest
        .tables
        .iter()
        .map(|table| json!({ "file": table.file, "sha256": table.sha256, "intact": true }))
        .collect();
    versioned(json!({
        "rows": verified.groups.whole.people,
        "groups": verified.groups.len(),
        "k": smallest(&verified.groups),
        "suppressed": verified.manifest.suppressed,
        "files": files,
        "guarantees": verified.verdicts,
    }))
}

fn render_verified(verified: &Verified) -> String {
    let people = counted(verified.groups.whole.people, "person", "people");
    let groups = counted(verified.groups.len() as u64, "group", "groups");
    let files = counted(verified.manifest.tables.len() as u64, "file", "files");
    format!(
        "{STRONG}{people} in {groups}: k = {}.{STRONG:#}\n{files} intact: every SHA-256 is the manifest's.\n\n{}",
        count(smallest(&verified.groups)),
        verdict_table(&verified.verdicts)
    )
}
