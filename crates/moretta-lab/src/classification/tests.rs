//! Learning from tables whose answer is known.

use moretta::CancelToken;
use proptest::prelude::*;
use tempfile::TempDir;

use super::counts::{Counts, Part};
use super::features::Lesson;
use super::*;

const ATTRIBUTES: &str = r#"
    [attributes]
    age = { role = "quasi", type = "integer" }
    zip = { role = "quasi", type = "text" }
    disease = { role = "sensitive", type = "text" }
    job = { role = "drop" }
"#;

/// A table in a folder of its own, and a policy beside it.
struct Stated {
    _home: TempDir,
    policy: Policy,
}

fn state(csv: &str, require: &str, method: &str) -> Stated {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("table.csv"), csv).unwrap();
    let text = format!("[data]\nsource = \"table.csv\"\n{ATTRIBUTES}\n[[require]]\n{require}\n[method]\n{method}\n");
    let policy = Policy::in_file(text, &home.path().join("policy.toml"), &[]).unwrap();
    Stated { _home: home, policy }
}

impl Stated {
    fn original(&self, task: &LearningTask) -> Result<Accuracy> {
        let prepared = Prepared::read(&self.policy, &Progress::default())?;
        TreeAndBayes
            .prepare(task, &self.policy, &prepared, Seed(1), &Progress::default())?
            .of_original(&Progress::default())
    }

    fn released(&self, task: &LearningTask) -> Result<Accuracy> {
        let prepared = Prepared::read(&self.policy, &Progress::default())?;
        TreeAndBayes
            .prepare(task, &self.policy, &prepared, Seed(1), &Progress::default())?
            .of_candidate(&self.policy, &Progress::default())
    }
}

/// People with few different ages, zip codes and diseases, as CSV.
fn people(most: usize) -> impl Strategy<Value = String> {
    (1_u32..9, 1_u32..7, 1_u32..7).prop_flat_map(move |(ages, zips, diseases)| {
        proptest::collection::vec((0..ages, 0..zips, 0..diseases), 1..=most).prop_map(|people| {
            let row = |(age, zip, disease): &(u32, u32, u32)| format!("{age},z{zip},d{disease},j\n");
            "age,zip,disease,job\n".to_owned() + &people.iter().map(row).collect::<String>()
        })
    })
}

