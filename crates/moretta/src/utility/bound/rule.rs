//! What any group must be that keeps the promises, in numbers that a price can be held against.

use super::table::{BoundTable, Priced};
use crate::model::{Composition, Requirement};

/// People of a group, in units, that any group which keeps the promise must have.
///
/// A group of m people has m · `unit` units. Of each value at most `caps` count as *spread*, and `spread` of them must be; the rest of `size` people
/// may be anybody. Caps that `grow` are those of a group of `size` people and larger in proportion in a larger group. Then
/// nothing is dearer, on average, than the dearest group of that size: a larger group, made smaller in proportion and of its dearest people, is no
/// cheaper. Caps that do not grow say nothing of whoever else joins.
#[derive(Debug)]
pub(super) struct GroupRule {
    size: u64,
    unit: u64,
    spread: u128,
    caps: Vec<u128>,
    grow: bool,
    /// The column of the values that it is about.
    column: Option<usize>,
}

/// Groups of more people than this are not sought: the promise then bounds their size no further.
const MOST_SIZES: u64 = 10_000;

/// RuleRoom to work in.
#[derive(Debug, Default)]
pub(super) struct RuleRoom {
    used: Vec<u128>,
    touched: Vec<u32>,
}

impl GroupRule {
    /// All that the promises say. Each rule holds by itself.
    ///
    /// Where rows of one person may be several, a group is judged by its people: it has at least as many rows, and every value of theirs.
    pub(super) fn of(requirement: &Requirement<'_>, left_out: u64, by_people: bool) -> Vec<Self> {
        let least = requirement.least_people();
        let mut rules = vec![Self::of_size(least)];
        for (column, composition) in requirement.compositions(left_out) {
            match composition {
                Composition::Distinct(values) if values > 1 => rules.push(Self::of_distinct(least, values, column)),
                Composition::Shares { caps, whole, least: spread } if !by_people && whole > 0 => {
                    rules.push(Self::of_shares(least, &caps, whole, spread, column));
                }
                Composition::Distinct(_) | Composition::Shares { .. } => {}
            }
        }
        rules
    }

    fn of_size(size: u64) -> Self {
        Self { size, unit: 1, spread: 0, caps: Vec::new(), grow: true, column: None }
    }

    fn of_distinct(least: u64, values: u64, column: usize) -> Self {
        let size = least.max(values);
        Self { size, unit: 1, spread: values.into(), caps: Vec::new(), grow: false, column: Some(column) }
    }

    fn of_shares(least: u64, shares: &[u64], whole: u64, spread: u64, column: usize) -> Self {
        let size = (least..least + MOST_SIZES).find(|&size| can_be(size, shares, whole, spread)).unwrap_or(least);
        let caps = shares.iter().map(|&share| u128::from(share) * u128::from(size)).collect();
        let spread = u128::from(spread) * u128::from(size);
        Self { size, unit: whole, spread, caps, grow: true, column: Some(column) }
    }

    /// The column of the values that it is about.
    pub(super) fn column(&self) -> Option<usize> {
        self.column
    }

    /// A price that no group of these cells, dearest first, is above on average; nothing if they hold no group.
    ///
    /// At least `floor`: whoever asks does not care what is below.
    pub(super) fn dearest(&self, priced: &Priced<'_>, cells: &[u32], floor: u64, room: &mut RuleRoom) -> Option<u64> {
        let mut level = floor;
        loop {
            let (mut sum, mut units) = (0_u128, 0_u128);
            let complete = self.fill(priced, cells, level, room, |cell, taken| {
                sum += u128::from(priced.prices[cell as usize]) * taken;
                units += taken;
            });
            if !complete {
                return None;
            }
            if sum <= u128::from(level) * units {
                return Some(level);
            }
            // Rounded up, so that the level is a price that none is above.
            level = u64::try_from(sum.div_ceil(units)).unwrap_or(u64::MAX);
            if self.grow {
                return Some(level);
            }
        }
    }

    /// The group of these cells, dearest first, that is most above a price: so many units of each. Whether there is a group at all.
    ///
    /// Groups that keep the rule are the bases of a matroid (of so many units, the union of a partition matroid, truncated, and a
    /// uniform one), and everybody else who is dearer joins: to take the dearest who fits, again and again, is best.
    pub(super) fn fill(
        &self,
        priced: &Priced<'_>,
        cells: &[u32],
        price: u64,
        room: &mut RuleRoom,
        mut take: impl FnMut(u32, u128),
    ) -> bool {
        let values = self.column.map(|column| priced.table.values[column].as_slice());
        let mut spread = self.spread;
        let mut free = (u128::from(self.size) * u128::from(self.unit)).saturating_sub(self.spread);
        room.clear();
        for &cell in cells {
            let row = priced.order[cell as usize] as usize;
            let dearer = priced.prices[cell as usize] > price;
            if spread == 0 && free == 0 && (self.grow || !dearer) {
                break;
            }
            let all = u128::from(priced.table.people[row]) * u128::from(self.unit);
            let as_spread = match values {
                Some(values) if spread > 0 => room.spread(values[row], self.cap(values[row]), all.min(spread)),
                _ => 0,
            };
            spread -= as_spread;
            let as_free = (all - as_spread).min(free);
            free -= as_free;
            let taken = if dearer && !self.grow { all } else { as_spread + as_free };
            if taken > 0 {
                take(cell, taken);
            }
        }
        spread == 0 && free == 0
    }

    fn cap(&self, value: u32) -> u128 {
        self.caps.get(value as usize).copied().unwrap_or(1)
    }

    pub(super) fn units_of_person(&self) -> u64 {
        self.unit
    }
}

impl RuleRoom {
    pub(super) fn for_table(table: &BoundTable) -> Self {
        let most = table.values.iter().flatten().max().map_or(0, |&value| value as usize + 1);
        Self { used: vec![0; most], touched: Vec::new() }
    }

    fn clear(&mut self) {
        for value in self.touched.drain(..) {
            self.used[value as usize] = 0;
        }
    }

    /// How many of so many units with a value count as spread, and takes note of them.
    fn spread(&mut self, value: u32, cap: u128, units: u128) -> u128 {
        let used = &mut self.used[value as usize];
        let more = (cap - *used).min(units);
        if more > 0 {
            if *used == 0 {
                self.touched.push(value);
            }
            *used += more;
        }
        more
    }
}

/// Whether so many whole people can be spread: each next person of a value adds what is left below its share, and the best of them are taken.
fn can_be(size: u64, shares: &[u64], whole: u64, spread: u64) -> bool {
    let (size, whole) = (u128::from(size), u128::from(whole));
    let mut left = size;
    let mut spread_units = 0;
    let mut rests: Vec<u128> = Vec::new();
    for &share in shares {
        let cap = u128::from(share) * size;
        let full = (cap / whole).min(left);
        left -= full;
        spread_units += full * whole;
        rests.push(cap % whole);
    }
    rests.sort_unstable_by(|a, b| b.cmp(a));
    spread_units += rests.iter().take(left as usize).sum::<u128>();
    spread_units >= u128::from(spread) * size
}
