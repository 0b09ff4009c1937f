//! The earth mover's distance in closed form.
//!
//! Each ground distance here is the length of the path between two places in a tree with weighted
//! edges: a line (ordered), a star (equal), the generalization tree (hierarchical; an edge weighs half the drop
//! in height, so that two leaves are as far apart as their common ancestor is high, also where leaves lie at different depths).
//! In a tree, what one side of an edge has too much can only leave across that edge, and
//! nothing else need cross it. Hence one formula for all of them:
//!
//! ```text
//! D[P, Q] = Σ over edges e of  weight(e) · |P(below e) − Q(below e)|
//! ```
//!
//! For the generalization tree this is the dissertation's `Σ height(N)/H · min(pos_extra(N), neg_extra(N))`, since
//! `2 min(a, b) = a + b − |a − b|` and every node's |extra| then appears once for itself and once for its parent.

use super::ground::{Ground, GroundShape};
use super::histogram::{Pair, pair};
use super::line::NumberLine;
use crate::error::Result;
use crate::numeric::Ratio;

/// The least work that turns a group's distribution into the table's, for one ground distance; from 0 to 1.
///
/// Assumes nothing of the histograms; the group need not be part of the table. Symmetric. The
/// distance of a merged group is at most that of the worse part (theorem 2.3.2). O(m).
/// Li (2010), section 2.3.3; its printed examples for the hierarchical distance are miscalculated.
#[derive(Clone, Debug)]
pub struct Emd {
    shape: GroundShape,
}

/// Room to work in: people of the group and of the table below each node of a tree.
pub type Below = Vec<(u64, u64)>;

impl Emd {
    /// Makes the distance ready for an attribute with this many codes.
    pub fn new(ground: Ground<'_>, codes: usize) -> Result<Self> {
        Ok(Self { shape: ground.shape(codes)? })
    }

    /// The distance as a fraction over `scale · N_P · N_Q`, scale being m − 1, max − min in their
    /// common unit, 2, or twice the tree's height.
    ///
    /// None where the distance is infinite or no such fraction exists: numbers without a common unit below 2^64, or a
    /// denominator above 2^128 (two billion people, twice, leave room for any scale).
    pub fn exact(&self, group: &[u64], whole: &[u64], below: &mut Below) -> Option<Ratio> {
        let (n_group, n_whole) = match pair(group, whole) {
            Pair::Settled(distance) => return (distance <= 0.0).then_some(Ratio { num: 0, den: 1 }),
            Pair::Totals { group, whole } => (u128::from(group), u128::from(whole)),
        };
        let scale = self.scale()?;
        // No distance exceeds 1, so what bounds the denominator bounds every partial sum too.
        let den = u128::from(scale).checked_mul(n_group)?.checked_mul(n_whole)?;
        let mut num = 0;
        self.for_each_edge(group, whole, below, |weight, p, q| {
            num += u128::from(weight) * (u128::from(p) * n_whole).abs_diff(u128::from(q) * n_group);
        });
        Some(Ratio { num, den })
    }

    /// The distance as a float: the nearest one wherever there is a fraction.
    pub fn measure(&self, group: &[u64], whole: &[u64], below: &mut Below) -> f64 {
        self.exact(group, whole, below).map_or_else(|| self.float(group, whole, below), Ratio::to_f64)
    }

    /// The distance computed in floats, for the cases without a fraction.
    pub(super) fn float(&self, group: &[u64], whole: &[u64], below: &mut Below) -> f64 {
        let (n_group, n_whole) = match pair(group, whole) {
            Pair::Settled(distance) => return distance,
            Pair::Totals { group, whole } => (group as f64, whole as f64),
        };
        let difference = |p: u64, q: u64| (p as f64 / n_group - q as f64 / n_whole).abs();
        if let GroundShape::Line(NumberLine::Float { gaps }) = &self.shape {
            return gaps.iter().zip(prefixes(group, whole)).map(|(gap, (p, q))| gap * difference(p, q)).sum();
        }
        let scale = self.scale().unwrap_or(1) as f64;
        let mut sum = 0.0;
        self.for_each_edge(group, whole, below, |weight, p, q| sum += weight as f64 / scale * difference(p, q));
        sum
    }

    /// What the whole-numbered weights of the edges are to be divided by.
    fn scale(&self) -> Option<u64> {
        match &self.shape {
            GroundShape::Line(NumberLine::Whole { range, .. }) => Some(*range),
            GroundShape::Line(NumberLine::Float { .. }) => None,
            GroundShape::Star => Some(2),
            GroundShape::Tree(tree) => Some(2 * u64::from(tree.height)),
        }
    }

