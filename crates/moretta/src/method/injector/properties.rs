//! Whatever the table and the rules, what injector forms keeps the promise.

use proptest::prelude::*;

use super::classes::Classes;
use super::deal;
use super::form::{BucketMembers, form};
use super::residue::index;
use crate::knowledge::{Matching, Points, ValueSets};
use crate::progress::CancelToken;

const VALUES: usize = 5;

/// A point, a value, people.
type Cell = (u32, u32, u64);

/// Cells: a point, a value, people; and for each point the values excluded, never one that somebody there has.
fn tables() -> impl Strategy<Value = (Vec<Cell>, Vec<Vec<u32>>)> {
    let cells = proptest::collection::btree_map((0_u32..4, 0..VALUES as u32), 1_u64..6, 1..16);
    let barred = proptest::collection::vec(proptest::collection::vec(0..VALUES as u32, 0..3), 4);
    (cells, barred).prop_map(|(cells, mut barred)| {
        let cells: Vec<(u32, u32, u64)> =
            cells.into_iter().map(|((point, value), people)| (point, value, people)).collect();
        for &(point, value, _) in &cells {
            barred[point as usize].retain(|&excluded| excluded != value);
        }
        (cells, barred)
    })
}

/// Whether everybody who was not cast out has ℓ valid values where all are one group.
fn serves_all(classes: &Classes, groups: &[BucketMembers], residue: &[u32], l: u64) -> bool {
    let mut people = vec![0_u64; classes.len()];
    groups.iter().flatten().for_each(|&(class, count)| people[class as usize] += count);
    residue.iter().for_each(|&class| people[class as usize] += 1);
    let mut held = vec![0; VALUES];
    classes.value.iter().zip(&people).for_each(|(&value, people)| held[value as usize] += people);
    let mut matching = Matching::default();
    matching.find(&people, &classes.barred, &held, None)
        && (0..people.len()).all(|class| people[class] == 0 || matching.valid_count(class) >= l)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn everybody_keeps_l_valid_values_or_is_left_out((cells, barred) in tables(), l in 1_u64..4) {
        let mut incompatible = ValueSets::empty(4, VALUES);
        for (point, values) in barred.iter().enumerate() {
            values.iter().for_each(|&value| incompatible.insert(point, value));
        }
        let people: Vec<u64> = cells.iter().map(|cell| cell.2).collect();
        let values: Vec<u32> = cells.iter().map(|cell| cell.1).collect();
        let points = Points { of_cell: cells.iter().map(|cell| cell.0).collect(), ..Points::default() };
        let mut classes = Classes::new(&values, &points, &incompatible, &people);
        let all: u64 = people.iter().sum();
        let outcast = classes.cast_out(l);
        let (groups, residue) = form(&mut classes, l, &CancelToken::new());
        for group in &groups {
            prop_assert_eq!(group.len() as u64, l);
        }
        let formed = groups.len() as u64 * l;
        prop_assert_eq!(formed + residue.len() as u64 + outcast.people, all, "nobody is lost");
        // Nobody is left out whom one group of everybody would serve: valid values only grow where groups are united.
        if formed + residue.len() as u64 > 0 && serves_all(&classes, &groups, &residue, l) {
            let placed = index(&classes, groups.clone(), &residue, l, 0, &CancelToken::new());
            prop_assert!(placed.is_ok_and(|placed| placed.left_out == 0));
        }
        let Ok(placed) = index(&classes, groups, &residue, l, all, &CancelToken::new()) else { return Ok(()) };
        let buckets = deal(&classes, &placed.groups, outcast.people + placed.left_out);
        prop_assert_eq!(buckets.people() + outcast.people + placed.left_out, all);
        let mut dealt = vec![0; cells.len()];
        buckets.pieces.iter().for_each(|piece| dealt[piece.cell as usize] += piece.people);
        prop_assert!(dealt.iter().zip(&people).all(|(dealt, people)| dealt <= people));
        for group in 0..buckets.len as u32 {
            let (mut at, mut held) = (vec![0; 4], vec![0; VALUES]);
            for piece in buckets.pieces.iter().filter(|piece| piece.group == group) {
                at[cells[piece.cell as usize].0 as usize] += piece.people;
                held[cells[piece.cell as usize].1 as usize] += piece.people;
            }
            let mut matching = Matching::default();
            prop_assert!(matching.find(&at, &incompatible, &held, None));
            for (point, &people) in at.iter().enumerate() {
                prop_assert!(people == 0 || matching.valid_count(point) >= l, "{:?}", buckets);
            }
        }
    }
}
