//! What one person's matching buckets let believe about one sensitive attribute.

use std::ops::Range;

use crate::numeric::{BigUint, Ratio, Threshold, gcd, tolerance};

/// p(t, ·) for one person t and one sensitive attribute, built bucket by bucket (Li 2010, section 4.2.2).
///
/// p(t, s) = Σ_B p(t, B) · p(s | t, B), where p(t, B) is in proportion to f(t, B), the product over columns of the share of
/// positions in B that hold what t holds, and p(s | t, B) is the share of s among the positions of B whose
/// sensitive column holds what is known of t.
///
/// Numbers for people are floats. A promise is decided in whole numbers: buckets that are each diverse leave nothing
/// to sum, a sum of positive floats decides where it is far from the bound, and what is near it is summed in
/// integers of any size.
#[derive(Clone, Debug, Default)]
pub struct SlicedPosterior {
    seen: Vec<Seen>,
    /// The occurrences of what is known of the person, column after column, bucket after bucket.
    counts: Vec<u64>,
    /// Candidate sensitive values with their occurrences, bucket after bucket.
    values: Vec<(u32, u64)>,
    sums: Vec<f64>,
}

/// A matching bucket, as the person sees it.
#[derive(Clone, Debug)]
struct Seen {
    people: u64,
    counts: Range<usize>,
    /// The positions whose sensitive column holds what is known of the person.
    candidates: u64,
    values: Range<usize>,
    degree: Degree,
}

/// A product of shares, as `mantissa · 2^(-512 · steps)`: with many columns it is smaller than any float.
#[derive(Clone, Copy, Debug)]
struct Degree {
    mantissa: f64,
    steps: u32,
}

const STEP: f64 = 1.340_780_792_994_259_7e154; // 2^512

impl SlicedPosterior {
    /// Forgets all buckets.
    pub fn clear(&mut self) {
        self.seen.clear();
        self.counts.clear();
        self.values.clear();
    }

    /// Adds a matching bucket: its people, how often each column other than the sensitive one holds what
    /// is known of the person, and the candidates in the sensitive column by value.
    pub fn add(
        &mut self,
        people: u64,
        others: impl IntoIterator<Item = u64>,
        values: impl IntoIterator<Item = (u32, u64)>,
    ) {
        let (counts, first) = (self.counts.len(), self.values.len());
        self.counts.extend(others);
        self.values.extend(values);
        self.merge_values(first);
        let candidates = self.values[first..].iter().map(|&(_, count)| count).sum();
        let mut degree = Degree { mantissa: candidates as f64 / people as f64, steps: 0 };
        for &count in &self.counts[counts..] {
            degree.mantissa *= count as f64 / people as f64;
            if degree.mantissa < 1.0 / STEP {
                degree.mantissa *= STEP;
                degree.steps += 1;
            }
        }
        let (counts, values) = (counts..self.counts.len(), first..self.values.len());
        self.seen.push(Seen { people, counts, candidates, values, degree });
    }

    /// How many buckets match.
    pub fn buckets(&self) -> usize {
        self.seen.len()
    }

