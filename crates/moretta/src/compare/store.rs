//! Finished points, kept so that an interrupted comparison goes on where it was.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::Candidate;
use super::plan::ComparisonPlan;
use super::run::PointOutcome;
use crate::data::source::Input;
use crate::error::{Code, Error, Result};
use crate::hierarchy::HierarchySpec;
use crate::policy::Policy;
use crate::progress::Progress;
use crate::storage::{Fingerprint, Readers, hexadecimal, write_atomically};

/// A folder of finished points. Each stands under a digest of all that its figures depend on, so that a changed plan,
/// policy or table finds nothing of what was measured before.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    common: Sha256,
    /// The folders that were made for it, the innermost first.
    fresh: Vec<PathBuf>,
}

/// Where nothing was kept, nothing is left behind.
impl Drop for Store {
    fn drop(&mut self) {
        // Folders that hold something are not removed.
        self.fresh.iter().for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

/// What tells one table from another: a digest of its file, or of the rows in use where it is no file.
fn digest_of_table(policy: &Policy, progress: &Progress) -> Result<String> {
    let place = policy.source()?;
    if let Input::File(file) = Input::at(place)? {
        let print = Fingerprint::of_file(&file, progress)?.map_err(|e| Error::machine("read the data", &file, e))?;
        return Ok(print.sha256);
    }
    let source = policy.open_source()?;
    let spec = policy.table_spec();
    let used = policy.attributes.iter().filter(|a| a.role.is_in_use() || spec.is_level_of_another(&a.name));
    let used: Vec<usize> = used.filter_map(|attribute| source.position(&attribute.name)).collect();
    let mut digest = Sha256::new();
    source.stream(&used, &mut |batch| {
        progress.check()?;
        for value in batch.columns.iter().flatten() {
            // A length before each value, and one that no value has where there is none.
            digest.update(value.as_ref().map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
            digest.update(value.as_deref().unwrap_or_default());
        }
        Ok(())
    })?;
    Ok(hexadecimal(&digest.finalize()))
}

/// Where points stand inside the output folder.
const FOLDER: &str = "points";

impl Store {
    /// Opens the store of an output folder, and makes both where they do not exist.
    pub fn open(out: &Path, plan: &ComparisonPlan, policy: &Policy, progress: &Progress) -> Result<Self> {
        let folder = out.join(FOLDER);
        let others = fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some());
        if others && !folder.is_dir() {
            return Err(Error::input("this folder holds something else")
                .coded(Code::OutputExists)
                .at_file(out)
                .help("choose another folder"));
        }
        let mut common = Sha256::new();
        common.update(concat!("moretta compare 4 ", env!("CARGO_PKG_VERSION")));
        let ComparisonPlan { measuring, seed, classification, known_program, .. } = plan;
        common.update(format!("{measuring:?} {seed:?} {classification:?} {known_program}"));
        common.update(digest_of_table(policy, progress)?);
        for attribute in &policy.attributes {
            if let HierarchySpec::File(hierarchy) = &attribute.hierarchy {
                common.update(hierarchy.digest);
            }
        }
        let fresh = [&*folder, out].into_iter().filter(|folder| !folder.exists()).map(Path::to_path_buf).collect();
        let store = Self { folder, common, fresh };
        fs::create_dir_all(&store.folder).map_err(|e| Error::machine("make the output folder", out, e))?;
        Ok(store)
    }

    /// The folder stays, even if every point was given up and none is kept: the comparison has an end, and its pictures a place.
    pub(crate) fn stay(&mut self) {
        self.fresh.clear();
    }

    fn file(&self, plan: &ComparisonPlan, candidate: &Candidate) -> PathBuf {
        let mut digest = self.common.clone();
        digest.update(candidate.tree(&plan.base).to_toml());
        self.folder.join(format!("{}.json", hexadecimal(&digest.finalize()[..16])))
    }

    /// What was found for a candidate before; a file that can't be read is as good as none.
    pub(super) fn find(&self, plan: &ComparisonPlan, candidate: &Candidate) -> Option<PointOutcome> {
        serde_json::from_slice(&fs::read(self.file(plan, candidate)).ok()?).ok()
    }

    /// Keeps what was found; a point is there whole or not at all.
    pub(super) fn keep(&self, plan: &ComparisonPlan, candidate: &Candidate, found: &PointOutcome) -> Result<()> {
        let file = self.file(plan, candidate);
        let text = serde_json::to_string_pretty(found).map_err(|e| Error::bug(e.to_string()))?;
        write_atomically(&file, Readers::Usual, |file| writeln!(file, "{text}"))
            .map_err(|e| Error::machine("keep a point", &file, e))
    }
}
