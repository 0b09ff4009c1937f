//! From a policy to a release that has been checked.

mod ambiguous;
mod bucketized;
mod condensed;
mod context;
mod deal;
mod describe;
mod distribution;
mod generalized;
mod meaning;
#[cfg(test)]
mod paper_tables;
mod private;
mod readme;
mod rows;
mod sliced;
mod sorter;
mod tables;
mod uncertain;

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;

use self::context::{Context, Written};
use crate::chance::Seed;
use crate::check;
use crate::data::cells::Cells;
use crate::data::role::Role;
use crate::data::table::{Table, Tally};
use crate::error::{Code, Error, Result};
use crate::method::{Method, Plan, Task, registry::METHODS};
use crate::model::{Requirement, Verdict, Whole};
use crate::policy::{Attribute, Policy, Reading, count_cells};
use crate::progress::Progress;
use crate::release::{Original, Placement, Release, Shelf, Stage, manifest};
use crate::report::Before;
use crate::utility::{self, Utility};

/// Where a release goes.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The output folder; without one nothing is written.
    pub out: Option<PathBuf>,
    /// Whether an existing output is replaced.
    pub force: bool,
    /// What chance starts from; the system's randomness if not stated.
    pub seed: Option<u64>,
}

/// What was published, what it promises, what it costs.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The version of this shape.
    pub schema: u32,
    /// The method.
    pub method: &'static str,
    /// The people in the table, after the policy's filter and rule for missing values.
    pub rows_in: u64,
    /// The people in the release.
    pub rows_out: u64,
    /// The people left out to keep the promise.
    pub suppressed: u64,
    /// The groups in the release.
    pub groups: u64,
    /// The judgement about each promise, from the released files.
    pub guarantees: Vec<Verdict>,
    /// What the release costs.
    pub utility: Utility,
    /// Rows of the source that were not considered.
    pub left_out: LeftOut,
    /// What a steward should look at.
    pub warnings: Vec<String>,
    /// Where the time went.
    pub seconds: Seconds,
    /// The largest memory that the process has used, in MiB; nothing where the system does not tell.
    pub peak_rss_mb: Option<f64>,
}

/// Rows of the source that were not considered.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LeftOut {
    /// By the policy's filter.
    pub filtered: u64,
    /// Because they lack a value.
    pub missing: u64,
    /// Because they stand for nobody.
    pub weightless: u64,
}

/// Where the time went.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Seconds {
    /// Reading the table.
    pub read: f64,
    /// Planning the release.
    pub publish: f64,
    /// Writing it.
    pub write: f64,
    /// Reading it back and checking it.
    pub check: f64,
}

/// Makes a release, proves its promise from its files, and puts it into place.
pub fn publish(policy: &Policy, options: &Options, progress: &Progress) -> Result<Report> {
    publish_and_read(policy, options, progress).map(|(report, _)| report)
}

/// The same, and gives the release as it was read back.
pub fn publish_and_read(policy: &Policy, options: &Options, progress: &Progress) -> Result<(Report, Release)> {
    publish_part(policy, options, &|_| true, progress)
}

