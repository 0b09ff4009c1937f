//! A release, as those see it who have its files.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use arrow_array::RecordBatch;
use serde_json::Value as Json;

use super::run::Run;
use super::table::Table;
use crate::check::release_storage;
use crate::database::{self, Destination};
use crate::error::{Error, Result};
use crate::export;
use crate::kind::{OpenRelease, registry};
use crate::progress::Progress;
use crate::query::{Answer, Labels, Query, Truth, Workload, answer, relative_errors};
use crate::release::{Dialect, Files, Manifest, Original, Unit};
use crate::storage::{AtomicOutput, Storage};

/// The files of a release, in a folder or in memory. What is asked of it is answered from these files and from nothing else.
#[derive(Clone, Debug)]
pub struct Release {
    files: Arc<Shelf>,
    /// What stands with the steward, if this is the steward's own copy.
    private: Option<Arc<Storage>>,
    manifest: Arc<Manifest>,
    opened: Arc<OnceLock<Box<dyn OpenRelease>>>,
}

/// The files, or the database that they are read from when they are first needed.
#[derive(Debug)]
enum Shelf {
    Here(Storage),
    There(Destination, OnceLock<Storage>),
}

impl Release {
    pub(super) fn new(files: Storage, private: Option<Storage>, manifest: Manifest) -> Self {
        Self::on(Shelf::Here(files), private, manifest)
    }

    /// A release whose tables stand in a database, and the rest in a folder.
    pub(super) fn in_database(destination: Destination, folder: &Path, manifest: Manifest) -> Self {
        let private = Storage::Folder(folder.join("private"));
        Self::on(Shelf::There(destination, OnceLock::new()), Some(private), manifest)
    }

    fn on(files: Shelf, private: Option<Storage>, manifest: Manifest) -> Self {
        let (files, private) = (Arc::new(files), private.map(Arc::new));
        Self { files, private, manifest: Arc::new(manifest), opened: Arc::default() }
    }

