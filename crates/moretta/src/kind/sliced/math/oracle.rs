//! Slicing straight from its definitions: slow, plain, in fractions.

use std::collections::BTreeMap;

/// A fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fraction(pub(crate) u128, pub(crate) u128);

impl Fraction {
    pub(crate) fn new(num: u128, den: u128) -> Self {
        let (mut a, mut b) = (num, den);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Self(num / a.max(1), den / a.max(1))
    }

    fn plus(self, other: Self) -> Self {
        Self::new(self.0 * other.1 + other.0 * self.1, self.1 * other.1)
    }

    fn times(self, other: Self) -> Self {
        Self::new(self.0 * other.0, self.1 * other.1)
    }

    pub(crate) fn over(self, other: Self) -> Self {
        Self::new(self.0 * other.1, self.1 * other.0)
    }

    pub(crate) fn at_most(self, other: Self) -> bool {
        self.0 * other.1 <= other.0 * self.1
    }

    pub(crate) fn to_f64(self) -> f64 {
        self.0 as f64 / self.1 as f64
    }
}

/// A person: what is known in each column (nothing in a column that holds no known attribute), the sensitive value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Person {
    pub(crate) known: Vec<Option<u32>>,
    pub(crate) secret: u32,
}

/// A sliced table of people: buckets of persons, whose links between columns nobody may look at.
pub(crate) struct SlicedOracle {
    pub(crate) buckets: Vec<Vec<Person>>,
    /// The column of the sensitive attribute.
    pub(crate) sensitive_column: usize,
}

impl SlicedOracle {
    /// f_i(t, B).
    fn share(&self, bucket: usize, column: usize, known: &[Option<u32>]) -> Fraction {
        let bucket = &self.buckets[bucket];
        let same = bucket.iter().filter(|person| person.known[column] == known[column]).count();
        Fraction::new(same as u128, bucket.len() as u128)
    }

    /// f(t, B).
    pub(crate) fn degree(&self, bucket: usize, known: &[Option<u32>]) -> Fraction {
        (0..known.len()).fold(Fraction(1, 1), |f, column| f.times(self.share(bucket, column, known)))
    }

    /// p(t, s) by value; empty if no bucket matches.
    pub(crate) fn posterior(&self, known: &[Option<u32>]) -> BTreeMap<u32, Fraction> {
        let total = (0..self.buckets.len()).fold(Fraction(0, 1), |f, b| f.plus(self.degree(b, known)));
        let mut p: BTreeMap<u32, Fraction> = BTreeMap::new();
        for (number, bucket) in self.buckets.iter().enumerate() {
            let degree = self.degree(number, known);
            if degree.0 == 0 {
                continue;
            }
            let column = self.sensitive_column;
            let candidates: Vec<u32> =
                bucket.iter().filter(|person| person.known[column] == known[column]).map(|p| p.secret).collect();
            for value in &candidates {
                let part = degree.over(total).times(Fraction::new(1, candidates.len() as u128));
                let sum = p.get(value).copied().unwrap_or(Fraction(0, 1)).plus(part);
                p.insert(*value, sum);
            }
        }
        p
    }

    /// Whether p(t, s) ≤ num/den for every person in the table.
    pub(crate) fn is_diverse(&self, bound: Fraction) -> bool {
        let everybody = self.buckets.iter().flatten();
        everybody.into_iter().all(|person| self.posterior(&person.known).values().all(|p| p.at_most(bound)))
    }
}
