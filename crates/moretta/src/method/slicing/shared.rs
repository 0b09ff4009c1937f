//! Buckets that share column values: a cut here may send people with the same value to both sides.
//!
//! Then a person matches several buckets, and the whole sliced table must be judged. Every bucket lists the people who match it,
//! and everybody lists the buckets they match, so that a cut asks only those who match the bucket that is cut.

use super::layout::{Layout, SecretLayout};
use crate::data::cells::count_distinct;
use crate::kind::sliced::math::{SlicedPosterior, reaches};

/// Some people of a cell.
pub(super) type ValueShare = (u32, u64);

/// A sliced table under way, which keeps every ℓ that is promised.
pub(super) struct Shared<'a> {
    layout: &'a Layout<'a>,
    /// Distinct combinations of what is known: the code of each column, and the combination of each cell.
    combinations: Vec<Vec<u32>>,
    buckets: Vec<Bucket>,
    matches: Vec<Matches>,
    sides: [Side; 2],
    posterior: SlicedPosterior,
}

struct Bucket {
    shares: Vec<ValueShare>,
    people: u64,
    /// The combinations that match it.
    matching: Vec<u32>,
    /// Where it is not diverse by itself: sensitive attributes and what is known in their column, sorted.
    failing: Vec<(u32, u32)>,
}

/// The buckets that a combination matches. Most match one.
#[derive(Clone, Default)]
struct Matches {
    first: Option<u32>,
    rest: Vec<u32>,
}

impl Matches {
    fn iter(&self) -> impl Iterator<Item = u32> {
        self.first.into_iter().chain(self.rest.iter().copied())
    }

    fn insert(&mut self, bucket: u32) {
        if self.first.is_none() { self.first = Some(bucket) } else { self.rest.push(bucket) }
    }

    fn remove(&mut self, bucket: u32) {
        self.rest.retain(|&other| other != bucket);
        if self.first == Some(bucket) {
            self.first = self.rest.pop();
        }
    }
}

