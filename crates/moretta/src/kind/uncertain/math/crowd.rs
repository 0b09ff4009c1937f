//! Anonymity in whole numbers, for all points of some blocks at once: those of a block share the walk through the others.

use rayon::prelude::*;

use super::Family;
use super::blocks::{BLOCK, Blocks};
use super::weight::Weights;
use crate::progress::CancelToken;

/// What is wanted about the point at an index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// What is there without the others.
    pub(crate) start: u64,
    /// A sum that stays below this need not be finished.
    pub(crate) at_least: u64,
    /// Nor one that has come to this.
    pub(crate) enough: u64,
}

/// In which order others are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Those who count most come first: where sums end early.
    NearestFirst,
    /// As it comes: where all are needed.
    Any,
}

/// A block nearby.
#[derive(Clone, Copy, Debug)]
struct Near {
    /// How far apart the middles are: the nearest count most and come first.
    apart: f64,
    block: u32,
    node: u32,
    /// The most that it can add.
    most: u64,
    /// The most that it and all after it can add.
    rest: u64,
}

#[derive(Default)]
struct Room {
    near: Vec<Near>,
    /// Their order: in the lower half of each number.
    order: Vec<u64>,
    stack: Vec<super::blocks::BlockNode>,
    /// The points of the block that are not finished.
    open: Vec<(usize, Wanted)>,
}

/// For every index of `asking` about which something is wanted, the sum over all people of `others`: exact if between what is
/// wanted at least and what is enough, else on the same side as the exact one. 0 where nothing is wanted.
pub(crate) fn sums(
    (asking, others): (&Blocks, &Blocks),
    weights: &Weights,
    order: Order,
    token: &CancelToken,
    wanted: impl Fn(usize) -> Option<Wanted> + Sync,
) -> Vec<u64> {
    let mut sums = vec![0; asking.people.len()];
    let leaves = leaves(asking);
    let of_block = |room: &mut Room, (block, (sums, &leaf)): (usize, (&mut [u64], &u32))| {
        if token.is_cancelled() {
            return;
        }
        room.open.clear();
        let indices = (0..BLOCK).filter_map(|i| Some((i, wanted(block * BLOCK + i)?)));
        room.open.extend(indices);
        if room.open.is_empty() {
            return;
        }
        room.open.iter().for_each(|(i, wanted)| sums[*i] = wanted.start);
        find(asking.corners(leaf as usize), others, weights, order, room);
        add_up(asking.columns(block), others, weights, room, sums);
    };
    sums.par_chunks_mut(BLOCK).zip(&leaves).enumerate().with_min_len(4).for_each_init(Room::default, of_block);
    sums
}

/// The node of each block.
fn leaves(blocks: &Blocks) -> Vec<u32> {
    let mut leaves = vec![0; blocks.count()];
    let mut stack: Vec<_> = blocks.root().into_iter().collect();
    while let Some(node) = stack.pop() {
        match node.halves() {
            Some(halves) => stack.extend(halves),
            None => leaves[node.first] = node.id as u32,
        }
    }
    leaves
}

/// Lists the blocks in which anybody can count for somebody in a box, the nearest first.
fn find((low, high): (&[f64], &[f64]), others: &Blocks, weights: &Weights, order: Order, room: &mut Room) {
    room.near.clear();
    room.stack.clear();
    room.stack.extend(others.root());
    while let Some(node) = room.stack.pop() {
        let (from, to) = others.corners(node.id);
        let sides = || low.iter().zip(high).zip(from.iter().zip(to));
        let gaps = sides().map(|((&low, &high), (&from, &to))| gap(from - high, low - to));
        let chance = weights.of(gaps);
        if chance == 0 {
            continue;
        }
        if let Some(halves) = node.halves() {
            room.stack.extend(halves);
            continue;
        }
        let apart = sides().map(|((low, high), (from, to))| (low + high) - (from + to)).map(|w| w * w).sum();
        let most = others.crowd(node.id).saturating_mul(chance);
        room.near.push(Near { apart, block: node.first as u32, node: node.id as u32, most, rest: 0 });
    }
    room.order.clear();
    room.order.extend(0..room.near.len() as u64);
    if order == Order::NearestFirst {
        // Distances are not negative, so their bits ascend as they do.
        let key = |near: &Near| u64::from((near.apart as f32).to_bits()) << 32;
        room.order.iter_mut().zip(&room.near).for_each(|(at, near)| *at |= key(near));
        room.order.sort_unstable();
    }
    let mut rest = 0_u64;
    for &at in room.order.iter().rev() {
        let near = &mut room.near[at as u32 as usize];
        rest = rest.saturating_add(near.most);
        near.rest = rest;
    }
}

/// What a coordinate is away at least.
#[inline]
fn gap(below: f64, above: f64) -> f64 {
    let gap = if below > above { below } else { above };
    if gap > 0.0 { gap } else { 0.0 }
}

fn add_up(indices: &[[f64; BLOCK]], others: &Blocks, weights: &Weights, room: &mut Room, sums: &mut [u64]) {
    for &at in &room.order {
        let near = &room.near[at as u32 as usize];
        room.open
            .retain(|(i, wanted)| sums[*i] < wanted.enough && sums[*i].saturating_add(near.rest) >= wanted.at_least);
        if room.open.is_empty() {
            break;
        }
        let (low, high) = others.corners(near.node as usize);
        let mut nearest = start(weights.family);
        for ((column, &low), &high) in indices.iter().zip(low).zip(high) {
            add(&mut nearest, column, weights.family, |x| gap(low - x, x - high));
        }
        let chances = weights.of_all(&nearest);
        let columns = others.columns(near.block as usize);
        let people = others.crowd_of(near.block as usize);
        for &(i, _) in room.open.iter().filter(|(i, _)| chances[*i] > 0) {
            let mut measures = start(weights.family);
            for (column, own) in columns.iter().zip(indices) {
                let x = own[i];
                add(&mut measures, column, weights.family, |y| (y - x).abs());
            }
            sums[i] +=
                weights.of_all(&measures).iter().zip(people).map(|(chance, people)| chance * people).sum::<u64>();
        }
    }
}

#[inline]
fn start(family: Family) -> [f64; BLOCK] {
    [if family == Family::Gaussian { 0.0 } else { 1.0 }; BLOCK]
}

/// Takes one more coordinate into squared distances, or into shares.
#[inline]
fn add(measures: &mut [f64; BLOCK], column: &[f64; BLOCK], family: Family, away: impl Fn(f64) -> f64) {
    match family {
        Family::Gaussian => measures.iter_mut().zip(column).for_each(|(sum, &x)| *sum += away(x) * away(x)),
        Family::Uniform => measures.iter_mut().zip(column).for_each(|(part, &x)| {
            let left = 1.0 - away(x);
            *part *= if left > 0.0 { left } else { 0.0 };
        }),
    }
}
