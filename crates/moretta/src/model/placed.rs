//! Who stands in which group of a release, by its files and the original.

use rayon::prelude::*;

use super::members::{MemberCheck, MemberScratch, Members};
use crate::data::domain::Domain;
use crate::error::Result;
use crate::kind::OpenRelease;
use crate::knowledge::Points;
use crate::progress::CancelToken;
use crate::release::{GroupMembers, Groups, Original, foreign_value};

/// The people of each group, at the points of the original, with the values of the original.
#[derive(Debug)]
pub struct Placed<'r> {
    groups: &'r Groups,
    /// The members of each group, by point.
    members: GroupMembers,
    /// For each sensitive attribute, the original's code of each released one, and how many the original has.
    codes: Vec<(Vec<u32>, usize)>,
    token: &'r CancelToken,
}

impl<'r> Placed<'r> {
    /// Places everybody.
    ///
    /// Nothing is returned where the files do not tell who stands where.
    pub fn new(
        release: &'r dyn OpenRelease,
        original: &Original<'_>,
        points: &Points,
        token: &'r CancelToken,
    ) -> Result<Option<Self>> {
        let (Ok(groups), Ok(Some(members))) = (release.groups(), release.members(original, points, token)?) else {
            return Ok(None);
        };
        let translate = |(sensitive, (_, domain)): (&crate::release::Sensitive, &(String, std::sync::Arc<Domain>))| {
            let code = |value| domain.code(value).ok_or_else(|| foreign_value(&sensitive.name, value));
            Ok((sensitive.domain.values().iter().map(code).collect::<Result<Vec<u32>>>()?, domain.len()))
        };
        let codes = groups.whole.sensitive.iter().zip(&original.sensitive).map(translate).collect::<Result<_>>()?;
        Ok(Some(Self { groups, members, codes, token }))
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The histograms of a group over the original's codes.
    fn histograms(&self, group: usize) -> Vec<Vec<u64>> {
        let one = |(attribute, (codes, size)): (usize, &(Vec<u32>, usize))| {
            let mut counts = vec![0; *size];
            let (held, people) = self.groups.held(attribute, group);
            held.iter().zip(people).for_each(|(&code, &people)| counts[codes[code as usize] as usize] += people);
            counts
        };
        self.codes.iter().enumerate().map(one).collect()
    }

    /// Shows each group to a visitor, in order.
    pub fn each<T: Send>(&self, visit: impl Fn(&Members<'_>, &mut MemberScratch) -> T + Sync) -> Result<Vec<T>> {
        self.each_numbered(|_, members, scratch| visit(members, scratch))
    }

    /// The same, with the number of each group.
    pub fn each_numbered<T: Send>(
        &self,
        visit: impl Fn(usize, &Members<'_>, &mut MemberScratch) -> T + Sync,
    ) -> Result<Vec<T>> {
        let one = |scratch: &mut MemberScratch, group: usize| {
            self.token.check()?;
            let sensitive = self.histograms(group);
            Ok(visit(group, &Members { points: &self.members[group], sensitive: &sensitive }, scratch))
        };
        (0..self.len()).into_par_iter().map_init(MemberScratch::default, one).collect()
    }

    /// The levels of each group, and whether it keeps the promise.
    pub(super) fn judge(&self, check: &dyn MemberCheck) -> Result<Vec<(Vec<f64>, bool)>> {
        self.each(|members, scratch| {
            let mut levels = vec![0.0; check.levels()];
            check.measure(members, scratch, &mut levels);
            (levels, check.holds(members, scratch))
        })
    }
}
