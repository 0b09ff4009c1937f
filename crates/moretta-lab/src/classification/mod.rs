//! What can be learned from a release: a decision tree and naive Bayes, tested on people it was not made of.
//!
//! Li (2010), section 4.5, learns from anonymized tables after linking the columns of bucketized and sliced ones at
//! random, five times, and by the ends of generalized intervals. Both learners need nothing but counts, and how often a
//! combination of values stands together in a random linking is, on average over all linkings, what the release itself
//! estimates. So we ask the release: the mean over all linkings instead of five, generalized values by the shares of what
//! they stand for, and one way for every kind of release.
//!
//! Of an uncertain release the densities that fit best vote too, as Aggarwal (2008) classifies.
//!
//! [`Relinked`] learns as the dissertation does where columns stand apart: from records of random linkings.
//!
//! And we hold people out before publishing: each fold publishes the others under the same policy, and is then
//! predicted from its own, original values.

mod bayes;
mod counts;
mod densities;
mod features;
mod relinked;
#[cfg(test)]
mod tests;
mod tree;

use moretta::internals::asking::{Analyst, Original, Truth};
use moretta::internals::chance::Seed;
use moretta::internals::compare::{Accuracy, Learner, LearningTask, Lessons};
use moretta::internals::counting::{CodedTable, Held, Prepared, count_cells, permutation};
use moretta::internals::progress::Progress;
use moretta::internals::publish::publish;
use moretta::{Policy, Result};
use rayon::prelude::*;

use self::bayes::Bayes;
use self::counts::Counts;
use self::densities::Votes;
use self::features::Lesson;
use self::relinked::relink;
use self::tree::DecisionTree;

/// A decision tree and naive Bayes, as a learner for comparisons.
#[derive(Clone, Copy, Debug, Default)]
pub struct TreeAndBayes;

impl Learner for TreeAndBayes {
    fn prepare<'a>(
        &self,
        task: &'a LearningTask,
        policy: &Policy,
        prepared: &'a Prepared,
        seed: Seed,
        progress: &Progress,
    ) -> Result<Box<dyn Lessons + 'a>> {
        folds(task, policy, prepared, (seed, 0), progress)
    }
}

/// The same learners, from random linkings of the columns of bucketized and sliced releases; other releases are asked for what they
/// estimate.
#[derive(Clone, Copy, Debug)]
pub struct Relinked {
    /// How many linkings there are; what is told right is the mean.
    pub times: u64,
}

impl Learner for Relinked {
    fn prepare<'a>(
        &self,
        task: &'a LearningTask,
        policy: &Policy,
        prepared: &'a Prepared,
        seed: Seed,
        progress: &Progress,
    ) -> Result<Box<dyn Lessons + 'a>> {
        folds(task, policy, prepared, (seed, self.times), progress)
    }
}

fn folds<'a>(
    task: &'a LearningTask,
    policy: &Policy,
    prepared: &'a Prepared,
    (seed, linkings): (Seed, u64),
    progress: &Progress,
) -> Result<Box<dyn Lessons + 'a>> {
    let rows = prepared.table.rows();
    let order = permutation(rows, &mut seed.stream("folds", 0));
    let fold = |fold: usize| {
        let mut learned = vec![true; rows];
        order.iter().skip(fold).step_by(task.folds).for_each(|&row| learned[row as usize] = false);
        let part = prepared.part(policy, &|row| learned[row], progress)?.without_codes();
        Ok(Fold { learned, part })
    };
    let parts = (0..task.folds).map(fold).collect::<Result<_>>()?;
    Ok(Box::new(Folds { target: task.target.as_deref(), table: &prepared.table, parts, seed, linkings }))
}

/// A table whose people are held out in turn: what the others are published from is counted once.
struct Folds<'a> {
    target: Option<&'a str>,
    table: &'a CodedTable,
    parts: Vec<Fold>,
    seed: Seed,
    /// How many random linkings are learned from; none where releases are asked for what they estimate.
    linkings: u64,
}

/// Some people who are held out, and the others made ready to be published.
struct Fold {
    /// Whether each row is learned from.
    learned: Vec<bool>,
    /// The rows that are.
    part: Prepared,
}

impl Lessons for Folds<'_> {
    fn of_original(&self, progress: &Progress) -> Result<Accuracy> {
        self.each(progress, |fold, progress| {
            let original = fold.part.original();
            let truth = Truth(&original);
            Lesson::new(self.table, self.target, &truth)?.test(&truth, self.table, &fold.learned, progress)
        })
    }

    fn of_candidate(&self, policy: &Policy, progress: &Progress) -> Result<Accuracy> {
        self.each(progress, |fold, progress| {
            let (_, release) = publish(policy, Held::Shared(&fold.part), self.seed, progress)?;
            progress.start("learning", 0);
            let mut right = Right::default();
            for number in 0..self.linkings {
                let Some(linked) = relink(&*release, &mut self.seed.stream("random linkings", number)) else { break };
                let cells = count_cells(&linked);
                let records = Original::new(&linked, &cells);
                let records = Truth(&records);
                let lesson = Lesson::new(self.table, self.target, &records)?;
                right.add(&lesson.test(&records, self.table, &fold.learned, progress)?);
            }
            if right.people > 0 {
                return Ok(right);
            }
            let lesson = Lesson::new(self.table, self.target, &*release)?;
            let mut right = lesson.test(&*release, self.table, &fold.learned, progress)?;
            if let (Some(sensitive), Ok(records)) = (lesson.sensitive_target(), release.densities()) {
                right.densities = Some(Votes::of(records, self.table, sensitive)?.test(&fold.learned, progress)?);
            }
            Ok(right)
        })
    }
}

impl Folds<'_> {
    /// Tests what is learned from the rows outside each fold on the rows inside.
    fn each(&self, progress: &Progress, test: impl Fn(&Fold, &Progress) -> Result<Right>) -> Result<Accuracy> {
        progress.start("learning", self.parts.len() as u64);
        let mut right = Right::default();
        for (number, fold) in self.parts.iter().enumerate() {
            right.add(&test(fold, &progress.part("fold", number, self.parts.len()))?);
            progress.advance(1);
        }
        let people = right.people.max(1) as f64;
        Ok(Accuracy {
            tree: right.tree as f64 / people,
            bayes: right.bayes as f64 / people,
            majority: right.majority as f64 / people,
            densities: right.densities.map(|share| share.right as f64 / share.people.max(1) as f64),
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
    /// Of those who were asked of densities, where there are some.
    densities: Option<Share>,
}

/// So many people, and how many of them are predicted right.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    people: u64,
    right: u64,
}

impl Right {
    fn add(&mut self, other: &Self) {
        self.people += other.people;
        self.tree += other.tree;
        self.bayes += other.bayes;
        self.majority += other.majority;
        self.densities = match (self.densities, other.densities) {
            (Some(a), Some(b)) => Some(Share { people: a.people + b.people, right: a.right + b.right }),
            (one, other) => one.or(other),
        };
    }
}

impl Lesson {
    /// Learns from a release, and predicts the rows of a table from which it was not learned.
    fn test(&self, release: &dyn Analyst, table: &CodedTable, learned: &[bool], progress: &Progress) -> Result<Right> {
        let counts = Counts { release, lesson: self, token: progress.token() };
        let (bayes, tree) = (Bayes::learn(&counts)?, DecisionTree::learn(&counts)?);
        progress.check()?;
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

/// The first index of the largest number.
fn largest(numbers: &[f64]) -> usize {
    (0..numbers.len()).fold(0, |best, index| if numbers[index] > numbers[best] { index } else { best })
}
