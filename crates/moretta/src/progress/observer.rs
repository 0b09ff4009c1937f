//! What is told of long work.

use std::fmt;

/// Is told how far long work has come.
///
/// Calls come from whichever thread has something to tell, one at a time: when a stage begins and ends, and in between at most
/// twenty times a second. They hold the work up, so they should be short, and must not wait for it.
pub trait Observer: Send + Sync {
    /// A stage begins, has come further, or ends.
    fn observe(&self, stage: &Stage);
}

/// A stage of the work, and how far it is.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stage {
    /// The stage and, before it, what it is a part of: comparing, candidate 3 of 64, partitioning.
    pub path: Vec<String>,
    /// The steps done.
    pub done: u64,
    /// The steps in all, where they are known.
    pub total: Option<u64>,
    /// How far the outermost stage is, from 0 to 1, where that is known.
    pub overall: Option<f64>,
    /// How long the stage has taken so far.
    pub seconds: f64,
    /// Whether the stage has ended, well or not.
    pub ended: bool,
    /// What came out of it, in words, where it has ended and has something to say by itself: an attack does.
    pub outcome: Option<String>,
}

impl Stage {
    /// How far the stage is, from 0 to 1, where that is known.
    pub fn fraction(&self) -> Option<f64> {
        self.total.map(|total| share(self.done as f64, total))
    }
}

/// The path, from the outermost stage inwards.
impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path.join(", "))
    }
}

pub(super) fn share(done: f64, total: u64) -> f64 {
    (done / total.max(1) as f64).min(1.0)
}
