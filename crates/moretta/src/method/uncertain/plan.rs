//! The plan of an uncertain release.

use crate::uncertain::density::Class;
use crate::uncertain::{Density, Frame};

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
    /// The quasi-identifiers that are published as they are, by place.
    pub kept: Vec<usize>,
    /// The published places, person after person in the order of the cells, coordinates together.
    pub places: Vec<f64>,
    /// The people.
    pub people: u64,
    /// What a steward should know.
    pub notes: Vec<String>,
}
