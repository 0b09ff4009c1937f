//! What knowing the program gains, for somebody who compares releases that were just made.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Attacked, attack};
use crate::audit::finding::Tested;
use crate::audit::{AuditInput, AuditedRelease, OriginalTable};
use crate::chance::Seed;
use crate::error::{Fault, Result};
use crate::kind::OpenRelease;
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::progress::Progress;

/// What somebody gains who knows the program and everybody's quasi-identifiers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum KnownProgram {
    /// Nothing, by a proof.
    Proved,
    /// The mean belief in people's true values for who has the files alone, and for who knows the program too.
    Believed {
        /// With the files alone.
        before: f64,
        /// With the program.
        after: f64,
    },
    /// It was not tried, for this reason.
    Untried(String),
}

/// Attacks a release that a policy has just made of a table.
pub(crate) fn known_program(
    release: Box<dyn OpenRelease>,
    policy: &Policy,
    (prepared, seed): (&Arc<Prepared>, Seed),
    people: u64,
    progress: &Progress,
) -> Result<KnownProgram> {
    let original = OriginalTable::without_identifiers(policy.clone(), prepared.clone());
    let audited = AuditedRelease::in_memory(release, policy, people);
    let input = AuditInput::new(&audited, seed).with_original(Some(&original));
    Ok(match attack(&input, progress) {
        Ok(Attacked::Proved(..)) => KnownProgram::Proved,
        Ok(Attacked::Tested(Tested::Skipped(reason))) => KnownProgram::Untried(reason),
        Ok(Attacked::Tested(Tested::Found(found))) => {
            match found.iter().find_map(super::Finding::belief_in_true_values) {
                Some((before, after)) => KnownProgram::Believed { before, after },
                None => KnownProgram::Untried("the attack found nothing".to_owned()),
            }
        }
        Err(error) if matches!(error.fault(), Fault::Input | Fault::Data) => {
            KnownProgram::Untried(error.message().to_owned())
        }
        Err(error) => return Err(error),
    })
}
