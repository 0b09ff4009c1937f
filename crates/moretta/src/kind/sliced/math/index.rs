//! From what a person is known to have to the buckets that it matches.

use super::SlicedPosterior;
use crate::data::cells::count_distinct;
use crate::data::merge_counts;

/// A sliced table, indexed from column values to buckets, so that a person's matching buckets are found without
/// a look at the others.
///
/// Only attributes that an adversary may know count as a column's value here; a column that holds none, such as
/// that of the sensitive attribute alone, matches everybody.
#[derive(Clone, Debug, Default)]
pub struct SlicedIndex {
    people: Vec<u64>,
    columns: Vec<Postings>,
    secrets: Vec<SecretPostings>,
}

/// The positions of a sliced table: each column's values are in any order inside a bucket.
#[derive(Clone, Copy, Debug)]
pub struct Positions<'a> {
    /// The bucket of each position.
    pub bucket: &'a [u32],
    /// How many buckets there are.
    pub buckets: usize,
    /// How many people each position stands for; one each if nothing is stated.
    pub people: Option<&'a [u64]>,
}

/// A sensitive attribute of a sliced table.
#[derive(Clone, Copy, Debug)]
pub struct Secret<'a> {
    /// The column that it stands in, where that column has a known part too.
    pub column: Option<usize>,
    /// Its value at each position, and how many values there are.
    pub codes: (&'a [u32], usize),
}

/// For each value of a column, the buckets that hold it, in order, and how often.
#[derive(Clone, Debug, Default)]
struct Postings {
    starts: Vec<u32>,
    entries: Vec<(u32, u64)>,
}

/// For each value of the known part of the sensitive column, the buckets and sensitive values it occurs with.
#[derive(Clone, Debug, Default)]
struct SecretPostings {
    column: Option<usize>,
    values: usize,
    starts: Vec<u32>,
    /// Bucket, sensitive value, people; in this order.
    entries: Vec<(u32, u32, u64)>,
}

