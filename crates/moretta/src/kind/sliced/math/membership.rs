//! Whether a person is in a sliced table: what tells people who are from combinations that only could be.
//!
//! A *fake* is a combination of column values that matches a bucket although nobody has it (Li 2010, section 4.4). Fakes
//! hide who is there, the better the more of them there are and the more alike the numbers of buckets are that
//! people and fakes match. No attribute is known or unknown here: a column's value is all of it.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Serialize;

use super::{Positions, SlicedIndex};
use crate::data::cells::count_distinct;
use crate::progress::CancelToken;

/// How well a sliced table hides who is in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Membership {
    /// People by the number of buckets that they match, in order of that number.
    pub people: Vec<(u32, u64)>,
    /// The combinations that people have.
    pub combinations: u64,
    /// The combinations that nobody has and that match a bucket.
    pub fakes: IntervalEstimate,
    /// The share of fakes by the number of buckets that they match, in order of that number.
    pub fake_shares: Vec<(u32, f64)>,
}

/// A number with the interval that holds it with a confidence of 95 %; counted, not estimated, where `samples` is 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct IntervalEstimate {
    /// The number.
    pub value: f64,
    /// The lower end.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
    /// How many combinations were drawn to estimate it; 0 where all were counted.
    pub samples: u64,
}

/// What membership is measured in.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredColumns<'a> {
    /// Who stands where. The links between columns are those of the original.
    pub positions: Positions<'a>,
    /// The value of each column at each position, and how many there are.
    pub columns: &'a [(&'a [u32], usize)],
}

/// How much work a measurement may take.
#[derive(Clone, Copy, Debug)]
pub struct MembershipEffort {
    /// The most combinations that are counted one by one.
    pub count: u64,
    /// How many are drawn where there are more.
    pub samples: u64,
    /// What chance starts from.
    pub seed: u64,
}

impl Default for MembershipEffort {
    fn default() -> Self {
        Self { count: 1 << 23, samples: 1 << 17, seed: 0 }
    }
}

impl Membership {
    /// Measures a table.
    pub fn measure(table: MeasuredColumns<'_>, effort: MembershipEffort, token: &CancelToken) -> Self {
        let counted = Prepared::new(table, token);
        let all: f64 = (0..counted.buckets()).map(|bucket| counted.combinations(bucket)).sum();
        if all <= effort.count as f64
            && let Some(radices) = counted.radices()
        {
            return counted.count(&radices);
        }
        counted.draw(all, effort)
    }

    /// What the number of matching buckets tells: how much likelier than a coin, doubled, the best guess is
    /// right whether a combination is a person's or fake. 0: nothing; 1: everything.
    pub fn advantage(&self) -> f64 {
        let everybody: u64 = self.people.iter().map(|&(_, people)| people).sum();
        let mut shares: Vec<(u32, f64)> = self.fake_shares.clone();
        shares.extend(self.people.iter().map(|&(buckets, people)| (buckets, -(people as f64) / everybody as f64)));
        shares.sort_by_key(|&(buckets, _)| buckets);
        if self.fake_shares.is_empty() {
            return 1.0;
        }
        let differences = shares.chunk_by(|a, b| a.0 == b.0).map(|run| run.iter().map(|&(_, x)| x).sum::<f64>().abs());
        differences.sum::<f64>() / 2.0
    }

    /// People, and fakes, that match more than so many buckets.
    pub fn matching_more_than(&self, buckets: u32) -> (u64, f64) {
        let people = self.people.iter().filter(|&&(b, _)| b > buckets).map(|&(_, people)| people).sum();
        let share = self.fake_shares.iter().filter(|&&(b, _)| b > buckets).fold(0.0, |sum, &(_, share)| sum + share);
        (people, share * self.fakes.value)
    }
}

struct Prepared<'a> {
    token: &'a CancelToken,
    table: MeasuredColumns<'a>,
    index: SlicedIndex,
    /// For each column, the distinct values of each bucket, one bucket after the other, and where each starts.
    values: Vec<(Vec<u32>, Vec<u32>)>,
    /// The combinations that people have, column by column, and how many people have each.
    people: (Vec<Vec<u32>>, Vec<u64>),
}

impl<'a> Prepared<'a> {
    fn new(table: MeasuredColumns<'a>, token: &'a CancelToken) -> Self {
        let Positions { bucket, buckets, people } = table.positions;
        let distinct = |&(codes, size): &(&[u32], usize)| {
            let counted = count_distinct(&[(bucket, buckets), (codes, size)], bucket.len(), None);
            let mut starts = vec![0; buckets + 1];
            counted.columns[0].iter().for_each(|&bucket| starts[bucket as usize + 1] += 1);
            (0..buckets).for_each(|bucket| starts[bucket + 1] += starts[bucket]);
            (counted.columns[1].clone(), starts)
        };
        let values = table.columns.par_iter().map(distinct).collect();
        let cells = count_distinct(table.columns, bucket.len(), people);
        let index = SlicedIndex::new(table.positions, table.columns, &[]);
        Self { token, table, index, values, people: (cells.columns, cells.people) }
    }

    fn buckets(&self) -> usize {
        self.table.positions.buckets
    }

    fn in_bucket(&self, column: usize, bucket: usize) -> &[u32] {
        let (values, starts) = &self.values[column];
        &values[starts[bucket] as usize..starts[bucket + 1] as usize]
    }

    fn combinations(&self, bucket: usize) -> f64 {
        (0..self.values.len()).map(|column| self.in_bucket(column, bucket).len() as f64).product()
    }

