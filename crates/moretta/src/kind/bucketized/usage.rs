//! How analysts compute with the tables of a bucketized release.

use super::{GROUP, QIT, ST};
use crate::release::Manifest;

pub(super) fn how_to_compute(manifest: &Manifest) -> String {
    let words = "\
Relations between the exact attributes are those of the people. A relation between one of them and a sensitive value is not: inside a group every person is as likely to
have each of its values, so that differences between people of one group are gone. Effects come out too small, often much too small, and standard
errors that take weights for data are far too small. An unweighted join shows no relation at all, and is wrong.";
    let Some(table) = manifest.tables.iter().find(|table| table.name.starts_with(ST)) else { return words.to_owned() };
    let name: String = table.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!(
        "{words}

To weigh, in pandas: each person becomes a row for each value of the group, with the share of the group that has it. The weights of a person
sum to one.

    {name}[\"weight\"] = {name}[\"count\"] / {name}.groupby(\"{GROUP}\")[\"count\"].transform(\"sum\")
    weighted = {QIT}.reset_index(names=\"person\").merge({name}, on=\"{GROUP}\")"
    )
}
