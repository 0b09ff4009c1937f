//! Large populations: generalized predicates over quasi-identifiers that many people satisfy.
//!
//! Li (2010), section 5.2.2: a population is described by values of quasi-identifiers, or by nodes of their
//! hierarchies, and is large if at least a share `min_support` of all people belong to it. They are found as FP-growth
//! (Han, Pei, Yin 2000) finds frequent sets: pattern by pattern, each on the people that are left after its beginning.
//! Attributes have a fixed order, so the prefix tree becomes counted combinations of the attributes that are still to
//! come, merged when they are equal. The hierarchy of an attribute is walked from the root: what lies below a node that is
//! too rare is never looked at.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::condition::ValueSet;
use crate::data::cells::{Cells, count_distinct};
use crate::data::merge_counts;
use crate::data::role::Role;
use crate::data::value::Value;
use crate::error::{Error, Result};
use crate::hierarchy::{Hierarchy, HierarchySpec, Scale, open_intervals};
use crate::numeric::tolerance;
use crate::progress::CancelToken;
use crate::release::{ColumnMeaning, NodeMeaning, Populations, ValueMeaning, regions};

/// Large populations of an original.
#[derive(Clone, Debug)]
pub struct LargePopulations {
    /// Their conditions, over the original's quasi-identifiers.
    pub populations: Populations,
    /// How each condition is spelled.
    pub labels: Vec<String>,
    /// The people in each.
    pub support: Vec<u64>,
}

/// A generalized value of a quasi-identifier, as a run of ranks.
#[derive(Clone, Debug)]
struct Item {
    attribute: usize,
    first: u32,
    end: u32,
    /// The next item that does not lie below this one.
    after: usize,
    label: String,
    set: ValueSet,
}

/// More large populations than this are refused: measuring them would take hours.
const MOST: usize = 1_000_000;

impl LargePopulations {
    /// Finds the populations with at least a share `min_support` of all people, by at least one condition each and at most `max_conditions`.
    ///
    /// `attributes` are the quasi-identifiers, with how the policy lets them generalize, in the order of the
    /// cells' columns. A set holds at most one node of each hierarchy, so never a node together with its ancestor, and never
    /// the root, which says nothing.
    pub fn find(
        attributes: &[(&str, &HierarchySpec, &Scale)],
        cells: &Cells,
        min_support: f64,
        max_conditions: Option<usize>,
        token: &CancelToken,
    ) -> Result<Self> {
        let everybody = cells.total();
        #[expect(clippy::cast_sign_loss, reason = "a share is not negative")]
        let least = ((min_support * everybody as f64 - tolerance::WHOLE).ceil() as u64).max(1);
        // Wide attributes come first: what is left for later conditions then merges into few combinations.
        let mut order: Vec<usize> = (0..attributes.len()).collect();
        order.sort_by_key(|&attribute| std::cmp::Reverse(attributes[attribute].2.ranks()));
        let ranks_of = |&attribute: &usize| -> Vec<u32> {
            let rank_of = attributes[attribute].2.rank_of_codes();
            cells.columns[attribute].iter().map(|&code| rank_of[code as usize]).collect()
        };
        let ranks: Vec<Vec<u32>> = order.iter().map(ranks_of).collect();
        // What is too rare alone is too rare with others.
        let (mut items, mut starts) = (Vec::new(), Vec::new());
        for (&attribute, ranks) in order.iter().zip(&ranks) {
            starts.push(items.len());
            let (name, spec, scale) = attributes[attribute];
            frequent_items(attribute, name, spec, scale, ranks, &cells.people, least, &mut items);
        }
        starts.push(items.len());
        let sizes: Vec<usize> = order.iter().map(|&attribute| attributes[attribute].2.ranks() as usize).collect();
        let (levels, all) = levels(&ranks, &sizes, &cells.people);
        let search = Search {
            items: &items,
            starts: &starts,
            sizes: &sizes,
            levels: &levels,
            least,
            max_conditions: max_conditions.unwrap_or(usize::MAX),
            count: AtomicUsize::new(0),
            token,
        };
        let found = search.search_all(all)?;
        let (members, support) = found.into_iter().unzip();
        let labels = items.iter().map(|item| item.label.clone()).collect();
        let conditions = items.into_iter().map(|item| (item.attribute, item.set)).collect();
        Ok(Self { populations: Populations { conditions, members, token: token.clone() }, labels, support })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.support.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.support.is_empty()
    }
}

