//! The attributes of a policy: roles, types, hierarchies, categories.

use std::path::Path;

use crate::config::section::texts_of;
use crate::config::{Content, Node, Section};
use crate::data::role::Role;
use crate::data::value::Type;
use crate::error::{Error, Result};
use crate::hierarchy::{DateUnit, HierarchyFile, HierarchySpec, Side};
use crate::numeric::decimal;

/// An attribute as the policy describes it.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name of the column.
    pub name: String,
    /// What it means for privacy.
    pub role: Role,
    /// Its type, if stated.
    pub kind: Option<Type>,
    /// How its values are generalized.
    pub hierarchy: HierarchySpec,
    /// A partition of its values, the most sensitive first.
    pub categories: Option<Vec<Vec<String>>>,
    /// The line of the policy that names it.
    pub line: Option<u64>,
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
    Ok(attributes)
}

fn read(name: &str, node: &Node, file: &Path) -> Result<Attribute> {
    let mut section = Section::new(format!("attribute {name:?}"), node, file)?;
    let role = section.choice("role", &Role::NAMES)?.ok_or_else(|| {
        let names: Vec<&str> = Role::NAMES.iter().map(|&(name, _)| name).collect();
        section.lacks("role").help(format!("one of: {}", names.join(", ")))
    })?;
    let kinds = Type::ALL.map(|kind| (kind.name(), kind));
    let kind = section.choice("type", &kinds)?;
    let mut hierarchy = read_hierarchy(&mut section, file)?;
    if section.choice("intervals", &[("free", ())])?.is_some() {
        hierarchy = HierarchySpec::Free;
    }
    if matches!(hierarchy, HierarchySpec::Free | HierarchySpec::Intervals(_))
        && matches!(kind, Some(Type::Text | Type::Boolean))
    {
        return Err(section.error("intervals need numbers or dates").help("use mask, a file, or no hierarchy"));
    }
    let categories = read_categories(&mut section)?;
    section.finish()?;
    let line = match &node.origin {
        crate::config::Origin::File(line, _) => Some(*line),
        crate::config::Origin::Override(_) => None,
    };
    Ok(Attribute { name: name.to_owned(), role, kind, hierarchy, categories, line })
}

fn read_hierarchy(section: &mut Section<'_>, file: &Path) -> Result<HierarchySpec> {
    let Some(node) = section.get("hierarchy") else { return Ok(HierarchySpec::Default) };
    if let Content::File(opened) = &node.content {
        return HierarchyFile::parse(&opened.location, &opened.bytes).map(HierarchySpec::File);
    }
    let mut inner = Section::new("hierarchy", node, file)?;
    let mut found = Vec::new();
    if let Some(opened) = inner.opened("file")? {
        found.push(HierarchySpec::File(HierarchyFile::parse(&opened.location, &opened.bytes)?));
    }
    if let Some(node) = inner.get("rows") {
        found.push(HierarchySpec::Listed(read_rows(&inner, node)?));
    }
    if let Some(node) = inner.get("intervals") {
        found.push(match &node.content {
            Content::Text(word) if word == "free" => HierarchySpec::Free,
            _ => HierarchySpec::Intervals(read_widths(&inner, node)?),
        });
    }
    if let Some(side) = inner.choice("mask", &[("left", Side::Left), ("right", Side::Right)])? {
        found.push(HierarchySpec::Mask(side));
    }
    if let Some(fan) = inner.whole("balanced", 2)? {
        found.push(HierarchySpec::Balanced(u32::try_from(fan).unwrap_or(u32::MAX)));
    }
    if let Some(node) = inner.get("dates") {
        found.push(HierarchySpec::Dates(read_units(&inner, node)?));
    }
    let one = found.pop().filter(|_| found.is_empty());
    let one = one.ok_or_else(|| {
        inner.error("state one way to make it").help("a file, rows, intervals, mask, balanced or dates")
    });
    inner.finish()?;
    one
}

/// Each value with its ancestors, as the lines of a hierarchy file have them.
fn read_rows(section: &Section<'_>, node: &Node) -> Result<Vec<Vec<String>>> {
    let rows = match &node.content {
        Content::List(items) => items.iter().map(texts_of).collect::<Option<Vec<_>>>(),
        _ => None,
    };
    rows.filter(|rows| !rows.is_empty() && rows.iter().all(|row| !row.is_empty())).ok_or_else(|| {
        section
            .error_at("rows", "`rows` must list a value and its ancestors in each row")
            .help("as in [[\"flu\", \"infection\", \"*\"], [\"gout\", \"metabolism\", \"*\"]]")
    })
}

fn read_widths(section: &Section<'_>, node: &Node) -> Result<Vec<f64>> {
    let right = "a list of widths, each a multiple of the one before, such as [5, 10, 20]";
    let Content::List(items) = &node.content else { return Err(section.wrong_kind("intervals", right, &node.content)) };
    let widths: Option<Vec<f64>> = items
        .iter()
        .map(|item| match item.content {
            Content::Integer(i) => Some(i as f64),
            Content::Float(x) => Some(x),
            _ => None,
        })
        .collect();
    // As the decimals that are written: 0.3 is three times 0.1.
    let nested = |pair: &[f64]| pair[1] > pair[0] && decimal::is_multiple(pair[0], pair[1]);
    match widths {
        Some(widths) if !widths.is_empty() && widths[0] > 0.0 && widths.windows(2).all(nested) => Ok(widths),
        _ => Err(section.error_at("intervals", "these widths do not nest").help(right)),
    }
}

fn read_units(section: &Section<'_>, node: &Node) -> Result<Vec<DateUnit>> {
    let words = texts_of(node).unwrap_or_default();
    let units: Option<Vec<DateUnit>> =
        words.iter().map(|word| DateUnit::NAMES.iter().find(|(name, _)| name == word).map(|&(_, unit)| unit)).collect();
    match units {
        Some(units) if !units.is_empty() && units.is_sorted_by(|a, b| a < b) => Ok(units),
        _ => Err(section
            .error_at("dates", "these are not units of the calendar from small to large")
            .help("for example [\"month\", \"quarter\", \"year\", \"decade\"]")),
    }
}

fn read_categories(section: &mut Section<'_>) -> Result<Option<Vec<Vec<String>>>> {
    let Some(node) = section.get("categories") else { return Ok(None) };
    let lists = match &node.content {
        Content::List(items) => items.iter().map(texts_of).collect::<Option<Vec<_>>>(),
        _ => None,
    };
    let lists = lists.filter(|lists| !lists.is_empty()).ok_or_else(|| -> Error {
        section
            .error_at("categories", "`categories` must be a list of lists of values")
            .help("the most sensitive category first: [[\"HIV\", \"Cancer\"], [\"Flu\"]]")
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
