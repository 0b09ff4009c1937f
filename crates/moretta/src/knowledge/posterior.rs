//! What an adversary believes after she has seen that a group of people share a multiset of sensitive values.
//!
//! The posterior of a person and a value is the share of the total likelihood, over all ways to give the group's values to
//! its people, in which that person has that value. Li (2010), section 3.6.2, equation 3.4. The likelihood is a
//! permanent, hard in general; but people with equal priors are one class, equal values are one value, and
//! groups are small.

/// The people of a group by what is believed about them, and the values that they share.
#[derive(Clone, Copy, Debug)]
pub struct ClassBeliefs<'a> {
    /// The people of each class.
    pub people: &'a [u64],
    /// The prior of each class, row by row: how likely each value is.
    pub priors: &'a [f64],
    /// How many people of the group have each value.
    pub values: &'a [u64],
}

/// What an inference concludes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inference {
    /// Posteriors were found.
    Found,
    /// The prior gives the group's values no likelihood at all: whoever believes it knows that the release, or her
    /// belief, is wrong, and there is nothing to update.
    Impossible,
    /// The exact inference would cost more than the limit.
    TooLarge,
}

/// The most steps that exact inference takes: some 10 ms.
pub const LIMIT: u64 = 1 << 22;

/// Room to work in.
#[derive(Clone, Debug, Default)]
pub struct Posterior {
    /// The posterior of each class, row by row, after [`Inference::Found`].
    pub shares: Vec<f64>,
    forward: Vec<f64>,
    backward: Vec<f64>,
    strides: Vec<usize>,
    counter: Vec<u64>,
}

impl ClassBeliefs<'_> {
    fn prior(&self, class: usize, value: usize) -> f64 {
        self.priors[class * self.values.len() + value]
    }

    /// The steps that exact inference takes: states × moves, three times, for the cheaper of two orders. Infinite is
    /// `u64::MAX`.
    pub fn steps(&self) -> u64 {
        let by_values = steps(self.values);
        let by_classes = steps(self.people);
        by_values.min(by_classes)
    }
}

fn steps(counts: &[u64]) -> u64 {
    let held = counts.iter().filter(|&&count| count > 0).count() as u64;
    let states = counts.iter().try_fold(1_u64, |states, &count| states.checked_mul(count.checked_add(1)?));
    states.and_then(|states| states.checked_mul(3 * held)).unwrap_or(u64::MAX)
}

impl Posterior {
    /// Exact inference, by dynamic programming over the multiset: `F(c)` is the likelihood that the first |c| people have
    /// the multiset c of values, `B(c)` that the last |c| people have; both are sums over which value the next
    /// person has, and their product, person by person, gives the posterior. Each state c is reached by one number of people,
    /// so that there are Π (nₛ + 1) states in all.
    ///
    /// The same works with the parts swapped: value by value, over the multiset of classes. We take what is cheaper,
    /// which makes groups of few classes or few values cheap, however large.
    pub fn exact(&mut self, belief: &ClassBeliefs<'_>, limit: u64) -> Inference {
        let (by_values, by_classes) = (steps(belief.values), steps(belief.people));
        if by_values.min(by_classes) > limit {
            return Inference::TooLarge;
        }
        let (classes, values) = (belief.people.len(), belief.values.len());
        self.shares.clear();
        self.shares.resize(classes * values, 0.0);
        // One row for each step that differs from the one before, one column for each kind that the state counts.
        let found = if by_values <= by_classes {
            self.run(
                belief.people,
                belief.values,
                |class, value| belief.prior(class, value),
                |class, value| class * values + value,
            )
        } else {
            let found = self.run(
                belief.values,
                belief.people,
                |value, class| belief.prior(class, value),
                |value, class| class * values + value,
            );
            // So far, where each value's people are; a person of the class has her part of it.
            for class in 0..classes {
                for value in 0..values {
                    let part = belief.values[value] as f64 / belief.people[class].max(1) as f64;
                    self.shares[class * values + value] *= part;
                }
            }
            found
        };
        if !found {
            return Inference::Impossible;
        }
        self.normalize(belief)
    }

