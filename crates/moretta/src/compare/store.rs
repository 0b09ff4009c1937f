//! Finished points, kept so that an interrupted comparison goes on where it was.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::Candidate;
use super::plan::Plan;
use super::run::Found;
use crate::error::{Code, Error, Result};
use crate::hierarchy::HierarchySpec;
use crate::policy::Policy;

/// A folder of finished points. Each stands under a digest of all that its figures depend on, so that a changed plan,
/// policy or table finds nothing of what was measured before.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    common: Sha256,
}

/// Where points stand inside the output folder.
const FOLDER: &str = "points";

impl Store {
    /// Opens the store of an output folder, and makes both where they do not exist.
    pub fn open(out: &Path, plan: &Plan, policy: &Policy) -> Result<Self> {
        let folder = out.join(FOLDER);
        let others = fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some());
        if others && !folder.is_dir() {
            return Err(Error::input("this folder holds something else")
                .coded(Code::OutputExists)
                .at_file(out)
                .help("choose another folder"));
        }
        fs::create_dir_all(&folder).map_err(|e| Error::machine("make the output folder", out, e))?;
        let mut common = Sha256::new();
        common.update(concat!("moretta compare 1 ", env!("CARGO_PKG_VERSION")));
        common.update(format!("{:?} {:?} {:?}", plan.measuring, plan.seed, plan.classification));
        let hierarchies = policy.attributes.iter().filter_map(|attribute| match &attribute.hierarchy {
            HierarchySpec::File(file) => Some(file.as_path()),
            _ => None,
        });
        for file in std::iter::once(policy.data.source.as_path()).chain(hierarchies) {
            common.update(digest_of(file)?);
        }
        Ok(Self { folder, common })
    }

    fn file(&self, plan: &Plan, candidate: &Candidate) -> PathBuf {
        let mut digest = self.common.clone();
        digest.update(candidate.tree(&plan.base).to_toml());
        let hex: String = digest.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(format!("{hex}.json"))
    }

    /// What was found for a candidate before; a file that can't be read is as good as none.
    pub(super) fn find(&self, plan: &Plan, candidate: &Candidate) -> Option<Found> {
        serde_json::from_slice(&fs::read(self.file(plan, candidate)).ok()?).ok()
    }

    /// Keeps what was found: written aside and renamed, so that a point is there whole or not at all.
    pub(super) fn keep(&self, plan: &Plan, candidate: &Candidate, found: &Found) -> Result<()> {
        let file = self.file(plan, candidate);
        let aside = file.with_extension(format!("{}.part", std::process::id()));
        let text = serde_json::to_string_pretty(found).map_err(|e| Error::bug(e.to_string()))?;
        fs::write(&aside, text + "\n")
            .and_then(|()| fs::rename(&aside, &file))
            .map_err(|e| Error::machine("keep a point", &file, e))
    }
}

fn digest_of(file: &Path) -> Result<Vec<u8>> {
    let failed = |e: std::io::Error| Error::machine("read the data", file, e);
    let mut digest = Sha256::new();
    let mut source = fs::File::open(file).map_err(failed)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match std::io::Read::read(&mut source, &mut buffer).map_err(failed)? {
            0 => return Ok(digest.finalize().to_vec()),
            read => digest.update(&buffer[..read]),
        }
    }
}
