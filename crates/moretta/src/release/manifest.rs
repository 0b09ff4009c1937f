//! The manifest: what a release is, so that a reader needs nothing else to understand and check it.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::About;
use super::bounds::TypedBounds;
use super::table_file::TableFile;
use crate::data::role::Role;
use crate::data::value::Type;
use crate::error::{Code, Error, Result};
use crate::hierarchy::OpenInterval;
use crate::storage::Storage;
use crate::text::counted;

/// The name of the file that tells a recipient in words what the tables are.
pub const README: &str = "README.txt";

pub use crate::storage::MANIFEST as FILE;

/// The oldest shape that can still be read: it states a density for kinds that have none, too. Up to the second, every set is spelled out in the table.
const OLDEST: u32 = 1;

/// The version of the manifest's shape.
pub const SCHEMA: u32 = 3;

/// The version where some column stands in the tables as its bounds, which older programs would look for in vain.
const WITH_BOUNDS: u32 = 4;

/// The version where some interval has a label with one end, which older programs would take for a text, or some table is a folder of
/// parts, which they would take for a file.
const WITH_OPEN_OR_PARTS: u32 = 5;

/// The newest version.
const NEWEST: u32 = WITH_OPEN_OR_PARTS;

/// The version that a reader of these columns must know.
pub fn schema_of(columns: &[ColumnMeaning]) -> u32 {
    let any = |holds: fn(&ColumnMeaning) -> bool| columns.iter().any(holds);
    match () {
        () if any(|column| !column.values.open().is_empty()) => WITH_OPEN_OR_PARTS,
        () if any(|column| column.bounds.is_some()) => WITH_BOUNDS,
        () => SCHEMA,
    }
}

/// What a release is.
///
/// It never holds the seed, an identifier, a path, a time, or values that the release does not show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of this shape.
    pub schema: u32,
    /// The program that made the release.
    pub generator: String,
    /// What the publisher says of it.
    #[serde(default, skip_serializing_if = "About::is_empty")]
    pub about: About,
    /// The kind of release: which tables there are and how they are read.
    pub kind: String,
    /// The method that made it.
    pub method: String,
    /// What is promised.
    pub guarantees: Vec<Guarantee>,
    /// What is counted as one: where several rows may belong to a person, `people` and `suppressed` count rows.
    #[serde(default, skip_serializing_if = "Unit::is_people")]
    pub unit: Unit,
    /// The people in the release.
    pub people: u64,
    /// How many different people the rows belong to, where several may belong to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persons: Option<u64>,
    /// The people that were left out to keep the promise.
    pub suppressed: u64,
    /// The groups in it.
    pub groups: u64,
    /// What the kind of release says beside this.
    #[serde(flatten)]
    pub detail: Map<String, Json>,
    /// The columns of the data, in order.
    pub columns: Vec<ColumnMeaning>,
    /// The tables, with what identifies their files.
    pub tables: Vec<TableFile>,
}

/// What a release counts as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// People: every row is a person, or as many as its weight says.
    #[default]
    People,
    /// Rows, of which several may belong to one person. The promises count people, whom the files do not show.
    Rows,
}

impl Unit {
    /// Whether rows are people.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    fn is_people(&self) -> bool {
        *self == Self::People
    }

    /// A count of it, with its noun.
    pub fn counted(self, number: u64) -> String {
        match self {
            Self::People => counted(number, "person", "people"),
            Self::Rows => counted(number, "row", "rows"),
        }
    }
}

/// A promise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guarantee {
    /// The privacy model.
    pub model: String,
    /// Its parameters.
    pub parameters: Map<String, Json>,
}

