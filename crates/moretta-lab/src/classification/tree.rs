//! A decision tree, grown level by level from counts.

use moretta::Result;
use moretta::internals::numeric::tolerance;

use super::counts::{Counts, Part, Tables};
use super::largest;

/// A tree of questions: is a predictor in one of some bins?
#[derive(Debug)]
pub(super) struct DecisionTree {
    nodes: Vec<Node>,
}

#[derive(Debug)]
enum Node {
    Leaf(usize),
    Question { feature: usize, yes_bins: Vec<bool>, yes: usize, no: usize },
}

/// Questions from the root to a leaf, at most.
const DEPTH: usize = 7;

/// What a question must tell about all people of a node together, in nats: less is what chance alone tells.
const LEAST_GAIN: f64 = 6.0;

impl DecisionTree {
    /// Grows the tree by the questions that tell the most (C4.5's information gain, with two answers each).
    pub(super) fn learn(counts: &Counts<'_>) -> Result<Self> {
        let mut tree = Self { nodes: vec![Node::Leaf(0)] };
        let mut open: Vec<(usize, Part)> = vec![(0, vec![None; counts.lesson.features.len()])];
        for depth in 0..=DEPTH {
            let parts: Vec<Part> = open.iter().map(|(_, part)| part.clone()).collect();
            let tables = counts.of_parts(&parts)?;
            let mut next = Vec::new();
            for ((index, part), tables) in open.into_iter().zip(tables) {
                let Some(table) = tables.first() else { continue };
                tree.nodes[index] = Node::Leaf(largest(&sum(table.iter(), counts.lesson.classes.len())));
                if depth == DEPTH {
                    continue;
                }
                let Some((feature, yes_bins)) = best_question(counts, &part, &tables) else { continue };
                let (yes, no) = (tree.nodes.len(), tree.nodes.len() + 1);
                for (child, keep) in [(yes, true), (no, false)] {
                    let mut part = part.clone();
                    let before = part[feature].clone().unwrap_or_else(|| vec![true; yes_bins.len()]);
                    let chosen = before.iter().zip(&yes_bins).map(|(&before, &yes)| before && yes == keep);
                    part[feature] = Some(chosen.collect());
                    tree.nodes.push(Node::Leaf(0));
                    next.push((child, part));
                }
                tree.nodes[index] = Node::Question { feature, yes_bins, yes, no };
            }
            open = next;
        }
        Ok(tree)
    }

    /// The class at the leaf.
    pub(super) fn predict(&self, bins: &[usize]) -> usize {
        let mut index = 0;
        loop {
            match &self.nodes[index] {
                Node::Leaf(class) => return *class,
                Node::Question { feature, yes_bins, yes, no } => {
                    index = if yes_bins[bins[*feature]] { *yes } else { *no };
                }
            }
        }
    }
}

fn sum<'t>(bins: impl Iterator<Item = &'t Vec<f64>>, classes: usize) -> Vec<f64> {
    let mut sum = vec![0.0; classes];
    bins.for_each(|bin| sum.iter_mut().zip(bin).for_each(|(sum, people)| *sum += people));
    sum
}

/// n · H of so many people in each class.
fn entropy(classes: &[f64]) -> f64 {
    let n_ln_n = |n: f64| if n > 0.0 { n * n.ln() } else { 0.0 };
    n_ln_n(classes.iter().sum()) - classes.iter().map(|&n| n_ln_n(n)).sum::<f64>()
}

/// The question that tells the most: below a bin or not where bins have an order, else in one bin or not.
fn best_question(counts: &Counts<'_>, part: &Part, tables: &Tables) -> Option<(usize, Vec<bool>)> {
    let classes = counts.lesson.classes.len();
    let mut best: Option<(f64, usize, Vec<bool>)> = None;
    for (feature, table) in tables.iter().enumerate() {
        let allowed = |bin: usize| part[feature].as_ref().is_none_or(|chosen| chosen[bin]);
        let all = sum(table.iter(), classes);
        let whole = entropy(&all);
        let mut below = vec![0.0; classes];
        for bin in (0..table.len()).filter(|&bin| allowed(bin)) {
            let ordered = counts.lesson.features[feature].ordered;
            if ordered {
                below.iter_mut().zip(&table[bin]).for_each(|(below, people)| *below += people);
            } else {
                below.clone_from(&table[bin]);
            }
            let rest: Vec<f64> = all.iter().zip(&below).map(|(all, below)| (all - below).max(0.0)).collect();
            let gain = whole - entropy(&below) - entropy(&rest);
            if gain > best.as_ref().map_or(LEAST_GAIN, |best| best.0 + tolerance::COST_TIE) {
                let yes = (0..table.len()).map(|other| if ordered { other <= bin } else { other == bin });
                best = Some((gain, feature, yes.collect()));
            }
        }
    }
    best.map(|(_, feature, yes)| (feature, yes))
}
