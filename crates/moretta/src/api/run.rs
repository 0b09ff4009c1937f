//! How a call is carried out.

use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;

use crate::chance::Seed;
use crate::error::Result;
use crate::progress::{CancelToken, Observer, Progress, with_threads};
use crate::utility::bound::BoundEffort;

/// How a call is carried out: what chance starts from, how many threads work, how much memory they take, who watches, and who may stop it.
///
/// Nothing needs to be stated. The same input, policy and seed give the same bytes, whatever the number of threads.
///
/// ```
/// use moretta::{CancelToken, Run};
///
/// let stop = CancelToken::new();
/// let run = Run::new().seed(7).threads(2).cancel(&stop);
/// stop.cancel(); // from another thread: the call ends within a second and leaves nothing behind
/// # let _ = run;
/// ```
#[derive(Clone, Default)]
pub struct Run {
    seed: Option<Seed>,
    threads: Option<NonZeroUsize>,
    memory: Option<NonZeroU64>,
    observer: Option<Arc<dyn Observer>>,
    token: CancelToken,
    bound: bool,
}

impl Run {
    /// With a fresh seed of 128 bits from the system, and the threads that all calls share.
    pub fn new() -> Self {
        Self::default()
    }

    /// What chance starts from. Whoever knows it can test a guess of the whole table, so it stays private like the table.
    #[must_use]
    pub fn seed(mut self, seed: impl Into<Seed>) -> Self {
        self.seed = Some(seed.into());
        self
    }

    /// How many threads work on the call; 0 for those that all calls share.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = NonZeroUsize::new(threads);
        self
    }

    /// How many bytes of memory the call should do with; 0 for half of the machine's. What it makes does not depend on it. Where it publishes into a
    /// folder, what there is no room for while the table is read goes into temporary files there.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = NonZeroU64::new(bytes);
        self
    }

    /// Who is told how far the work is.
    #[must_use]
    pub fn observe(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Who may stop the work.
    #[must_use]
    pub fn cancel(mut self, token: &CancelToken) -> Self {
        self.token = token.clone();
        self
    }

    /// Whether publishing also proves what no generalized release under the same promises and hierarchies can lose less than, which takes up to a minute.
    /// The release does not depend on it.
    #[must_use]
    pub fn bound(mut self, bound: bool) -> Self {
        self.bound = bound;
        self
    }

    /// An error if the work is to stop.
    pub fn check(&self) -> Result<()> {
        self.token.check()
    }

    /// The seed that was stated, or a fresh one.
    pub(super) fn drawn_seed(&self) -> Result<Seed> {
        self.seed.map_or_else(Seed::from_system, Ok)
    }

    /// The seed that was stated, or one that is always the same, for what is measured and not given away.
    pub(super) fn fixed_seed(&self) -> Seed {
        self.seed.unwrap_or(Seed(1))
    }

    /// How long a bound on the loss is improved, if one is to be proved.
    pub(super) fn effort(&self) -> Option<BoundEffort> {
        self.bound.then(BoundEffort::default)
    }

    /// What work of another crate reports to, which does not go through this library's calls.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn progress(&self) -> Progress {
        self.watched()
    }

    fn watched(&self) -> Progress {
        let progress = Progress::watched(self.observer.clone(), self.token.clone());
        if let Some(bytes) = self.memory {
            progress.memory().limit_to(bytes.get());
        }
        progress
    }

    /// Does some work in this way.
    pub(super) fn carry_out<T: Send>(&self, work: impl FnOnce(&Progress) -> Result<T> + Send) -> Result<T> {
        let progress = self.watched();
        with_threads(self.threads, || {
            progress.check()?;
            work(&progress)
        })
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A seed is as private as the table.
        let watched = self.observer.is_some();
        f.debug_struct("Run").field("threads", &self.threads).field("watched", &watched).finish_non_exhaustive()
    }
}
