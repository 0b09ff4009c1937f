//! The findings with people, for the steward's eyes.

use std::io::Write;
use std::path::Path;

use serde::Serialize;

use crate::audit::{AttackReport, Audit, Grade, Skipped, Victim};
use crate::error::{Error, Result};
use crate::release::manifest::SCHEMA;
use crate::storage::{Readers, write_atomically};

/// The file in `private/` that names the people who are hit worst.
pub const FILE: &str = "audit.json";

#[derive(Serialize)]
struct Named<'a> {
    #[serde(flatten)]
    attack: &'a AttackReport,
    people_hit_worst: &'a [Victim],
}

#[derive(Serialize)]
struct Findings<'a> {
    schema: u32,
    grade: Grade,
    attacks: Vec<Named<'a>>,
    skipped: &'a [Skipped],
}

/// Writes a file of a folder that is not given away, whole or not at all.
pub(super) fn write_whole(folder: &Path, name: &str, text: &str) -> Result<()> {
    let index = folder.join(name);
    write_atomically(&index, Readers::Owner, |file| file.write_all(text.as_bytes()))
        .map_err(|e| Error::machine("write the findings", &index, e))
}

/// Writes the findings with the rows of the worst-hit people into a folder that is not given away.
pub fn write_private(folder: &Path, audit: &Audit) -> Result<()> {
    create_private(folder)?;
    let named = |attack| Named { attack, people_hit_worst: AttackReport::victims(attack) };
    let findings = Findings {
        schema: SCHEMA,
        grade: audit.grade(),
        attacks: audit.attacks.iter().map(named).collect(),
        skipped: &audit.skipped,
    };
    let text = serde_json::to_string_pretty(&findings).map_err(|e| Error::bug(e.to_string()))?;
    write_whole(folder, FILE, &format!("{text}\n"))
}

pub(super) fn create_private(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|e| Error::machine("write the findings", folder, e))
}
