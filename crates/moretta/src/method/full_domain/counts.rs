//! Groups of a node, counted from groups of a finer one.

use super::lattice::Lattice;
use crate::data::cells::count_distinct;
use crate::method::Task;

/// The groups of the finest node, and what is needed to find the groups of any other from them.
#[derive(Debug)]
pub(super) struct Base {
    /// `codes[attribute][group]`.
    pub(super) codes: Vec<Vec<u32>>,
    /// Where the cells of each group start; one more at the end. Cells are sorted by quasi-identifiers
    /// first, so those of a group stand side by side.
    pub(super) first_cell: Vec<u32>,
    /// `held_codes[attribute][number]`: the sensitive values that a number in [`HeldCounts`] stands for.
    pub(super) held_codes: Vec<Vec<u32>>,
    keys: Keys,
}

/// Groups with their people, a struct of arrays.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeCounts {
    /// A group of the finest node that this group contains.
    pub(super) first: Vec<u32>,
    pub(super) people: Vec<u64>,
    /// Which sensitive values the groups hold; nothing where no model needs to know.
    pub(super) held: Option<HeldCounts>,
    /// What tells groups apart: see [`Keys`].
    keys: Vec<u64>,
}

/// The combinations of sensitive values in each group, listing only what occurs.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldCounts {
    pub(super) starts: Vec<u32>,
    pub(super) numbers: Vec<u32>,
    pub(super) people: Vec<u64>,
}

/// `parts[attribute][level][code]`: the key of a group is the sum of its values' parts.
///
/// If the values of all attributes fit side by side into 64 bits a part is the value, shifted, and
/// keys are equal only for equal groups. Else a part is a scrambled number, the sum a hash, and groups
/// with equal keys are compared value by value.
#[derive(Debug)]
struct Keys {
    parts: Vec<Vec<Vec<u64>>>,
    exact: bool,
}

impl NodeCounts {
    pub(super) fn len(&self) -> usize {
        self.people.len()
    }

    /// How many numbers it keeps, to limit what is remembered.
    pub(super) fn weight(&self) -> usize {
        self.len() + self.held.as_ref().map_or(0, |held| held.numbers.len())
    }

    /// The same groups without their sensitive values.
    pub(super) fn sizes_only(&self) -> Self {
        Self { held: None, ..self.clone() }
    }
}

impl Base {
    /// The finest groups of a task, with sensitive values if `held`. One pass over the cells.
    pub(super) fn new(task: &Task<'_>, lattice: &Lattice, held: bool) -> (Self, NodeCounts) {
        let (quasi, sensitive) = task.cells.columns.split_at(lattice.attributes());
        let (cells, people) = (task.cells.len(), &task.cells.people);
        let starts = |&cell: &usize| cell == 0 || quasi.iter().any(|column| column[cell] != column[cell - 1]);
        let mut first_cell: Vec<u32> = (0..cells).filter(starts).map(|cell| cell as u32).collect();
        let codes: Vec<Vec<u32>> =
            quasi.iter().map(|column| first_cell.iter().map(|&cell| column[cell as usize]).collect()).collect();
        first_cell.push(cells as u32);
        let groups = first_cell.len() - 1;
        let sums = first_cell.windows(2).map(|ends| people[ends[0] as usize..ends[1] as usize].iter().sum());
        let (numbers, held_codes) = if held { number_sensitive(task, sensitive) } else { Default::default() };
        let keys = Keys::new(lattice);
        let key = |group: usize| {
            let part = |(attribute, column): (usize, &Vec<u32>)| keys.parts[attribute][0][column[group] as usize];
            codes.iter().enumerate().map(part).fold(0, u64::wrapping_add)
        };
        let counts = NodeCounts {
            first: (0..groups as u32).collect(),
            people: sums.collect(),
            held: held.then(|| HeldCounts { starts: first_cell.clone(), numbers, people: people.clone() }),
            keys: (0..groups).map(key).collect(),
        };
        (Self { codes, first_cell, held_codes, keys }, counts)
    }

    /// The groups of a node, and for each group of the source its number among them. `levels` may
    /// differ from the source's in the attributes `raised`, where the source is at level 0. Linear in the source.
    pub(super) fn roll_up(
        &self,
        source: &NodeCounts,
        lattice: &Lattice,
        levels: &[u16],
        raised: &[usize],
    ) -> (NodeCounts, Vec<u32>) {
        let telling = lattice.telling(levels);
        let keys = if telling.len() < raised.len() {
            self.keys_anew(source, levels, &telling)
        } else {
            self.keys_changed(source, levels, raised)
        };
        let compared: Vec<(&[u32], &[u32])> = telling
            .iter()
            .map(|&a| (&*lattice.ladders[a].value_of_code[levels[a] as usize], &*self.codes[a]))
            .collect();
        let same = |a: u32, b: u32| {
            self.keys.exact
                || compared
                    .iter()
                    .all(|(values, codes)| values[codes[a as usize] as usize] == values[codes[b as usize] as usize])
        };
        let bits = (2 * source.len()).next_power_of_two().trailing_zeros().max(1);
        let mask = (1_usize << bits) - 1;
        let mut table = vec![u32::MAX; 1 << bits];
        let mut target = NodeCounts::default();
        let mut group_of = Vec::with_capacity(source.len());
        for ((&key, &first), &people) in keys.iter().zip(&source.first).zip(&source.people) {
            let mut index = (key.wrapping_mul(SCRAMBLE) >> (64 - bits)) as usize;
            let group = loop {
                let group = table[index];
                if group == u32::MAX {
                    let group = target.first.len() as u32;
                    table[index] = group;
                    target.keys.push(key);
                    target.first.push(first);
                    target.people.push(0);
                    break group;
                }
                if target.keys[group as usize] == key && same(target.first[group as usize], first) {
                    break group;
                }
                index = (index + 1) & mask;
            };
            target.people[group as usize] += people;
            group_of.push(group);
        }
        target.held = source.held.as_ref().map(|held| self.merge(held, &group_of, target.len()));
        (target, group_of)
    }

