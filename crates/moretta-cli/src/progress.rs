//! What long work shows of itself, and how Ctrl-C stops it.

use std::io::{IsTerminal, Write};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use moretta::{CancelToken, Observer, Run, Stage};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::console::{CANCELLED, Console};

const DELAY: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(120);

/// Where there is no terminal, stages that take so many seconds are told of when they end.
const WORTH_A_LINE: f64 = 3.0;

/// Where there is no terminal, what parts of the work come to is told once it has taken so many seconds. Short work only ends.
const LONG: f64 = 10.0;

/// A guess of the time that is left waits for so much of the work, and tells nothing beyond a day.
const LEAST_DONE: f64 = 0.05;
const LONGEST_GUESS: Duration = Duration::from_hours(24);

/// Stages within stages are told of down to this depth: candidates, not what is done for each.
const DEEPEST: usize = 2;

/// The bar is drawn in so many steps.
const STEPS: u64 = 10_000;

/// Shows progress while it lives: a bar on a terminal, lines elsewhere.
pub(crate) struct ProgressShown {
    run: Run,
    stop: Option<(Sender<()>, JoinHandle<()>)>,
}

impl ProgressShown {
    pub(crate) fn start(console: &Console) -> Self {
        let (chatty, terminal) = (console.is_chatty(), std::io::stderr().is_terminal());
        let run = Run::new().cancel(&cancelled_by_signals());
        let latest = Arc::new(Latest::default());
        let run = match (chatty, terminal) {
            (true, true) => run.observe(latest.clone()),
            (true, false) => run.observe(Arc::new(Lines::default())),
            (false, _) => run,
        };
        let stop = (chatty && terminal).then(|| {
            let (stop, stopped) = channel();
            let watcher = std::thread::spawn(move || {
                if stopped.recv_timeout(DELAY) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                let bar = ProgressBar::new_spinner();
                let mut outermost = Outermost::default();
                while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    latest.outcomes().iter().for_each(|line| bar.println(line));
                    draw(&bar, &latest.stage(), &mut outermost);
                }
                latest.outcomes().iter().for_each(|line| bar.println(line));
                bar.finish_and_clear();
            });
            (stop, watcher)
        });
        Self { run, stop }
    }

    /// How a call of the library is carried out so that it is shown, and can be stopped.
    pub(crate) fn run(&self) -> Run {
        self.run.clone()
    }
}

/// The stage that was told of last and, since somebody looked, what parts of the work have come to.
#[derive(Default)]
struct Latest {
    stage: Mutex<Stage>,
    outcomes: Mutex<Vec<String>>,
}

impl Latest {
    fn stage(&self) -> Stage {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn outcomes(&self) -> Vec<String> {
        std::mem::take(&mut *self.outcomes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Latest {
    fn observe(&self, stage: &Stage) {
        if !stage.ended {
            self.stage.lock().unwrap_or_else(PoisonError::into_inner).clone_from(stage);
        }
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner).extend(outcome(stage));
    }
}

/// What a part of the work has come to, in a line.
fn outcome(stage: &Stage) -> Option<String> {
    let (what, part) = (stage.outcome.as_ref()?, stage.path.last()?);
    Some(format!("{part}: {what} ({:.1} s)", stage.seconds))
}

impl Drop for ProgressShown {
    fn drop(&mut self) {
        if let Some((stop, watcher)) = self.stop.take() {
            drop(stop);
            let _ = watcher.join();
        }
    }
}

/// A token that Ctrl-C cancels, and so does the wish of the system that the process ends. Who wishes it twice does not wait.
pub(crate) fn cancelled_by_signals() -> CancelToken {
    let wish = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the first looks whether the second was here before. Where the system allows neither, a signal ends the
        // process as ever, and the next run cleans up.
        let _ = flag::register_conditional_shutdown(signal, i32::from(CANCELLED), wish.clone());
        let _ = flag::register(signal, wish.clone());
    }
    wish.into()
}

/// Tells of stages that took long, and of what parts of long work come to, one line each.
struct Lines {
    began: Instant,
    /// What was not told yet, since the work may be short.
    waiting: Mutex<Vec<String>>,
}

impl Default for Lines {
    fn default() -> Self {
        Self { began: Instant::now(), waiting: Mutex::default() }
    }
}

impl Observer for Lines {
    fn observe(&self, stage: &Stage) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let told = outcome(stage);
        if told.is_none() && stage.ended && stage.seconds >= WORTH_A_LINE && stage.path.len() <= DEEPEST {
            let _ = writeln!(anstream::stderr(), "{stage}: {:.1} s", stage.seconds);
        }
        waiting.extend(told);
        if self.began.elapsed().as_secs_f64() >= LONG {
            for line in waiting.drain(..) {
                let _ = writeln!(anstream::stderr(), "{line}");
            }
        }
    }
}

/// The outermost stage, and when it was first seen.
#[derive(Default)]
struct Outermost {
    name: String,
    began: Option<Instant>,
}

impl Outermost {
    /// How long it may still take, as long as that is more than a wild guess. Steps are not of one length.
    fn time_left(&self, fraction: f64) -> String {
        let elapsed = self.began.map_or(0.0, |began| began.elapsed().as_secs_f64());
        let guess = Duration::try_from_secs_f64(elapsed * (1.0 - fraction) / fraction);
        match guess {
            Ok(guess) if fraction >= LEAST_DONE && guess <= LONGEST_GUESS => {
                format!(", about {} left", HumanDuration(guess))
            }
            _ => String::new(),
        }
    }
}

/// Draws a stage; time is measured anew where another outermost stage has begun.
fn draw(bar: &ProgressBar, stage: &Stage, outermost: &mut Outermost) {
    let fraction = stage.overall.or(stage.fraction());
    let first = stage.path.first().map_or("", String::as_str);
    if first != outermost.name {
        *outermost = Outermost { name: first.to_owned(), began: Some(Instant::now()) };
        bar.set_position(0);
    }
    let left = fraction.map_or(String::new(), |fraction| outermost.time_left(fraction));
    let template = match fraction {
        Some(_) => format!("{{spinner}} {{msg}} {{bar:32}} {{percent:>3}} %  {{elapsed}}{left}"),
        None if stage.done > 0 => "{spinner} {msg} {human_pos}  {elapsed}".to_owned(),
        None => "{spinner} {msg}  {elapsed}".to_owned(),
    };
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar.set_message(stage.to_string());
    match fraction {
        Some(fraction) => {
            bar.set_length(STEPS);
            #[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "a fraction is from 0 to 1")]
            bar.set_position((fraction * STEPS as f64) as u64);
        }
        None => bar.set_position(stage.done),
    }
    bar.tick();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_of_the_time_left_is_sane_or_is_not_made() {
        let minute_ago = Instant::now().checked_sub(Duration::from_mins(1));
        let outermost = Outermost { name: "attacking".to_owned(), began: minute_ago };
        assert_eq!(outermost.time_left(0.5), ", about 60 seconds left");
        for fraction in [0.0, 1e-9, 0.01, f64::NAN] {
            assert_eq!(outermost.time_left(fraction), "");
        }
    }
}
