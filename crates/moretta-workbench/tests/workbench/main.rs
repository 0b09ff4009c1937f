//! The server as a client sees it.

mod client;
mod database;
mod refusals;
mod routes;

use std::fs;
use std::path::Path;

const EVERY_PAGE: [&str; 9] =
    ["/", "/understand", "/roles", "/hierarchies", "/promise", "/compare", "/publish", "/releases", "/policy"];

fn hospital() -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hospital/patients.csv")).expect("the example")
}
