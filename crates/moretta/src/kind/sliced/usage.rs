//! How analysts compute with a sliced table.

use std::collections::BTreeMap;

use super::{BUCKET, ColumnDetail};
use crate::release::Manifest;

pub(super) fn how_to_compute(manifest: &Manifest) -> String {
    let mut slices: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for column in &manifest.columns {
        if let Some(detail) = column.detail::<ColumnDetail>() {
            slices.entry(detail.slice).or_default().push(&column.name);
        }
    }
    let listed: Vec<String> = slices.values().map(|names| format!("  {{{}}}", names.join(", "))).collect();
    format!(
        "\
A row of `sliced` is no person. Only these attributes belong together, and what stands beside each other from two of these sets was put there by chance:

{}

Relations inside a set are those of the people. Relations between sets hold of whole buckets only: inside a bucket every pairing is as likely. Read as
rows they come out too weak; compute them by bucket (`{BUCKET}`), and take standard errors for too small.",
        listed.join("\n")
    )
}
