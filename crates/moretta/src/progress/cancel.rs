//! A wish that long work ends early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::look_counter::LookCounter;
use crate::error::{Error, Result};

/// Asks work that may be under way on other threads to stop. Clones are one token, and a token that was cancelled stays so.
///
/// Loops look at it often enough that work ends within a second. A loop that can't fail ends early instead, and whoever called it
/// looks again before using what it gave: because a token never goes back, no half-made result passes that look.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    wish: Arc<AtomicBool>,
    /// Whoever stops the whole stops this part of it.
    above: Option<Arc<CancelToken>>,
    /// Who counts how often it is looked at: tests and measurements do.
    looks: Option<Arc<LookCounter>>,
}

impl CancelToken {
    /// A token that nobody has cancelled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A token whose looks are counted, and which one of them may cancel.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn counted(looks: &Arc<LookCounter>) -> Self {
        Self { looks: Some(looks.clone()), ..Self::default() }
    }

    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.wish.store(true, Ordering::Relaxed);
    }

    /// Whether the work is to stop. As cheap as reading a variable.
    pub fn is_cancelled(&self) -> bool {
        if let Some(looks) = &self.looks
            && looks.look()
        {
            self.cancel();
        }
        self.wish.load(Ordering::Relaxed) || self.above.as_ref().is_some_and(|above| above.is_cancelled())
    }

    /// A token for a part of the work: it stops that part alone, and is cancelled with this one.
    #[must_use]
    pub(crate) fn for_part(&self) -> Self {
        Self { above: Some(Arc::new(self.clone())), ..Self::default() }
    }

    /// Does some work that this token stops, and cancels it when so much time has passed.
    pub(crate) fn within<T>(&self, most: Duration, work: impl FnOnce() -> T) -> T {
        let (busy, watched) = channel::<()>();
        std::thread::scope(|scope| {
            let watch = move || {
                if watched.recv_timeout(most) == Err(RecvTimeoutError::Timeout) {
                    self.cancel();
                }
            };
            // A machine that has no thread left for it waits as long as it takes.
            drop(std::thread::Builder::new().spawn_scoped(scope, watch));
            let done = work();
            drop(busy);
            done
        })
    }

    /// An error if the work is to stop.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::cancelled()) } else { Ok(()) }
    }
}

/// A flag that somebody else sets, such as the handler of a signal, is a token.
impl From<Arc<AtomicBool>> for CancelToken {
    fn from(wish: Arc<AtomicBool>) -> Self {
        Self { wish, ..Self::default() }
    }
}
