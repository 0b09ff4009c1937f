//! Columns of ends in place of a column of labels, and back.

use std::sync::Arc;

use super::TypedBounds;
use super::label::{Ends, Spelling, ValuePresence};
use crate::data::cells::count_distinct;
use crate::data::domain::Domain;
use crate::data::role::Role;
use crate::data::table::Column;
use crate::data::value::{Decimal, Type, Value};
use crate::data::write::Header;
use crate::release::files::auxiliary_attribute;
use crate::release::manifest::ColumnMeaning;
use crate::schema::Attribute;

/// What a column of a table holds of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundPart {
    /// Its values, or their labels.
    Whole,
    /// The low ends of what they stand for.
    Low,
    /// The high ends, which belong to it.
    High,
    /// The high ends, which do not.
    HighExcluded,
    /// Whether there is no value.
    Missing,
}

impl BoundPart {
    /// The manifest's word for it; nothing for the whole.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Whole => None,
            Self::Low => Some("low"),
            Self::High => Some("high"),
            Self::HighExcluded => Some("high_excluded"),
            Self::Missing => Some("missing"),
        }
    }
}

/// The attribute that a column of this name speaks of, and what of it.
pub(crate) fn about<'c>(columns: &'c [ColumnMeaning], name: &str) -> Option<(&'c ColumnMeaning, BoundPart)> {
    columns.iter().find_map(|column| {
        let part = match &column.bounds {
            None if column.name == name => BoundPart::Whole,
            Some(bounds) if bounds.low == name => BoundPart::Low,
            Some(bounds) if bounds.high == name && bounds.high_excluded => BoundPart::HighExcluded,
            Some(bounds) if bounds.high == name => BoundPart::High,
            Some(bounds) if bounds.missing.as_deref() == Some(name) => BoundPart::Missing,
            _ => return None,
        };
        Some((column, part))
    })
}

/// The columns of ends for a column whose values have these labels, each with the code of every label. Says in `meaning` which they are, or why the
/// column stays text.
pub(crate) fn typed_columns(meaning: &mut ColumnMeaning, labels: &[String]) -> Option<Vec<(Header, Vec<u32>)>> {
    if !meaning.kind.is_ordered() {
        return None;
    }
    match ends_of_labels(meaning, labels) {
        Err(why) => {
            meaning.stays_text = Some(why);
            None
        }
        Ok((ends, high_excluded)) => {
            let is_open = |ends: &Ends| match ends.presence {
                ValuePresence::Known => false,
                ValuePresence::Missing => true,
                ValuePresence::Open => !ends.low.is_missing(),
            };
            let bounds = TypedBounds::of(&meaning.name, ends.iter().any(is_open), high_excluded);
            let column = |name: &str, kind: Type, values: Vec<Value>| {
                let (domain, codes) = Domain::from_unsorted(kind, values);
                (Header::coded(name, Arc::new(domain)), codes)
            };
            let presence = |ends: &Ends| match ends.presence {
                ValuePresence::Known => Value::Boolean(false),
                ValuePresence::Missing => Value::Boolean(true),
                ValuePresence::Open => Value::Missing,
            };
            let mut columns = vec![
                column(&bounds.low, meaning.kind, ends.iter().map(|ends| ends.low.clone()).collect()),
                column(&bounds.high, meaning.kind, ends.iter().map(|ends| ends.high.clone()).collect()),
            ];
            let missing = |name: &String| column(name, Type::Boolean, ends.iter().map(presence).collect());
            columns.extend(bounds.missing.as_ref().map(missing));
            meaning.bounds = Some(bounds);
            Some(columns)
        }
    }
}

/// The ends of all labels, if labels and ends tell each other.
fn ends_of_labels(meaning: &ColumnMeaning, labels: &[String]) -> Result<(Vec<Ends>, bool), String> {
    let mut spelling = Spelling::of(meaning, false)?;
    let found = labels.iter().map(|label| spelling.ends(label).ok_or_else(|| format!("{label:?} is no interval")));
    let (ends, excluded): (Vec<Ends>, Vec<Option<bool>>) =
        found.collect::<Result<Vec<_>, String>>()?.into_iter().unzip();
    spelling.high_excluded = excluded.contains(&Some(true));
    // What is read back must be the label: then different labels have different ends, and groups stay what they are.
    match labels.iter().zip(&ends).find(|(label, ends)| spelling.label(ends).as_deref() != Some(label.as_str())) {
        None => Ok((ends, spelling.high_excluded)),
        Some((label, _)) => Err(format!("{label:?} can't be told from its ends")),
    }
}