    /// p(t, B) for each matching bucket, in the order in which they were added.
    pub fn bucket_shares(&self) -> Vec<f64> {
        let weights: Vec<f64> = self.weights().collect();
        let all: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / all).collect()
    }

    /// p(t, s) for each of `values` sensitive values; nothing if no bucket matches.
    pub fn distribution(&self, values: usize) -> Option<Vec<f64>> {
        let mut shares = vec![0.0; values];
        let all = self.sum_into(&mut shares)?;
        shares.iter_mut().for_each(|share| *share /= all);
        Some(shares)
    }

    /// The likeliest value and its probability; nothing if no bucket matches.
    pub fn most_likely(&mut self) -> Option<(u32, f64)> {
        let mut sums = std::mem::take(&mut self.sums);
        sums.clear();
        sums.resize(self.codes(), 0.0);
        let all = self.sum_into(&mut sums);
        let best =
            (0..).zip(&sums).fold((0, 0.0), |best, (value, &sum)| if sum > best.1 { (value, sum) } else { best });
        self.sums = sums;
        all.map(|all| (best.0, best.1 / all))
    }

    /// Whether p(t, s) ≤ 1/ℓ for every s; exact.
    pub fn reaches(&mut self, l: Threshold) -> bool {
        // A mean of distributions that keep the bound keeps it.
        let lacking =
            |seen: &&Seen| !self.values[seen.values.clone()].iter().all(|&(_, n)| reaches(seen.candidates, n, l));
        match (self.seen.iter().find(lacking), self.seen.len()) {
            (None, _) => return true,
            (Some(_), 1) => return false,
            _ => {}
        }
        let mut sums = std::mem::take(&mut self.sums);
        sums.clear();
        sums.resize(self.codes(), 0.0);
        let all = self.sum_into(&mut sums).unwrap_or(0.0);
        let holds = (0..).zip(&sums).filter(|&(_, &sum)| sum > 0.0).all(|(value, &sum)| {
            let level = sum * l.to_f64() / all;
            level < 1.0 - tolerance::NEAR_BOUND
                || (level < 1.0 + tolerance::NEAR_BOUND && self.reaches_exactly(value, l))
        });
        self.sums = sums;
        holds
    }

    /// Makes one of values that came several times, as they do where a person matches several column values.
    fn merge_values(&mut self, first: usize) {
        if self.values[first..].windows(2).all(|pair| pair[0].0 < pair[1].0) {
            return;
        }
        let mut merged = self.values.split_off(first);
        merged.sort_unstable();
        for (value, count) in merged {
            match self.values[first..].last_mut() {
                Some(last) if last.0 == value => last.1 += count,
                _ => self.values.push((value, count)),
            }
        }
    }

    fn codes(&self) -> usize {
        self.values.iter().map(|&(value, _)| value as usize + 1).max().unwrap_or(0)
    }

    /// f(t, B) for each bucket, up to a factor that all share.
    fn weights(&self) -> impl Iterator<Item = f64> {
        let least = self.seen.iter().map(|seen| seen.degree.steps).min().unwrap_or(0);
        // Two steps below the largest is less than a float's last digit.
        self.seen.iter().map(move |seen| match seen.degree.steps - least {
            0 => seen.degree.mantissa,
            1 => seen.degree.mantissa / STEP,
            _ => 0.0,
        })
    }

    /// Adds f(t, B) · p(s | t, B) over buckets for each s, and f(t, B) over buckets.
    fn sum_into(&self, sums: &mut [f64]) -> Option<f64> {
        let mut all = 0.0;
        for (seen, weight) in self.seen.iter().zip(self.weights()) {
            all += weight;
            for &(value, count) in &self.values[seen.values.clone()] {
                sums[value as usize] += weight * (count as f64 / seen.candidates as f64);
            }
        }
        (all > 0.0).then_some(all)
    }

    /// Whether p(t, s) ≤ 1/ℓ, in integers: both sides multiplied by the power of the least common multiple of bucket
    /// sizes that clears all fractions.
    fn reaches_exactly(&self, value: u32, l: Threshold) -> bool {
        let multiple = least_common_multiple(self.seen.iter().map(|seen| seen.people));
        let (mut with_value, mut all) = (BigUint::ZERO, BigUint::ZERO);
        for seen in &self.seen {
            let counts = &self.counts[seen.counts.clone()];
            // As many powers as there are columns; the sensitive one is one of them.
            let mut weight = (&multiple / seen.people).pow(counts.len() as u32 + 1);
            counts.iter().for_each(|&count| weight *= count);
            let having: u64 =
                self.values[seen.values.clone()].iter().filter(|&&(v, _)| v == value).map(|&(_, n)| n).sum();
            with_value += &weight * having;
            all += weight * seen.candidates;
        }
        let (numerator, denominator) = l.parts();
        with_value * numerator <= all * denominator
    }
}

/// Whether a value that `having` of `candidates` have is no likelier than 1/ℓ.
pub fn reaches(candidates: u64, having: u64, l: Threshold) -> bool {
    having == 0 || Ratio { num: candidates.into(), den: having.into() }.at_least(l)
}

