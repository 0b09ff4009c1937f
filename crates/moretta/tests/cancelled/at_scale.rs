//! How long work on many rows goes without a look at its token, measured by hand and told in docs/library.md.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use moretta::internals::progress::{CancelToken, LookCounter};
use moretta_lab::measured::write_into;
use tempfile::TempDir;

use crate::at_looks::watched;
use crate::cases::{self, Case, Size};
use crate::{AT_MOST, alone};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/library.md");

fn stated(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// `cargo test --release -p moretta --test cancelled -- --ignored --nocapture` runs every sort of work on a million rows (`MORETTA_ROWS`) and one
/// thread, for at most 20 seconds each (`MORETTA_SECONDS`), and prints how long it went without a look at its token; it fails where that is more
/// than a second. `MORETTA_CASE` names some sorts of work; `MORETTA_GAPS=write` puts the table into docs/library.md.
#[test]
#[ignore = "takes minutes"]
fn at_scale() {
    let _alone = alone();
    let rows = stated("MORETTA_ROWS", 1_000_000);
    let limit = Duration::from_secs(stated("MORETTA_SECONDS", 20));
    let wanted = std::env::var("MORETTA_CASE").unwrap_or_default();
    let home = TempDir::new().unwrap();
    let kept =
        if wanted.is_empty() || wanted.contains("check") || wanted.contains("audit") { &["mondrian"][..] } else { &[] };
    let cases = cases::all(home.path(), Size::Rows(rows as usize), kept);
    let mut table = format!(
        "{rows} rows of a synthetic census, one thread, at most {} s each: the longest time without a look at the token.\n\n\
         | work | ran for | looks | longest gap |\n|---|--:|--:|--:|\n",
        limit.as_secs()
    );
    let mut slow = Vec::new();
    for case in cases.iter().filter(|case| case.name.contains(&wanted)) {
        let (line, gap) = measure(case, home.path(), limit);
        println!("{line}");
        let _ = writeln!(table, "{line}");
        if gap > AT_MOST {
            slow.push(line);
        }
    }
    if std::env::var("MORETTA_GAPS").as_deref() == Ok("write") {
        write_into(Path::new(PAGE), "gaps", &table).unwrap();
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

/// Runs a case until it ends or its time is over; a line of the table, and the longest gap.
fn measure(case: &Case, home: &Path, limit: Duration) -> (String, Duration) {
    let looks = Arc::new(LookCounter::cancelling_at(0));
    let token = CancelToken::counted(&looks);
    let clock = Instant::now();
    let ended = std::thread::scope(|scope| {
        let (working, ended) = channel::<()>();
        let token = &token;
        scope.spawn(move || {
            if ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                token.cancel();
            }
        });
        // Dropped when the work has ended.
        let _working = working;
        watched(case, home, token)
    });
    let (ran, gap) = (clock.elapsed(), looks.longest_gap());
    drop(fs::remove_dir_all(home.join("out")));
    if let Err(error) = &ended {
        assert!(ran >= limit, "{}: {error}", case.name);
    }
    let stopped = if ended.is_err() { ", stopped" } else { "" };
    let milliseconds = gap.length.as_secs_f64() * 1000.0;
    let line =
        format!("| {} | {:.1} s{stopped} | {} | {milliseconds:.0} ms |", case.name, ran.as_secs_f64(), looks.count());
    println!("{:40} the longest gap began after {:.1} s", case.name, gap.after.as_secs_f64());
    (line, gap.length)
}
