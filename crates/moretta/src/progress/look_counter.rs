//! How often work looks at its token, and how long it goes without.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Counts the looks at a token, measures the time between them, and may cancel at one of them: moments that depend on no clock.
///
/// Looks of all threads are one sequence. Where work has a single thread, the longest gap is how long it may go on after it was cancelled.
#[derive(Debug)]
pub struct LookCounter {
    /// The look that cancels, counted from 1.
    cancels: u64,
    count: AtomicU64,
    began: Instant,
    times: Mutex<Times>,
}

#[derive(Debug)]
struct Times {
    last: Instant,
    longest: Gap,
    /// When the look came that cancelled.
    cancelled: Option<Instant>,
}

/// A time without a look.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gap {
    /// When it began, from the start of the work.
    pub after: Duration,
    /// How long it was.
    pub length: Duration,
}

impl LookCounter {
    /// Looks of which this one, counted from 1, cancels; with 0 none does.
    pub fn cancelling_at(look: u64) -> Self {
        let now = Instant::now();
        let times = Times { last: now, longest: Gap::default(), cancelled: None };
        Self { cancels: look, count: AtomicU64::new(0), began: now, times: Mutex::new(times) }
    }

    /// Looks once; whether this is the look that cancels.
    pub(super) fn look(&self) -> bool {
        let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        let now = self.end_gap();
        let cancels = number == self.cancels;
        if cancels {
            self.times.lock().unwrap_or_else(PoisonError::into_inner).cancelled = Some(now);
        }
        cancels
    }

    /// Ends the gap that is under way.
    fn end_gap(&self) -> Instant {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let length = now.saturating_duration_since(times.last);
        if length > times.longest.length {
            times.longest = Gap { after: times.last.saturating_duration_since(self.began), length };
        }
        times.last = now;
        now
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// How long ago one of them cancelled, if one did.
    pub fn since_cancelled(&self) -> Option<Duration> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner).cancelled.map(|then| then.elapsed())
    }

    /// The longest time without a look, when the work has ended: what came after the last one counts too.
    pub fn longest_gap(&self) -> Gap {
        self.end_gap();
        self.times.lock().unwrap_or_else(PoisonError::into_inner).longest
    }
}
