//! The two ends of every frontier. Li (2010), section 5.2.3.

use super::evaluator::{LossEvaluator, Losses, normalized};
use super::privacy_loss::PrivacyLoss;
use super::utility_loss::UtilityLoss;
use crate::error::Result;
use crate::progress::Progress;
use crate::query::Truth;

impl LossEvaluator {
    /// All quasi-identifiers removed: nothing is told about anybody, and everything is estimated by the whole.
    pub fn removed(&self) -> Result<Losses> {
        let distances = self.truth.iter().map(|truth| self.distance.between(&self.overall, truth));
        let original = self.original();
        let nothing = Overall { shares: &self.overall, people: self.prepared.whole.people };
        Ok(Losses {
            privacy: PrivacyLoss::default(),
            known_group: Some(PrivacyLoss::default()),
            utility: UtilityLoss::of(&distances.collect::<Vec<f64>>()),
            query_error: self.queries.mean_error_of(|populations| Ok(nothing.histograms(populations, &original)))?,
        })
    }

    /// The original itself: every answer is right, and whoever knows a person's quasi-identifiers learns what those with
    /// the same ones have.
    pub fn published(&self, progress: &Progress) -> Result<Losses> {
        let quasi = self.prepared.table.quasi.len();
        let mut losses = Vec::new();
        let mut start = 0;
        let key = |cell: usize| self.cells.columns[..quasi].iter().map(move |column| column[cell]);
        while start < self.cells.len() {
            progress.check()?;
            let end = (start..self.cells.len()).find(|&cell| key(cell).ne(key(start))).unwrap_or(self.cells.len());
            let mut people = vec![0.0; self.overall.len()];
            (start..end)
                .for_each(|cell| people[self.cells.columns[quasi][cell] as usize] += self.cells.people[cell] as f64);
            let count: u64 = self.cells.people[start..end].iter().sum();
            let loss = normalized(people).map_or(0.0, |belief| self.distance.between(&belief, &self.overall));
            losses.push((loss, count));
            start = end;
        }
        let original = self.original();
        let truth = Truth(&original);
        // Who has the same quasi-identifiers is the group.
        let privacy = PrivacyLoss::of(losses);
        Ok(Losses {
            privacy,
            known_group: Some(privacy),
            utility: UtilityLoss::default(),
            query_error: self
                .queries
                .mean_error_of(|populations| crate::release::Analyst::histograms(&truth, populations, quasi))?,
        })
    }
}

/// A release that says only how many people there are, and how the sensitive attribute is distributed.
struct Overall<'a> {
    shares: &'a [f64],
    people: u64,
}

impl Overall<'_> {
    /// Every value of a quasi-identifier is taken to be as likely as any other.
    fn histograms(
        &self,
        populations: &crate::release::Populations,
        original: &crate::release::Original<'_>,
    ) -> Vec<Vec<f64>> {
        let share = |&condition: &u32| {
            let (index, set) = &populations.conditions[condition as usize];
            let values = original.quasi[*index].1.values();
            values.iter().filter(|value| set.contains(value)).count() as f64 / values.len().max(1) as f64
        };
        let of_population = |members: &Vec<u32>| {
            let people = self.people as f64 * members.iter().map(share).product::<f64>();
            self.shares.iter().map(|share| share * people).collect()
        };
        populations.members.iter().map(of_population).collect()
    }
}
