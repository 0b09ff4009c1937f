//! How a sliced release answers: inside a column nothing is lost, between columns only numbers are known.

use std::sync::Arc;

use super::Sliced;
use crate::condition::{QueryBox, ValueSet};
use crate::data::value::Value;
use crate::error::{Error, Result};
use crate::release::histograms::Populations;
use crate::release::shown::{Numbers, Shown, Weight};
use crate::release::tally::{AggregateEvidence, Member};
use crate::release::{Analyst, Askable, ColumnMeaning, Estimate, ValueMeaning};

/// Rows with the share of each that is left.
type Rows = Arc<Vec<(u32, f64)>>;

/// What of a bucket lies in a box.
#[derive(Clone, Copy, Debug)]
struct InBucket {
    expected: f64,
    least: u64,
    most: u64,
}

impl InBucket {
    fn everybody(size: u64) -> Self {
        Self { expected: size as f64, least: size, most: size }
    }

    /// People who satisfy two columns' parts of a box overlap at least as much as their numbers force them to, and at most
    /// as much as the fewer of them.
    fn and(self, other: Self, size: u64) -> Self {
        Self {
            expected: self.expected * other.expected / size as f64,
            least: (self.least + other.least).saturating_sub(size),
            most: self.most.min(other.most),
        }
    }
}

/// What of each published value lies in the part of a box that one column sees.
struct Sides<'r>(Vec<(&'r [u32], Vec<Weight>)>);

impl Sides<'_> {
    fn of_row(&self, row: usize) -> Weight {
        let mut found = Weight { share: 1.0, inside: true, meets: true };
        for (codes, weights) in &self.0 {
            let weight = weights[codes[row] as usize];
            found.share *= weight.share;
            found.inside &= weight.inside;
            found.meets &= weight.meets;
        }
        found
    }
}

impl Sliced {
    /// A published attribute: quasi-identifiers, then sensitive attributes, then insensitive ones.
    fn shown(&self, attribute: usize) -> Shown<'_> {
        let Some(other) = attribute.checked_sub(self.table.quasi.len()) else {
            let ColumnMeaning { values, kind, .. } = &self.meanings[attribute];
            let regions = (*values != ValueMeaning::Exact).then(|| self.regions()[attribute].as_slice());
            return Shown { column: &self.table.quasi[attribute], kind: *kind, regions };
        };
        match other.checked_sub(self.table.sensitive.len()) {
            None => Shown::exact(&self.table.sensitive[other]),
            Some(insensitive) => Shown::exact(&self.insensitive[insensitive]),
        }
    }

    /// The attributes of each column; insensitive ones stand in one of their own.
    fn all_columns(&self) -> Vec<Vec<usize>> {
        let known = self.table.quasi.len() + self.table.sensitive.len();
        let insensitive: Vec<usize> = (known..known + self.insensitive.len()).collect();
        self.columns.iter().cloned().chain((!insensitive.is_empty()).then_some(insensitive)).collect()
    }

    fn sides(&self, one: &QueryBox, column: &[usize]) -> Sides<'_> {
        let side = |&index: &usize| {
            let shown = self.shown(index);
            Some((shown.column.codes.as_slice(), shown.weigh(one.side(index)?)))
        };
        Sides(column.iter().filter_map(side).collect())
    }

    /// What of each bucket lies in a box, as one column sees it; nothing if the box does not restrict the column.
    fn in_column(&self, one: &QueryBox, column: &[usize]) -> Option<Vec<InBucket>> {
        let sides = self.sides(one, column);
        if sides.0.is_empty() {
            return None;
        }
        let mut found = vec![InBucket { expected: 0.0, least: 0, most: 0 }; self.index.len()];
        for (row, &bucket) in self.bucket.codes.iter().enumerate() {
            let weight = sides.of_row(row);
            let bucket = &mut found[bucket as usize];
            bucket.expected += weight.share;
            bucket.least += u64::from(weight.inside);
            bucket.most += u64::from(weight.meets);
        }
        Some(found)
    }

    /// What of each bucket lies in a box, as some columns see it.
    fn in_columns<'c>(&self, one: &QueryBox, columns: impl Iterator<Item = &'c Vec<usize>>) -> Vec<InBucket> {
        let people = self.index.people();
        let mut found: Vec<InBucket> = people.iter().map(|&size| InBucket::everybody(size)).collect();
        for seen in columns.filter_map(|column| self.in_column(one, column)) {
            for ((found, seen), &size) in found.iter_mut().zip(seen).zip(people) {
                *found = found.and(seen, size);
            }
        }
        found
    }

    /// The rows of each bucket, one after the other, and where each bucket ends.
    fn rows_by_bucket(&self) -> Vec<(u32, u32)> {
        let mut rows: Vec<(u32, u32)> = self.bucket.codes.iter().copied().zip(0..).collect();
        rows.sort_unstable();
        rows
    }
}

