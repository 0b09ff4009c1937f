//! Who is left, found by what it costs to join a cluster.
//!
//! Points are sorted attribute by attribute, those of few values first, so that they form a tree: the points of a run share their first
//! ranks. A search descends into the ranks that widen the cluster's box least, and leaves a run alone when widening for the ranks that it
//! shares costs more already than the best point found so far.

use crate::method::recoding::local::{Field, LocalPoints};
use crate::numeric::tolerance;

/// The points that have people left.
pub(super) struct Nearest<'f> {
    field: &'f Field<'f>,
    /// The attributes, in the order of sorting.
    order: Vec<usize>,
    /// The points in that order.
    sorted: Vec<u32>,
    /// `ranks[depth][place]`: the rank of the point at a place on the attribute `order[depth]`.
    ranks: Vec<Vec<u32>>,
    place_of: Vec<u32>,
    /// From each place, some place on the way to the next whose point has people left: itself, if it has.
    onward: Vec<u32>,
    empty: usize,
}

/// A box around a cluster: a node for each attribute.
type Nodes = Vec<u32>;

impl<'f> Nearest<'f> {
    pub(super) fn new(field: &'f Field<'f>, points: &LocalPoints) -> Self {
        let (order, sorted, ranks) = points.in_order();
        let (order, sorted, ranks) = (order.to_vec(), sorted.to_vec(), ranks.to_vec());
        let mut nearest =
            Self { field, order, sorted, ranks, place_of: vec![0; points.len()], onward: Vec::new(), empty: 0 };
        nearest.number();
        nearest
    }

    fn number(&mut self) {
        (0..).zip(&self.sorted).for_each(|(place, &point)| self.place_of[point as usize] = place);
        self.onward = (0..=self.sorted.len() as u32).collect();
        self.empty = 0;
    }

    /// Nobody is left at a point. When half of all points are such, they are forgotten: searches then cost what is left, not what was.
    pub(super) fn forget(&mut self, point: u32) {
        let place = self.place_of[point as usize];
        self.onward[place as usize] = place + 1;
        self.empty += 1;
        if 2 * self.empty > self.sorted.len() {
            let left: Vec<usize> = (0..self.sorted.len()).filter(|&at| self.onward[at] as usize == at).collect();
            self.sorted = left.iter().map(|&at| self.sorted[at]).collect();
            for ranks in &mut self.ranks {
                *ranks = left.iter().map(|&at| ranks[at]).collect();
            }
            self.number();
        }
    }

    /// The first place from here on whose point has people left.
    fn next(&mut self, mut place: usize) -> usize {
        while self.onward[place] as usize != place {
            let onward = self.onward[place] as usize;
            self.onward[place] = self.onward[onward];
            place = onward;
        }
        place
    }

    /// The box that costs least of those around a cluster's box in which there is somebody whom `takes` accepts; of boxes that cost
    /// the same, the first by their nodes.
    pub(super) fn cheapest(&mut self, nodes: &[u32], takes: &mut dyn FnMut(u32) -> bool) -> Option<Nodes> {
        if self.next(0) == self.sorted.len() {
            return None;
        }
        let mut rest = vec![0.0; self.order.len() + 1];
        for (depth, &attribute) in self.order.iter().enumerate().rev() {
            rest[depth] = rest[depth + 1] + self.field.taxonomies[attribute].loss(nodes[attribute]);
        }
        let mut search = Search { start: nodes, rest, chosen: nodes.to_vec(), best: None, takes };
        self.descend(&mut search, 0, (0, self.sorted.len()), 0.0);
        search.best.map(|(_, nodes)| nodes)
    }