/// What the values of a column mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnMeaning {
    /// The column's name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// The type of the original values.
    #[serde(rename = "type")]
    pub kind: Type,
    /// How published values stand for original ones.
    pub values: ValueMeaning,
    /// The columns in which the ends of its intervals stand, where it has no column of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<TypedBounds>,
    /// Why it has a column of texts, where bounds were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stays_text: Option<String>,
    /// For an attribute with a hierarchy of names: each leaf with what it becomes level by level, leaf first, whether or
    /// not it occurs. Of a generalized attribute, the leaves below the nodes that the release shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hierarchy: Vec<Vec<String>>,
    /// For an attribute with a hierarchy of intervals: their widths, from level 1 on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub widths: Vec<f64>,
    /// For a sensitive attribute with categories: its values, the most sensitive category first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<Vec<String>>,
    /// What the kind of release says beside this.
    #[serde(flatten)]
    pub detail: Map<String, Json>,
}

/// How published values stand for original ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "meaning", rename_all = "kebab-case")]
pub enum ValueMeaning {
    /// As they are.
    Exact,
    /// `[20, 52]`: every value from 20 to 52, both included; `… or missing`: or no value. A single value stands for itself.
    Interval,
    /// `{a, b}`: a or b; inside, what could be misread is quoted as in JSON, and nothing stands for no value. Large sets have
    /// short labels, `{set 3: 12 values}`, and one that is all that the column shows is `*`.
    Set {
        /// The members of the sets that have short labels; an empty one stands for no value.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        nodes: Vec<NodeMeaning>,
    },
    /// The label of a node, which stands for the leaves below it; labels not listed stand for themselves.
    Hierarchy {
        /// The nodes that occur, without leaves.
        nodes: Vec<NodeMeaning>,
    },
    /// `[20, 24]`: 20 to 24; `[20, 25)`: 20 to 25, without 25; `*`: anything. Other values stand for themselves.
    Intervals {
        /// The labels with one end that occur, `>= 65`, with the interval that each of them stands for.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        open: Vec<OpenInterval>,
    },
    /// `130**`: every value of that length or shorter that begins (or ends) so; `*`: anything.
    Mask,
    /// `1994-03`, `1994-Q1`, `1994`, `1990s`: every day in it; `*`: anything.
    Calendar,
    /// As they are; `*`: anything, since the cell was suppressed.
    Withheld,
    /// Numbers drawn anew, which are nobody's.
    Drawn {
        /// The attribute that they are about.
        attribute: String,
        /// The value whose coordinate they are, 1 standing for it and 0 for all others; nothing for a number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
}

impl ValueMeaning {
    /// The word by which manifests call it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Interval => "interval",
            Self::Set { .. } => "set",
            Self::Hierarchy { .. } => "hierarchy",
            Self::Intervals { .. } => "intervals",
            Self::Mask => "mask",
            Self::Calendar => "calendar",
            Self::Withheld => "withheld",
            Self::Drawn { .. } => "drawn",
        }
    }

    /// The labels with one end.
    pub fn open(&self) -> &[OpenInterval] {
        match self {
            Self::Intervals { open } => open,
            _ => &[],
        }
    }

    /// A label with one end as the interval that it stands for; every other label as it is.
    pub fn closed<'l>(&'l self, label: &'l str) -> &'l str {
        self.open().iter().find(|open| open.label == label).map_or(label, |open| &open.interval)
    }
}

/// What a node of a hierarchy stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeMeaning {
    /// The node's label.
    pub label: String,
    /// The leaves below it, whether or not they occur.
    pub leaves: Vec<String>,
}

/// What stands in either list, once, in the order of its names.
fn union<T: PartialEq, K: Ord>(mut some: Vec<T>, more: Vec<T>, name: impl Fn(&T) -> K) -> Vec<T> {
    some.extend(more);
    some.sort_by_cached_key(|one| name(one));
    some.dedup();
    some
}

impl Manifest {
    /// The manifest of this release and of another one together, where both were made in the same way of disjoint tables. Its groups are not
    /// known: what both publish is one group.
    pub(crate) fn joined(mut self, other: Self) -> Result<Self> {
        let same_way = (&self.kind, &self.method, &self.guarantees, self.unit, &self.detail)
            == (&other.kind, &other.method, &other.guarantees, other.unit, &other.detail);
        if !same_way || self.columns.len() != other.columns.len() {
            return Err(Error::input("these releases were not made in the same way"));
        }
        self.columns =
            self.columns.into_iter().zip(other.columns).map(|(a, b)| a.joined(b)).collect::<Result<Vec<_>>>()?;
        self.people += other.people;
        self.suppressed += other.suppressed;
        self.groups = 0;
        Ok(self)
    }

