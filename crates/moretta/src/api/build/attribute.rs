//! An attribute of a policy that a program builds.

use serde_json::{Map, Value as Json};

use crate::config::Node;
use crate::data::role::Role;
use crate::data::value::Type;
use crate::hierarchy::{HierarchySpec, Limits};

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
    format: Option<String>,
    hierarchy: HierarchySpec,
    categories: Vec<Vec<String>>,
    limits: Limits,
    pseudonym: bool,
}

impl AttributeSpec {
    /// The attribute of this name. Its type is found out, and its values are generalized in the way that their type suggests.
    pub fn new(name: impl Into<String>) -> Self {
        let (hierarchy, limits) = (HierarchySpec::Default, Limits::default());
        let (name, categories) = (name.into(), Vec::new());
        Self { name, kind: None, format: None, hierarchy, categories, limits, pseudonym: false }
    }

    /// The same with this type.
    #[must_use]
    pub fn typed(mut self, kind: Type) -> Self {
        self.kind = Some(kind);
        self
    }

    /// The same of days that the table spells in this format, in the signs of `strftime`: `%d.%m.%Y`.
    #[must_use]
    pub fn format(mut self, format: impl Into<String>) -> Self {
        self.format = Some(format.into());
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

    /// The same with this weight in what methods minimize, where others have 1: from 0.001 to 1000. The loss that is reported is weighed by nothing.
    #[must_use]
    pub fn importance(mut self, importance: f64) -> Self {
        self.limits.importance = Some(importance);
        self
    }

    /// The same, never generalized above this level of its hierarchy.
    #[must_use]
    pub fn max_level(mut self, level: u32) -> Self {
        self.limits.max_level = Some(level);
        self
    }

    /// The same, where a value that may not be told is `*`, instead of something coarser than `max_level`, or than itself.
    #[must_use]
    pub fn suppress_cells(mut self) -> Self {
        self.limits.suppress_cells = true;
        self
    }

    /// The same, generalized as the finer attribute of this name is.
    #[must_use]
    pub fn linked(mut self, finer: impl Into<String>) -> Self {
        self.limits.linked = Some(finer.into());
        self
    }

    pub(super) fn node(&self, role: Role) -> (String, Node) {
        let mut entries = Map::from_iter([("role".to_owned(), Json::from(role.name()))]);
        entries.extend(self.kind.map(|kind| ("type".to_owned(), kind.name().into())));
        entries.extend(self.format.clone().map(|format| ("format".to_owned(), format.into())));
        entries.extend(self.hierarchy.to_json().map(|hierarchy| ("hierarchy".to_owned(), hierarchy)));
        if self.pseudonym {
            entries.insert("pseudonym".to_owned(), true.into());
        }
        if !self.categories.is_empty() {
            entries.insert("categories".to_owned(), self.categories.clone().into());
        }
        let Limits { importance, max_level, suppress_cells, linked } = &self.limits;
        entries.extend(importance.map(|importance| ("importance".to_owned(), importance.into())));
        entries.extend(max_level.map(|level| ("max_level".to_owned(), level.into())));
        entries.extend(suppress_cells.then(|| ("suppress_cells".to_owned(), true.into())));
        entries.extend(linked.clone().map(|linked| ("linked".to_owned(), linked.into())));
        (self.name.clone(), Node::from_json(&Json::Object(entries)))
    }
}

impl<N: Into<String>> From<N> for AttributeSpec {
    fn from(name: N) -> Self {
        Self::new(name)
    }
}
