//! What a long piece of work tells about itself, for whoever wants to show it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The stage that is under way and how far it is. Cheap to update from any thread; never prints.
#[derive(Debug, Default)]
pub struct Progress {
    stage: Mutex<&'static str>,
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// Starts a stage of `total` steps; 0 where the number is not known.
    pub fn start(&self, stage: &'static str, total: u64) {
        // A poisoned lock only means that another thread died while naming a stage.
        *self.stage.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = stage;
        self.total.store(total, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
    }

    /// Reports `steps` more as done.
    pub fn advance(&self, steps: u64) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    /// The stage, the steps done and the steps in all (0: not known).
    pub fn state(&self) -> (&'static str, u64, u64) {
        let stage = *self.stage.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        (stage, self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }
}
