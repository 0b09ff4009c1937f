//! What long work tells about itself, how it is stopped, and how much memory it may take.

mod cancel;
mod look_counter;
mod memory;
mod observer;
mod threads;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

pub use cancel::CancelToken;
pub use look_counter::{Gap, LookCounter};
pub use memory::Memory;
use observer::share;
pub use observer::{Observer, Stage};
pub use threads::with_threads;
pub(crate) use threads::{STACK, current_pool, in_pool};

use crate::error::Result;

/// The least time between two calls of an observer within a stage.
const INTERVAL: Duration = Duration::from_millis(50);

/// The stage that is under way, how far it is, and whether it is to go on. Cheap to update from any thread; never prints.
///
/// Work that consists of parts gives each a progress of its own, [`Progress::part`], whose stages lie within.
#[derive(Default)]
pub struct Progress {
    level: Arc<Level>,
    token: CancelToken,
    shared: Arc<Shared>,
}

/// What the parts of some work have in common.
struct Shared {
    memory: Memory,
    observer: Option<Arc<dyn Observer>>,
    /// Held while the observer is told, so that it is never told of two things at once, nor of a step back.
    telling: Mutex<()>,
    /// When the observer was told last, in milliseconds since the beginning.
    told: AtomicU64,
    began: Instant,
    /// Where something began last.
    current: Mutex<Arc<Level>>,
}

/// A part of the work, and its present stage.
#[derive(Default)]
struct Level {
    above: Option<Arc<Level>>,
    /// Which part of the stage above it is, and when it began.
    part: Option<(String, Instant)>,
    stage: Mutex<Option<(&'static str, Instant)>>,
    done: AtomicU64,
    /// 0 where it is not known.
    total: AtomicU64,
    /// What came out of it.
    outcome: Mutex<Option<String>>,
    /// The most of the outermost stage that was ever told, in billionths. Only the outermost level has one.
    overall: AtomicU64,
}

impl Progress {
    /// Progress that nobody watches and nobody stops.
    pub fn new() -> Self {
        Self::default()
    }

    /// Progress that an observer is told of, and that a token stops.
    pub fn watched(observer: Option<Arc<dyn Observer>>, token: CancelToken) -> Self {
        let level = Arc::<Level>::default();
        let shared = Shared { observer, current: Mutex::new(level.clone()), ..Shared::default() };
        Self { level, token, shared: Arc::new(shared) }
    }

    /// Starts a stage of `total` steps; 0 where the number is not known. The stage before it has ended.
    pub fn start(&self, stage: &'static str, total: u64) {
        let _telling = lock(&self.shared.telling);
        self.end_stage();
        self.level.total.store(total, Ordering::Relaxed);
        self.level.done.store(0, Ordering::Relaxed);
        self.level.overall.store(0, Ordering::Relaxed);
        *lock(&self.level.stage) = Some((stage, Instant::now()));
        *lock(&self.shared.current) = self.level.clone();
        self.tell(false);
    }

    /// Reports `steps` more as done.
    pub fn advance(&self, steps: u64) {
        self.level.done.fetch_add(steps, Ordering::Relaxed);
        if self.shared.observer.is_some() {
            self.tell_if_due();
        }
    }

    /// The part `index` (from 0) of `of` that the present stage consists of, with stages of its own.
    #[must_use]
    pub fn part(&self, name: &str, index: usize, of: usize) -> Self {
        let part = Some((format!("{name} {} of {of}", index + 1), Instant::now()));
        let level = Arc::new(Level { above: Some(self.level.clone()), part, ..Level::default() });
        *lock(&self.shared.current) = level.clone();
        let part = Self { level, token: self.token.clone(), shared: self.shared.clone() };
        let telling = lock(&part.shared.telling);
        part.tell(false);
        drop(telling);
        part
    }

    /// The same, stopped by a token of its own.
    #[must_use]
    pub(crate) fn stopped_by(mut self, token: &CancelToken) -> Self {
        self.token = token.clone();
        self
    }

    /// Says what came out of a part, in words. It is told when the part ends.
    pub fn conclude(&self, outcome: String) {
        *lock(&self.level.outcome) = Some(outcome);
    }

