//! Tables that are counted elsewhere, and releases that are written elsewhere: a cluster counts the rows, this library plans from the counts
//! as it plans from a table of its own, and the cluster writes.
//!
//! What counting leaves is a table with a row for each combination of quasi-identifiers and sensitive values that occurs, and a column with
//! the people who have it. A release is made of it in the same form, *counted*: a row for each published combination, with its people.
//! Whoever writes every row as often as it counts has the release that [`moretta::publish`](fn@crate::publish) makes of the same people from the same seed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{RecordBatch, StringArray};
use serde_json::Value as Json;

use super::publish::Published;
use super::release::Release;
use super::run::Run;
use super::table::Table;
use crate::check;
use crate::data::role::Role;
use crate::data::source::Source;
use crate::error::{Code, Error, Result};
use crate::kind::registry;
use crate::policy::Policy;
use crate::prepare::{Held, Prepared};
use crate::progress::Progress;
use crate::publish::{self, check_policy, write_words};
use crate::release::{Files, Manifest, TableFile, TableSummary, ValueMeaning, spelled_out};
use crate::schema::Attribute;
use crate::steward;
use crate::storage::{AtomicOutput, Fingerprint, Storage};

pub use crate::release::PartFile;

/// A table that was counted elsewhere.
#[derive(Debug)]
pub struct Counted {
    policy: Policy,
    policy_of_counts: Policy,
    prepared: Prepared,
}

impl Counted {
    /// The names of the columns by which a table is counted that a policy describes, for counts in the column `count`; refuses by name what
    /// counting loses.
    pub fn columns(policy: &Policy, count: &str) -> Result<Vec<String>> {
        Ok(policy.counted(count)?.counted_by().map(|attribute| attribute.name.clone()).collect())
    }

    /// Reads the counts of a policy's table: the columns by which it is counted, and the people in the column `count`, or in that of the
    /// weights where the policy has some.
    pub fn read(cells: &Source, count: &str, policy: &Policy, run: &Run) -> Result<Self> {
        let policy_of_counts = policy.counted(count)?;
        let prepared = run.carry_out(|progress| Prepared::read_source(&policy_of_counts, cells.clone(), progress))?;
        Ok(Self { policy: policy.clone(), policy_of_counts, prepared })
    }

    /// The people: those whom the rule for missing values leaves.
    pub fn people(&self) -> u64 {
        self.prepared.table.people()
    }

    /// The distinct combinations.
    pub fn cells(&self) -> u64 {
        self.prepared.cells.len() as u64
    }

    /// Makes the release in counted form, in memory, and proves its promise from these bytes. Chance falls as it does for the table that was
    /// counted.
    pub fn publish(self, run: &Run) -> Result<Published> {
        check_policy(&self.policy)?;
        let seed = run.drawn_seed()?;
        let (files, private) = (Storage::memory(), Storage::memory());
        let made = run.carry_out(|progress| {
            let held = Held::Own(Box::new(self.prepared.without_codes()));
            steward::publish_as(
                &self.policy,
                &self.policy_of_counts,
                held,
                seed,
                (&files, &private, None),
                None,
                progress,
            )
        })?;
        // It says in which group each row of the source stands, and the source has no rows here.
        private.files()?.iter().filter(|name| name.starts_with("map.")).try_for_each(|name| private.remove(name))?;
        Ok(Published::new(made.report, Release::new(files, Some(private), made.verified.manifest)))
    }

