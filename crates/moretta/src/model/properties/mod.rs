//! Every model against its definition, and its declared properties against random merges and growth.

mod definitions;
mod naive;
mod parts;
mod safety;
mod wishes;

use super::GroupCheck;
use crate::distance::Ground;
use crate::model::{PrivacyModel, Scope};
use crate::release::TableSummary;
use crate::testkit::tables::{Row, groups, policy, table_of};

fn prepare(model: &dyn PrivacyModel, whole: &TableSummary) -> Box<dyn GroupCheck> {
    match model.scope() {
        Scope::Groups(model) => model.prepare(whole).unwrap(),
        other => panic!("{other:?} does not judge groups"),
    }
}

#[test]
fn the_mask_tree_is_the_one_that_the_slow_distance_sees() {
    let rows: Vec<Row> = ["aa", "ab", "ba"].map(|disease| (0, disease, 1, 1)).to_vec();
    let policy = policy(&[]);
    let groups = groups(&table_of(&rows), &policy);
    let (tree, ranks) = groups.whole.sensitive[0].hierarchy.as_ref().unwrap();
    let emd = crate::distance::emd::Emd::new(Ground::Tree { tree, ranks }, 3).unwrap();
    assert!((emd.measure(&[1, 0, 0], &[0, 1, 0], &mut Vec::new()) - 0.5).abs() < 1e-12);
}
