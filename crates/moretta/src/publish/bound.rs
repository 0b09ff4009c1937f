//! What no release can lose less than, beside the release that was planned.

use std::time::Instant;

use super::{Planned, people_in_share};
use crate::error::Result;
use crate::kind::KindId;
use crate::model::Requirement;
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::utility;
use crate::utility::bound::{BoundEffort, BoundQuestion};

/// Proves what no release under these promises and hierarchies can lose less than. What is published does not depend on it.
pub fn bound(
    policy: &Policy,
    prepared: &Prepared,
    planned: &mut Planned,
    effort: BoundEffort,
    progress: &Progress,
) -> Result<()> {
    if planned.plan.kind().id != KindId::Generalized {
        planned.warnings.push("no bound on the loss: only generalized releases lose in this way".to_owned());
        return Ok(());
    }
    let clock = Instant::now();
    let Prepared { table, cells, whole, .. } = prepared;
    let requirement = Requirement::for_judging(&policy.models, whole)?;
    let question = BoundQuestion {
        scales: planned.scales.as_ref().unwrap_or(&prepared.scales),
        cells,
        sensitive_sizes: table.sensitive.iter().map(|column| column.domain.len()).collect(),
        requirement: &requirement,
        may_suppress: people_in_share(policy.suppression, whole.people).max(whole.people - planned.plan.people()),
        by_people: table.person.is_some(),
    };
    let bound = utility::bound::bound(&question, effort, progress);
    progress.check()?;
    if bound.is_none() {
        planned.warnings.push("no bound on the loss: the table has too many boxes for it".to_owned());
    }
    planned.bound = bound.map(|bound| (bound, clock.elapsed().as_secs_f64()));
    Ok(())
}
