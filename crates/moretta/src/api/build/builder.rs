//! Building a policy.

use serde_json::{Value as Json, json};

use super::attribute::AttributeSpec;
use super::parameters::{MethodSpec, Promise};
use crate::config::{Content, NoFiles, Node, Origin, Resolver};
use crate::data::format::{FileFormat, IntervalForm};
use crate::data::role::Role;
use crate::error::Result;
use crate::policy::{Danger, Policy};
use crate::release::About;
use crate::schema::MissingRule;

/// A policy in the making: attributes by their roles, promises, a method. What is wrong with it, [`PolicyBuilder::build`] says.
///
/// ```
/// use moretta::{Policy, methods::LeastLoss, models::{Distance, KAnonymity, TCloseness}};
///
/// let policy = Policy::builder()
///     .identifier("name")
///     .quasi("age")
///     .quasi("zip")
///     .sensitive("disease")
///     .require(KAnonymity::new(5)?)
///     .require(TCloseness::new(0.2, Distance::Equal)?)
///     .method(LeastLoss::new())
///     .build()?;
/// assert_eq!(Policy::parse(policy.to_toml())?.to_toml(), policy.to_toml());
/// # Ok::<(), moretta::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PolicyBuilder {
    data: Vec<(String, Node)>,
    attributes: Vec<(String, Node)>,
    require: Vec<Node>,
    method: Option<Node>,
    suppression: Option<f64>,
    format: Option<FileFormat>,
    intervals: Option<IntervalForm>,
    accept: Vec<(String, Node)>,
    about: Vec<(String, Node)>,
}

impl Policy {
    /// A policy built by a program.
    pub fn builder() -> PolicyBuilder {
        PolicyBuilder::default()
    }

    /// A policy with the tables and keys of a policy file as objects and lists of JSON, for programs in other languages; `resolver` finds
    /// the files that it names.
    ///
    /// ```
    /// use moretta::{Policy, files::Folder};
    ///
    /// let json = serde_json::json!({
    ///     "attributes": { "age": { "role": "quasi" }, "disease": { "role": "sensitive" } },
    ///     "require": [{ "model": "k-anonymity", "k": 5 }],
    /// });
    /// let policy = Policy::from_json(&json, &Folder::new("."))?;
    /// assert_eq!(policy.to_json(), json);
    /// assert_eq!(Policy::parse(policy.to_toml())?.to_json(), json);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    pub fn from_json(policy: &Json, resolver: &dyn Resolver) -> Result<Self> {
        Self::from_toml(Node::from_json(policy).to_toml(), resolver)
    }

    /// The same tables and keys.
    pub fn to_json(&self) -> Json {
        self.tree.to_json()
    }
}

