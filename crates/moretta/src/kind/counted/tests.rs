//! A kind beyond the seven is published, read, checked, asked, exported and attacked, although nothing but the registry names it.

use std::sync::Arc;

use super::{ENTRY, Headcount};
use crate::audit::{self, ATTACKS, AuditInput, AuditedRelease, OriginalTable};
use crate::chance::Seed;
use crate::check;
use crate::data::role::Role;
use crate::error::Result;
use crate::kind::registry::{KINDS, find};
use crate::kind::{KindId, Plan};
use crate::method::{Method, Supports, Task};
use crate::model::registry::MODELS;
use crate::policy::Policy;
use crate::progress::Progress;
use crate::query::{Query, answer};
use crate::release::{Dialect, Files};
use crate::steward::{Options, publish_and_read};
use crate::storage::Storage;

/// Publishes how many people there are.
#[derive(Debug)]
struct Counting;

impl Method for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn kind(&self) -> KindId {
        ENTRY.id
    }

    fn supports_role(&self, role: Role) -> bool {
        role != Role::Sensitive
    }

    fn supports(&self) -> Supports {
        Supports::Groups
    }

    fn needs_promise(&self) -> bool {
        false
    }

    fn plan(&self, task: &Task<'_>, _: &Progress) -> Result<Box<dyn Plan>> {
        Ok(Box::new(Headcount { people: task.whole.people }))
    }
}

fn policy(home: &std::path::Path, require: &str) -> Policy {
    std::fs::write(home.join("people.csv"), "name,age,zip\nAda,36,11\nAlan,41,12\nKurt,71,11\n").unwrap();
    let text = format!(
        "[data]\nsource = \"people.csv\"\n[attributes]\nname = {{ role = \"identifier\" }}\nage = {{ role = \"quasi\" }}\n\
         zip = {{ role = \"quasi\" }}\n{require}[method]\nname = \"least-loss\"\n"
    );
    let mut policy = Policy::in_file(text, &home.join("policy.toml"), &[]).unwrap();
    policy.method = Some(Arc::new(Counting));
    policy
}

#[test]
fn a_kind_that_only_the_registry_names_is_known_everywhere() {
    assert_eq!(find("counted").map(|entry| entry.id), Some(KindId::Other("counted")));
    let home = tempfile::tempdir().unwrap();
    let policy = policy(home.path(), "");
    let out = home.path().join("out");
    let options = Options { out: Some(out.clone()), force: false, seed: Some(1) };
    let (report, release) = publish_and_read(&policy, &options, &Progress::default()).unwrap();
    assert_eq!((report.rows_out, report.groups, release.kind().name), (3, 0, "counted"));
    assert_eq!(std::fs::read_to_string(out.join("release/counted.csv")).unwrap(), "people\n3\n");
    let readme = std::fs::read_to_string(out.join("release/README.txt")).unwrap();
    assert!(readme.contains(ENTRY.how_to_read) && readme.contains(ENTRY.not_protected), "{readme}");
    assert!(out.join("private/report.html").is_file());

    let storage = Storage::Folder(out.join("release"));
    assert!(check::release(&storage, None, &Progress::default()).unwrap().verdicts.is_empty());
    let asked = answer(&*release, &Query::parse("SELECT COUNT(*)").unwrap()).unwrap();
    assert_eq!((asked.rows[0].estimates[0].lower, asked.rows[0].estimates[0].upper), (Some(3.0), Some(3.0)));
    let unknown = answer(&*release, &Query::parse("SELECT COUNT(*) WHERE age > 40").unwrap()).unwrap_err();
    assert!(unknown.to_string().contains("age"), "{unknown}");
    let mut script = Vec::new();
    let progress = Progress::default();
    crate::export::sql(&Files::open(&storage, &progress).unwrap(), Dialect::Common, &mut script, &progress).unwrap();
    assert!(String::from_utf8(script).unwrap().contains("\"people\""));

    std::fs::write(out.join("release/counted.csv"), "people\n4\n").unwrap();
    assert_eq!(check::release(&storage, None, &Progress::default()).unwrap_err().code(), "release-damaged");
}

/// An attack that needs what the kind lacks says so, and every attack is accounted for.
#[test]
fn every_attack_is_run_or_says_what_the_kind_lacks() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("out");
    let options = Options { out: Some(out.clone()), force: false, seed: Some(1) };
    publish_and_read(&policy(home.path(), ""), &options, &Progress::default()).unwrap();
    let original = OriginalTable::read(policy(home.path(), ""), &Progress::default()).unwrap();
    let storage = Storage::Folder(out.join("release"));
    let audited = AuditedRelease::of_release(&storage, Some(&original.original()), &Progress::default()).unwrap();
    let scene = AuditInput::new(&audited, Seed(1)).with_original(Some(&original));
    let found = audit::run(&scene, &Progress::default()).unwrap();
    for attack in ATTACKS {
        let skipped = found.skipped.iter().find(|skipped| skipped.name == attack.name);
        let ran = found.attacks.iter().any(|ran| ran.name == attack.name);
        assert!(ran || skipped.is_some_and(|skipped| !skipped.reason.is_empty()), "{}", attack.name);
    }
    let reason = |name: &str| &found.skipped.iter().find(|skipped| skipped.name == name).unwrap().reason;
    assert!(reason("re-identification").contains("it has no records"), "{}", reason("re-identification"));
    assert!(found.holds());
}

/// Of a kind that no model was written for nothing can be promised; of the seven every model was asked.
#[test]
fn every_model_refuses_a_kind_that_it_was_not_written_for() {
    let home = tempfile::tempdir().unwrap();
    for model in MODELS {
        assert!(model.wordings.of(ENTRY.id).refusal().is_some(), "{}", model.name);
    }
    let policy = policy(home.path(), "[[require]]\nmodel = \"k-anonymity\"\nk = 2\n");
    let refused = crate::publish::check_policy(&policy).unwrap_err();
    assert!(refused.message().contains("nobody has argued"), "{refused}");
    assert_eq!(KINDS.iter().filter(|kind| matches!(kind.id, KindId::Other(_))).count(), 1);
}
