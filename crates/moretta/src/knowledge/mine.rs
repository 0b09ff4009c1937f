//! Growing frequent itemsets, each with its histogram of sensitive values.
//!
//! As in FP-growth (Han, Pei, Yin 2000) an itemset is extended inside the people that satisfy it, and never looked for
//! among others. A node of a hierarchy is a run of ranks, so that one counting sort by rank gives the histograms
//! of all nodes of an attribute and, side by side, the people of each. Taking at most one item an attribute, no
//! itemset holds a value and its ancestor.

use rayon::prelude::*;

use super::items::Items;
use super::points::Evidence;
use super::rules::{Expected, Mining, Rule};
use super::value_sets::ValueSets;
use crate::numeric::tolerance;

/// What was found.
#[derive(Clone, Debug)]
pub(super) struct Mined {
    /// Frequent itemsets that exclude something.
    pub(super) itemsets: Vec<Itemset>,
    /// Rules below confidence 1.
    pub(super) weaker: Vec<Rule>,
    /// The values that the people of each point can't have.
    pub(super) incompatible: ValueSets,
}

/// Conditions that exclude values.
#[derive(Clone, Debug)]
pub(super) struct Itemset {
    pub(super) items: Vec<(usize, u32)>,
    pub(super) support: f64,
    /// The values excluded, as bits.
    pub(super) barred: Vec<u64>,
}

struct Miner<'a> {
    evidence: &'a Evidence<'a>,
    items: &'a [Items],
    mining: &'a Mining,
    expected: Expected,
    least: f64,
    /// The rank of each point, by attribute.
    ranks: Vec<Vec<u32>>,
}

/// People under way: points, and how far they satisfy the conditions so far.
type Members = Vec<(u32, f64)>;

/// The people of some points by the rank of one attribute.
struct ByRank {
    /// The points, rank by rank.
    order: Members,
    /// Where the points of each rank start, and where the last end.
    starts: Vec<u32>,
    /// People by rank.
    totals: Vec<f64>,
    /// People by rank and value.
    counts: Vec<f64>,
}

pub(super) fn mine(evidence: &Evidence<'_>, items: &[Items], mining: &Mining) -> Mined {
    let expected = Expected::new(&evidence.histogram());
    let least = expected.least_people(mining.min_expectation);
    let ranks = evidence.points.columns.iter().zip(evidence.scales).map(|(codes, scale)| {
        let ranks = scale.rank_of_codes();
        codes.iter().map(|&code| ranks[code as usize]).collect()
    });
    let miner = Miner { evidence, items, mining, expected, least, ranks: ranks.collect() };
    let everybody: Members = (0..evidence.points.len() as u32).map(|point| (point, 1.0)).collect();
    let start: Vec<(usize, ByRank)> = (0..items.len()).map(|a| (a, miner.by_rank(a, &everybody))).collect();
    let tasks: Vec<(usize, u32)> =
        (0..items.len()).flat_map(|a| (0..items[a].len() as u32).map(move |i| (a, i))).collect();
    tasks
        .par_iter()
        .fold(
            || miner.nothing(),
            |mut found, &(attribute, item)| {
                miner.take(attribute, item, &start[attribute].1, &mut Vec::new(), &mut found);
                found
            },
        )
        .reduce(
            || miner.nothing(),
            |mut a, mut b| {
                a.itemsets.append(&mut b.itemsets);
                a.weaker.append(&mut b.weaker);
                a.incompatible.join(&b.incompatible);
                a
            },
        )
}

