//! The release that is attacked, of whatever origin.

use std::sync::Arc;

use super::input::OriginalTable;
use super::labels;
use super::published::PublishedTable;
use crate::check::{self, Unprovable, Verified};
use crate::data::role::Role;
use crate::data::source::Source;
use crate::error::Result;
use crate::kind::OpenRelease;
use crate::kind::bucketized::GROUP;
use crate::kind::generalized::Generalized;
use crate::kind::sliced::BUCKET;
use crate::model::{PrivacyModel, Verdict};
use crate::policy::Policy;
use crate::progress::Progress;
use crate::release::{ColumnMeaning, Guarantee, Original, Unit, manifest};
use crate::schema::{Attribute, EncodedTable, MissingRule, TableSpec};
use crate::storage::Storage;

/// A release as the auditor finds it.
#[derive(Debug)]
pub struct AuditedRelease {
    /// The method that made it, if it says so.
    pub method: Option<String>,
    /// The people in it, as it says.
    pub people: u64,
    /// Whether these are people, or rows of which several may belong to one.
    pub unit: Unit,
    /// How many different people the rows belong to, as it says, where several may belong to one.
    pub persons: Option<u64>,
    /// The different people in each group, where several rows may belong to one and the original says whose they are.
    pub by_people: Option<Vec<u64>>,
    /// Its tables, as they answer questions.
    pub release: Box<dyn OpenRelease>,
    /// What it promises.
    pub models: Arc<[Box<dyn PrivacyModel>]>,
    /// The promises, judged anew.
    pub verdicts: Vec<Verdict>,
    /// The promises that can't be judged with what is at hand.
    pub unproved: Vec<Guarantee>,
    /// The promises that no release of its kind can keep in their own words.
    pub unprovable: Vec<Unprovable>,
    /// Its tables, field by field.
    pub tables: Vec<PublishedTable>,
    /// The attributes by which people are recognized.
    pub quasi: Vec<String>,
    /// Columns of which no promise speaks: insensitive attributes and, in tables of other tools, whatever is neither quasi-identifier, sensitive nor weight.
    pub unprotected: Vec<String>,
    /// Files beside the tables that no manifest names.
    pub unlisted_files: Vec<String>,
    /// What could not be understood.
    pub doubts: Vec<String>,
}

impl AuditedRelease {
    /// A release of this program.
    pub fn of_release(storage: &Storage, original: Option<&Original<'_>>, progress: &Progress) -> Result<Self> {
        let verified = check::release(storage, original, progress)?;
        let Verified { manifest, release, models, verdicts, unproved, unprovable, by_people } = verified;
        let files = crate::release::Files::open(storage, progress)?;
        let read = |table: &crate::release::TableFile| {
            let mut read = PublishedTable::read(&table.name, files.source(&table.name)?, progress)?;
            files.as_labels(&mut read.columns)?;
            Ok(read)
        };
        let tables = manifest.tables.iter().map(read).collect::<Result<_>>()?;
        let listed: Vec<String> = manifest.tables.iter().flat_map(crate::release::TableFile::files).collect();
        let named = |file: &String| {
            file == manifest::FILE
                || file == crate::release::README
                || file == crate::release::datapackage::DATAPACKAGE
                || listed.contains(file)
        };
        let unlisted_files = storage.files()?.into_iter().filter(|file| !named(file)).collect();
        let is_known = |column: &&ColumnMeaning| matches!(column.role, Role::Quasi | Role::Unclassified);
        let quasi = manifest.columns.iter().filter(is_known).map(|column| column.name.clone()).collect();
        let is_open = |column: &&ColumnMeaning| column.role == Role::Insensitive;
        let unprotected = manifest.columns.iter().filter(is_open).map(|column| column.name.clone()).collect();
        Ok(Self {
            method: Some(manifest.method),
            people: manifest.people,
            quasi,
            unprotected,
            unit: manifest.unit,
            persons: manifest.persons,
            by_people,
            release,
            models: models.into(),
            verdicts,
            unproved,
            unprovable,
            tables,
            unlisted_files,
            doubts: Vec::new(),
        })
    }

    /// A release that was just made and stands in memory, for attacks that look at its groups and at what the policy promises.
    pub(crate) fn in_memory(release: Box<dyn OpenRelease>, policy: &Policy, people: u64) -> Self {
        Self {
            method: policy.method.as_ref().map(|method| method.name().to_owned()),
            people,
            quasi: Vec::new(),
            unprotected: Vec::new(),
            unit: Unit::default(),
            persons: None,
            by_people: None,
            release,
            models: policy.models.clone(),
            verdicts: Vec::new(),
            unproved: Vec::new(),
            unprovable: Vec::new(),
            tables: Vec::new(),
            unlisted_files: Vec::new(),
            doubts: Vec::new(),
        }
    }

    /// The tables in which groups have numbers that mean nothing: those of our own making, whose numbers are no attribute.
    pub(super) fn numbered_tables(&self) -> impl Iterator<Item = &PublishedTable> {
        let attributes = self.release.attributes();
        let own = self.method.is_some() && !attributes.iter().any(|known| known.name == GROUP || known.name == BUCKET);
        self.tables.iter().filter(move |_| own)
    }

    /// A table that any tool made from the original of a policy: recoded quasi-identifiers, and sensitive values.
    pub fn of_table(table: &Source, original_table: &OriginalTable, progress: &Progress) -> Result<Self> {
        let policy = &original_table.policy;
        let source = Source::open(table.input().clone(), policy.data.options.clone())?;
        let name =
            source.input().name().file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let encoded = EncodedTable::read(source, |_| true, progress)?;
        let present = |name: &str| encoded.source().position(name).is_some();
        let attributes: Vec<Attribute> = policy
            .attributes
            .iter()
            .filter(|attribute| present(&attribute.name) || matches!(attribute.role, Role::Quasi | Role::Sensitive))
            .map(|attribute| match attribute.role {
                Role::Quasi => attribute.of_labels(),
                // Rows are judged as those see them who get the table.
                Role::Person => Attribute { role: Role::Drop, ..attribute.clone() },
                _ => attribute.clone(),
            })
            .collect();
        let spec = TableSpec { attributes: &attributes, file: &policy.file, missing: MissingRule::Keep, filter: None };
        let names = encoded.source().names().to_vec();
        let table = spec.read_encoded(&encoded, progress)?.table;
        let spoken_of = |name: &str| {
            attributes.iter().any(|a| a.name == name && matches!(a.role, Role::Quasi | Role::Sensitive | Role::Weight))
        };
        let unprotected = names.into_iter().filter(|name| !spoken_of(name)).collect();
        let (columns, doubts) = labels::meanings(&table, policy, original_table)?;
        let described: Vec<&Attribute> = attributes.iter().filter(|a| a.role == Role::Sensitive).collect();
        let suppressed = original_table.counted.table.people().saturating_sub(table.people());
        let release = Box::new(Generalized::of_labels(table, Vec::new(), columns, &described, suppressed)?);
        let levels = check::encoded_table(&encoded, policy, progress)?;
        Ok(Self {
            method: None,
            people: levels.rows,
            quasi: original_table.names.clone(),
            unprotected,
            unit: if policy.with_role(Role::Person).next().is_some() { Unit::Rows } else { Unit::People },
            persons: None,
            by_people: None,
            release,
            models: policy.models.clone(),
            verdicts: levels.guarantees,
            unproved: Vec::new(),
            unprovable: Vec::new(),
            tables: vec![PublishedTable::of(&name, &encoded, progress)?],
            unlisted_files: Vec::new(),
            doubts,
        })
    }
}
