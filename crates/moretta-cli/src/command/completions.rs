//! `moretta completions`: completions for a shell.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;
use moretta::Result;

use super::Outcome;
use crate::args::Args;
use crate::console::Console;
use crate::output;

/// Print completions for a shell
///
/// For bash: moretta completions bash > ~/.local/share/bash-completion/completions/moretta
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(options: &CompletionsArgs, _: &Console) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Args::command(), "moretta", &mut script);
    output::data(|out| out.write_all(&script).map_err(output::unwritable))?;
    Ok(Outcome::Done)
}
