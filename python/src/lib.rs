//! moretta for Python: the library's front door, call by call. What people use is the package around it, `package/moretta`; this module
//! translates, and computes nothing of its own.

mod arrow;
mod attend;
mod audit;
mod catalogue;
mod cluster;
mod compare;
mod errors;
mod frame;
mod inspect;
mod policy;
mod release;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command line of these arguments, the first of which is the program's name, and returns the exit status.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| moretta_cli::run(arguments))
}

/// The native half of the package `moretta`.
#[pymodule]
mod _moretta {
    #[pymodule_export]
    use super::arrow::ArrowTable;
    #[pymodule_export]
    use super::attend::{Call, CancelToken};
    #[pymodule_export]
    use super::audit::{audit, levels, verify};
    #[pymodule_export]
    use super::catalogue::{catalogue, check_method, check_model, explain};
    #[pymodule_export]
    use super::cluster::{Counted, PartsFolder, counted_columns, joined_manifest, release_of_files};
    #[pymodule_export]
    use super::compare::{Comparison, compare, compare_plan};
    #[pymodule_export]
    use super::frame::{Frame, Table};
    #[pymodule_export]
    use super::inspect::{Inspection, hierarchy, inspect, rules};
    #[pymodule_export]
    use super::main;
    #[pymodule_export]
    use super::policy::Policy;
    #[pymodule_export]
    use super::release::{Release, publish, publish_named};
}
