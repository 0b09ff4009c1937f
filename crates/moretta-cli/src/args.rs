//! The command line.

use std::num::NonZeroUsize;

use clap::{Parser, Subcommand};

use crate::command;

/// Publish tables about people so that others can analyse them and nobody in them is exposed.
#[derive(Debug, Parser)]
#[command(name = "moretta", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "Exit status: 0 done and every promise holds; 1 a promise does not hold or this data can't \
meet it; 2 the input or the policy is wrong; 3 the machine failed; 4 a bug in moretta; 130 cancelled.")]
pub(crate) struct Args {
    /// Print one JSON object on standard output; everything else goes to standard error
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print nothing but errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Use so many threads; the output is the same for every number
    #[arg(long, global = true, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Workbench(command::workbench::WorkbenchArgs),
    Inspect(command::inspect::InspectArgs),
    Init(command::init::InitArgs),
    Hierarchy(command::hierarchy::HierarchyArgs),
    Publish(command::publish::PublishArgs),
    Check(command::check::CheckArgs),
    Audit(command::audit::AuditArgs),
    Query(command::query::QueryArgs),
    Compare(command::compare::CompareArgs),
    Export(command::export::ExportArgs),
    Reproduce(command::reproduce::ReproduceArgs),
    Generate(command::generate::GenerateArgs),
    Explain(command::explain::ExplainArgs),
    Completions(command::completions::CompletionsArgs),
}
