//! How analysts ask an uncertain release.

use rayon::prelude::*;

use super::Uncertain;
use super::math::density::Dimension;
use super::math::mass::Marginal;
use super::shares::{Looks, Shares, mass};
use crate::condition::{QueryBox, ValueSet};
use crate::data::value::{Type, Value};
use crate::error::{Code, Error, Result};
use crate::release::grouped_rows::numbers_of;
use crate::release::histograms::{Parts, Populations, Profiles};
use crate::release::tally::{AggregateEvidence, Member, ValueDistribution};
use crate::release::{Analyst, Askable, Estimate};

impl Analyst for Uncertain {
    fn attributes(&self) -> Vec<Askable> {
        let mut known: Vec<Askable> = Vec::new();
        for dimension in &self.density.dimensions {
            if !known.iter().any(|askable| askable.name == dimension.attribute) {
                let kind = if dimension.value.is_some() { Type::Text } else { dimension.kind };
                known.push(Askable { name: dimension.attribute.clone(), kind });
            }
        }
        let exact = self.kept.iter().chain(&self.sensitive);
        known.extend(exact.map(|column| Askable { name: column.name.clone(), kind: column.domain.kind() }));
        known
    }

    fn values_of(&self, attribute: usize) -> Result<Vec<Value>> {
        let name = &self.attributes()[attribute].name;
        if let Some(column) = self.kept.iter().chain(&self.sensitive).find(|column| column.name == *name) {
            return Ok(column.domain.values().to_vec());
        }
        let of_value = |d: &Dimension| d.value.as_ref().map(|v| Value::Text(v.as_str().into()));
        let values: Vec<Value> =
            self.density.dimensions.iter().filter(|d| d.attribute == *name).filter_map(of_value).collect();
        if values.is_empty() {
            return Err(Error::input(format!("{name:?} is blurred: there are no values to group by"))
                .coded(Code::QueryUnsupported)
                .help("ask for ranges of it in WHERE"));
        }
        Ok(values)
    }

    /// A density that is not turned is a product: each condition is weighed once for every record.
    fn histograms(&self, populations: &Populations, attribute: usize) -> Result<Vec<Vec<f64>>> {
        let name = &self.attributes()[attribute].name;
        let Some(secret) = self.sensitive.iter().find(|column| column.name == *name) else {
            return Err(Error::bug(format!("{name:?} is not sensitive")));
        };
        if self.shapes.iter().any(|(frame, _)| frame.axes.is_some()) {
            return populations.one_by_one(attribute, secret.domain.values(), |condition| self.count(condition));
        }
        let records: Vec<u32> = (0..self.len() as u32).collect();
        let parts = Parts {
            columns: vec![records; self.attributes().len()],
            people: vec![1.0; self.len()],
            profile: secret.codes.clone(),
            profiles: Profiles::of_values(secret.domain.len()),
        };
        let weigh = |index: usize, set: &ValueSet| {
            let shares = Shares::new(self, &QueryBox { sides: vec![(index, set.clone())] });
            (0..self.len()).map(|record| shares.of(record).part).collect()
        };
        parts.histograms(populations, secret.domain.len(), weigh)
    }

    /// The sum over records of the part of their density in the condition, given what range values have (equation 21).
    fn count(&self, condition: &[QueryBox]) -> Result<Estimate> {
        let shares: Vec<Shares<'_>> = condition.iter().map(|one| Shares::new(self, one)).collect();
        let rows: Vec<usize> = (0..self.len()).collect();
        let sums: Vec<(f64, u64, u64)> = rows
            .par_chunks(4096)
            .map(|records| {
                let (mut sum, mut least, mut most) = (0.0, 0, 0);
                for &record in records {
                    let (mut share, mut surely, mut maybe) = (0.0, false, false);
                    for one in &shares {
                        let found = one.of(record);
                        share += found.part;
                        surely |= found.surely;
                        maybe |= found.maybe;
                    }
                    sum += share;
                    least += u64::from(surely);
                    most += u64::from(maybe);
                }
                (sum, least, most)
            })
            .collect();
        let total = sums.iter().fold((0.0, 0, 0), |all, one| (all.0 + one.0, all.1 + one.1, all.2 + one.2));
        Ok(Estimate::within(total.0, total.1 as f64, total.2 as f64))
    }

    /// Records do not depend on each other. A blurred value is expected where its density lies inside the condition, and may
    /// be anything that the range of all values, and for uniform densities the record's own, allows.
    fn tally(&self, attribute: usize, condition: &[QueryBox]) -> Result<AggregateEvidence> {
        let mut tally = AggregateEvidence::default();
        let name = &self.attributes()[attribute].name;
        let shares: Vec<Shares<'_>> = condition.iter().map(|one| Shares::new(self, one)).collect();
        let exact = self.kept.iter().chain(&self.sensitive).find(|column| column.name == *name);
        let numbers = exact.map(numbers_of).unwrap_or_default();
        let laws: Vec<Option<u32>> =
            numbers.iter().map(|x| tally.expected.law(x.map(ValueDistribution::point))).collect();
        let coordinate = self.density.dimensions.iter().position(|dimension| dimension.attribute == *name);
        for record in 0..self.len() {
            let mut member = Member { low: f64::INFINITY, high: f64::NEG_INFINITY, people: 0, sure: false };
            for one in &shares {
                let found = one.of(record);
                let known = match (exact, coordinate) {
                    _ if !found.maybe => None,
                    (Some(column), _) => {
                        let code = column.codes[record] as usize;
                        numbers[code].map(|x| (x, x, laws[code]))
                    }
                    (None, Some(d)) => {
                        one.numbers(record, d).map(|(low, high, law)| (low, high, tally.expected.law(law)))
                    }
                    (None, None) => None,
                };
                let Some((low, high, law)) = known else { continue };
                tally.expected.expect(1.0, found.part, law);
                if low <= high {
                    (member.low, member.high) = (member.low.min(low), member.high.max(high));
                    (member.people, member.sure) = (1, member.sure | found.surely);
                }
            }
            tally.crowd.add(member);
        }
        tally.crowd.close_independent();
        Ok(tally)
    }
}

impl Uncertain {
    pub(super) fn is_whole(&self, dimension: usize) -> bool {
        self.density.dimensions[dimension].kind.is_stepped()
    }

    /// The part of a record's density along a coordinate that lies in the range of all values.
    pub(super) fn in_range(&self, dimension: usize, record: usize) -> f64 {
        let of_dimension = |d: usize| -> Vec<f64> {
            let range = self.range(d);
            let of_record = |record: usize| {
                let scale = self.shapes[self.shape_of[record] as usize].1.scales[d];
                let line = Marginal { family: self.density.family, center: self.centers[d][record], scale };
                mass(&line, range.0, range.1)
            };
            (0..self.len()).map(of_record).collect()
        };
        let all = self.in_range.get_or_init(|| (0..self.density.dimensions.len()).map(of_dimension).collect());
        all[dimension][record]
    }

    pub(super) fn looks(&self) -> &[Looks] {
        self.looks.get_or_init(|| Looks::all(self))
    }

    /// The range of all values along a coordinate; a whole number stands for everything that is rounded to it.
    pub(super) fn range(&self, dimension: usize) -> (f64, f64) {
        let half = if self.is_whole(dimension) { 0.5 } else { 0.0 };
        let Dimension { low, high, .. } = &self.density.dimensions[dimension];
        (low.map_or(f64::NEG_INFINITY, |low| low - half), high.map_or(f64::INFINITY, |high| high + half))
    }
}
