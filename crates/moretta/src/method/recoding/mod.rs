//! What methods are built from: machinery that puts people into groups, and is no method by itself.
//!
//! [`cover`] puts rare people into the cheapest boxes, [`specialize`] goes down the hierarchies step by step, [`refine`]
//! improves a plan that is there, [`search`] improves it further for as long as it may, [`limits`] keeps attributes below a level and
//! lets some follow others, [`redeal`] draws who of equals has which place in it; all stand on [`local`], groups of people by quota. [`crowd`] deals out people by their
//! sensitive values.

pub(super) mod cover;
pub(super) mod crowd;
pub(super) mod limits;
pub(super) mod local;
pub(super) mod redeal;
pub(super) mod refine;
pub(super) mod search;
pub(super) mod specialize;