    /// Makes one part of a release of a table that is too large for one machine, in counted form: the manifest, and the rows.
    ///
    /// Groups are compared with the whole table, whose sensitive values `whole` counts. Nobody is left out, and labels say by themselves what
    /// they stand for, so that those of different parts can stand side by side. The promise is judged when all parts are there.
    pub fn recode(self, whole: Option<&Source>, count: &str, run: &Run) -> Result<(Json, Vec<RecordBatch>)> {
        let Self { policy, policy_of_counts, prepared } = self;
        check_policy(&policy)?;
        if policy.suppression > 0.0 {
            return Err(Error::input("`suppression` is a share of the whole table, and this is a part of it")
                .coded(Code::WrongParameter)
                .at_file(&policy.file)
                .help("leave `suppression` out, or plan the whole at once"));
        }
        let (seed, people, storage) = (run.drawn_seed()?, prepared.table.people(), Storage::memory());
        run.carry_out(|progress| {
            let prepared = match whole {
                None => prepared,
                Some(whole) => {
                    let of_whole = policy_of_counts.without_quasi();
                    let table = of_whole.read_table(whole.clone(), progress)?.table;
                    let described: Vec<&Attribute> = of_whole.with_role(Role::Sensitive).collect();
                    prepared.within(TableSummary::of_table(&table, &described)?)?
                }
            };
            let planned = publish::plan(&policy, &prepared, seed, progress)?;
            publish::write(&policy_of_counts, &prepared, &planned, (&storage, None), progress).map(drop)
        })?;
        let manifest = Manifest::read(&storage)?;
        if manifest.people != people {
            return Err(Error::bug("a part of the table lost people; nothing was published"));
        }
        let made = Release::new(storage, None, Manifest { suppressed: 0, ..manifest });
        in_full(&made, count)
    }

    /// The table beside which a release in counted form is attacked.
    pub fn into_table(self) -> Table {
        Table::of_counts(self.policy_of_counts, self.prepared)
    }
}

/// The manifest and the rows of a release in counted form, in which every set is spelled out; the people stand in the column `count`, as they
/// do where the policy has weights.
fn in_full(release: &Release, count: &str) -> Result<(Json, Vec<RecordBatch>)> {
    let mut manifest = release.stated().clone();
    let (_, mut batches) =
        release.tables()?.into_iter().next().ok_or_else(|| Error::bug("a release without a table"))?;
    for meaning in &mut manifest.columns {
        let ValueMeaning::Set { nodes } = &mut meaning.values else { continue };
        let full = spelled_out(&std::mem::take(nodes), &meaning.name)?;
        for batch in &mut batches {
            *batch = respelled(batch, &meaning.name, &|label| full.get(label).map(String::as_str))?;
        }
    }
    if !manifest.columns.iter().any(|column| column.role == Role::Weight && column.name == count) {
        return Err(Error::bug(format!("the release has no column {count:?} of people")));
    }
    let manifest = serde_json::to_value(&manifest).map_err(|e| Error::bug(e.to_string()))?;
    Ok((manifest, batches))
}

