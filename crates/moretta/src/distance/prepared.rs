//! A distance made ready for one attribute: the one thing that models call.

use super::emd::{Below, Emd};
use super::kernel::{Kernel, Smoothed};
use super::{Ground, GroundedDistance, divergence};
use crate::error::Result;
use crate::numeric::{Ratio, Threshold, tolerance};

/// How far the sensitive values of a group may lie from those of the table, made ready for one attribute.
///
/// ```
/// use moretta::internals::distance::{Ground, GroundedDistance, PreparedDistance, Scratch};
/// use moretta::internals::numeric::Threshold;
/// // Nine salaries, 3 to 11 thousand; the three lowest are a group (Li 2010, table 2.2).
/// let (group, whole) = ([1, 1, 1, 0, 0, 0, 0, 0, 0], [1; 9]);
/// let ordered = PreparedDistance::new(GroundedDistance::Emd(Ground::Rank), 9)?;
/// assert_eq!(ordered.measure(&group, &whole), 0.375);
/// assert!(ordered.within(&group, &whole, Threshold::new(0.375)?, &mut Scratch::default()));
/// # Ok::<(), moretta::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PreparedDistance {
    codes: usize,
    /// The codes that anybody of the reference has, where some nobody has; the measure knows of these alone.
    present: Option<Vec<u32>>,
    name: &'static str,
    measure: Measure,
}

#[derive(Clone, Debug)]
enum Measure {
    Emd(Emd),
    Kl,
    Js,
    Kernel(Kernel),
}

/// Room to work in, so that a search that judges millions of groups allocates once.
///
/// Any scratch serves any distance and any model; one for each thread is enough.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Counts that a model sorts or sums by category.
    pub(crate) counts: Vec<u64>,
    below: Below,
    smoothed: Smoothed,
    /// A group and the table, in the codes that are present.
    narrowed: (Vec<u64>, Vec<u64>),
}

impl PreparedDistance {
    /// Makes a distance ready for an attribute with this many codes.
    ///
    /// Refused: values without a place on the number line for `order = "value"`, a rank that the tree lacks, a bandwidth
    /// that is not above 0.
    pub fn new(distance: GroundedDistance<'_>, codes: usize) -> Result<Self> {
        let measure = match distance {
            GroundedDistance::Emd(ground) => Measure::Emd(Emd::new(ground, codes)?),
            // The same number, and so the same fraction.
            GroundedDistance::Variational => Measure::Emd(Emd::new(Ground::Equal, codes)?),
            GroundedDistance::Kl => Measure::Kl,
            GroundedDistance::Js => Measure::Js,
            GroundedDistance::KernelJs { bandwidth, ground } => Measure::Kernel(Kernel::new(ground, codes, bandwidth)?),
        };
        Ok(Self { codes, present: None, name: distance.name(), measure })
    }

    /// The same for histograms over more codes, of which only those that are `present` count.
    ///
    /// The domain of a distance is what the reference holds: a value of which everybody was left out is no step between two others
    /// any more. A plan still counts in the codes of the original, and must judge as a recipient does who never sees that value.
    #[must_use]
    pub(crate) fn within_codes(self, codes: usize, present: Vec<u32>) -> Self {
        Self { codes, present: Some(present), ..self }
    }

    /// Calls with both histograms in the codes that the measure knows; nothing if somebody has a value that is not among them.
    fn narrowed<T>(
        &self,
        group: &[u64],
        whole: &[u64],
        scratch: &mut Scratch,
        call: impl FnOnce(&[u64], &[u64], &mut Scratch) -> T,
    ) -> Option<T> {
        let Some(present) = &self.present else { return Some(call(group, whole, scratch)) };
        let (mut few, mut all) = std::mem::take(&mut scratch.narrowed);
        let people = |counts: &[u64]| counts.iter().map(|&count| u128::from(count)).sum::<u128>();
        let narrow = |counts: &[u64], into: &mut Vec<u64>| {
            into.clear();
            into.extend(present.iter().map(|&code| counts[code as usize]));
            counts.len() == self.codes && people(into) == people(counts)
        };
        let fits = whole.len() == self.codes && narrow(group, &mut few) && narrow(whole, &mut all);
        let result = fits.then(|| call(&few, &all, scratch));
        scratch.narrowed = (few, all);
        result
    }

    /// The name by which a policy calls this distance.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The distance of a group from the table, as a number for people. [`Self::within`] decides promises.
    pub fn measure(&self, group: &[u64], whole: &[u64]) -> f64 {
        self.measure_in(group, whole, &mut Scratch::default())
    }

