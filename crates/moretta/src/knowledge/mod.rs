//! What an adversary knows beforehand, and what she concludes from a release.
//!
//! Two kinds of knowledge, both mined from the data itself: [`rules`] say which sensitive values a person can't
//! have, [`prior`] beliefs say how likely each is. [`matching`] and [`posterior`] draw the conclusions in a group of
//! people who share a multiset of sensitive values. Li (2010), chapter 3.

pub mod attribute_distance;
pub mod items;
pub mod matching;
mod mine;
mod near;
pub mod points;
pub mod posterior;
pub mod prior;
pub mod rules;
pub mod value_sets;

pub use attribute_distance::AttributeDistance;
pub use matching::Matching;
pub use points::{Evidence, Points};
pub use posterior::{ClassBeliefs, Inference};
pub use prior::Prior;
pub use rules::{Mining, Rule, Rules};
pub use value_sets::ValueSets;