struct Search<'a> {
    items: &'a [Item],
    /// Where the items of each level start, and where the last end.
    starts: &'a [usize],
    /// How many ranks the attribute of each level has.
    sizes: &'a [usize],
    levels: &'a [Level],
    least: u64,
    max_conditions: usize,
    /// How many populations were found.
    count: AtomicUsize,
    token: &'a CancelToken,
}

/// Populations by their items, with the people in each.
type Found = Vec<(Vec<u32>, u64)>;

/// The distinct combinations of the attributes from one on, as FP-growth's prefix tree would hold them.
struct Level {
    /// The rank of the first of these attributes in each combination.
    ranks: Vec<u32>,
    /// The combination without it, on the next level.
    next: Vec<u32>,
}

/// Combinations of a level with the people that are left in each.
type Left = Vec<(u32, u64)>;

/// The combinations of all attributes, then those without the first, and so on.
fn levels(ranks: &[Vec<u32>], sizes: &[usize], people: &[u64]) -> (Vec<Level>, Left) {
    let mut columns: Vec<(&[u32], usize)> = ranks.iter().map(Vec::as_slice).zip(sizes.iter().copied()).collect();
    let mut cells = count_distinct(&columns, people.len(), Some(people));
    let all = (0..).zip(cells.people.iter().copied()).collect();
    let mut levels = Vec::with_capacity(sizes.len());
    for attribute in 0..sizes.len() {
        let rest = cells.columns.split_off(1);
        let ranks = cells.columns.pop().unwrap_or_default();
        columns = rest.iter().map(Vec::as_slice).zip(sizes[attribute + 1..].iter().copied()).collect();
        let without = count_distinct(&columns, ranks.len(), None);
        levels.push(Level { ranks, next: without.cell_of_row.clone() });
        cells = without;
    }
    (levels, all)
}

impl Search<'_> {
    /// Finds all large populations: those that begin with an item apart from those that begin with another.
    fn search_all(&self, mut left: Left) -> Result<Found> {
        let mut found = Vec::new();
        for (number, level) in self.levels.iter().enumerate() {
            let frequent = self.frequent(number, &left);
            let grown: Vec<Found> = frequent
                .into_par_iter()
                .map(|(item, support)| {
                    let mut found = Vec::new();
                    self.extend(&mut Vec::new(), number, (item, support), &left, &mut found)?;
                    Ok(found)
                })
                .collect::<Result<_>>()?;
            found.extend(grown.into_iter().flatten());
            left = level.without_first(left.iter());
        }
        Ok(found)
    }

    /// The items of a level that enough of those who are left have, with their number.
    fn frequent(&self, level: usize, left: &Left) -> Vec<(usize, u64)> {
        let mut below = vec![0_u64; self.sizes[level] + 1];
        let ranks = &self.levels[level].ranks;
        left.iter().for_each(|&(cell, people)| below[ranks[cell as usize] as usize + 1] += people);
        (1..below.len()).for_each(|rank| below[rank] += below[rank - 1]);
        let (mut number, mut found) = (self.starts[level], Vec::new());
        while number < self.starts[level + 1] {
            let item = &self.items[number];
            let support = below[item.end as usize] - below[item.first as usize];
            if support >= self.least {
                found.push((number, support));
                number += 1;
            } else {
                // Nothing below it is more frequent.
                number = item.after;
            }
        }
        found
    }

    /// Adds a population, and all that extend it by conditions on the attributes of later levels.
    fn extend(
        &self,
        pattern: &mut Vec<u32>,
        level: usize,
        (number, support): (usize, u64),
        left: &Left,
        found: &mut Found,
    ) -> Result<()> {
        self.token.check()?;
        if self.count.fetch_add(1, Ordering::Relaxed) >= MOST {
            return Err(Error::input(format!("more than {MOST} populations are large enough"))
                .help("raise min_support, set max_conditions, or give fewer attributes the role \"quasi\""));
        }
        pattern.push(number as u32);
        found.push((pattern.clone(), support));
        if pattern.len() >= self.max_conditions {
            pattern.pop();
            return Ok(());
        }
        let item = &self.items[number];
        let inside =
            |(cell, _): &&(u32, u64)| (item.first..item.end).contains(&self.levels[level].ranks[*cell as usize]);
        let mut left = self.levels[level].without_first(left.iter().filter(inside));
        for later in level + 1..self.levels.len() {
            for next in self.frequent(later, &left) {
                self.extend(pattern, later, next, &left, found)?;
            }
            left = self.levels[later].without_first(left.iter());
        }
        pattern.pop();
        Ok(())
    }
}

