//! How much of each record lies in a box of a condition.

use super::Uncertain;
use super::cumulative::cumulative;
use super::math::Family;
use super::math::mass::Marginal;
use super::math::normal::density;
use crate::condition::QueryBox;
use crate::numeric::tolerance;
use crate::release::tally::ValueDistribution;

/// A box, made ready for the records of a release.
pub(crate) struct Shares<'r> {
    release: &'r Uncertain,
    /// For attributes that are published as they are: which codes lie inside.
    exact: Vec<(&'r [u32], Vec<bool>)>,
    /// For numbers: the coordinate, its ranges, and the range of all values.
    ranges: Vec<Ranges>,
    /// For each of these, the ranges once more, with ends that belong to them: what decides for certain.
    closed: Vec<Vec<(f64, f64)>>,
    /// For attributes with a coordinate a value: the coordinates, and which of them lie inside.
    values: Vec<(Vec<usize>, Vec<bool>)>,
}

/// A coordinate, the ranges of it that lie inside, and the range of all its values.
type Ranges = (usize, Vec<(f64, f64)>, (f64, f64));

/// What is known about one record and a box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxShare {
    pub(crate) part: f64,
    pub(crate) surely: bool,
    pub(crate) maybe: bool,
}

const NOT_IN: BoxShare = BoxShare { part: 0.0, surely: false, maybe: false };

/// Places at which turned densities are looked at.
const SAMPLE_POINTS: usize = 128;

impl<'r> Shares<'r> {
    pub(crate) fn new(release: &'r Uncertain, one: &QueryBox) -> Self {
        use crate::release::Analyst;
        let attributes = release.attributes();
        let mut shares =
            Self { release, exact: Vec::new(), ranges: Vec::new(), closed: Vec::new(), values: Vec::new() };
        for (attribute, set) in &one.sides {
            let name = &attributes[*attribute].name;
            if let Some(column) = release.kept.iter().chain(&release.sensitive).find(|column| column.name == *name) {
                let inside = column.domain.values().iter().map(|value| set.contains(value)).collect();
                shares.exact.push((&column.codes, inside));
                continue;
            }
            // Nobody lacks a blurred value.
            if set.holds_all_known() {
                continue;
            }
            let of_attribute = release.density.dimensions.iter().enumerate().filter(|(_, d)| d.attribute == *name);
            let (indices, texts): (Vec<usize>, Vec<Option<&String>>) =
                of_attribute.map(|(d, one)| (d, one.value.as_ref())).unzip();
            if let [Some(_), ..] = texts.as_slice() {
                let inside =
                    texts.iter().flatten().map(|text| set.contains(&crate::data::Value::Text(text.as_str().into())));
                shares.values.push((indices.clone(), inside.collect()));
            } else if let [index] = indices.as_slice() {
                let whole = release.is_whole(*index);
                let intervals = set.intervals(whole);
                shares.closed.push(if whole { intervals.clone() } else { set.closed_ranges() });
                shares.ranges.push((*index, intervals, release.range(*index)));
            }
        }
        shares
    }

    pub(crate) fn of(&self, record: usize) -> BoxShare {
        if self.exact.iter().any(|(codes, inside)| !inside[codes[record] as usize]) {
            return NOT_IN;
        }
        if self.ranges.is_empty() && self.values.is_empty() {
            return BoxShare { part: 1.0, surely: true, maybe: true };
        }
        let release = self.release;
        let (frame, class) = &release.shapes[release.shape_of[record] as usize];
        let line = |d: usize| Marginal {
            family: release.density.family,
            center: release.centers[d][record],
            scale: class.scales[d],
        };
        let mut found = BoxShare { part: 1.0, surely: true, maybe: true };
        if frame.axes.is_some() {
            // A turned density is no product: bounds are not worth what they cost.
            found = BoxShare { part: self.turned(record), surely: false, maybe: true };
        } else {
            for ((d, intervals, range), closed) in self.ranges.iter().zip(&self.closed) {
                let line = line(*d);
                found.part *= share(&line, intervals, *range, release.in_range(*d, record));
                if line.family == Family::Gaussian {
                    found.surely = false;
                    found.maybe &= closed.iter().any(|&(from, to)| from <= range.1 && range.0 <= to);
                    continue;
                }
                let reach = reach(&line);
                let (low, high) = ((line.center - reach).max(range.0), (line.center + reach).min(range.1));
                found.surely &= closed.iter().any(|&(from, to)| from <= low && high <= to);
                found.maybe &= closed.iter().any(|&(from, to)| from <= high && low <= to);
            }
        }
        for (indices, inside) in &self.values {
            found.surely = false;
            // The value whose corner the centre fits best is the likeliest: Bayes, all values alike beforehand.
            let fit = |own: usize| -> f64 {
                indices.iter().map(|&d| line(d).log_density(f64::from(u8::from(d == indices[own])))).sum()
            };
            let fits: Vec<f64> = (0..indices.len()).map(fit).collect();
            let best = fits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let weight = |fit: f64| if best == f64::NEG_INFINITY { 1.0 } else { (fit - best).exp() };
            let all: f64 = fits.iter().map(|&fit| weight(fit)).sum();
            let within: f64 = fits.iter().zip(inside).filter(|(_, inside)| **inside).map(|(&fit, _)| weight(fit)).sum();
            found.part *= within / all;
            found.maybe &= inside.iter().any(|inside| *inside);
        }
        found
    }

