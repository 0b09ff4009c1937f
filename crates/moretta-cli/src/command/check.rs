//! `moretta check`: which levels does a table reach, and does a release keep its promise?

use std::fmt::Write as _;
use std::path::PathBuf;

use moretta::files::{self, ReadOptions};
use moretta::levels::{AttributeLevels, GroupName};
use moretta::text::{counted, grouped, rounded};
use moretta::{Policy, Release, Result, TableLevels, Unit, Verification, check, levels};

use super::{Outcome, verdict_table, versioned};
use crate::console::{Console, STRONG};
use crate::layout::Table;
use crate::progress::ProgressShown;

/// Check a table that is already anonymized, or verify a release
///
/// With --policy, TARGET is a table: which levels does it reach under the policy's roles, and does it keep
/// the policy's promises? Without it, TARGET is the folder of a release: file hashes, structure, counts,
/// and every promise that the files alone can prove; --original proves those about the original too.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// A table, or the folder of a release, or ADDRESS#SCHEMA of one in a database
    target: PathBuf,
    /// The policy that gives a table's columns their roles
    #[arg(long, value_name = "POLICY")]
    policy: Option<PathBuf>,
    /// The policy of the original, to prove what is promised about it
    #[arg(long, value_name = "POLICY", conflicts_with = "policy")]
    original: Option<PathBuf>,
    /// Override a value of the policy, as in require.0.k=10
    #[arg(long, value_name = "KEY=VALUE", requires = "policy")]
    set: Vec<String>,
}

pub(crate) fn run(options: &CheckArgs, console: &Console) -> Result<Outcome> {
    match &options.policy {
        Some(policy) => check_table(options, &files::load_policy(policy, &options.set)?, console),
        None => verify_release(options, console),
    }
}

fn check_table(options: &CheckArgs, policy: &Policy, console: &Console) -> Result<Outcome> {
    let shown = ProgressShown::start(console);
    let table = levels(&files::open(&options.target, ReadOptions::detect())?, policy, &shown.run())?;
    drop(shown);
    console.result(|| versioned(&table), || render_levels(&table))?;
    Ok(Outcome::of(&table.guarantees))
}

fn render_levels(table: &TableLevels) -> String {
    let mut text = String::new();
    let levels = &table.levels;
    let people = counted(table.rows, "person", "people");
    let groups = counted(levels.groups as u64, "group", "groups");
    let _ = writeln!(text, "{STRONG}{people} in {groups}: k = {}.{STRONG:#}\n", grouped(levels.k));
    let sizes = &table.class_sizes;
    let mut layout = Table::new(["group size", "people"]);
    layout.row(["smallest", &grouped(sizes.min)]);
    layout.row(["median", &grouped(sizes.median)]);
    layout.row(["mean", &format!("{:.1}", sizes.mean)]);
    layout.row(["largest", &grouped(sizes.max)]);
    layout.row(["unique", &grouped(sizes.unique)]);
    text.push_str(&layout.render());
    for attribute in &levels.sensitive {
        let _ = write!(text, "\n{}", render_attribute(attribute, table));
    }
    if !table.guarantees.is_empty() {
        let _ = write!(text, "\n{}", verdict_table(&table.guarantees));
    }
    for model in &table.unproved {
        let _ = writeln!(text, "\n{model} speaks of a release and its original: a table can't be judged by it.");
    }
    text
}

/// The levels of a sensitive attribute, each with the group that reaches no more.
fn render_attribute(attribute: &AttributeLevels, table: &TableLevels) -> String {
    let worst = |level: &str| {
        let groups = table.worst.iter().find(|w| w.attribute.as_deref() == Some(&attribute.name) && w.level == level);
        groups.and_then(|worst| worst.groups.first()).map_or(String::new(), name_of_group)
    };
    let mut layout = Table::new([attribute.name.as_str(), "level", "worst group"]);
    let mut row = |what: &str, key: &str, level: f64| {
        layout.row([what.to_owned(), precise(level), worst(key)]);
    };
    row("distinct l", "distinct_l", attribute.distinct_l as f64);
    row("probabilistic l", "probabilistic_l", attribute.probabilistic_l);
    row("entropy l", "entropy_l", attribute.entropy_l);
    for (l, &c) in &attribute.recursive {
        row(&format!("recursive l = {l}, c above"), "recursive", c);
    }
    row("alpha", "alpha", attribute.alpha);
    if let Some(p_plus) = attribute.p_plus {
        row("p+", "p_plus", p_plus as f64);
    }
    if let Some(weight) = attribute.weight {
        row("weight", "weight", weight);
    }
    for &(distance, t) in &attribute.t {
        row(&format!("t, {distance}"), distance, t);
    }
    row("delta", "delta", attribute.delta);
    layout.render()
}

fn precise(level: f64) -> String {
    rounded(level, 6)
}

fn name_of_group(group: &GroupName) -> String {
    let values = group.values.values().map(|value| value.as_str().unwrap_or_default());
    let values: Vec<&str> = values.collect();
    format!("{} ({})", values.join(" · "), grouped(group.people))
}

fn verify_release(options: &CheckArgs, console: &Console) -> Result<Outcome> {
    let shown = ProgressShown::start(console);
    let release = Release::open(&options.target)?;
    let original = match &options.original {
        None => None,
        Some(policy) => Some(files::read_table(&files::load_policy(policy, &[])?, &shown.run())?),
    };
    let verified = check(&release, original.as_ref(), &shown.run())?;
    drop(shown);
    console.result(|| versioned(&verified), || render_verified(&verified))?;
    Ok(if verified.holds() { Outcome::Done } else { Outcome::PromiseBroken })
}

fn render_verified(verified: &Verification) -> String {
    let unit = verified.unit.unwrap_or_default();
    let (people, groups) = (unit.counted(verified.rows), counted(verified.groups, "group", "groups"));
    let size = match (unit, verified.k, verified.smallest_group, verified.smallest_group_of_rows) {
        (Unit::People, Some(k), ..) => format!(": k = {}", grouped(k)),
        (Unit::People, None, Some(people), _) => format!(", the smallest of {}", grouped(people)),
        (Unit::Rows, _, Some(people), _) => format!(", {} in the smallest", counted(people, "person", "people")),
        (Unit::Rows, _, None, Some(rows)) => format!(", {} in the smallest", unit.counted(rows)),
        _ => String::new(),
    };
    let files = counted(verified.files.len() as u64, "file", "files");
    let mut text =
        format!("{STRONG}{people} in {groups}{size}.{STRONG:#}\n{files} intact: every SHA-256 is the manifest's.\n");
    if !verified.guarantees.is_empty() {
        let _ = write!(text, "\n{}", verdict_table(&verified.guarantees));
    }
    for claim in &verified.unprovable {
        let _ = writeln!(
            text,
            "\n{} ({}) is claimed, and no {} release can promise it: {}.",
            claim.guarantee.model,
            super::parameters(&claim.guarantee.parameters),
            verified.kind,
            claim.reason
        );
    }
    for promise in &verified.unproved {
        let why = match unit {
            Unit::People => "is about the original",
            Unit::Rows => "counts people, of whom each may have several rows, and the files show rows",
        };
        let parameters = super::parameters(&promise.parameters);
        let _ = writeln!(text, "\n{} ({parameters}) {why}: add --original POLICY to prove it.", promise.model);
    }
    text
}
