//! Every model with every method that can make a kind of release of which its sentence is true.

use std::collections::BTreeSet;

use moretta::internals::check;
use moretta::internals::kind::KindId;
use moretta::internals::kind::registry::KINDS;
use moretta::internals::method::registry::METHODS;
use moretta::internals::model::registry::MODELS;
use moretta::internals::model::sentence::fill;
use moretta::internals::progress::Progress;

use crate::claims::CLAIMS;
use crate::files::{people, try_publish};

/// Lines that ask for each model: strictly, and so that most tables can.
const ASKED: &[(&str, &[&str])] = &[
    ("k-anonymity", &["k = 3", "k = 2"]),
    ("distinct-l-diversity", &["l = 2"]),
    ("probabilistic-l-diversity", &["l = 1.5", "l = 1.2"]),
    ("entropy-l-diversity", &["l = 1.5", "l = 1.2"]),
    ("recursive-l-diversity", &["c = 3\nl = 2"]),
    ("alpha-k-anonymity", &["alpha = 0.7\nk = 3"]),
    ("p-sensitive", &["p = 2\nk = 3"]),
    ("p-plus-sensitive", &["p = 2\nk = 2"]),
    ("p-alpha-sensitive", &["p = 2\nalpha = 1\nk = 2"]),
    ("t-closeness", &["t = 0.3\ndistance = \"equal\"", "t = 0.4\ndistance = \"variational\""]),
    ("n-t-closeness", &["n = 8\nt = 0.3\ndistance = \"equal\""]),
    ("delta-disclosure", &["delta = 1.5"]),
    (
        "alpha-beta-privacy",
        &["alpha = 0.9\nbeta = 0.8\npresence = \"group\"", "alpha = 0.9\nbeta = 0.8\npresence = \"combined\""],
    ),
    ("matching-l-diversity", &["l = 2\nmin_expectation = 0.9"]),
    ("b-t-privacy", &["bandwidth = 0.5\nt = 0.3\ndistance = \"equal\""]),
    ("p-private", &["target = \"table\"", "target = \"uniform\""]),
    ("uncertain-k-anonymity", &["k = 2"]),
    ("l-diverse-slicing", &["l = 1.5", "l = 1.2"]),
    ("bucket-size", &["k = 3", "k = 2"]),
    ("condensed-k", &["k = 3"]),
];

/// How each method is asked for, by the kind that it then makes; and what it needs beside the model, if another promise.
const WAYS: &[(&str, KindId, &str, &str)] = &[
    ("least-loss", KindId::Generalized, "name = \"least-loss\"", ""),
    ("mondrian", KindId::Generalized, "name = \"mondrian\"", ""),
    ("mondrian", KindId::Bucketized, "name = \"mondrian\"\nrecoding = \"bucketize\"", ""),
    ("full-domain", KindId::Generalized, "name = \"full-domain\"\nsuppression = 0.2", ""),
    ("top-down", KindId::Generalized, "name = \"top-down\"", ""),
    ("clustering", KindId::Generalized, "name = \"clustering\"", ""),
    ("anatomy", KindId::Bucketized, "name = \"anatomy\"\nsuppression = 0.5", ""),
    ("transparent", KindId::Generalized, "name = \"transparent\"", ""),
    ("transparent", KindId::Bucketized, "name = \"transparent\"\nrecoding = \"bucketize\"", ""),
    (
        "ambiguity",
        KindId::Ambiguous,
        "name = \"ambiguity\"\nsuppression = 0.5",
        "model = \"alpha-beta-privacy\"\nalpha = 0.95\nbeta = 0.9\npresence = \"group\"",
    ),
    ("injector", KindId::Bucketized, "name = \"injector\"\nsuppression = 0.5", ""),
    (
        "distribution",
        KindId::Distribution,
        "name = \"distribution\"\ngroups = [\"FLOOR(age / 4)\"]",
        "model = \"p-private\"\ntarget = \"table\"",
    ),
    ("uncertain", KindId::Uncertain, "name = \"uncertain\"\nfamily = \"gaussian\"", ""),
    ("condensation", KindId::Condensed, "name = \"condensation\"", ""),
    ("slicing", KindId::Sliced, "name = \"slicing\"\ncolumns = [[\"age\"], [\"zip\"], [\"disease\"]]", ""),
    ("slicing", KindId::Sliced, "name = \"slicing\"\ncolumns = [[\"age\"], [\"zip\", \"disease\"]]", ""),
];

/// Tables for each pair, beside those that can't keep the promise.
const TABLES: u64 = 12;

