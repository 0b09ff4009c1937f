//! The uncertain model (Aggarwal 2008, section III): query error, classification, and what its scales give away.

mod labels;
mod linkage;
mod queries;
mod sample;

use super::Experiment;

pub(super) const QUERIES: Experiment = Experiment {
    paper: "uncertain",
    name: "queries",
    summary: "figures 1 to 6: query error by query size and by k, for uniform, Gaussian and condensation",
    run: queries::run,
};

pub(super) const LABELS: Experiment = Experiment {
    paper: "uncertain",
    name: "classification",
    summary: "figures 7 and 8: classification by the best fitting densities, beside condensation and the original",
    run: labels::run,
};

pub(super) const LINKAGE: Experiment = Experiment {
    paper: "uncertain",
    name: "linkage",
    summary: "who is linked by a recomputed scale, by likelihood, and by both: exact scales, a fine grid, ours",
    run: linkage::run,
};
