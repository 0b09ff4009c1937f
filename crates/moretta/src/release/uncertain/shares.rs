//! How much of each record lies in a box of a condition.

use super::Uncertain;
use crate::query::QueryBox;
use crate::release::tally::Law;
use crate::uncertain::Family;
use crate::uncertain::mass::Line;
use crate::uncertain::normal::density;

/// A box, made ready for the records of a release.
pub(super) struct Shares<'r> {
    release: &'r Uncertain,
    /// For attributes that are published as they are: which codes lie inside.
    exact: Vec<(&'r [u32], Vec<bool>)>,
    /// For numbers: the coordinate, its ranges, and the range of all values.
    ranges: Vec<Ranges>,
    /// For attributes with a coordinate a value: the coordinates, and which of them lie inside.
    values: Vec<(Vec<usize>, Vec<bool>)>,
    /// For turned densities: evenly spread places of a standard one, coordinates together.
    looks: Vec<f64>,
}

/// A coordinate, the ranges of it that lie inside, and the range of all its values.
type Ranges = (usize, Vec<(f64, f64)>, (f64, f64));

/// What is known about one record and a box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub(super) part: f64,
    pub(super) surely: bool,
    pub(super) maybe: bool,
}

const NOT_IN: Share = Share { part: 0.0, surely: false, maybe: false };

/// Places at which turned densities are looked at.
const LOOKS: usize = 128;

