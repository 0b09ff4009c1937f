//! `moretta-soak`: random cases for minutes or hours.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool for developers that speaks to their terminal")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use moretta_soak::draw_policy::Choices;
use moretta_soak::fuzz;
use moretta_soak::run::{Limits, run};

/// Publish random tables under random policies, and hold every promise, level, bound and verdict against the definitions
#[derive(Debug, Parser)]
struct Options {
    /// The minutes that it may take
    #[arg(long, default_value_t = 3.0)]
    minutes: f64,
    /// What all cases are drawn from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The most cases
    #[arg(long, default_value_t = u64::MAX)]
    cases: u64,
    /// Only methods and models whose name contains this
    #[arg(long)]
    only: Option<String>,
    /// Where failing cases are written, shrunken
    #[arg(long, default_value = "target/soak")]
    out: PathBuf,
    /// Feed readers hostile bytes for this share of the time; 0 for not at all
    #[arg(long, default_value_t = 0.1)]
    fuzz: f64,
    /// Write the tables into this file
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let choices = Choices::of_registries();
    let seconds = (options.minutes * 60.0).max(0.0);
    let hostile = Duration::from_secs_f64(seconds * options.fuzz.clamp(0.0, 1.0));
    let fed = if hostile.is_zero() { Vec::new() } else { fuzz::run(options.seed, hostile) };
    let crashes = match fuzz::save(&fed, &options.out) {
        Ok(lines) => lines,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(3);
        }
    };
    crashes.iter().for_each(|line| println!("{line}"));
    let limits = Limits {
        seed: options.seed,
        time: Duration::from_secs_f64(seconds).saturating_sub(hostile),
        cases: options.cases,
        out: options.out,
        only: options.only,
    };
    let tally = match run(&choices, &limits, &|words| println!("{words}")) {
        Ok(tally) => tally,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(3);
        }
    };
    let inputs: Vec<String> = fed.iter().map(|fed| format!("{} {}", fed.name, fed.inputs)).collect();
    let hostile = format!("\nHostile inputs: {}; {} failures.\n", inputs.join(", "), crashes.len());
    let text = tally.render(&choices) + &hostile;
    println!("{text}");
    if let Some(file) = options.write {
        let page = format!(
            "# What the soak found\n\nMade by `./x soak --minutes {} --seed {} --write`: random tables and policies, published, read back from their files and judged by the definitions.\n\n{text}",
            options.minutes, options.seed
        );
        if let Err(error) = std::fs::write(&file, page) {
            eprintln!("error: {}: {error}", file.display());
            return ExitCode::from(3);
        }
    }
    if tally.failures.is_empty() && crashes.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
