//! Long calls: the interpreter is free while they run, Ctrl-C stops them, and somebody may watch.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use moretta::{CancelToken as Token, Error, Observer, Result, Run, Seed, Stage};
use pyo3::prelude::*;

use crate::errors::Failed;

/// How often signals are looked for and progress is told.
const TICK: Duration = Duration::from_millis(50);

/// The stack of the thread that works: the library recurses over hierarchies and conditions.
const STACK: usize = 16 << 20;

/// Stops calls from another thread.
#[pyclass(frozen, module = "moretta")]
#[derive(Default)]
pub(crate) struct CancelToken(Token);

#[pymethods]
impl CancelToken {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Stops every call that has this token, within a second.
    fn cancel(&self) {
        self.0.cancel();
    }

    /// Whether it was asked to stop.
    #[getter]
    fn cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// How a call is carried out: seed, threads, who watches, who may stop it.
#[pyclass(frozen, module = "moretta")]
pub(crate) struct Call {
    run: Run,
    token: Option<Token>,
    watcher: Option<Py<PyAny>>,
}

#[pymethods]
impl Call {
    #[new]
    #[pyo3(signature = (seed=None, threads=0, watcher=None, cancel=None, memory=0, bound=false))]
    fn new(
        seed: Option<&str>,
        threads: usize,
        watcher: Option<Py<PyAny>>,
        cancel: Option<PyRef<'_, CancelToken>>,
        memory: u64,
        bound: bool,
    ) -> PyResult<Self> {
        let seed = seed.map(str::parse::<Seed>).transpose().map_err(Failed::from)?;
        let mut run = Run::new().threads(threads).memory(memory).bound(bound);
        if let Some(seed) = seed {
            run = run.seed(seed);
        }
        Ok(Self { run, token: cancel.map(|cancel| cancel.0.clone()), watcher })
    }
}

/// What was told since somebody looked last.
#[derive(Default)]
struct Told {
    latest: Option<Stage>,
    ended: Vec<Stage>,
}

#[derive(Default)]
struct Listener(Mutex<Told>);

impl Observer for Listener {
    fn observe(&self, stage: &Stage) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if stage.ended {
            told.ended.push(stage.clone());
        } else {
            told.latest = Some(stage.clone());
        }
    }
}

impl Listener {
    fn take(&self) -> Told {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A stage as the Python half takes it: path, share done, seconds.
type Shown = (Vec<String>, Option<f64>, f64);

fn shown(stage: Stage) -> Shown {
    let share = stage.overall.or_else(|| stage.fraction());
    (stage.path, share, stage.seconds)
}

impl Call {
    /// Does some work on a thread of its own. This one waits, looks for signals and tells whoever watches; an exception there stops the
    /// work and is what the call ends with.
    pub(crate) fn carry_out<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Run) -> Result<T> + Send,
    ) -> PyResult<T> {
        let (token, listener) = (self.token.clone().unwrap_or_default(), Arc::new(Listener::default()));
        let mut run = self.run.clone().cancel(&token);
        if self.watcher.is_some() {
            run = run.observe(listener.clone());
        }
        thread::scope(|scope| {
            let (working, done) = channel::<()>();
            let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || {
                // Dropped when the work has ended, well or in a panic.
                let _working = working;
                work(&run)
            })?;
            let stopped = self.wait(py, done, &listener, &token);
            let ended = py.detach(|| worker.join());
            let told = self.tell(py, listener.take(), true);
            stopped.and(told)?;
            let result = ended.unwrap_or_else(|_| Err(Error::bug("something impossible happened: a thread panicked")));
            Ok(result.map_err(Failed::from)?)
        })
    }

    /// Waits until the work has ended. What is raised meanwhile cancels it.
    fn wait(&self, py: Python<'_>, mut done: Receiver<()>, listener: &Listener, token: &Token) -> PyResult<()> {
        let mut raised = None;
        loop {
            let (ended, same) = py.detach(move || (done.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout), done));
            done = same;
            if raised.is_none()
                && let Err(error) = py.check_signals().and_then(|()| self.tell(py, listener.take(), false))
            {
                token.cancel();
                raised = Some(error);
            }
            if ended {
                return raised.map_or(Ok(()), Err);
            }
        }
    }

    fn tell(&self, py: Python<'_>, told: Told, finished: bool) -> PyResult<()> {
        let Some(watcher) = &self.watcher else { return Ok(()) };
        let ended: Vec<Shown> = told.ended.into_iter().map(shown).collect();
        watcher.call1(py, (told.latest.map(shown), ended, finished)).map(drop)
    }
}
