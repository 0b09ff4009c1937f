//! The files of a release, and reading its tables back from them.

use std::path::{Component, Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::datapackage::{self, DATAPACKAGE};
use super::manifest::{self, ColumnMeaning, Manifest, ValueMeaning};
use super::table_file::TableFile;
use super::{bounds, named, set_labels};
use crate::data::role::Role;
use crate::data::source::{Input, ReadOptions, Source};
use crate::data::table::{CodedTable, Column};
use crate::data::value::Type;
use crate::error::{Code, Error, Fault, Result};
use crate::hierarchy::{HierarchySpec, Limits};
use crate::progress::Progress;
use crate::schema::{Attribute, MissingRule, TableSpec};
use crate::storage::{Storage, fingerprint};

/// The files of a release, whole: each is the one that the manifest names.
#[derive(Debug)]
pub struct Files<'s> {
    storage: &'s Storage,
    /// What the release says of itself.
    pub manifest: Manifest,
    /// Where the manifest stands, for messages.
    pub location: PathBuf,
    /// Whether insensitive attributes are read as well: questions may be about them, promises never are.
    insensitive: bool,
    /// Whether rows that agree may be read as one: promises are about how many there are, attacks also about where they stand.
    folded: bool,
}

impl<'s> Files<'s> {
    /// The files on a shelf. Their hashes are compared with the manifest's, and so is what a data package says of them.
    pub fn open(storage: &'s Storage, progress: &Progress) -> Result<Self> {
        let manifest = Manifest::read(storage)?;
        progress.start("hashing", manifest.tables.iter().map(|table| table.bytes).fold(0, u64::saturating_add));
        manifest.tables.iter().try_for_each(|table| compare_fingerprint(storage, table, progress))?;
        let location = storage.input(manifest::FILE)?.name().to_path_buf();
        let files = Self { storage, manifest, location, insensitive: false, folded: false };
        if storage.files()?.iter().any(|file| file == DATAPACKAGE)
            && let Some(wrong) = datapackage::contradiction(&files.manifest, &storage.read(DATAPACKAGE)?)
        {
            return Err(files.wrong(wrong));
        }
        Ok(files)
    }

    /// The same, to be read for questions about insensitive attributes too.
    #[must_use]
    pub fn for_questions(self) -> Self {
        Self { insensitive: true, ..self }
    }

    /// The same, to be read for a proof alone: where a kind can, rows that agree are read as one.
    #[must_use]
    pub fn for_proof(self) -> Self {
        Self { folded: true, ..self }
    }

    /// What the manifest of this kind says beside what all manifests say.
    pub fn detail<D: DeserializeOwned>(&self) -> Result<D> {
        serde_json::from_value(Json::Object(self.manifest.detail.clone())).map_err(|e| {
            Error::input(format!("the manifest does not state what a {} release needs: {e}", self.manifest.kind))
                .at_file(&self.location)
        })
    }

    /// The columns as attributes: what was recoded is a label, everything else keeps its type.
    pub fn attributes(&self) -> Result<Vec<Attribute>> {
        Ok(self.manifest.columns.iter().map(attribute).collect())
    }

    /// Reads a table whose columns are these attributes.
    pub fn read(&self, table: &str, attributes: &[Attribute], progress: &Progress) -> Result<CodedTable> {
        self.read_rows(table, attributes, false, progress)
    }

    fn read_rows(
        &self,
        table: &str,
        attributes: &[Attribute],
        folded: bool,
        progress: &Progress,
    ) -> Result<CodedTable> {
        let file = self.manifest.table(table)?;
        let source = self.source(table)?;
        let attributes = bounds::physical(attributes, &self.manifest.columns);
        let spec =
            TableSpec { attributes: &attributes, file: &self.location, missing: MissingRule::Keep, filter: None };
        let reading = if folded { spec.read_folded(source, false, progress) } else { spec.read(source, progress) };
        let mut table = reading?.table;
        self.compare("rows", file.rows, table.tally.read)?;
        if table.tally.repeated_identifiers > 0 {
            return Err(self.wrong("a pseudonym stands in two rows: they would be known to be the same person's"));
        }
        self.as_labels(&mut table.quasi)?;
        Ok(table)
    }

    /// Reads a table whose columns are these attributes, and its insensitive columns if they are wanted.
    pub fn read_all(
        &self,
        table: &str,
        attributes: &[Attribute],
        progress: &Progress,
    ) -> Result<(CodedTable, Vec<Column>)> {
        self.read_all_rows(table, attributes, false, progress)
    }

