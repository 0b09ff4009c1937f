//! What all requests share: the folder, who may ask, the work that is under way, and the table that was looked at.

use std::sync::{Arc, Mutex, PoisonError};

use moretta::Examined;

use crate::access::Access;
use crate::job::Jobs;
use crate::workspace::{Stamp, Workspace};

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) workspace: Workspace,
    pub(crate) access: Access,
    pub(crate) jobs: Jobs,
    pub(crate) largest_upload: u64,
    /// The values of the table that was looked at last. They are read again by a job when the file has changed or the server was started anew.
    examined: Mutex<Option<(Stamp, Arc<Examined>)>>,
}

impl Bench {
    pub(crate) fn new(workspace: Workspace, access: Access, largest_upload: u64) -> Self {
        Self { workspace, access, jobs: Jobs::default(), largest_upload, examined: Mutex::default() }
    }

    /// Keeps a table that was looked at.
    pub(crate) fn keep(&self, stamp: Stamp, examined: Arc<Examined>) {
        *self.examined.lock().unwrap_or_else(PoisonError::into_inner) = Some((stamp, examined));
    }

    /// The table as it was looked at, if it is still the same file.
    pub(crate) fn examined(&self, stamp: &Stamp) -> Option<Arc<Examined>> {
        let kept = self.examined.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|(known, _)| known == stamp).map(|(_, examined)| examined.clone())
    }
}
