//! `moretta workbench`: decide in a browser.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use moretta::{Error, Result};
use moretta_workbench::{Options, Password};

use super::Outcome;
use crate::console::{Console, STRONG};
use crate::progress::cancelled_by_signals;

/// Decide in a browser: from a table to a release, step by step
///
/// The folder is the workspace: tables, policy.toml, hierarchies, releases. It stays what the other commands read, and nothing is kept elsewhere.
/// Ctrl-C ends the server.
#[derive(Debug, clap::Args)]
pub(crate) struct WorkbenchArgs {
    /// The workspace; it is made where there is none
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// The address to listen on; one that others can reach demands a password, and TLS in front
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// A file whose first line is the password, for an address that others can reach
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// A name by which browsers may call the server, where it listens for others; can be repeated
    #[arg(long, value_name = "HOST")]
    name: Vec<String>,
    /// The most megabytes of a file that a browser sends
    #[arg(long, value_name = "MB", default_value_t = 4096)]
    max_upload: u64,
    /// Do not open the browser
    #[arg(long)]
    no_browser: bool,
}

pub(crate) fn run(options: &WorkbenchArgs, console: &Console) -> Result<Outcome> {
    let password = options.password_file.as_ref().map(|file| {
        let text = std::fs::read_to_string(file).map_err(|e| Error::machine("read the password", file, e))?;
        Password::new(text.lines().next().unwrap_or_default())
    });
    let opened = moretta_workbench::open(Options {
        folder: options.folder.clone(),
        listen: options.listen,
        password: password.transpose()?,
        names: options.name.clone(),
        largest_upload: options.max_upload.saturating_mul(1 << 20),
    })?;
    let address = opened.address();
    // Also with --quiet: without it nobody could come in.
    let _ = writeln!(anstream::stdout(), "{STRONG}{address}{STRONG:#}");
    let _ = std::io::stdout().flush();
    if !options.listen.ip().is_loopback() {
        console.warn("others can reach this address, and everything crosses the network as it is: put TLS in front");
    }
    if !options.no_browser && options.listen.ip().is_loopback() {
        show(&address);
    }
    opened.serve(&cancelled_by_signals())?;
    Ok(Outcome::Done)
}

/// Opens the address in the browser of this machine, where there is one.
fn show(address: &str) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    // Where it can't be opened, the address was printed.
    let _ = Command::new(opener).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