    /// The numbers that a record in the box may have along a coordinate: the smallest, the largest (below the smallest where there is none), how likely each is.
    /// Nothing where it can have none.
    pub(crate) fn numbers(&self, record: usize, d: usize) -> Option<(f64, f64, Option<ValueDistribution>)> {
        let release = self.release;
        let (frame, class) = &release.shapes[release.shape_of[record] as usize];
        let line =
            Marginal { family: release.density.family, center: release.centers[d][record], scale: class.scales[d] };
        let range = release.range(d);
        let everything = [(f64::NEG_INFINITY, f64::INFINITY)];
        let intervals = self.ranges.iter().find(|(index, ..)| *index == d).map_or(&everything[..], |side| &side.1);
        let reach = match line.family {
            Family::Uniform if frame.axes.is_none() => reach(&line),
            _ => f64::INFINITY,
        };
        let (from, to) = (range.0.max(line.center - reach), range.1.min(line.center + reach));
        let pieces: Vec<(f64, f64)> = intervals
            .iter()
            .map(|&(low, high)| (low.max(from), high.min(to)))
            .filter(|(low, high)| low <= high)
            .collect();
        let (low, high) = (pieces.first()?.0, pieces.last()?.1);
        let (low, high) = if release.is_whole(d) { (low.ceil(), high.floor()) } else { (low, high) };
        let law = if frame.axes.is_some() { self.looked_at(record, d) } else { law_of(&line, &pieces) };
        // All of the density lies beyond an end of the range: the value lies at that end.
        let law = law.or_else(|| Some(ValueDistribution::point(line.center.max(low).min(high))));
        // Of a density some may lie beside every whole number that the record can have: expected, but not possible.
        Some((low, high, law))
    }

    /// The numbers along a coordinate at those locations of a turned density that lie in the box.
    fn looked_at(&self, record: usize, d: usize) -> Option<ValueDistribution> {
        let release = self.release;
        let looks = &release.looks()[release.shape_of[record] as usize];
        let own = (d, vec![(f64::NEG_INFINITY, f64::INFINITY)], release.range(d));
        let inside = |(low, high): (f64, f64), x: f64| low <= x && x <= high;
        let numbers = looks.away.chunks(release.density.dimensions.len()).filter_map(|away| {
            let at = |d: usize| release.centers[d][record] + away[d];
            let within = |(d, intervals, range): &Ranges| {
                inside(*range, at(*d)) && intervals.iter().any(|&interval| inside(interval, at(*d)))
            };
            self.ranges.iter().chain([&own]).all(within).then(|| at(d))
        });
        ValueDistribution::uniform(numbers)
    }

    /// The share of a turned density, by looking at evenly spread locations of it.
    fn turned(&self, record: usize) -> f64 {
        let release = self.release;
        let looks = &release.looks()[release.shape_of[record] as usize];
        let center = |d: usize| release.centers[d][record];
        let known = |(low, high): (f64, f64), x: f64| low <= x && x <= high;
        // All locations or none of them: most records are far from most ends.
        let reaches = |d: usize| (center(d) + looks.reach[d].0, center(d) + looks.reach[d].1);
        let never = |(d, intervals, _): &&Ranges| {
            let (low, high) = reaches(*d);
            !intervals.iter().any(|&(from, to)| from <= high && low <= to)
        };
        if self.ranges.iter().any(|side| never(&side)) {
            return 0.0;
        }
        let open = |(d, intervals, range): &&Ranges| {
            let (low, high) = reaches(*d);
            let all_of_it = |(from, to): (f64, f64)| from <= low && high <= to;
            !(all_of_it(*range) && intervals.iter().any(|&interval| all_of_it(interval)))
        };
        let open: Vec<&Ranges> = self.ranges.iter().filter(open).collect();
        if open.is_empty() {
            return 1.0;
        }
        let dims = release.density.dimensions.len();
        let (mut inside, mut all) = (0_u32, 0_u32);
        for away in looks.away.chunks(dims) {
            let at = |d: usize| center(d) + away[d];
            if open.iter().all(|(d, _, range)| known(*range, at(*d))) {
                all += 1;
                let within = |(d, intervals, _): &&Ranges| intervals.iter().any(|&interval| known(interval, at(*d)));
                inside += u32::from(open.iter().all(within));
            }
        }
        if all > 0 {
            return f64::from(inside) / f64::from(all);
        }
        // All of it lies beyond what values there are: its record lies at that end.
        let end = |(d, intervals, range): &Ranges| {
            let end = release.centers[*d][record].clamp(range.0, range.1);
            intervals.iter().any(|&(from, to)| from <= end && end <= to)
        };
        f64::from(u8::from(self.ranges.iter().all(end)))
    }
}

