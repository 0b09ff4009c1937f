//! A wish that long work ends early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::look_counter::LookCounter;
use crate::error::{Error, Result};

/// Asks work that may be under way on other threads to stop. Clones are one token, and a token that was cancelled stays so.
///
/// Loops look at it often enough that work ends within a second. A loop that can't fail ends early instead, and whoever called it
/// looks again before using what it gave: because a token never goes back, no half-made result passes that look.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    wish: Arc<AtomicBool>,
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
        self.wish.load(Ordering::Relaxed)
    }

    /// An error if the work is to stop.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::cancelled()) } else { Ok(()) }
    }
}

/// A flag that somebody else sets, such as the handler of a signal, is a token.
impl From<Arc<AtomicBool>> for CancelToken {
    fn from(wish: Arc<AtomicBool>) -> Self {
        Self { wish, looks: None }
    }
}
