//! What a release says of itself.

use crate::error::Result;
use crate::kind::Plan;
use crate::model::PrivacyModel;
use crate::policy::Policy;
use crate::release::write::WrittenTables;
use crate::release::{Guarantee, Manifest, Unit, manifest};

/// The manifest of what was written: the method, the promises, the columns and the tables. Who of `everyone` is not in the plan
/// was suppressed.
pub(super) fn manifest(
    policy: &Policy,
    plan: &dyn Plan,
    written: WrittenTables,
    everyone: u64,
    persons: Option<u64>,
) -> Result<Manifest> {
    let promise =
        |model: &dyn PrivacyModel| Guarantee { model: model.name().to_owned(), parameters: model.parameters() };
    let people = plan.people();
    Ok(Manifest {
        schema: manifest::schema_of(&written.columns),
        generator: concat!("moretta ", env!("CARGO_PKG_VERSION")).to_owned(),
        about: policy.about.clone(),
        kind: plan.kind().name.to_owned(),
        method: policy.for_publishing()?.name().to_owned(),
        guarantees: policy.models.iter().map(|model| promise(&**model)).collect(),
        unit: if persons.is_some() { Unit::Rows } else { Unit::People },
        people,
        persons,
        suppressed: everyone - people,
        groups: written.groups,
        detail: written.detail,
        columns: written.columns,
        tables: written.tables,
    })
}
