//! What attacks measure never exceeds what a release of ours promises, and beliefs are those of the definition.

use proptest::prelude::*;

use super::subjects::Subjects;
use super::{AuditInput, AuditedRelease, OriginalTable, run};
use crate::chance::Seed;
use crate::policy::Policy;
use crate::progress::Progress;
use crate::testkit::published::{Published, people, publish};

const ROLES: &str = r#"
[attributes]
age = { role = "quasi" }
zip = { role = "quasi" }
disease = { role = "sensitive" }
job = { role = "drop" }
"#;

fn scene_of(published: &Published) -> (OriginalTable, AuditedRelease) {
    let policy = Policy::in_file(published.policy.text.clone(), &published.policy.file, &[]).unwrap();
    let original_table = OriginalTable::read(policy, &Progress::default()).unwrap();
    let original = original_table.counted.original();
    let audited = AuditedRelease::of_release(&published.storage(), Some(&original), &Progress::default()).unwrap();
    (original_table, audited)
}

/// A promise and a method that can keep it.
fn promises() -> impl Strategy<Value = String> {
    let model = |name: &str, parameters: &str| format!("[[require]]\nmodel = \"{name}\"\n{parameters}\n");
    let groups = prop_oneof![
        (1_u32..4).prop_map(move |k| model("k-anonymity", &format!("k = {k}"))),
        (1_u32..4).prop_map(move |k| model("bucket-size", &format!("k = {k}"))),
        (1_u32..3).prop_map(move |l| model("distinct-l-diversity", &format!("l = {l}"))),
        (10_u32..25).prop_map(move |l| model("probabilistic-l-diversity", &format!("l = {}", f64::from(l) / 10.0))),
        (10_u32..25).prop_map(move |l| model("entropy-l-diversity", &format!("l = {}", f64::from(l) / 10.0))),
        (1_u32..3).prop_map(move |l| model("recursive-l-diversity", &format!("c = 3\nl = {l}"))),
        (2_u32..9).prop_map(move |t| model("t-closeness", &format!("t = 0.{t}\ndistance = \"equal\""))),
        (1_u32..3).prop_map(move |p| model("p-sensitive", &format!("p = {p}\nk = 2"))),
        (5_u32..10).prop_map(move |alpha| model("alpha-k-anonymity", &format!("alpha = 0.{alpha}\nk = 2"))),
        Just(model("delta-disclosure", "delta = 2")),
    ];
    let methods = prop_oneof![
        Just("name = \"least-loss\""),
        Just("name = \"mondrian\""),
        Just("name = \"mondrian\"\nrecoding = \"bucketize\""),
        Just("name = \"top-down\""),
        Just("name = \"clustering\""),
    ];
    let grouped = (groups, methods).prop_map(|(model, method)| format!("{model}[method]\n{method}\n"));
    prop_oneof![
        6 => grouped,
        1 => (10_u32..25).prop_map(move |l| format!("{}[method]\nname = \"anatomy\"\n", model("probabilistic-l-diversity", &format!("l = {}", l / 10)))),
        1 => (10_u32..20).prop_map(move |l| format!("{}[method]\nname = \"slicing\"\ncolumns = 2\n", model("l-diverse-slicing", &format!("l = {}", f64::from(l) / 10.0)))),
        1 => (3_u32..10, prop_oneof![Just("group"), Just("combined")]).prop_map(move |(a, presence)| format!("{}[method]\nname = \"ambiguity\"\n", model("alpha-beta-privacy", &format!("alpha = 0.{a}\nbeta = 0.9\npresence = \"{presence}\"")))),
        1 => Just(format!("{}[method]\nname = \"distribution\"\n", model("p-private", "target = \"table\""))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn measured_is_within_promised(csv in people(24), policy in promises(), seed in 0_u64..1000) {
        // A table that can't meet a promise is refused; that is tested elsewhere.
        if let Ok(published) = publish(&csv, &format!("{ROLES}{policy}"), seed) {
            let (original_table, audited) = scene_of(&published);
            let audit = run(&AuditInput::new(&audited, Seed(seed.into())).with_original(Some(&original_table)), &Progress::default()).unwrap();
            let broken: Vec<_> = audit.attacks.iter().filter(|a| a.finding.holds == Some(false)).collect();
            prop_assert!(broken.is_empty(), "{broken:?}\n{policy}\n{csv}");
            prop_assert!(audit.attacks.iter().any(|a| a.finding.holds.is_some()));
            // The same from the files alone.
            let files_only = run(&AuditInput::new(&audited, Seed(seed.into())), &Progress::default()).unwrap();
            prop_assert!(files_only.holds());
        }
    }

    #[test]
    fn beliefs_are_distributions_over_the_published_values(csv in people(24), policy in promises(), seed in 0_u64..1000) {
        if let Ok(published) = publish(&csv, &format!("{ROLES}{policy}"), seed) {
            let (original_table, audited) = scene_of(&published);
            let scene = AuditInput::new(&audited, Seed(seed.into())).with_original(Some(&original_table));
            for subjects in Subjects::of_scene(&scene, &Progress::default()).unwrap() {
                prop_assert!((subjects.prior.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                prop_assert_eq!(subjects.total() + subjects.untouched, original_table.counted.table.people());
                for subject in 0..subjects.len() {
                    prop_assert!((subjects.belief(subject).iter().sum::<f64>() - 1.0).abs() < 1e-9);
                }
            }
        }
    }
}
