//! The plan of a condensed release.

use crate::method::Piece;
use crate::uncertain::density::Dimension;

/// Records drawn anew, as they are to be written.
#[derive(Clone, Debug)]
pub struct Condensate {
    /// The coordinates.
    pub dimensions: Vec<Dimension>,
    /// Who stands in which group, ordered by group.
    pub pieces: Vec<Piece>,
    /// How many groups there are.
    pub len: usize,
    /// The new records, in original numbers, person after person in the order of the pieces, coordinates together.
    pub records: Vec<f64>,
    /// What a steward should know.
    pub notes: Vec<String>,
}

impl Condensate {
    /// The people.
    pub fn people(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.people).sum()
    }
}