    /// Looks at the points of a run that share their ranks up to a depth, for which widening costs `spent`; says whether one was accepted.
    fn descend(&mut self, search: &mut Search<'_>, depth: usize, (from, to): (usize, usize), spent: f64) -> bool {
        let field = self.field;
        let Some(&attribute) = self.order.get(depth) else {
            let accepted = (search.takes)(self.sorted[from]);
            if accepted {
                search.offer(field);
            }
            return accepted;
        };
        let mut found = false;
        let taxonomy = &field.taxonomies[attribute];
        let is_last = depth + 1 == self.order.len();
        let mut node = Some(search.start[attribute]);
        // Ranks under a node and not under the one below it cost the same; each node above costs more.
        let mut inner: Option<(usize, usize)> = None;
        while let Some(wider) = node {
            let spent = spent + taxonomy.loss(wider);
            if search.is_beaten(spent + search.rest[depth + 1]) || field.task.token.is_cancelled() {
                return found;
            }
            let (first, last) = taxonomy.span(wider);
            let start = match inner {
                None => from + self.ranks[depth][from..to].partition_point(|&rank| rank < first),
                Some((inner, _)) => from + self.ranks[depth][from..inner].partition_point(|&rank| rank < first),
            };
            let end = match inner {
                None => start + self.ranks[depth][start..to].partition_point(|&rank| rank <= last),
                Some((_, inner)) => inner + self.ranks[depth][inner..to].partition_point(|&rank| rank <= last),
            };
            let sides = match inner {
                None => [(start, end), (end, end)],
                Some((low, high)) => [(start, low), (high, end)],
            };
            search.chosen[attribute] = wider;
            for (mut at, behind) in sides {
                loop {
                    at = self.next(at);
                    if at >= behind {
                        break;
                    }
                    let rank = self.ranks[depth][at];
                    let run = at + run_of(&self.ranks[depth][at..behind], rank);
                    found |= self.descend(search, depth + 1, (at, run), spent);
                    // All others under the node would cost the same.
                    if found && is_last {
                        return true;
                    }
                    at = run;
                }
            }
            inner = Some((start, end));
            node = taxonomy.above(wider);
        }
        found
    }

    /// Calls `visit` for the points in a box that have people left, in their order, until it says that this is enough.
    pub(super) fn visit(&mut self, nodes: &[u32], visit: &mut dyn FnMut(u32) -> bool) {
        let spans: Vec<(u32, u32)> =
            self.field.taxonomies.iter().zip(nodes).map(|(taxonomy, &node)| taxonomy.span(node)).collect();
        self.walk(0, (0, self.sorted.len()), &spans, visit);
    }

    fn walk(
        &mut self,
        depth: usize,
        (from, to): (usize, usize),
        spans: &[(u32, u32)],
        visit: &mut dyn FnMut(u32) -> bool,
    ) -> bool {
        let Some(&attribute) = self.order.get(depth) else { return visit(self.sorted[from]) };
        let (first, last) = spans[attribute];
        let mut at = from + self.ranks[depth][from..to].partition_point(|&rank| rank < first);
        loop {
            at = self.next(at);
            if at >= to || self.ranks[depth][at] > last {
                return false;
            }
            let run = at + run_of(&self.ranks[depth][at..to], self.ranks[depth][at]);
            if self.walk(depth + 1, (at, run), spans, visit) {
                return true;
            }
            at = run;
        }
    }
}

/// How many ranks at the beginning of a sorted run are the same; quick where they are few.
fn run_of(ranks: &[u32], rank: u32) -> usize {
    let mut reach = 1;
    while reach < ranks.len() && ranks[reach] == rank {
        reach *= 2;
    }
    let known = reach / 2;
    known + ranks[known..reach.min(ranks.len())].partition_point(|&other| other == rank)
}

/// A search under way.
struct Search<'s> {
    start: &'s [u32],
    /// What the attributes from a depth on cost at least.
    rest: Vec<f64>,
    chosen: Nodes,
    best: Option<(f64, Nodes)>,
    takes: &'s mut dyn FnMut(u32) -> bool,
}