    /// The same as [`Self::measure`] for callers that measure often. O(m), on a line with a kernel O(m + values held · values within B).
    pub fn measure_in(&self, group: &[u64], whole: &[u64], scratch: &mut Scratch) -> f64 {
        if group.len() != self.codes {
            return f64::INFINITY;
        }
        let measured = self.narrowed(group, whole, scratch, |group, whole, scratch| match &self.measure {
            Measure::Emd(emd) => emd.measure(group, whole, &mut scratch.below),
            Measure::Kl => divergence::kl(group, whole),
            Measure::Js => divergence::js(group, whole),
            Measure::Kernel(kernel) => kernel.measure(group, whole, &mut scratch.smoothed),
        });
        measured.unwrap_or(f64::INFINITY)
    }

    /// The distance as a fraction, where it is one; see [`Emd::exact`].
    pub fn exact(&self, group: &[u64], whole: &[u64], scratch: &mut Scratch) -> Option<Ratio> {
        match &self.measure {
            Measure::Emd(emd) if group.len() == self.codes => {
                self.narrowed(group, whole, scratch, |group, whole, scratch| {
                    emd.exact(group, whole, &mut scratch.below)
                })?
            }
            _ => None,
        }
    }

    /// Whether `distance ≤ t`: exactly where the distance is a fraction, else up to [`tolerance::LOGARITHM`].
    ///
    /// Costs as much as [`Self::measure_in`], and allocates only while the scratch is new.
    pub fn within(&self, group: &[u64], whole: &[u64], t: Threshold, scratch: &mut Scratch) -> bool {
        match self.exact(group, whole, scratch) {
            Some(ratio) => ratio.at_most(t),
            None => self.measure_in(group, whole, scratch) <= t.to_f64() + tolerance::LOGARITHM,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::NAMES;
    use super::super::testing::{self, ground_distance, histogram, tree_and_ranks};
    use super::*;
    use crate::data::value::Value;
    use crate::testkit::transport;
    use proptest::prelude::*;
    use std::f64::consts::LN_2;

    fn all<'a>(tree: Ground<'a>, values: &'a [Value]) -> [GroundedDistance<'a>; 8] {
        [
            GroundedDistance::Emd(Ground::Rank),
            GroundedDistance::Emd(Ground::Value(values)),
            GroundedDistance::Emd(Ground::Equal),
            GroundedDistance::Emd(tree),
            GroundedDistance::Variational,
            GroundedDistance::Kl,
            GroundedDistance::Js,
            GroundedDistance::KernelJs { bandwidth: 0.4, ground: tree },
        ]
    }

    #[test]
    fn edges_are_the_same_for_every_distance() {
        let tree = testing::tree("a,A,*\nb,A,*\nc,*");
        let values = [1, 2, 5].map(Value::Integer);
        let zero = Threshold::new(0.0).unwrap();
        let mut scratch = Scratch::default();
        for distance in all(Ground::Tree { tree: &tree, ranks: &[0, 1, 2] }, &values) {
            assert!(NAMES.contains(&distance.name()));
            let ready = PreparedDistance::new(distance, 3).unwrap();
            assert!(ready.within(&[0, 0, 0], &[1, 2, 3], zero, &mut scratch), "{}", ready.name());
            assert!(ready.within(&[1, 2, 3], &[2, 4, 6], zero, &mut scratch), "{}", ready.name());
            let far = Threshold::new(1e9).unwrap();
            let cases: [(&[u64], &[u64]); 4] = [
                (&[1, 0, 0], &[0, 0, 0]),
                (&[1, 0], &[1, 0, 0]),
                (&[1, 0], &[1, 0]),
                (&[u64::MAX, u64::MAX, 0], &[1, 1, 1]),
            ];
            for (group, whole) in cases {
                assert!(ready.measure(group, whole).is_infinite(), "{} {group:?} {whole:?}", ready.name());
                assert!(!ready.within(group, whole, far, &mut scratch), "{} {group:?} {whole:?}", ready.name());
            }
        }
    }

    #[test]
    fn what_does_not_fit_the_attribute_is_refused() {
        let tree = testing::tree("a,*\nb,*");
        for ground in [Ground::Value(&[Value::Integer(1)]), Ground::Tree { tree: &tree, ranks: &[0, 2] }] {
            assert!(PreparedDistance::new(GroundedDistance::Emd(ground), 2).is_err());
        }
    }

    /// The largest distance there can be.
    fn largest(ready: &PreparedDistance) -> f64 {
        match ready.measure {
            Measure::Emd(_) => 1.0,
            Measure::Js | Measure::Kernel(_) => LN_2,
            Measure::Kl => f64::INFINITY,
        }
    }

    /// The distance as a fraction over `unit · N_P · N_Q`, by the transport solver on ground distances that are
    /// whole numbers of 1/unit. With few people the least work is a whole number too, and rounding finds it.
    fn slow_fraction(ground: Ground<'_>, unit: u32, p: &[u64], q: &[u64]) -> (u64, u64) {
        let whole_number = |i, j| (ground_distance(ground, p.len(), i, j) * f64::from(unit)).round();
        let den = p.iter().sum::<u64>() * q.iter().sum::<u64>();
        let work = transport::emd(p, q, whole_number).unwrap() * den as f64;
        assert!((work - work.round()).abs() < 1e-6);
        (format!("{work:.0}").parse().unwrap(), den * u64::from(unit))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_promise_turns_where_the_slow_fraction_says(
            ((tree, ranks), counts) in
                (1_usize..9).prop_flat_map(|m| (tree_and_ranks(m), proptest::collection::vec((0_u64..9, 0_u64..9), m))),
        ) {
            let (mut p, mut q): (Vec<u64>, Vec<u64>) = counts.into_iter().unzip();
            (p[0], q[0]) = (p[0] + 1, q[0] + 1);
            let m = p.len();
            let values: Vec<Value> = [1, 2, 4, 5, 9, 20, 21, 50].map(Value::Integer)[..m].to_vec();
            let range = [1, 1, 3, 4, 8, 19, 20, 49][m - 1];
            let by_tree = Ground::Tree { tree: &tree, ranks: &ranks };
            let grounds =
                [(Ground::Rank, (m as u32 - 1).max(1)), (Ground::Value(&values), range), (Ground::Equal, 1), (by_tree, tree.height(0).max(1))];
            for (ground, unit) in grounds {
                let ready = PreparedDistance::new(GroundedDistance::Emd(ground), m).unwrap();
                let (num, den) = slow_fraction(ground, unit, &p, &q);
                let within = |num, den| {
                    ready.within(&p, &q, Threshold::fraction(num, den).unwrap(), &mut Scratch::default())
                };
                prop_assert!(within(num, den), "{}", ready.name());
                prop_assert!(num == 0 || !within(num * 1_000_000_000 - 1, den * 1_000_000_000), "{}", ready.name());
            }
        }

        #[test]
        fn a_promise_turns_exactly_at_the_distance(
            ((tree, ranks), p, q) in (1_usize..9).prop_flat_map(|m| (tree_and_ranks(m), histogram(m), histogram(m))),
        ) {
            let values: Vec<Value> = [0.1, 0.2, 0.3, 1.25, 7.0, 7.5, 8.0, 100.0].map(Value::Number)[..p.len()].to_vec();
            let mut scratch = Scratch::default();
            for distance in all(Ground::Tree { tree: &tree, ranks: &ranks }, &values) {
                let ready = PreparedDistance::new(distance, p.len()).unwrap();
                let measured = ready.measure(&p, &q);
                prop_assert!(measured <= largest(&ready));
                let Some(Ratio { num, den }) = ready.exact(&p, &q, &mut scratch).map(Ratio::reduced) else {
                    if measured.is_finite() {
                        let t = Threshold::new((measured * 1e12).round() / 1e12).unwrap();
                        prop_assert!(ready.within(&p, &q, t, &mut scratch));
                        let below = Threshold::new(((measured * 1e6).floor() - 1.0).max(0.0) / 1e6).unwrap();
                        prop_assert_eq!(ready.within(&p, &q, below, &mut scratch), measured < 1e-9);
                    }
                    continue;
                };
                let (Ok(num), Ok(den)) = (u64::try_from(num), u64::try_from(den)) else { continue };
                prop_assert!(ready.within(&p, &q, Threshold::fraction(num, den).unwrap(), &mut scratch));
                // The next fraction below with this denominator, and one that a float can't tell from the distance.
                for scale in [1, u64::MAX / den] {
                    if let Some(less) = (num * scale).checked_sub(1) {
                        let t = Threshold::fraction(less, den * scale).unwrap();
                        prop_assert!(!ready.within(&p, &q, t, &mut scratch), "{}", ready.name());
                    }
                }
            }
        }
    }
}
