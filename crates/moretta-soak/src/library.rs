//! The library as the harness meets it: files in, files out, verdicts, answers. Every call into it stands here.

use std::path::Path;

use moretta::internals::audit::{self, AuditInput, AuditedRelease, OriginalTable, RunBudget};
use moretta::internals::chance::Seed;
use moretta::internals::kind::registry;
use moretta::internals::progress::Progress;
use moretta::internals::query::{Labels, Query, answer};
use moretta::internals::release::Files;
use moretta::internals::steward::{self, Options};
use moretta::internals::storage::Storage;
use moretta::internals::{check, publish};
use moretta::{Error, Fault, Policy, Result};
use serde_json::{Map, Value as Json};

use crate::case::Case;

/// A judgement of the library about a promise.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The model.
    pub model: String,
    /// Whether it holds.
    pub holds: bool,
    /// The levels reached.
    pub achieved: Map<String, Json>,
}

/// (lower, upper) of what is asked for.
pub type Bounds = (Option<f64>, Option<f64>);

/// A row of an answer: the key, and the bounds of each thing asked for.
#[derive(Clone, Debug)]
pub struct AnsweredRow {
    /// The values by which it is grouped, as spelled.
    pub key: Vec<String>,
    /// The bounds.
    pub bounds: Vec<Bounds>,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answered {
    /// Its rows.
    pub rows: Vec<AnsweredRow>,
    /// How many people may stand under keys that have no row.
    pub unlisted: Option<Bounds>,
}

/// What an audit came to.
#[derive(Clone, Debug, Default)]
pub struct Audited {
    /// The attacks that break a promise, in words.
    pub broken: Vec<String>,
    /// What attacks reach, by the keys of `[accept]`.
    pub reached: Vec<(&'static str, f64)>,
    /// What of it the policy does not accept.
    pub refused: Vec<(&'static str, f64)>,
}

/// Whether a policy is accepted as far as that can be said without data.
pub fn accepts(case: &Case) -> bool {
    let Ok(folder) = tempfile::tempdir() else { return false };
    if case.save(folder.path()).is_err() {
        return false;
    }
    Policy::load(&folder.path().join("policy.toml"), &[]).and_then(|policy| publish::check_policy(&policy)).is_ok()
}

/// Publishes the case that was saved in a folder into `out` beside it.
pub fn publish_saved(folder: &Path, seed: u64) -> Result<Vec<Judgement>> {
    let policy = Policy::load(&folder.join("policy.toml"), &[])?;
    let options = Options { out: Some(folder.join("out")), force: true, seed: Some(seed.into()) };
    let report = steward::publish(&policy, &options, &Progress::default())?;
    Ok(report.guarantees.into_iter().map(judgement).collect())
}

/// Judges the files of a folder, without the original.
pub fn check_files(release: &Path) -> Result<(Vec<Judgement>, usize)> {
    let storage = Storage::Folder(release.to_path_buf());
    let verified = check::release(&storage, None, &Progress::default())?;
    Ok((verified.verdicts.into_iter().map(judgement).collect(), verified.unproved.len()))
}

fn judgement(verdict: moretta::internals::model::Verdict) -> Judgement {
    Judgement { model: verdict.model.to_owned(), holds: verdict.holds, achieved: verdict.achieved }
}

/// Audits the output of a folder with its original.
pub fn audit_saved(folder: &Path) -> Result<Audited> {
    let progress = Progress::default();
    let original = OriginalTable::read(Policy::load(&folder.join("policy.toml"), &[])?, &progress)?;
    let storage = Storage::Folder(folder.join("out").join("release"));
    let counted = original.counted.original();
    let audited = AuditedRelease::of_release(&storage, Some(&counted), &progress)?;
    drop(counted);
    let mut scene = AuditInput::new(&audited, Seed(1)).with_original(Some(&original));
    // Thousands of cases: where nothing is proved, what attacks of the program reach is only computed.
    let is_proved =
        matches!(original.policy.method.as_ref().map(|method| method.name()), Some("anatomy" | "transparent"));
    scene.budget = if is_proved {
        RunBudget { originals: 300, runs: 1_500, ..RunBudget::default() }
    } else {
        RunBudget { originals: 20, runs: 40, exchanges: 2, ..RunBudget::default() }
    };
    let audit = audit::run(&scene, &progress)?;
    let broken = audit.attacks.iter().filter(|attack| attack.finding.holds == Some(false));
    let words = |attack: &audit::AttackReport| {
        format!("{}: {} ({:?})", attack.name, attack.finding.measure, attack.finding.worst)
    };
    let reached = |attack: &audit::AttackReport| attack.finding.reaches.map(|(danger, level)| (danger.name(), level));
    Ok(Audited {
        broken: broken.map(words).collect(),
        reached: audit.attacks.iter().filter_map(reached).collect(),
        refused: audit.refused(&original.policy.accept).iter().map(|found| (found.key, found.measured)).collect(),
    })
}

/// A release that can be asked.
pub struct Asked {
    release: Box<dyn moretta::internals::kind::OpenRelease>,
    labels: Labels,
}

impl Asked {
    /// Reads the files of a folder.
    pub fn open(release: &Path) -> Result<Self> {
        let storage = Storage::Folder(release.to_path_buf());
        let files = Files::open(&storage, &Progress::default())?.for_questions();
        let release = registry::read(&files, &Progress::default())?;
        release.prepare();
        Ok(Self { labels: Labels::of(&files.manifest), release })
    }

    /// The answer to a question.
    pub fn answer(&self, sql: &str) -> Result<Answered> {
        let query = self.labels.resolve(&Query::parse(sql)?, &*self.release)?;
        let found = answer(&*self.release, &query)?;
        let row = |row: moretta::internals::query::AnswerRow| AnsweredRow {
            key: row.key.iter().map(ToString::to_string).collect(),
            bounds: row.estimates.iter().map(|estimate| (estimate.lower, estimate.upper)).collect(),
        };
        let unlisted = found.unlisted.map(|people| (people.lower, people.upper));
        Ok(Answered { rows: found.rows.into_iter().map(row).collect(), unlisted })
    }
}

/// What sort of error it is: of the data, and so to be confirmed; of the policy; or never to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// The data can't meet the promise.
    Data,
    /// The policy asks for what there is not.
    Policy,
    /// A bug, or the machine.
    Broken,
}

/// The sort of an error.
pub fn sort(error: &Error) -> Sort {
    match error.fault() {
        Fault::Data => Sort::Data,
        Fault::Input => Sort::Policy,
        Fault::Machine | Fault::Bug | Fault::Cancelled => Sort::Broken,
    }
}