    /// The distribution of the `kinds` for one step of each kind of `steps`, written to `place(step, kind)`.
    fn run(
        &mut self,
        steps: &[u64],
        kinds: &[u64],
        weight: impl Fn(usize, usize) -> f64,
        index: impl Fn(usize, usize) -> usize,
    ) -> bool {
        let held: Vec<usize> = (0..kinds.len()).filter(|&kind| kinds[kind] > 0).collect();
        let most: Vec<u64> = held.iter().map(|&kind| kinds[kind]).collect();
        self.strides.clear();
        let mut states = 1;
        for &count in &most {
            self.strides.push(states);
            states *= count as usize + 1;
        }
        let order: Vec<usize> = (0..steps.len()).flat_map(|step| vec![step; steps[step] as usize]).collect();
        if order.len() as u64 != most.iter().sum::<u64>() {
            return false;
        }
        let weights: Vec<f64> = (0..steps.len())
            .flat_map(|step| held.iter().map(move |&kind| (step, kind)))
            .map(|(s, k)| weight(s, k))
            .collect();
        let by_size = layers(&most, &mut self.counter);
        let mut forward = std::mem::take(&mut self.forward);
        let mut backward = std::mem::take(&mut self.backward);
        self.fill(&mut forward, &by_size, &most, |taken| &weights[order[taken] * held.len()..][..held.len()]);
        let last = order.len().saturating_sub(1);
        self.fill(&mut backward, &by_size, &most, |taken| &weights[order[last - taken] * held.len()..][..held.len()]);
        for (taken, &step) in order.iter().enumerate() {
            // One person of a class speaks for all.
            if taken > 0 && order[taken - 1] == step {
                continue;
            }
            for (kind_place, &kind) in held.iter().enumerate() {
                let stride = self.strides[kind_place];
                let base = (most[kind_place] + 1) as usize;
                let sum: f64 = by_size[taken]
                    .iter()
                    .filter(|&&state| state as usize / stride % base < base - 1)
                    .map(|&state| forward[state as usize] * backward[states - 1 - state as usize - stride])
                    .sum();
                self.shares[index(step, kind)] = sum * weights[step * held.len() + kind_place];
            }
            let total: f64 = held.iter().map(|&kind| self.shares[index(step, kind)]).sum();
            held.iter().for_each(|&kind| self.shares[index(step, kind)] /= total);
        }
        (self.forward, self.backward) = (forward, backward);
        true
    }

