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
    table: impl FnOnce(&Storage) -> Result<Cow<'t, Table>>,
    run: &Run,
) -> Result<Published> {
    let output = AtomicOutput::begin(folder, replace)?;
    let room = steward::room(policy, replace)?;
    let (files, private) = (output.release(), output.private());
    let mut made = make(policy, table(&private)?, run, (&files, &private, room))?;
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Write as _;
    use std::fs;

    use super::*;
    use crate::api::files;
    use crate::kind::{KindId, registry};

    /// A method of each kind of release, and what it promises.
    const WAYS: &[(&str, &str)] = &[
        ("name = \"mondrian\"", "model = \"k-anonymity\"\nk = 3"),
        ("name = \"anatomy\"", "model = \"distinct-l-diversity\"\nl = 2"),
        ("name = \"distribution\"\nfakes = 0.2", "model = \"p-private\"\ntarget = \"uniform\""),
        ("name = \"slicing\"\ncolumns = 2\nsensitive_column = 1", "model = \"l-diverse-slicing\"\nl = 2"),
        ("name = \"ambiguity\"", "model = \"alpha-beta-privacy\"\nalpha = 0.9\nbeta = 0.5"),
        ("name = \"uncertain\"", "model = \"uncertain-k-anonymity\"\nk = 3"),
        ("name = \"condensation\"", "model = \"condensed-k\"\nk = 3"),
    ];

    fn people() -> String {
        let mut csv = "age,weight,disease\n".to_owned();
        for row in 0..60_u32 {
            let mixed = row.wrapping_mul(2_654_435_761) >> 12;
            let _ = writeln!(csv, "{},{},d{}", 20 + mixed % 30, 50 + mixed / 30 % 40, mixed / 1200 % 5);
        }
        csv
    }

    fn policy((method, promise): &(&str, &str), format: &str) -> Policy {
        let text = format!(
            "[attributes]\nage = {{ role = \"quasi\" }}\nweight = {{ role = \"quasi\" }}\ndisease = {{ role = \"sensitive\" }}\n\
             [[require]]\n{promise}\n[method]\n{method}\n[output]\nformat = \"{format}\"\n"
        );
        Policy::parse(text).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    #[test]
    fn a_release_in_memory_gives_the_tables_of_the_one_in_a_folder() {
        let home = tempfile::TempDir::new().unwrap();
        let mut kinds = BTreeSet::new();
        for (number, way) in WAYS.iter().enumerate() {
            for format in ["csv", "parquet"] {
                let policy = policy(way, format);
                let table = files::parse_csv(people(), policy.schema()).unwrap();
                let run = Run::new().seed(7);
                let made = publish(&policy, &table, &run).unwrap_or_else(|error| panic!("{way:?}: {error}"));
                let tables = made.tables().unwrap();
                let [saved, written] =
                    ["saved", "written"].map(|name| home.path().join(format!("{number}-{format}-{name}")));
                made.save(&saved).unwrap();
                assert_eq!(Release::open(&saved).unwrap().tables().unwrap(), tables, "{way:?}, saved");
                let straight = publish_into(&written, false, &policy, |_| Ok(Cow::Borrowed(&table)), &run).unwrap();
                assert_eq!(straight.tables().unwrap(), tables, "{way:?}, written");
                // Each table of the release once, with the rows that a recipient finds in its file.
                assert_eq!(tables.len(), made.release.stated().tables.len(), "{way:?}");
                for (name, batches) in tables.iter().filter(|_| format == "csv") {
                    let text = fs::read_to_string(saved.join("release").join(format!("{name}.csv"))).unwrap();
                    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
                    assert_eq!(text.lines().count(), rows + 1, "{way:?}, {name}");
                    assert!(rows > 0, "{way:?}, {name}");
                }
                kinds.insert(made.release().kind().to_owned());
            }
        }
        let all = registry::KINDS.iter().filter(|kind| !matches!(kind.id, KindId::Other(_))).count();
        assert_eq!(kinds.len(), all, "{kinds:?}");
    }
}
