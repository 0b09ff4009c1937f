//! Points in space: the synthetic tables of the uncertain model's paper (Aggarwal 2008, section III-A).

use moretta::internals::data::domain::Domain;
use moretta::internals::data::value::{Type, Value};
use moretta::{Error, Result};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::blocks::cut;
use super::{Attribute, Generator};

/// The most coordinates that a table can have.
pub const MOST_DIMENSIONS: usize = 20;

/// As many as the paper's tables have.
pub const DIMENSIONS: usize = 5;

const NAMES: [&str; MOST_DIMENSIONS] = [
    "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
    "x18", "x19", "x20",
];

const WIDTH: usize = MOST_DIMENSIONS + 1;

/// Coordinates are multiples of this part of 1.
const STEPS: i64 = 10_000;
const STEPS_UNSIGNED: u64 = STEPS.unsigned_abs();

/// Where clusters may reach: farther out than any draw.
const CLUSTER_RANGE: std::ops::RangeInclusive<i64> = -4 * STEPS..=5 * STEPS;

const CLUSTERS: usize = 20;

/// Points spread evenly over a cube.
#[derive(Debug)]
pub struct Cube {
    seed: u64,
    attributes: Vec<Attribute>,
}

/// Points in Gaussian clusters, each of a class.
#[derive(Debug)]
pub struct Clusters {
    seed: u64,
    attributes: Vec<Attribute>,
    parts: Vec<Cluster>,
}

#[derive(Debug)]
struct Cluster {
    /// Its share of the points, against the others.
    share: u64,
    center: Vec<i64>,
    /// The standard deviation along each coordinate.
    radius: Vec<i64>,
    class: u32,
}

/// `u10k`: uniform in the unit cube.
pub fn cube(dimensions: usize, seed: u64) -> Result<Cube> {
    let coordinates = coordinates(dimensions, 0..=STEPS - 1)?;
    Ok(Cube { seed, attributes: coordinates })
}

/// `g20`: twenty clusters with centres in the unit cube and radii up to a half, 1 % of the points anywhere in the cube;
/// a point has its cluster's class with probability 0.9.
pub fn clusters(dimensions: usize, seed: u64) -> Result<Clusters> {
    let mut attributes = coordinates(dimensions, CLUSTER_RANGE)?;
    attributes.push(Attribute::new("class", Domain::labels(["negative", "positive"])));
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // No block of rows is so far on.
    rng.set_stream(u64::MAX);
    let mut below = |n: u64| ((u128::from(rng.next_u64()) * u128::from(n)) >> 64) as u64;
    let mut cluster = || Cluster {
        share: 500 + below(501),
        center: (0..dimensions).map(|_| below(STEPS_UNSIGNED).cast_signed()).collect(),
        radius: (0..dimensions).map(|_| below(STEPS_UNSIGNED / 2).cast_signed()).collect(),
        class: below(2) as u32,
    };
    let parts = (0..CLUSTERS).map(|_| cluster()).collect();
    Ok(Clusters { seed, attributes, parts })
}

fn coordinates(dimensions: usize, range: std::ops::RangeInclusive<i64>) -> Result<Vec<Attribute>> {
    if !(1..=MOST_DIMENSIONS).contains(&dimensions) {
        return Err(Error::input(format!("a table can't have {dimensions} coordinates"))
            .help(format!("from 1 to {MOST_DIMENSIONS}")));
    }
    let values = range.map(|step| Value::Number(step as f64 / STEPS as f64)).collect();
    let one = Attribute::new(NAMES[0], Domain::from_sorted(Type::Number, values));
    Ok(NAMES[..dimensions].iter().map(|name| Attribute { name, domain: one.domain.clone() }).collect())
}

fn below(rng: &mut ChaCha8Rng, n: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(n)) >> 64) as u64
}

/// A nearly normal number in 65,536 parts of √2: the sum of 24 even ones. Whole numbers give the same table everywhere.
fn bell(rng: &mut ChaCha8Rng) -> i64 {
    let mut sum = 0;
    for _ in 0..6 {
        let four = rng.next_u64();
        sum += (0..4).map(|part| ((four >> (16 * part)) & 0xFFFF).cast_signed()).sum::<i64>();
    }
    sum - 24 * 65_535 / 2
}

impl Generator for Cube {
    fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    fn rows(&self, first: u64, count: usize) -> Vec<Vec<u32>> {
        let mut columns = cut::<WIDTH>(self.seed, first, count, |rng, _| {
            let mut row = [0; WIDTH];
            row[..self.attributes.len()].fill_with(|| below(rng, STEPS_UNSIGNED) as u32);
            row
        });
        columns.truncate(self.attributes.len());
        columns
    }
}

impl Generator for Clusters {
    fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    fn rows(&self, first: u64, count: usize) -> Vec<Vec<u32>> {
        let dimensions = self.attributes.len() - 1;
        let shares: u64 = self.parts.iter().map(|cluster| cluster.share).sum();
        let mut columns = cut::<WIDTH>(self.seed, first, count, |rng, _| {
            let mut ticket = below(rng, shares);
            let chosen = self.parts.iter().find(|cluster| {
                let here = ticket < cluster.share;
                ticket = ticket.saturating_sub(cluster.share);
                here
            });
            let cluster = chosen.unwrap_or(&self.parts[0]);
            let outlier = below(rng, 100) == 0;
            let mut row = [0; WIDTH];
            for (d, code) in row[..dimensions].iter_mut().enumerate() {
                let step = if outlier {
                    below(rng, STEPS_UNSIGNED).cast_signed()
                } else {
                    // 92,682 is 65,536 √2.
                    cluster.center[d] + cluster.radius[d] * bell(rng) / 92_682
                };
                let inside = step.clamp(*CLUSTER_RANGE.start(), *CLUSTER_RANGE.end());
                *code = inside.abs_diff(*CLUSTER_RANGE.start()) as u32;
            }
            row[dimensions] = if below(rng, 10) == 0 { 1 - cluster.class } else { cluster.class };
            row
        });
        columns.truncate(self.attributes.len());
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_is_even_and_clusters_are_not() {
        let mean_and_deviation = |table: &dyn Generator, d: usize| {
            let codes = &table.rows(0, 20_000)[d];
            let values: Vec<f64> =
                codes.iter().filter_map(|&code| table.attributes()[d].domain.value(code).as_number()).collect();
            let mean = values.iter().sum::<f64>() / 2e4;
            (mean, (values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 2e4).sqrt())
        };
        let (mean, deviation) = mean_and_deviation(&cube(5, 1).unwrap(), 3);
        // Five standard errors.
        assert!((mean - 0.5).abs() < 0.0103 && (deviation - 0.288_7).abs() < 0.005, "{mean} {deviation}");
        let (_, deviation) = mean_and_deviation(&clusters(5, 1).unwrap(), 3);
        assert!((0.2..0.7).contains(&deviation), "{deviation}");
    }

    #[test]
    fn the_bell_has_unit_variance() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let draws: Vec<f64> = (0..50_000).map(|_| bell(&mut rng) as f64 / 92_682.0).collect();
        let square = draws.iter().map(|x| x * x).sum::<f64>() / 5e4;
        assert!((square - 1.0).abs() < 5.0 * (2.0 / 5e4_f64).sqrt(), "{square}");
    }

    #[test]
    fn coordinates_are_a_parameter_with_bounds() {
        assert_eq!(cube(8, 1).unwrap().rows(0, 3).len(), 8);
        assert_eq!(clusters(2, 1).unwrap().rows(0, 3).len(), 3);
        assert!(cube(0, 1).is_err() && clusters(21, 1).is_err());
    }
}