impl<'r> Shares<'r> {
    pub(super) fn new(release: &'r Uncertain, one: &QueryBox) -> Self {
        use super::Answers;
        let attributes = release.attributes();
        let mut shares =
            Self { release, exact: Vec::new(), ranges: Vec::new(), values: Vec::new(), looks: looks(release) };
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
            let (places, texts): (Vec<usize>, Vec<Option<&String>>) =
                of_attribute.map(|(d, one)| (d, one.value.as_ref())).unzip();
            if let [Some(_), ..] = texts.as_slice() {
                let inside =
                    texts.iter().flatten().map(|text| set.contains(&crate::data::Value::Text(text.as_str().into())));
                shares.values.push((places.clone(), inside.collect()));
            } else if let [place] = places.as_slice() {
                let whole = release.is_whole(*place);
                shares.ranges.push((*place, set.intervals(whole), release.range(*place)));
            }
        }
        shares
    }

    pub(super) fn of(&self, record: usize) -> Share {
        if self.exact.iter().any(|(codes, inside)| !inside[codes[record] as usize]) {
            return NOT_IN;
        }
        if self.ranges.is_empty() && self.values.is_empty() {
            return Share { part: 1.0, surely: true, maybe: true };
        }
        let release = self.release;
        let (frame, class) = &release.shapes[release.shape_of[record] as usize];
        let line = |d: usize| Line {
            family: release.density.family,
            center: release.centers[d][record],
            scale: class.scales[d],
        };
        let mut found = Share { part: 1.0, surely: true, maybe: true };
        if frame.axes.is_some() {
            // A turned density is no product: bounds are not worth what they cost.
            found = Share { part: self.turned(record, frame), surely: false, maybe: true };
        } else {
            for (d, intervals, range) in &self.ranges {
                let line = line(*d);
                found.part *= line.share(intervals, *range);
                if line.family == Family::Gaussian {
                    found.surely = false;
                    continue;
                }
                // The true value lies within half a side of the centre, which is rounded.
                let reach = line.scale * 0.5001;
                let (low, high) = ((line.center - reach).max(range.0), (line.center + reach).min(range.1));
                found.surely &= intervals.iter().any(|&(from, to)| from <= low && high <= to);
                found.maybe &= intervals.iter().any(|&(from, to)| from <= high && low <= to);
            }
        }
        for (places, inside) in &self.values {
            found.surely = false;
            // The value whose corner the centre fits best is the likeliest: Bayes, all values alike beforehand.
            let fit = |own: usize| -> f64 {
                places.iter().map(|&d| line(d).log_density(f64::from(u8::from(d == places[own])))).sum()
            };
            let fits: Vec<f64> = (0..places.len()).map(fit).collect();
            let best = fits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let weight = |fit: f64| if best == f64::NEG_INFINITY { 1.0 } else { (fit - best).exp() };
            let all: f64 = fits.iter().map(|&fit| weight(fit)).sum();
            let within: f64 = fits.iter().zip(inside).filter(|(_, inside)| **inside).map(|(&fit, _)| weight(fit)).sum();
            found.part *= within / all;
            found.maybe &= inside.iter().any(|inside| *inside);
        }
        found
    }

    /// The numbers that a record in the box may have along a coordinate: the smallest, the largest, how likely each is.
    /// Nothing where it can have none.
    pub(super) fn numbers(&self, record: usize, d: usize) -> Option<(f64, f64, Option<Law>)> {
        let release = self.release;
        let (frame, class) = &release.shapes[release.shape_of[record] as usize];
        let line = Line { family: release.density.family, center: release.centers[d][record], scale: class.scales[d] };
        let range = release.range(d);
        let everything = [(f64::NEG_INFINITY, f64::INFINITY)];
        let intervals = self.ranges.iter().find(|(place, ..)| *place == d).map_or(&everything[..], |side| &side.1);
        let reach = match line.family {
            Family::Uniform if frame.axes.is_none() => line.scale * 0.5001,
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
        let law = if frame.axes.is_some() { self.looked_at(record, frame, d) } else { law_of(&line, &pieces) };
        // All of the density lies beyond an end of the range: the value lies at that end.
        let law = law.or_else(|| Some(Law::point(line.center.clamp(low, high))));
        (low <= high).then_some((low, high, law))
    }

    /// The numbers along a coordinate at those places of a turned density that lie in the box.
    fn looked_at(&self, record: usize, frame: &crate::uncertain::Frame, d: usize) -> Option<Law> {
        let release = self.release;
        let dims = release.density.dimensions.len();
        let mut place = vec![0.0; dims];
        let mut found = Vec::new();
        let own = (d, vec![(f64::NEG_INFINITY, f64::INFINITY)], release.range(d));
        for noise in self.looks.chunks(dims) {
            frame.undo(noise, &mut place);
            let at = |d: usize| place[d] * release.density.dimensions[d].unit + release.centers[d][record];
            let inside = |(low, high): (f64, f64), x: f64| low <= x && x <= high;
            let within = |(d, intervals, range): &Ranges| {
                inside(*range, at(*d)) && intervals.iter().any(|&interval| inside(interval, at(*d)))
            };
            if self.ranges.iter().chain([&own]).all(within) {
                found.push(at(d));
            }
        }
        Law::uniform(found)
    }

    /// The share of a turned density, by looking at evenly spread places of it.
    fn turned(&self, record: usize, frame: &crate::uncertain::Frame) -> f64 {
        let release = self.release;
        let dims = release.density.dimensions.len();
        let mut place = vec![0.0; dims];
        let (mut inside, mut all) = (0_u32, 0_u32);
        for noise in self.looks.chunks(dims) {
            frame.undo(noise, &mut place);
            let at = |d: usize| place[d] * release.density.dimensions[d].unit + release.centers[d][record];
            let known = |range: (f64, f64), x: f64| range.0 <= x && x <= range.1;
            if self.ranges.iter().all(|(d, _, range)| known(*range, at(*d))) {
                all += 1;
                let within = |(d, intervals, _): &Ranges| intervals.iter().any(|&interval| known(interval, at(*d)));
                inside += u32::from(self.ranges.iter().all(within));
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

/// How a density is distributed inside disjoint intervals in order; nothing where hardly any of it lies there.
fn law_of(line: &Line, intervals: &[(f64, f64)]) -> Option<Law> {
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
        let mass = line.mass(low, high);
        total += mass;
        sum += match line.family {
            Family::Gaussian => {
                let [a, b] = [low, high].map(|x| (x - line.center) / line.scale);
                line.center * mass + line.scale * (density(a) - density(b))
            }
            Family::Uniform => f64::midpoint(low, high) * mass,
        };
        let step = (high - low) / PARTS as f64;
        for part in 0..PARTS {
            let from = low + part as f64 * step;
            points.push((from + step / 2.0, line.mass(from, from + step)));
        }
    }
    if total <= 1e-12 {
        return None;
    }
    Some(Law { mean: sum / total, ..Law::weighted(points)? })
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
    (0..LOOKS * dims).map(look).collect()
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

/// The place below which a standard normal number is with this probability, by bisection.
fn quantile(share: f64) -> f64 {
    let (mut low, mut high) = (-9.0, 9.0);
    for _ in 0..48 {
        let middle = f64::midpoint(low, high);
        if crate::uncertain::normal::cumulative(middle) < share { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}
