//! moretta in a browser: a steward is led from a table to a release that somebody can answer for.
//!
//! A *workspace* is a folder: tables, `policy.toml`, hierarchies, releases. Every step is saved as the same policy file that the command line
//! reads, and nothing is kept anywhere else: a server that was killed goes on where the workspace is.
//!
//! `access` decides who may ask, `workspace` is the folder, `job` is the work that takes long, `page` has one module a page.

mod access;
mod apart;
mod bench;
mod job;
mod page;
mod server;
mod workspace;

use std::net::SocketAddr;
use std::path::PathBuf;

pub use access::Password;
pub use server::{Opened, open};

/// How the workbench is opened.
#[derive(Debug)]
pub struct Options {
    /// The workspace. It is made where there is none.
    pub folder: PathBuf,
    /// The address to listen on; port 0 for any that is free.
    pub listen: SocketAddr,
    /// Who may come in where others can reach the address; without one, only whoever knows the secret of the printed address.
    pub password: Option<Password>,
    /// Names by which browsers may call this server, beside addresses.
    pub names: Vec<String>,
    /// The most bytes of an uploaded file.
    pub largest_upload: u64,
}
