//! Fake values: which few, added to a group, let it follow a distribution with the least generalization.

use rayon::prelude::*;

use super::annotated::Annotated;
use crate::error::{Error, Result};
use crate::progress::CancelToken;

/// A group generalized together with the fake values that were chosen for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithFakes {
    /// How many values, fakes among them, each node of the binary tree stands for.
    pub kept: Vec<u64>,
    /// How many fakes of each value, by rank.
    pub fakes: Vec<u64>,
}

/// The most cells and the most steps that a group's table may take: 2 GB and a quarter of an hour.
const MOST_CELLS: u128 = 1 << 28;
const MOST_STEPS: u128 = 1 << 40;

/// Chooses up to `most` fakes, as few as reach the least sum of ranges, over a binary tree.
///
/// Algorithm 2 (minSORFake) of Koudas et al. (2009), corrected: f(D, k, n) is the least sum of ranges of n values kept
/// below D of the |g_D| that are there and k fakes; n − u − v of them stay at D, where u : v = a : b is the largest pair
/// with u ≤ |g_D₁| + x, v ≤ |g_D₂| + k − x, u + v ≤ n, and the least over x of f(D₁, x, u) + f(D₂, k − x, v) goes down.
///
/// u is a multiple of D₁'s weight a, so a child's table needs only f(D₁, x, a·q), row by row: (t + 1)(|g_D| + t)/a cells,
/// a part of the paper's bound, and no cell is looked for. A leaf costs nothing and has no table.
/// O(t² (|g| log |D| + t |D|)) time.
pub fn generalize_with_fakes(tree: &Annotated, values: &[u64], most: u64, token: &CancelToken) -> Result<WithFakes> {
    let below = tree.shape.sum_up(values);
    let plan = Program { tree, most: most as usize, below, token };
    plan.fits()?;
    let tables = plan.tables();
    token.check()?;
    let whole = plan.below[0];
    // As few fakes as reach the least: the first of equals.
    let fakes = (0..=plan.most)
        .map(|fakes| (plan.best(&tables, 0, fakes, whole + fakes as u64).1, fakes))
        .min()
        .map_or(0, |(_, fakes)| fakes);
    Ok(plan.unfold(&tables, fakes))
}

struct Program<'a> {
    tree: &'a Annotated,
    most: usize,
    /// The group's values below each node.
    below: Vec<u64>,
    token: &'a CancelToken,
}

/// f(D, k, w·q) for one node D of weight w among its siblings: a row for each k, a column for each q.
#[derive(Default)]
struct CodedTable {
    stride: usize,
    cells: Vec<u64>,
}

/// The two children of a node and how often their weights fit into what is there.
struct Branch {
    left: u32,
    right: u32,
    weights: (u64, u64),
}

