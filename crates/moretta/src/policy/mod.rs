//! The policy: what a table is, what is promised about its release, and how the release is made.
//!
//! A policy file becomes a tree of values that know where they stand, read key by key into [`Policy`]. Whatever is wrong
//! whatever the data is found here, before any data is read; so are the files that it names.

mod about;
mod accept;
mod compare;
mod counted;
mod data;
mod output;
mod source;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use accept::{Accept, Danger};
pub use data::DataSpec;

use crate::config::{Content, Folder, NoFiles, Node, Resolver, Section};
use crate::data::format::{FileFormat, IntervalForm};
use crate::data::pseudonym::PseudonymKey;
use crate::data::role::Role;
use crate::database::Destination;
use crate::error::{Code, Error, Result};
use crate::method::{self, Method};
use crate::model::{self, PrivacyModel};
use crate::release::About;
use crate::schema::{self, Attribute};

/// What messages call a policy that stands in no file.
const UNNAMED: &str = "policy";

/// A policy, checked as far as it can be without data.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Policy {
    /// The policy file.
    pub file: PathBuf,
    /// Its text, as it was read.
    pub text: String,
    /// What was read from it, with the content of the files that it names.
    pub tree: Arc<Node>,
    /// The values that the command line has set, in order.
    pub overrides: Vec<String>,
    /// The table and how to read it.
    pub data: DataSpec,
    /// Its attributes, in the order of the policy.
    pub attributes: Vec<Attribute>,
    /// What is promised.
    pub models: Arc<[Box<dyn PrivacyModel>]>,
    /// How the release is made; nothing in a policy that serves only to check a table.
    pub method: Option<Arc<dyn Method>>,
    /// The share of people that a method may leave out.
    pub suppression: f64,
    /// The format of the released tables.
    pub output: FileFormat,
    /// Where in a database they stand instead of in files.
    pub database: Option<Destination>,
    /// The key of pseudonyms, where it is stated; it stands in no policy file.
    pub pseudonym_key: Option<PseudonymKey>,
    /// How generalized numbers and days are written.
    pub intervals: IntervalForm,
    /// What attacks may reach at most.
    pub accept: Accept,
    /// What recipients are told of the data.
    pub about: About,
}

impl Policy {
    /// Reads a policy file; `overrides` are settings such as `require.0.k=10`.
    pub fn load(file: &Path, overrides: &[String]) -> Result<Self> {
        let bytes = std::fs::read(file).map_err(|e| Error::machine("read the policy", file, e))?;
        let text = String::from_utf8(bytes).map_err(|e| {
            let at = e.utf8_error().valid_up_to() + 1;
            Error::input(format!("the policy is not UTF-8, from byte {at} on")).coded(Code::PolicySyntax).at_file(file)
        })?;
        Self::in_file(text, file, overrides)
    }

    /// Reads the text of a policy file, with paths relative to the folder of `file`.
    pub fn in_file(text: String, file: &Path, overrides: &[String]) -> Result<Self> {
        let mut root = Node::parse(&text, file)?;
        for setting in overrides {
            root.set(setting)?;
        }
        Self::from_tree(root, text, file, overrides, &Folder::of(file)).and_then(Self::naming_its_table)
    }

    /// Reads the text of a policy for tables that are handed over; `resolver` finds the files that it names.
    pub fn from_toml(text: impl Into<String>, resolver: &dyn Resolver) -> Result<Self> {
        let (text, file) = (text.into(), Path::new(UNNAMED));
        Self::from_tree(Node::parse(&text, file)?, text, file, &[], resolver)
    }

    /// Reads the text of a policy that names no files.
    pub fn parse(text: impl Into<String>) -> Result<Self> {
        Self::from_toml(text, &NoFiles)
    }

    /// The policy as a file states it.
    pub fn to_toml(&self) -> String {
        self.tree.to_toml()
    }

