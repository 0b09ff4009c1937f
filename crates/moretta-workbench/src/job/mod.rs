//! Work that takes long: one job at a time, on a thread of its own, in the order in which they were asked for.
//!
//! A job belongs to the server and not to the page that asked for it: pages come and go, look at it and may cancel it. What it made stands in the
//! workspace, whole or not at all.

mod compare;
mod inspect;
mod publish;
mod query;
mod watch;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use maud::Markup;
use moretta::text::capitalized;
use moretta::{CancelToken, Error, Fault, Result, Run};
use tokio::sync::watch as channel_of;

use crate::bench::Bench;
use crate::workspace::TableName;
pub(crate) use compare::POINTS;
pub(crate) use publish::COLUMNS;
pub(crate) use watch::{Phase, State};

/// How many finished jobs are remembered, and how many may wait.
const REMEMBERED: usize = 50;
const MOST_OPEN: usize = 20;

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Look at a table; where its policy is not there yet, make one.
    Inspect { table: TableName },
    /// Make a release of the policy as it was when this was asked for, and attack it.
    Publish { name: String, policy: String },
    /// Attack a release anew.
    Audit { name: String },
    /// Run the plan of the comparison.
    Compare,
    /// Ask a release.
    Query { name: String, sql: String },
}

/// What came of a job.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// Where to look at it.
    pub(crate) go: String,
    /// What came of it, in words.
    pub(crate) says: String,
    /// What a page shows of it, if nothing of it stands in the workspace.
    pub(crate) shown: Option<Markup>,
}

/// A job, from the moment it was asked for.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) id: u64,
    pub(crate) task: Task,
    pub(crate) cancel: CancelToken,
    pub(crate) state: channel_of::Sender<State>,
    done: OnceLock<Done>,
    /// The server that did not let it in.
    refused_by: OnceLock<TableName>,
}

/// All jobs, the newest last.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    list: Mutex<Vec<Arc<Job>>>,
    queue: OnceLock<Sender<Arc<Job>>>,
    last: AtomicU64,
}

impl Task {
    /// What it is, in words.
    pub(crate) fn title(&self) -> String {
        match self {
            Self::Inspect { table } => format!("Looking at {table}"),
            Self::Publish { name, .. } => format!("Publishing {name}"),
            Self::Audit { name } => format!("Attacking {name}"),
            Self::Compare => "Comparing".to_owned(),
            Self::Query { name, .. } => format!("Asking {name}"),
        }
    }

    fn carry_out(&self, bench: &Bench, run: &Run) -> Result<Done> {
        match self {
            Self::Inspect { table } => inspect::run(bench, table, run),
            Self::Publish { name, policy } => publish::run(bench, name, policy, run),
            Self::Audit { name } => publish::audit(bench, name, run),
            Self::Compare => compare::run(bench, run),
            Self::Query { name, sql } => query::run(bench, name, sql, run),
        }
    }
}

impl Job {
    /// The server that did not let it in: with a password it may be asked for again.
    pub(crate) fn refused_by(&self) -> Option<&TableName> {
        self.refused_by.get()
    }

    /// What came of it, once it has ended well.
    pub(crate) fn done(&self) -> Option<&Done> {
        self.done.get()
    }

    /// Whether it waits or is under way.
    pub(crate) fn is_open(&self) -> bool {
        !self.state.borrow().phase.is_over()
    }

    fn work(self: &Arc<Self>, bench: &Bench) {
        if self.cancel.is_cancelled() {
            return self.end(Phase::Cancelled, "Cancelled before it began.".to_owned());
        }
        self.state.send_modify(|state| state.phase = Phase::Running);
        let run = Run::new().cancel(&self.cancel).observe(Arc::new(watch::Watcher::new(self.state.clone())));
        // A bug in one job must not end the server, which may hold the steward's next step.
        let ended = catch_unwind(AssertUnwindSafe(|| self.task.carry_out(bench, &run)));
        match ended {
            Ok(Ok(done)) => {
                let says = done.says.clone();
                let _ = self.done.set(done);
                self.end(Phase::Done, says);
            }
            Ok(Err(error)) if error.fault() == Fault::Cancelled => {
                self.end(Phase::Cancelled, "Cancelled. Nothing was written.".to_owned());
            }
            Ok(Err(error)) => {
                let named = || bench.workspace.named_table().ok().flatten();
                let table = if let Task::Inspect { table } = &self.task { Some(table.clone()) } else { named() };
                if let Some(table) = table.filter(|table| table.server().is_some() && lacks_permission(&error)) {
                    let _ = self.refused_by.set(table);
                }
                self.end(Phase::Failed, in_words(&error));
            }
            Err(_) => self.end(
                Phase::Failed,
                "A bug in moretta. Nothing was written. Started with RUST_BACKTRACE=1, the program says where it happened."
                    .to_owned(),
            ),
        }
    }

