//! What the parameters of models have in common: which attributes they are about, and numbers taken exactly.

use serde_json::{Map, Value as Json};

use super::each_attribute::{AttributeCheck, PerAttribute};
use super::{GroupCheck, Sensitive, TableSummary, level_to_json};
use crate::config::{Section, suggestion};
use crate::data::role::Role;
use crate::error::{Code, Error, Result};
use crate::numeric::Threshold;
use crate::schema::Attribute;

/// The sensitive attributes that a promise is about: one that the policy names, or each.
#[derive(Clone, Debug)]
pub(super) struct Target {
    stated: bool,
    names: Vec<String>,
}

impl Target {
    /// Reads `attribute`. Returns the attributes as the policy describes them too, to be checked further.
    pub(super) fn read<'p>(
        section: &mut Section<'_>,
        attributes: &'p [Attribute],
    ) -> Result<(Self, Vec<&'p Attribute>)> {
        let sensitive: Vec<&Attribute> = attributes.iter().filter(|a| a.role == Role::Sensitive).collect();
        if sensitive.is_empty() {
            return Err(section
                .error("there is no sensitive attribute to protect")
                .help("give role = \"sensitive\" to the attribute that must not be learned about a person"));
        }
        let stated = section.text("attribute")?;
        let chosen = match stated {
            None => sensitive,
            Some(name) => vec![find(section, name, attributes, &sensitive)?],
        };
        let names = chosen.iter().map(|attribute| attribute.name.clone()).collect();
        Ok((Self { stated: stated.is_some(), names }, chosen))
    }

    /// The names of the attributes.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether an attribute is among them.
    pub(super) fn includes(&self, attribute: &str) -> bool {
        self.names.iter().any(|name| name == attribute)
    }

    /// The attribute's name, for the manifest, if the policy states it.
    pub(super) fn promise(&self, promised: &mut Map<String, Json>) {
        if let (true, Some(name)) = (self.stated, self.names.first()) {
            promised.insert("attribute".to_owned(), name.as_str().into());
        }
    }

    /// The attributes in a table, with their places among its sensitive ones.
    pub(super) fn resolve<'w>(&self, whole: &'w TableSummary) -> Result<Vec<(usize, &'w Sensitive)>> {
        let find = |name: &String| {
            let found = whole.sensitive.iter().enumerate().find(|(_, sensitive)| sensitive.name == *name);
            found.ok_or_else(|| Error::bug(format!("the sensitive attribute {name:?} is not in the table")))
        };
        self.names.iter().map(find).collect()
    }

    /// Makes a check of each attribute.
    pub(super) fn prepare<C: AttributeCheck + 'static>(
        &self,
        whole: &TableSummary,
        make: impl Fn(&Sensitive) -> Result<C>,
    ) -> Result<Box<dyn GroupCheck>> {
        let attributes = self.resolve(whole)?;
        let checks = attributes.into_iter().map(|(index, sensitive)| Ok((index, make(sensitive)?)));
        Ok(Box::new(PerAttribute::new(checks.collect::<Result<_>>()?)))
    }
}

fn find<'p>(
    section: &Section<'_>,
    name: &str,
    attributes: &'p [Attribute],
    sensitive: &[&'p Attribute],
) -> Result<&'p Attribute> {
    let names: Vec<&str> = sensitive.iter().map(|attribute| attribute.name.as_str()).collect();
    let message = match attributes.iter().find(|attribute| attribute.name == name) {
        Some(attribute) if attribute.role == Role::Sensitive => return Ok(attribute),
        Some(attribute) if attribute.role == Role::Quasi => format!(
            "{name:?} is a quasi-identifier; an attribute has one role, so it can't be what is protected as well"
        ),
        Some(attribute) => format!("{name:?} is not sensitive: its role is {:?}", attribute.role.name()),
        None => {
            let error = section
                .error_at("attribute", format!("the policy has no attribute {name:?}"))
                .coded(Code::UnknownAttribute);
            return Err(error.help(suggestion(name, &names)));
        }
    };
    Err(section.error_at("attribute", message).help(format!("the sensitive attributes are: {}", names.join(", "))))
}

/// A number of the policy, and exactly the decimal that it spells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact {
    /// The nearest float.
    pub(super) value: f64,
    /// The decimal.
    pub(super) bound: Threshold,
}

impl Exact {
    /// Reads a number that must be there and for which `allowed` holds; `range` says in words what is allowed.
    pub(super) fn read(
        section: &mut Section<'_>,
        key: &'static str,
        range: &str,
        allowed: impl Fn(f64) -> bool,
    ) -> Result<Self> {
        let value = section.required_number(key, range, |x| x >= 0.0 && allowed(x))?;
        let bound = Threshold::new(value).map_err(|_| {
            section.error_at(key, format!("`{key}` is {value}: beyond 19 decimals or 2^64")).help("round it")
        })?;
        Ok(Self { value, bound })
    }

    /// As the manifest states it.
    pub(super) fn to_json(self) -> Json {
        level_to_json(self.value)
    }
}
