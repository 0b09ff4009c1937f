//! (B, t)-privacy by its definition: the kernel prior about everybody, and the posterior over all ways to give a group's values to its people.

use std::collections::BTreeMap;

use crate::claims::{ROUNDING, is_weighted, members};
use crate::files::{DISEASES, Person, Released};

/// How likely each disease is.
type Belief = [f64; DISEASES.len()];

/// How many of each disease are still to be given away.
type Left = [usize; DISEASES.len()];

/// The belief about everybody moves by at most t when her group is known: by the share of likelihood over all assignments, and by the Ω-estimate.
pub(crate) fn change_of_belief(released: &Released) -> bool {
    // The map does not tell how many people of a weighted row stand in which of its groups.
    if is_weighted(released) {
        return true;
    }
    let t = released.number("t");
    members(released).iter().all(|group| {
        let priors: Vec<Belief> = group.iter().map(|person| prior(released, person)).collect();
        let mut values: Left = [0; DISEASES.len()];
        group.iter().for_each(|person| values[disease(person)] += 1);
        (0..group.len()).all(|own| {
            let near = |after: Option<Belief>| {
                after.is_some_and(|after| {
                    let moved = priors[own].iter().zip(after).map(|(before, after)| (before - after).abs());
                    moved.sum::<f64>() / 2.0 <= t + ROUNDING
                })
            };
            near(posterior(own, &priors, values)) && near(omega(own, &priors, values))
        })
    })
}

fn disease(person: &Person) -> usize {
    DISEASES.iter().position(|name| *name == person.3).unwrap()
}

/// What the people near somebody show, each weighed by a product of Epanechnikov kernels.
fn prior(released: &Released, own: &Person) -> Belief {
    let bandwidth = released.number("bandwidth");
    let kernel = |distance: f64| {
        let x = distance / bandwidth;
        if x < 1.0 { 1.0 - x * x } else { 0.0 }
    };
    let mut belief = [0.0; DISEASES.len()];
    for other in &released.original {
        belief[disease(other)] +=
            kernel(steps_of_age(&released.original, own.0, other.0)) * kernel(steps_of_zip(own.2, other.2));
    }
    normalized(belief).unwrap()
}

/// The share of likelihood, over all ways to give the values to the people, in which somebody has each of them; nothing if none is likely at all.
fn posterior(own: usize, priors: &[Belief], values: Left) -> Option<Belief> {
    let others: Vec<&Belief> = (0..priors.len()).filter(|&other| other != own).map(|other| &priors[other]).collect();
    let mut belief = [0.0; DISEASES.len()];
    for value in (0..DISEASES.len()).filter(|&value| values[value] > 0) {
        let mut rest = values;
        rest[value] -= 1;
        belief[value] = priors[own][value] * likelihood(&others, rest);
    }
    normalized(belief)
}

/// The sum, over all ways to give values to people, of the product of the priors.
fn likelihood(people: &[&Belief], values: Left) -> f64 {
    let mut sums: BTreeMap<Left, f64> = BTreeMap::from([(values, 1.0)]);
    for belief in people {
        let mut next = BTreeMap::new();
        for (left, sum) in sums {
            for value in (0..DISEASES.len()).filter(|&value| left[value] > 0) {
                let mut fewer = left;
                fewer[value] -= 1;
                *next.entry(fewer).or_default() += sum * belief[value];
            }
        }
        sums = next;
    }
    sums.into_values().sum()
}

/// Equation 3.5 of Li (2010): every value goes to people in proportion to their priors.
fn omega(own: usize, priors: &[Belief], values: Left) -> Option<Belief> {
    let mut belief = [0.0; DISEASES.len()];
    for value in (0..DISEASES.len()).filter(|&value| values[value] > 0) {
        let all: f64 = priors.iter().map(|prior| prior[value]).sum();
        belief[value] = values[value] as f64 * priors[own][value] / all;
    }
    normalized(belief)
}

fn normalized(belief: Belief) -> Option<Belief> {
    let all: f64 = belief.iter().sum();
    (all > 0.0).then(|| belief.map(|share| share / all))
}

/// How far two ages are apart, by the range of all.
fn steps_of_age(people: &[Person], a: i64, b: i64) -> f64 {
    let ages = || people.iter().map(|person| person.0);
    let range = ages().max().unwrap_or(0) - ages().min().unwrap_or(0);
    (a - b).abs() as f64 / range.max(1) as f64
}

/// The steps up the hierarchy of first digits to what both are below, by all steps.
fn steps_of_zip(a: &str, b: &str) -> f64 {
    if a == b {
        0.0
    } else if a[..1] == b[..1] {
        0.5
    } else {
        1.0
    }
}

/// The dissertation's example (tables 3.2 and 3.3): one of three has HIV, believed with 0.05, 0.05 and 0.3; a claim that could not fail would not tell.
#[test]
fn beliefs_are_those_of_the_dissertation() {
    let belief = |hiv: f64| -> Belief { [hiv, 1.0 - hiv, 0.0, 0.0] };
    let priors = [belief(0.05), belief(0.05), belief(0.3)];
    let exact = posterior(2, &priors, [1, 2, 0, 0]).unwrap()[0];
    let estimated = omega(2, &priors, [1, 2, 0, 0]).unwrap()[0];
    assert!((exact - 0.8028).abs() < 5e-5 && (estimated - 0.5821).abs() < 5e-5, "{exact} {estimated}");
}
