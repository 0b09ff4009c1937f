//! Parts of the library that experiments take apart. They are no interface: they change with what they belong to.

/// Rows, cells and the shares of people that are held out.
pub mod counting {
    pub use crate::chance::permutation;
    pub use crate::data::cells::{Cells, count_distinct};
    pub use crate::data::table::{Column, Table};
    pub use crate::policy::{Counted, count_cells};
    pub use crate::publish::publish_part;
}

/// What a release and its original are asked.
pub mod asking {
    pub use crate::query::{QueryBox, Truth, ValueSet};
    pub use crate::release::{Answers, Original, Populations};
    pub use crate::utility::yardstick::{around, is_broken};
}

/// Names that are nearly right.
pub mod words {
    pub use crate::error::nearest;
    pub use crate::policy::section::suggestion;
}

/// A method's task and its plan, without publishing.
pub mod planning {
    pub use crate::method::{Plan, Task, registry};
    pub use crate::model::{Requirement, Whole};
}

/// Distributions that groups follow, and what sums of their values can be.
pub mod distribution {
    pub use crate::method::distribution::{Annotated, Shape, generalize, generalize_with_fakes};
    pub use crate::release::distribution::bounds::Bounds;
}

/// Records as densities, and records drawn anew.
pub mod density {
    pub use crate::method::condensation::{condense, redraw};
    pub use crate::uncertain::assign::{Assigned, Wish, assign};
    pub use crate::uncertain::classify::{Labelled, best_fits, nearest};
    pub use crate::uncertain::density::Dimension;
    pub use crate::uncertain::draw::draw;
    pub use crate::uncertain::mass::Line;
    pub use crate::uncertain::{Family, Frame, Located, Points, ScaleRule, Scaling, Scratch, Space, Tree};
}

/// Who is in a sliced table.
pub mod membership {
    pub use crate::slicing::Positions;
    pub use crate::slicing::membership::{Effort, Measured, Membership};
}

/// What an adversary knows beforehand, and learns.
pub mod background {
    pub use crate::audit::background::{Background, Exposure, Reasoning};
    pub use crate::distance::{Distance, Ground, Prepared};
    pub use crate::knowledge::{AttributeDistance, Mining, Points, Prior};
    pub use crate::model::members::add_member;
    pub use crate::model::{Gain, Known, MemberScratch, Members};
}
