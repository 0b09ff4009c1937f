//! The promises themselves, judged anew from the files.

use serde_json::json;

use super::finding::{Finding, Tested};
use super::{Attack, AuditInput};
use crate::check::Unprovable;
use crate::error::Result;
use crate::progress::Progress;

pub(super) const ATTACK: Attack = Attack {
    name: "promises",
    adversary: "nobody: the definition of each promise, computed from the released files and, where it speaks of it, the original",
    run,
};

#[expect(clippy::unnecessary_wraps, reason = "every attack may fail to be run")]
fn run(scene: &AuditInput<'_>, _: &Progress) -> Result<Tested> {
    let audited = scene.audited;
    if audited.verdicts.is_empty() && audited.unproved.is_empty() && audited.unprovable.is_empty() {
        return Ok(Tested::Skipped("the release promises nothing".to_owned()));
    }
    let mut broken: Vec<&str> = audited.verdicts.iter().filter(|v| !v.holds).map(|v| v.model).collect();
    broken.extend(audited.unprovable.iter().map(|claim| claim.guarantee.model.as_str()));
    let worst = (!broken.is_empty()).then(|| format!("broken: {}", broken.join(", ")));
    let judged: Vec<&str> = audited.verdicts.iter().map(|verdict| verdict.model).collect();
    let mut finding = Finding::new("broken promises", broken.len() as f64, audited.people)
        .forbidden()
        .hitting(0, "promises, not people, are counted")
        .worst(worst)
        .detail("judged", judged);
    if !audited.unproved.is_empty() {
        let names: Vec<&str> = audited.unproved.iter().map(|promise| promise.model.as_str()).collect();
        finding = finding.detail("not_judged_without_the_original", names);
    }
    if !audited.unprovable.is_empty() {
        let claim = |claim: &Unprovable| json!({ "model": claim.guarantee.model, "reason": claim.reason });
        finding = finding.detail("not_true_of_this_kind", audited.unprovable.iter().map(claim).collect::<Vec<_>>());
    }
    if audited.verdicts.is_empty() && audited.unprovable.is_empty() {
        finding.holds = None;
    }
    Ok(Tested::Found(vec![finding]))
}
