//! What long work shows of itself, and how Ctrl-C stops it.

use std::io::{IsTerminal, Write};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use moretta::{CancelToken, Observer, Run, Stage};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::console::{CANCELLED, Console};

const DELAY: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(120);

/// Where there is no terminal, stages that take so many seconds are told of when they end.
const WORTH_A_LINE: f64 = 3.0;

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
            (true, false) => run.observe(Arc::new(Lines)),
            (false, _) => run,
        };
        let stop = (chatty && terminal).then(|| {
            let (stop, stopped) = channel();
            let watcher = std::thread::spawn(move || {
                if stopped.recv_timeout(DELAY) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                let bar = ProgressBar::new_spinner();
                let mut outermost = String::new();
                while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    draw(&bar, &latest.stage(), &mut outermost);
                }
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

/// The stage that was told of last, for whoever draws it.
#[derive(Default)]
struct Latest(Mutex<Stage>);

impl Latest {
    fn stage(&self) -> Stage {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Observer for Latest {
    fn observe(&self, stage: &Stage) {
        if !stage.ended {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).clone_from(stage);
        }
    }
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
fn cancelled_by_signals() -> CancelToken {
    let wish = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the first looks whether the second was here before. Where the system allows neither, a signal ends the
        // process as ever, and the next run cleans up.
        let _ = flag::register_conditional_shutdown(signal, i32::from(CANCELLED), wish.clone());
        let _ = flag::register(signal, wish.clone());
    }
    wish.into()
}

/// Tells of stages that took long, one line each.
struct Lines;

impl Observer for Lines {
    fn observe(&self, stage: &Stage) {
        if stage.ended && stage.seconds >= WORTH_A_LINE && stage.path.len() <= DEEPEST {
            let _ = writeln!(anstream::stderr(), "{stage}: {:.1} s", stage.seconds);
        }
    }
}

/// Draws a stage; time is measured anew where another outermost stage has begun.
fn draw(bar: &ProgressBar, stage: &Stage, outermost: &mut String) {
    let fraction = stage.overall.or(stage.fraction());
    let template = match fraction {
        Some(_) => "{spinner} {msg} {bar:32} {percent:>3} %  {elapsed}, {eta} left",
        None if stage.done > 0 => "{spinner} {msg} {human_pos}  {elapsed}",
        None => "{spinner} {msg}  {elapsed}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    let first = stage.path.first().map_or("", String::as_str);
    if first != outermost {
        first.clone_into(outermost);
        bar.set_position(0);
        bar.reset_eta();
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
