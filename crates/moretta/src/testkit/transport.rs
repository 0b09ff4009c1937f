//! The earth mover's distance for any ground distance, as a transport problem.

use crate::distance::histogram::{Pair, pair};
use crate::error::{Error, Result};

/// The least work `Σ fᵢⱼ·dᵢⱼ` over all flows f ≥ 0 with `Σⱼ fᵢⱼ = pᵢ` and `Σᵢ fᵢⱼ = qⱼ`.
///
/// `ground(i, j)` must be finite and not negative; it need be neither symmetric nor a metric. Supplies are the whole
/// numbers `pᵢ·N_Q` and `qⱼ·N_P`, so that only costs are rounded.
///
/// Successive shortest paths with potentials on the dense bipartite graph: O(m²) a path; random histograms over 60 to 400
/// values took 2m to 5m paths. For domains of up to some hundreds of values; the closed forms of [`crate::distance::emd`] are O(m).
/// Li (2010), section 2.3.3; Ahuja, Magnanti and Orlin, *Network Flows*, section 9.7.
pub(crate) fn emd(group: &[u64], whole: &[u64], ground: impl Fn(usize, usize) -> f64) -> Result<f64> {
    let (n_group, n_whole) = match pair(group, whole) {
        Pair::Settled(distance) => return Ok(distance),
        Pair::Totals { group, whole } => (u128::from(group), u128::from(whole)),
    };
    let (sources, supply) = positive(group, n_whole);
    let (sinks, demand) = positive(whole, n_group);
    let mut cost = Vec::with_capacity(sources.len() * sinks.len());
    for &i in &sources {
        for &j in &sinks {
            let distance = ground(i, j);
            if !(distance.is_finite() && distance >= 0.0) {
                return Err(Error::input(format!("the ground distance of the codes {i} and {j} is {distance}"))
                    .help("ground distances are finite and not negative"));
            }
            cost.push(distance);
        }
    }
    let work = Transport::new(cost, supply, demand).solve()?;
    Ok(work / (n_group as f64 * n_whole as f64))
}

/// The codes that hold anyone, and how much each of them holds.
fn positive(counts: &[u64], factor: u128) -> (Vec<usize>, Vec<u128>) {
    let held = counts.iter().enumerate().filter(|&(_, &count)| count > 0);
    held.map(|(code, &count)| (code, u128::from(count) * factor)).unzip()
}

/// A balanced transport problem and the flow found so far, row by row.
///
/// Invariant: `cost − u − v ≥ 0` on every arc and `= 0` where anything flows, up to rounding.
struct Transport {
    cost: Vec<f64>,
    flow: Vec<u128>,
    supply: Vec<u128>,
    demand: Vec<u128>,
    u: Vec<f64>,
    v: Vec<f64>,
}

/// Shortest paths from one source, by reduced cost.
struct Paths {
    source_at: Vec<f64>,
    sink_at: Vec<f64>,
    sink_done: Vec<bool>,
    /// The sink through which a source was reached, backwards over an arc that carries flow.
    source_via: Vec<usize>,
    /// The source from which a sink is reached.
    sink_via: Vec<usize>,
}

impl Transport {
    fn new(cost: Vec<f64>, supply: Vec<u128>, demand: Vec<u128>) -> Self {
        let (u, v) = (vec![0.0; supply.len()], vec![0.0; demand.len()]);
        Self { flow: vec![0; cost.len()], cost, supply, demand, u, v }
    }

    fn solve(mut self) -> Result<f64> {
        for source in 0..self.supply.len() {
            while self.supply[source] > 0 {
                let (paths, target) =
                    self.shortest_path(source).ok_or_else(|| Error::bug("no way is left to a sink"))?;
                self.raise_potentials(&paths, target);
                self.send(&paths, source, target);
            }
        }
        Ok(self.flow.iter().zip(&self.cost).map(|(&flow, cost)| flow as f64 * cost).sum())
    }

    fn arc(&self, source: usize, sink: usize) -> usize {
        source * self.demand.len() + sink
    }

    /// Dijkstra's algorithm from `source` to the nearest sink that still wants something.
    fn shortest_path(&self, source: usize) -> Option<(Paths, usize)> {
        let (sources, sinks) = (self.supply.len(), self.demand.len());
        let mut paths = Paths {
            source_at: vec![f64::INFINITY; sources],
            sink_at: vec![f64::INFINITY; sinks],
            sink_done: vec![false; sinks],
            source_via: vec![usize::MAX; sources],
            sink_via: vec![usize::MAX; sinks],
        };
        paths.source_at[source] = 0.0;
        self.relax(&mut paths, source);
        loop {
            let open = (0..sinks).filter(|&sink| !paths.sink_done[sink]);
            let nearest = open.min_by(|&a, &b| paths.sink_at[a].total_cmp(&paths.sink_at[b]))?;
            paths.sink_done[nearest] = true;
            if self.demand[nearest] > 0 {
                return Some((paths, nearest));
            }
            for upstream in 0..sources {
                if paths.source_at[upstream].is_infinite() && self.flow[self.arc(upstream, nearest)] > 0 {
                    // An arc that carries flow costs nothing, either way.
                    paths.source_at[upstream] = paths.sink_at[nearest];
                    paths.source_via[upstream] = nearest;
                    self.relax(&mut paths, upstream);
                }
            }
        }
    }