/// Who lives in z0 or z1 and is younger than 30 has d0; who is older d1; elsewhere d2.
fn lawful(rows: usize) -> String {
    let row = |n: usize| {
        let (age, zip) = (20 + n * 7 % 20, n * 3 % 5);
        let disease = if zip > 1 { 2 } else { usize::from(age >= 30) };
        format!("{age},z{zip},d{disease},j\n")
    };
    "age,zip,disease,job\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

#[test]
fn a_law_is_learned_from_the_original_and_from_small_groups_and_lost_in_one_group() {
    let task = LearningTask { target: Some("disease".into()), folds: 5 };
    let csv = lawful(400);
    let accuracy = |require: &str, method: &str| {
        let stated = state(&csv, require, method);
        (stated.released(&task).unwrap(), stated.original(&task).unwrap())
    };
    let (released, original) = accuracy("model = \"k-anonymity\"\nk = 2", "name = \"least-loss\"");
    assert!(original.tree > 0.999 && original.bayes > 0.8, "{original:?}");
    assert!(released.tree > 0.9, "{released:?}");
    for (model, method) in
        [("k-anonymity", "name = \"least-loss\""), ("bucket-size", "name = \"mondrian\"\nrecoding = \"bucketize\"")]
    {
        let (one_group, _) = accuracy(&format!("model = \"{model}\"\nk = 300"), method);
        assert!((one_group.tree - one_group.majority).abs() < 1e-9, "{one_group:?}");
        assert!((one_group.majority - original.majority).abs() < 0.02, "{one_group:?}");
    }
    let (linked, _) = accuracy("model = \"distinct-l-diversity\"\nl = 2", "name = \"anatomy\"");
    assert!(linked.tree < original.tree, "{linked:?}");
}

#[test]
fn densities_vote_among_the_records_that_agree_in_what_is_kept() {
    let stated = |rows: usize, k: u32| {
        let method = "name = \"uncertain\"\ncategorical = \"keep\"";
        state(&lawful(rows), &format!("model = \"uncertain-k-anonymity\"\nk = {k}"), method)
    };
    let task = LearningTask { target: Some("disease".into()), folds: 5 };
    let near = stated(400, 2).released(&task).unwrap();
    assert!(near.densities.is_some_and(|share| share > 0.9), "{near:?}");
    // Blurred over everybody who has the same zip code, an age tells nothing: the more frequent disease of hers is what remains.
    let far = stated(400, 30).released(&task).unwrap();
    assert!(far.densities < near.densities && far.densities > Some(0.7), "{far:?}");
    assert!(stated(400, 2).original(&task).unwrap().densities.is_none());
    let by_zip = LearningTask { target: Some("zip".into()), folds: 5 };
    assert!(stated(100, 2).released(&by_zip).unwrap().densities.is_none(), "densities tell of sensitive attributes");
}

#[test]
fn a_quasi_identifier_can_be_learned_too() {
    let task = LearningTask { target: Some("zip".into()), folds: 4 };
    // The disease tells the zip code.
    let row = |n: usize| format!("{},z{},d{},j\n", 20 + n % 11, n % 3, n % 3);
    let csv = "age,zip,disease,job\n".to_owned() + &(0..300).map(row).collect::<String>();
    let stated = state(&csv, "model = \"bucket-size\"\nk = 2", "name = \"mondrian\"\nrecoding = \"bucketize\"");
    let original = stated.original(&task).unwrap();
    assert!(original.tree > 0.999 && original.bayes > 0.999, "{original:?}");
    assert!((original.majority - 1.0 / 3.0).abs() < 0.1);
}

#[test]
fn an_unknown_target_is_refused() {
    let task = LearningTask { target: Some("diseases".into()), folds: 2 };
    let stated = state(&lawful(20), "model = \"k-anonymity\"\nk = 2", "name = \"least-loss\"");
    let error = stated.original(&task).unwrap_err();
    assert!(error.to_string().contains("did you mean `disease`"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn counts_are_those_of_rows(csv in people(40), masks in proptest::collection::vec(any::<bool>(), 24), quasi in any::<bool>()) {
        let stated = state(&csv, "model = \"bucket-size\"\nk = 1", "name = \"mondrian\"\nrecoding = \"bucketize\"");
        let counted = Prepared::read(&stated.policy, &Progress::default()).unwrap();
        let original = counted.original();
        let truth = Truth(&original);
        let lesson = Lesson::new(&counted.table, quasi.then_some("zip"), &truth).unwrap();
        let counts = Counts { release: &truth, lesson: &lesson, token: &CancelToken::new() };
        let part: Part = lesson.features.iter().enumerate().map(|(at, feature)| {
            masks[at].then(|| (0..feature.bins.len()).map(|bin| masks[(at * 7 + bin) % masks.len()]).collect())
        }).collect();
        let tables = counts.of_parts(std::slice::from_ref(&part)).unwrap().remove(0);
        let mut bins = vec![0; lesson.features.len()];
        let mut slow: Vec<Vec<Vec<f64>>> =
            lesson.features.iter().map(|feature| vec![vec![0.0; lesson.classes.len()]; feature.bins.len()]).collect();
        for row in 0..csv.lines().count() - 1 {
            lesson.bins_of(&counted.table, row, &mut bins);
            if part.iter().zip(&bins).all(|(chosen, &bin)| chosen.as_ref().is_none_or(|chosen| chosen[bin])) {
                let class = lesson.class_of(&counted.table, row);
                slow.iter_mut().zip(&bins).for_each(|(table, &bin)| table[bin][class] += 1.0);
            }
        }
        prop_assert_eq!(tables, slow);
    }
}
