//! How analysts compute with a generalized table.

use crate::data::role::Role;
use crate::release::Manifest;

pub(super) fn how_to_compute(manifest: &Manifest) -> String {
    let quasi: Vec<&str> = manifest
        .columns
        .iter()
        .filter(|column| column.role == Role::Quasi)
        .flat_map(|column| match &column.bounds {
            Some(bounds) => bounds.names().collect(),
            None => vec![column.name.as_str()],
        })
        .collect();
    let listed = serde_json::Value::from(quasi).to_string();
    format!(
        "\
Every row is a person, and a label says what the person's value may be. Counts and means over rows whose labels lie wholly inside or outside of what is
asked are exact; of the others use the middle of an interval, or equal shares of a set, and know that it is a guess. Relations
between attributes come out too weak, the more so the wider the labels. Standard errors that take guesses for data are too small.

A group is what publishes the same labels. Its number would tell nothing new, so it is not in the table; in pandas:

    data[\"group\"] = data.groupby({listed}, dropna=False, sort=False).ngroup() + 1"
    )
}
