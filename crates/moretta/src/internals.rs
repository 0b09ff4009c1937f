//! What experiments and the soak take apart. It is no interface: it changes with what it belongs to.

/// The modules of the library, each under its own name.
macro_rules! open {
    ($($module:ident)+) => {
        $(
            #[expect(missing_docs, reason = "the module describes itself")]
            pub mod $module {
                pub use crate::$module::*;
            }
        )+
    };
}

open! {
    audit chance check compare condition config data database distance
    error export hierarchy inspect kind knowledge method model
    numeric policy prepare progress publish query release report
    schema steward storage utility
}

/// Rows, cells and the shares of people that are held out.
pub mod counting {
    pub use crate::chance::permutation;
    pub use crate::data::cells::{Cells, count_distinct};
    pub use crate::data::table::{CodedTable, Column};
    pub use crate::prepare::{Held, Prepared, count_cells};
}

/// What a release and its original are asked.
pub mod asking {
    pub use crate::condition::{QueryBox, ValueSet};
    pub use crate::query::Truth;
    pub use crate::release::{Analyst, Original, Populations};
    pub use crate::utility::evaluator::{around, is_broken};
}

/// Names that are nearly right.
pub mod words {
    pub use crate::config::suggestion;
    pub use crate::error::nearest;
}

/// A method's task and its plan, without publishing.
pub mod planning {
    pub use crate::kind::sliced::Slices;
    pub use crate::kind::{OpenRelease, Plan};
    pub use crate::method::{Task, registry};
    pub use crate::model::Requirement;
    pub use crate::release::TableSummary;
}

/// Distributions that groups follow, and what sums of their values can be.
pub mod distribution {
    pub use crate::kind::distribution::Shape;
    pub use crate::kind::distribution::bounds::Bounds;
    pub use crate::method::distribution::{Annotated, generalize, generalize_with_fakes};
}

/// Records as densities, and records drawn anew.
pub mod density {
    pub use crate::kind::uncertain::math::assign::{Assigned, BlurSpec, assign};
    pub use crate::kind::uncertain::math::classify::{Labelled, best_fits, nearest};
    pub use crate::kind::uncertain::math::density::Dimension;
    pub use crate::kind::uncertain::math::draw::draw;
    pub use crate::kind::uncertain::math::mass::Marginal;
    pub use crate::kind::uncertain::math::{
        Coordinates, Family, Frame, KdTree, Located, ScaleRule, Scaling, Space, TraversalScratch,
    };
    pub use crate::method::condensation::{condense, redraw};
}

/// Who is in a sliced table.
pub mod membership {
    pub use crate::kind::sliced::math::Positions;
    pub use crate::kind::sliced::math::membership::{MeasuredColumns, Membership, MembershipEffort};
}

/// What an adversary knows beforehand, and learns.
pub mod background {
    pub use crate::audit::background::{Background, Exposure, Reasoning};
    pub use crate::distance::{Ground, GroundedDistance, PreparedDistance};
    pub use crate::knowledge::{AttributeDistance, Mining, Points, Prior};
    pub use crate::model::{Gain, Known, MemberScratch, Members};
    pub use crate::release::add_member;
}
