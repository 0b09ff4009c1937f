//! People who stand in no group yet, by their sensitive value.

use std::collections::BinaryHeap;

use crate::chance::Stream;
use crate::data::cells::Cells;

/// How many tuples of a bucket are looked at to find the best. The papers look at all, for every pick; a window that
/// moves on finds nearly as good a tuple at a cost that does not grow with the table.
const WINDOW: usize = 64;

/// Buckets of tuples that share a sensitive value, in random order.
#[derive(Debug)]
pub(in crate::method) struct Crowd {
    buckets: Vec<Bucket>,
    /// The fullest bucket first. An entry may be outdated: then its count differs from the bucket's.
    queue: BinaryHeap<(u64, u32)>,
    /// How many values of each tuple are kept.
    width: usize,
}

#[derive(Debug, Default)]
struct Bucket {
    /// Cells with the people that are left of them.
    left: Vec<(u32, u64)>,
    /// The kept values of those cells, tuple after tuple: a window lies side by side in memory.
    values: Vec<u32>,
    people: u64,
    next: usize,
}

impl Crowd {
    /// Everybody, by the values of a column; `kept` are the columns that scores look at, and each value is drawn from a stream of its own.
    ///
    /// People of one cell come one after another, or `apart`: in an order in which quasi-identifiers play no part at all.
    pub(in crate::method) fn new<'s>(
        cells: &Cells,
        column: usize,
        values: usize,
        kept: &[usize],
        apart: bool,
        stream: impl Fn(u64) -> Stream<'s>,
    ) -> Self {
        let mut buckets: Vec<Bucket> = (0..values).map(|_| Bucket::default()).collect();
        for ((cell, &people), &value) in (0..).zip(&cells.people).zip(&cells.columns[column]) {
            let bucket = &mut buckets[value as usize];
            if apart {
                bucket.left.extend(std::iter::repeat_n((cell, 1), people as usize));
            } else {
                bucket.left.push((cell, people));
            }
            bucket.people += people;
        }
        for (number, bucket) in (0..).zip(&mut buckets) {
            stream(number).shuffle(&mut bucket.left);
            let values = |&(cell, _): &(u32, u64)| kept.iter().map(move |&column| cells.columns[column][cell as usize]);
            bucket.values = bucket.left.iter().flat_map(values).collect();
        }
        let queue = (0..).zip(&buckets).filter(|(_, b)| b.people > 0).map(|(value, b)| (b.people, value)).collect();
        Self { buckets, queue, width: kept.len() }
    }

    /// The value with the most people left, and takes it off the queue; [`Crowd::put_back`] returns it.
    pub(in crate::method) fn fullest(&mut self) -> Option<u32> {
        while let Some((people, value)) = self.queue.pop() {
            if self.buckets[value as usize].people == people {
                return Some(value);
            }
        }
        None
    }

    /// Returns a value to the queue.
    pub(in crate::method) fn put_back(&mut self, value: u32) {
        let people = self.buckets[value as usize].people;
        if people > 0 {
            self.queue.push((people, value));
        }
    }

    /// Takes one person of a value: of those in the window the one whose kept values have the highest score; the
    /// first with an infinite one is taken at once. Gives the cell.
    pub(in crate::method) fn take(&mut self, value: u32, score: impl Fn(&[u32]) -> Option<f64>) -> Option<u32> {
        let width = self.width;
        let bucket = &mut self.buckets[value as usize];
        let len = bucket.left.len();
        if len == 0 {
            return None;
        }
        let mut best: Option<(f64, usize)> = None;
        for step in 0..WINDOW.min(len) {
            let index = (bucket.next + step) % len;
            if let Some(score) = score(&bucket.values[index * width..(index + 1) * width])
                && best.is_none_or(|(known, _)| score > known)
            {
                best = Some((score, index));
                if score == f64::INFINITY {
                    break;
                }
            }
        }
        let Some((score, index)) = best else {
            bucket.next = (bucket.next + WINDOW) % len;
            return None;
        };
        // Whoever was looked at and not taken is looked at again when the window comes round.
        bucket.next = if score == f64::INFINITY { index } else { (bucket.next + WINDOW) % len };
        Some(bucket.remove_one(index, width))
    }

    /// Whoever is left.
    pub(in crate::method) fn rest(self) -> Vec<(u32, u64)> {
        self.buckets.into_iter().flat_map(|bucket| bucket.left).collect()
    }
}

impl Bucket {
    fn remove_one(&mut self, index: usize, width: usize) -> u32 {
        self.people -= 1;
        let (cell, people) = &mut self.left[index];
        let cell = *cell;
        *people -= 1;
        if *people == 0 {
            self.left.swap_remove(index);
            let last = self.values.len() - width;
            self.values.copy_within(last.., index * width);
            self.values.truncate(last);
            if self.next >= self.left.len() {
                self.next = 0;
            }
        }
        cell
    }
}
