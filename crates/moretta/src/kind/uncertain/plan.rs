//! The plan of an uncertain release.

use std::sync::Arc;

use super::math::density::Class;
use super::math::{Density, Frame};
use crate::data::cells::Cells;
use crate::data::domain::Domain;
use crate::error::Result;
use crate::hierarchy::Scale;
use crate::kind::{Capability, KindEntry, Lacks, Plan, capability};
use crate::release::ShownRows;
use crate::release::TableSummary;
use crate::release::costs::Utility;
use crate::release::plan::{Buckets, Piece};
use crate::release::write::{Context, WrittenTables};
use crate::storage::Storage;

/// Records with their densities, as they are to be written.
#[derive(Clone, Debug)]
pub struct Densities {
    /// What the densities are.
    pub density: Density,
    /// What each class publishes.
    pub classes: Vec<Class>,
    /// What that means, in units.
    pub frames: Vec<Frame>,
    /// The class of each cell.
    pub class_of_cell: Vec<u32>,
    /// The quasi-identifiers that are published as they are, by index.
    pub kept: Vec<usize>,
    /// The published locations, person after person in the order of the cells, coordinates together.
    pub locations: Vec<f64>,
    /// The people.
    pub people: u64,
    /// What a steward should know.
    pub notes: Vec<String>,
}

impl Plan for Densities {
    fn kind(&self) -> &'static KindEntry {
        &super::ENTRY
    }

    fn people(&self) -> u64 {
        self.people
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn write(&self, context: &Context<'_>, release: &Storage, private: Option<&Storage>) -> Result<WrittenTables> {
        super::write::write(self, context, release, private)
    }

    /// Nobody is in a group, and nothing is generalized.
    fn costs(&self, _: Utility, _: &[Scale], _: &TableSummary) -> Utility {
        Utility::default()
    }

    fn pieces_mut(&mut self) -> Capability<&mut [Piece]> {
        Err(Lacks("it leaves nobody out"))
    }

    fn shown(&self, _: &Cells, _: &[Arc<Domain>]) -> Capability<Vec<ShownRows>> {
        Err(capability::NO_SHOWN)
    }

    fn into_buckets(self: Box<Self>) -> Capability<Buckets> {
        Err(Lacks("it does not form groups of rows"))
    }
}
