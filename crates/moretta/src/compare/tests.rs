//! A learner that the caller brings.

use std::path::PathBuf;
use std::sync::Arc;

use tempfile::TempDir;

use super::*;
use crate::audit::KnownProgram;
use crate::chance::Seed;
use crate::error::{Error, Result};
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::progress::Progress;

const PLAN: &str = r#"
measure = ["classification"]
target = "disease"
folds = 3
seed = 7
queries = { dimension = 1 }
[policy.data]
source = "people.csv"
[policy.attributes]
age = { role = "quasi", type = "integer" }
disease = { role = "sensitive" }
[[grid]]
method = "least-loss"
require = { model = "k-anonymity", k = [2, 5] }
"#;

/// A folder with a plan and its table.
fn plan(text: &str) -> (TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let rows: String = (0..40).map(|n| format!("{},d{}\n", 20 + n % 17, n % 3)).collect();
    std::fs::write(home.path().join("people.csv"), format!("age,disease\n{rows}")).unwrap();
    let file = home.path().join("plan.toml");
    std::fs::write(&file, text).unwrap();
    (home, file)
}

fn prepared(plan: &ComparisonPlan) -> Arc<Prepared> {
    Arc::new(Prepared::read(&plan.table_policy().unwrap(), &Progress::default()).unwrap())
}

/// Tells what it is asked: folds of the original, and of a candidate the k that it promises. It learns nothing at k = 5.
#[derive(Debug)]
struct Clerk;

impl Learner for Clerk {
    fn prepare<'a>(
        &self,
        task: &'a LearningTask,
        _: &Policy,
        _: &'a Prepared,
        seed: Seed,
        _: &Progress,
    ) -> Result<Box<dyn Lessons + 'a>> {
        Ok(Box::new(Notes { folds: task.folds, seed }))
    }
}

struct Notes {
    folds: usize,
    seed: Seed,
}

impl Lessons for Notes {
    fn of_original(&self, _: &Progress) -> Result<Accuracy> {
        Ok(Accuracy { tree: self.folds as f64, bayes: self.seed.0 as f64, majority: 0.0, densities: None })
    }

    fn of_candidate(&self, policy: &Policy, _: &Progress) -> Result<Accuracy> {
        let k = policy.models[0].parameters().get("k").and_then(serde_json::Value::as_u64).unwrap();
        if k == 5 {
            Err(Error::data("too few"))
        } else {
            Ok(Accuracy { tree: k as f64, bayes: self.seed.0 as f64, majority: 1.0, densities: None })
        }
    }
}

#[test]
fn a_learner_is_asked_about_the_original_and_each_candidate() {
    let (home, file) = plan(PLAN);
    let plan = ComparisonPlan::load(&file, home.path(), None).unwrap();
    let compared = run(&plan, &prepared(&plan), None, Some(&Clerk), &Progress::default()).unwrap();
    assert_eq!(compared.learned, Some(Accuracy { tree: 3.0, bayes: 7.0, majority: 0.0, densities: None }));
    let first = compared.points[0].measured().unwrap();
    assert_eq!(first.accuracy, Some(Accuracy { tree: 2.0, bayes: 7.0, majority: 1.0, densities: None }));
    assert!(matches!(&compared.points[1].found, PointOutcome::Refused(why) if why == "too few"));
}

#[test]
fn nothing_is_learned_unless_the_plan_asks() {
    let (home, file) = plan(&PLAN.replace("measure = [\"classification\"]\ntarget = \"disease\"\nfolds = 3\n", ""));
    let plan = ComparisonPlan::load(&file, home.path(), None).unwrap();
    for learner in [None, Some(&Clerk as &dyn Learner)] {
        let compared = run(&plan, &prepared(&plan), None, learner, &Progress::default()).unwrap();
        assert_eq!(compared.learned, None);
        assert!(compared.points.iter().all(|point| point.measured().is_some_and(|m| m.accuracy.is_none())));
    }
}

#[test]
fn a_plan_that_asks_is_refused_without_a_learner() {
    let (home, file) = plan(PLAN);
    let plan = ComparisonPlan::load(&file, home.path(), None).unwrap();
    let error = run(&plan, &prepared(&plan), None, None, &Progress::default()).unwrap_err();
    assert!(error.to_string().contains("there is no learner"), "{error}");
    assert!(error.advice().is_some_and(|advice| advice.contains("`measure`")));
}