macro_rules! roles {
    ($($(#[doc = $meaning:literal])+ $name:ident = $role:ident,)+) => {
        $(
            $(#[doc = $meaning])+
            #[must_use]
            pub fn $name(self, attribute: impl Into<AttributeSpec>) -> Self {
                self.attribute(Role::$role, attribute)
            }
        )+
    };
}

impl PolicyBuilder {
    roles! {
        /// Names a person; never published. One that occurs twice is refused.
        identifier = Identifier,
        /// Names the person that a row belongs to, where several rows may belong to one: promises then count people.
        person = Person,
        /// Helps to recognize a person.
        quasi = Quasi,
        /// Must not be learned about a person.
        sensitive = Sensitive,
        /// Published as it is.
        insensitive = Insensitive,
        /// How many people a row stands for.
        weight = Weight,
        /// Not published.
        drop = Drop,
        /// Rows that share its value form a group.
        group = Group,
        /// Neither quasi nor sensitive, for methods that need no such distinction.
        unclassified = Unclassified,
    }

    /// An attribute of any role.
    #[must_use]
    pub fn attribute(mut self, role: Role, attribute: impl Into<AttributeSpec>) -> Self {
        self.attributes.push(attribute.into().node(role));
        self
    }

    /// What becomes of rows that lack a value; without it, they are left out.
    #[must_use]
    pub fn missing(self, rule: MissingRule) -> Self {
        self.of_data("missing", &rule.name().into())
    }

    /// Texts that stand for a missing value, beside the empty one.
    #[must_use]
    pub fn missing_values(self, texts: impl IntoIterator<Item: Into<String>>) -> Self {
        let texts: Vec<String> = texts.into_iter().map(Into::into).collect();
        self.of_data("missing_values", &texts.into())
    }

    /// What the empty text is called where it is a value: then only nulls are missing.
    #[must_use]
    pub fn empty_text(self, name: &str) -> Self {
        self.of_data("empty_text", &name.into())
    }

    /// Only rows that satisfy a condition, such as `age >= 18`.
    #[must_use]
    pub fn filter(self, condition: &str) -> Self {
        self.of_data("where", &condition.into())
    }

    fn of_data(mut self, key: &str, value: &Json) -> Self {
        self.data.push((key.to_owned(), Node::from_json(value)));
        self
    }

    /// Promises something. All promises hold together.
    #[must_use]
    pub fn require(mut self, promise: impl Into<Promise>) -> Self {
        self.require.push(promise.into().node());
        self
    }

    /// How the release is made.
    #[must_use]
    pub fn method(mut self, method: impl Into<MethodSpec>) -> Self {
        self.method = Some(method.into().node());
        self
    }

    /// The share of people that the method may leave out, from 0 to 1.
    #[must_use]
    pub fn suppression(mut self, share: f64) -> Self {
        self.suppression = Some(share);
        self
    }

    /// The format of the files.
    #[must_use]
    pub fn format(mut self, format: FileFormat) -> Self {
        self.format = Some(format);
        self
    }

    /// How generalized numbers and days are written.
    #[must_use]
    pub fn intervals(mut self, form: IntervalForm) -> Self {
        self.intervals = Some(form);
        self
    }

    /// The most that attacks may reach, whatever was promised, from 0 to 1.
    #[must_use]
    pub fn accept(mut self, danger: Danger, most: f64) -> Self {
        self.accept.push((danger.name().to_owned(), Node::from_json(&json!(most))));
        self
    }

    /// What recipients are told of the data, in the README.txt and the data package of the release; each is one line.
    #[must_use]
    pub fn about(mut self, about: &About) -> Self {
        let About { title, contact, licence, citation } = about;
        let said = [("title", title), ("contact", contact), ("licence", licence), ("citation", citation)];
        let said = said.into_iter().filter_map(|(key, words)| Some((key.to_owned(), words.as_deref()?)));
        self.about = said.map(|(key, words)| (key, Node::from_json(&words.into()))).collect();
        self
    }

    /// The policy, checked as far as it can be without data. Hierarchies must not name files.
    pub fn build(self) -> Result<Policy> {
        self.build_with(&NoFiles)
    }

    /// The same, where a resolver finds the files that hierarchies and targets name.
    pub fn build_with(self, resolver: &dyn Resolver) -> Result<Policy> {
        let text = self.tree().to_toml();
        Policy::from_toml(text, resolver)
    }

    fn tree(self) -> Node {
        let Self { data, attributes, require, method, suppression, format, intervals, accept, about } = self;
        let mut entries = Vec::new();
        let mut section = |key: &str, content: Content| entries.push((key.to_owned(), node(content)));
        if !data.is_empty() {
            section("data", Content::Table(data));
        }
        section("attributes", Content::Table(attributes));
        if !require.is_empty() {
            section("require", Content::List(require));
        }
        if let Some(Node { content: Content::Table(mut method), .. }) = method {
            method.extend(suppression.map(|share| ("suppression".to_owned(), Node::from_json(&json!(share)))));
            section("method", Content::Table(method));
        }
        let format = format.map(|format| ("format", format.name()));
        let output = format.into_iter().chain(intervals.map(|form| ("intervals", form.name())));
        let output: Vec<_> = output.map(|(key, name)| (key.to_owned(), Node::from_json(&name.into()))).collect();
        if !output.is_empty() {
            section("output", Content::Table(output));
        }
        if !accept.is_empty() {
            section("accept", Content::Table(accept));
        }
        if !about.is_empty() {
            section("release", Content::Table(about));
        }
        node(Content::Table(entries))
    }
}

fn node(content: Content) -> Node {
    Node { content, origin: Origin::File(1, 1) }
}
