//! What several groups together tell about presence: 1 − ∏(1 − p) over the groups that cover a combination.

use fixedbitset::FixedBitSet;
use rayon::prelude::*;

use crate::data::cells::Cells;
use crate::numeric::{Ratio, Threshold, tolerance};
use crate::progress::CancelToken;
use crate::release::Coverage;

/// The belief in the presence of the combinations of some rows.
#[derive(Clone, Debug, Default)]
pub struct CombinedPresence {
    /// The largest.
    pub worst: f64,
    /// The cell that has it.
    pub witness: Option<usize>,
    /// The cells whose combination is believed in more than is allowed: one cell for each combination.
    pub beyond: Vec<u32>,
}

impl CombinedPresence {
    /// Judges every combination of the first columns of some sorted cells, by the presence in each group.
    pub fn of_cells(
        coverage: &Coverage<'_>,
        cells: &Cells,
        quasi: usize,
        presence: &[Ratio],
        alpha: Threshold,
        token: &CancelToken,
    ) -> Self {
        Self::of_some(coverage, cells, quasi, presence, alpha, &firsts(cells, quasi), token)
    }

    /// Judges the combinations of some cells, which come in order.
    pub fn of_some(
        coverage: &Coverage<'_>,
        cells: &Cells,
        quasi: usize,
        presence: &[Ratio],
        alpha: Threshold,
        chosen: &[u32],
        token: &CancelToken,
    ) -> Self {
        let doubts: Vec<f64> = presence.iter().map(|p| -f64::ln_1p(-p.to_f64().min(1.0))).collect();
        let judge = |chunk: &[u32]| judge(coverage, (cells, quasi), (presence, &doubts), alpha, chunk, token);
        chosen.par_chunks(4096).map(judge).collect::<Vec<_>>().into_iter().fold(Self::default(), Self::join)
    }

    fn join(mut self, mut other: Self) -> Self {
        if other.worst > self.worst || self.witness.is_none() {
            (self.worst, self.witness) = (other.worst, other.witness);
        }
        self.beyond.append(&mut other.beyond);
        self
    }
}

/// The first cell of every combination of the first columns.
pub fn firsts(cells: &Cells, quasi: usize) -> Vec<u32> {
    let differs =
        |cell: usize| cell == 0 || cells.columns[..quasi].iter().any(|column| column[cell] != column[cell - 1]);
    (0..cells.len()).filter(|&cell| differs(cell)).map(|cell| cell as u32).collect()
}

fn judge(
    coverage: &Coverage<'_>,
    (cells, quasi): (&Cells, usize),
    (presence, doubts): (&[Ratio], &[f64]),
    alpha: Threshold,
    chosen: &[u32],
    token: &CancelToken,
) -> CombinedPresence {
    // `covering[i]`: the groups that cover the first i + 1 values. Neighbours share most of these.
    let mut covering = vec![FixedBitSet::with_capacity(coverage.groups()); quasi];
    let mut known: Vec<Option<u32>> = vec![None; quasi];
    let mut found = CombinedPresence::default();
    let allowed = -f64::ln_1p(-alpha.to_f64().min(1.0)) * (1.0 - tolerance::PRODUCT_OF_BELIEFS);
    for &cell in chosen {
        if token.is_cancelled() {
            break;
        }
        let code = |attribute: usize| cells.columns[attribute][cell as usize];
        let same = (0..quasi).take_while(|&attribute| known[attribute] == Some(code(attribute))).count();
        for (attribute, known) in known.iter_mut().enumerate().skip(same) {
            *known = Some(code(attribute));
            let of_value = coverage.of_value(attribute, code(attribute));
            let (before, after) = covering.split_at_mut(attribute);
            match before.last() {
                None => after[0].clone_from(of_value),
                // Block by block in one pass: this is the hot loop, and copying first would be a second one.
                Some(before) => {
                    let blocks = after[0].as_mut_slice().iter_mut().zip(before.as_slice()).zip(of_value.as_slice());
                    blocks.for_each(|((to, a), b)| *to = a & b);
                }
            }
        }
        let (mut doubt, mut groups, mut last) = (0.0, 0_usize, 0);
        if let Some(covering) = covering.last() {
            for group in covering.ones() {
                last = group;
                doubt += doubts[group];
                groups += 1;
            }
        }
        let holds = match groups {
            0 => true,
            1 => Ratio { num: presence[last].num.min(presence[last].den), ..presence[last] }.at_most(alpha),
            _ => doubt <= allowed,
        };
        let belief = -f64::exp_m1(-doubt);
        if belief > found.worst || found.witness.is_none() {
            (found.worst, found.witness) = (belief, Some(cell as usize));
        }
        if !holds {
            found.beyond.push(cell);
        }
    }
    found
}
