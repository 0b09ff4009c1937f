//! The command line of moretta, for the program and for whatever else carries it: publish tables about people so that nobody in
//! them is exposed.

mod args;
mod command;
mod console;
mod layout;
mod markdown;
mod output;
mod panicked;
mod progress;

use std::ffi::OsString;

use clap::Parser;

use args::{Args, Command};
use console::Console;

/// Runs the command line of these arguments, the first of which is the program's name, and returns the exit status.
pub fn run(arguments: impl IntoIterator<Item: Into<OsString> + Clone>) -> u8 {
    match Args::try_parse_from(arguments) {
        Ok(args) => {
            let console = Console::new(args.json, args.quiet);
            console.status(panicked::caught(|| carry_out(&args, &console)))
        }
        // Also the answer to --help, which is no error. Where it can't be printed, nobody reads it.
        Err(usage) => {
            let _ = usage.print();
            u8::try_from(usage.exit_code()).unwrap_or(WRONG_USAGE)
        }
    }
}

/// The exit status of a command line that is not understood.
const WRONG_USAGE: u8 = 2;

fn carry_out(args: &Args, console: &Console) -> moretta::Result<command::Outcome> {
    if let Some(threads) = args.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build_global();
        pool.map_err(|e| moretta::Error::new(moretta::Fault::Machine, format!("can't start {threads} threads: {e}")))?;
    }
    match &args.command {
        Command::Workbench(options) => command::workbench::run(options, console),
        Command::Inspect(options) => command::inspect::run(options, console),
        Command::Init(options) => command::init::run(options, console),
        Command::Hierarchy(options) => command::hierarchy::run(options, console),
        Command::Publish(options) => command::publish::run(options, console),
        Command::Check(options) => command::check::run(options, console),
        Command::Audit(options) => command::audit::run(options, console),
        Command::Query(options) => command::query::run(options, console),
        Command::Compare(options) => command::compare::run(options, console),
        Command::Export(options) => command::export::run(options, console),
        Command::Reproduce(options) => command::reproduce::run(options, console),
        Command::Generate(options) => command::generate::run(options, console),
        Command::Explain(options) => command::explain::run(options, console),
        Command::Completions(options) => command::completions::run(options, console),
    }
}
