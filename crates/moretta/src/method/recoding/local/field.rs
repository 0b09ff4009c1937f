//! Where the cells of a table lie, and what it costs to publish some of them alike.

use super::{Tally, Taxonomy};
use crate::data::cells::count_distinct;
use crate::hierarchy::{GeneralizedValue, Scale};
use crate::method::Task;
use crate::release::Ancestor;

/// Some people of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::method) struct FieldMember {
    /// The cell.
    pub(in crate::method) cell: u32,
    /// How many of its people; never 0.
    pub(in crate::method) people: u64,
}

/// Up to so many attributes everything is tried.
const MANY_ATTRIBUTES: usize = 10;

/// A task with the indices of its cells looked up once.
#[derive(Debug)]
pub(in crate::method) struct Field<'a> {
    pub(in crate::method) task: &'a Task<'a>,
    /// `ranks[a][cell]`: where the cell lies on attribute `a`.
    pub(in crate::method) ranks: Vec<Vec<u32>>,
    /// The steps in which each attribute is specialized.
    pub(in crate::method) taxonomies: Vec<Taxonomy>,
    /// The sensitive codes of the cells; empty where only sizes matter.
    pub(in crate::method) sensitive: Vec<&'a [u32]>,
    /// Cells of equal sensitive values are of one kind; all are where only sizes matter.
    pub(in crate::method) kind_of_cell: Vec<u32>,
    /// The share of each sensitive value among everybody.
    shares: Vec<Vec<f64>>,
    /// Everybody: the one part that contains every group.
    pub(super) whole: Ancestor,
}

impl<'a> Field<'a> {
    /// O(cells · attributes).
    pub(in crate::method) fn new(task: &'a Task<'a>) -> Self {
        Self::with_taxonomies(task, Taxonomy::new)
    }

    /// The same with boxes between a single value and all of them, where there is no hierarchy: for a search, which chooses among all boxes and takes no steps.
    pub(in crate::method) fn with_runs(task: &'a Task<'a>) -> Self {
        Self::with_taxonomies(task, Taxonomy::with_runs)
    }

    fn with_taxonomies(task: &'a Task<'a>, taxonomy: fn(&Scale, &[u64]) -> Taxonomy) -> Self {
        let index = |(scale, codes): (&Scale, &Vec<u32>)| {
            let rank_of_code = scale.rank_of_codes();
            let ranks: Vec<u32> = codes.iter().map(|&code| rank_of_code[code as usize]).collect();
            let mut people = vec![0; scale.ranks().max(1) as usize];
            ranks.iter().zip(&task.cells.people).for_each(|(&rank, more)| people[rank as usize] += more);
            (ranks, taxonomy(scale, &people))
        };
        let (ranks, taxonomies) = task.scales.iter().zip(&task.cells.columns).map(index).unzip();
        let sensitive: Vec<&[u32]> = task.cells.columns[task.scales.len()..].iter().map(Vec::as_slice).collect();
        let sensitive = if task.requirement.needs_histograms() { sensitive } else { Vec::new() };
        let sized: Vec<(&[u32], usize)> =
            sensitive.iter().zip(&task.sensitive_sizes).map(|(&codes, &size)| (codes, size)).collect();
        let kind_of_cell = count_distinct(&sized, task.cells.len(), None).cell_of_row;
        let nobody = Ancestor::new(0, Vec::new(), None);
        let mut field = Self { task, ranks, taxonomies, sensitive, kind_of_cell, shares: Vec::new(), whole: nobody };
        let whole = Tally::of(&field, &field.everybody());
        let share = |people: u64| people as f64 / whole.people.max(1) as f64;
        field.shares = whole.sensitive.iter().map(|counts| counts.iter().map(|&n| share(n)).collect()).collect();
        field.whole = Ancestor::new(whole.people, whole.sensitive, None);
        field
    }

    /// How many kinds of people there are.
    pub(in crate::method) fn kinds(&self) -> usize {
        self.kind_of_cell.iter().max().map_or(0, |&last| last as usize + 1)
    }

    /// Everybody.
    pub(in crate::method) fn everybody(&self) -> Vec<FieldMember> {
        let people = &self.task.cells.people;
        (0..)
            .zip(people)
            .filter(|&(_, &people)| people > 0)
            .map(|(cell, &people)| FieldMember { cell, people })
            .collect()
    }

    /// Histograms of nobody.
    pub(in crate::method) fn empty_histograms(&self) -> Vec<Vec<u64>> {
        self.sensitive.iter().zip(&self.task.sensitive_sizes).map(|(_, &size)| vec![0; size]).collect()
    }

