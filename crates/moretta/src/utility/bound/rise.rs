//! Prices that are worth as much as they can be under the limits that are known.

use super::repair::Limit;
use crate::data::lookup::HashSet;

/// Limits that have not mattered for so many rounds are forgotten; they are learnt again where they do.
const IDLE: u32 = 8;

/// Prices and the weights of limits, on their way to the best.
///
/// The primal-dual hybrid gradient (Chambolle, Pock 2011) with diagonal steps (Pock, Chambolle 2011). What it yields need not be right: prices are
/// repaired before they bound anything.
#[derive(Debug)]
pub(super) struct PriceRise {
    /// The people of each row.
    people: Vec<f64>,
    /// The most that anybody may cost.
    most: f64,
    /// A usual price: steps of prices are measured by it.
    usual: f64,
    prices: Vec<f64>,
    held: Vec<Held>,
}

/// A limit, what it weighs, and for how many rounds it has weighed nothing.
#[derive(Debug)]
struct Held {
    limit: Limit,
    weight: f64,
    idle: u32,
}

impl PriceRise {
    pub(super) fn new(people: Vec<f64>, prices: Vec<f64>, most: f64) -> Self {
        let priced = prices.iter().filter(|&&price| price > 0.0);
        let usual = priced.clone().sum::<f64>() / priced.count().max(1) as f64;
        Self { people, most, usual: usual.max(1.0), prices, held: Vec::new() }
    }

    pub(super) fn learn(&mut self, limits: Vec<Limit>) {
        self.held.retain(|held| held.idle < IDLE);
        let mut known: HashSet<Vec<(u32, u64)>> = self.held.iter().map(|held| held.limit.key()).collect();
        let new = limits.into_iter().filter(|limit| known.insert(limit.key()));
        self.held.extend(new.map(|limit| Held { limit, weight: 0.0, idle: 0 }));
    }

    /// So many steps; the mean of the second half of them, rounded down.
    #[expect(clippy::cast_sign_loss, reason = "prices are not negative")]
    pub(super) fn steps(&mut self, steps: usize) -> Vec<u64> {
        let rows = self.people.len();
        // How often a row occurs in limits, counted by people, and at least once.
        let mut demand = vec![0.0_f64; rows];
        let members = self.held.iter().flat_map(|held| &held.limit.members);
        members.for_each(|&(row, share)| demand[row as usize] += share);
        demand.iter_mut().for_each(|demand| *demand = demand.max(1.0));
        let sizes: Vec<f64> =
            self.held.iter().map(|held| held.limit.members.iter().map(|&(_, share)| share).sum::<f64>()).collect();
        let (mut pull, mut sums, mut ahead) = (vec![0.0; rows], vec![0.0; rows], self.prices.clone());
        for step in 0..steps {
            pull.copy_from_slice(&self.people);
            for (Held { limit, weight, .. }, size) in self.held.iter_mut().zip(&sizes) {
                let pays: f64 = limit.members.iter().map(|&(row, share)| share * ahead[row as usize]).sum();
                *weight = (*weight + (pays - limit.most) / (size * self.usual)).max(0.0);
                if *weight > 0.0 {
                    limit.members.iter().for_each(|&(row, share)| pull[row as usize] -= share * *weight);
                }
            }
            for row in 0..rows {
                let price = self.prices[row];
                let next = (price + pull[row] * self.usual / demand[row]).clamp(0.0, self.most);
                ahead[row] = 2.0 * next - price;
                self.prices[row] = next;
                if 2 * step >= steps {
                    sums[row] += next;
                }
            }
        }
        self.held.iter_mut().for_each(|held| held.idle = if held.weight > 0.0 { 0 } else { held.idle + 1 });
        let counted = (steps / 2).max(1) as f64;
        sums.iter().map(|sum| (sum / counted) as u64).collect()
    }
}
