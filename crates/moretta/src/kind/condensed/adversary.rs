//! How an adversary reads a condensed release: by the drawn record that is nearest to a person.

use std::sync::Arc;

use super::Condensed;
use crate::data::domain::Domain;
use crate::error::{Code, Error, Result};
use crate::kind::uncertain::math::space::number_of;
use crate::kind::uncertain::math::{Coordinates, KdTree};
use crate::numeric::tolerance;
use crate::release::Adversary;

impl Condensed {
    /// Finds the records nearest to people described by codes into these domains.
    pub(super) fn reader<'r>(&'r self, quasi: &[(String, Arc<Domain>)]) -> Result<CondensedAdversary<'r>> {
        let index = |name: &str| {
            quasi.iter().position(|(own, _)| own == name).ok_or_else(|| {
                Error::input(format!("the original has no quasi-identifier {name:?}, which the release has"))
                    .coded(Code::OriginalMismatch)
            })
        };
        // A coordinate of a value (`ATTRIBUTE=VALUE`) is known to nobody but by its attribute.
        let plain: Vec<usize> =
            (0..self.table.quasi.len()).filter(|&at| index(&self.table.quasi[at].name).is_ok()).collect();
        let numbers = |at: &usize| -> Vec<f64> {
            let column = &self.table.quasi[*at];
            let of_code: Vec<f64> = column.domain.values().iter().map(number_of).collect();
            column.codes.iter().map(|&code| of_code[code as usize]).collect()
        };
        let mut points =
            Coordinates { columns: plain.iter().map(numbers).collect(), people: vec![1; self.table.rows()] };
        let units: Vec<f64> =
            points.moments().iter().map(|(_, deviation)| deviation.max(tolerance::LEAST_DEVIATION)).collect();
        points.columns.iter_mut().zip(&units).for_each(|(column, unit)| column.iter_mut().for_each(|x| *x /= unit));
        let sources = plain.iter().map(|&at| index(&self.table.quasi[at].name)).collect::<Result<Vec<_>>>()?;
        let domains = sources.iter().map(|&source| (source, quasi[source].1.clone())).collect();
        let group_of_row = match &self.table.group {
            Some(group) => group.codes.as_slice(),
            None => return Err(Error::bug("a condensed release without groups")),
        };
        Ok(CondensedAdversary { release: self, tree: KdTree::new(&points), units, domains, group_of_row })
    }
}

/// An adversary who takes the nearest drawn record's group for the person's.
#[derive(Debug)]
pub(super) struct CondensedAdversary<'r> {
    release: &'r Condensed,
    tree: KdTree,
    units: Vec<f64>,
    domains: Vec<(usize, Arc<Domain>)>,
    group_of_row: &'r [u32],
}

impl CondensedAdversary<'_> {
    fn group(&self, person: &[u32]) -> Option<usize> {
        let coordinate =
            |((source, domain), unit): (&(usize, Arc<Domain>), &f64)| number_of(domain.value(person[*source])) / unit;
        let location: Vec<f64> = self.domains.iter().zip(&self.units).map(coordinate).collect();
        let mut found = Vec::new();
        self.tree.nearest(&location, 1, &mut found);
        found.first().map(|&(_, at)| self.group_of_row[self.tree.order[at as usize] as usize] as usize)
    }
}

impl Adversary for CondensedAdversary<'_> {
    fn candidates(&self, person: &[u32]) -> Vec<(u64, f64)> {
        self.group(person).into_iter().map(|group| (group as u64, 1.0)).collect()
    }

    /// Records are nobody's: the release does not tell.
    fn presence(&self, _: &[u32]) -> Option<f64> {
        None
    }

    fn posterior(&self, person: &[u32], attribute: usize) -> Option<Vec<f64>> {
        let groups = &self.release.groups;
        let group = self.group(person)?;
        let mut belief = vec![0.0; groups.whole.sensitive.get(attribute)?.domain.len()];
        let (codes, held) = groups.held(attribute, group);
        codes
            .iter()
            .zip(held)
            .for_each(|(&code, &held)| belief[code as usize] += held as f64 / groups.people[group] as f64);
        Some(belief)
    }
}