#[test]
fn points_are_found_again_by_the_words_of_a_task() {
    // A part of the digest under which finished points stand: other words, and nobody finds theirs.
    let task = LearningTask { target: Some("disease".to_owned()), folds: 10 };
    assert_eq!(format!("{:?}", Some(task)), r#"Some(LearningTask { target: Some("disease"), folds: 10 })"#);
}

#[test]
fn what_knowing_the_program_gains_is_measured_where_a_plan_asks() {
    let grid = "[[grid]]\nmethod = [\"least-loss\", \"mondrian\"]\nrequire = { model = \"distinct-l-diversity\", l = 3 }\n\
                [[grid]]\nmethod = \"transparent\"\nrequire = { model = \"probabilistic-l-diversity\", l = 2 }\n\
                [[grid]]\nmethod = \"mondrian\"\nrequire = { model = \"k-anonymity\", k = 5 }\n";
    let text = PLAN
        .replace("measure = [\"classification\"]\ntarget = \"disease\"\nfolds = 3", "measure = [\"known-program\"]");
    let text = format!("{}{grid}", text.split("[[grid]]").next().unwrap());
    let (home, file) = plan(&text);
    let plan = ComparisonPlan::load(&file, home.path(), None).unwrap();
    let compared = run(&plan, &prepared(&plan), None, None, &Progress::default()).unwrap();
    let known: Vec<&KnownProgram> =
        compared.points.iter().map(|point| point.measured().unwrap().known_program.as_ref().unwrap()).collect();
    for believed in &known[..2] {
        let KnownProgram::Believed { before, after } = believed else { panic!("{believed:?}") };
        // Drawn assignments may tell a little less than there is.
        assert!(*before > 0.3 && *after >= before - 0.05 && *after <= 1.0, "{believed:?}");
    }
    assert_eq!(known[2], &KnownProgram::Proved);
    // Sizes of groups are decided without a look at sensitive values.
    assert!(matches!(known[3], KnownProgram::Believed { before, after } if before.to_bits() == after.to_bits()));
    let json = compared.to_json(None);
    assert_eq!(json["points"][2]["known_program"], "proved");
    assert!(json["points"][0]["known_program"]["believed"]["after"].is_f64(), "{json}");
    let csv = compared.to_csv();
    let fields: Vec<usize> =
        csv.lines().skip(1).map(|line| line.split("}\",").nth(1).unwrap().split(',').count()).collect();
    assert_eq!(fields, [19; 4], "{csv}");
}

#[test]
fn measures_have_names() {
    let (home, file) = plan(&PLAN.replace("[\"classification\"]", "[\"classification\", \"known\"]"));
    let error = ComparisonPlan::load(&file, home.path(), None).unwrap_err();
    assert!(error.to_string().contains("there is no measure \"known\""), "{error}");
    let (home, file) = plan(&PLAN.replace("\"classification\"", "\"known-program\""));
    let error = ComparisonPlan::load(&file, home.path(), None).unwrap_err();
    assert!(error.to_string().contains("`target` and `folds` belong to"), "{error}");
}

#[test]
fn a_point_that_takes_too_long_is_given_up_and_can_be_had_later() {
    let text = PLAN.replace("measure = [\"classification\"]\ntarget = \"disease\"\nfolds = 3\n", "");
    let (home, file) = plan(&format!("patience = 0\n{text}"));
    let mut plan = ComparisonPlan::load(&file, home.path(), None).unwrap();
    let progress = Progress::default();
    let policy = plan.table_policy().unwrap();
    let store = Store::open(&home.path().join("out"), &plan, &policy, &progress).unwrap();
    let compared = run(&plan, &prepared(&plan), Some(&store), None, &progress).unwrap();
    for point in &compared.points {
        assert!(
            matches!(&point.found, PointOutcome::Refused(why) if why == "it takes longer than the 0 s that each point has"),
            "{point:?}"
        );
    }
    plan.patience = None;
    let compared = run(&plan, &prepared(&plan), Some(&store), None, &progress).unwrap();
    assert_eq!(compared.kept, 0, "what was given up is not kept");
    assert!(compared.points.iter().all(|point| point.measured().is_some()));
    // A whole that is stopped is stopped, and nothing is given up.
    plan.patience = Some(std::time::Duration::from_mins(5));
    progress.token().cancel();
    let error = run(&plan, &prepared(&plan), None, None, &progress).unwrap_err();
    assert!(matches!(error.fault(), crate::error::Fault::Cancelled), "{error}");
}
