//! What is learned from what: the bins of predictors and the classes of the target.

use moretta::internals::asking::{Analyst, around, is_broken};
use moretta::internals::condition::ValueSet;
use moretta::internals::config::suggestion;
use moretta::internals::counting::{CodedTable, Column};
use moretta::internals::data::domain::Domain;
use moretta::{Error, Result};

/// Numbers fall into at most so many bins of about as many people each.
const BINS: usize = 12;

/// A predictor.
#[derive(Clone, Debug)]
pub(super) struct Feature {
    /// Its column in the original: a quasi-identifier, or a sensitive attribute.
    column: Source,
    /// Its index in the release.
    pub(super) index: usize,
    /// What each bin holds.
    pub(super) bins: Vec<ValueSet>,
    /// Whether bins lie in an order.
    pub(super) ordered: bool,
    bin_of_code: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Quasi(usize),
    Sensitive(usize),
}

/// Predictors and a target, by their indices in a release.
#[derive(Debug)]
pub(super) struct Lesson {
    /// The predictors that are quasi-identifiers; a sensitive one comes last.
    pub(super) features: Vec<Feature>,
    target: Source,
    /// The classes of the target: its values.
    pub(super) classes: Vec<ValueSet>,
    /// The index in the release of a target that is a quasi-identifier.
    pub(super) quasi_target: Option<usize>,
    /// The index in the release of the sensitive attribute: the target, or the last predictor.
    pub(super) sensitive: usize,
    /// The released index, among the sensitive attribute's values, of each of its values in the original.
    pub(super) released: Vec<Option<usize>>,
}

impl Lesson {
    /// All quasi-identifiers predict a sensitive attribute; or the others, and the first sensitive attribute, a
    /// quasi-identifier.
    pub(super) fn new(table: &CodedTable, target: Option<&str>, release: &dyn Analyst) -> Result<Self> {
        let target = match target {
            None if table.sensitive.is_empty() => {
                return Err(Error::input("no attribute is sensitive").help("name a `target` to be learned"));
            }
            None => Source::Sensitive(0),
            Some(name) => find(table, name)?,
        };
        let known = release.attributes();
        let index = |column: &Column| {
            known.iter().position(|askable| askable.name == column.name).ok_or_else(|| {
                Error::data(format!(
                    "the release can't be asked about {:?}, so nothing is learned from it",
                    column.name
                ))
            })
        };
        let secret = match target {
            Source::Sensitive(at) => at,
            Source::Quasi(_) => 0,
        };
        let Some(secret_column) = table.sensitive.get(secret) else {
            return Err(Error::input("no attribute is sensitive").help("give one the role \"sensitive\""));
        };
        let mut features = Vec::new();
        for (at, column) in table.quasi.iter().enumerate().filter(|(at, _)| target != Source::Quasi(*at)) {
            let (mut bins, bin_of_code) = bins(column);
            let (index, ordered) = (index(column)?, column.domain.kind().is_ordered());
            if is_broken(column.domain.kind(), known[index].kind) {
                bins = bins.iter().map(around).collect();
            }
            features.push(Feature { column: Source::Quasi(at), index, bins, ordered, bin_of_code });
        }
        let sensitive = index(secret_column)?;
        if let Source::Quasi(_) = target {
            let (bins, bin_of_code) = single_values(&secret_column.domain);
            features.push(Feature {
                column: Source::Sensitive(secret),
                index: sensitive,
                bins,
                ordered: false,
                bin_of_code,
            });
        }
        let target_column = column_of(table, target);
        let quasi_target = match target {
            Source::Quasi(_) => Some(index(target_column)?),
            Source::Sensitive(_) => None,
        };
        let values = release.values_of(sensitive)?;
        let released = secret_column.domain.values().iter().map(|value| values.iter().position(|v| v == value));
        Ok(Self {
            classes: single_values(&target_column.domain).0,
            features,
            target,
            quasi_target,
            sensitive,
            released: released.collect(),
        })
    }

    /// The bin of each predictor of a row.
    pub(super) fn bins_of(&self, table: &CodedTable, row: usize, bins: &mut [usize]) {
        for (bin, feature) in bins.iter_mut().zip(&self.features) {
            *bin = feature.bin_of_code[column_of(table, feature.column).codes[row] as usize];
        }
    }

    /// Which of the sensitive attributes is the target, if one is.
    pub(super) fn sensitive_target(&self) -> Option<usize> {
        match self.target {
            Source::Sensitive(at) => Some(at),
            Source::Quasi(_) => None,
        }
    }

    /// The class of a row.
    pub(super) fn class_of(&self, table: &CodedTable, row: usize) -> usize {
        column_of(table, self.target).codes[row] as usize
    }
}

fn find(table: &CodedTable, name: &str) -> Result<Source> {
    let at = |columns: &[Column]| columns.iter().position(|column| column.name == name);
    let found = at(&table.sensitive).map(Source::Sensitive).or_else(|| at(&table.quasi).map(Source::Quasi));
    found.ok_or_else(|| {
        let names: Vec<&str> = table.quasi.iter().chain(&table.sensitive).map(|column| column.name.as_str()).collect();
        Error::input(format!("the target {name:?} is neither a quasi-identifier nor sensitive"))
            .help(suggestion(name, &names))
    })
}

fn column_of(table: &CodedTable, source: Source) -> &Column {
    match source {
        Source::Quasi(at) => &table.quasi[at],
        Source::Sensitive(at) => &table.sensitive[at],
    }
}

fn single_values(domain: &Domain) -> (Vec<ValueSet>, Vec<usize>) {
    (domain.values().iter().map(|value| ValueSet::one(value.clone())).collect(), (0..domain.len()).collect())
}

/// Ranges with about as many rows each for numbers, single values for anything else.
fn bins(column: &Column) -> (Vec<ValueSet>, Vec<usize>) {
    let domain = &column.domain;
    if !domain.kind().is_ordered() || domain.len() <= BINS {
        return single_values(domain);
    }
    let mut rows = vec![0_usize; domain.len()];
    column.codes.iter().for_each(|&code| rows[code as usize] += 1);
    let (mut bin_of_code, mut before) = (Vec::with_capacity(domain.len()), 0);
    let mut last = None;
    let mut bin = 0;
    for rows in &rows {
        let wanted = before * BINS / column.codes.len().max(1);
        bin += usize::from(last.is_some_and(|last| wanted > last));
        last = Some(last.map_or(wanted, |last: usize| last.max(wanted)));
        bin_of_code.push(bin);
        before += rows;
    }
    let starts: Vec<usize> = (0..=bin).map(|bin| bin_of_code.partition_point(|&own| own < bin)).collect();
    let known = ValueSet::missing().complement();
    let range = |bin: usize| {
        let above = |at: usize| ValueSet::above(domain.value(starts[at] as u32).clone(), true);
        let low = if bin == 0 { ValueSet::everything() } else { above(bin) };
        let high = if bin + 1 == starts.len() { known.clone() } else { above(bin + 1).complement() };
        low.intersect(&if bin == 0 { high.union(&ValueSet::missing()) } else { high.intersect(&known) })
    };
    ((0..starts.len()).map(range).collect(), bin_of_code)
}