    /// The likelihood of each state, layer by layer; each layer is scaled so that its largest is 1, which
    /// leaves every posterior as it is and keeps large groups from vanishing.
    fn fill<'w>(
        &self,
        likelihood: &mut Vec<f64>,
        by_size: &[Vec<u32>],
        most: &[u64],
        weights: impl Fn(usize) -> &'w [f64],
    ) {
        likelihood.clear();
        likelihood.resize(by_size.iter().map(Vec::len).sum(), 0.0);
        likelihood[0] = 1.0;
        for (taken, states) in by_size.iter().enumerate().skip(1) {
            let weights = weights(taken - 1);
            let mut largest = 0.0_f64;
            for &state in states {
                let state = state as usize;
                let mut sum = 0.0;
                for (kind, &stride) in self.strides.iter().enumerate() {
                    if !(state / stride).is_multiple_of((most[kind] + 1) as usize) {
                        sum += weights[kind] * likelihood[state - stride];
                    }
                }
                likelihood[state] = sum;
                largest = largest.max(sum);
            }
            if largest > 0.0 {
                states.iter().for_each(|&state| likelihood[state as usize] /= largest);
            }
        }
    }

    /// The Ω-estimate: each value goes to people in proportion to their priors, and each person's shares are normalized.
    ///
    /// Linear in classes × values. Li (2010), section 3.6.3, equation 3.5.
    pub fn omega(&mut self, belief: &ClassBeliefs<'_>) -> Inference {
        let (classes, values) = (belief.people.len(), belief.values.len());
        self.shares.clear();
        self.shares.resize(classes * values, 0.0);
        for value in (0..values).filter(|&value| belief.values[value] > 0) {
            let all: f64 = (0..classes).map(|class| belief.people[class] as f64 * belief.prior(class, value)).sum();
            if all <= 0.0 {
                return Inference::Impossible;
            }
            let each = belief.values[value] as f64 / all;
            for class in 0..classes {
                self.shares[class * values + value] = each * belief.prior(class, value);
            }
        }
        self.normalize(belief)
    }

    /// Makes each class's shares sum to 1; impossible where somebody can have none of the values.
    fn normalize(&mut self, belief: &ClassBeliefs<'_>) -> Inference {
        let values = belief.values.len();
        for (row, &people) in self.shares.chunks_exact_mut(values).zip(belief.people) {
            let total: f64 = row.iter().sum();
            if people > 0 && !(total.is_finite() && total > 0.0) {
                return Inference::Impossible;
            }
            row.iter_mut().for_each(|share| *share /= total);
        }
        Inference::Found
    }
}