/// The smallest number that each of some numbers divides.
fn least_common_multiple(numbers: impl Iterator<Item = u64>) -> BigUint {
    numbers.fold(BigUint::from(1_u8), |multiple, number| {
        // What a division by 64 bits leaves has 64 bits; a divisor of 1 would be right too, only not the smallest.
        let common = u64::try_from(&multiple % number).map_or(1, |rest| gcd(rest, number));
        multiple * (number / common)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::sliced::math::oracle::Fraction;
    use proptest::prelude::*;

    /// A bucket: its people, and how many of them are alike in two columns, are candidates, have the value.
    fn buckets(most: u64) -> impl Strategy<Value = Vec<(u64, u64, u64, u64)>> {
        let bucket = (1..=most)
            .prop_flat_map(|people| (Just(people), 1..=people, 1..=people))
            .prop_flat_map(|(people, alike, candidates)| (Just(people), Just(alike), Just(candidates), 0..=candidates));
        proptest::collection::vec(bucket, 1..5)
    }

    fn posterior(buckets: &[(u64, u64, u64, u64)]) -> SlicedPosterior {
        let mut posterior = SlicedPosterior::default();
        for &(people, alike, candidates, having) in buckets {
            posterior.add(people, [alike], [(0, having), (1, candidates - having)]);
        }
        posterior
    }

    proptest! {
        #[test]
        fn whole_numbers_of_any_size_decide_as_128_bits_do(buckets in buckets(60), num in 1_u64..200, den in 1_u64..200) {
            // Σ alike · having / people² ≤ den/num · Σ alike · candidates / people², over the product of all people².
            let clear: u128 = buckets.iter().map(|b| u128::from(b.0 * b.0)).product();
            let sum = |of: fn(&(u64, u64, u64, u64)) -> u64| -> u128 {
                buckets.iter().map(|b| clear / u128::from(b.0 * b.0) * u128::from(b.1 * of(b))).sum()
            };
            let keeps = sum(|b| b.3) * u128::from(num) <= sum(|b| b.2) * u128::from(den);
            let l = Threshold::fraction(num, den).unwrap();
            prop_assert_eq!(posterior(&buckets).reaches_exactly(0, l), keeps);
        }

        #[test]
        fn a_bound_met_exactly_is_met_and_the_next_one_is_not(buckets in buckets(40)) {
            let sum = |of: fn(&(u64, u64, u64, u64)) -> u64| {
                let parts = buckets.iter().map(|b| Fraction::new((b.1 * of(b)).into(), (b.0 * b.0).into()));
                parts.fold(Fraction(0, 1), |a, b| Fraction::new(a.0 * b.1 + b.0 * a.1, a.1 * b.1))
            };
            prop_assume!(buckets.iter().any(|b| b.3 > 0));
            let l = sum(|b| b.2).over(sum(|b| b.3));
            let (num, den) = (u64::try_from(l.0).unwrap(), u64::try_from(l.1).unwrap());
            let posterior = posterior(&buckets);
            prop_assert!(posterior.reaches_exactly(0, Threshold::fraction(num, den).unwrap()));
            prop_assert!(!posterior.reaches_exactly(0, Threshold::fraction(num + 1, den).unwrap()));
        }

        /// Buckets whose sizes have nothing in common make numbers of thousands of bits; each holds the value in the
        /// same share, so the answer is known.
        #[test]
        fn large_numbers_decide_as_well(sizes in proptest::collection::vec(1_u64..1 << 31, 1..40), columns in 0_usize..6) {
            let mut posterior = SlicedPosterior::default();
            for &size in &sizes {
                posterior.add(3 * size, std::iter::repeat_n(size, columns), [(0, size), (1, 2 * size)]);
            }
            prop_assert!(posterior.reaches_exactly(0, Threshold::fraction(3, 1).unwrap()));
            prop_assert!(!posterior.reaches_exactly(0, Threshold::fraction(3 << 60, (1 << 60) - 1).unwrap()));
        }

        #[test]
        fn the_common_multiple_is_divided_by_all_and_by_no_more(numbers in proptest::collection::vec(1_u64..500, 1..8)) {
            let slow = numbers.iter().fold(1_u128, |all, &number| {
                (1..=u128::from(number)).map(|times| times * all).find(|multiple| multiple % u128::from(number) == 0).unwrap()
            });
            prop_assert_eq!(least_common_multiple(numbers.into_iter()), BigUint::from(slow));
        }
    }
}
