//! A release whose table stands in parts that others have written.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::api::release::Release;
use crate::api::run::Run;
use crate::check;
use crate::data::role::Role;
use crate::error::{Code, Error, Result};
use crate::kind::registry;
use crate::progress::Progress;
use crate::publish::write_words;
use crate::release::{Files, Manifest, PartFile, TableFile};
use crate::storage::{AtomicOutput, Fingerprint, Storage};

/// A release folder that others write into. It appears whole or not at all.
#[derive(Debug)]
pub struct PartsFolder {
    output: AtomicOutput,
    out: PathBuf,
}

impl PartsFolder {
    /// Starts one. An existing folder is refused, or replaced whole where it holds an earlier release.
    pub fn begin(folder: impl AsRef<Path>, replace: bool) -> Result<Self> {
        let out = folder.as_ref().to_path_buf();
        Ok(Self { output: AtomicOutput::begin(&out, replace)?, out })
    }

    /// The folder aside, closed to others, in which `release/` and `private/` are made.
    pub fn path(&self) -> &Path {
        self.output.path()
    }

    /// Writes what the release says of itself, and puts the folder into place. The table `data` stands in parts in `release/data.parquet/`:
    /// the rows of a release in counted form with this manifest, each as often as the column `count` says; nothing where the counts are
    /// published as weights.
    ///
    /// What only a steward may know comes from `private`, but for files that stand in the folder aside already.
    pub fn commit(
        self,
        counted: &Json,
        count: Option<&str>,
        parts: Vec<PartFile>,
        private: Option<&Release>,
        run: &Run,
    ) -> Result<Release> {
        run.check()?;
        let (release, closed) = (self.output.release(), self.output.private());
        let manifest = written_out(read_manifest(counted)?, count, parts)?;
        let named = manifest.tables.iter().flat_map(TableFile::files).collect::<Vec<_>>();
        if let Some(stranger) = release.files()?.into_iter().find(|file| !named.contains(file)) {
            return Err(Error::bug(format!("{stranger} is no part of the release; nothing was published")));
        }
        let memory = Storage::memory();
        manifest.write(&memory)?;
        let progress = Progress::new();
        let files = Files::open(&memory, &progress)?;
        let models = check::models(&manifest, &files.attributes()?, &files.location)?;
        write_words(&manifest, &models, registry::of_files(&files)?, &release)?;
        if let Some(own) = private.and_then(Release::private) {
            let there = closed.files()?;
            own.files()?
                .iter()
                .filter(|name| !there.contains(name))
                .try_for_each(|name| closed.write(name, &own.read(name)?).map(drop))?;
        }
        run.check()?;
        self.output.commit()?;
        Ok(Release::new(release, Some(closed), manifest).moved_to(&self.out))
    }
}

/// The manifest of a release in counted form when each of its rows stands there as often as it counts.
fn written_out(mut manifest: Manifest, count: Option<&str>, parts: Vec<PartFile>) -> Result<Manifest> {
    let counted = manifest.tables.first().filter(|_| manifest.tables.len() == 1).cloned();
    let Some(counted) = counted else {
        return Err(Error::bug("a release in counted form has one table"));
    };
    if let Some(count) = count {
        manifest.columns.retain(|column| column.role != Role::Weight || column.name != count);
    }
    let table = TableFile::of_parts(&counted.name, counted.file, counted.format, parts);
    if count.is_some() && table.rows != manifest.people {
        let message = format!("{} rows were written for {} people; nothing was published", table.rows, manifest.people);
        return Err(Error::bug(message));
    }
    Ok(manifest.with_tables(vec![table]))
}

impl Release {
    /// A release whose files were read already, by their names: its manifest, and its tables.
    ///
    /// ```
    /// let nothing = moretta::Release::of_files([("manifest.json".to_owned(), b"{}".to_vec())]);
    /// assert_eq!(nothing.unwrap_err().code(), "manifest-unreadable");
    /// ```
    pub fn of_files(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Result<Self> {
        let storage = Storage::memory();
        files.into_iter().try_for_each(|(name, content)| storage.write(&name, &content).map(drop))?;
        let manifest = Manifest::read(&storage)?;
        for table in &manifest.tables {
            let found = Fingerprint::of_bytes(&storage.read(&table.file)?);
            if (found.bytes, &found.sha256) != (table.bytes, &table.sha256) {
                return Err(Error::data(format!("{} is not the file that the manifest names", table.file))
                    .coded(Code::ReleaseDamaged)
                    .help("get the release again from its publisher"));
            }
        }
        Ok(Self::new(storage, None, manifest))
    }
}

/// The manifest of a release whose parts were made one by one, each in counted form, of disjoint tables: what any of them shows, it shows.
pub fn joined_manifest(parts: &[Json]) -> Result<Json> {
    let mut manifests = parts.iter().map(read_manifest).collect::<Result<Vec<_>>>()?.into_iter();
    let Some(mut whole) = manifests.next() else { return Err(Error::input("no part has a manifest")) };
    for other in manifests {
        whole = whole.joined(other)?;
    }
    serde_json::to_value(&whole).map_err(|e| Error::bug(e.to_string()))
}

fn read_manifest(json: &Json) -> Result<Manifest> {
    serde_json::from_value(json.clone())
        .map_err(|e| Error::input(format!("the manifest can't be read: {e}")).coded(Code::ManifestUnreadable))
}
