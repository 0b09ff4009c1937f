//! All attacks. One line makes an attack known to `audit`, its reports and the docs.

use super::{
    Attack, background_attack, disguised, homogeneity, identifiers, intersection, leftover_keys, linked_columns,
    membership, minimality, promises, rare_values, reidentification, row_order, similarity, skewness,
    uncertain_linkage,
};

/// All attacks, in the order in which they are reported.
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
