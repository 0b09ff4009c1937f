//! The uncertain model (Aggarwal 2008, section III): query error, classification, and what its scales give away.

mod labels;
mod linkage;
mod queries;
mod sample;

use super::Experiment;

pub(super) const QUERIES_BY_SIZE: Experiment = Experiment { name: "uncertain queries by size", run: queries::by_size };

pub(super) const QUERIES_BY_LEVEL: Experiment =
    Experiment { name: "uncertain queries by level", run: queries::by_level };

pub(super) const LABELS: Experiment = Experiment { name: "uncertain classification", run: labels::run };

pub(super) const LINKAGE: Experiment = Experiment { name: "uncertain linkage", run: linkage::run };