    /// The same where for a proof rows that agree are one, whose weight says how many people they are. They stand in the order in which they
    /// first occur.
    pub fn read_folded(
        &self,
        table: &str,
        attributes: &[Attribute],
        progress: &Progress,
    ) -> Result<(CodedTable, Vec<Column>)> {
        self.read_all_rows(table, attributes, self.folded, progress)
    }

    fn read_all_rows(
        &self,
        table: &str,
        attributes: &[Attribute],
        folded: bool,
        progress: &Progress,
    ) -> Result<(CodedTable, Vec<Column>)> {
        if !self.insensitive {
            return Ok((self.read_rows(table, attributes, folded, progress)?, Vec::new()));
        }
        let (open, mut asked): (Vec<Attribute>, Vec<Attribute>) =
            attributes.iter().cloned().partition(|attribute| attribute.role == Role::Insensitive);
        let wanted = open.len();
        asked.extend(open.into_iter().map(|attribute| Attribute { role: Role::Unclassified, ..attribute }));
        let mut table = self.read_rows(table, &asked, folded, progress)?;
        let insensitive = table.quasi.split_off(table.quasi.len() - wanted);
        Ok((table, insensitive))
    }

    /// The file of a table, to be passed over.
    pub fn source(&self, table: &str) -> Result<Source> {
        source_of(self.storage, self.manifest.table(table)?)
    }

    /// Makes columns of labels from what stands for them in the files: bounds, and short labels of sets.
    pub fn as_labels(&self, columns: &mut Vec<Column>) -> Result<()> {
        if let Some(wrong) = bounds::fold(columns, &self.manifest.columns) {
            return Err(self.wrong(wrong));
        }
        for column in columns {
            if let Some(ValueMeaning::Set { nodes }) = named(&self.manifest.columns, &column.name).map(|of| &of.values)
                && let Some(wrong) = set_labels::spell_out(column, nodes)?
            {
                return Err(self.wrong(wrong));
            }
        }
        Ok(())
    }

    /// Refuses a number that the manifest states and the files do not hold.
    pub fn compare(&self, what: &str, stated: u64, found: u64) -> Result<()> {
        if stated == found {
            return Ok(());
        }
        Err(self.wrong(format!("the manifest states {stated} {what}, the files hold {found}")))
    }

    /// The error for files that contradict each other.
    pub fn wrong(&self, message: impl std::fmt::Display) -> Error {
        Error::data(message.to_string())
            .coded(Code::ReleaseDamaged)
            .at_file(&self.location)
            .help("get the release again from its publisher")
    }
}

/// The file of a table on a shelf, or its files.
pub fn source_of(storage: &Storage, table: &TableFile) -> Result<Source> {
    let options = ReadOptions { delimiter: Some(b','), header: Some(true), ..ReadOptions::detect() };
    if table.parts.is_empty() {
        return Source::open(storage.input(&table.file)?, options);
    }
    let parts = table.files().iter().map(|file| storage.input(file)).collect::<Result<Vec<_>>>()?;
    Source::open(Input::of_parts(&table.file, parts), options)
}

/// A column that is no attribute of the original: a group's number, a count.
pub fn auxiliary_attribute(name: &str, role: Role, kind: Type) -> Attribute {
    let hierarchy = HierarchySpec::Default;
    Attribute {
        name: name.to_owned(),
        role,
        kind: Some(kind),
        format: None,
        hierarchy,
        limits: Limits::default(),
        categories: None,
        line: None,
    }
}

/// What was recoded is a label, and what was drawn a number, whatever the original is.
pub fn published_type(column: &ColumnMeaning) -> Type {
    match column.values {
        ValueMeaning::Exact => column.kind,
        ValueMeaning::Drawn { .. } => Type::Number,
        _ => Type::Text,
    }
}

fn attribute(column: &ColumnMeaning) -> Attribute {
    // A pseudonym is read as what it is: a name that occurs once.
    let role = if column.role == Role::Pseudonym { Role::Identifier } else { column.role };
    let hierarchy = match column.hierarchy.as_slice() {
        // Models judge sensitive attributes; the paths of others are there for those who ask.
        paths if role == Role::Sensitive && !paths.is_empty() => HierarchySpec::Listed(paths.to_vec()),
        _ => HierarchySpec::Default,
    };
    Attribute {
        name: column.name.clone(),
        role,
        kind: Some(published_type(column)),
        format: None,
        hierarchy,
        limits: Limits::default(),
        categories: Some(column.categories.clone()).filter(|lists| !lists.is_empty()),
        line: None,
    }
}

