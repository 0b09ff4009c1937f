//! The attributes of a policy: roles, types, hierarchies, categories.

use std::path::Path;

use super::hierarchy::read_hierarchy;
use super::limits::{read_limits, refuse_links};
use crate::config::section::texts_of;
use crate::config::{Content, Node, Section};
use crate::data::day_format::DayFormat;
use crate::data::role::Role;
use crate::data::value::Type;
use crate::error::{Error, Result};
use crate::hierarchy::{HierarchySpec, Limits};

/// An attribute as the policy describes it.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name of the column.
    pub name: String,
    /// What it means for privacy.
    pub role: Role,
    /// Its type, if stated.
    pub kind: Option<Type>,
    /// How the table spells its days, if not as 1994-03-07.
    pub format: Option<DayFormat>,
    /// How its values are generalized.
    pub hierarchy: HierarchySpec,
    /// How far they may be, and how much that matters.
    pub limits: Limits,
    /// A partition of its values, the most sensitive first.
    pub categories: Option<Vec<Vec<String>>>,
    /// The line of the policy that names it.
    pub line: Option<u64>,
}

impl Attribute {
    /// The attribute in a table that publishes labels of it: how the labels came about is not known.
    #[must_use]
    pub fn of_labels(&self) -> Self {
        let (hierarchy, limits) = (HierarchySpec::Default, Limits::default());
        Self { kind: Some(Type::Text), hierarchy, limits, ..self.clone() }
    }
}

/// Reads the attributes of a policy, whose files have been opened.
pub fn read_all(section: &Section<'_>, file: &Path) -> Result<Vec<Attribute>> {
    let attributes: Vec<Attribute> =
        section.entries().iter().map(|(name, node)| read(name, node, file)).collect::<Result<_>>()?;
    for role in [Role::Weight, Role::Group, Role::Person] {
        let mut with_role = attributes.iter().filter(|attribute| attribute.role == role);
        if let (Some(first), Some(second)) = (with_role.next(), with_role.next()) {
            let message =
                format!("two attributes have the role {:?}: {:?} and {:?}", role.name(), first.name, second.name);
            return Err(section.error_at(&second.name, message).help("keep one of them"));
        }
    }
    let with_role = |role: Role| attributes.iter().find(|attribute| attribute.role == role);
    if let (Some(person), Some(weight)) = (with_role(Role::Person), with_role(Role::Weight)) {
        let message = format!(
            "{:?} says whose each row is, and {:?} that a row stands for several people: both can't be true",
            person.name, weight.name
        );
        return Err(section.error_at(&weight.name, message).help("give one of them the role \"drop\""));
    }
    refuse_links(section, &attributes)?;
    Ok(attributes)
}

fn read(name: &str, node: &Node, file: &Path) -> Result<Attribute> {
    let mut section = Section::new(format!("attribute {name:?}"), node, file)?;
    let role = section.choice("role", &Role::NAMES)?.ok_or_else(|| {
        let names: Vec<&str> = Role::NAMES.iter().map(|&(name, _)| name).collect();
        section.lacks("role").help(format!("one of: {}", names.join(", ")))
    })?;
    let role = match (role, section.flag("pseudonym")?) {
        (Role::Identifier, Some(true)) => Role::Pseudonym,
        (_, None | Some(false)) => role,
        (_, Some(true)) => {
            return Err(section
                .error_at(
                    "pseudonym",
                    format!("only an identifier can have a pseudonym, and this is {:?}", role.name()),
                )
                .help("give it the role \"identifier\", or leave `pseudonym` out"));
        }
    };
    let kinds = Type::ALL.map(|kind| (kind.name(), kind));
    let stated = section.choice("type", &kinds)?;
    let format = read_format(&mut section, stated)?;
    let kind = stated.or(format.as_ref().map(|_| Type::Date));
    let mut hierarchy = read_hierarchy(&mut section, file)?;
    if section.choice("intervals", &[("free", ())])?.is_some() {
        hierarchy = HierarchySpec::Free;
    }
    let of_numbers = matches!(
        hierarchy,
        HierarchySpec::Free
            | HierarchySpec::Intervals(_)
            | HierarchySpec::Cuts(_)
            | HierarchySpec::DayCuts(_)
            | HierarchySpec::Ends { .. }
            | HierarchySpec::Round(_)
    );
    if of_numbers && matches!(kind, Some(Type::Text | Type::Code | Type::Boolean)) {
        return Err(section
            .error("intervals need numbers or dates")
            .help("use prefixes, codes, mask, frequency, another column or a file"));
    }
    if hierarchy.needs_rows() && role != Role::Quasi {
        return Err(section
            .error_at("hierarchy", "only the values of quasi-identifiers are taken together by frequency or by columns")
            .help("state rows or a file: what is promised about a sensitive attribute must not depend on the table"));
    }
    let limits = read_limits(&mut section, role)?;
    let categories = read_categories(&mut section, &hierarchy)?;
    section.finish()?;
    let line = match &node.origin {
        crate::config::Origin::File(line, _) => Some(*line),
        crate::config::Origin::Override(_) => None,
    };
    Ok(Attribute { name: name.to_owned(), role, kind, format, hierarchy, limits, categories, line })
}

