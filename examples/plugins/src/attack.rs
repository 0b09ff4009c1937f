//! An attack: guess for everybody the value that is most frequent in the whole release.

use moretta::Result;
use moretta::plugin::{Attack, AuditInput, Finding, Progress, Tested};

pub const ATTACK: Attack = Attack {
    name: "crowd",
    adversary: "knows the release, and guesses for everybody the value that is most frequent in it",
    run,
};

fn run(input: &AuditInput<'_>, _: &Progress) -> Result<Tested> {
    let groups = match input.audited.release.groups() {
        Ok(groups) => groups,
        Err(lacks) => return Ok(Tested::Skipped(lacks.to_string())),
    };
    let Some(sensitive) = groups.whole.sensitive.first() else {
        return Ok(Tested::Skipped("no attribute is sensitive".to_owned()));
    };
    let most = sensitive.people.iter().copied().max().unwrap_or(0);
    let share = most as f64 / groups.whole.people.max(1) as f64;
    Ok(Tested::Found(vec![Finding::new("share of guesses that are right", share, groups.whole.people)]))
}
