//! `moretta completions`: completions for a shell.

use clap::CommandFactory;
use clap_complete::Shell;
use moretta::Result;

use super::Outcome;
use crate::args::Args;
use crate::console::Console;

/// Print completions for a shell
///
/// For bash: moretta completions bash > ~/.local/share/bash-completion/completions/moretta
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The shell
    shell: Shell,
}

#[expect(clippy::unnecessary_wraps, reason = "all commands have one shape")]
pub(crate) fn run(options: &Options, console: &Console) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Args::command(), "moretta", &mut script);
    console.print(&String::from_utf8_lossy(&script));
    Ok(Outcome::Done)
}