/// The states by how many they count in all: every vector of counts up to `most`, as one number in mixed radix.
fn layers(most: &[u64], counter: &mut Vec<u64>) -> Vec<Vec<u32>> {
    let people = most.iter().sum::<u64>() as usize;
    let states: usize = most.iter().map(|&count| count as usize + 1).product();
    let mut by_size = vec![Vec::new(); people + 1];
    counter.clear();
    counter.resize(most.len(), 0);
    let mut size = 0_usize;
    for state in 0..states as u32 {
        by_size[size].push(state);
        // The next number: carry where a count is full.
        for (count, &most) in counter.iter_mut().zip(most) {
            if *count < most {
                *count += 1;
                size += 1;
                break;
            }
            size -= *count as usize;
            *count = 0;
        }
    }
    by_size
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All ways to give the values to the people, one by one, with their likelihoods.
    fn enumerate(
        people: &[&[f64]],
        left: &mut [u64],
        so_far: &mut Vec<usize>,
        likelihood: f64,
        sums: &mut [Vec<f64>],
    ) -> f64 {
        if so_far.len() == people.len() {
            so_far.iter().enumerate().for_each(|(person, &value)| sums[person][value] += likelihood);
            return likelihood;
        }
        let mut total = 0.0;
        for value in 0..left.len() {
            if left[value] > 0 {
                left[value] -= 1;
                let prior = people[so_far.len()][value];
                so_far.push(value);
                total += enumerate(people, left, so_far, likelihood * prior, sums);
                so_far.pop();
                left[value] += 1;
            }
        }
        total
    }

    fn close(a: f64, b: f64, tolerance: f64) -> bool {
        (a - b).abs() < tolerance
    }

    /// Tables 3.2 and 3.3: two people without HIV, one with; priors of HIV.
    #[test]
    fn the_dissertations_examples() {
        for (hiv, exact, omega) in [([0.05, 0.3], 0.8028, 0.5821), ([0.0, 0.3], 1.0, 0.6585)] {
            let priors = [hiv[0], 1.0 - hiv[0], hiv[1], 1.0 - hiv[1]];
            let belief = ClassBeliefs { people: &[2, 1], priors: &priors, values: &[1, 2] };
            let mut posterior = Posterior::default();
            assert_eq!(posterior.exact(&belief, LIMIT), Inference::Found);
            assert!(close(posterior.shares[2], exact, 5e-5), "{:?}", posterior.shares);
            assert_eq!(posterior.omega(&belief), Inference::Found);
            assert!(close(posterior.shares[2], omega, 5e-5), "{:?}", posterior.shares);
        }
    }

    #[test]
    fn a_belief_that_excludes_the_release_is_a_finding() {
        let mut posterior = Posterior::default();
        let nobody = ClassBeliefs { people: &[1, 1], priors: &[0.0, 1.0, 0.0, 1.0], values: &[1, 1] };
        assert_eq!(posterior.exact(&nobody, LIMIT), Inference::Impossible);
        assert_eq!(posterior.omega(&nobody), Inference::Impossible);
        // Either may have the first value, but nobody both others.
        let both = ClassBeliefs { people: &[1, 1], priors: &[1.0, 0.0, 1.0, 0.0], values: &[1, 1] };
        assert_eq!(posterior.exact(&both, LIMIT), Inference::Impossible);
        let large = ClassBeliefs { people: &[1; 40], priors: &[0.5; 80 * 20], values: &[1; 40] };
        assert_eq!(large.steps(), (1 << 40) * 120);
        assert_eq!(posterior.exact(&ClassBeliefs { priors: &[0.5; 1600], ..large }, LIMIT), Inference::TooLarge);
    }

    #[test]
    fn a_thousand_people_of_two_kinds_do_not_vanish() {
        let belief = ClassBeliefs { people: &[400, 600], priors: &[0.1, 0.9, 0.2, 0.8], values: &[150, 850] };
        let mut posterior = Posterior::default();
        assert_eq!(posterior.exact(&belief, LIMIT), Inference::Found);
        let expected = 400.0 * posterior.shares[0] + 600.0 * posterior.shares[2];
        assert!(close(expected, 150.0, 1e-6), "{:?}", posterior.shares);
        assert!(posterior.shares[0] < posterior.shares[2]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn exact_inference_is_enumeration(
            classes in proptest::collection::vec((1_u64..4, proptest::collection::vec(prop_oneof![1 => Just(0.0), 4 => 0.01..1.0_f64], 4)), 1..5),
            picks in proptest::collection::vec(0_usize..4, 7),
        ) {
            let mut room = 7;
            let classes: Vec<(u64, Vec<f64>)> = classes.into_iter().map(|(people, prior)| {
                let people = people.min(room);
                room -= people;
                (people, prior)
            }).filter(|class| class.0 > 0).collect();
            let count: u64 = classes.iter().map(|class| class.0).sum();
            let mut values = vec![0; 4];
            picks[..count as usize].iter().for_each(|&value| values[value] += 1);
            let people: Vec<u64> = classes.iter().map(|class| class.0).collect();
            let priors: Vec<f64> = classes.iter().flat_map(|class| class.1.clone()).collect();
            let belief = ClassBeliefs { people: &people, priors: &priors, values: &values };

            let each: Vec<&[f64]> = classes.iter().flat_map(|(people, prior)| vec![prior.as_slice(); *people as usize]).collect();
            let mut sums = vec![vec![0.0; 4]; each.len()];
            let total = enumerate(&each, &mut values.clone(), &mut Vec::new(), 1.0, &mut sums);
            let mut posterior = Posterior::default();
            let found = posterior.exact(&belief, LIMIT);
            prop_assert_eq!(found, if total > 0.0 { Inference::Found } else { Inference::Impossible });
            if total > 0.0 {
                let mut person = 0;
                for (class, (people, _)) in classes.iter().enumerate() {
                    for value in 0..4 {
                        prop_assert!(close(posterior.shares[class * 4 + value], sums[person][value] / total, 1e-9),
                            "{:?} {:?}", posterior.shares, sums);
                    }
                    person += *people as usize;
                }
                if posterior.omega(&belief) == Inference::Found {
                    for row in posterior.shares.chunks(4) {
                        prop_assert!(close(row.iter().sum(), 1.0, 1e-12));
                    }
                }
            }
        }
    }
}
