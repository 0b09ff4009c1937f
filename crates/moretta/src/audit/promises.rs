//! The promises themselves, judged anew from the files.

use super::finding::{Finding, Tested};
use super::{Attack, Scene};
use crate::error::Result;

pub(super) const ATTACK: Attack = Attack {
    name: "promises",
    adversary: "nobody: the definition of each promise, computed from the released files and, where it speaks of it, the original",
    run,
};

#[expect(clippy::unnecessary_wraps, reason = "every attack may fail to be run")]
fn run(scene: &Scene<'_>) -> Result<Tested> {
    let exhibit = scene.exhibit;
    if exhibit.verdicts.is_empty() && exhibit.unproved.is_empty() {
        return Ok(Tested::Skipped("the release promises nothing".to_owned()));
    }
    let broken: Vec<&str> = exhibit.verdicts.iter().filter(|v| !v.holds).map(|v| v.model).collect();
    let worst = (!broken.is_empty()).then(|| format!("broken: {}", broken.join(", ")));
    let judged: Vec<&str> = exhibit.verdicts.iter().map(|verdict| verdict.model).collect();
    let mut finding = Finding::new("broken promises", broken.len() as f64, exhibit.people)
        .forbidden()
        .hitting(0, "promises, not people, are counted")
        .worst(worst)
        .detail("judged", judged);
    if !exhibit.unproved.is_empty() {
        let names: Vec<&str> = exhibit.unproved.iter().map(|promise| promise.model.as_str()).collect();
        finding = finding.detail("not_judged_without_the_original", names);
    }
    if exhibit.verdicts.is_empty() {
        finding.holds = None;
    }
    Ok(Tested::Found(vec![finding]))
}
