//! From the people of a range to groups of people who resemble each other.
//!
//! Nothing here knows a value, or tells one colour from another: colours only say who must not be counted twice. Widths are taken from
//! the least and the greatest rank, in which the order of colours plays no part, not even by rounding.

use crate::method::Task;
use crate::progress::CancelToken;

/// Parts of fewer people are split in one thread.
const PARALLEL_PEOPLE: usize = 4096;

/// In parts of up to so many people every attribute is tried, and the one taken that leaves the least; in larger ones, the widest.
const TRIED_PEOPLE: usize = 4096;

/// The people of a range, where their ranks are looked up.
struct Splitter<'a> {
    task: &'a Task<'a>,
    /// `ranks[attribute][colour][person]`.
    ranks: Vec<Vec<Vec<u32>>>,
    /// A group has so many people of each colour at least.
    least: usize,
    token: &'a CancelToken,
}

/// Some people of each colour, as many of each.
type Part = Vec<Vec<u32>>;

/// The cells of each group. A range of fewer than `least` people a colour is one.
pub(super) fn split(task: &Task<'_>, ranks: &[Vec<u32>], people: &[Vec<u32>], least: usize) -> Vec<Vec<u32>> {
    let of_attribute = |column: &Vec<u32>| -> Vec<Vec<u32>> {
        people.iter().map(|cells| cells.iter().map(|&cell| column[cell as usize]).collect()).collect()
    };
    let splitter =
        Splitter { task, ranks: ranks.iter().map(of_attribute).collect(), least: least.max(1), token: task.token };
    let everybody: Part = people.iter().map(|cells| (0..cells.len() as u32).collect()).collect();
    let mut groups = Vec::new();
    splitter.split(everybody, &mut groups);
    let cells = |part: &Part| -> Vec<u32> {
        part.iter()
            .zip(people)
            .flat_map(|(of_colour, cells)| of_colour.iter().map(|&one| cells[one as usize]))
            .collect()
    };
    groups.iter().map(cells).collect()
}

impl Splitter<'_> {
    fn split(&self, part: Part, groups: &mut Vec<Part>) {
        let each = part.first().map_or(0, Vec::len);
        if each < 2 * self.least || self.token.is_cancelled() {
            groups.push(part);
            return;
        }
        let Some((left, right)) = self.halves(&part) else {
            groups.push(part);
            return;
        };
        if each * part.len() >= PARALLEL_PEOPLE {
            let mut others = Vec::new();
            rayon::join(|| self.split(left, groups), || self.split(right, &mut others));
            groups.append(&mut others);
        } else {
            self.split(left, groups);
            self.split(right, groups);
        }
    }

    /// The two halves that differ least inside; nothing if all are equal already.
    fn halves(&self, part: &Part) -> Option<(Part, Part)> {
        let widths: Vec<f64> = (0..self.ranks.len()).map(|attribute| self.width(part, attribute)).collect();
        let wide = (0..widths.len()).filter(|&attribute| widths[attribute] > 0.0);
        if part.len() * part[0].len() > TRIED_PEOPLE {
            let widest = wide.reduce(|best, other| if widths[other] > widths[best] { other } else { best })?;
            return Some(self.halve(part, widest));
        }
        let tried = wide.map(|attribute| {
            let (left, right) = self.halve(part, attribute);
            let cost = |half: &Part| -> f64 {
                let width: f64 = (0..self.ranks.len()).map(|attribute| self.width(half, attribute)).sum();
                width * half[0].len() as f64
            };
            (cost(&left) + cost(&right), (left, right))
        });
        tried.reduce(|best, other| if other.0 < best.0 { other } else { best }).map(|(_, halves)| halves)
    }

    /// Of each colour, the lower half of its people by an attribute, and the rest.
    fn halve(&self, part: &Part, attribute: usize) -> (Part, Part) {
        let of_colour = |(people, ranks): (&Vec<u32>, &Vec<u32>)| {
            let mut people = people.clone();
            let half = people.len() / 2;
            // Where ranks are equal, the other attributes decide, and chance at last: both are in the order of people.
            people.select_nth_unstable_by_key(half, |&one| (ranks[one as usize], one));
            let upper = people.split_off(half);
            (people, upper)
        };
        part.iter().zip(&self.ranks[attribute]).map(of_colour).unzip()
    }

    fn width(&self, part: &Part, attribute: usize) -> f64 {
        let (mut first, mut last) = (u32::MAX, 0);
        for (people, ranks) in part.iter().zip(&self.ranks[attribute]) {
            for &one in people {
                first = first.min(ranks[one as usize]);
                last = last.max(ranks[one as usize]);
            }
        }
        self.task.scales[attribute].width(first, last)
    }
}