    /// How much a group lacks one more person like those of a cell, against the whole table's shares:
    /// `q(s) · (n + 1) − c(s)`, summed over the sensitive attributes.
    pub(in crate::method) fn need(&self, group: &Tally, cell: u32) -> f64 {
        let size = (group.people + 1) as f64;
        let attributes = self.sensitive.iter().zip(&self.shares).zip(&group.sensitive);
        attributes
            .map(|((codes, shares), counts)| {
                let code = codes[cell as usize] as usize;
                shares[code] * size - counts[code] as f64
            })
            .sum()
    }

    /// Whether there are so many attributes that what is tried for each of them, and then for each again, must be less.
    pub(in crate::method) fn is_wide(&self) -> bool {
        self.ranks.len() > MANY_ATTRIBUTES
    }

    /// The first and last rank of an attribute among some people.
    pub(in crate::method) fn span(&self, attribute: usize, members: &[FieldMember]) -> (u32, u32) {
        let ranks = &self.ranks[attribute];
        let of = |member: &FieldMember| ranks[member.cell as usize];
        (members.iter().map(of).min().unwrap_or(0), members.iter().map(of).max().unwrap_or(0))
    }

    /// Something about each rank of an attribute, computed once where so many are asked that this saves time.
    pub(in crate::method) fn by_rank<T: Copy>(
        &self,
        attribute: usize,
        asked: usize,
        of: impl Fn(u32) -> T,
    ) -> impl Fn(u32) -> T {
        let ranks = self.task.scales[attribute].ranks();
        let known: Vec<T> = if asked > ranks as usize { (0..ranks).map(&of).collect() } else { Vec::new() };
        move |rank| known.get(rank as usize).copied().unwrap_or_else(|| of(rank))
    }

    /// The box around some people: the lowest node of each attribute.
    pub(in crate::method) fn nodes(&self, members: &[FieldMember]) -> Vec<u32> {
        let node = |(attribute, taxonomy): (usize, &Taxonomy)| {
            let (first, last) = self.span(attribute, members);
            taxonomy.common(first, last)
        };
        self.taxonomies.iter().enumerate().map(node).collect()
    }

    /// What an attribute costs each of some people when all publish the same: (leaves − 1)/(domain − 1), times its importance.
    pub(in crate::method) fn attribute_loss(&self, attribute: usize, members: &[FieldMember]) -> f64 {
        let (first, last) = self.span(attribute, members);
        if first == last {
            return 0.0;
        }
        let scale = &self.task.scales[attribute];
        let leaves = match scale.tree() {
            Some(tree) => tree.size(tree.common_ancestor(first, last)),
            None if scale.is_set() => self.present(attribute, members, (first, last)).len() as u32,
            None => last - first + 1,
        };
        scale.importance() * (f64::from(leaves - 1) / f64::from(scale.ranks() - 1))
    }

    /// What those lose who are left out: everything.
    pub(in crate::method) fn full_loss(&self) -> f64 {
        self.task.scales.iter().map(Scale::importance).sum()
    }

    /// What it costs each of some people, summed over attributes, when all publish the same.
    pub(in crate::method) fn loss(&self, members: &[FieldMember]) -> f64 {
        (0..self.ranks.len()).map(|attribute| self.attribute_loss(attribute, members)).sum()
    }

    /// The same for everybody of some people together.
    pub(in crate::method) fn total_loss(&self, members: &[FieldMember]) -> f64 {
        members.iter().map(|member| member.people).sum::<u64>() as f64 * self.loss(members)
    }

    /// What some people publish for an attribute.
    pub(in crate::method) fn generalize(&self, attribute: usize, members: &[FieldMember]) -> GeneralizedValue {
        let (first, last) = self.span(attribute, members);
        self.task.scales[attribute].generalize(first, last, || self.present(attribute, members, (first, last)))
    }

    /// The ranks of some people, sorted; all lie within a span.
    fn present(&self, attribute: usize, members: &[FieldMember], (first, last): (u32, u32)) -> Box<[u32]> {
        let ranks = &self.ranks[attribute];
        if members.len() > (last - first) as usize {
            let mut is_present = vec![false; (last - first) as usize + 1];
            members.iter().for_each(|member| is_present[(ranks[member.cell as usize] - first) as usize] = true);
            return (first..).zip(is_present).filter_map(|(rank, present)| present.then_some(rank)).collect();
        }
        let mut present: Vec<u32> = members.iter().map(|member| ranks[member.cell as usize]).collect();
        present.sort_unstable();
        present.dedup();
        present.into()
    }
}
