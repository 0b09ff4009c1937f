//! `moretta publish`: make a release, check it, report.

use std::fmt::Write as _;
use std::path::PathBuf;

use moretta::text::{bounded, counted, grouped};
use moretta::{Report, Result, Seed, files};

use super::{Outcome, verdict_table, versioned};
use crate::console::{Console, FAINT, STRONG};
use crate::layout::Table;
use crate::progress::ProgressShown;

/// Make a release, check it from its files, and report
///
/// Without --out this is a dry run: the release is made and checked in memory, and nothing is written.
#[derive(Debug, clap::Args)]
pub(crate) struct PublishArgs {
    /// The policy file
    policy: PathBuf,
    /// The folder to make: release/ may be given away, private/ must not
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace the folder, whole, if it holds an earlier release
    #[arg(long, requires = "out")]
    force: bool,
    /// What chance starts from: a number, or 0x and up to 32 hexadecimal digits; without it, 128 bits from the system
    ///
    /// The same seed, table and policy give the same release. Whoever knows the seed can test a guess of the whole table, so it stays
    /// private like the table; a small number can be guessed. State one to repeat a release or an experiment, not for what is given away.
    #[arg(long, value_name = "SEED")]
    seed: Option<Seed>,
    /// The key of pseudonyms, to link this release with others that have the same; without it, a new one of 256 bits
    ///
    /// For an identifier with `pseudonym = true`. The key stays in private/ like the seed: whoever has it can try every name.
    #[arg(long, value_name = "FILE")]
    pseudonym_key: Option<PathBuf>,
    /// How much memory to do with, such as 4GiB; half of the machine's without it
    ///
    /// The release is the same. What there is no room for while the table is read and sorted goes into temporary files beside the output.
    /// What a method keeps of each different row while it plans stays in memory.
    #[arg(long, value_name = "LIMIT", value_parser = bytes)]
    memory: Option<u64>,
    /// Also prove what no release under this promise and these hierarchies can lose less than: up to a minute more
    ///
    /// The bound stands in report.json and on the report page; the release is the same. `moretta explain bound` says what it covers.
    #[arg(long)]
    bound: bool,
    /// Override a value of the policy, as in require.0.k=10
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

pub(crate) fn run(options: &PublishArgs, console: &Console) -> Result<Outcome> {
    let mut policy = files::load_policy(&options.policy, &options.set)?;
    if let Some(file) = &options.pseudonym_key {
        policy = files::with_pseudonym_key(policy, file)?;
    }
    let shown = ProgressShown::start(console);
    let run = shown.run().memory(options.memory.unwrap_or_default()).bound(options.bound);
    let run = match options.seed {
        Some(seed) => run.seed(seed),
        None => run,
    };
    let published = files::publish_named(&policy, options.out.as_deref(), options.force, &run)?;
    let report = published.report();
    drop(shown);
    report.warnings.iter().for_each(|warning| console.warn(warning));
    console.result(|| versioned(report), || render(report, options))?;
    Ok(Outcome::of(&report.guarantees))
}

/// An amount of memory in bytes.
fn bytes(text: &str) -> std::result::Result<u64, String> {
    let units = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40), ("KB", 1000)];
    let decimal = [("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000), ("B", 1), ("", 1)];
    let unit = units.into_iter().chain(decimal).find(|(unit, _)| text.ends_with(unit)).unwrap_or(("", 1_u64));
    let number = text.strip_suffix(unit.0).unwrap_or(text).trim();
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit.1)).filter(|&bytes| bytes > 0);
    bytes.ok_or_else(|| "expected an amount of memory, such as 4GiB or 512MiB".to_owned())
}

fn render(report: &Report, options: &PublishArgs) -> String {
    let mut text = String::new();
    let people = match report.people_out {
        Some(persons) => {
            format!("{} of {}", counted(report.rows_out, "row", "rows"), counted(persons, "person", "people"))
        }
        None => counted(report.rows_out, "person", "people"),
    };
    let groups = counted(report.groups, "group", "groups");
    let done = if options.out.is_some() { "Published" } else { "Would publish" };
    let _ = writeln!(text, "{STRONG}{done} {people} in {groups} with {}.{STRONG:#}", report.method);
    let left_out = [
        (report.suppressed, "suppressed to keep the promise"),
        (report.left_out.filtered, "not chosen by `where`"),
        (report.left_out.missing, "lacking a value"),
        (report.left_out.weightless, "standing for nobody"),
    ];
    for (rows, why) in left_out.iter().filter(|(rows, _)| *rows > 0) {
        let _ = writeln!(text, "{} left out: {why}.", counted(*rows, "row", "rows"));
    }
    let _ = writeln!(text, "\n{}", verdict_table(&report.guarantees));

    let utility = &report.utility;
    let mut costs = Table::new(["cost", "", "meaning"]);
    let share = |cost: Option<f64>| cost.map(|cost| format!("{cost:.4}"));
    let rows = [
        ("loss", share(utility.loss), "share of each value's precision that is gone, 0 to 1"),
        ("gcp", share(utility.gcp), "width of each published range over that of the table, 0 to 1"),
        ("weighted gcp", share(utility.weighted_gcp), "the same, each attribute by its importance"),
        ("distortion", share(utility.distortion), "share of the hierarchies' steps that were climbed"),
        ("dm", utility.dm.map(grouped), "sum of squared group sizes"),
        ("cavg", utility.cavg.map(|cavg| format!("{cavg:.2}")), "mean group size over the smallest allowed"),
        ("wrong", share(utility.classification), "people who lack their group's most frequent sensitive value"),
        ("entropy", share(utility.entropy_loss), "mean entropy of sensitive values in a group, in nats"),
        ("association", share(utility.association), "share left of what quasi-identifiers tell about sensitive values"),
        ("query error", share(utility.query_error.map(|error| error.mean)), "relative error of random counts: mean"),
        ("", share(utility.query_error.map(|error| error.median)), "and median"),
    ];
    let known = rows.iter().any(|(_, cost, _)| cost.is_some());
    for (name, cost, meaning) in rows {
        if let Some(cost) = cost {
            costs.row([name, &cost, meaning]);
        }
    }
    if known {
        let _ = writeln!(text, "{}", costs.render());
    }
    if let (Some(loss), Some(bound)) = (utility.loss, report.bound) {
        let _ = writeln!(text, "{}\n", bounded(loss, bound));
    }

    let seconds = &report.seconds;
    let total = seconds.read + seconds.publish + seconds.bound.unwrap_or(0.0) + seconds.write + seconds.check;
    let bounding = seconds.bound.map(|bound| format!("bound {bound:.2}, ")).unwrap_or_default();
    let _ = writeln!(
        text,
        "{FAINT}{total:.2} s: read {:.2}, plan {:.2}, {bounding}write {:.2}, check {:.2}{FAINT:#}",
        seconds.read, seconds.publish, seconds.write, seconds.check
    );
    match &options.out {
        Some(out) => {
            let _ =
                writeln!(text, "Give away {}; keep {}.", out.join("release").display(), out.join("private").display());
        }
        None => text.push_str("Nothing was written: add --out DIR to publish.\n"),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_memory_have_units() {
        let read = ["4GiB", "512MiB", "3 GB", "100", "7B"].map(bytes);
        assert_eq!(read, [4 << 30, 512 << 20, 3_000_000_000, 100, 7].map(Ok));
        assert!(["", "0", "GiB", "4 elephants", "-1", "99999999999TiB"].iter().all(|text| bytes(text).is_err()));
    }
}
