//! The findings with people, for the steward's eyes.

use std::path::Path;

use serde::Serialize;

use super::finding::Victim;
use super::{AttackReport, Audit, Skipped};
use crate::error::{Error, Result};
use crate::release::Shelf;

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
    attacks: Vec<Named<'a>>,
    skipped: &'a [Skipped],
}

/// Writes the findings with the rows of the worst-hit people into a folder that is not given away.
pub fn write_private(folder: &Path, audit: &Audit) -> Result<()> {
    create_private(folder)?;
    let named = |attack| Named { attack, people_hit_worst: &AttackReport::victims(attack)[..] };
    let findings = Findings { schema: 1, attacks: audit.attacks.iter().map(named).collect(), skipped: &audit.skipped };
    let text = serde_json::to_string_pretty(&findings).map_err(|e| Error::bug(e.to_string()))?;
    // Whole or not at all: written aside, then renamed.
    let aside = format!(".{FILE}.aside");
    Shelf::Folder(folder.to_path_buf()).write(&aside, format!("{text}\n").as_bytes())?;
    let place = folder.join(FILE);
    std::fs::rename(folder.join(&aside), &place).map_err(|e| Error::machine("write the findings", &place, &e))
}

fn create_private(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|e| Error::machine("write the findings", folder, &e))
}