fn read_format(section: &mut Section<'_>, stated: Option<Type>) -> Result<Option<DayFormat>> {
    let Some(text) = section.text("format")? else { return Ok(None) };
    if let Some(other) = stated.filter(|kind| !kind.is_time()) {
        return Err(section
            .error_at(
                "format",
                format!("`format` says how days or times are spelled, and the type is {}", other.name()),
            )
            .help("leave one of them out"));
    }
    let wrong = |why| section.error_at("format", format!("`format` can't be {text:?}: {why}"));
    let of_times = |format: DayFormat| match stated {
        Some(Type::Timestamp) if !format.has_time() => Err("it has no time, and the type is timestamp".to_owned()),
        _ => Ok(Some(format)),
    };
    DayFormat::new(text).and_then(of_times).map_err(|why| {
        wrong(why)
            .help("for example \"%d.%m.%Y\" for 07.03.1994, \"%m/%d/%Y\" for 03/07/1994, \"%d %b %Y\" for 7 Mar 1994")
    })
}

fn read_categories(section: &mut Section<'_>, hierarchy: &HierarchySpec) -> Result<Option<Vec<Vec<String>>>> {
    let Some(node) = section.get("categories") else { return Ok(None) };
    let lists = match &node.content {
        Content::List(items) => items.iter().map(texts_of).collect::<Option<Vec<_>>>(),
        Content::Table(_) => return categories_of_level(section, node, hierarchy).map(Some),
        _ => None,
    };
    let lists = lists.filter(|lists| !lists.is_empty()).ok_or_else(|| -> Error {
        section
            .error_at("categories", "`categories` must be a list of lists of values, or a level of the hierarchy")
            .help("the most sensitive category first: [[\"HIV\", \"Cancer\"], [\"Flu\"]]; or { level = 1 }")
    })?;
    let mut seen: Vec<&String> = Vec::new();
    for value in lists.iter().flatten() {
        if seen.contains(&value) {
            return Err(section
                .error_at("categories", format!("{value:?} stands in two categories"))
                .help("list each value once"));
        }
        seen.push(value);
    }
    Ok(Some(lists))
}

/// The values that have the same label at a level, the most sensitive label first: in the order of the hierarchy's lines.
fn categories_of_level<'a>(
    section: &Section<'a>,
    node: &'a Node,
    hierarchy: &HierarchySpec,
) -> Result<Vec<Vec<String>>> {
    let mut stated = section.inner("categories", node)?;
    let level = stated.required_whole("level", 1)?;
    stated.finish()?;
    hierarchy.parts_at(usize::try_from(level).unwrap_or(usize::MAX)).ok_or_else(|| {
        section
            .error_at("categories", "only a hierarchy of rows or from a file says which values a level takes together")
            .help("list the values, or ranges of numbers: [[\"[1, 20]\"], [\"(20, 40]\"]]")
    })
}
