//! What a release says of itself.

use super::context::Written;
use crate::method::{Method, Plan};
use crate::model::PrivacyModel;
use crate::numeric::tolerance;
use crate::policy::Policy;
use crate::release::{Guarantee, Manifest, manifest};

/// The manifest of what was written: the method, the promises, the columns and the tables.
pub(super) fn manifest(
    policy: &Policy,
    method: &dyn Method,
    plan: &Plan,
    written: Written,
    (people, suppressed): (u64, u64),
) -> Manifest {
    let promise = |model: &dyn PrivacyModel| Guarantee { model: model.name().to_owned(), parameters: model.promised() };
    Manifest {
        schema: manifest::SCHEMA,
        generator: concat!("moretta ", env!("CARGO_PKG_VERSION")).to_owned(),
        kind: plan.kind().to_owned(),
        method: method.name().to_owned(),
        guarantees: policy.models.iter().map(|model| promise(&**model)).collect(),
        people,
        suppressed,
        groups: written.groups,
        partition: written.partition,
        target_distance: written.distance.map(round_up),
        density: written.density,
        columns: written.columns,
        tables: written.tables,
    }
}

/// Rounded up to thousandths: enough for a reader, and too little to tell about a group's own distribution.
fn round_up(distance: f64) -> f64 {
    (distance * 1000.0 - tolerance::WHOLE).ceil().max(0.0) / 1000.0
}