    fn relax(&self, paths: &mut Paths, source: usize) {
        for sink in 0..self.demand.len() {
            // Rounding may leave a reduced cost a little below 0, where it stands for 0.
            let reduced = (self.cost[self.arc(source, sink)] - self.u[source] - self.v[sink]).max(0.0);
            let distance = paths.source_at[source] + reduced;
            if !paths.sink_done[sink] && distance < paths.sink_at[sink] {
                paths.sink_at[sink] = distance;
                paths.sink_via[sink] = source;
            }
        }
    }

    fn raise_potentials(&mut self, paths: &Paths, target: usize) {
        let reach = paths.sink_at[target];
        for (u, at) in self.u.iter_mut().zip(&paths.source_at) {
            *u += (reach - at).max(0.0);
        }
        for ((v, at), done) in self.v.iter_mut().zip(&paths.sink_at).zip(&paths.sink_done) {
            if *done {
                *v -= (reach - at).max(0.0);
            }
        }
    }

    /// Sends as much as the path from `source` to `target` takes.
    fn send(&mut self, paths: &Paths, source: usize, target: usize) {
        let mut amount = self.supply[source].min(self.demand[target]);
        let mut at = paths.sink_via[target];
        while at != source {
            amount = amount.min(self.flow[self.arc(at, paths.source_via[at])]);
            at = paths.sink_via[paths.source_via[at]];
        }
        self.supply[source] -= amount;
        self.demand[target] -= amount;
        let mut sink = target;
        loop {
            let at = paths.sink_via[sink];
            let forward = self.arc(at, sink);
            self.flow[forward] += amount;
            if at == source {
                return;
            }
            sink = paths.source_via[at];
            let back = self.arc(at, sink);
            self.flow[back] -= amount;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::testing::close;
    use proptest::prelude::*;

    /// With n people on each side, one a code, the least work is the best of all n! pairings.
    fn best_pairing(cost: &[Vec<f64>], row: usize, taken: &mut Vec<bool>) -> f64 {
        if row == cost.len() {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        for column in 0..cost.len() {
            if !taken[column] {
                taken[column] = true;
                best = best.min(cost[row][column] + best_pairing(cost, row + 1, taken));
                taken[column] = false;
            }
        }
        best
    }

    #[test]
    fn a_detour_is_taken_back_when_it_stops_paying() {
        // The first source would rather use the sink that the second one can't do without.
        let cost = [[1.0, 2.0], [1.0, 9.0]];
        assert!(close(emd(&[1, 1], &[1, 1], |i, j| cost[i][j]).unwrap(), 1.5));
    }

    #[test]
    fn ground_distances_that_are_none_are_refused() {
        for distance in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(emd(&[1, 1], &[1, 1], |_, _| distance).is_err());
        }
        assert!(close(emd(&[0, 0], &[1, 1], |_, _| -1.0).unwrap(), 0.0));
        assert!(emd(&[1, 1], &[0, 0], |_, _| 1.0).unwrap().is_infinite());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn it_finds_the_best_pairing_under_any_ground(
            cost in (1_usize..7).prop_flat_map(|n| proptest::collection::vec(proptest::collection::vec(0.0..1.0_f64, n), n))
        ) {
            let n = cost.len();
            let best = best_pairing(&cost, 0, &mut vec![false; n]) / n as f64;
            prop_assert!(close(emd(&vec![1; n], &vec![1; n], |i, j| cost[i][j]).unwrap(), best));
        }

        #[test]
        fn codes_that_share_a_place_may_be_merged(
            counts in proptest::collection::vec((0_u64..5, 0_u64..5), 2..7),
            cost in proptest::collection::vec(0.0..1.0_f64, 49),
        ) {
            let (mut p, mut q): (Vec<u64>, Vec<u64>) = counts.into_iter().unzip();
            (p[0], q[0]) = (p[0] + 1, q[0] + 1);
            let m = p.len();
            let split = emd(&p, &q, |i, j| cost[i.min(m - 2) * 7 + j.min(m - 2)]).unwrap();
            let (last_p, last_q) = (p.pop().unwrap(), q.pop().unwrap());
            (p[m - 2], q[m - 2]) = (p[m - 2] + last_p, q[m - 2] + last_q);
            prop_assert!(close(split, emd(&p, &q, |i, j| cost[i * 7 + j]).unwrap()));
        }
    }
}
