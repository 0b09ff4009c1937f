//! Policies, from texts, files and objects.

use std::path::PathBuf;

use moretta::files::{self, Folder};
use moretta::{HierarchySpec, Policy as LibraryPolicy};
use pyo3::prelude::*;
use serde_json::Value as Json;

use crate::errors::{Failed, no_json};

/// A policy, checked as far as it can be without data.
#[pyclass(frozen, module = "moretta")]
pub(crate) struct Policy(pub(crate) LibraryPolicy);

#[pymethods]
impl Policy {
    /// The tables and keys of a policy file as JSON; the files that it names are relative to a folder.
    #[staticmethod]
    fn from_json(text: &str, folder: PathBuf) -> PyResult<Self> {
        let json = parsed(text)?;
        Ok(LibraryPolicy::from_json(&json, &Folder::new(folder)).map(Self).map_err(Failed::from)?)
    }

    /// The text of a policy file.
    #[staticmethod]
    fn from_toml(text: &str, folder: PathBuf) -> PyResult<Self> {
        Ok(LibraryPolicy::from_toml(text, &Folder::new(folder)).map(Self).map_err(Failed::from)?)
    }

    /// A policy file that names its table; overrides are such as `require.0.k=10`.
    #[staticmethod]
    fn load(path: PathBuf, overrides: Vec<String>) -> PyResult<Self> {
        Ok(files::load_policy(path, &overrides).map(Self).map_err(Failed::from)?)
    }

    /// The same with the key of its pseudonyms from a file.
    fn with_pseudonym_key(&self, file: PathBuf) -> PyResult<Self> {
        Ok(files::with_pseudonym_key(self.0.clone(), file).map(Self).map_err(Failed::from)?)
    }

    fn to_toml(&self) -> String {
        self.0.to_toml()
    }

    fn to_json(&self) -> String {
        self.0.to_json().to_string()
    }
}

/// The JSON of a parameter.
pub(crate) fn parsed(text: &str) -> PyResult<Json> {
    Ok(serde_json::from_str(text).map_err(|e| no_json(&e))?)
}

/// How the first attribute of a policy is generalized: policies are where hierarchies are read.
pub(crate) fn first_hierarchy(policy: &LibraryPolicy) -> HierarchySpec {
    policy.attributes.first().map_or(HierarchySpec::Default, |attribute| attribute.hierarchy.clone())
}