    /// The keys of groups at a node, by what changes from those of a source that is at level 0 in the attributes `raised`.
    fn keys_changed(&self, source: &NodeCounts, levels: &[u16], raised: &[usize]) -> Vec<u64> {
        let mut keys = source.keys.clone();
        for &attribute in raised {
            let parts = &self.keys.parts[attribute];
            let change: Vec<u64> = parts[levels[attribute] as usize]
                .iter()
                .zip(&parts[0])
                .map(|(new, old)| new.wrapping_sub(*old))
                .collect();
            self.add_parts(&mut keys, source, attribute, &change);
        }
        keys
    }

    /// The same keys, from nothing but the attributes that tell groups apart: all others have one value.
    fn keys_anew(&self, source: &NodeCounts, levels: &[u16], telling: &[usize]) -> Vec<u64> {
        let others = (0..levels.len()).filter(|attribute| !telling.contains(attribute));
        let one_value = |a: usize| self.keys.parts[a][levels[a] as usize].first().copied().unwrap_or(0);
        let mut keys = vec![others.map(one_value).fold(0, u64::wrapping_add); source.len()];
        for &attribute in telling {
            self.add_parts(&mut keys, source, attribute, &self.keys.parts[attribute][levels[attribute] as usize]);
        }
        keys
    }

    fn add_parts(&self, keys: &mut [u64], source: &NodeCounts, attribute: usize, part_of_code: &[u64]) {
        let codes = &self.codes[attribute];
        for (key, &first) in keys.iter_mut().zip(&source.first) {
            *key = key.wrapping_add(part_of_code[codes[first as usize] as usize]);
        }
    }

    /// Adds up what the groups that become one hold.
    fn merge(&self, source: &HeldCounts, group_of: &[u32], groups: usize) -> HeldCounts {
        let mut ends = vec![0_u32; groups + 1];
        for &group in group_of {
            ends[group as usize + 1] += 1;
        }
        (0..groups).for_each(|group| ends[group + 1] += ends[group]);
        let mut order = vec![0_u32; group_of.len()];
        for (from, &group) in (0..).zip(group_of) {
            // Each start moves on as its group fills, and ends up at the group's end.
            order[ends[group as usize] as usize] = from;
            ends[group as usize] += 1;
        }
        let mut sums = vec![0_u64; self.held_codes.first().map_or(1, Vec::len)];
        let mut touched: Vec<u32> = Vec::new();
        let mut held = HeldCounts { starts: vec![0], ..HeldCounts::default() };
        let mut start = 0;
        for &end in &ends[..groups] {
            for &from in &order[start..end as usize] {
                let entries = source.starts[from as usize] as usize..source.starts[from as usize + 1] as usize;
                for (&number, &people) in source.numbers[entries.clone()].iter().zip(&source.people[entries]) {
                    if sums[number as usize] == 0 {
                        touched.push(number);
                    }
                    sums[number as usize] += people;
                }
            }
            start = end as usize;
            for number in touched.drain(..) {
                held.numbers.push(number);
                held.people.push(std::mem::take(&mut sums[number as usize]));
            }
            held.starts.push(held.numbers.len() as u32);
        }
        held
    }
}

/// Multiplying by 2^64 by the golden ratio spreads keys over the high bits.
const SCRAMBLE: u64 = 0x9E37_79B9_7F4A_7C15;

impl Keys {
    fn new(lattice: &Lattice) -> Self {
        let bits = |values: usize| values.next_power_of_two().trailing_zeros();
        // A level never has more values than the one below it.
        let widths: Vec<u32> = lattice.ladders.iter().map(|ladder| bits(ladder.nodes[0].len())).collect();
        let exact = widths.iter().sum::<u32>() < 64;
        let mut shift = 0;
        let parts = lattice.ladders.iter().zip(&widths).zip(1_u64..).map(|((ladder, width), number)| {
            let part = |&value: &u32| {
                if exact { u64::from(value) << shift } else { scramble(number << 32 | u64::from(value)) }
            };
            let parts = ladder.value_of_code.iter().map(|values| values.iter().map(part).collect()).collect();
            shift += width;
            parts
        });
        Self { parts: parts.collect(), exact }
    }
}

/// The finalizer of splitmix64: every bit of the input moves about half of the output's.
fn scramble(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// Numbers the combinations of sensitive values: the number of each cell, and the codes of each number.
fn number_sensitive(task: &Task<'_>, sensitive: &[Vec<u32>]) -> (Vec<u32>, Vec<Vec<u32>>) {
    if let Some(persons) = &task.persons {
        // A number stands for a person too, so that those of a group can be told apart however groups are joined.
        let sizes = task.sensitive_sizes.iter().copied().chain([persons.len]);
        let sized = sensitive.iter().take(task.sensitive_sizes.len()).map(Vec::as_slice).chain([persons.of_cell]);
        let distinct = count_distinct(&sized.zip(sizes).collect::<Vec<_>>(), task.cells.len(), None);
        return (distinct.cell_of_row, distinct.columns);
    }
    if let ([only], [size]) = (sensitive, task.sensitive_sizes.as_slice()) {
        return (only.clone(), vec![(0..*size as u32).collect()]);
    }
    let sized = sensitive.iter().map(Vec::as_slice).zip(task.sensitive_sizes.iter().copied());
    let distinct = count_distinct(&sized.collect::<Vec<_>>(), task.cells.len(), None);
    (distinct.cell_of_row, distinct.columns)
}
