//! The table as a bound sees it: people by what can be published of them and by the values that promises speak of.

use super::axis::{BoundAxis, WHOLE};
use super::rule::GroupRule;
use crate::data::cells::{Cells, count_distinct};
use crate::hierarchy::Scale;

/// Distinct rows, with the ways in which their attributes generalize.
#[derive(Debug)]
pub(super) struct BoundTable {
    /// The people of each row.
    pub(super) people: Vec<u64>,
    /// For each attribute, in the order in which boxes are made, how it generalizes and the rank of each row.
    pub(super) axes: Vec<(BoundAxis, Vec<u32>)>,
    /// For each sensitive attribute, the value of each row; empty where no rule asks.
    pub(super) values: Vec<Vec<u32>>,
    pub(super) rules: Vec<GroupRule>,
}

/// Rows in the order of their prices, the dearest first: a *cell* is a place in it.
#[derive(Debug)]
pub(super) struct Priced<'a> {
    pub(super) table: &'a BoundTable,
    /// The row of each cell.
    pub(super) order: Vec<u32>,
    /// The price of a person in each cell, in parts of [`WHOLE`].
    pub(super) prices: Vec<u64>,
}

impl BoundTable {
    pub(super) fn new(scales: &[Scale], cells: &Cells, sensitive: &[usize], rules: Vec<GroupRule>) -> Self {
        let quasi = scales.len();
        let asked = |attribute: usize| rules.iter().any(|rule| rule.column() == Some(attribute));
        let kept: Vec<usize> = (0..sensitive.len()).filter(|&attribute| asked(attribute)).collect();
        let sizes = scales.iter().map(|scale| scale.domain().len());
        let columns = cells.columns[..quasi].iter().map(Vec::as_slice).zip(sizes);
        let asked_columns = kept.iter().map(|&at| (cells.columns[quasi + at].as_slice(), sensitive[at]));
        let columns: Vec<(&[u32], usize)> = columns.chain(asked_columns).collect();
        let counted = count_distinct(&columns, cells.len(), Some(&cells.people));
        let mut values = vec![Vec::new(); sensitive.len()];
        for (&attribute, column) in kept.iter().zip(&counted.columns[quasi..]) {
            values[attribute].clone_from(column);
        }
        let axis = |(scale, codes): (&Scale, &Vec<u32>)| {
            let rank_of = scale.rank_of_codes();
            (BoundAxis::of(scale), codes.iter().map(|&code| rank_of[code as usize]).collect())
        };
        let mut axes: Vec<(BoundAxis, Vec<u32>)> = scales.iter().zip(&counted.columns).map(axis).collect();
        // What costs most comes first: few boxes are left when the others are tried.
        axes.sort_by_key(|(axis, _)| std::cmp::Reverse(axis.step()));
        Self { people: counted.people, axes, values, rules }
    }

    /// What a person loses who is left out.
    pub(super) fn everything(&self) -> u64 {
        self.axes.len() as u64 * WHOLE
    }

    /// Σ people · price.
    pub(super) fn worth(&self, prices: &[u64]) -> u128 {
        self.people.iter().zip(prices).map(|(&people, &price)| u128::from(people) * u128::from(price)).sum()
    }

    /// The share of all that can be lost, rounded down.
    pub(super) fn share(&self, worth: u128) -> f64 {
        let all = self.people.iter().map(|&people| u128::from(people)).sum::<u128>() * u128::from(self.everything());
        if all == 0 {
            return 0.0;
        }
        // Three roundings, each by half of the last place at most, and two more here.
        let near = worth as f64 / all as f64;
        (near - 4.0 * f64::EPSILON * near).max(0.0)
    }
}

impl<'a> Priced<'a> {
    /// Prices of rows.
    pub(super) fn new(table: &'a BoundTable, prices: &[u64]) -> Self {
        let mut order: Vec<u32> = (0..prices.len() as u32).collect();
        order.sort_unstable_by_key(|&row| (std::cmp::Reverse(prices[row as usize]), row));
        let prices = order.iter().map(|&row| prices[row as usize]).collect();
        Self { table, order, prices }
    }
}