/// The same of only those rows of the policy's table, counted from 0, that are `inside`.
pub fn publish_part(
    policy: &Policy,
    options: &Options,
    inside: &dyn Fn(usize) -> bool,
    progress: &Progress,
) -> Result<(Report, Release)> {
    let method = policy.for_publishing()?;
    refuse_roles(policy, method)?;
    refuse_models(policy, method)?;
    let stage = options.out.as_deref().map(|out| Stage::begin(out, options.force)).transpose()?;
    let seed = Seed(match options.seed {
        Some(seed) => seed,
        None => getrandom::u64()
            .map_err(|e| Error::new(crate::Fault::Machine, format!("the system gives no randomness: {e}")))?,
    });
    let mut seconds = Seconds::default();

    let mut clock = Instant::now();
    let source = policy.open_source()?;
    let stamp = source.input().stamp()?;
    let reading = policy.read_table(source, progress)?;
    seconds.read = lap(&mut clock);

    let Reading { mut table, source, insensitive_types } = reading;
    let rows: Vec<u32> = (0..table.rows() as u32).filter(|&row| inside(row as usize)).collect();
    if rows.len() < table.rows() {
        table = table.keep(&rows);
    }
    drop(rows);
    let tally = table.tally;
    let mut warnings = warnings(policy, &tally);
    let scales = policy.scales(&table)?;
    let described: Vec<&Attribute> = policy.with_role(Role::Sensitive).collect();
    let whole = Whole::of_table(&table, &described)?;
    let requirement = Requirement::prepare(&policy.models, &whole)?;
    let least_people = requirement.least_people();
    progress.start("counting", 0);
    let cells = count_cells(&table);
    release_codes(&mut table);
    let plan = method.plan(
        &Task {
            quasi_names: table.quasi.iter().map(|column| column.name.clone()).collect(),
            scales: &scales,
            cells: &cells,
            sensitive_sizes: table.sensitive.iter().map(|column| column.domain.len()).collect(),
            requirement: &requirement,
            whole: &whole,
            may_suppress: people_in_share(policy.suppression, whole.people),
            seed,
            group: table.group.as_ref().map(|column| &*column.domain),
        },
        progress,
    )?;
    warnings.extend(plan.notes().iter().cloned());
    seconds.publish = lap(&mut clock);

    let before = stage.is_some().then(|| {
        let named = |columns: &[crate::data::table::Column]| -> Vec<_> {
            columns.iter().map(|column| (column.name.clone(), column.domain.clone())).collect()
        };
        Before::of(&named(&table.quasi), &named(&table.sensitive), &cells)
    });
    progress.start("writing", 0);
    let release = stage.as_ref().map_or_else(Shelf::memory, Stage::release);
    let private = stage.as_ref().map(Stage::private);
    let insensitive_types = &insensitive_types;
    let context =
        Context { policy, table: &table, cells: &cells, scales: &scales, insensitive_types, source: &source, seed };
    let mut written = write(&plan, &context, &release, private.as_ref())?;
    if source.input().stamp()? != stamp {
        return Err(Error::new(crate::Fault::Machine, "the table changed while it was being published")
            .coded(Code::InputChanged)
            .at_file(source.input().name())
            .help("publish again when nobody writes to it"));
    }
    let owners = written.owners.take();
    let released = plan.people();
    let suppressed = whole.people - released;
    let manifest = describe::manifest(policy, method, &plan, written, (released, suppressed));
    manifest.write(&release)?;
    release.write(manifest::README, readme::text(&manifest).as_bytes())?;
    seconds.write = lap(&mut clock);

    // What is proved from the files alone does not need the original, which takes memory.
    drop(std::mem::take(&mut table.source_rows));
    let needs_original = policy.models.iter().any(|model| model.about_release().is_some());
    let cells = if needs_original { cells } else { Cells::default() };
    let original = needs_original.then(|| {
        Original::new(&table, &cells).described(&scales, &whole).placed(placement(policy, &plan)).owned(owners)
    });
    let verified = check::release(&release, original.as_ref(), progress)?;
    if let Some(unproved) = verified.unproved.first() {
        return Err(Error::bug(format!("{} can't be proved; nothing was published", unproved.model)));
    }
    if let Some(broken) = verified.verdicts.iter().find(|verdict| !verdict.holds) {
        return Err(Error::bug(format!("the release does not keep {}; nothing was published", broken.model)));
    }
    let k = (least_people > 1).then_some(least_people);
    let utility = utility::measure(&plan, &scales, verified.release.groups(), &whole, k);
    seconds.check = lap(&mut clock);

    let report = Report {
        schema: manifest::SCHEMA,
        method: method.name(),
        rows_in: whole.people,
        rows_out: released,
        suppressed,
        groups: verified.manifest.groups,
        guarantees: verified.verdicts,
        utility,
        left_out: LeftOut { filtered: tally.filtered, missing: tally.missing, weightless: tally.weightless },
        warnings,
        seconds,
        peak_rss_mb: peak_memory(),
    };
    if let (Some(stage), Some(private)) = (stage, private) {
        private::write(policy, seed, &report, &private)?;
        if let Some(before) = &before {
            private::write_page(policy, seed, &report, &verified.release, before, &private)?;
        }
        stage.commit()?;
    }
    Ok((report, verified.release))
}

/// The most people that are no more than a share of all.
///
/// A product of floats may fall just below a whole number (0.29 of 100); a quotient is rounded to the
/// float that the policy's own decimal was rounded to, so comparing quotients decides as written.
#[expect(clippy::cast_sign_loss, reason = "a share is not negative")]
fn people_in_share(share: f64, people: u64) -> u64 {
    let near = (share * people as f64).round() as u64;
    (near.saturating_sub(1)..=near + 1)
        .rev()
        .find(|&s| s as f64 / people.max(1) as f64 <= share)
        .unwrap_or(0)
        .min(people)
}

