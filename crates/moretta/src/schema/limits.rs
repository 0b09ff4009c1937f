//! What a policy wishes for single attributes: importance, a highest level, suppressed cells, columns that go together.

use super::Attribute;
use crate::config::{Section, suggestion};
use crate::data::role::Role;
use crate::error::{Code, Result};
use crate::hierarchy::Limits;

/// The least and the largest importance: a thousand times another's decides everything already.
const IMPORTANCE: std::ops::RangeInclusive<f64> = 0.001..=1000.0;

/// The limits of an attribute; only quasi-identifiers are generalized, and have any.
pub(super) fn read_limits(section: &mut Section<'_>, role: Role) -> Result<Limits> {
    let limits = Limits {
        importance: section.number("importance", "from 0.001 to 1000", |x| IMPORTANCE.contains(&x))?,
        max_level: section.whole("max_level", 0)?.map(|level| u32::try_from(level).unwrap_or(u32::MAX)),
        suppress_cells: section.flag("suppress_cells")?.unwrap_or(false),
        linked: section.text("linked")?.map(str::to_owned),
    };
    let stated = [
        ("importance", limits.importance.is_some()),
        ("max_level", limits.max_level.is_some()),
        ("suppress_cells", limits.suppress_cells),
        ("linked", limits.linked.is_some()),
    ];
    let first = stated.iter().find(|(_, is_stated)| *is_stated);
    if let Some((key, _)) = first.filter(|_| role != Role::Quasi) {
        return Err(section
            .error_at(key, format!("`{key}` is about generalizing, and only quasi-identifiers are generalized"))
            .coded(Code::WrongParameter)
            .help("remove it, or give the attribute the role \"quasi\""));
    }
    if limits.linked.is_some()
        && let Some((key, _)) = stated[..2].iter().find(|(_, is_stated)| *is_stated)
    {
        return Err(section
            .error_at(key, format!("a linked attribute follows the other one: `{key}` can't be its own"))
            .coded(Code::WrongParameter)
            .help(format!("state `{key}` at the attribute that it is linked with")));
    }
    Ok(limits)
}

/// Refuses links that lead nowhere, or in a chain.
pub(super) fn refuse_links(section: &Section<'_>, attributes: &[Attribute]) -> Result<()> {
    for attribute in attributes {
        let Some(linked) = &attribute.limits.linked else { continue };
        let name = &attribute.name;
        let quasi: Vec<&str> =
            attributes.iter().filter(|a| a.role == Role::Quasi && a.name != *name).map(|a| a.name.as_str()).collect();
        let Some(other) = attributes.iter().find(|a| a.name == *linked && quasi.contains(&a.name.as_str())) else {
            return Err(section
                .error_at(name, format!("{name:?} is linked with {linked:?}, which is no other quasi-identifier"))
                .coded(Code::UnknownAttribute)
                .help(suggestion(linked, &quasi)));
        };
        if let Some(further) = &other.limits.linked {
            return Err(section
                .error_at(name, format!("{name:?} is linked with {linked:?}, which is linked itself"))
                .coded(Code::WrongParameter)
                .help(format!("link the coarser columns with the finest one: linked = {further:?}")));
        }
    }
    Ok(())
}
