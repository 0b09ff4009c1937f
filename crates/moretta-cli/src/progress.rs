//! A progress bar for work that takes longer than a second.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use moretta::progress::Progress;

use crate::console::Console;

const DELAY: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(120);

/// Shows progress on a terminal while it lives.
pub(crate) struct ProgressShown {
    progress: Arc<Progress>,
    stop: Option<(Sender<()>, JoinHandle<()>)>,
}

impl ProgressShown {
    pub(crate) fn start(console: &Console) -> Self {
        let progress = Arc::new(Progress::default());
        let watched = progress.clone();
        let stop = (console.is_chatty() && std::io::stderr().is_terminal()).then(|| {
            let (stop, stopped) = channel();
            let watcher = std::thread::spawn(move || {
                if stopped.recv_timeout(DELAY) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                let bar = ProgressBar::new_spinner();
                while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    draw(&bar, &watched);
                }
                bar.finish_and_clear();
            });
            (stop, watcher)
        });
        Self { progress, stop }
    }

    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
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

fn draw(bar: &ProgressBar, progress: &Progress) {
    let (stage, done, total) = progress.state();
    let template = if total > 0 {
        "{spinner} {msg} {bar:32} {percent:>3} %  {elapsed}, {eta} left"
    } else {
        "{spinner} {msg} {human_pos}  {elapsed}"
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message(stage);
    if total > 0 {
        bar.set_length(total);
    }
    bar.set_position(done);
    bar.tick();
}
