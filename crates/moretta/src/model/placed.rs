//! Who stands in which group of a release, by its files and the original.

use hashbrown::HashMap;
use rayon::prelude::*;

use super::members::{MemberCheck, MemberScratch, Members, add_member};
use crate::data::domain::Domain;
use crate::error::{Code, Error, Result};
use crate::knowledge::Points;
use crate::release::{Answers, Bucketized, Generalized, Groups, Original, Placement, Release};

/// The people of a group, by point.
type Crowd = Vec<(u32, u64)>;

/// The people of each group, at the points of the original, with the values of the original.
#[derive(Debug)]
pub struct Placed<'r> {
    groups: &'r Groups,
    /// The members of each group, by point.
    members: Vec<Crowd>,
    /// For each sensitive attribute, the original's code of each released one, and how many the original has.
    codes: Vec<(Vec<u32>, usize)>,
}

impl<'r> Placed<'r> {
    /// Places everybody.
    ///
    /// A bucketized release shows the exact quasi-identifiers of each group. Of a generalized one, whoever fits a single
    /// group stands there; where people fit several, the publisher's own placement decides, after it was compared with the
    /// files. Without it the files do not tell, and nothing is returned.
    pub fn new(release: &'r Release, original: &Original<'_>, points: &Points) -> Result<Option<Self>> {
        let (groups, members) = if let Release::Bucketized(release) = release {
            (&release.groups, Some(of_bucketized(release, original, points)?))
        } else if let Release::Generalized(release) = release {
            (&release.groups, of_generalized(release, original, points)?)
        } else {
            return Ok(None);
        };
        let Some(members) = members else { return Ok(None) };
        let translate = |(sensitive, (_, domain)): (&crate::release::Sensitive, &(String, std::sync::Arc<Domain>))| {
            let code = |value| domain.code(value).ok_or_else(|| foreign(&sensitive.name, value));
            Ok((sensitive.domain.values().iter().map(code).collect::<Result<Vec<u32>>>()?, domain.len()))
        };
        let codes = groups.whole.sensitive.iter().zip(&original.sensitive).map(translate).collect::<Result<_>>()?;
        Ok(Some(Self { groups, members, codes }))
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
    pub fn each<T: Send>(&self, visit: impl Fn(&Members<'_>, &mut MemberScratch) -> T + Sync) -> Vec<T> {
        self.each_numbered(|_, members, scratch| visit(members, scratch))
    }

    /// The same, with the number of each group.
    pub fn each_numbered<T: Send>(
        &self,
        visit: impl Fn(usize, &Members<'_>, &mut MemberScratch) -> T + Sync,
    ) -> Vec<T> {
        let one = |scratch: &mut MemberScratch, group: usize| {
            let sensitive = self.histograms(group);
            visit(group, &Members { points: &self.members[group], sensitive: &sensitive }, scratch)
        };
        (0..self.len()).into_par_iter().map_init(MemberScratch::default, one).collect()
    }

    /// The levels of each group, and whether it keeps the promise.
    pub(super) fn judge(&self, check: &dyn MemberCheck) -> Vec<(Vec<f64>, bool)> {
        self.each(|members, scratch| {
            let mut levels = vec![0.0; check.levels()];
            check.measure(members, scratch, &mut levels);
            (levels, check.holds(members, scratch))
        })
    }
}

fn foreign(attribute: &str, value: &crate::data::Value) -> Error {
    Error::data(format!("the release has {attribute} = {value}, which the original lacks"))
        .coded(Code::OriginalMismatch)
        .help("name the policy that the release was made with")
}

fn not_the_original(why: &str) -> Error {
    Error::data(format!("the release is not one of this original: {why}"))
        .coded(Code::OriginalMismatch)
        .help("name the policy that the release was made with")
}

fn of_bucketized(release: &Bucketized, original: &Original<'_>, points: &Points) -> Result<Vec<Crowd>> {
    let columns = release.qit.quasi.iter().zip(&original.quasi).map(|(column, (name, domain))| {
        let code = |value| domain.code(value).ok_or_else(|| foreign(name, value));
        let codes = column.domain.values().iter().map(code).collect::<Result<Vec<u32>>>()?;
        Ok(column.codes.iter().map(|&code| codes[code as usize]).collect::<Vec<u32>>())
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let mut left = points.people.clone();
    let mut found: Vec<Crowd> = vec![Vec::new(); release.groups.len()];
    let mut person = vec![0; columns.len()];
    for (row, &group) in release.group_of_row.iter().enumerate() {
        person.iter_mut().zip(&columns).for_each(|(code, column)| *code = column[row]);
        let people = release.qit.weights.as_ref().map_or(1, |weights| weights[row]);
        let point = points.find(&person).filter(|&point| left[point as usize] >= people);
        let point = point.ok_or_else(|| not_the_original("it has people who are not there"))?;
        left[point as usize] -= people;
        found[group as usize].push((point, people));
    }
    for members in &mut found {
        members.sort_unstable();
        let mut counted = Vec::new();
        members.iter().for_each(|&(point, people)| add_member(&mut counted, point, people));
        *members = counted;
    }
    Ok(found)
}

fn of_generalized(release: &Generalized, original: &Original<'_>, points: &Points) -> Result<Option<Vec<Crowd>>> {
    match &original.placement {
        Some(placement) => as_placed(release, original, points, placement, &Fits::new(release, original)).map(Some),
        None => by_fit(release, original, points),
    }
}

/// Which values of the original each published label stands for.
struct Fits {
    /// `labels[a][code][label]`.
    labels: Vec<Vec<Vec<bool>>>,
    /// The label of each group, by attribute.
    of_group: Vec<Vec<u32>>,
}

impl Fits {
    fn new(release: &Generalized, original: &Original<'_>) -> Self {
        let of_attribute =
            |(regions, (_, domain)): (&Vec<crate::release::Region>, &(String, std::sync::Arc<Domain>))| {
                let of_value = |value| regions.iter().map(|region| region.contains(value)).collect();
                domain.values().iter().map(of_value).collect()
            };
        let labels = release.regions().iter().zip(&original.quasi).map(of_attribute).collect();
        let rows: Vec<usize> = (0..release.groups.len()).map(|group| release.groups.first_row(group)).collect();
        let of_group = release.table.quasi.iter().map(|column| rows.iter().map(|&row| column.codes[row]).collect());
        Self { labels, of_group: of_group.collect() }
    }

    fn fits(&self, points: &Points, point: usize, group: usize) -> bool {
        (0..self.labels.len())
            .all(|a| self.labels[a][points.columns[a][point] as usize][self.of_group[a][group] as usize])
    }
}

/// Everybody in the one group that fits; nothing where several do. Who fits none was left out. Where the groups then have
/// exactly the people that they publish, nobody can stand elsewhere.
fn by_fit(release: &Generalized, original: &Original<'_>, points: &Points) -> Result<Option<Vec<Crowd>>> {
    let adversary = release.adversary(&original.quasi)?;
    let only: Option<Vec<Option<u64>>> = (0..points.len())
        .into_par_iter()
        .map(|point| match adversary.candidates(&points.codes(point)).as_slice() {
            [] => Some(None),
            [(group, _)] => Some(Some(*group)),
            _ => None,
        })
        .collect();
    let Some(only) = only else { return Ok(None) };
    let mut found = vec![Vec::new(); release.groups.len()];
    for (point, group) in only.into_iter().enumerate() {
        if let Some(group) = group {
            found[group as usize].push((point as u32, points.people[point]));
        }
    }
    let sizes = found.iter().map(|members: &Crowd| members.iter().map(|&(_, people)| people).sum::<u64>());
    Ok(sizes.eq(release.groups.people.iter().copied()).then_some(found))
}

/// Everybody where the publisher says, if the files agree: the groups publish those labels, the labels stand for those people, and
/// the sensitive values are those.
fn as_placed(
    release: &Generalized,
    original: &Original<'_>,
    points: &Points,
    placement: &Placement,
    fits: &Fits,
) -> Result<Vec<Crowd>> {
    let labels = |group: usize| -> Vec<String> {
        let columns = release.table.quasi.iter().zip(&fits.of_group);
        columns.map(|(column, labels)| column.domain.value(labels[group]).to_string()).collect()
    };
    let groups = release.groups.len();
    let group_of: HashMap<Vec<String>, usize> = (0..groups).map(|group| (labels(group), group)).collect();
    let known = |labels: &Vec<String>| group_of.get(labels).copied();
    let number: Option<Vec<usize>> = placement.labels.iter().map(known).collect();
    let number = number.ok_or_else(|| not_the_original("its groups are not those of the plan"))?;
    let mut found = vec![Vec::new(); groups];
    let mut values: Vec<Vec<HashMap<u32, u64>>> = vec![vec![HashMap::new(); original.sensitive.len()]; groups];
    let mut pieces = placement.pieces.clone();
    pieces.sort_unstable_by_key(|&(_, cell, _)| cell);
    let mut left = original.cells.people.clone();
    for (group, cell, people) in pieces {
        let (group, point) = (number[group as usize], points.of_cell[cell as usize]);
        let enough = left[cell as usize].checked_sub(people);
        left[cell as usize] = enough.ok_or_else(|| not_the_original("more people are placed than there are"))?;
        if !fits.fits(points, point as usize, group) {
            return Err(not_the_original("somebody is placed where she does not fit"));
        }
        add_member(&mut found[group], point, people);
        for (attribute, counts) in values[group].iter_mut().enumerate() {
            *counts.entry(original.cells.columns[original.quasi.len() + attribute][cell as usize]).or_default() +=
                people;
        }
    }
    for (group, attributes) in values.iter().enumerate() {
        for (attribute, counts) in attributes.iter().enumerate() {
            let (held, people) = release.groups.held(attribute, group);
            let released = &release.groups.whole.sensitive[attribute].domain;
            let same = held.len() == counts.len()
                && held.iter().zip(people).all(|(&code, people)| {
                    let code = original.sensitive[attribute].1.code(released.value(code));
                    code.and_then(|code| counts.get(&code)) == Some(people)
                });
            if !same {
                return Err(not_the_original("a group's sensitive values are not those of its people"));
            }
        }
    }
    Ok(found)
}