impl Analyst for Sliced {
    fn attributes(&self) -> Vec<Askable> {
        let all = self.table.quasi.len() + self.table.sensitive.len() + self.insensitive.len();
        let askable = |attribute| {
            let shown = self.shown(attribute);
            Askable { name: shown.column.name.clone(), kind: shown.kind }
        };
        (0..all).map(askable).collect()
    }

    fn values_of(&self, attribute: usize) -> Result<Vec<Value>> {
        self.shown(attribute).values()
    }

    /// What is left of each column: a condition narrows the column that it speaks of.
    fn histograms(&self, populations: &Populations, attribute: usize) -> Result<Vec<Vec<f64>>> {
        let columns = self.all_columns();
        let column_of = |index: usize| {
            let found = columns.iter().position(|column| column.contains(&index));
            found.ok_or_else(|| Error::bug(format!("the attribute {index} stands in no column of the slices")))
        };
        let (secret, values) = (column_of(attribute)?, self.values_of(attribute)?.len());
        let restricted = populations.conditions.iter().map(|(index, _)| column_of(*index));
        let restricted = restricted.collect::<Result<Vec<usize>>>()?;
        let weigh = |(index, set): &(usize, ValueSet)| self.shown(*index).weigh(set).iter().map(|w| w.share).collect();
        let shares: Vec<Vec<f64>> = populations.conditions.iter().map(weigh).collect();
        let everybody: Rows = Arc::new((0..self.bucket.codes.len() as u32).map(|row| (row, 1.0)).collect());
        let narrow = |left: &Vec<Option<Rows>>, condition: usize| {
            let index = populations.conditions[condition].0;
            let (codes, shares, column) = (&self.shown(index).column.codes, &shares[condition], restricted[condition]);
            let rows = left[column].as_ref().unwrap_or(&everybody).iter();
            let kept = rows.map(|&(row, share)| (row, share * shares[codes[row as usize] as usize]));
            let kept: Vec<(u32, f64)> = kept.filter(|(_, share)| *share > 0.0).collect();
            let mut left = left.clone();
            left[column] = Some(Arc::new(kept));
            left
        };
        let sum = |left: &Vec<Option<Rows>>| {
            let people = self.index.people();
            let mut factor = vec![1.0; people.len()];
            for rows in left.iter().enumerate().filter_map(|(c, rows)| rows.as_ref().filter(|_| c != secret)) {
                let mut inside = vec![0.0; people.len()];
                rows.iter().for_each(|&(row, share)| inside[self.bucket.codes[row as usize] as usize] += share);
                let shares = inside.iter().zip(people).map(|(inside, &size)| inside / size as f64);
                factor.iter_mut().zip(shares).for_each(|(factor, share)| *factor *= share);
            }
            let mut histogram = vec![0.0; values];
            let codes = &self.shown(attribute).column.codes;
            for &(row, share) in left[secret].as_ref().unwrap_or(&everybody).iter() {
                histogram[codes[row as usize] as usize] += share * factor[self.bucket.codes[row as usize] as usize];
            }
            histogram
        };
        populations.walk(&vec![None; columns.len()], narrow, sum)
    }