impl Miner<'_> {
    fn nothing(&self) -> Mined {
        let incompatible = ValueSets::empty(self.evidence.points.len(), self.evidence.values);
        Mined { itemsets: Vec::new(), weaker: Vec::new(), incompatible }
    }

    /// Extends an itemset by every item of the attributes from one on.
    fn grow(&self, from: usize, members: &Members, items: &mut Vec<(usize, u32)>, found: &mut Mined) {
        for attribute in from..self.items.len() {
            let by_rank = self.by_rank(attribute, members);
            for item in 0..self.items[attribute].len() as u32 {
                self.take(attribute, item, &by_rank, items, found);
            }
        }
    }

    /// Looks at an itemset extended by one item, and at all that extend it further.
    fn take(&self, attribute: usize, item: u32, people: &ByRank, items: &mut Vec<(usize, u32)>, found: &mut Mined) {
        let members = &self.items[attribute].members[item as usize];
        let support: f64 = members.iter().map(|&(rank, degree)| degree * people.totals[rank as usize]).sum();
        if support <= 0.0 || support < self.least || self.evidence.token.is_cancelled() {
            return;
        }
        items.push((attribute, item));
        self.record(members, support, people, items, found);
        if items.len() < self.mining.max_items && attribute + 1 < self.items.len() {
            let mut inside: Members = Vec::new();
            for &(rank, degree) in members {
                inside.extend(people.at(rank).iter().map(|&(point, so_far)| (point, so_far * degree)));
            }
            self.grow(attribute + 1, &inside, items, found);
        }
        items.pop();
    }

    fn record(&self, members: &[(u32, f64)], support: f64, people: &ByRank, items: &[(usize, u32)], found: &mut Mined) {
        let values = self.evidence.values;
        let mut barred = vec![0_u64; values.div_ceil(64)];
        for value in 0..values as u32 {
            let expectation = self.expected.share(value, support);
            if expectation < self.mining.min_expectation - tolerance::KNOWN_RULE {
                continue;
            }
            let index = |rank: u32| rank as usize * values + value as usize;
            let having: f64 = members.iter().map(|&(rank, degree)| degree * people.counts[index(rank)]).sum();
            let confidence = 1.0 - having / support;
            if having <= 0.0 {
                barred[value as usize / 64] |= 1 << (value % 64);
            } else if confidence >= self.mining.min_confidence {
                found.weaker.push(Rule { items: items.to_vec(), value, support, expectation, confidence });
            }
        }
        if barred.iter().all(|&word| word == 0) {
            return;
        }
        for &(rank, _) in members.iter().filter(|&&(_, degree)| degree >= 1.0) {
            for &(point, _) in people.at(rank).iter().filter(|&&(_, so_far)| so_far >= 1.0) {
                found.incompatible.insert_all(point as usize, &barred);
            }
        }
        found.itemsets.push(Itemset { items: items.to_vec(), support, barred });
    }

    /// Sorts people by the rank of an attribute and counts their values.
    fn by_rank(&self, attribute: usize, members: &Members) -> ByRank {
        let (ranks, size, values) = (&self.ranks[attribute], self.items[attribute].ranks, self.evidence.values);
        let mut starts = vec![0_u32; size + 2];
        members.iter().for_each(|&(point, _)| starts[ranks[point as usize] as usize + 2] += 1);
        (1..starts.len()).for_each(|rank| starts[rank] += starts[rank - 1]);
        let mut order = vec![(0, 0.0); members.len()];
        let (mut totals, mut counts) = (vec![0.0; size], vec![0.0; size * values]);
        for &(point, degree) in members {
            let rank = ranks[point as usize] as usize;
            // Each entry is where the next point of its rank goes; in the end, where the rank ends.
            order[starts[rank + 1] as usize] = (point, degree);
            starts[rank + 1] += 1;
            for &(value, people) in self.evidence.at(point as usize) {
                let people = people as f64 * degree;
                counts[rank * values + value as usize] += people;
                totals[rank] += people;
            }
        }
        starts.pop();
        ByRank { order, starts, totals, counts }
    }
}