    /// Checks a policy that was read already; `text` is what it was read from.
    pub(crate) fn from_tree(
        mut root: Node,
        text: String,
        file: &Path,
        overrides: &[String],
        resolver: &dyn Resolver,
    ) -> Result<Self> {
        root.open_files(resolver, file)?;
        let base = file.parent().unwrap_or(Path::new("."));
        let mut top = Section::new("the policy", &root, file)?;

        let data = match top.get("data") {
            None => DataSpec::default(),
            Some(data) => DataSpec::read(&mut Section::new("[data]", data, file)?, base)?,
        };
        let attributes = top.get("attributes").ok_or_else(|| {
            top.lacks("[attributes]")
                .help("give every column a role; `moretta init TABLE` writes a policy to start from")
        })?;
        let attributes = schema::read_all(&Section::new("[attributes]", attributes, file)?, file)?;
        let models = match top.get("require") {
            None => Arc::default(),
            Some(Node { content: Content::List(items), .. }) => {
                items.iter().map(|item| model::registry::read(item, file, &attributes)).collect::<Result<_>>()?
            }
            Some(other) => return Err(top.wrong_kind("require", "a list: write [[require]]", &other.content)),
        };
        let (method, suppression) = match top.get("method") {
            None => (None, 0.0),
            Some(node) => {
                let (method, suppression) = method::registry::read(node, file)?;
                (Some(method.into()), suppression)
            }
        };
        let (output, intervals, database) = match top.get("output") {
            None => Default::default(),
            Some(node) => {
                let mut section = Section::new("[output]", node, file)?;
                let format = section.choice("format", &FileFormat::NAMES)?.unwrap_or_default();
                let intervals = section.choice("intervals", &IntervalForm::NAMES)?.unwrap_or_default();
                let database = output::destination(&mut section, base, format)?;
                section.finish()?;
                (format, intervals, database)
            }
        };
        let accept = match top.get("accept") {
            None => Accept::default(),
            Some(node) => {
                let mut section = Section::new("[accept]", node, file)?;
                let accept = Accept::read(&mut section)?;
                section.finish()?;
                accept
            }
        };
        let about = match top.get("release") {
            None => About::default(),
            Some(node) => {
                let mut section = Section::new("[release]", node, file)?;
                let about = about::read(&mut section)?;
                section.finish()?;
                about
            }
        };
        top.finish()?;
        let (file, overrides, tree) = (file.to_path_buf(), overrides.to_vec(), Arc::new(root));
        Ok(Self {
            file,
            text,
            tree,
            overrides,
            data,
            attributes,
            models,
            method,
            suppression,
            output,
            database,
            pseudonym_key: None,
            intervals,
            accept,
            about,
        })
    }

    /// The policy, if it names its table.
    fn naming_its_table(self) -> Result<Self> {
        self.source()?;
        Ok(self)
    }

    /// The attributes of a role, in the order of the policy.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(move |attribute| attribute.role == role)
    }

    /// The attributes by which a person could be recognized: quasi-identifiers, and what is not classified.
    pub fn linkable_attributes(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|attribute| matches!(attribute.role, Role::Quasi | Role::Unclassified))
    }

    /// The method, which a policy for publishing must name, and its models, of which it needs one.
    ///
    /// A method that hides by itself who is in the table needs none where no attribute is to be protected.
    pub fn for_publishing(&self) -> Result<&dyn Method> {
        let hides = self.method.as_ref().is_some_and(|method| !method.needs_promise());
        let hides_all = hides && self.with_role(Role::Sensitive).next().is_none();
        if self.models.is_empty() && !hides_all {
            return Err(Error::input("the policy promises nothing: no [[require]]")
                .coded(Code::MissingKey)
                .at_file(&self.file)
                .help("state at least one privacy model, for example model = \"k-anonymity\" and k = 5"));
        }
        if self.linkable_attributes().next().is_none() {
            return Err(Error::input("the policy has no quasi-identifier")
                .at_file(&self.file)
                .help("give role = \"quasi\" to the attributes by which a person could be recognized"));
        }
        self.method.as_deref().ok_or_else(|| {
            Error::input("the policy names no method")
                .coded(Code::MissingKey)
                .at_file(&self.file)
                .help("add [method] with name = \"least-loss\"")
        })
    }
}