    /// Inside a bucket columns are taken to be independent of each other; inside a column nothing is lost.
    fn count(&self, condition: &[QueryBox]) -> Result<Estimate> {
        let people = self.index.people();
        let columns = self.all_columns();
        let (mut estimate, mut lower) = (0.0, 0_u64);
        let mut most = vec![0_u64; people.len()];
        for one in condition {
            for (found, most) in self.in_columns(one, columns.iter()).into_iter().zip(&mut most) {
                estimate += found.expected;
                lower += found.least;
                *most += found.most;
            }
        }
        let upper: u64 = most.iter().zip(people).map(|(&most, &size)| most.min(size)).sum();
        let suppressed = if condition.is_empty() { 0 } else { self.suppressed };
        Ok(Estimate::within(estimate, lower as f64, (upper + suppressed) as f64))
    }

    /// The attribute's own column is known position by position; which of its positions other columns agree with is not.
    fn tally(&self, attribute: usize, condition: &[QueryBox]) -> Result<AggregateEvidence> {
        let mut tally = AggregateEvidence::default();
        let (shown, columns, rows) = (self.shown(attribute), self.all_columns(), self.rows_by_bucket());
        let (own, others): (Vec<_>, Vec<_>) = columns.iter().partition(|column| column.contains(&attribute));
        let own = own.first().map_or(&[][..], |own| own.as_slice());
        let everything = ValueSet::everything();
        for one in condition {
            let set = one.side(attribute).unwrap_or(&everything);
            let numbers: Vec<Option<Numbers>> = shown.numbers(set, &mut tally.expected);
            let sides = self.sides(one, own);
            let others = self.in_columns(one, others.iter().copied());
            for same in rows.chunk_by(|a, b| a.0 == b.0) {
                let (size, others) = (same.len() as u64, others[same[0].0 as usize]);
                let mut seen = InBucket { expected: 0.0, least: 0, most: 0 };
                for &(_, row) in same {
                    let weight = sides.of_row(row as usize);
                    let Some(numbers) = numbers[shown.column.codes[row as usize] as usize] else { continue };
                    if weight.meets {
                        let Numbers { low, high, law } = numbers;
                        tally.crowd.add(Member { low, high, people: 1, sure: weight.inside });
                        tally.expected.expect(1.0, weight.share * others.expected / size as f64, law);
                        seen.least += u64::from(weight.inside);
                        seen.most += 1;
                    }
                }
                let found = seen.and(others, size);
                tally.crowd.close(found.least, found.most);
            }
        }
        tally.add_suppressed(self.suppressed, attribute, condition);
        Ok(tally)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::published::publish;

    const POLICY: &str = r#"
        [attributes]
        age = { role = "quasi", type = "integer" }
        zip = { role = "quasi", type = "text" }
        disease = { role = "sensitive", type = "text" }
        job = { role = "insensitive", type = "text" }
        [[require]]
        model = "l-diverse-slicing"
        l = 1.2
        [method]
        name = "slicing"
        columns = 2
    "#;

    #[test]
    fn insensitive_attributes_are_asked_about_in_their_own_column() {
        let row = |i: usize| {
            let (zip, disease) = (["a", "b"][i % 2], ["flu", "gout", "asthma"][i % 3]);
            format!("{},{zip},{disease},{}\n", 20 + i % 4, ["cook", "clerk"][i / 5 % 2])
        };
        let csv = format!("age,zip,disease,job\n{}", (0..40).map(row).collect::<String>());
        let release = publish(&csv, POLICY, 7).unwrap().for_questions();
        let names: Vec<String> = release.attributes().into_iter().map(|askable| askable.name).collect();
        let index = |name: &str| names.iter().position(|known| known == name).unwrap();
        let cook = (index("job"), ValueSet::one(Value::Text("cook".into())));
        let young = (index("age"), ValueSet::one(Value::Integer(20)));
        let populations = Populations {
            conditions: vec![cook, young],
            members: vec![vec![], vec![0], vec![0, 1], vec![1]],
            ..Populations::default()
        };
        for attribute in [index("disease"), index("job")] {
            let values = release.values_of(attribute).unwrap();
            let together = release.histograms(&populations, attribute).unwrap();
            let alone = populations.one_by_one(attribute, &values, |condition| release.count(condition)).unwrap();
            let far = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-9;
            assert!(!together.iter().flatten().zip(alone.iter().flatten()).any(far), "{together:?} {alone:?}");
        }
    }
}
