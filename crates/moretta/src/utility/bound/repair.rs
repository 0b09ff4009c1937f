//! Prices made valid.

use super::rule::RuleRoom;
use super::table::{BoundTable, Priced};
use super::walk::{Dear, walk};
use crate::progress::CancelToken;

/// What prices must keep, learnt from boxes where they did not: Σ people · price ≤ what the group pays.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Limit {
    /// Rows, and how many people of each.
    pub(super) members: Vec<(u32, f64)>,
    /// What all of them pay together.
    pub(super) most: f64,
}

impl Limit {
    /// What tells it from others.
    pub(super) fn key(&self) -> Vec<(u32, u64)> {
        let members = self.members.iter().map(|&(row, share)| (row, share.to_bits()));
        members.chain([(0, self.most.to_bits())]).collect()
    }
}

/// Prices that no group is above.
#[derive(Debug)]
pub(super) struct Repaired {
    pub(super) prices: Vec<u64>,
    /// For each price that was lowered, the limit that lowered it most.
    pub(super) limits: Vec<Limit>,
}

/// Lowers prices where boxes are too dear; nothing if that was too much work.
///
/// Every box that is too dear lowers all prices in it in the proportion of what it loses to what its dearest group pays on average. Then its dearest group
/// pays no more than the box loses, whatever other boxes do: they lower prices further. So prices are valid after one walk, whatever they were before.
pub(super) fn repair(table: &BoundTable, prices: &[u64], learn: bool, token: &CancelToken) -> Option<Repaired> {
    let priced = Priced::new(table, prices);
    let mut lowered = priced.prices.clone();
    let mut found: Vec<Limit> = Vec::new();
    let mut strictest: Vec<Option<u32>> = vec![None; lowered.len()];
    walk(&priced, token, &mut |dear: &Dear<'_>, room: &mut RuleRoom| {
        // Whoever may be published at no cost has no price: there is nothing to learn.
        let limit = (learn && dear.loss > 0).then_some(found.len() as u32);
        let mut lowers = false;
        for &cell in dear.cells {
            let price = u128::from(priced.prices[cell as usize]) * u128::from(dear.loss) / u128::from(dear.level);
            if price < u128::from(lowered[cell as usize]) {
                lowered[cell as usize] = price as u64;
                strictest[cell as usize] = limit;
                lowers = true;
            }
        }
        if lowers && limit.is_some() {
            found.push(limit_of(&priced, dear, room));
        }
    })?;
    let mut prices = vec![0; lowered.len()];
    priced.order.iter().zip(&lowered).for_each(|(&row, &price)| prices[row as usize] = price);
    strictest.sort_unstable();
    strictest.dedup();
    let limits = strictest.iter().flatten().filter_map(|&at| found.get(at as usize).cloned()).collect();
    Some(Repaired { prices, limits })
}

fn limit_of(priced: &Priced<'_>, dear: &Dear<'_>, room: &mut RuleRoom) -> Limit {
    let unit = dear.rule.units_of_person() as f64;
    let mut members = Vec::new();
    let mut people = 0.0;
    dear.rule.fill(priced, dear.cells, dear.loss, room, |cell, taken| {
        let share = taken as f64 / unit;
        people += share;
        if priced.prices[cell as usize] > 0 {
            members.push((priced.order[cell as usize], share));
        }
    });
    members.sort_unstable_by_key(|&(row, _)| row);
    Limit { members, most: people * dear.loss as f64 }
}