impl ByRank {
    fn at(&self, rank: u32) -> &[(u32, f64)] {
        &self.order[self.starts[rank as usize] as usize..self.starts[rank as usize + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::points::Points;
    use super::super::rules::Rules;
    use super::*;
    use crate::data::cells::count_distinct;
    use crate::data::domain::Domain;
    use crate::data::value::{Type, Value};
    use crate::hierarchy::{HierarchySpec, Scale};
    use crate::progress::CancelToken;

    /// Ages 20 to 29 in fives and tens, a flat place, two sexes without a hierarchy.
    fn scales() -> Vec<Scale> {
        let ages = Domain::from_sorted(Type::Integer, (20..30).map(Value::Integer).collect());
        let listed = |text: &[&[&str]]| {
            HierarchySpec::Listed(text.iter().map(|path| path.iter().map(ToString::to_string).collect()).collect())
        };
        let indices = listed(&[&["a", "A", "*"], &["b", "A", "*"], &["c", "C", "*"]]);
        vec![
            Scale::new(&HierarchySpec::Intervals(vec![2.0, 4.0]), Arc::new(ages), "age").unwrap(),
            Scale::new(&indices, Arc::new(Domain::labels(["a", "b", "c"])), "place").unwrap(),
            Scale::new(&HierarchySpec::Default, Arc::new(Domain::labels(["F", "M"])), "sex").unwrap(),
        ]
    }

    type Row = ([u32; 3], u32, u64);

    /// Items, the people that satisfy them, and how many of those have each value.
    type Conditions = (Vec<(usize, u32)>, f64, Vec<f64>);

    /// Every combination of items, or none, for each attribute: conditions, support, histogram.
    fn exhaustive(rows: &[Row], scales: &[Scale], items: &[Items]) -> Vec<Conditions> {
        let mut found = Vec::new();
        let choices = |a: usize| std::iter::once(None).chain((0..items[a].len() as u32).map(Some));
        for age in choices(0) {
            for index in choices(1) {
                for sex in choices(2) {
                    let chosen: Vec<(usize, u32)> =
                        [age, index, sex].iter().enumerate().filter_map(|(a, item)| Some((a, (*item)?))).collect();
                    let mut histogram = vec![0.0; 4];
                    for (codes, value, people) in rows {
                        let degree = |&(a, item): &(usize, u32)| {
                            let rank = scales[a].rank_of_codes()[codes[a] as usize];
                            items[a].members[item as usize].iter().find(|m| m.0 == rank).map_or(0.0, |m| m.1)
                        };
                        histogram[*value as usize] += *people as f64 * chosen.iter().map(degree).product::<f64>();
                    }
                    found.push((chosen, histogram.iter().sum(), histogram));
                }
            }
        }
        found
    }

    fn mine_rows(rows: &[Row], scales: &[Scale], mining: &Mining) -> (Rules, Points) {
        let column = |a: usize| rows.iter().map(|row| row.0[a]).collect::<Vec<u32>>();
        let (columns, values) = ([column(0), column(1), column(2)], rows.iter().map(|row| row.1).collect::<Vec<_>>());
        let people: Vec<u64> = rows.iter().map(|row| row.2).collect();
        let sized: Vec<(&[u32], usize)> = columns
            .iter()
            .zip(scales)
            .map(|(c, scale)| (c.as_slice(), scale.domain().len()))
            .chain([(values.as_slice(), 4)])
            .collect();
        let cells = count_distinct(&sized, rows.len(), Some(&people));
        let points = Points::of_cells(&cells, scales);
        let token = CancelToken::new();
        let evidence = Evidence::new(scales, &points, (&cells.columns[3], 4), &cells.people, &token);
        let names = ["age", "place", "sex"].map(str::to_owned);
        let rules = Rules::mine(&evidence, &names, mining).unwrap();
        (rules, points.clone())
    }

    fn rows() -> impl Strategy<Value = Vec<Row>> {
        let code = (0_u32..10, 0_u32..3, 0_u32..2).prop_map(|(age, index, sex)| [age, index, sex]);
        proptest::collection::vec((code, 0_u32..4, prop_oneof![Just(1_u64), 1_u64..9]), 1..30)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn rules_are_those_of_an_exhaustive_search(
            rows in rows(),
            expectation in prop_oneof![Just(0.0), Just(0.75), 0.0..1.0_f64],
            max_items in 1_usize..4,
            fuzzy in any::<bool>(),
        ) {
            let scales = scales();
            let mining = Mining { min_expectation: expectation, max_items, fuzzy, min_confidence: 0.8, flat: false };
            let (rules, points) = mine_rows(&rows, &scales, &mining);
            let all: u64 = rows.iter().map(|row| row.2).sum();
            let share = |value: usize| rows.iter().filter(|row| row.1 as usize == value).map(|row| row.2).sum::<u64>() as f64 / all as f64;
            let (mut sure, mut weaker) = (Vec::new(), Vec::new());
            let sets = exhaustive(&rows, &scales, &rules.items);
            for (items, support, histogram) in &sets {
                if items.is_empty() || items.len() > max_items || *support == 0.0 { continue }
                for (value, &having) in histogram.iter().enumerate() {
                    let expected = 1.0 - (1.0 - share(value)).powf(*support);
                    if (expected - expectation).abs() < 1e-11 && expectation > 0.0 { return Ok(()) }
                    if expected < expectation { continue }
                    let rule = (items.clone(), value as u32);
                    // Sums of thirds in another order may fall on the other side of the bound.
                    let confidence = 1.0 - having / support;
                    if (confidence - 0.8).abs() < 1e-9 { return Ok(()) }
                    if having == 0.0 { sure.push(rule) } else if 1.0 - having / support >= 0.8 { weaker.push(rule) }
                }
            }
            let key = |rule: &Rule| (rule.items.clone(), rule.value);
            let mut found: Vec<_> = rules.rules.iter().chain(&rules.redundant).map(key).collect();
            let mut found_weaker: Vec<_> = rules.weaker.iter().map(key).collect();
            for list in [&mut sure, &mut weaker, &mut found, &mut found_weaker] { list.sort() }
            prop_assert_eq!(&found, &sure);
            prop_assert_eq!(found_weaker, weaker);

            // Redundant: some other rule about the value has conditions that hold wherever this one's do.
            let ancestor = |a: usize, above: u32, mut below: u32| loop {
                if above == below { return true }
                match rules.items[a].parents[below as usize] { Some(parent) => below = parent, None => return false }
            };
            let implied = |(items, value): &(Vec<(usize, u32)>, u32)| sure.iter().any(|(general, other)| {
                other == value && general != items && general.iter().all(|&(a, above)| {
                    items.iter().any(|&(b, below)| a == b && ancestor(a, above, below))
                })
            });
            for rule in &rules.rules { prop_assert!(!implied(&key(rule)), "{:?}", rule) }
            for rule in &rules.redundant { prop_assert!(implied(&key(rule)), "{:?}", rule) }

            for point in 0..points.len() {
                let ranks: Vec<u32> = points.codes(point).iter().zip(&scales).map(|(&code, scale)| scale.rank_of_codes()[code as usize]).collect();
                prop_assert_eq!(rules.incompatible.iter(point).collect::<Vec<_>>(), rules.excluded(&ranks));
            }
        }
    }

    #[test]
    fn a_value_that_people_have_is_never_excluded_for_them() {
        let rows: Vec<Row> = (0..10).map(|age| ([age, age % 3, age % 2], age % 4, 50)).collect();
        let mining = Mining { max_items: 3, ..Mining::at(0.5) };
        let (rules, points) = mine_rows(&rows, &scales(), &mining);
        assert!(!rules.rules.is_empty());
        for (codes, value, _) in rows {
            let point = (0..points.len()).find(|&point| points.codes(point) == codes).unwrap();
            assert!(!rules.incompatible.contains(point, value));
        }
    }
}