/// The attributes as they stand in a table: those with bounds as their columns.
pub(in crate::release) fn physical(attributes: &[Attribute], columns: &[ColumnMeaning]) -> Vec<Attribute> {
    let mut found = Vec::with_capacity(attributes.len());
    for attribute in attributes {
        let of_attribute = columns.iter().find(|column| column.name == attribute.name && attribute.role == Role::Quasi);
        let Some((column, bounds)) = of_attribute.and_then(|column| Some((column, column.bounds.as_ref()?))) else {
            found.push(attribute.clone());
            continue;
        };
        for name in bounds.names() {
            let is_flag = bounds.missing.as_deref() == Some(name);
            found.push(auxiliary_attribute(name, Role::Quasi, if is_flag { Type::Boolean } else { column.kind }));
        }
    }
    found
}

/// Puts columns of ends back into columns of labels. Says what is wrong if they are no ends, or several ends have one label: then the table would show
/// other groups than those that are judged.
pub(in crate::release) fn fold(columns: &mut Vec<Column>, meanings: &[ColumnMeaning]) -> Option<String> {
    for meaning in meanings {
        let Some(bounds) = &meaning.bounds else { continue };
        let Some(place) = columns.iter().position(|column| column.name == bounds.low) else { continue };
        let mut parts = Vec::new();
        for name in bounds.names() {
            let Some(found) = columns.iter().position(|column| column.name == name) else {
                return Some(format!("there is no column {name:?}, which the manifest names"));
            };
            parts.push(columns.remove(found));
        }
        match folded(&parts, bounds, meaning) {
            Ok(column) => columns.insert(place.min(columns.len()), column),
            Err(wrong) => return Some(wrong),
        }
    }
    None
}

fn folded(parts: &[Column], bounds: &TypedBounds, meaning: &ColumnMeaning) -> Result<Column, String> {
    let spelling = Spelling::of(meaning, bounds.high_excluded)
        .map_err(|why| format!("{:?} has bounds, but {why}", meaning.name))?;
    let sized: Vec<(&[u32], usize)> = parts.iter().map(Column::counted).collect();
    let rows = parts.first().map_or(0, |part| part.codes.len());
    let distinct = count_distinct(&sized, rows, None);
    let typed = |part: usize, kind: Type, cell: usize| {
        let (column, codes) = (&parts[part], &distinct.columns[part]);
        match column.domain.value(codes[cell]) {
            Value::Text(text) => Value::parse(text, kind, Decimal::Point)
                .ok_or_else(|| format!("{text:?} in {:?} is no {}", column.name, kind.name())),
            other => Ok(other.clone()),
        }
    };
    let label = |cell: usize| {
        let (low, high) = (typed(0, meaning.kind, cell)?, typed(1, meaning.kind, cell)?);
        let presence = match (bounds.missing.is_some(), low.is_missing()) {
            (false, true) => ValuePresence::Open,
            (false, false) => ValuePresence::Known,
            (true, _) => match typed(2, Type::Boolean, cell)? {
                Value::Boolean(true) => ValuePresence::Missing,
                Value::Boolean(false) => ValuePresence::Known,
                _ => ValuePresence::Open,
            },
        };
        let ends = Ends { low, high, presence };
        let no_ends = || format!("{:?} has ends that are none: {} and {}", meaning.name, ends.low, ends.high);
        let label = spelling.label(&ends).ok_or_else(no_ends)?;
        let again = spelling.ends(&label).is_some_and(|(again, _)| again == ends);
        if again { Ok(label) } else { Err(no_ends()) }
    };
    let labels = (0..distinct.len()).map(label).collect::<Result<Vec<String>, String>>()?;
    let value = |label: String| if label.is_empty() { Value::Missing } else { Value::Text(label.into()) };
    let (domain, code_of) = Domain::from_unsorted(Type::Text, labels.into_iter().map(value).collect());
    if domain.len() != code_of.len() {
        return Err(format!("two pairs of ends of {:?} stand for the same", meaning.name));
    }
    let codes = distinct.cell_of_row.iter().map(|&cell| code_of[cell as usize]).collect();
    Ok(Column { name: meaning.name.clone(), domain: Arc::new(domain), codes })
}