impl Level {
    /// Combinations on the next level: those that now are equal are merged.
    fn without_first<'l>(&self, left: impl Iterator<Item = &'l (u32, u64)>) -> Left {
        let mut rest: Left = left.map(|&(cell, people)| (self.next[cell as usize], people)).collect();
        rest.sort_unstable_by_key(|&(cell, _)| cell);
        merge_counts(&mut rest, |a, b| a.0 == b.0, |item| &mut item.1);
        rest
    }
}

/// The items of an attribute that are frequent, in preorder.
#[expect(clippy::too_many_arguments, reason = "one attribute, as its many parts describe it")]
fn frequent_items(
    attribute: usize,
    name: &str,
    spec: &HierarchySpec,
    scale: &Scale,
    ranks: &[u32],
    people: &[u64],
    least: u64,
    items: &mut Vec<Item>,
) {
    let mut below = vec![0_u64; scale.ranks() as usize + 1];
    ranks.iter().zip(people).for_each(|(&rank, &people)| below[rank as usize + 1] += people);
    (1..below.len()).for_each(|rank| below[rank] += below[rank - 1]);
    let support = |first: u32, end: u32| below[end as usize] - below[first as usize];
    let before = items.len();
    match scale.tree() {
        None => {
            for (code, value) in (0..).zip(scale.domain().values()) {
                if support(code, code + 1) >= least {
                    let (label, set) = (format!("{name} = {value}"), ValueSet::one(value.clone()));
                    items.push(Item { attribute, first: code, end: code + 1, after: 0, label, set });
                }
            }
        }
        Some(tree) => {
            let nodes: Vec<u32> = (1..tree.len())
                .filter(|&node| {
                    let ranks = tree.ranks(node);
                    // A node with the same leaves as its parent says the same.
                    support(ranks.start, ranks.end) >= least && tree.size(node) < tree.size(tree.parent(node))
                })
                .collect();
            let sets = sets_of_nodes(spec, tree, scale, &nodes);
            for (&node, set) in nodes.iter().zip(sets) {
                let ranks = tree.ranks(node);
                let label = format!("{name} = {}", tree.label(node));
                items.push(Item { attribute, first: ranks.start, end: ranks.end, after: 0, label, set });
            }
        }
    }
    let own = &mut items[before..];
    for index in 0..own.len() {
        let end = own[index].end;
        own[index].after = before + index + own[index..].iter().take_while(|item| item.first < end).count();
    }
}

/// What nodes stand for, as a release of theirs would say it.
fn sets_of_nodes(spec: &HierarchySpec, tree: &Hierarchy, scale: &Scale, nodes: &[u32]) -> Vec<ValueSet> {
    let leaves =
        |node: u32| -> Vec<String> { tree.ranks(node).map(|rank| tree.label(tree.leaf(rank)).to_owned()).collect() };
    let listed = || ValueMeaning::Hierarchy {
        nodes: nodes
            .iter()
            .map(|&node| NodeMeaning { label: tree.label(node).to_owned(), leaves: leaves(node) })
            .collect(),
    };
    let values = match spec {
        spec if spec.labels_are_intervals() => ValueMeaning::Intervals { open: open_intervals(spec, scale.domain()) },
        HierarchySpec::Mask(_) => ValueMeaning::Mask,
        HierarchySpec::Dates(_) | HierarchySpec::Default => ValueMeaning::Calendar,
        _ => listed(),
    };
    let kind = scale.domain().kind();
    let meaning = |values| ColumnMeaning { values, ..ColumnMeaning::exact("", Role::Quasi, kind) };
    let read = |values| regions(&meaning(values), nodes.iter().map(|&node| (tree.label(node), 0)));
    let stated = read(values);
    let codes_of = |node: u32| {
        let ranks = tree.ranks(node);
        let of_code = scale.rank_of_codes();
        of_code.into_iter().map(|rank| ranks.contains(&rank)).collect::<Vec<bool>>()
    };
    let by_leaves = read(listed());
    let set_of = |(index, &node): (usize, &u32)| {
        // A label that reads as more or less than what lies below the node is no description of it.
        let agrees = |set: &ValueSet| {
            let inside = scale.domain().values().iter().map(|value| set.contains(value));
            inside.eq(codes_of(node))
        };
        let set = stated[index].set().filter(agrees).or_else(|| by_leaves[index].set());
        set.unwrap_or_else(|| values_below(scale, &codes_of(node)))
    };
    nodes.iter().enumerate().map(set_of).collect()
}

fn values_below(scale: &Scale, inside: &[bool]) -> ValueSet {
    let values = scale.domain().values().iter().zip(inside).filter(|(_, inside)| **inside);
    values.fold(ValueSet::nothing(), |set, (value, _): (&Value, _)| set.union(&ValueSet::one(value.clone())))
}
