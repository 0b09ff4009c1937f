//! Publishing into a folder: the release, and beside it what stays with the steward: the policy, the seed, what was measured, and
//! a page to decide from. Both appear whole or not at all.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::chance::Seed;
use crate::check::Verified;
use crate::database::{self, Deposit, FreeSchema};
use crate::error::{Error, Result};
use crate::kind::OpenRelease;
use crate::policy::Policy;
use crate::prepare::{Held, Prepared};
use crate::progress::Progress;
use crate::publish::{self, Report};
use crate::release::README;
#[cfg(feature = "report")]
use crate::report::OriginalRisk;
use crate::storage::{AtomicOutput, MANIFEST, Storage};
use crate::utility::Yardstick;
use crate::utility::bound::BoundEffort;

/// Where a release goes.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The output folder; without one nothing is written.
    pub out: Option<PathBuf>,
    /// Whether an existing output is replaced.
    pub force: bool,
    /// What chance starts from; the system's randomness if not stated.
    pub seed: Option<u128>,
}

/// Makes a release, proves its promise from its files, and puts it into place.
pub fn publish(policy: &Policy, options: &Options, progress: &Progress) -> Result<Report> {
    publish_and_read(policy, options, progress).map(|(report, _)| report)
}

/// The same, and gives the release as it was read back.
pub fn publish_and_read(
    policy: &Policy,
    options: &Options,
    progress: &Progress,
) -> Result<(Report, Box<dyn OpenRelease>)> {
    publish::check_policy(policy)?;
    let stage = options.out.as_deref().map(|out| AtomicOutput::begin(out, options.force)).transpose()?;
    let room = stage.as_ref().and(room(policy, options.force)?);
    let seed = match options.seed {
        Some(seed) => Seed(seed),
        None => Seed::from_system()?,
    };
    progress.memory().spill_into(stage.as_ref().and_then(|stage| stage.private().folder()));
    let prepared = Prepared::read_for_publishing(policy, progress)?;
    let held = Held::Own(Box::new(prepared));
    match stage {
        None => {
            let (report, release) = publish::publish_and_ask(policy, held, seed, progress)?;
            Ok((Report { peak_rss_mb: peak_memory(), ..report }, release))
        }
        Some(stage) => into_folder(policy, held, seed, (stage, room), progress),
    }
}

fn into_folder(
    policy: &Policy,
    held: Held<'_>,
    seed: Seed,
    (stage, room): (AtomicOutput, Option<FreeSchema>),
    progress: &Progress,
) -> Result<(Report, Box<dyn OpenRelease>)> {
    let mut made = publish_to(policy, held, seed, (&stage.release(), &stage.private(), room), None, progress)?;
    made.commit(stage)?;
    Ok((made.report, made.verified.release))
}

/// The room in the database that a policy names, if it names one: found before long work is done.
pub fn room(policy: &Policy, replace: bool) -> Result<Option<FreeSchema>> {
    policy.database.as_ref().map(|destination| database::open(destination, replace)).transpose()
}

/// A release that was made and proved, and waits to be put into place.
#[derive(Debug)]
pub struct Made {
    /// What was published, and what it costs.
    pub report: Report,
    /// The release as it was read back, and the judgements.
    pub verified: Verified,
    /// Its tables in a database.
    deposit: Option<Deposit>,
}

impl Made {
    /// Puts the release into place: the folder, and last the transaction by which others see its tables. Where that fails, the folder is as it
    /// was before.
    pub fn commit(&mut self, stage: AtomicOutput) -> Result<()> {
        let deposit = self.deposit.take();
        stage.commit_before(|| deposit.map_or(Ok(()), Deposit::commit))
    }
}

/// Makes a release, proves its promise from its files, and writes it where it may be given away and, beside it, what must not.
///
/// With a bound, it is also proved what no release can lose less than.
///
/// Where there is room in a database, the tables are loaded into it, and the promise is proved from the rows that the database then holds, before
/// others see them; of the files that may be given away, the manifest and the words for readers stay.
pub fn publish_to(
    policy: &Policy,
    held: Held<'_>,
    seed: Seed,
    (files, private, room): (&Storage, &Storage, Option<FreeSchema>),
    bound: Option<BoundEffort>,
    progress: &Progress,
) -> Result<Made> {
    publish_as(policy, policy, held, seed, (files, private, room), bound, progress)
}

/// The same where the table was counted elsewhere: it is planned by its own policy, so that chance falls as it does for the table that was
/// counted, and read, written and proved by the policy of the counted one.
pub fn publish_as(
    policy: &Policy,
    counted: &Policy,
    mut held: Held<'_>,
    seed: Seed,
    (files, private, room): (&Storage, &Storage, Option<FreeSchema>),
    bound: Option<BoundEffort>,
    progress: &Progress,
) -> Result<Made> {
    progress.memory().spill_into(private.folder());
    let mut planned = publish::plan(policy, &held, seed, progress)?;
    if let Some(effort) = bound {
        publish::bound(policy, &held, &mut planned, effort, progress)?;
    }
    let original = held.original();
    progress.start("measuring", 0);
    #[cfg(feature = "report")]
    let before = OriginalRisk::of(&original.quasi, &original.sensitive, original.cells);
    progress.check()?;
    let yardstick = Yardstick::of(&original, progress)?;
    drop(original);
    let written = publish::write(counted, &held, &planned, (files, Some(private)), progress)?;
    let deposit = room.map(|room| room.deposit(files, progress)).transpose()?;
    let proved = publish::prove(counted, &mut held, written, files, progress)?;
    let report = publish::measure(policy, &held, planned, &proved, yardstick.as_ref(), progress)?;
    let report = Report { peak_rss_mb: peak_memory(), ..report };
    progress.check()?;
    write(policy, seed, &report, private)?;
    #[cfg(feature = "report")]
    super::page::of_publishing(policy, seed, &report, &*proved.verified.release, &before, private)?;
    if deposit.is_some() {
        let stays = |name: &String| name == MANIFEST || name == README;
        files.files()?.iter().filter(|name| !stays(name)).try_for_each(|name| files.remove(name))?;
    }
    // Whoever called puts the output into place.
    progress.check()?;
    Ok(Made { report, verified: proved.verified, deposit })
}

/// Writes the policy with its overrides, the seed, and the report for programs.
fn write(policy: &Policy, seed: Seed, report: &Report, storage: &Storage) -> Result<()> {
    let mut text = policy.text.trim_end().to_owned() + "\n";
    for setting in &policy.overrides {
        let _ = writeln!(text, "# set on the command line: {setting}");
    }
    storage.write("policy.toml", text.as_bytes())?;
    storage.write("seed.txt", format!("{seed}\n").as_bytes())?;
    let report = serde_json::to_string_pretty(report).map_err(|e| Error::bug(e.to_string()))?;
    storage.write("report.json", format!("{report}\n").as_bytes()).map(drop)
}

/// The high-water mark of resident memory, where the system tells it.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some((kib / 1024.0 * 10.0).round() / 10.0)
}
