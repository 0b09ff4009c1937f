//! The plan of a distribution release.

use std::sync::Arc;

use super::ladder::Ladder;
use crate::method::Buckets;
use crate::release::distribution::share::Share;

/// What is published of groups that follow targets.
#[derive(Clone, Debug)]
pub struct Following {
    /// Who stands in which group.
    pub buckets: Buckets,
    /// The sensitive attribute.
    pub(crate) ladder: Arc<Ladder>,
    /// What each group publishes.
    pub(crate) groups: Vec<Follower>,
    /// How far, at most, an effective target is from the one wished for.
    pub(crate) distance: f64,
}

/// What a group publishes.
#[derive(Clone, Debug)]
pub(crate) struct Follower {
    /// Subdomains as runs of ranks, and how often each occurs.
    pub(crate) subdomains: Vec<(std::ops::Range<u32>, u64)>,
    /// The effective target, by rank.
    pub(crate) target: Arc<[Share]>,
    /// The fakes among the subdomains: ranks, and how many of each.
    pub(crate) fakes: Vec<(u32, u64)>,
}
