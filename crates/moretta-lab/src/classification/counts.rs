//! How many people of a part of the table fall into each bin of each predictor and each class, as a release estimates it.

use moretta::Result;
use moretta::internals::asking::{Analyst, Populations, ValueSet};
use moretta::internals::data::lookup::HashMap;
use moretta::internals::progress::CancelToken;

use super::features::Lesson;

/// A release that is asked for counts.
pub(super) struct Counts<'a> {
    pub(super) release: &'a dyn Analyst,
    pub(super) lesson: &'a Lesson,
    pub(super) token: &'a CancelToken,
}

/// A part of the table: for each predictor, which bins belong to it; nothing where all do.
pub(super) type Part = Vec<Option<Vec<bool>>>;

/// For each predictor and each of its bins, the people in each class.
pub(super) type Tables = Vec<Vec<Vec<f64>>>;

/// Conditions, each stated once.
#[derive(Default)]
struct Asking {
    populations: Populations,
    known: HashMap<(usize, Vec<bool>), u32>,
}

impl Asking {
    fn condition(&mut self, index: usize, sets: &[ValueSet], chosen: &[bool]) -> u32 {
        let next = self.populations.conditions.len() as u32;
        let key = (index, chosen.to_vec());
        *self.known.entry(key).or_insert_with(|| {
            let sets = sets.iter().zip(chosen).filter(|(_, chosen)| **chosen);
            let set = sets.fold(ValueSet::nothing(), |all, (set, _)| all.union(set));
            self.populations.conditions.push((index, set));
            next
        })
    }

    /// Adds a population; returns its number.
    fn ask(&mut self, mut members: Vec<u32>) -> usize {
        members.sort_unstable();
        self.populations.members.push(members);
        self.populations.members.len() - 1
    }
}

fn only(bin: usize, of: usize) -> Vec<bool> {
    (0..of).map(|index| index == bin).collect()
}

impl Counts<'_> {
    /// The tables of several parts.
    pub(super) fn of_parts(&self, parts: &[Part]) -> Result<Vec<Tables>> {
        let mut asking = Asking::default();
        asking.populations.token = self.token.clone();
        // Which population answers for a part, a predictor, a bin and, where the target is a quasi-identifier, a class.
        let asked: Vec<Vec<Vec<Vec<usize>>>> = parts.iter().map(|part| self.ask(part, &mut asking)).collect();
        let answers = self.release.histograms(&asking.populations, self.lesson.sensitive)?;
        let read = |(part, features): (&Part, &Vec<Vec<Vec<usize>>>)| {
            let of_feature = |(feature, bins): (usize, &Vec<Vec<usize>>)| {
                bins.iter().enumerate().map(|(bin, numbers)| self.read(part, feature, bin, numbers, &answers)).collect()
            };
            features.iter().enumerate().map(of_feature).collect()
        };
        Ok(parts.iter().zip(&asked).map(read).collect())
    }

    fn is_sensitive(&self, feature: usize) -> bool {
        self.lesson.features[feature].index == self.lesson.sensitive
    }

    fn ask(&self, part: &Part, asking: &mut Asking) -> Vec<Vec<Vec<usize>>> {
        let features = &self.lesson.features;
        let conditions = |asking: &mut Asking, but: usize| -> Vec<u32> {
            let restricted = |&at: &usize| at != but && !self.is_sensitive(at);
            let indices = (0..features.len()).filter(restricted);
            let one = |at: usize| {
                part[at].as_ref().map(|chosen| asking.condition(features[at].index, &features[at].bins, chosen))
            };
            indices.filter_map(one).collect()
        };
        let classes = &self.lesson.classes;
        let of_feature = |at: usize| {
            let base = conditions(asking, at);
            let feature = &features[at];
            let mut of_bin = |bin: usize| {
                let mut members = base.clone();
                if !self.is_sensitive(at) {
                    if part[at].as_ref().is_some_and(|chosen| !chosen[bin]) {
                        return Vec::new();
                    }
                    members.push(asking.condition(feature.index, &feature.bins, &only(bin, feature.bins.len())));
                } else if bin > 0 {
                    // The histograms of the first bin tell about all.
                    return Vec::new();
                }
                match self.lesson.quasi_target {
                    None => vec![asking.ask(members)],
                    Some(index) => (0..classes.len())
                        .map(|class| {
                            let class = asking.condition(index, classes, &only(class, classes.len()));
                            asking.ask(members.iter().copied().chain([class]).collect())
                        })
                        .collect(),
                }
            };
            let mut bins: Vec<Vec<usize>> = (0..feature.bins.len()).map(&mut of_bin).collect();
            if self.is_sensitive(at) && !bins.is_empty() {
                bins = vec![bins[0].clone(); feature.bins.len()];
            }
            bins
        };
        (0..features.len()).map(of_feature).collect()
    }

    /// The people of a bin in each class.
    fn read(&self, part: &Part, feature: usize, bin: usize, asked: &[usize], answers: &[Vec<f64>]) -> Vec<f64> {
        let lesson = self.lesson;
        let of_value = |number: usize, value: usize| lesson.released[value].map_or(0.0, |at| answers[number][at]);
        if asked.is_empty() {
            return vec![0.0; lesson.classes.len()];
        }
        if lesson.quasi_target.is_none() {
            return (0..lesson.classes.len()).map(|class| of_value(asked[0], class)).collect();
        }
        // The sensitive attribute is the last predictor.
        let allowed = |value: usize| part[lesson.features.len() - 1].as_ref().is_none_or(|chosen| chosen[value]);
        let of_class = |&number: &usize| match self.is_sensitive(feature) {
            true if allowed(bin) => of_value(number, bin),
            true => 0.0,
            false => {
                (0..lesson.released.len()).filter(|&value| allowed(value)).map(|value| of_value(number, value)).sum()
            }
        };
        asked.iter().map(of_class).collect()
    }
}
