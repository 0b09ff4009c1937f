//! Checking: what a release keeps of what it promises, and what any table reaches.

use serde::Serialize;

use super::release::Release;
use super::run::Run;
use super::table::Table;
use crate::check::{self, TableLevels, Unprovable, Verified};
use crate::data::source::Source;
use crate::error::Result;
use crate::model::Verdict;
use crate::policy::Policy;
use crate::release::{Guarantee, Unit, manifest};

/// What a recipient can verify of a release, or a steward who has the original.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Verification {
    /// The version of this shape.
    pub schema: u32,
    /// The people in the release.
    pub rows: u64,
    /// Its groups.
    pub groups: u64,
    /// The k of k-anonymity: the fewest people who publish the same quasi-identifiers, where people do.
    pub k: Option<u64>,
    /// The people of the smallest group; nothing where the files show rows, and the original does not say whose they are.
    pub smallest_group: Option<u64>,
    /// The people that were left out.
    pub suppressed: u64,
    /// The files, all of which are the manifest's.
    pub files: Vec<IntactFile>,
    /// The judgement about each promise that could be judged.
    pub guarantees: Vec<Verdict>,
    /// The promises that can only be judged beside the original, which was not given.
    pub unproved: Vec<Guarantee>,
    /// The promises that no release of this kind can keep in their own words.
    pub unprovable: Vec<Unprovable>,
    /// What is counted as one, where that is not people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// How many different people the rows belong to, where several may belong to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<Option<u64>>,
    /// The rows of the smallest group, where rows are not people.
    #[serde(skip)]
    pub smallest_group_of_rows: Option<u64>,
    /// The kind of the release.
    #[serde(skip)]
    pub kind: String,
}

/// A file that is the one which the manifest names.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct IntactFile {
    /// Its name.
    pub file: String,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
    /// Always: a file that is not is an error.
    pub intact: bool,
}

/// Verifies a release: hashes, structure, counts, and every promise that can be proved from its files, and from the original where that is given.
pub fn check(release: &Release, original: Option<&Table>, run: &Run) -> Result<Verification> {
    let verified = run.carry_out(|progress| {
        let Some(table) = original else {
            return check::release(release.files()?, None, progress).map(Verification::of);
        };
        let claim = match release.private() {
            None => None,
            Some(private) => check::claim(release.stated(), private, table.prepared(), progress)?,
        };
        let original = table.prepared().original().claiming(claim);
        check::release(release.files()?, Some(&original), progress).map(Verification::of)
    })?;
    Ok(verified)
}

/// The levels that a table reaches which any tool has anonymized, by the roles of a policy, and the policy's promises judged by it.
///
/// Quasi-identifiers are read as labels: `[20, 52]` is a value like any other.
pub fn levels(table: &Source, policy: &Policy, run: &Run) -> Result<TableLevels> {
    run.carry_out(|progress| check::table(table, policy, progress))
}

impl Verification {
    /// Whether every promise holds that could be judged, and none is claimed that such a release can't keep.
    pub fn holds(&self) -> bool {
        self.unprovable.is_empty() && self.guarantees.iter().all(|verdict| verdict.holds)
    }

    fn of(verified: Verified) -> Self {
        let Verified { manifest, release, verdicts, unproved, unprovable, by_people, .. } = verified;
        let least = |sizes: &[u64]| sizes.iter().copied().min().unwrap_or(0);
        let of_rows = release.groups().ok().map(|groups| least(&groups.people));
        let by_rows = manifest.unit == Unit::Rows;
        let smallest_group = if by_rows { by_people.as_deref().map(least) } else { of_rows };
        let file = |table: &crate::release::TableFile| IntactFile {
            file: table.file.clone(),
            sha256: table.sha256.clone(),
            intact: true,
        };
        Self {
            schema: manifest::SCHEMA,
            rows: manifest.people,
            groups: manifest.groups,
            // Groups are classes of k-anonymity where their people publish the same.
            k: smallest_group.filter(|_| release.labels().is_ok()),
            smallest_group,
            suppressed: manifest.suppressed,
            files: manifest.tables.iter().map(file).collect(),
            guarantees: verdicts,
            unproved,
            unprovable,
            unit: by_rows.then_some(manifest.unit),
            people: by_rows.then_some(manifest.persons),
            smallest_group_of_rows: of_rows,
            kind: manifest.kind,
        }
    }
}
