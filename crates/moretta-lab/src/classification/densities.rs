//! The densities of an uncertain release that fit a person best vote for her class: Aggarwal (2008), section II-E.

use std::sync::Arc;

use moretta::internals::counting::CodedTable;
use moretta::internals::data::domain::Domain;
use moretta::internals::density::{Labelled, Space, best_fits};
use moretta::internals::kind::uncertain::Uncertain;
use moretta::internals::progress::Progress;
use moretta::{Error, Result};
use rayon::prelude::*;

use super::Share;

/// So many best fits vote.
const VOTES: usize = 10;

/// Densities that are looked at for all who are held out together. Beyond it every second of them is asked of, or every third, and so on.
const MOST_LOOKED_AT: usize = 1 << 30;

/// The records of a release, with the people whom they are asked of.
pub(super) struct Votes<'r> {
    release: &'r Uncertain,
    table: &'r CodedTable,
    sensitive: usize,
    space: Space,
    domains: Vec<Arc<Domain>>,
    /// The centre of each record in units, record after record.
    centers: Vec<f64>,
    /// The class of each record, as a code of the original; nothing where nobody there has it.
    classes: Vec<Option<u32>>,
}

impl<'r> Votes<'r> {
    /// For people of a table, about one of its sensitive attributes.
    pub(super) fn of(release: &'r Uncertain, table: &'r CodedTable, sensitive: usize) -> Result<Self> {
        let quasi: Vec<(String, Arc<Domain>)> =
            table.quasi.iter().map(|column| (column.name.clone(), column.domain.clone())).collect();
        let space = Space::of_release(&quasi, &release.density)?;
        let wanted = &table.sensitive[sensitive];
        let published =
            release.sensitive.iter().find(|column| column.name == wanted.name).ok_or_else(|| {
                Error::data(format!("the release has no {:?}, so nothing is learned of it", wanted.name))
            })?;
        let code_of = |value| wanted.domain.values().iter().position(|own| own == value).map(|code| code as u32);
        let of_code: Vec<Option<u32>> = published.domain.values().iter().map(code_of).collect();
        let dims = release.density.dimensions.len();
        let mut centers = vec![0.0; release.len() * dims];
        centers.chunks_mut(dims.max(1)).enumerate().for_each(|(record, center)| release.center(record, center));
        let domains = quasi.into_iter().map(|(_, domain)| domain).collect();
        let classes = published.codes.iter().map(|&code| of_code[code as usize]).collect();
        Ok(Self { release, table, sensitive, space, domains, centers, classes })
    }

    /// Predicts the rows that were not learned from.
    pub(super) fn test(&self, learned: &[bool], progress: &Progress) -> Result<Share> {
        let held_out: Vec<usize> = (0..learned.len()).filter(|&row| !learned[row]).collect();
        let step = (held_out.len() * self.classes.len()).div_ceil(MOST_LOOKED_AT).max(1);
        let asked: Vec<usize> = held_out.into_iter().step_by(step).collect();
        let ask = |&row: &usize| -> Result<Share> {
            progress.check()?;
            let people = self.table.weights.as_ref().map_or(1, |weights| weights[row]);
            let is_right = self.predict(row) == Some(self.table.sensitive[self.sensitive].codes[row]);
            Ok(Share { people, right: if is_right { people } else { 0 } })
        };
        let shares = asked.par_iter().map(ask).collect::<Result<Vec<Share>>>()?;
        let sum = |of: fn(&Share) -> u64| shares.iter().map(of).sum();
        Ok(Share { people: sum(|share| share.people), right: sum(|share| share.right) })
    }

    /// The class of a row by the best of the records that agree with it in what is published as it is; by the best of all where none does.
    fn predict(&self, row: usize) -> Option<u32> {
        let person: Vec<u32> = self.table.quasi.iter().map(|column| column.codes[row]).collect();
        let agreeing: Vec<Labelled<'_>> = self.records(|record| self.agrees(record, &person));
        let records = if agreeing.is_empty() { self.records(|_| true) } else { agreeing };
        let location = self.space.location_of(&person, &self.domains);
        (!records.is_empty()).then(|| best_fits(&records, self.release.density.family, VOTES, &location))
    }

    fn records(&self, fits: impl Fn(usize) -> bool) -> Vec<Labelled<'_>> {
        let dims = self.release.density.dimensions.len();
        let record = |record: usize| {
            let label = self.classes[record].filter(|_| fits(record))?;
            let frame = Some(&self.release.shapes[self.release.shape_of[record] as usize].0);
            Some(Labelled { location: &self.centers[record * dims..(record + 1) * dims], frame, label })
        };
        (0..self.classes.len()).filter_map(record).collect()
    }

    fn agrees(&self, record: usize, person: &[u32]) -> bool {
        let mut kept = self.release.kept.iter().zip(&self.space.kept);
        kept.all(|(column, &at)| column.domain.value(column.codes[record]) == self.domains[at].value(person[at]))
    }
}
