//! The efficient frontier of releases: those that no other beats in privacy and utility both.
//!
//! Li (2010), section 5.2, after portfolio theory: one release is more efficient than another if it is as good in both
//! losses and better in one.

use crate::numeric::tolerance;

/// What two losses of a release are; both are better when smaller.
pub type Point = (f64, f64);

/// A loss without the dust of its last digits, by which releases that are equally good must not differ.
pub fn rounded_for_comparison(loss: f64) -> f64 {
    (loss * 1e9).round() / 1e9
}

/// For each point, whether no other is at least as good in both losses and better in one.
pub fn efficient(points: &[Point]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| points[a].0.total_cmp(&points[b].0).then(points[a].1.total_cmp(&points[b].1)));
    let mut efficient = vec![false; points.len()];
    let mut best: Option<Point> = None;
    for index in order {
        let point = points[index];
        // Among those with no more of the first loss, `best` has the least of the second.
        if best.is_none_or(|best| point.1 < best.1 || same(point, best)) {
            efficient[index] = true;
            best = Some(point);
        }
    }
    efficient
}

fn same(a: Point, b: Point) -> bool {
    a.0.total_cmp(&b.0).is_eq() && a.1.total_cmp(&b.1).is_eq()
}

/// The efficient point where the frontier bends most: farthest below the line between the frontier's two ends, with both
/// losses scaled to the frontier's range. With fewer than three different efficient points, the one nearest to no loss at
/// all; with none, nothing.
pub fn knee(points: &[Point]) -> Option<usize> {
    let efficient = efficient(points);
    let mut frontier: Vec<usize> = (0..points.len()).filter(|&index| efficient[index]).collect();
    frontier.sort_by(|&a, &b| points[a].0.total_cmp(&points[b].0).then(a.cmp(&b)));
    let (first, last) = (points[*frontier.first()?], points[*frontier.last()?]);
    let scaled = |x: f64, from: f64, to: f64| if to > from { (x - from) / (to - from) } else { 0.0 };
    // From (0, 1) to (1, 0) on the frontier's own scale, the line is where the coordinates add up to 1.
    let sum = |&index: &usize| scaled(points[index].0, first.0, last.0) + scaled(points[index].1, last.1, first.1);
    let bends = frontier.iter().any(|index| sum(index) < 1.0 - tolerance::SHARE_TIE);
    let most = points.iter().fold((0.0_f64, 0.0_f64), |most, point| (most.0.max(point.0), most.1.max(point.1)));
    let from_origin = |&index: &usize| scaled(points[index].0, 0.0, most.0).hypot(scaled(points[index].1, 0.0, most.1));
    frontier
        .iter()
        .copied()
        .min_by(|a, b| if bends { sum(a).total_cmp(&sum(b)) } else { from_origin(a).total_cmp(&from_origin(b)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_knee_is_where_the_frontier_bends() {
        let points = [(0.0, 1.0), (0.1, 0.3), (0.5, 0.2), (1.0, 0.0), (0.6, 0.6)];
        assert_eq!(efficient(&points), [true, true, true, true, false]);
        assert_eq!(knee(&points), Some(1));
        assert_eq!(knee(&[]), None);
        assert_eq!(knee(&[(0.2, 0.2)]), Some(0));
        assert_eq!(knee(&[(0.05, 1.0), (0.1, 0.2)]), Some(1), "two points do not bend; the nearer to nothing lost");
    }

    proptest! {
        #[test]
        fn efficient_is_what_nobody_beats(points in proptest::collection::vec((0_u8..6, 0_u8..6), 0..12)) {
            let points: Vec<Point> = points.into_iter().map(|(x, y)| (f64::from(x), f64::from(y))).collect();
            let beats = |a: Point, b: Point| a.0 <= b.0 && a.1 <= b.1 && (a.0 < b.0 || a.1 < b.1);
            let slow: Vec<bool> = points.iter().map(|&b| !points.iter().any(|&a| beats(a, b))).collect();
            prop_assert_eq!(efficient(&points), slow);
            prop_assert_eq!(knee(&points).is_none(), points.is_empty());
            prop_assert!(knee(&points).is_none_or(|index| efficient(&points)[index]));
        }
    }
}