impl Program<'_> {
    /// Refuses a group whose table would not fit, before anything is allocated.
    fn fits(&self) -> Result<()> {
        let fakes = self.most as u128;
        let cells: u128 = (0..self.tree.shape.len() as u32).map(|node| self.columns(node) as u128 * (fakes + 1)).sum();
        let range = u128::from(self.tree.shape.range(0));
        if (u128::from(self.below[0]) + fakes).checked_mul(range).is_none_or(|most| most > u128::from(u64::MAX) / 4) {
            return Err(Error::data("the ranges of the sensitive attribute add up to more than 64 bits")
                .help("measure it in a larger unit"));
        }
        if cells > MOST_CELLS || cells.saturating_mul(fakes + 1) > MOST_STEPS {
            return Err(Error::data(format!(
                "choosing up to {} fake values for a group of {} people needs {cells} numbers in memory",
                self.most, self.below[0]
            ))
            .help("lower `fakes`, make smaller groups, or use grouping = \"qi-sa\""));
        }
        Ok(())
    }

    /// How many columns the table of a node has.
    fn columns(&self, node: u32) -> usize {
        let weight = self.tree.weight(node);
        if node == 0 || weight == 0 || self.tree.shape.is_leaf(node) {
            return 0;
        }
        ((self.below[node as usize] + self.most as u64) / weight) as usize + 1
    }

    fn branch(&self, node: u32) -> Option<Branch> {
        let mut children = self.tree.shape.children(node);
        let (left, right) = (children.next()?, children.next()?);
        let weights = (self.tree.weight(left), self.tree.weight(right));
        (weights != (0, 0)).then_some(Branch { left, right, weights })
    }

    /// How often both weights fit when the left side gets `x` of `fakes` fakes.
    fn times(&self, branch: &Branch, x: usize, fakes: usize) -> u64 {
        let left = (self.below[branch.left as usize] + x as u64).checked_div(branch.weights.0);
        let right = (self.below[branch.right as usize] + (fakes - x) as u64).checked_div(branch.weights.1);
        left.unwrap_or(u64::MAX).min(right.unwrap_or(u64::MAX))
    }

    /// The tables of all nodes, children before their parents: in preorder, from the end.
    fn tables(&self) -> Vec<CodedTable> {
        let mut tables: Vec<CodedTable> =
            std::iter::repeat_with(CodedTable::default).take(self.tree.shape.len()).collect();
        for node in (1..self.tree.shape.len() as u32).rev() {
            if self.columns(node) > 0 {
                tables[node as usize] = self.table(&tables, node);
            }
        }
        tables
    }

    fn table(&self, tables: &[CodedTable], node: u32) -> CodedTable {
        let stride = self.columns(node);
        let mut cells = vec![0; stride * (self.most + 1)];
        let Some(branch) = self.branch(node) else { return CodedTable { stride, cells } };
        let (weight, range) = (self.tree.weight(node), self.tree.shape.range(node));
        let sum = branch.weights.0 + branch.weights.1;
        let fill = |(fakes, row): (usize, &mut [u64])| {
            let people = self.below[node as usize] + fakes as u64;
            let whole_units = self.units(tables, &branch, fakes, (people / sum) as usize, sum * range);
            for (times, cell) in row.iter_mut().enumerate().take((people / weight) as usize + 1) {
                let kept = weight * times as u64;
                *cell = whole_units[(kept / sum) as usize] + kept % sum * range;
            }
        };
        cells.par_chunks_mut(stride).enumerate().for_each(fill);
        CodedTable { stride, cells }
    }

    /// The least cost of `units` whole units of weight, one after the other from 0 to `last`, with exactly so many fakes;
    /// a unit that can't go down costs `stay`.
    fn units(&self, tables: &[CodedTable], branch: &Branch, fakes: usize, last: usize, stay: u64) -> Vec<u64> {
        let mut least = vec![u64::MAX; last + 1];
        for x in 0..=fakes {
            if self.token.is_cancelled() {
                // Sums of these still fit, and nobody looks at them.
                return vec![0; last + 1];
            }
            let most = (self.times(branch, x, fakes) as usize).min(last);
            let left = row(tables, branch.left, x, branch.weights.0);
            let right = row(tables, branch.right, fakes - x, branch.weights.1);
            let (down, up) = least.split_at_mut(most + 1);
            let at = match (left, right) {
                (Some(left), Some(right)) => {
                    let sums = left.iter().zip(right).map(|(left, right)| left + right);
                    down.iter_mut().zip(sums).for_each(|(least, cost)| *least = cost.min(*least));
                    left[most] + right[most]
                }
                (Some(one), None) | (None, Some(one)) => {
                    down.iter_mut().zip(one).for_each(|(least, &cost)| *least = cost.min(*least));
                    one[most]
                }
                (None, None) => {
                    down.fill(0);
                    0
                }
            };
            let mut cost = at;
            for least in up {
                cost += stay;
                *least = cost.min(*least);
            }
        }
        least
    }

    /// The best part of the fakes for the left side of a node that keeps `kept` values, and the cost.
    fn best(&self, tables: &[CodedTable], node: u32, fakes: usize, kept: u64) -> (usize, u64) {
        let range = self.tree.shape.range(node);
        let Some(branch) = self.branch(node) else { return (fakes, kept * range) };
        let sum = branch.weights.0 + branch.weights.1;
        let cost = |x: usize| {
            let times = self.times(&branch, x, fakes).min(kept / sum) as usize;
            let left = row(tables, branch.left, x, branch.weights.0).map_or(0, |row| row[times]);
            let right = row(tables, branch.right, fakes - x, branch.weights.1).map_or(0, |row| row[times]);
            left + right + (kept - times as u64 * sum) * range
        };
        (0..=fakes).map(|x| (cost(x), x)).min().map_or((0, 0), |(cost, x)| (x, cost))
    }

    /// Follows the best choices down from the root.
    fn unfold(&self, tables: &[CodedTable], fakes: usize) -> WithFakes {
        let shape = &self.tree.shape;
        let mut found = WithFakes { kept: vec![0; shape.len()], fakes: vec![0; shape.leaves() as usize] };
        let mut open = vec![(0, fakes, self.below[0] + fakes as u64)];
        while let Some((node, fakes, kept)) = open.pop() {
            let Some(branch) = self.branch(node) else {
                // A single value; or a node without probability, to which nothing is generalized.
                found.fakes[shape.ranks(node).start as usize] += fakes as u64;
                found.kept[node as usize] = kept;
                continue;
            };
            let (x, _) = self.best(tables, node, fakes, kept);
            let sum = branch.weights.0 + branch.weights.1;
            let times = self.times(&branch, x, fakes).min(kept / sum);
            found.kept[node as usize] = kept - times * sum;
            open.push((branch.left, x, times * branch.weights.0));
            open.push((branch.right, fakes - x, times * branch.weights.1));
        }
        found
    }
}

/// What a child costs with so many fakes, by units; nothing where it costs nothing.
fn row(tables: &[CodedTable], node: u32, fakes: usize, weight: u64) -> Option<&[u64]> {
    let table = &tables[node as usize];
    (weight > 0 && table.stride > 0).then(|| &table.cells[fakes * table.stride..][..table.stride])
}
