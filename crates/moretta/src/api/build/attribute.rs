//! An attribute of a policy that a program builds.

use serde_json::{Map, Value as Json};

use crate::config::Node;
use crate::data::role::Role;
use crate::data::value::Type;
use crate::hierarchy::HierarchySpec;

/// An attribute: its name, and what is not the default about it.
///
/// ```
/// use moretta::{AttributeSpec, HierarchySpec, Policy, Type};
///
/// let age = AttributeSpec::new("age").typed(Type::Integer).hierarchy(HierarchySpec::intervals([5, 10, 20]));
/// let policy = Policy::builder().quasi(age).sensitive("disease").build()?;
/// assert!(policy.to_toml().contains("intervals = [5.0, 10.0, 20.0]"));
/// # Ok::<(), moretta::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AttributeSpec {
    name: String,
    kind: Option<Type>,
    hierarchy: HierarchySpec,
    categories: Vec<Vec<String>>,
    pseudonym: bool,
}

impl AttributeSpec {
    /// The attribute of this name. Its type is found out, and its values are generalized in the way that their type suggests.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind: None,
            hierarchy: HierarchySpec::Default,
            categories: Vec::new(),
            pseudonym: false,
        }
    }

    /// The same with this type.
    #[must_use]
    pub fn typed(mut self, kind: Type) -> Self {
        self.kind = Some(kind);
        self
    }

    /// The same, generalized in this way.
    #[must_use]
    pub fn hierarchy(mut self, hierarchy: HierarchySpec) -> Self {
        self.hierarchy = hierarchy;
        self
    }

    /// The same with categories of its values, the most sensitive first.
    #[must_use]
    pub fn categories<C, V>(mut self, categories: C) -> Self
    where
        C: IntoIterator<Item = V>,
        V: IntoIterator<Item: Into<String>>,
    {
        self.categories = categories.into_iter().map(|values| values.into_iter().map(Into::into).collect()).collect();
        self
    }

    /// The same identifier, published under a keyed pseudonym.
    #[must_use]
    pub fn pseudonym(mut self) -> Self {
        self.pseudonym = true;
        self
    }

    pub(super) fn node(&self, role: Role) -> (String, Node) {
        let mut entries = Map::from_iter([("role".to_owned(), Json::from(role.name()))]);
        entries.extend(self.kind.map(|kind| ("type".to_owned(), kind.name().into())));
        entries.extend(self.hierarchy.to_json().map(|hierarchy| ("hierarchy".to_owned(), hierarchy)));
        if self.pseudonym {
            entries.insert("pseudonym".to_owned(), true.into());
        }
        if !self.categories.is_empty() {
            entries.insert("categories".to_owned(), self.categories.clone().into());
        }
        (self.name.clone(), Node::from_json(&Json::Object(entries)))
    }
}

impl<N: Into<String>> From<N> for AttributeSpec {
    fn from(name: N) -> Self {
        Self::new(name)
    }
}