    /// The place value of each column in a number that spells a combination, if 128 bits can hold it.
    fn radices(&self) -> Option<Vec<u128>> {
        let mut index = 1_u128;
        let mut radices = Vec::new();
        for &(_, size) in self.table.columns {
            radices.push(index);
            index = index.checked_mul(size.max(1) as u128)?;
        }
        Some(radices)
    }

    fn number_of_buckets(&self, combination: &[u32]) -> u32 {
        if self.token.is_cancelled() {
            return 1;
        }
        let person: Vec<&[u32]> = combination.iter().map(std::slice::from_ref).collect();
        let mut buckets = 0;
        self.index.matching(&person, |_, _| buckets += 1);
        buckets
    }

    /// People by the number of buckets that they match.
    fn people_by_buckets(&self) -> Vec<(u32, u64)> {
        let (columns, people) = &self.people;
        let numbers = people.par_iter().enumerate().map(|(cell, &people)| {
            let combination: Vec<u32> = columns.iter().map(|column| column[cell]).collect();
            (self.number_of_buckets(&combination), people)
        });
        let mut numbers: Vec<(u32, u64)> = numbers.collect();
        numbers.sort_unstable();
        numbers.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].0, run.iter().map(|&(_, people)| people).sum())).collect()
    }

    /// Counts every combination of every bucket: one that comes up n times matches n buckets.
    fn count(&self, radices: &[u128]) -> Membership {
        let spelled = |bucket: usize| {
            radices.iter().enumerate().fold(vec![0_u128], |heads, (column, radix)| {
                let values = self.in_bucket(column, bucket);
                heads.iter().flat_map(|head| values.iter().map(move |&v| head + u128::from(v) * radix)).collect()
            })
        };
        let mut all: Vec<u128> = (0..self.buckets()).into_par_iter().flat_map_iter(spelled).collect();
        all.par_sort_unstable();
        let (columns, people) = &self.people;
        let spell = |cell: usize| columns.iter().zip(radices).map(|(c, r)| u128::from(c[cell]) * r).sum::<u128>();
        let mut theirs: Vec<u128> = (0..people.len()).map(spell).collect();
        theirs.sort_unstable();
        let mut numbers: Vec<u32> = Vec::new();
        for run in all.chunk_by(|a, b| a == b) {
            if theirs.binary_search(&run[0]).is_err() {
                numbers.push(run.len() as u32);
            }
        }
        numbers.sort_unstable();
        let fakes = numbers.len() as f64;
        let fake_shares = numbers.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as f64 / fakes)).collect();
        Membership {
            people: self.people_by_buckets(),
            combinations: people.len() as u64,
            fakes: IntervalEstimate { value: fakes, lower: fakes, upper: fakes, samples: 0 },
            fake_shares,
        }
    }

    /// Draws combinations of buckets. One that matches n buckets can be drawn through each of them, so it counts
    /// 1/n (Karp and Luby's estimate of the size of a union).
    fn draw(&self, all: f64, effort: MembershipEffort) -> Membership {
        let mut until = Vec::with_capacity(self.buckets());
        let mut sum = 0.0;
        for bucket in 0..self.buckets() {
            sum += self.combinations(bucket);
            until.push(sum);
        }
        let chunks = effort.samples.div_ceil(CHUNK).max(1);
        let drawn = (0..chunks).into_par_iter().flat_map_iter(|chunk| {
            let mut rng = ChaCha8Rng::seed_from_u64(effort.seed);
            rng.set_stream(chunk);
            let mut combination = vec![0; self.values.len()];
            let mut numbers = Vec::with_capacity(CHUNK as usize);
            for _ in 0..CHUNK {
                let target = rng.random::<f64>() * sum;
                let bucket = until.partition_point(|&end| end <= target).min(self.buckets() - 1);
                for (column, code) in combination.iter_mut().enumerate() {
                    let values = self.in_bucket(column, bucket);
                    *code = values[rng.random_range(0..values.len())];
                }
                numbers.push((self.number_of_buckets(&combination), self.is_somebodys(&combination)));
            }
            numbers
        });
        let mut drawn: Vec<(u32, bool)> = drawn.collect();
        drawn.sort_unstable();
        let samples = drawn.len() as f64;
        let worth = |&(buckets, is_somebodys): &(u32, bool)| if is_somebodys { 0.0 } else { 1.0 / f64::from(buckets) };
        let mean = drawn.iter().map(worth).sum::<f64>() / samples;
        let variance = drawn.iter().map(|d| (worth(d) - mean).powi(2)).sum::<f64>() / (samples - 1.0).max(1.0);
        let half_width = CONFIDENCE * (variance / samples).sqrt();
        let shares = drawn
            .chunk_by(|a, b| a.0 == b.0)
            .map(|run| (run[0].0, run.iter().map(worth).sum::<f64>() / (mean * samples).max(f64::MIN_POSITIVE)));
        Membership {
            people: self.people_by_buckets(),
            combinations: self.people.1.len() as u64,
            fakes: IntervalEstimate {
                value: all * mean,
                lower: all * (mean - half_width).max(0.0),
                upper: all * (mean + half_width),
                samples: drawn.len() as u64,
            },
            fake_shares: shares.filter(|&(_, share)| share > 0.0).collect(),
        }
    }

    /// Whether somebody has a combination. Those that people have are sorted by their columns.
    fn is_somebodys(&self, combination: &[u32]) -> bool {
        let (columns, people) = &self.people;
        let (mut low, mut high) = (0, people.len());
        for (column, code) in columns.iter().zip(combination) {
            let first = low + column[low..high].partition_point(|c| c < code);
            high = first + column[first..high].partition_point(|c| c == code);
            low = first;
        }
        low < high
    }
}

/// The normal quantile of a two-sided confidence of 95 %.
const CONFIDENCE: f64 = 1.959_964;
const CHUNK: u64 = 4096;
