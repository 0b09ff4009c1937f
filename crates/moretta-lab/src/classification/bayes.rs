//! Naive Bayes, from counts.

use moretta::Result;

use super::counts::Counts;
use super::largest;

/// The logarithms of each class's share and, for each predictor and bin, of the bin's share in each class.
#[derive(Debug)]
pub(super) struct Bayes {
    classes: Vec<f64>,
    bins: Vec<Vec<Vec<f64>>>,
}

impl Bayes {
    /// Learns shares; a bin that nobody of a class is in counts as one person (Laplace).
    pub(super) fn learn(counts: &Counts<'_>) -> Result<Self> {
        let all = counts.of_parts(&[vec![None; counts.lesson.features.len()]])?;
        let tables = all.into_iter().next().unwrap_or_default();
        let classes = counts.lesson.classes.len();
        let people = |table: &Vec<Vec<f64>>, class: usize| table.iter().map(|bin| bin[class]).sum::<f64>();
        let of_table = |table: &Vec<Vec<f64>>| -> Vec<Vec<f64>> {
            let totals: Vec<f64> = (0..classes).map(|class| people(table, class) + table.len() as f64).collect();
            table
                .iter()
                .map(|bin| bin.iter().zip(&totals).map(|(x, total)| ((x + 1.0) / total).ln()).collect())
                .collect()
        };
        let first = tables.first();
        let prior = (0..classes).map(|class| first.map_or(0.0, |table| people(table, class)));
        let prior: Vec<f64> = prior.map(|people| (people + 1.0).ln()).collect();
        Ok(Self { classes: prior, bins: tables.iter().map(of_table).collect() })
    }

    /// The likeliest class.
    pub(super) fn predict(&self, bins: &[usize]) -> usize {
        let score = |class: usize| {
            self.classes[class] + self.bins.iter().zip(bins).map(|(table, &bin)| table[bin][class]).sum::<f64>()
        };
        largest(&(0..self.classes.len()).map(score).collect::<Vec<f64>>())
    }

    /// The most frequent class.
    pub(super) fn majority(&self) -> usize {
        largest(&self.classes)
    }
}