fn compare_fingerprint(storage: &Storage, table: &TableFile, progress: &Progress) -> Result<()> {
    // What stands in memory was hashed as it was written there.
    let Storage::Folder(folder) = storage else { return Ok(()) };
    let mut names = std::iter::once(&table.file).chain(table.parts.iter().map(|part| &part.file));
    if let Some(name) = names.find(|name| !is_plain(name)) {
        return Err(Error::input(format!("the manifest names {name:?}, which is no file of this release"))
            .coded(Code::ReleaseDamaged));
    }
    if table.parts.is_empty() {
        return compare_file(folder, &table.file, (&table.sha256, table.bytes), progress);
    }
    let home = folder.join(&table.file);
    if !table.agrees_with_its_parts() {
        return Err(damaged("the manifest says one thing of the parts, and another of the whole", &home));
    }
    // Whoever reads the folder reads whatever is in it.
    let there = Storage::Folder(home.clone()).files()?;
    if let Some(stranger) = there.iter().find(|name| !table.parts.iter().any(|part| part.file == **name)) {
        return Err(damaged("the manifest names no such part", &home.join(stranger)));
    }
    table.parts.iter().try_for_each(|part| compare_file(&home, &part.file, (&part.sha256, part.bytes), progress))
}

/// Whether it names a file of a folder, and nothing above, below or hidden.
fn is_plain(name: &str) -> bool {
    let mut components = Path::new(name).components();
    matches!((components.next(), components.next()), (Some(Component::Normal(_)), None)) && !name.starts_with('.')
}

fn compare_file(folder: &Path, name: &str, (sha256, bytes): (&str, u64), progress: &Progress) -> Result<()> {
    let found = fingerprint(folder, name, progress)?;
    if found.sha256 == sha256 && found.bytes == bytes {
        return Ok(());
    }
    let message = if found.bytes == bytes {
        "the file is not the one that was published: its SHA-256 differs from the manifest's".to_owned()
    } else {
        format!("the file is not the one that was published: it has {} bytes, the manifest says {bytes}", found.bytes)
    };
    Err(damaged(message, &folder.join(name)))
}

fn damaged(message: impl Into<String>, file: &Path) -> Error {
    Error::new(Fault::Data, message.into())
        .coded(Code::ReleaseDamaged)
        .at_file(file)
        .help("get the release again from its publisher")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::registry;
    use crate::testkit::published::publish;

    #[test]
    fn numbers_that_files_do_not_hold_are_damage_whether_larger_or_smaller() {
        let policy = "[attributes]\nage = { role = \"quasi\" }\ndisease = { role = \"sensitive\" }\n\
                      [[require]]\nmodel = \"k-anonymity\"\nk = 2\n[method]\nname = \"mondrian\"\n";
        let published = publish("age,disease\n1,x\n2,y\n3,x\n4,y\n5,x\n", policy, 7).unwrap();
        let manifest = published.folder().join("release/manifest.json");
        let text = std::fs::read_to_string(&manifest).unwrap();
        let code = |json: &serde_json::Value| {
            std::fs::write(&manifest, json.to_string()).unwrap();
            let progress = Progress::default();
            let storage = published.storage();
            let files = Files::open(&storage, &progress).unwrap();
            registry::read(&files, &progress).map(|_| ()).map_err(|error| error.code())
        };
        let stated: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(code(&stated), Ok(()));
        for key in ["people", "groups"] {
            for other in [-1, 1] {
                let mut json = stated.clone();
                json[key] = (json[key].as_i64().unwrap() + other).into();
                assert_eq!(code(&json), Err("release-damaged"), "{key} {other}");
            }
        }
    }

    #[test]
    fn a_file_of_the_same_length_with_other_bytes_is_damage() {
        let policy = "[attributes]\nage = { role = \"quasi\" }\ndisease = { role = \"sensitive\" }\n\
                      [[require]]\nmodel = \"k-anonymity\"\nk = 2\n[method]\nname = \"mondrian\"\n";
        let published = publish("age,disease\n1,x\n2,y\n3,x\n4,y\n5,x\n", policy, 7).unwrap();
        let opened = || Files::open(&published.storage(), &Progress::default()).map(drop);
        assert!(opened().is_ok());
        let text = std::fs::read_to_string(published.file("data")).unwrap();
        std::fs::write(published.file("data"), text.replacen('y', "x", 1)).unwrap();
        assert_eq!(opened().unwrap_err().code(), "release-damaged");
    }
}
