//! The tables of the paper: Adult's capital losses, and synthetic ones of the same shape.

use moretta::internals::data::value::Value;
use moretta::internals::progress::Progress;
use moretta::{Error, Result};
use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

use super::super::ExperimentContext;
use crate::adult::Adult;

/// People by age and value.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// All values that there can be, from small to large.
    pub(super) domain: Vec<i64>,
    /// Age, and the index of the value in the domain.
    pub(super) people: Vec<(u32, u32)>,
}

impl Rows {
    /// From ages and values; the domain are the values that occur.
    fn new(people: &[(u32, i64)]) -> Self {
        let mut domain: Vec<i64> = people.iter().map(|(_, value)| *value).collect();
        domain.sort_unstable();
        domain.dedup();
        let index = |value: &i64| domain.binary_search(value).map_or(0, |index| index as u32);
        let people = people.iter().map(|(age, value)| (*age, index(value))).collect();
        Self { domain, people }
    }

    /// How many people have each value.
    pub(super) fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.domain.len()];
        self.people.iter().for_each(|(_, index)| counts[*index as usize] += 1);
        counts
    }
}

/// Synthetic values are rounded to this, so that they repeat as capital losses do.
const STEP: f64 = 32.0;

/// Complete rows of the training part with a loss: 1,427.
pub(super) fn adult(context: &ExperimentContext) -> Result<Rows> {
    let losses = Adult::capital_losses().with("quasi", &["age"]).with("sensitive", &["capital_loss"]);
    let policy = context.adult(&losses, "")?;
    let table = policy.read_table(policy.open_source()?, &Progress::default())?.table;
    let number = |value: &Value| match value {
        Value::Integer(i) => Ok(*i),
        other => Err(Error::data(format!("{other} is no whole number"))),
    };
    let (ages, losses) = (&table.quasi[0], &table.sensitive[0]);
    let person = |(age, loss): (&u32, &u32)| {
        let age = u32::try_from(number(ages.domain.value(*age))?).unwrap_or(0);
        Ok((age, number(losses.domain.value(*loss))?))
    };
    Ok(Rows::new(&ages.codes.iter().zip(&losses.codes).map(person).collect::<Result<Vec<_>>>()?))
}

/// A tenth of the people less, over the same domain.
pub(super) fn without_tenth(context: &ExperimentContext, rows: &Rows) -> Rows {
    let mut people = rows.people.clone();
    people.shuffle(&mut context.seed.stream("distribution: a tenth", 0));
    people.truncate(people.len() - people.len() / 10);
    Rows { domain: rows.domain.clone(), people }
}

fn generator(context: &ExperimentContext, number: u64) -> ChaCha12Rng {
    context.seed.stream("distribution: people", number)
}

fn age(chance: &mut ChaCha12Rng) -> u32 {
    chance.random_range(17..=79)
}

/// A draw from the normal distribution (Box and Muller).
fn gauss(chance: &mut ChaCha12Rng) -> f64 {
    let (u, v): (f64, f64) = (1.0 - chance.random::<f64>(), chance.random());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

fn rounded(x: f64) -> i64 {
    ((x / STEP).round() * STEP) as i64
}

/// Normal losses that have nothing to do with age.
pub(super) fn normal(context: &ExperimentContext) -> Result<Rows> {
    Ok(normal_of(context, context.settings.whole("people")?))
}

/// The same, of so many people.
pub(super) fn normal_of(context: &ExperimentContext, people: usize) -> Rows {
    let mut chance = generator(context, 1);
    Rows::new(
        &(0..people).map(|_| (age(&mut chance), rounded(2048.0 + 256.0 * gauss(&mut chance)))).collect::<Vec<_>>(),
    )
}

/// Normal losses whose mean grows with age.
pub(super) fn correlated(context: &ExperimentContext) -> Result<Rows> {
    let people = context.settings.whole("people")?;
    let mut chance = generator(context, 2);
    let person = |_| {
        let age = age(&mut chance);
        (age, rounded(1024.0 + 32.0 * f64::from(age - 17) + 128.0 * gauss(&mut chance)))
    };
    Ok(Rows::new(&(0..people).map(person).collect::<Vec<_>>()))
}

/// Uniform losses from 1024 to 3072.
pub(super) fn uniform(context: &ExperimentContext) -> Result<Rows> {
    let people = context.settings.whole("people")?;
    let mut chance = generator(context, 3);
    Ok(Rows::new(&(0..people).map(|_| (age(&mut chance), chance.random_range(1024..=3072))).collect::<Vec<_>>()))
}

/// Zipf losses with s = 0.1, ages at random or in their order.
pub(super) fn zipf(context: &ExperimentContext, with_age: bool) -> Result<Rows> {
    let people = context.settings.whole("people")?;
    let mut chance = generator(context, 4);
    let masses: Vec<f64> = (1..=2049).map(|k| f64::from(k).powf(-0.1)).collect();
    let ends: Vec<f64> = masses
        .iter()
        .scan(0.0, |sum, mass| {
            *sum += mass;
            Some(*sum)
        })
        .collect();
    let whole = ends.last().copied().unwrap_or(1.0);
    let person = |_| {
        let draw = chance.random::<f64>() * whole;
        let rank = ends.partition_point(|end| *end < draw).min(2048) as u32;
        let near = 17 + rank * 62 / 2048;
        let age = if with_age { (near + chance.random_range(0..=6)).clamp(20, 82) - 3 } else { age(&mut chance) };
        (age, 1024 + i64::from(rank))
    };
    Ok(Rows::new(&(0..people).map(person).collect::<Vec<_>>()))
}
