//! A model or a method with its parameters, before it meets a table.

use std::path::Path;

use serde_json::{Map, Value as Json};

use crate::config::Node;
use crate::data::role::Role;
use crate::data::value::Type;
use crate::error::Result;
use crate::release::auxiliary_attribute;
use crate::schema::Attribute;
use crate::{method, model};

/// What messages call parameters that stand in no file.
const UNNAMED: &str = "parameters";

/// A promise: a privacy model and its parameters. [`models`](super::models) has one for each model of the library; a model from
/// elsewhere is named by [`Promise::new`].
#[derive(Clone, Debug, PartialEq)]
pub struct Promise(Map<String, Json>);

impl Promise {
    /// The model of this name, without parameters.
    pub fn new(model: &str) -> Self {
        Self(Map::from_iter([("model".to_owned(), model.into())]))
    }

    /// The same with a parameter, called as in a policy file.
    #[must_use]
    pub fn with(mut self, parameter: &str, value: impl Into<Json>) -> Self {
        self.0.insert(parameter.to_owned(), value.into());
        self
    }

    /// The same about one sensitive attribute; without it the promise is about each.
    #[must_use]
    pub fn about(self, attribute: &str) -> Self {
        self.with("attribute", attribute)
    }

    /// Refuses parameters that no schema could make right.
    ///
    /// They are read beside a schema that has whatever a model may ask for. What depends on the real one is checked when the policy is
    /// built.
    pub fn checked(self) -> Result<Self> {
        model::registry::read(&self.node(), Path::new(UNNAMED), &[self.obliging_attribute()])?;
        Ok(self)
    }

    /// A sensitive attribute with as many categories as anybody could want, under the name that the promise states.
    fn obliging_attribute(&self) -> Attribute {
        let name = self.0.get("attribute").and_then(Json::as_str).unwrap_or("sensitive");
        let wanted =
            ["p", "l"].iter().filter_map(|key| self.0.get(*key)?.as_u64()).max().unwrap_or(0).min(MOST_CATEGORIES);
        let categories = (0..=wanted).map(|category| vec![category.to_string()]).collect();
        let attribute = auxiliary_attribute(name, Role::Sensitive, Type::Integer);
        let hierarchy = crate::hierarchy::HierarchySpec::Balanced(2);
        Attribute { categories: Some(categories), hierarchy, ..attribute }
    }

    pub(super) fn into_json(self) -> Json {
        Json::Object(self.0)
    }

    pub(in crate::api) fn node(&self) -> Node {
        Node::from_json(&Json::Object(self.0.clone()))
    }
}

/// No table has more categories of sensitive values.
const MOST_CATEGORIES: u64 = 1 << 16;

/// A publication method and its parameters. [`methods`](super::methods) has one for each method of the library; a method from
/// elsewhere is named by [`MethodSpec::new`].
#[derive(Clone, Debug, PartialEq)]
pub struct MethodSpec(Map<String, Json>);

impl MethodSpec {
    /// The method of this name, without parameters.
    pub fn new(method: &str) -> Self {
        Self(Map::from_iter([("name".to_owned(), method.into())]))
    }

    /// The same with a parameter, called as in a policy file.
    #[must_use]
    pub fn with(mut self, parameter: &str, value: impl Into<Json>) -> Self {
        self.0.insert(parameter.to_owned(), value.into());
        self
    }

    /// Refuses parameters that the method does not take.
    pub fn checked(self) -> Result<Self> {
        method::registry::read(&self.node(), Path::new(UNNAMED))?;
        Ok(self)
    }

    pub(in crate::api) fn node(&self) -> Node {
        Node::from_json(&Json::Object(self.0.clone()))
    }
}