/// How far from the published centre of a uniform density the true value can be: half a side, and what was rounded.
fn reach(line: &Marginal) -> f64 {
    line.scale * tolerance::HALF_SIDE + line.center.abs() * tolerance::CENTER
}

/// The part of a density in disjoint intervals, of the part `all` in the range of all values: [`Marginal::share`], faster.
fn share(line: &Marginal, intervals: &[(f64, f64)], range: (f64, f64), all: f64) -> f64 {
    if all < tolerance::LITTLE_MASS {
        return line.share(intervals, range);
    }
    let mass = |&(low, high): &(f64, f64)| mass(line, low.max(range.0), high.min(range.1));
    (intervals.iter().map(mass).sum::<f64>() / all).clamp(0.0, 1.0)
}

/// The part of a density between two locations.
pub(crate) fn mass(line: &Marginal, low: f64, high: f64) -> f64 {
    match line.family {
        Family::Gaussian if low < high => {
            let below = |x: f64| cumulative((x - line.center) / line.scale);
            below(high) - below(low)
        }
        _ => line.mass(low, high),
    }
}

/// Evenly spread locations of a shape, as they lie around a centre, and how far they reach along each coordinate.
#[derive(Debug)]
pub(crate) struct Looks {
    away: Vec<f64>,
    reach: Vec<(f64, f64)>,
}

impl Looks {
    /// The locations of every shape; none where no density is turned.
    pub(crate) fn all(release: &Uncertain) -> Vec<Self> {
        let (noise, dims) = (looks(release), release.density.dimensions.len());
        let of_shape = |(frame, _): &(super::math::Frame, super::math::density::Class)| {
            let mut away = Vec::with_capacity(noise.len());
            let mut location = vec![0.0; dims];
            let mut reach = vec![(f64::INFINITY, f64::NEG_INFINITY); dims];
            for noise in noise.chunks(dims.max(1)) {
                frame.undo(noise, &mut location);
                for ((x, dimension), reach) in location.iter().zip(&release.density.dimensions).zip(&mut reach) {
                    let x = x * dimension.unit;
                    *reach = (reach.0.min(x), reach.1.max(x));
                    away.push(x);
                }
            }
            Self { away, reach }
        };
        if noise.is_empty() { Vec::new() } else { release.shapes.iter().map(of_shape).collect() }
    }
}

/// How a density is distributed inside disjoint intervals in order; nothing where hardly any of it lies there.
fn law_of(line: &Marginal, intervals: &[(f64, f64)]) -> Option<ValueDistribution> {
    const PARTS: usize = 12;
    let support = match line.family {
        Family::Gaussian => 6.0 * line.scale,
        Family::Uniform => 0.5 * line.scale,
    };
    let (mut points, mut total, mut sum) = (Vec::with_capacity(PARTS * intervals.len()), 0.0, 0.0);
    for &(low, high) in intervals {
        let (low, high) = (low.max(line.center - support), high.min(line.center + support));
        if low >= high {
            continue;
        }
        let part = mass(line, low, high);
        total += part;
        sum += match line.family {
            Family::Gaussian => {
                let [a, b] = [low, high].map(|x| (x - line.center) / line.scale);
                line.center * part + line.scale * (density(a) - density(b))
            }
            Family::Uniform => f64::midpoint(low, high) * part,
        };
        let step = (high - low) / PARTS as f64;
        for part in 0..PARTS {
            let from = low + part as f64 * step;
            points.push((from + step / 2.0, mass(line, from, from + step)));
        }
    }
    if total <= tolerance::NO_MASS {
        return None;
    }
    Some(ValueDistribution { mean: sum / total, ..ValueDistribution::weighted(points)? })
}

fn looks(release: &Uncertain) -> Vec<f64> {
    if release.shapes.iter().all(|(frame, _)| frame.axes.is_none()) {
        return Vec::new();
    }
    let dims = release.density.dimensions.len();
    let look = |at: usize| {
        let even = radical_inverse(at / dims + 1, PRIMES[at % dims % PRIMES.len()]);
        match release.density.family {
            Family::Gaussian => quantile(even),
            Family::Uniform => even - 0.5,
        }
    };
    (0..SAMPLE_POINTS * dims).map(look).collect()
}

const PRIMES: [usize; 16] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53];

/// The digits of a number to a base, mirrored at the point (Halton's sequence).
fn radical_inverse(mut number: usize, base: usize) -> f64 {
    let (mut value, mut digit) = (0.0, 1.0 / base as f64);
    while number > 0 {
        value += (number % base) as f64 * digit;
        number /= base;
        digit /= base as f64;
    }
    value
}

/// The location below which a standard normal number is with this probability, by bisection.
fn quantile(share: f64) -> f64 {
    let (mut low, mut high) = (-9.0, 9.0);
    for _ in 0..48 {
        let middle = f64::midpoint(low, high);
        if super::math::normal::cumulative(middle) < share { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}
