//! What can be learned from a release: a decision tree and naive Bayes, tested on people it was not made of.
//!
//! Li (2010), section 4.5, learns from anonymized tables after linking the columns of bucketized and sliced ones at
//! random, five times, and by the ends of generalized intervals. Both learners need nothing but counts, and how often a
//! combination of values stands together in a random linking is, on average over all linkings, what the release itself
//! estimates. So we ask the release: the mean over all linkings instead of five, generalized values by the shares of what
//! they stand for, and one way for every kind of release.
//!
//! And we hold people out before publishing: each fold publishes the others under the same policy, and is then
//! predicted from its own, original values.

mod bayes;
mod counts;
mod features;
#[cfg(test)]
mod tests;
mod tree;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::bayes::Bayes;
use self::counts::Counts;
use self::features::Lesson;
use self::tree::Tree;
use crate::chance::{Seed, permutation};
use crate::data::table::Table;
use crate::error::Result;
use crate::policy::Policy;
use crate::prepare::{Held, Prepared};
use crate::progress::Progress;
use crate::publish::publish;
use crate::query::Truth;
use crate::release::Analyst;

/// What is to be learned.
#[derive(Clone, Debug)]
pub struct Task {
    /// The attribute that is predicted from the others: a sensitive one or a quasi-identifier; the first sensitive one if
    /// not stated.
    pub target: Option<String>,
    /// Into how many parts people are split; each is held out once.
    pub folds: usize,
}

/// The share of held-out people who are predicted right.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// By a decision tree.
    pub tree: f64,
    /// By naive Bayes.
    pub bayes: f64,
    /// By always naming the most frequent value of the release.
    pub majority: f64,
}

/// A part of the people that is held out, and the others made ready to be published.
#[derive(Debug)]
pub struct Fold {
    /// Whether each row is learned from.
    learned: Vec<bool>,
    /// The rows that are.
    part: Prepared,
}

impl Task {
    /// The folds of a table: what they are published from is counted once, whatever is published.
    pub fn folds(&self, policy: &Policy, prepared: &Prepared, seed: Seed) -> Result<Vec<Fold>> {
        let rows = prepared.table.rows();
        let order = permutation(rows, &mut seed.stream("folds", 0));
        let fold = |fold: usize| {
            let mut learned = vec![true; rows];
            order.iter().skip(fold).step_by(self.folds).for_each(|&row| learned[row as usize] = false);
            let part = prepared.part(policy, &|row| learned[row])?.without_codes();
            Ok(Fold { learned, part })
        };
        (0..self.folds).map(fold).collect()
    }

    /// Learns from the release that a policy makes of all folds but one, and predicts that one; each in turn.
    pub fn learn_from_releases(&self, policy: &Policy, table: &Table, folds: &[Fold], seed: Seed) -> Result<Accuracy> {
        self.each_fold(folds, |fold| {
            let (_, release) = publish(policy, Held::Shared(&fold.part), seed, &Progress::default())?;
            Lesson::new(table, self.target.as_deref(), &*release)?.test(&*release, table, &fold.learned)
        })
    }

    /// The same from the original of all folds but one: the most that can be learned by these means.
    pub fn learn_from_original(&self, table: &Table, folds: &[Fold]) -> Result<Accuracy> {
        self.each_fold(folds, |fold| {
            let original = fold.part.original();
            let truth = Truth(&original);
            Lesson::new(table, self.target.as_deref(), &truth)?.test(&truth, table, &fold.learned)
        })
    }

    fn each_fold(&self, folds: &[Fold], test: impl Fn(&Fold) -> Result<Right>) -> Result<Accuracy> {
        let mut right = Right::default();
        for fold in folds {
            right.add(&test(fold)?);
        }
        let people = right.people.max(1) as f64;
        Ok(Accuracy {
            tree: right.tree as f64 / people,
            bayes: right.bayes as f64 / people,
            majority: right.majority as f64 / people,
        })
    }
}

/// How many held-out people there are, and how many are predicted right.
#[derive(Clone, Copy, Debug, Default)]
struct Right {
    people: u64,
    tree: u64,
    bayes: u64,
    majority: u64,
}

impl Right {
    fn add(&mut self, other: &Self) {
        self.people += other.people;
        self.tree += other.tree;
        self.bayes += other.bayes;
        self.majority += other.majority;
    }
}

impl Lesson {
    /// Learns from a release, and predicts the rows of a table from which it was not learned.
    fn test(&self, release: &dyn Analyst, table: &Table, learned: &[bool]) -> Result<Right> {
        let counts = Counts { release, lesson: self };
        let (bayes, tree) = (Bayes::learn(&counts)?, Tree::learn(&counts)?);
        let rows: Vec<usize> = (0..learned.len()).filter(|&row| !learned[row]).collect();
        let count = |rows: &[usize]| {
            let mut right = Right::default();
            let mut bins = vec![0; self.features.len()];
            for &row in rows {
                self.bins_of(table, row, &mut bins);
                let (class, people) = (self.class_of(table, row), table.weights.as_ref().map_or(1, |w| w[row]));
                let score = |predicted: usize| if predicted == class { people } else { 0 };
                right.people += people;
                right.tree += score(tree.predict(&bins));
                right.bayes += score(bayes.predict(&bins));
                right.majority += score(bayes.majority());
            }
            right
        };
        let parts: Vec<Right> = rows.par_chunks(4096).map(count).collect();
        Ok(parts.iter().fold(Right::default(), |mut all, part| {
            all.add(part);
            all
        }))
    }
}

/// The first place of the largest number.
fn largest(numbers: &[f64]) -> usize {
    (0..numbers.len()).fold(0, |best, place| if numbers[place] > numbers[best] { place } else { best })
}