    /// The release in a folder: that of its files, or the one that it was published into. From a database, as `ADDRESS#SCHEMA`, it is read
    /// into memory.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        let files = release_storage(folder.as_ref(), &Progress::new())?;
        let private = match &files {
            Storage::Folder(inner) => {
                inner.parent().map(|home| home.join("private")).filter(|private| private.is_dir())
            }
            Storage::Memory(_) => None,
        };
        let manifest = Files::open(&files, &Progress::new())?.manifest;
        Ok(Self::new(files, private.map(Storage::Folder), manifest))
    }

    /// The same release where it stands now.
    pub(super) fn moved_to(self, folder: &Path) -> Self {
        let (files, private) = (folder.join("release"), folder.join("private"));
        let manifest = Arc::unwrap_or_clone(self.manifest);
        Self::new(Storage::Folder(files), Some(Storage::Folder(private)), manifest)
    }

    /// What the release says of itself: kind, method, promises, the meaning of every column.
    pub fn manifest(&self) -> Result<Json> {
        serde_json::to_value(&*self.manifest).map_err(|e| Error::bug(format!("the manifest can't be shown: {e}")))
    }

    /// Its kind: which tables it has, and how they are read.
    pub fn kind(&self) -> &str {
        &self.manifest.kind
    }

    /// The method that made it.
    pub fn method(&self) -> &str {
        &self.manifest.method
    }

    /// What it counts as one: people, or rows of which several may belong to one person.
    pub fn unit(&self) -> Unit {
        self.manifest.unit
    }

    /// The people in it.
    pub fn people(&self) -> u64 {
        self.manifest.people
    }

    /// Its tables, by name, as Arrow has them. The metadata of each field say what its values mean.
    pub fn tables(&self) -> Result<Vec<(String, Vec<RecordBatch>)>> {
        export::tables(&Files::open(self.files()?, &Progress::new())?)
    }

    /// Answers a question from the files: an estimate, and bounds that no original which fits the files can leave.
    ///
    /// ```
    /// # fn main() -> moretta::Result<()> {
    /// # let policy = moretta::Policy::builder().quasi("age").sensitive("disease").require(moretta::models::KAnonymity::new(2)?)
    /// #     .method(moretta::methods::LeastLoss::new()).build()?;
    /// # let table = moretta::files::parse_csv("age,disease\n34,flu\n36,gout\n51,flu\n57,gout\n", policy.schema())?;
    /// # let release = moretta::publish(&policy, &table, &moretta::Run::new())?.release().clone();
    /// let young = release.query("SELECT COUNT(*) WHERE age < 40 AND disease = 'flu'")?.single()?;
    /// assert_eq!((young.lower, young.upper), (Some(1.0), Some(1.0)));
    /// # Ok(())
    /// # }
    /// ```
    pub fn query(&self, sql: &str) -> Result<Answer> {
        self.answer(&Query::parse(sql)?, &Run::new())
    }

    /// Answers a question that was read before.
    pub fn answer(&self, query: &Query, run: &Run) -> Result<Answer> {
        run.carry_out(|progress| answer(self.opened(progress)?, &self.resolved(query, progress)?))
    }

    /// What the original would have answered, for those who have it.
    ///
    /// ```
    /// # fn main() -> moretta::Result<()> {
    /// # let policy = moretta::Policy::builder().quasi("age").sensitive("disease").require(moretta::models::KAnonymity::new(2)?)
    /// #     .method(moretta::methods::LeastLoss::new()).build()?;
    /// # let table = moretta::files::parse_csv("age,disease\n34,flu\n36,gout\n51,flu\n57,gout\n", policy.schema())?;
    /// # let release = moretta::publish(&policy, &table, &moretta::Run::new())?.release().clone();
    /// let (query, run) = (moretta::Query::parse("SELECT COUNT(*) WHERE age < 35")?, moretta::Run::new());
    /// let (found, truth) = (release.answer(&query, &run)?, release.truth(&query, &table, &run)?);
    /// assert_eq!(found.to_json_beside(&truth)["exact"], 1.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn truth(&self, query: &Query, original: &Table, run: &Run) -> Result<Answer> {
        run.carry_out(|progress| {
            let query = self.resolved(query, progress)?;
            let (table, cells) = original.for_questions(progress)?;
            answer(&Truth(&Original::new(table, cells)), &query)
        })
    }

    /// How far off the answers to random count queries are, by the true count: queries for ranges, or for single groups.
    pub fn errors(&self, workload: &Workload, groups: bool, original: &Table, run: &Run) -> Result<Vec<f64>> {
        run.carry_out(|progress| {
            let (release, original) = (self.opened(progress)?, original.prepared().original());
            let queries = if groups { workload.make_groups(&original, progress)? } else { workload.make(&original)? };
            relative_errors(&queries, release, &original, progress)
        })
    }

    /// Reads the files, which the first question would do otherwise.
    pub fn prepare(&self, run: &Run) -> Result<()> {
        run.carry_out(|progress| self.opened(progress).map(drop))
    }

    /// A script of ordinary SQL that loads the tables into a database, and finds estimates and bounds there where SQL can.
    pub fn write_sql(&self, out: &mut (dyn Write + Send), run: &Run) -> Result<()> {
        self.write_sql_for(Dialect::Common, out, run)
    }

    /// The same with the types of one database, in which every value stands as it was published.
    pub fn write_sql_for(&self, dialect: Dialect, out: &mut (dyn Write + Send), run: &Run) -> Result<()> {
        run.carry_out(|progress| export::sql(&Files::open(self.files()?, progress)?, dialect, out, progress))
    }

    pub(super) fn files(&self) -> Result<&Storage> {
        let (destination, files) = match &*self.files {
            Shelf::Here(files) => return Ok(files),
            Shelf::There(destination, files) => (destination, files),
        };
        if let Some(files) = files.get() {
            return Ok(files);
        }
        let read = database::fetch(destination, &Progress::new())?;
        Ok(files.get_or_init(|| read))
    }

    pub(super) fn private(&self) -> Option<&Storage> {
        self.private.as_deref()
    }

    pub(super) fn stated(&self) -> &Manifest {
        &self.manifest
    }

    /// The release read for questions, when it is first asked one.
    pub(super) fn opened(&self, progress: &Progress) -> Result<&dyn OpenRelease> {
        if let Some(opened) = self.opened.get() {
            return Ok(&**opened);
        }
        let release = registry::read(&Files::open(self.files()?, progress)?.for_questions(), progress)?;
        release.prepare();
        Ok(&**self.opened.get_or_init(|| release))
    }

    /// The question with the labels of hierarchies replaced by what they stand for.
    fn resolved(&self, query: &Query, progress: &Progress) -> Result<Query> {
        Labels::of(&self.manifest).resolve(query, self.opened(progress)?)
    }

    /// Puts the release into a folder, beside what the steward keeps, if this is the steward's own copy. Both appear whole or not at all.
    /// An existing folder is refused, or replaced whole where it holds an earlier release.
    pub fn save(&self, folder: impl AsRef<Path>, replace: bool) -> Result<()> {
        let folder = folder.as_ref();
        let output = AtomicOutput::begin(folder, replace)?;
        self.files()?.copy_to(&output.release())?;
        if let Some(private) = &self.private {
            private.copy_to(&output.private())?;
        }
        output.commit()
    }
}