impl SlicedIndex {
    /// Indexes a table: for each column the code of its known part at each position, and how many codes there are.
    pub fn new(positions: Positions<'_>, columns: &[(&[u32], usize)], secrets: &[Secret<'_>]) -> Self {
        let Positions { bucket, buckets, people } = positions;
        let rows = bucket.len();
        let mut sizes = vec![0; buckets];
        for (row, &bucket) in bucket.iter().enumerate() {
            sizes[bucket as usize] += people.map_or(1, |people| people[row]);
        }
        let index_column = |&(codes, size): &(&[u32], usize)| {
            let counted = count_distinct(&[(codes, size), (bucket, buckets)], rows, people);
            let entries = counted.columns[1].iter().copied().zip(counted.people).collect();
            Postings { starts: starts(&counted.columns[0], size), entries }
        };
        let index_secret = |secret: &Secret<'_>| {
            let nothing = vec![0; if secret.column.is_none() { rows } else { 0 }];
            let known = secret.column.map_or((nothing.as_slice(), 1), |column| columns[column]);
            let counted = count_distinct(&[known, (bucket, buckets), secret.codes], rows, people);
            let pairs = counted.columns[1].iter().zip(&counted.columns[2]).zip(&counted.people);
            let entries = pairs.map(|((&bucket, &value), &people)| (bucket, value, people)).collect();
            let starts = starts(&counted.columns[0], known.1);
            SecretPostings { column: secret.column, values: secret.codes.1, starts, entries }
        };
        let columns_indexed = columns.iter().map(index_column).collect();
        Self { people: sizes, columns: columns_indexed, secrets: secrets.iter().map(index_secret).collect() }
    }

    /// How many buckets there are.
    pub fn len(&self) -> usize {
        self.people.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }

    /// The people in each bucket.
    pub fn people(&self) -> &[u64] {
        &self.people
    }

    /// How many values a sensitive attribute has.
    pub fn values(&self, secret: usize) -> usize {
        self.secrets[secret].values
    }

    /// The bucket in which a sensitive value is the most likely among the candidates of somebody who matches it: the
    /// bucket, the candidates, those who have the value.
    pub fn worst_bucket(&self, secret: usize) -> (u32, u64, u64) {
        let of = &self.secrets[secret];
        let mut worst = (0, 1, 0);
        for run in of.starts.windows(2) {
            let entries = &of.entries[run[0] as usize..run[1] as usize];
            for bucket in entries.chunk_by(|a, b| a.0 == b.0) {
                let candidates: u64 = bucket.iter().map(|&(.., people)| people).sum();
                let most = bucket.iter().map(|&(.., people)| people).max().unwrap_or(0);
                if u128::from(most) * u128::from(worst.1) > u128::from(worst.2) * u128::from(candidates) {
                    worst = (bucket[0].0, candidates, most);
                }
            }
        }
        worst
    }

    /// The buckets that a person matches, in order, with the count of each column: `visit(bucket, counts)`.
    ///
    /// The person is given by the codes, in each column, that could be its own: usually one, several where
    /// published values overlap, none where the column holds nothing like it. Cost: the postings of the rarest
    /// column value, a binary search in each other column for each.
    pub fn matching(&self, person: &[&[u32]], mut visit: impl FnMut(u32, &[u64])) {
        let lists: Vec<Entries<'_>> =
            person.iter().zip(&self.columns).map(|(codes, postings)| postings.of(codes)).collect();
        let mut counts = vec![0; lists.len()];
        let Some(rarest) = (0..lists.len()).min_by_key(|&list| lists[list].as_ref().len()) else {
            // Nothing is known of anybody: everybody could be anywhere.
            (0..self.people.len() as u32).for_each(|bucket| visit(bucket, &[]));
            return;
        };
        'buckets: for &(bucket, count) in lists[rarest].as_ref() {
            for (index, list) in lists.iter().enumerate() {
                counts[index] = match list.as_ref().binary_search_by_key(&bucket, |&(bucket, _)| bucket) {
                    _ if index == rarest => count,
                    Ok(found) => list.as_ref()[found].1,
                    Err(_) => continue 'buckets,
                };
            }
            visit(bucket, &counts);
        }
    }

    /// What a person's matching buckets say about a sensitive attribute.
    pub fn posterior(&self, person: &[&[u32]], secret: usize, posterior: &mut SlicedPosterior) {
        posterior.clear();
        let of = &self.secrets[secret];
        let nothing: &[u32] = &[0];
        let known = of.column.map_or(nothing, |column| person[column]);
        self.matching(person, |bucket, counts| {
            let others = counts.iter().enumerate().filter(|&(column, _)| Some(column) != of.column).map(|(_, &n)| n);
            let values = known.iter().flat_map(|&code| of.of(code, bucket)).map(|&(_, value, people)| (value, people));
            posterior.add(self.people[bucket as usize], others, values);
        });
    }
}

/// The entries of one value, or those of several, joined.
enum Entries<'a> {
    One(&'a [(u32, u64)]),
    Joined(Vec<(u32, u64)>),
}

impl AsRef<[(u32, u64)]> for Entries<'_> {
    fn as_ref(&self) -> &[(u32, u64)] {
        match self {
            Self::One(entries) => entries,
            Self::Joined(entries) => entries,
        }
    }
}

impl Postings {
    fn of(&self, codes: &[u32]) -> Entries<'_> {
        let run =
            |code: u32| &self.entries[self.starts[code as usize] as usize..self.starts[code as usize + 1] as usize];
        if let [only] = codes {
            return Entries::One(run(*only));
        }
        let mut joined: Vec<(u32, u64)> = codes.iter().flat_map(|&code| run(code)).copied().collect();
        joined.sort_unstable();
        merge_counts(&mut joined, |a, b| a.0 == b.0, |entry| &mut entry.1);
        Entries::Joined(joined)
    }
}

impl SecretPostings {
    /// The entries of a bucket where the known part of the column has a code.
    fn of(&self, code: u32, bucket: u32) -> &[(u32, u32, u64)] {
        let entries = &self.entries[self.starts[code as usize] as usize..self.starts[code as usize + 1] as usize];
        let first = entries.partition_point(|&(b, ..)| b < bucket);
        let many = entries[first..].partition_point(|&(b, ..)| b == bucket);
        &entries[first..first + many]
    }
}

/// Where the run of each code starts among sorted codes, and where the last ends.
fn starts(sorted: &[u32], size: usize) -> Vec<u32> {
    let mut starts = vec![0; size + 1];
    sorted.iter().for_each(|&code| starts[code as usize + 1] += 1);
    (0..size).for_each(|code| starts[code + 1] += starts[code]);
    starts
}