impl<'a> Shared<'a> {
    /// Buckets of whole cells that share no column value: everybody matches the own one.
    pub(super) fn new(layout: &'a Layout<'a>, buckets: Vec<Vec<u32>>) -> Self {
        let sized: Vec<(&[u32], usize)> = layout.known.iter().map(|(codes, size)| (codes.as_slice(), *size)).collect();
        let distinct = count_distinct(&sized, layout.people.len(), None);
        let mut matches = vec![Matches::default(); distinct.len()];
        let buckets: Vec<Bucket> = buckets
            .into_iter()
            .zip(0..)
            .map(|(cells, number)| {
                let mut matching: Vec<u32> = cells.iter().map(|&cell| distinct.cell_of_row[cell as usize]).collect();
                matching.sort_unstable();
                matching.dedup();
                matching.iter().for_each(|&combination| matches[combination as usize].insert(number));
                let shares: Vec<ValueShare> = cells.iter().map(|&cell| (cell, layout.people[cell as usize])).collect();
                let people = shares.iter().map(|&(_, people)| people).sum();
                Bucket { shares, people, matching, failing: Vec::new() }
            })
            .collect();
        let sides = [Side::new(layout), Side::new(layout)];
        Self { layout, combinations: distinct.columns, buckets, matches, sides, posterior: SlicedPosterior::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.buckets.len()
    }

    /// Who stands in a bucket.
    pub(super) fn shares(&self, bucket: usize) -> &[ValueShare] {
        &self.buckets[bucket].shares
    }

    /// How many combinations match a bucket.
    pub(super) fn matching(&self, bucket: usize) -> usize {
        self.buckets[bucket].matching.len()
    }

    /// All buckets.
    pub(super) fn into_buckets(self) -> Vec<Vec<ValueShare>> {
        self.buckets.into_iter().map(|bucket| bucket.shares).collect()
    }

    /// Cuts a bucket in two if the whole sliced table keeps every ℓ then: p(t, s) ≤ 1/ℓ for everybody over all
    /// matching buckets. The left side keeps the bucket's number, the right one gets the next.
    pub(super) fn cut(&mut self, bucket: usize, left: Vec<ValueShare>, right: Vec<ValueShare>) -> bool {
        let mut sides = std::mem::take(&mut self.sides);
        sides[0].fill(self.layout, &left);
        sides[1].fill(self.layout, &right);
        let matching = std::mem::take(&mut self.buckets[bucket].matching);
        let mut posterior = std::mem::take(&mut self.posterior);
        let holds = matching.iter().all(|&c| self.still_holds(bucket, &sides, c as usize, &mut posterior));
        self.posterior = posterior;
        if holds {
            self.commit(bucket, &matching, &sides, (left, right));
        } else {
            self.buckets[bucket].matching = matching;
        }
        sides.iter_mut().for_each(|side| side.clear(self.layout));
        self.sides = sides;
        holds
    }

    fn commit(
        &mut self,
        bucket: usize,
        matching: &[u32],
        sides: &[Side; 2],
        (left, right): (Vec<ValueShare>, Vec<ValueShare>),
    ) {
        let next = self.buckets.len() as u32;
        let matched = |side: &Side| -> Vec<u32> {
            matching.iter().copied().filter(|&c| side.matches(&self.combinations, c as usize)).collect()
        };
        let [on_left, on_right] = [matched(&sides[0]), matched(&sides[1])];
        matching.iter().for_each(|&combination| self.matches[combination as usize].remove(bucket as u32));
        on_left.iter().for_each(|&combination| self.matches[combination as usize].insert(bucket as u32));
        on_right.iter().for_each(|&combination| self.matches[combination as usize].insert(next));
        let new = |shares, side: &Side, matching| Bucket {
            shares,
            people: side.people,
            matching,
            failing: side.failing.clone(),
        };
        self.buckets[bucket] = new(left, &sides[0], on_left);
        self.buckets.push(new(right, &sides[1], on_right));
    }

    /// Whether a combination that matches the bucket still has p(t, s) ≤ 1/ℓ with the bucket's two sides in its place.
    fn still_holds(
        &self,
        bucket: usize,
        sides: &[Side; 2],
        combination: usize,
        posterior: &mut SlicedPosterior,
    ) -> bool {
        let matched = [0, 1].map(|side: usize| sides[side].matches(&self.combinations, combination));
        (0..self.layout.secrets.len()).all(|number| {
            let secret = &self.layout.secrets[number];
            let Some(l) = secret.l else { return true };
            let known = secret.column.map_or(0, |column| self.combinations[column][combination]);
            let key = (number as u32, known);
            let others = || self.matches[combination].iter().filter(|&other| other as usize != bucket);
            // A mean of distributions that all keep the bound keeps it.
            let fails = |failing: &[(u32, u32)]| failing.binary_search(&key).is_ok();
            let doubtful = (0..2).any(|side| matched[side] && fails(&sides[side].failing))
                || others().any(|other| fails(&self.buckets[other as usize].failing));
            if !doubtful {
                return true;
            }
            posterior.clear();
            for (side, _) in sides.iter().zip(matched).filter(|(_, matched)| *matched) {
                let counts = (0..self.layout.known.len()).filter(|&column| Some(column) != secret.column);
                let counts = counts.map(|column| side.counts[column][self.combinations[column][combination] as usize]);
                posterior.add(side.people, counts, side.values(number, secret, known));
            }
            for other in others() {
                let other = &self.buckets[other as usize];
                let (counts, values) = self.look(other, combination, number);
                posterior.add(other.people, counts, values);
            }
            posterior.reaches(l)
        })
    }

    /// What a combination finds in a bucket: the count of each column but the sensitive one, and the candidates.
    fn look(&self, bucket: &Bucket, combination: usize, number: usize) -> (Vec<u64>, Vec<(u32, u64)>) {
        let secret = &self.layout.secrets[number];
        let mut values = Vec::new();
        let mut counts = vec![0; self.layout.known.len()];
        for &(cell, people) in &bucket.shares {
            for (column, (codes, _)) in self.layout.known.iter().enumerate() {
                if codes[cell as usize] == self.combinations[column][combination] {
                    counts[column] += people;
                }
            }
            let is_candidate = secret
                .column
                .is_none_or(|c| self.layout.known[c].0[cell as usize] == self.combinations[c][combination]);
            if is_candidate {
                values.push((secret.value_of_pair[secret.pair[cell as usize] as usize], people));
            }
        }
        if let Some(column) = secret.column {
            counts.remove(column);
        }
        (counts, values)
    }

    /// The buckets that every combination matches, for tests.
    #[cfg(test)]
    pub(super) fn all_matches(&self) -> Vec<(Vec<u32>, Vec<u32>)> {
        let one = |combination: usize| {
            let codes = self.combinations.iter().map(|column| column[combination]).collect();
            let mut buckets: Vec<u32> = self.matches[combination].iter().collect();
            buckets.sort_unstable();
            (codes, buckets)
        };
        (0..self.matches.len()).map(one).collect()
    }
}

/// One side of a cut: how often it holds each column value and each pair of known and sensitive value.
#[derive(Default)]
struct Side {
    people: u64,
    counts: Vec<Vec<u64>>,
    having: Vec<Vec<u64>>,
    failing: Vec<(u32, u32)>,
    cells: Vec<u32>,
}

impl Side {
    fn new(layout: &Layout<'_>) -> Self {
        let counts = layout.known.iter().map(|(_, size)| vec![0; *size]).collect();
        let having = layout.secrets.iter().map(|secret| vec![0; secret.value_of_pair.len()]).collect();
        Self { counts, having, ..Self::default() }
    }

