//! Makes a release, proves it, and attacks it.

use std::fs;
use std::path::Path;

use moretta::text::{counted, grouped};
use moretta::{Attacked, Error, Policy, Release, Result, Run, Table, audit as attack, files};

use super::Done;
use crate::bench::Bench;
use crate::workspace::PolicyFile;

/// The file in `private/` that says how each column was distributed before and is after.
pub(crate) const COLUMNS: &str = "columns.json";

pub(super) fn run(bench: &Bench, name: &str, policy: &str, run: &Run) -> Result<Done> {
    let workspace = &bench.workspace;
    let policy = checked(bench, policy)?;
    if policy.database.is_some() {
        return Err(Error::input("[output] names a database, and the workbench publishes into its folder alone")
            .at_file(&workspace.policy_file()?)
            .help("publish from the command line, or leave out `database` and `schema`"));
    }
    workspace.folder("releases")?;
    let folder = workspace.new_release(name)?;
    let published = files::publish_named(&policy, Some(&folder), false, run)?;
    let report = published.report();
    let made = format!(
        "{} in {}",
        counted(report.rows_out, "row was published", "rows were published"),
        counted(report.groups, "group", "groups")
    );
    let attacked = audit(bench, name, run);
    let says = match attacked {
        Ok(attacked) => format!("{made}. {}", attacked.says),
        // The release is there and proved; only what adversaries reach is not known.
        Err(error) => format!("{made}. It was not attacked to the end: {error}"),
    };
    Ok(Done { go: format!("/releases/{name}"), says, shown: None })
}

pub(super) fn audit(bench: &Bench, name: &str, run: &Run) -> Result<Done> {
    let folder = bench.workspace.release(name)?;
    let private = folder.join("private");
    let original = files::read_original(&policy_of(bench, &folder)?, run)?;
    let release = Release::open(&folder)?;
    keep_columns(&release, &original, &private, run)?;
    let found = attack(&Attacked::release(&release).beside(&original).name_people_in(&private), run)?;
    let beyond = found.beyond_promise().len();
    let says = match (found.holds(), beyond) {
        (false, _) => "An attack breaks a promise.".to_owned(),
        (true, 0) => "No attack found anything beyond the promise.".to_owned(),
        (true, beyond) => format!("No promise is broken; attacks found {} beyond it.", grouped(beyond as u64)),
    };
    Ok(Done { go: format!("/releases/{name}"), says, shown: None })
}

/// The policy as it was published, whatever the policy of the workspace says by now. Its paths are relative to the workspace.
pub(super) fn policy_of(bench: &Bench, folder: &Path) -> Result<Policy> {
    let file = folder.join("private/policy.toml");
    let text = fs::read_to_string(&file).map_err(|e| Error::machine("read the policy of the release", &file, e))?;
    checked(bench, &text)
}

/// A text as a policy, with the password of its server where a page was told one.
fn checked(bench: &Bench, text: &str) -> Result<Policy> {
    let table = PolicyFile::parse(text)?.table().unwrap_or_default();
    Ok(bench.workspace.checked(text)?.with_password(bench.password(&table)))
}

fn keep_columns(release: &Release, original: &Table, private: &Path, run: &Run) -> Result<()> {
    let columns = release.before_and_after(original, run)?;
    let text = serde_json::to_string(&columns).map_err(|e| Error::bug(format!("columns can't be written: {e}")))?;
    files::write(private.join(COLUMNS), &text)
}