    fn end(&self, phase: Phase, says: String) {
        self.state.send_modify(|state| {
            state.phase = phase;
            state.says = says;
            state.go = self.done().map_or(String::new(), |done| done.go.clone());
        });
    }
}

impl Jobs {
    /// Starts the thread that works.
    pub(crate) fn start(bench: &Arc<Bench>) -> Result<()> {
        let (queue, asked) = channel::<Arc<Job>>();
        let _ = bench.jobs.queue.set(queue);
        let working = Arc::downgrade(bench);
        let work = move || {
            while let Ok(job) = asked.recv() {
                let Some(bench) = working.upgrade() else { return };
                job.work(&bench);
            }
        };
        std::thread::Builder::new()
            .name("jobs".to_owned())
            .spawn(work)
            .map(drop)
            .map_err(|e| Error::system("can't start a thread", e))
    }

    /// Asks for something. Whoever asks for what is waiting or under way already gets that.
    pub(crate) fn ask(&self, task: Task) -> Result<Arc<Job>> {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open = list.iter().filter(|job| job.is_open());
        if let Some(same) = open.clone().find(|job| job.task == task) {
            return Ok(same.clone());
        }
        if open.nth(MOST_OPEN - 1).is_some() {
            return Err(Error::data(format!("{MOST_OPEN} jobs wait already")).help("let some end, or cancel them"));
        }
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let job = Arc::new(Job {
            id,
            task,
            cancel: CancelToken::new(),
            state: channel_of::Sender::new(State::default()),
            done: OnceLock::new(),
            refused_by: OnceLock::new(),
        });
        list.push(job.clone());
        let surplus = list.len().saturating_sub(REMEMBERED);
        let mut over = 0;
        list.retain(|job| {
            job.is_open() || over >= surplus || {
                over += 1;
                false
            }
        });
        if let Some(queue) = self.queue.get() {
            let _ = queue.send(job.clone());
        }
        Ok(job)
    }

    /// The last job of this sort, if it has failed.
    pub(crate) fn failed_last(&self, task: &Task) -> Option<Arc<Job>> {
        let list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let last = list.iter().rev().find(|job| job.task == *task)?;
        (last.state.borrow().phase == Phase::Failed).then(|| last.clone())
    }

    /// A job by its number.
    pub(crate) fn find(&self, id: u64) -> Option<Arc<Job>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).iter().find(|job| job.id == id).cloned()
    }

    /// Those that wait or are under way, the first first.
    pub(crate) fn open(&self) -> Vec<Arc<Job>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).iter().filter(|job| job.is_open()).cloned().collect()
    }

    /// Stops everything.
    pub(crate) fn cancel_all(&self) {
        self.open().iter().for_each(|job| job.cancel.cancel());
    }
}

/// Whether a server did not let somebody in.
fn lacks_permission(error: &Error) -> bool {
    error.code() == "permission-denied"
}

/// An error for people: what, where, and what would be right.
pub(crate) fn in_words(error: &Error) -> String {
    let place = error.place();
    let file = place.file.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy());
    let place = match (file, place.line) {
        (Some(file), Some(line)) => format!(" ({file}, line {line})"),
        (Some(file), None) => format!(" ({file})"),
        (None, _) => String::new(),
    };
    let advice = error.advice().map(|advice| format!(" {}.", capitalized(advice).trim_end_matches('.')));
    format!("{}{place}.{}", capitalized(error.message()), advice.unwrap_or_default())
}
