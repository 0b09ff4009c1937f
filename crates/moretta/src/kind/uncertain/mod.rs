//! Uncertain releases: every record a probability density.

mod adversary;
mod answers;
mod cumulative;
mod fits;
pub mod math;
mod nearness;
mod plan;
mod read;
mod release;
mod shares;
mod write;

use serde::{Deserialize, Serialize};

pub use fits::Fits;
pub use plan::Densities;
pub use read::Uncertain;

use self::math::Density;
use super::{KindEntry, KindId};
use crate::release::{ColumnType, named};

/// The kind.
pub const ENTRY: KindEntry = KindEntry {
    id: KindId::Uncertain,
    name: "uncertain",
    how_to_read: "\
Each row is one person as a probability density: `z_…` is its centre, `s_…` its scale. The manifest states the
family of densities. The true values are not those of the centre.",
    not_protected: "\
The sensitive values: they stand beside each density as they are. A person far from all others is blurred more, and
still stands apart.",
    how_to_compute: |_| {
        "\
A centre is not the person's value: it is off by about its scale. Means of centres are fair; variances are too large by the mean of the squared scales, and slopes in
which a centre explains something come out too small. Divide by what a model of measurement error says, or ask `moretta query`."
            .to_owned()
    },
    records_have_owners: true,
    pseudonyms: Err(
        "its records say where a person might be, and a pseudonym would say who she is from one release to the next",
    ),
    from_counts: Err("its records are drawn one by one"),
    read: |files, progress| Ok(Box::new(Uncertain::read(files, progress)?)),
    column_type: |columns, _, column| ColumnType::of_attribute(columns, column).unwrap_or(ColumnType::Text),
    about: |columns, _, column| named(columns, column),
    sql_epilogue: |_| None,
};

/// The name of the table.
pub const UNCERTAIN: &str = "uncertain";

/// The column of axes, where densities are turned.
pub const AXES: &str = "axes";

/// What the manifest of an uncertain release says beside what all manifests say.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Detail {
    /// What the densities are.
    density: Density,
}
