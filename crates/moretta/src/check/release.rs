//! What a recipient can verify: that the files are whole, and that they keep what the manifest promises.

use std::path::Path;

use serde::Serialize;
use serde_json::Value as Json;

use super::people;
use crate::config::Node;
use crate::database::{self, Destination};
use crate::error::{Code, Error, Result};
use crate::kind::{OpenRelease, registry};
use crate::model::{self, PrivacyModel, ProvedFrom, Requirement, Scope, Verdict, judge_sizes, members};
use crate::progress::Progress;
use crate::release::{Files, Guarantee, Manifest, Original, Unit, manifest, not_the_original};
use crate::schema::Attribute;
use crate::storage::Storage;

/// A release that was read from its files, and judged.
#[derive(Debug)]
pub struct Verified {
    /// What the release says of itself.
    pub manifest: Manifest,
    /// Its tables.
    pub release: Box<dyn OpenRelease>,
    /// What it promises.
    pub models: Vec<Box<dyn PrivacyModel>>,
    /// The judgement about each promise that could be judged.
    pub verdicts: Vec<Verdict>,
    /// The promises that can only be judged beside the original, which was not given.
    pub unproved: Vec<Guarantee>,
    /// The promises that no release of this kind can keep in their own words.
    pub unprovable: Vec<Unprovable>,
    /// The different people in each group, where several rows may belong to one and the original says whose they are.
    pub by_people: Option<Vec<u64>>,
}

/// A promise that is claimed of a kind of release for which its sentence is not true.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Unprovable {
    /// What is claimed.
    #[serde(flatten)]
    pub guarantee: Guarantee,
    /// Why it is not true of this kind.
    pub reason: &'static str,
}

/// Opens the shelf of a release: the folder itself, or the output folder that holds it; from a database, what its rows are as files.
pub fn release_storage(folder: &Path, progress: &Progress) -> Result<Storage> {
    if let Some(destination) = Destination::at(folder) {
        return database::fetch(&destination?, progress);
    }
    let inner = folder.join("release");
    let folder = if inner.join(manifest::FILE).is_file() { inner } else { folder.to_path_buf() };
    if !folder.join(manifest::FILE).is_file() {
        return Err(Error::input(format!("there is no {} in this folder", manifest::FILE))
            .coded(Code::NoRelease)
            .at_file(&folder)
            .help(
                "name the folder of a release, ADDRESS#SCHEMA of one in a database, or a table together with --policy",
            ));
    }
    Ok(Storage::Folder(folder))
}

/// Verifies a release: hashes, structure, counts, and every promise that can be proved from its files, and from
/// the original where that is given.
pub fn release(storage: &Storage, original: Option<&Original<'_>>, progress: &Progress) -> Result<Verified> {
    judge(Files::open(storage, progress)?, original, progress)
}

/// The same from the files alone, in less memory: the release that comes with it tells how many rows publish the same, not where they stand.
pub fn release_to_prove(storage: &Storage, progress: &Progress) -> Result<Verified> {
    judge(Files::open(storage, progress)?.for_proof(), None, progress)
}

fn judge(files: Files<'_>, original: Option<&Original<'_>>, progress: &Progress) -> Result<Verified> {
    let release = registry::read(&files, progress)?;
    progress.start("judging", 0);
    let models = models(&files.manifest, &files.attributes()?, &files.location)?;
    let (by_rows, by_people) = match (files.manifest.unit, original) {
        (Unit::People, _) => (judge_groups(&*release, &models, progress)?, None),
        // The files hold no person: only beside the original can people be told from rows.
        (Unit::Rows, None) => (Vec::new(), None),
        (Unit::Rows, Some(original)) => judge_people(&*release, &models, original, &files.manifest, progress)?,
    };
    let sizes = match files.manifest.unit {
        Unit::People => release.candidate_sizes().ok(),
        Unit::Rows => by_people.clone(),
    };
    let mut about_groups = by_rows.into_iter();
    let (mut verdicts, mut unproved, mut unprovable) = (Vec::new(), Vec::new(), Vec::new());
    for (model, guarantee) in models.iter().zip(&files.manifest.guarantees) {
        progress.check()?;
        let refusal = model.wordings().of(release.kind().id).refusal();
        let verdict = match model.scope() {
            // Every promise about groups has its judgement, asked for or not.
            Scope::Groups(_) => about_groups.next(),
            Scope::Sizes(least) => sizes.as_ref().map(|sizes| judge_sizes(&**model, least, sizes)),
            Scope::Members(_) | Scope::Release(_) if refusal.is_some() => None,
            Scope::Members(model) => members::judge(model, &*release, original, progress)?,
            Scope::Release(model) => model.judge(&*release, original, progress)?,
        };
        match (refusal, verdict) {
            (Some(refusal), _) => {
                unprovable.push(Unprovable { guarantee: guarantee.clone(), reason: refusal.reason });
            }
            (None, Some(verdict)) => verdicts.push(verdict),
            (None, None) => unproved.push(guarantee.clone()),
        }
    }
    Ok(Verified { manifest: files.manifest, release, models, verdicts, unproved, unprovable, by_people })
}

/// Judges the groups by the different people in them, and gives these.
fn judge_people(
    release: &dyn OpenRelease,
    models: &[Box<dyn PrivacyModel>],
    original: &Original<'_>,
    manifest: &Manifest,
    progress: &Progress,
) -> Result<(Vec<Verdict>, Option<Vec<u64>>)> {
    let Some(groups) = people::by_people(release, original, progress.token())? else { return Ok((Vec::new(), None)) };
    if manifest.persons != Some(groups.whole.people) {
        return Err(not_the_original("it says that its rows belong to another number of people"));
    }
    let requirement = Requirement::for_judging(models, &groups.whole)?;
    let mut verdicts = requirement.judge(&groups, progress.token())?;
    verdicts.iter_mut().for_each(|verdict| verdict.proved_from = ProvedFrom::FilesAndOriginal);
    Ok((verdicts, Some(groups.people)))
}

fn judge_groups(
    release: &dyn OpenRelease,
    models: &[Box<dyn PrivacyModel>],
    progress: &Progress,
) -> Result<Vec<Verdict>> {
    let Ok(groups) = release.groups() else { return Ok(Vec::new()) };
    let requirement = Requirement::for_judging(models, &groups.whole)?;
    match release.partition() {
        None => requirement.judge(groups, progress.token()),
        Some(tree) => requirement.judge_in(groups, tree, progress.token()),
    }
}

/// The promises of a manifest.
pub fn models(manifest: &Manifest, attributes: &[Attribute], place: &Path) -> Result<Vec<Box<dyn PrivacyModel>>> {
    let read = |guarantee: &Guarantee| {
        let mut parameters = guarantee.parameters.clone();
        parameters.insert("model".to_owned(), Json::String(guarantee.model.clone()));
        model::registry::read(&Node::from_json(&Json::Object(parameters)), place, attributes)
    };
    manifest.guarantees.iter().map(read).collect()
}
