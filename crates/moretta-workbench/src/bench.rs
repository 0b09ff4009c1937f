//! What all requests share: the folder, who may ask, the work that is under way, and the table that was looked at.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use moretta::files::ServerPassword;
use moretta::{Examined, Policy, Result};

use crate::access::Access;
use crate::job::{Job, Jobs, Task};
use crate::workspace::{Stamp, TableName, Workspace};

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) workspace: Workspace,
    pub(crate) access: Access,
    pub(crate) jobs: Jobs,
    pub(crate) largest_upload: u64,
    /// The values of the table that was looked at last. They are read again by a job when the file has changed or the server was started anew.
    examined: Mutex<Option<(Stamp, Arc<Examined>)>>,
    /// What pages were told that asked for a password, by the address of the server. It is forgotten when this program ends.
    passwords: Mutex<BTreeMap<String, ServerPassword>>,
}

/// The values of a table, or why they are not there.
pub(crate) enum Values {
    Here(Arc<Examined>),
    /// A job reads them.
    Coming(Arc<Job>),
    /// The job that was to read them has failed; it is not asked for again unless somebody does.
    Failed(Arc<Job>),
}

impl Bench {
    pub(crate) fn new(workspace: Workspace, access: Access, largest_upload: u64) -> Self {
        let (jobs, examined, passwords) = (Jobs::default(), Mutex::default(), Mutex::default());
        Self { workspace, access, jobs, largest_upload, examined, passwords }
    }

    /// Keeps a table that was looked at.
    pub(crate) fn keep(&self, stamp: Stamp, examined: Arc<Examined>) {
        *lock(&self.examined) = Some((stamp, examined));
    }

    /// The values of a table as it is now. Where nobody has read them, a job is asked to.
    pub(crate) fn values(&self, table: &TableName) -> Result<Values> {
        let stamp = self.workspace.stamp(table)?;
        let kept = lock(&self.examined).as_ref().filter(|(known, _)| *known == stamp).map(|(_, values)| values.clone());
        Ok(match kept {
            Some(values) => Values::Here(values),
            None => {
                let task = Task::Inspect { table: table.clone() };
                match self.jobs.failed_last(&task) {
                    Some(failed) => Values::Failed(failed),
                    None => Values::Coming(self.jobs.ask(task)?),
                }
            }
        })
    }

    /// The policy of the workspace, with the password of its server where a page was told one.
    pub(crate) fn policy(&self) -> Result<Policy> {
        let table = self.workspace.named_table()?.unwrap_or_default();
        self.workspace.checked_policy(self.password(&table))
    }

    /// Takes a password for a server. It is kept in memory and nowhere else.
    pub(crate) fn take_password(&self, table: &TableName, password: &str) {
        if let Some(server) = table.server().filter(|_| !password.is_empty()) {
            lock(&self.passwords).insert(server.to_owned(), ServerPassword::Given(password.to_owned()));
        }
    }

    /// The password for a server. Nobody waits at the terminal of this program, so none is asked for there.
    pub(crate) fn password(&self, table: &TableName) -> ServerPassword {
        let known = table.server().and_then(|server| lock(&self.passwords).get(server).cloned());
        known.unwrap_or(ServerPassword::NotAsked)
    }
}

/// What is guarded is whole at any time: a thread that has panicked elsewhere leaves nothing half-done in it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
