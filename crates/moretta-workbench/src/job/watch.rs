//! How far a job is, for those who look at it.

use std::sync::Mutex;
use std::time::Instant;

use moretta::{Observer, Stage};
use serde::Serialize;
use tokio::sync::watch::Sender;

/// The most outcomes of parts that are kept.
const OUTCOMES: usize = 400;

/// The share of a stage that must be done before the time left is guessed.
const LEAST_DONE: f64 = 0.05;

/// Where a job is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Phase {
    #[default]
    Waiting,
    Running,
    Done,
    Failed,
    Cancelled,
}

/// How far a job is.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct State {
    pub(crate) phase: Phase,
    /// What is under way.
    pub(crate) stage: String,
    /// How far that is, from 0 to 1, where it is known.
    pub(crate) fraction: Option<f64>,
    /// The seconds that it may still take, where that is more than a wild guess.
    pub(crate) left: Option<f64>,
    /// What parts of it have come to.
    pub(crate) outcomes: Vec<String>,
    /// What came of it, in words, when it is over.
    pub(crate) says: String,
    /// Where to look at it then.
    pub(crate) go: String,
}

impl Phase {
    pub(crate) fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }

    /// As scripts call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Waiting => "waiting for its turn",
            Self::Running => "under way",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Is told by the library, and tells all who look.
pub(super) struct Watcher {
    state: Sender<State>,
    /// The outermost stage, and when it began: the time left is guessed from that.
    outermost: Mutex<(String, Instant)>,
}

impl Watcher {
    pub(super) fn new(state: Sender<State>) -> Self {
        Self { state, outermost: Mutex::new((String::new(), Instant::now())) }
    }
}

impl Observer for Watcher {
    fn observe(&self, stage: &Stage) {
        let outcome = stage.outcome.as_ref().zip(stage.path.last()).map(|(what, part)| format!("{part}: {what}"));
        if stage.ended && outcome.is_none() {
            return;
        }
        let fraction = stage.overall.or(stage.fraction());
        let first = stage.path.first().map_or("", String::as_str);
        let began = {
            let mut outermost = self.outermost.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if outermost.0 != first {
                *outermost = (first.to_owned(), Instant::now());
            }
            outermost.1
        };
        let guess = |done: f64| began.elapsed().as_secs_f64() * (1.0 - done) / done;
        self.state.send_modify(|state| {
            if !stage.ended {
                state.stage = stage.to_string();
                state.fraction = fraction;
                state.left = fraction.filter(|done| *done >= LEAST_DONE).map(guess);
            }
            state.outcomes.extend(outcome);
            let surplus = state.outcomes.len().saturating_sub(OUTCOMES);
            state.outcomes.drain(..surplus);
        });
    }
}