    /// The same where the tables stand in other files.
    #[must_use]
    pub fn with_tables(self, tables: Vec<TableFile>) -> Self {
        let in_parts = tables.iter().any(|table| !table.parts.is_empty());
        let schema = if in_parts { WITH_OPEN_OR_PARTS } else { schema_of(&self.columns) };
        Self { schema, tables, ..self }
    }

    /// Writes it to a shelf.
    pub fn write(&self, storage: &Storage) -> Result<()> {
        let mut text = serde_json::to_string_pretty(self).map_err(|e| Error::bug(e.to_string()))?;
        text.push('\n');
        storage.write(FILE, text.as_bytes()).map(drop)
    }

    /// Reads the manifest of a shelf.
    pub fn read(storage: &Storage) -> Result<Self> {
        let bytes = storage.read(FILE)?;
        let place = storage.input(FILE)?.name().to_path_buf();
        let manifest: Self = serde_json::from_slice(&bytes).map_err(|e| {
            Error::input(format!("the manifest can't be read: {e}"))
                .coded(Code::ManifestUnreadable)
                .at_file(&place)
                .at(e.line() as u64, e.column() as u64)
        })?;
        if !(OLDEST..=NEWEST).contains(&manifest.schema) {
            return Err(Error::input(format!(
                "the manifest has the shape {}, this program reads {OLDEST} to {NEWEST}",
                manifest.schema
            ))
            .coded(Code::ManifestUnreadable)
            .at_file(&place)
            .help("use the program that made the release, or a newer one"));
        }
        Ok(manifest)
    }

    /// A table by its name.
    pub fn table(&self, name: &str) -> Result<&TableFile> {
        self.tables.iter().find(|table| table.name == name).ok_or_else(|| {
            Error::input(format!("the release has no table {name:?}"))
                .coded(Code::ReleaseDamaged)
                .help("the manifest was changed, or is of another kind")
        })
    }
}

impl ColumnMeaning {
    /// A column that is published as it is.
    pub fn exact(name: &str, role: Role, kind: Type) -> Self {
        let (hierarchy, categories) = (Vec::new(), Vec::new());
        Self {
            name: name.to_owned(),
            role,
            kind,
            values: ValueMeaning::Exact,
            bounds: None,
            stays_text: None,
            hierarchy,
            widths: Vec::new(),
            categories,
            detail: Map::new(),
        }
    }

    /// What the column means where two releases show values of the same attribute: what either shows.
    fn joined(mut self, other: Self) -> Result<Self> {
        let differ = || Error::input(format!("{:?} does not mean the same in both releases", self.name));
        self.values = match (self.values, other.values) {
            (ValueMeaning::Hierarchy { nodes: a }, ValueMeaning::Hierarchy { nodes: b }) => {
                ValueMeaning::Hierarchy { nodes: union(a, b, |node| node.label.clone()) }
            }
            (a, b) if a == b => a,
            _ => return Err(differ()),
        };
        let rest = (&self.name, self.role, self.kind, &self.bounds, &self.widths, &self.categories);
        if rest != (&other.name, other.role, other.kind, &other.bounds, &other.widths, &other.categories) {
            return Err(differ());
        }
        // From the root down, so that the leaves of a node stand side by side.
        self.hierarchy = union(self.hierarchy, other.hierarchy, |path| path.iter().rev().cloned().collect::<Vec<_>>());
        Ok(self)
    }

    /// What the kind of release says of the column beside this; nothing where it says something else.
    pub fn detail<D: DeserializeOwned>(&self) -> Option<D> {
        serde_json::from_value(Json::Object(self.detail.clone())).ok()
    }
}