impl Search<'_> {
    fn is_beaten(&self, cost: f64) -> bool {
        self.best.as_ref().is_some_and(|(best, _)| cost > best + tolerance::OTHER_ORDER)
    }

    fn offer(&mut self, field: &Field<'_>) {
        let loss: f64 = field.taxonomies.iter().zip(&self.chosen).map(|(t, &node)| t.loss(node)).sum();
        let better = self
            .best
            .as_ref()
            .is_none_or(|(best, nodes)| loss.total_cmp(best).then_with(|| self.chosen.cmp(nodes)).is_lt());
        if better {
            self.best = Some((loss, self.chosen.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::cells::count_distinct;
    use crate::data::role::Role;
    use crate::data::table::Column;
    use crate::data::value::{Type, Value};
    use crate::hierarchy::Scale;
    use crate::method::Task;
    use crate::model::Requirement;
    use crate::progress::CancelToken;
    use crate::release::TableSummary;
    use crate::testkit::tables::{column, parse, table, text};

    const ATTRIBUTES: &str = r#"
        [data]
        source = "toy.csv"
        [attributes]
        age = { role = "quasi", type = "integer" }
        zip = { role = "quasi", type = "text", hierarchy = { mask = "right" } }
        city = { role = "quasi", type = "text", importance = 0.5 }
        [method]
        name = "clustering"
    "#;

    type Row = (i64, &'static str, &'static str);

    fn rows() -> impl Strategy<Value = Vec<Row>> {
        let zip = proptest::sample::select(vec!["11", "12", "13", "2", "21", "3141", "3142"]);
        let city = proptest::sample::select(vec!["a", "b", "c"]);
        proptest::collection::vec((0_i64..30, zip, city), 1..60)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn the_box_found_costs_least_and_all_in_it_are_visited(
            rows in rows(),
            seed in any::<prop::sample::Index>(),
            gone in proptest::collection::vec(any::<bool>(), 60),
            picky in 1_u32..4,
        ) {
            let policy = parse(ATTRIBUTES, &["model = \"k-anonymity\", k = 2".to_owned()]).unwrap();
            let texts = |name, pick: fn(&Row) -> &'static str| {
                column(name, Type::Text, rows.iter().map(|row| text(pick(row))).collect())
            };
            let age = column("age", Type::Integer, rows.iter().map(|row| Value::Integer(row.0)).collect());
            let original =
                table(vec![age, texts("zip", |row| row.1), texts("city", |row| row.2)], vec![], vec![1; rows.len()]);
            let whole = TableSummary::of_table(&original, &[]).unwrap();
            let Ok(requirement) = Requirement::prepare(&policy.models, &whole) else { return Ok(()) };
            let quasi: Vec<_> = policy.with_role(Role::Quasi).collect();
            let scales: Vec<Scale> = original
                .quasi
                .iter()
                .zip(&quasi)
                .map(|(column, a)| Scale::new(&a.hierarchy, column.domain.clone(), &column.name).unwrap())
                .collect();
            let columns: Vec<_> = original.quasi.iter().map(Column::counted).collect();
            let cells = count_distinct(&columns, rows.len(), None);
            let token = CancelToken::new();
            let task = Task {
                quasi_names: quasi.iter().map(|attribute| attribute.name.clone()).collect(),
                scales: &scales,
                cells: &cells,
                sensitive_sizes: Vec::new(),
                requirement: &requirement,
                whole: &whole,
                may_suppress: 0,
                seed: crate::chance::Seed(0),
                branches: None,
                persons: None,
                links: &[],
                group: None,
                token: &token,
            };
            let field = Field::new(&task);
            let points = LocalPoints::new(&field);
            let mut nearest = Nearest::new(&field, &points);
            let seed = seed.index(points.len());
            let left = |point: u32| point as usize == seed || !gone[point as usize];
            (0..points.len() as u32).filter(|&point| !left(point)).for_each(|point| nearest.forget(point));
            let rank = |attribute: usize, point: u32| field.ranks[attribute][points.cells(point).start as usize];
            let leaf = |attribute: usize| field.taxonomies[attribute].leaf(rank(attribute, seed as u32));
            let start: Vec<u32> = (0..3).map(leaf).collect();

            let accepts = |point: u32| point.is_multiple_of(picky);
            let around = |point: u32| {
                let widen = |a: usize| field.taxonomies[a].widen(start[a], rank(a, point));
                let nodes: Vec<u32> = (0..3).map(widen).collect();
                let loss: f64 = field.taxonomies.iter().zip(&nodes).map(|(t, &node)| t.loss(node)).sum();
                (loss, nodes)
            };
            let candidates = (0..points.len() as u32).filter(|&point| left(point) && accepts(point)).map(around);
            let slow = candidates.min_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1))).map(|(_, nodes)| nodes);
            let fast = nearest.cheapest(&start, &mut |point| accepts(point));
            prop_assert_eq!(&fast, &slow);

            let Some(nodes) = fast else { return Ok(()) };
            let inside = |point: u32| (0..3).all(|a| {
                let (first, last) = field.taxonomies[a].span(nodes[a]);
                (first..=last).contains(&rank(a, point))
            });
            let mut slow = Vec::new();
            let spans: Vec<(u32, u32)> = (0..3).map(|a| field.taxonomies[a].span(nodes[a])).collect();
            points.visit_while(&spans, &mut |point| {
                slow.extend((left(point) && inside(point)).then_some(point));
                true
            });
            let mut fast = Vec::new();
            nearest.visit(&nodes, &mut |point| {
                fast.push(point);
                false
            });
            prop_assert_eq!(fast, slow);
        }
    }
}