    /// Gives each edge's weight with the people of the group and of the table below it.
    fn for_each_edge(&self, group: &[u64], whole: &[u64], below: &mut Below, mut visit: impl FnMut(u64, u64, u64)) {
        match &self.shape {
            GroundShape::Line(NumberLine::Whole { gaps, .. }) => {
                gaps.iter().zip(prefixes(group, whole)).for_each(|(&gap, (p, q))| visit(gap, p, q));
            }
            GroundShape::Line(NumberLine::Float { .. }) => {}
            GroundShape::Star => group.iter().zip(whole).for_each(|(&p, &q)| visit(1, p, q)),
            GroundShape::Tree(tree) => {
                tree.for_each_below(group, whole, below, |node, p, q| visit(node.drop.into(), p, q));
            }
        }
    }
}

/// How many people of either histogram have this code or a lower one. The totals must fit.
fn prefixes(group: &[u64], whole: &[u64]) -> impl Iterator<Item = (u64, u64)> {
    group.iter().zip(whole).scan((0, 0), |sum, (&p, &q)| {
        *sum = (sum.0 + p, sum.1 + q);
        Some(*sum)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, close, histogram, histograms};
    use super::*;
    use crate::data::value::Value;
    use crate::testkit::transport;
    use proptest::prelude::*;

    fn distance(ground: Ground<'_>, group: &[u64], whole: &[u64]) -> Ratio {
        Emd::new(ground, whole.len()).unwrap().exact(group, whole, &mut Vec::new()).unwrap().reduced()
    }

    /// Salaries 3 to 11 thousand, one person each.
    fn salaries(having: &[u64]) -> Vec<u64> {
        (3..=11).map(|salary| u64::from(having.contains(&salary))).collect()
    }

    #[test]
    fn salaries_of_the_papers_table() {
        let whole = vec![1; 9];
        let values: Vec<Value> = (3..=11).map(Value::Integer).collect();
        for ground in [Ground::Rank, Ground::Value(&values)] {
            assert_eq!(distance(ground, &salaries(&[3, 4, 5]), &whole), Ratio { num: 3, den: 8 });
            assert_eq!(distance(ground, &salaries(&[6, 8, 11]), &whole), Ratio { num: 1, den: 6 });
        }
    }

    #[test]
    fn diseases_of_the_papers_table() {
        let tree = testing::tree(
            "flu,infection,respiratory,*\npneumonia,infection,respiratory,*\nbronchitis,infection,respiratory,*
             pulmonary edema,vascular,respiratory,*\npulmonary embolism,vascular,respiratory,*
             gastric ulcer,stomach,digestive,*\nstomach cancer,stomach,digestive,*\ngastritis,stomach,digestive,*
             colitis,colon,digestive,*\ncolon cancer,colon,digestive,*",
        );
        let names = ["bronchitis", "flu", "gastric ulcer", "gastritis", "pneumonia", "stomach cancer"];
        let ranks = names.map(|name| tree.rank_by_label()[name]);
        let ground = Ground::Tree { tree: &tree, ranks: &ranks };
        let whole = [2, 1, 1, 2, 1, 2];
        assert_eq!(distance(ground, &[0, 0, 1, 1, 0, 1], &whole), Ratio { num: 4, den: 9 });
        assert_eq!(distance(ground, &[0, 0, 1, 0, 1, 1], &whole), Ratio { num: 7, den: 27 });
    }

    #[test]
    fn opposite_ends_are_at_distance_one_and_a_single_value_at_zero() {
        let values = [1.5, 2.0, 9.0].map(Value::Number);
        for ground in [Ground::Rank, Ground::Value(&values), Ground::Equal] {
            assert_eq!(distance(ground, &[1, 0, 0], &[0, 0, 5]), Ratio { num: 1, den: 1 });
        }
        for ground in [Ground::Rank, Ground::Value(&values[..1]), Ground::Equal] {
            assert_eq!(distance(ground, &[3], &[7]), Ratio { num: 0, den: 1 });
            assert_eq!(distance(ground, &[0], &[7]), Ratio { num: 0, den: 1 });
        }
    }

    #[test]
    fn billions_of_people_on_the_widest_line_stay_exact() {
        let values = [i64::MIN, 0, i64::MAX].map(Value::Integer);
        let emd = Emd::new(Ground::Value(&values), 3).unwrap();
        let people = 2_000_000_000;
        assert!(emd.exact(&[people, 0, 1], &[1, 0, people], &mut Vec::new()).is_some());
        // Beyond that the float stands in.
        let people = u64::MAX / 2;
        let (group, whole) = ([people, 0, 0], [0, people, 0]);
        assert_eq!(emd.exact(&group, &whole, &mut Vec::new()), None);
        assert!(close(emd.measure(&group, &whole, &mut Vec::new()), 0.5));
    }

    /// The dissertation's own recursion, on the whole tree: `Σ height(N)/H · min(pos_extra, neg_extra)`.
    fn by_extras(ground: Ground<'_>, group: &[u64], whole: &[u64]) -> f64 {
        let Ground::Tree { tree, ranks } = ground else { return f64::NAN };
        let share = |counts: &[u64], node| {
            let inside = |code: &usize| tree.ranks(node).contains(&ranks[*code]);
            let below: u64 = (0..ranks.len()).filter(inside).map(|code| counts[code]).sum();
            below as f64 / counts.iter().sum::<u64>() as f64
        };
        let cost = |node| {
            let extras: Vec<f64> = tree.children(node).map(|child| share(group, child) - share(whole, child)).collect();
            let positive: f64 = extras.iter().filter(|&&extra| extra > 0.0).sum();
            let negative: f64 = extras.iter().filter(|&&extra| extra < 0.0).map(|extra| -extra).sum();
            f64::from(tree.height(node)) * positive.min(negative)
        };
        (0..tree.len()).map(cost).sum::<f64>() / f64::from(tree.height(0)).max(1.0)
    }

    fn agrees_with_transport(ground: Ground<'_>, p: &[u64], q: &[u64]) -> Result<(), TestCaseError> {
        let emd = Emd::new(ground, p.len()).unwrap();
        let mut below = Vec::new();
        let measured = emd.measure(p, q, &mut below);
        let slow = transport::emd(p, q, |i, j| testing::ground_distance(ground, p.len(), i, j)).unwrap();
        prop_assert!(close(measured, slow), "{ground:?}: {measured} against {slow}");
        prop_assert!(close(measured, emd.float(p, q, &mut below)));
        prop_assert!((0.0..=1.0).contains(&measured));
        prop_assert_eq!(emd.measure(q, p, &mut below).to_bits(), measured.to_bits());
        prop_assert_eq!(emd.exact(p, p, &mut below).map(|ratio| ratio.num), Some(0));
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn ordered_and_equal_forms_are_the_least_work(
            (p, q) in histograms(),
            steps in proptest::collection::vec(0_u32..1000, 8),
        ) {
            let index = |sum: &mut u32, step: &u32| { *sum += step; Some(Value::Number(f64::from(*sum) / 8.0)) };
            let values: Vec<Value> = steps[..p.len()].iter().scan(0, index).collect();
            for ground in [Ground::Rank, Ground::Equal, Ground::Value(&values)] {
                agrees_with_transport(ground, &p, &q)?;
            }
        }

        #[test]
        fn the_hierarchical_form_is_the_least_work_at_uneven_depths(
            ((tree, ranks), p, q) in (1_usize..9).prop_flat_map(|m| (testing::tree_and_ranks(m), histogram(m), histogram(m))),
        ) {
            let ground = Ground::Tree { tree: &tree, ranks: &ranks };
            agrees_with_transport(ground, &p, &q)?;
            prop_assert!(close(distance(ground, &p, &q).to_f64(), by_extras(ground, &p, &q)));
        }

        #[test]
        fn numbers_without_a_common_unit_are_the_least_work_too((p, q) in histograms()) {
            let values: Vec<Value> = (0..8).map(|i| Value::Number([0.0, 1e-300, 1e-5, 1.0, 1.5, 2.0, 3e99, 1e100][i])).collect();
            let ground = Ground::Value(&values[8 - p.len()..]);
            let measured = Emd::new(ground, p.len()).unwrap().measure(&p, &q, &mut Vec::new());
            let slow = transport::emd(&p, &q, |i, j| testing::ground_distance(ground, p.len(), i, j)).unwrap();
            prop_assert!(close(measured, slow));
        }

        #[test]
        fn merging_groups_never_moves_them_away((p, q) in histograms(), r in histogram(8)) {
            let r = &r[..p.len()];
            let merged: Vec<u64> = p.iter().zip(r).map(|(a, b)| a + b).collect();
            let worst = Emd::new(Ground::Rank, p.len()).unwrap();
            let of = |group: &[u64]| worst.measure(group, &q, &mut Vec::new());
            prop_assert!(of(&merged) <= of(&p).max(of(r)) + 1e-12);
        }
    }
}
