//! The tables of the ambiguity paper, in the groups that it prints, asked what it asks.

use std::sync::Arc;

use super::{Planned, write};
use crate::chance::Seed;
use crate::data::domain::Domain;
use crate::data::value::Value;
use crate::kind::ambiguous::AmbiguousPlan;
use crate::kind::bucketized::BucketizedPlan;
use crate::kind::{OpenRelease, Plan, registry};
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::query::{Query, answer};
use crate::release::Files;
use crate::release::plan::{Buckets, Piece};
use crate::storage::Storage;

const PATIENTS: &str = "name,age,gender,zipcode,disease
Alan,45,M,11000,diabetes
Charles,20,M,12000,flu
George,50,M,23000,diarrhea
Henry,60,M,12000,stroke
Alice,20,F,54000,leukemia
Carol,50,F,23000,diabetes
Grace,60,F,23000,leukemia
Helen,60,F,21000,dyspepsia
";

const POLICY: &str = r#"
[data]
source = "patients.csv"
[attributes]
name = { role = "identifier" }
age = { role = "quasi", type = "integer" }
gender = { role = "quasi" }
zipcode = { role = "quasi" }
disease = { role = "sensitive" }
[[require]]
model = "alpha-beta-privacy"
alpha = 0.5
beta = 0.5
presence = "group"
[method]
name = "ambiguity"
"#;

/// What is known of people: the quasi-identifiers and their values.
type Known = Vec<(String, Arc<Domain>)>;

/// The patients, the first four in one group and the last four in another, as files that were read back.
fn release(plan: fn(Buckets) -> Box<dyn Plan>) -> (Box<dyn OpenRelease>, Known) {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("patients.csv"), PATIENTS).unwrap();
    let policy = Policy::in_file(POLICY.to_owned(), &home.path().join("policy.toml"), &[]).unwrap();
    let prepared = Prepared::read(&policy, &Progress::default()).unwrap();
    let pieces = prepared.cells.cell_of_row.iter().enumerate();
    let pieces = pieces.map(|(row, &cell)| Piece { group: row as u32 / 4, cell, people: 1 }).collect();
    let plan = plan(Buckets { pieces, len: 2, ..Buckets::default() });
    let planned =
        Planned { plan, scales: None, warnings: Vec::new(), seed: Seed(1), k: None, bound: None, seconds: 0.0 };
    let files = Storage::memory();
    write(&policy, &prepared, &planned, (&files, None), &Progress::default()).unwrap();
    let quasi = prepared.table.quasi.iter().map(|column| (column.name.clone(), column.domain.clone())).collect();
    (registry::read(&Files::open(&files, &Progress::default()).unwrap(), &Progress::default()).unwrap(), quasi)
}

fn code(domain: &Domain, text: &str) -> u32 {
    (0..domain.len() as u32).find(|&code| domain.value(code).to_string() == text).unwrap()
}

fn person(quasi: &[(String, Arc<Domain>)], values: [&str; 3]) -> Vec<u32> {
    quasi.iter().zip(values).map(|((_, domain), value)| code(domain, value)).collect()
}

fn estimate(release: &dyn OpenRelease, condition: &str) -> (f64, f64, f64) {
    let query = Query::parse(&format!("SELECT COUNT(*) WHERE {condition}")).unwrap();
    let found = answer(release, &query).unwrap().rows[0].estimates[0];
    (found.estimate.unwrap(), found.lower.unwrap(), found.upper.unwrap())
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} is not {b}");
}

#[test]
fn ambiguity_shows_what_the_paper_says() {
    let (release, quasi) = release(|buckets| Box::new(AmbiguousPlan(buckets)));
    let adversary = release.adversary(&quasi).unwrap();
    let (alan, alice) = (person(&quasi, ["45", "M", "11000"]), person(&quasi, ["20", "F", "54000"]));
    near(adversary.presence(&alan).unwrap(), 1.0 / 3.0);
    near(adversary.presence(&alice).unwrap(), 4.0 / 9.0);
    let diseases = &release.groups().unwrap().whole.sensitive[0].domain;
    let belief = |person: &[u32], disease: &str| {
        adversary.posterior(person, 0).unwrap()[diseases.code(&Value::Text(disease.into())).unwrap() as usize]
    };
    near(belief(&alan, "diabetes"), 1.0 / 4.0);
    near(belief(&alice, "leukemia"), 1.0 / 2.0);
    assert_eq!(adversary.presence(&person(&quasi, ["45", "F", "11000"])), Some(0.0));

    near(estimate(&*release, "disease = 'stroke' AND age >= 45").0, 3.0 / 4.0);
    let (found, lower, upper) = estimate(&*release, "age >= 50 AND zipcode = 23000 AND disease = 'diabetes'");
    near(found, 7.0 / 18.0);
    assert_eq!((lower, upper), (0.0, 2.0));
}

#[test]
fn anatomy_shows_who_is_there() {
    let (release, quasi) = release(|buckets| Box::new(BucketizedPlan(buckets)));
    let adversary = release.adversary(&quasi).unwrap();
    let alan = person(&quasi, ["45", "M", "11000"]);
    assert_eq!(adversary.presence(&alan), Some(1.0));
    assert_eq!(adversary.presence(&person(&quasi, ["45", "M", "12000"])), Some(0.0));
    near(adversary.posterior(&alan, 0).unwrap().iter().sum::<f64>(), 1.0);
    // Of the first four, three are 45 or older, and one has a stroke.
    near(estimate(&*release, "disease = 'stroke' AND age >= 45").0, 3.0 / 4.0);
    // All four of the first group are men, and one of them has a stroke: that is certain.
    assert_eq!(estimate(&*release, "disease = 'stroke' AND gender = 'M'"), (1.0, 1.0, 1.0));
}
