//! Publishing: from a table and a policy to a release that has been proved.

use std::borrow::Cow;
use std::path::Path;

use arrow_array::RecordBatch;

use super::release::Release;
use super::run::Run;
use super::table::{Table, held};
use crate::error::Result;
use crate::policy::Policy;
use crate::publish::{Report, check_policy};
use crate::steward;
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
    into_storages(policy, table.into(), run, (Storage::memory(), Storage::memory()))
}

/// Makes a release in a folder: `release/` may be given away, `private/` must not. Both appear whole or not at all.
pub(super) fn publish_into<'t>(
    folder: &Path,
    replace: bool,
    policy: &Policy,
    table: impl Into<Cow<'t, Table>>,
    run: &Run,
) -> Result<Published> {
    let output = AtomicOutput::begin(folder, replace)?;
    let published = into_storages(policy, table.into(), run, (output.release(), output.private()))?;
    output.commit()?;
    Ok(Published { release: published.release.moved_to(folder), ..published })
}

fn into_storages(
    policy: &Policy,
    table: Cow<'_, Table>,
    run: &Run,
    (files, private): (Storage, Storage),
) -> Result<Published> {
    check_policy(policy)?;
    table.check_schema(policy)?;
    let seed = run.drawn_seed()?;
    let (report, manifest) = run.carry_out(|progress| {
        held(table).with(|held| {
            let (report, verified) = steward::publish_to(policy, held, seed, (&files, &private), progress)?;
            Ok((report, verified.manifest))
        })
    })?;
    Ok(Published { report, release: Release::new(files, Some(private), manifest) })
}

impl Published {
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