    /// Ends the present stage. Dropping the progress does so too.
    pub fn end(&self) {
        let _telling = lock(&self.shared.telling);
        self.end_stage();
    }

    /// What is under way: the stage that began last, here or in a part.
    pub fn state(&self) -> Stage {
        let current = lock(&self.shared.current).clone();
        current.stage(false)
    }

    /// What stops the work.
    pub fn token(&self) -> &CancelToken {
        &self.token
    }

    /// How much memory the work may take.
    pub fn memory(&self) -> &Memory {
        &self.shared.memory
    }

    /// Whether the work is to stop.
    pub fn is_cancelled(&self) -> bool {
        self.token.is_cancelled()
    }

    /// An error if the work is to stop.
    pub fn check(&self) -> Result<()> {
        self.token.check()
    }

    fn end_stage(&self) {
        if lock(&self.level.stage).is_some() {
            self.tell(true);
            *lock(&self.level.stage) = None;
        }
    }

    /// Only for whoever holds `telling`.
    fn tell(&self, ended: bool) {
        if let Some(observer) = &self.shared.observer {
            observer.observe(&self.level.stage(ended));
        }
    }

    fn tell_if_due(&self) {
        let now = self.shared.began.elapsed().as_millis() as u64;
        let told = self.shared.told.load(Ordering::Relaxed);
        let due = now >= told + INTERVAL.as_millis() as u64;
        if !due || self.shared.told.compare_exchange(told, now, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return;
        }
        // Somebody who is telling something already tells enough.
        let _telling = match self.shared.telling.try_lock() {
            Ok(telling) => telling,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if lock(&self.level.stage).is_some() {
            self.tell(false);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let _telling = lock(&self.shared.telling);
        self.end_stage();
        if let Some(above) = &self.level.above {
            self.tell(true);
            let mut current = lock(&self.shared.current);
            if Arc::ptr_eq(&current, &self.level) {
                *current = above.clone();
            }
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("state", &self.state()).field("token", self.token()).finish_non_exhaustive()
    }
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            memory: Memory::default(),
            observer: None,
            telling: Mutex::default(),
            told: AtomicU64::new(0),
            began: Instant::now(),
            current: Mutex::default(),
        }
    }
}

impl Level {
    fn stage(&self, ended: bool) -> Stage {
        let present = *lock(&self.stage);
        let total = Some(self.total.load(Ordering::Relaxed)).filter(|&total| total > 0);
        let began = present.map(|(_, began)| began).or(self.part.as_ref().map(|(_, began)| *began));
        Stage {
            path: self.path(),
            done: self.done.load(Ordering::Relaxed),
            total: total.filter(|_| present.is_some()),
            overall: self.overall(),
            seconds: began.map_or(0.0, |began| began.elapsed().as_secs_f64()),
            ended,
            // A stage within a part ends before the part does.
            outcome: lock(&self.outcome).clone().filter(|_| ended && present.is_none()),
        }
    }

    fn path(&self) -> Vec<String> {
        let mut path = self.above.as_ref().map_or_else(Vec::new, |above| above.path());
        path.extend(self.part.as_ref().map(|(part, _)| part.clone()));
        path.extend(lock(&self.stage).map(|(stage, _)| stage.to_owned()));
        path
    }

    /// How far the outermost stage is at least, which never goes back: parts that are under way at once count with the farthest.
    fn overall(&self) -> Option<f64> {
        const WHOLE: f64 = 1e9;
        let mut level = self;
        let mut found = level.fraction(0.0);
        while let Some(above) = &level.above {
            found = above.fraction(found.unwrap_or(0.0));
            level = above;
        }
        #[expect(clippy::cast_sign_loss, reason = "a fraction is not negative")]
        let parts = (found? * WHOLE).round() as u64;
        Some(level.overall.fetch_max(parts, Ordering::Relaxed).max(parts) as f64 / WHOLE)
    }

    /// How far the stage is when some of its next step is done.
    fn fraction(&self, of_next: f64) -> Option<f64> {
        let total = self.total.load(Ordering::Relaxed);
        (total > 0).then(|| share(self.done.load(Ordering::Relaxed) as f64 + of_next, total))
    }
}

/// A poisoned lock only means that another thread died while it told something.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
