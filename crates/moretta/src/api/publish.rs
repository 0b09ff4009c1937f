//! Publishing: from a table and a policy to a release that has been proved.

use std::borrow::Cow;
use std::path::Path;

use arrow_array::RecordBatch;

use super::release::Release;
use super::run::Run;
use super::table::{Table, held};
use crate::database::FreeSchema;
use crate::error::Result;
use crate::policy::Policy;
use crate::publish::{Report, check_policy};
use crate::steward::{self, Made};
use crate::storage::{AtomicOutput, Storage};

/// A release that was made and proved, and what only the steward may know of it.
#[derive(Debug)]
pub struct Published {
    report: Report,
    release: Release,
}

/// Makes a release in memory and proves its promise from the bytes of its files.
///
/// A table that is given away, and not lent, frees its memory while the release is written.
///
/// ```
/// # fn main() -> moretta::Result<()> {
/// # let policy = moretta::Policy::builder().quasi("age").sensitive("disease").require(moretta::models::KAnonymity::new(2)?)
/// #     .method(moretta::methods::LeastLoss::new()).build()?;
/// # let table = moretta::files::parse_csv("age,disease\n34,flu\n36,gout\n51,flu\n57,gout\n", policy.schema())?;
/// let published = moretta::publish(&policy, &table, &moretta::Run::new())?;
/// assert!(published.report().guarantees.iter().all(|promise| promise.holds));
/// # Ok(())
/// # }
/// ```
pub fn publish<'t>(policy: &Policy, table: impl Into<Cow<'t, Table>>, run: &Run) -> Result<Published> {
    let (files, private) = (Storage::memory(), Storage::memory());
    let mut made = make(policy, table.into(), run, (&files, &private, None))?;
    if let Some(destination) = &policy.database {
        let address = destination.address.display();
        made.report.warnings.push(format!(
            "nothing was written into {address}: a release goes there when it is published into a folder"
        ));
    }
    Ok(Published { report: made.report, release: Release::new(files, Some(private), made.verified.manifest) })
}

/// Makes a release in a folder: `release/` may be given away, `private/` must not. Both appear whole or not at all, and so do its tables in the
/// database that the policy names.
pub(super) fn publish_into<'t>(
    folder: &Path,
    replace: bool,
    policy: &Policy,
    table: impl FnOnce() -> Result<Cow<'t, Table>>,
    run: &Run,
) -> Result<Published> {
    let output = AtomicOutput::begin(folder, replace)?;
    let room = steward::room(policy, replace)?;
    let (files, private) = (output.release(), output.private());
    let mut made = make(policy, table()?, run, (&files, &private, room))?;
    made.commit(output)?;
    let Made { report, verified, .. } = made;
    let release = match &policy.database {
        None => Release::new(files, Some(private), verified.manifest).moved_to(folder),
        Some(destination) => Release::in_database(destination.clone(), folder, verified.manifest),
    };
    Ok(Published { report, release })
}

fn make(
    policy: &Policy,
    table: Cow<'_, Table>,
    run: &Run,
    (files, private, room): (&Storage, &Storage, Option<FreeSchema>),
) -> Result<Made> {
    check_policy(policy)?;
    table.check_schema(policy)?;
    let (seed, effort) = (run.drawn_seed()?, run.effort());
    run.carry_out(|progress| {
        held(table).with(|held| steward::publish_to(policy, held, seed, (files, private, room), effort, progress))
    })
}

impl Published {
    pub(super) fn new(report: Report, release: Release) -> Self {
        Self { report, release }
    }

    /// What was published, what it promises, what it costs.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The release, to be asked, checked and attacked.
    pub fn release(&self) -> &Release {
        &self.release
    }

    /// The tables of the release, by name.
    pub fn tables(&self) -> Result<Vec<(String, Vec<RecordBatch>)>> {
        self.release.tables()
    }

    /// Puts the release into a folder that does not exist yet: `release/` may be given away, `private/` must not (the policy,
    /// the seed, who stands where, a report). Both appear whole or not at all.
    pub fn save(&self, folder: impl AsRef<Path>) -> Result<()> {
        self.release.save(folder, false)
    }

    /// The same, in place of what an earlier release has left there.
    pub fn replace(&self, folder: impl AsRef<Path>) -> Result<()> {
        self.release.save(folder, true)
    }
}
