//! Whether disjoint boxes hold a published row together, though none of them may hold it alone: decided by counting.

use super::shown::Shown;
use crate::condition::{QueryBox, ValueSet};
use crate::numeric::BigUint;

/// Disjoint boxes, made ready for the codes of a release.
///
/// The borders of all boxes cut what a code stands for into parts, each of which lies in a box or outside it. A row stands
/// for the product of its codes, and the boxes are disjoint: they hold all of it exactly if as many combinations of
/// parts lie in them, box by box, as there are. Whole numbers, so that nothing is lost beside a share of nearly 1.
pub(crate) struct Together {
    sides: Vec<Side>,
    boxes: usize,
}

/// An attribute that some box restricts.
struct Side {
    attribute: usize,
    /// What each box allows, as the number of a set; 0 for everything.
    set_of_box: Vec<usize>,
    sets: usize,
    /// For each code and each set, the number of parts in both.
    parts: Vec<u32>,
}

impl Together {
    pub(crate) fn new<'r>(condition: &[QueryBox], shown: impl Fn(usize) -> Shown<'r>) -> Self {
        let mut attributes: Vec<usize> =
            condition.iter().flat_map(|one| one.sides.iter().map(|(attribute, _)| *attribute)).collect();
        attributes.sort_unstable();
        attributes.dedup();
        let side = |attribute| Side::new(attribute, condition, &shown(attribute));
        Self { sides: attributes.into_iter().map(side).collect(), boxes: condition.len() }
    }

    /// Whether the boxes hold all of a row with these codes.
    pub(crate) fn hold(&self, code: impl Fn(usize) -> u32) -> bool {
        let parts = |side: &Side, set: usize| side.parts[code(side.attribute) as usize * side.sets + set];
        let all = || self.sides.iter().map(|side| parts(side, 0));
        let in_box = |one: usize| self.sides.iter().map(move |side| (side, side.set_of_box[one]));
        match all().try_fold(1_u128, |product, count| product.checked_mul(count.into())) {
            // Disjoint boxes hold no more than there is: where all of it has 128 bits, so has their sum.
            Some(all) => {
                let held = |one: usize| in_box(one).map(|(side, set)| u128::from(parts(side, set))).product::<u128>();
                (0..self.boxes).map(held).sum::<u128>() == all
            }
            None => {
                let held =
                    |one: usize| in_box(one).map(|(side, set)| BigUint::from(parts(side, set))).product::<BigUint>();
                (0..self.boxes).map(held).sum::<BigUint>() == all().map(BigUint::from).product()
            }
        }
    }
}

impl Side {
    fn new(attribute: usize, condition: &[QueryBox], shown: &Shown<'_>) -> Self {
        let everything = ValueSet::everything();
        let mut sets: Vec<&ValueSet> = vec![&everything];
        let mut set_of_box = Vec::with_capacity(condition.len());
        for one in condition {
            let set = one.side(attribute).unwrap_or(&everything);
            set_of_box.push(sets.iter().position(|known| *known == set).unwrap_or_else(|| {
                sets.push(set);
                sets.len() - 1
            }));
        }
        let mut parts = vec![0; shown.column.domain.len() * sets.len()];
        for atom in ValueSet::atoms(sets.iter().copied()) {
            let inside: Vec<u32> = sets.iter().map(|set| u32::from(!atom.intersect(set).is_empty())).collect();
            for (parts, meets) in parts.chunks_mut(sets.len()).zip(shown.meets(&atom)) {
                if meets {
                    parts.iter_mut().zip(&inside).for_each(|(count, inside)| *count += inside);
                }
            }
        }
        Self { attribute, set_of_box, sets: sets.len(), parts }
    }
}
