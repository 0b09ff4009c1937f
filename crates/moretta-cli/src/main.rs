//! The `moretta` program: publish tables about people so that nobody in them is exposed.

mod args;
mod command;
mod console;
mod layout;
mod output;
mod panicked;
mod progress;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use console::Console;

fn main() -> ExitCode {
    let args = Args::parse();
    let console = Console::new(args.json, args.quiet);
    console.exit_code(panicked::caught(|| run(&args, &console)))
}

fn run(args: &Args, console: &Console) -> moretta::Result<command::Outcome> {
    if let Some(threads) = args.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build_global();
        pool.map_err(|e| moretta::Error::new(moretta::Fault::Machine, format!("can't start {threads} threads: {e}")))?;
    }
    match &args.command {
        Command::Inspect(options) => command::inspect::run(options, console),
        Command::Init(options) => command::init::run(options, console),
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