/// A batch in which the texts of one column are spelled otherwise.
fn respelled<'f>(batch: &RecordBatch, name: &str, full: &dyn Fn(&str) -> Option<&'f str>) -> Result<RecordBatch> {
    let wrong = |e: arrow_schema::ArrowError| Error::bug(e.to_string());
    let index = batch.schema().index_of(name).map_err(wrong)?;
    let mut columns = batch.columns().to_vec();
    let Some(texts) = columns[index].as_any().downcast_ref::<StringArray>() else {
        return Err(Error::bug(format!("the labels of {name:?} are no texts")));
    };
    let spelled: StringArray = texts.iter().map(|text| text.map(|text| full(text).unwrap_or(text))).collect();
    columns[index] = Arc::new(spelled);
    RecordBatch::try_new(batch.schema(), columns).map_err(wrong)
}

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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::api::{files, publish};
    use crate::error::Code;

    const PEOPLE: &str = "[attributes]\nname = { role = \"drop\" }\nage = { role = \"quasi\" }\nsex = { role = \"quasi\" }\n\
                          disease = { role = \"sensitive\" }\n[[require]]\nmodel = \"k-anonymity\"\nk = 3\n";

    fn policy(rest: &str) -> Policy {
        Policy::parse(format!("{PEOPLE}{rest}")).unwrap()
    }

    /// Rows whose values depend on each other; the age of some is missing.
    fn rows(number: u32) -> Vec<[String; 4]> {
        let age = |row: u32| if row.is_multiple_of(17) { String::new() } else { (20 + row * row % 31).to_string() };
        let row = |row: u32| {
            let sex = if row.is_multiple_of(3) { "f" } else { "m" };
            let disease = ["flu", "gout", "ulcer"][(row * row % 7 % 3) as usize];
            [format!("p{row}"), age(row), sex.to_owned(), disease.to_owned()]
        };
        (0..number).map(row).collect()
    }

    fn csv(names: &str, rows: impl IntoIterator<Item = Vec<String>>) -> Source {
        let lines: String = rows.into_iter().map(|row| row.join(",") + "\n").collect();
        files::csv(format!("{names}\n{lines}")).unwrap()
    }

    fn counted(rows: &[[String; 4]]) -> Source {
        let mut cells: BTreeMap<&[String], u64> = BTreeMap::new();
        rows.iter().for_each(|row| *cells.entry(&row[1..]).or_default() += 1);
        let line = |(cell, people): (&[String], u64)| cell.iter().cloned().chain([people.to_string()]).collect();
        csv("age,sex,disease,people", cells.into_iter().rev().map(line))
    }

    /// The rows of a release as texts, each as often as it counts.
    fn laid_out(release: &Release) -> Vec<Vec<String>> {
        let mut all = Vec::new();
        let weight = release.stated().columns.iter().position(|column| column.role == Role::Weight);
        let source = Files::open(release.files().unwrap(), &Progress::new()).unwrap().source("data").unwrap();
        let wanted: Vec<usize> = (0..source.names().len()).collect();
        let mut take = |row: Vec<Option<Box<str>>>| {
            let mut row: Vec<String> = row.into_iter().map(|text| text.unwrap_or_default().into()).collect();
            let times = weight.map_or(1, |weight| row.remove(weight).parse().unwrap());
            all.extend(std::iter::repeat_n(row, times));
        };
        let taken = source.stream(&wanted, &mut |batch| {
            (0..batch.rows).for_each(|row| take(batch.columns.iter().map(|column| column[row].clone()).collect()));
            Ok(())
        });
        taken.unwrap();
        all
    }

    #[test]
    fn a_release_of_counts_has_the_rows_of_one_of_rows() {
        let rows = rows(160);
        let table = csv("name,age,sex,disease", rows.iter().map(|row| row.to_vec()));
        for method in ["least-loss", "mondrian", "clustering", "top-down"] {
            for more in ["", "suppression = 0.1\n[data]\nmissing = \"keep\"\n"] {
                let policy = policy(&format!("[method]\nname = \"{method}\"\n{more}"));
                let run = Run::new().seed(7);
                let alone = publish(&policy, Table::read(&table, policy.schema(), &run).unwrap(), &run).unwrap();
                let cells = Counted::read(&counted(&rows), "people", &policy, &run).unwrap();
                assert_eq!(cells.people(), alone.report().rows_in);
                let made = cells.publish(&run).unwrap();
                assert_eq!(laid_out(made.release()), laid_out(alone.release()), "{method}");
                assert_eq!(made.report().suppressed, alone.report().suppressed);
            }
        }
    }

    #[test]
    fn what_counts_do_not_tell_is_refused_by_name() {
        for (rest, code, words) in [
            ("[method]\nname = \"slicing\"\ncolumns = 2\n", Code::WrongParameter, "slicing"),
            ("[method]\nname = \"mondrian\"\n[data]\nwhere = \"age > 30\"\n", Code::WrongParameter, "where"),
            ("[method]\nname = \"mondrian\"\n[data]\nmissing = \"drop-any\"\n", Code::WrongParameter, "drop-any"),
        ] {
            let refused = Counted::columns(&policy(rest), "people").unwrap_err();
            assert!(refused.code() == code.as_str() && refused.to_string().contains(words), "{refused}");
        }
        let taken = Counted::columns(&policy("[method]\nname = \"mondrian\"\n"), "age").unwrap_err();
        assert!(taken.to_string().contains("\"age\""));
        let open = PEOPLE.replace("drop", "insensitive") + "[method]\nname = \"mondrian\"\n";
        let refused = Counted::columns(&Policy::parse(open).unwrap(), "people").unwrap_err();
        assert_eq!(refused.code(), Code::RoleUnsupported.as_str());
        assert_eq!(
            Counted::columns(&policy("[method]\nname = \"mondrian\"\n"), "people").unwrap(),
            ["age", "sex", "disease"]
        );
    }

    #[test]
    fn a_folder_of_parts_is_read_as_one_table_and_nothing_in_it_may_be_another() {
        let (policy, run) = (policy("[method]\nname = \"mondrian\"\n"), Run::new().seed(7));
        let made = Counted::read(&counted(&rows(160)), "people", &policy, &run).unwrap().publish(&run).unwrap();
        let home = tempfile::tempdir().unwrap();
        let (out, folder) = (home.path().join("out"), "release/data.parquet");
        let begun = PartsFolder::begin(&out, false).unwrap();
        let content = made.release().files().unwrap().read("data.parquet").unwrap();
        std::fs::create_dir_all(begun.path().join(folder)).unwrap();
        let part = |name: &str, path: &Path| {
            std::fs::write(path.join(folder).join(name), &content).unwrap();
            let found = Fingerprint::of_bytes(&content);
            PartFile {
                file: name.to_owned(),
                rows: made.release().stated().tables[0].rows,
                bytes: found.bytes,
                sha256: found.sha256,
            }
        };
        // The same people twice, as weights.
        let parts = vec![part("a.parquet", begun.path()), part("b.parquet", begun.path())];
        let mut manifest = made.release().stated().clone();
        manifest.people *= 2;
        let manifest = serde_json::to_value(manifest).unwrap();
        let release = begun.commit(&manifest, None, parts, Some(made.release()), &run).unwrap();
        let twice = laid_out(&release);
        assert_eq!(twice.len(), 2 * laid_out(made.release()).len());
        assert!(crate::check(&Release::open(&out).unwrap(), None, &run).unwrap().holds());
        assert!(out.join("private/policy.toml").is_file() && !out.join("private/map.parquet").exists());
        let copy = home.path().join("copy");
        release.save(&copy, false).unwrap();
        assert_eq!(laid_out(&Release::open(&copy).unwrap()), twice);

        let stranger = out.join(folder).join("c.parquet");
        std::fs::write(&stranger, &content).unwrap();
        assert_eq!(Release::open(&out).unwrap_err().code(), Code::ReleaseDamaged.as_str());
        std::fs::remove_file(stranger).unwrap();
        std::fs::write(out.join(folder).join("b.parquet"), &content[1..]).unwrap();
        assert_eq!(Release::open(&out).unwrap_err().code(), Code::ReleaseDamaged.as_str());
        // A file beside the folder, whose hashes are right, is none of its parts.
        let mut stated = release.stated().clone();
        let mut parts = stated.tables[0].parts.clone();
        parts[1].file = "../b.parquet".to_owned();
        std::fs::remove_file(out.join(folder).join("b.parquet")).unwrap();
        std::fs::write(out.join("release/b.parquet"), &content).unwrap();
        let table = &stated.tables[0];
        stated.tables = vec![TableFile::of_parts(&table.name, table.file.clone(), table.format, parts)];
        stated.write(&Storage::Folder(out.join("release"))).unwrap();
        let outside = Release::open(&out).unwrap_err().to_string();
        assert!(outside.contains("\"../b.parquet\", which is no file of this release"), "{outside}");

        let begun = PartsFolder::begin(home.path().join("short"), false).unwrap();
        std::fs::create_dir_all(begun.path().join(folder)).unwrap();
        let one = vec![part("a.parquet", begun.path())];
        assert_eq!(begun.commit(&manifest, Some("people"), one, None, &run).unwrap_err().code(), "bug");
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 2, "nothing half-written stays");
    }
}
