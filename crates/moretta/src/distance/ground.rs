//! Ground distances: how far apart two values of an attribute are.

use super::line::NumberLine;
use super::tree::GroundTree;
use crate::data::value::Value;
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;

/// How far apart two values of an attribute are, from 0 to 1. Li (2010), section 2.3.3.
#[derive(Clone, Copy, Debug)]
pub enum Ground<'a> {
    /// `|i − j| / (m − 1)` for the codes i and j of m: every code of the domain is one step, whether
    /// or not anyone has it. A missing value sorts first and is a step like the others.
    Rank,
    /// `|vᵢ − vⱼ| / (max − min)`: the values of the codes, ascending; numbers or dates.
    Value(&'a [Value]),
    /// 1 for any two values.
    Equal,
    /// `height(lowest common ancestor) / height(root)`. Leaves may lie at different depths; the height of
    /// a node is that of the farthest leaf below it, so that the distance grows towards the root.
    Tree {
        /// The generalization tree.
        tree: &'a Hierarchy,
        /// The rank of each code's leaf.
        ranks: &'a [u32],
    },
}

/// A ground distance made ready: each is that of a tree with weights on its edges.
#[derive(Clone, Debug)]
pub(super) enum GroundShape {
    Line(NumberLine),
    Star,
    Tree(GroundTree),
}

impl Ground<'_> {
    pub(super) fn shape(self, codes: usize) -> Result<GroundShape> {
        let fits = |given: usize, what: &str| {
            if given == codes { Ok(()) } else { Err(Error::bug(format!("{given} {what} for {codes} codes"))) }
        };
        Ok(match self {
            Self::Rank => GroundShape::Line(NumberLine::of_ranks(codes)),
            Self::Value(values) => {
                fits(values.len(), "values")?;
                GroundShape::Line(NumberLine::of_values(values)?)
            }
            Self::Equal => GroundShape::Star,
            Self::Tree { tree, ranks } => {
                fits(ranks.len(), "ranks")?;
                GroundShape::Tree(GroundTree::new(tree, ranks)?)
            }
        })
    }
}
