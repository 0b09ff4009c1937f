//! The `moretta` program: publish tables about people so that nobody in them is exposed.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(moretta_cli::run(std::env::args_os()))
}
