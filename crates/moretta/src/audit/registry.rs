//! All attacks. One line makes an attack known to `audit`, its reports and the docs.

use super::{
    Attack, background_attack, disguised, homogeneity, identifiers, intersection, leftover_keys, linked_columns,
    membership, minimality, promises, rare_values, reidentification, row_order, similarity, skewness,
    uncertain_linkage,
};
use crate::config::Additions;
use crate::error::Result;

/// Attacks from other crates.
static ADDED: Additions<Attack> = Additions::new();

/// Makes an attack from elsewhere part of every audit, for as long as the process lives.
pub fn add(attack: &'static Attack) -> Result<()> {
    ADDED.add(attack, ATTACKS, |attack| attack.name)
}

/// All attacks, those from elsewhere last.
pub fn attacks() -> impl Iterator<Item = &'static Attack> {
    ATTACKS.iter().chain(ADDED.all())
}

/// All attacks of this library, in the order in which they are reported.
pub const ATTACKS: &[Attack] = &[
    promises::ATTACK,
    reidentification::ATTACK,
    homogeneity::ATTACK,
    skewness::ATTACK,
    similarity::ATTACK,
    background_attack::RULES,
    background_attack::PRIORS,
    membership::ATTACK,
    intersection::ATTACK,
    uncertain_linkage::ATTACK,
    minimality::ATTACK,
    linked_columns::ATTACK,
    identifiers::ATTACK,
    row_order::ATTACK,
    leftover_keys::ATTACK,
    rare_values::ATTACK,
    disguised::ATTACK,
];