#[test]
fn every_allowed_pair_keeps_its_sentence() {
    let (mut used, mut never) = (BTreeSet::new(), Vec::new());
    for entry in MODELS {
        let (_, asked) = ASKED.iter().find(|(name, _)| *name == entry.name).unwrap_or_else(|| panic!("{}", entry.name));
        for &(method, kind, way, beside) in WAYS {
            let maker = METHODS.iter().find(|maker| maker.name == method).unwrap();
            let Some(sentence) = entry.wordings.of(kind).sentence() else { continue };
            let own = !beside.contains(entry.name) && !beside.is_empty();
            let mut published = 0;
            for number in 0..TABLES {
                let original = people(number);
                let require = format!("model = \"{}\"\n{}", entry.name, asked[number as usize % asked.len()]);
                if !can(maker, &require) {
                    break;
                }
                let require = if own { format!("{require}\n[[require]]\n{beside}") } else { require };
                let numeric = matches!(kind, KindId::Uncertain | KindId::Condensed);
                let Some(released) = try_publish(&original, &require, way, numeric) else { continue };
                published += 1;
                assert_eq!(released.manifest["kind"], kind.name(), "{way}");
                let claim = CLAIMS.iter().find(|(name, _)| *name == sentence.claim);
                let (name, holds) = claim.unwrap_or_else(|| panic!("{} has no claim {}", entry.name, sentence.claim));
                used.insert(*name);
                assert!(holds(&released), "{} by {way}, table {number}: {name}\n{released:?}", entry.name);
                // The words that go with the files are those that were checked.
                let words = fill(sentence.promise, released.parameters());
                let unwrapped = released.readme.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(unwrapped.to_lowercase().contains(&words.to_lowercase()), "{words}\n{}", released.readme);
            }
            let supported = can(maker, &format!("model = \"{}\"\n{}", entry.name, asked[0]));
            if supported && published == 0 {
                never.push(format!("{} by {way}", entry.name));
            }
        }
    }
    assert!(never.is_empty(), "never published: {never:#?}");
    let idle: Vec<&str> = CLAIMS.iter().map(|(name, _)| *name).filter(|name| !used.contains(name)).collect();
    assert!(idle.is_empty(), "claims that no sentence was checked by: {idle:?}");
}

/// Whether a method says that it can keep a promise.
fn can(maker: &moretta::internals::method::MethodEntry, require: &str) -> bool {
    let attributes = "[data]\nsource = \"x.csv\"\n[attributes]\nage = { role = \"quasi\" }\n\
                      disease = { role = \"sensitive\", categories = [[\"cold\", \"flu\"], [\"gout\", \"pox\"]] }\n";
    let policy = format!("{attributes}[[require]]\n{require}\n");
    let policy = moretta::Policy::in_file(policy, std::path::Path::new("policy.toml"), &[]).unwrap();
    maker.can_promise(&*policy.models[0])
}

#[test]
fn what_has_no_sentence_is_refused_before_any_data_is_read() {
    for entry in MODELS {
        let (_, asked) = ASKED.iter().find(|(name, _)| *name == entry.name).unwrap();
        for &(method, kind, way, _) in WAYS {
            let Some(refusal) = entry.wordings.of(kind).refusal() else { continue };
            let policy = format!(
                "[data]\nsource = \"not-there.csv\"\n[attributes]\nage = {{ role = \"quasi\" }}\n\
                 disease = {{ role = \"sensitive\", categories = [[\"cold\", \"flu\"], [\"gout\", \"pox\"]] }}\n\
                 [[require]]\nmodel = \"{}\"\n{}\n[method]\n{way}\n",
                entry.name, asked[0]
            );
            let policy = moretta::Policy::in_file(policy, std::path::Path::new("policy.toml"), &[]).unwrap();
            let error = moretta::internals::publish::check_policy(&policy).unwrap_err();
            assert!(error.message().contains(refusal.reason), "{method}, {}: {error}", entry.name);
            let lines = refusal.lines(&policy.models[0].parameters());
            let help = error.advice().unwrap_or_default();
            assert!(lines.is_none_or(|lines| help.contains(&lines)), "{help}");
        }
    }
}

/// What is offered in place of a refused promise can be read, and is allowed for the kind.
#[test]
fn what_is_offered_instead_is_allowed() {
    for entry in MODELS {
        for kind in KINDS {
            let Some(refusal) = entry.wordings.of(kind.id).refusal() else { continue };
            for lines in refusal.instead {
                let name = lines.split('"').nth(1).unwrap();
                let offered = MODELS.iter().find(|model| model.name == name).unwrap_or_else(|| panic!("{name}"));
                assert!(offered.wordings.of(kind.id).sentence().is_some(), "{name} for {}", kind.name);
            }
        }
    }
}

/// An older release that claims what its kind can't promise.
#[test]
fn an_old_claim_is_not_confirmed() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("people.csv"), "age,ill\n1,a\n2,b\n3,a\n4,b\n").unwrap();
    let policy = "[data]\nsource = \"people.csv\"\n[attributes]\nage = { role = \"quasi\" }\nill = { role = \"sensitive\" }\n\
                  [[require]]\nmodel = \"bucket-size\"\nk = 2\n[method]\nname = \"anatomy\"\n";
    let policy = moretta::Policy::in_file(policy.to_owned(), &home.path().join("policy.toml"), &[]).unwrap();
    let out = home.path().join("out");
    let options = moretta::internals::steward::Options { out: Some(out.clone()), force: false, seed: Some(1) };
    moretta::internals::steward::publish(&policy, &options, &Progress::default()).unwrap();
    let verified = || {
        check::release(&check::release_storage(&out, &Progress::default()).unwrap(), None, &Progress::default())
            .unwrap()
    };
    assert!(verified().verdicts[0].holds && verified().unprovable.is_empty());
    let manifest = out.join("release/manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace("bucket-size", "k-anonymity")).unwrap();
    let now = verified();
    assert!(now.verdicts.is_empty() && now.unproved.is_empty());
    assert_eq!(now.unprovable[0].guarantee.model, "k-anonymity");
    assert!(now.unprovable[0].reason.contains("generalized"), "{}", now.unprovable[0].reason);
}
