//! A column of the source while rows are still being chosen.

use std::sync::Arc;

use fixedbitset::FixedBitSet;

use super::choose::minds_missing;
use super::fold::Telling;
use super::{Attribute, MissingRule};
use crate::data::domain::Domain;
use crate::data::source::{ColumnData, Source};
use crate::data::table::Column;
use crate::data::value::Type;
use crate::error::Result;

/// A column and what the policy says of it.
pub(super) struct ColumnDraft<'a> {
    pub(super) attribute: &'a Attribute,
    pub(super) collected: Kept,
}

/// What is kept of it.
pub(super) enum Kept {
    Column(Column),
    NullMask(FixedBitSet, Type),
    Fingerprints(Vec<Option<u64>>),
    /// Of rows that were folded, which are not told apart by them: which of these lack one.
    FoldedFingerprints(Vec<Option<u64>>, FixedBitSet),
}

pub(super) fn draft<'a>(attribute: &'a Attribute, collected: ColumnData, source: &Source) -> Result<ColumnDraft<'a>> {
    let collected = match collected {
        ColumnData::NullMask { missing, kind } => Kept::NullMask(missing, attribute.kind.unwrap_or(kind)),
        ColumnData::Fingerprints(fingerprints) => Kept::Fingerprints(fingerprints),
        ColumnData::Codes(encoded) => {
            let decimal = source.options().decimal;
            let Attribute { name, kind, format, .. } = attribute;
            let (domain, codes) = encoded.typed(*kind, decimal, format.as_ref(), name, source.input())?;
            Kept::Column(Column { name: attribute.name.clone(), domain: Arc::new(domain), codes })
        }
    };
    Ok(ColumnDraft { attribute, collected })
}

/// What stays of a column beside the codes that tell its rows apart.
pub(super) enum ColumnRest {
    Column(Arc<Domain>),
    NullMask(Type),
    Fingerprints(Vec<Option<u64>>),
}

/// A column by which rows are folded, and what stays of it.
pub(super) fn unfolded(
    attribute: &Attribute,
    rule: MissingRule,
    collected: ColumnData,
    source: &Source,
) -> Result<(ColumnRest, Telling)> {
    // Where it does not matter which rows lack a value, they are not told apart by it.
    let minded = |missing: FixedBitSet| {
        let matters = minds_missing(rule, attribute.role);
        Telling::Missing(if matters { missing } else { FixedBitSet::with_capacity(missing.len()) })
    };
    Ok(match collected {
        ColumnData::NullMask { missing, kind } => {
            (ColumnRest::NullMask(attribute.kind.unwrap_or(kind)), minded(missing))
        }
        ColumnData::Fingerprints(all) => {
            let mut missing = FixedBitSet::with_capacity(all.len());
            (0..all.len()).filter(|&row| all[row].is_none()).for_each(|row| missing.insert(row));
            (ColumnRest::Fingerprints(all), minded(missing))
        }
        ColumnData::Codes(encoded) => {
            let decimal = source.options().decimal;
            let Attribute { name, kind, format, .. } = attribute;
            let typed = encoded.typed_as_read(*kind, decimal, format.as_ref(), name, source.input())?;
            (ColumnRest::Column(typed.domain.clone()), Telling::Values(Box::new(typed)))
        }
    })
}

impl Kept {
    pub(super) fn rows(&self) -> usize {
        match self {
            Self::Column(column) => column.codes.len(),
            Self::NullMask(missing, _) => missing.len(),
            Self::Fingerprints(fingerprints) | Self::FoldedFingerprints(fingerprints, _) => fingerprints.len(),
        }
    }

    pub(super) fn missing_rows(&self) -> Box<dyn Iterator<Item = usize> + '_> {
        match self {
            Self::NullMask(missing, _) | Self::FoldedFingerprints(_, missing) => Box::new(missing.ones()),
            Self::Fingerprints(all) => {
                Box::new(all.iter().enumerate().filter(|(_, f)| f.is_none()).map(|(row, _)| row))
            }
            Self::Column(column) => match column.domain.missing() {
                None => Box::new(std::iter::empty()),
                Some(missing) => Box::new((0..column.codes.len()).filter(move |&row| column.codes[row] == missing)),
            },
        }
    }
}

impl Kept {
    pub(super) fn column(&self) -> Option<&Column> {
        match self {
            Self::Column(column) => Some(column),
            _ => None,
        }
    }
}