    fn fill(&mut self, layout: &Layout<'_>, shares: &[ValueShare]) {
        for &(cell, people) in shares {
            self.people += people;
            self.cells.push(cell);
            for (counts, (codes, _)) in self.counts.iter_mut().zip(&layout.known) {
                counts[codes[cell as usize] as usize] += people;
            }
            for (having, secret) in self.having.iter_mut().zip(&layout.secrets) {
                having[secret.pair[cell as usize] as usize] += people;
            }
        }
        for (number, secret) in (0..).zip(&layout.secrets) {
            let Some(l) = secret.l else { continue };
            for &cell in &self.cells {
                let known = secret.known_of(layout, cell);
                let candidates = secret.column.map_or(self.people, |column| self.counts[column][known as usize]);
                if !reaches(candidates, self.having[number as usize][secret.pair[cell as usize] as usize], l) {
                    self.failing.push((number, known));
                }
            }
        }
        self.failing.sort_unstable();
        self.failing.dedup();
    }

    fn clear(&mut self, layout: &Layout<'_>) {
        for cell in self.cells.drain(..) {
            for (counts, (codes, _)) in self.counts.iter_mut().zip(&layout.known) {
                counts[codes[cell as usize] as usize] = 0;
            }
            for (having, secret) in self.having.iter_mut().zip(&layout.secrets) {
                having[secret.pair[cell as usize] as usize] = 0;
            }
        }
        self.failing.clear();
        self.people = 0;
    }

    fn matches(&self, combinations: &[Vec<u32>], combination: usize) -> bool {
        self.counts.iter().zip(combinations).all(|(counts, codes)| counts[codes[combination] as usize] > 0)
    }

    /// The candidates of a known value.
    fn values(&self, number: usize, secret: &SecretLayout, known: u32) -> impl Iterator<Item = (u32, u64)> {
        let pairs = secret.pairs_of(known);
        let found = pairs.map(move |pair| (secret.value_of_pair[pair], self.having[number][pair]));
        found.filter(|&(_, people)| people > 0)
    }
}