fn refuse_roles(policy: &Policy, method: &dyn Method) -> Result<()> {
    match policy.attributes.iter().find(|attribute| !method.takes(attribute.role)) {
        None => Ok(()),
        Some(attribute) => {
            let message = format!(
                "the method {} has no use for the role {:?} of {:?}",
                method.name(),
                attribute.role.name(),
                attribute.name
            );
            Err(Error::input(message)
                .coded(Code::RoleUnsupported)
                .at_file(&policy.file)
                .at_line(attribute.line)
                .help("give the attribute another role, or \"drop\""))
        }
    }
}

/// A method that can't keep a promise says so before it starts.
fn refuse_models(policy: &Policy, method: &dyn Method) -> Result<()> {
    match policy.models.iter().find(|model| !method.honours(&***model)) {
        None => Ok(()),
        Some(model) => {
            let able: Vec<&str> =
                METHODS.iter().filter(|entry| (entry.honours)(&**model)).map(|entry| entry.name).collect();
            Err(Error::input(format!("the method {} can't promise {}", method.name(), model.name()))
                .coded(Code::ModelUnsupported)
                .at_file(&policy.file)
                .help(format!("methods that can: {}", able.join(", "))))
        }
    }
}

/// Who stands where, for promises about the people of each group.
fn placement(policy: &Policy, plan: &Plan) -> Option<Placement> {
    let Plan::Generalized(grouping) = plan else { return None };
    policy.models.iter().find_map(|model| model.about_members())?;
    let label = |group: usize| {
        let columns = grouping.attributes.iter().zip(&grouping.groups);
        columns.map(|(attribute, values)| attribute.labels[values[group] as usize].clone()).collect()
    };
    let pieces = grouping.pieces.iter().map(|piece| (piece.group, piece.cell, piece.people)).collect();
    Some(Placement { labels: (0..grouping.len()).map(label).collect(), pieces })
}

/// Once cells are counted the codes of rows are not needed any more.
fn release_codes(table: &mut Table) {
    table
        .quasi
        .iter_mut()
        .chain(&mut table.sensitive)
        .chain(&mut table.group)
        .for_each(|column| column.codes = Vec::new());
}

fn warnings(policy: &Policy, tally: &Tally) -> Vec<String> {
    let mut warnings = Vec::new();
    if tally.repeated_identifiers > 0 {
        warnings.push(format!(
            "{} rows share their identifier with another row: every model here counts one row a person",
            tally.repeated_identifiers
        ));
    }
    if policy.with_role(Role::Sensitive).next().is_none() {
        warnings
            .push("no attribute is sensitive: nothing is promised about what can be learned of a person".to_owned());
    }
    warnings
}

/// Writes the tables of a release, whatever its kind.
fn write(plan: &Plan, context: &Context<'_>, release: &Shelf, private: Option<&Shelf>) -> Result<Written> {
    match plan {
        Plan::Generalized(grouping) => generalized::write(grouping, context, release, private),
        Plan::Bucketized(buckets) => bucketized::write(buckets, context, release, private),
        Plan::Ambiguous(buckets) => ambiguous::write(buckets, context, release, private),
        Plan::Distribution(following) => distribution::write(following, context, release, private),
        Plan::Uncertain(plan) => uncertain::write(plan, context, release, private),
        Plan::Condensed(plan) => condensed::write(plan, context, release, private),
        Plan::Sliced(slices) => sliced::write(slices, context, release, private),
    }
}

fn lap(clock: &mut Instant) -> f64 {
    let elapsed = clock.elapsed().as_secs_f64();
    *clock = Instant::now();
    elapsed
}

/// The high-water mark of resident memory, where the system tells it.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string(Path::new("/proc/self/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some((kib / 1024.0 * 10.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::people_in_share;

    #[test]
    fn a_share_of_people_is_the_one_that_the_policy_writes() {
        // As a product of floats, 0.29 of 100 is 28.999999999999996.
        for (share, people, most) in
            [(0.29, 100, 29), (0.04, 30_162, 1_206), (0.0, 7, 0), (1.0, 7, 7), (0.5, 7, 3), (0.999, 10, 9)]
        {
            assert_eq!(people_in_share(share, people), most, "{share} of {people}");
        }
    }
}
