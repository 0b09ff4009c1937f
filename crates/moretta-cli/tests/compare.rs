//! `compare`: resumable, the same for every number of threads, and its choice can be published.

mod support;

use std::fs;

use serde_json::Value as Json;
use support::{Desk, data_folder};

const POLICY: &str = r#"
[data]
source = "people.csv"
[attributes]
age = { role = "quasi", hierarchy = { intervals = [5, 10, 20] } }
zip = { role = "quasi", type = "text", hierarchy = "zip.csv" }
disease = { role = "sensitive" }
"#;

const PLAN: &str = r#"
policy = "policy.toml"
min_support = 0.1
queries = { count = 50, dimension = 2, selectivity = 0.2 }
[[grid]]
method = "least-loss"
require = { model = "k-anonymity", k = [3, 10, 40] }
[[grid]]
method = { name = "mondrian", recoding = "bucketize" }
require = { model = "bucket-size", k = [3, 10, 40] }
[[grid]]
method = "anatomy"
require = { model = "distinct-l-diversity", l = [2, 9] }
[[grid]]
method = "least-loss"
require = { model = "l-diverse-slicing", l = 2 }
"#;

fn desk() -> Desk {
    let desk = Desk::new();
    let row = |n: u32| format!("{},z{},d{}\n", 20 + n * 7 % 40, n * 5 % 4, (n * n / 3 + n * 5 % 4) % 4);
    desk.write("people.csv", "age,zip,disease\n".to_owned() + &(0..120).map(row).collect::<String>());
    desk.write("zip.csv", "z0,low,*\nz1,low,*\nz2,high,*\nz3,high,*\n");
    desk.write("policy.toml", POLICY);
    desk.write("plan.toml", PLAN);
    desk
}

/// What does not depend on the clock.
fn timeless(mut result: Json) -> Json {
    for point in result["points"].as_array_mut().unwrap() {
        point["seconds"] = Json::Null;
    }
    result
}

#[test]
fn finished_points_are_kept_and_nothing_depends_on_threads() {
    let desk = desk();
    let first = timeless(desk.json(&["compare", "plan.toml", "--out", "out", "--threads", "1"]));
    let points = first["points"].as_array().unwrap();
    assert_eq!(points.len(), 9);
    assert!(points[0]["p_loss"].as_f64().unwrap() > 0.0 && points[0]["parameters"]["k"] == 3);
    assert_eq!(points[3]["parameters"]["recoding"], "bucketize");
    // Four diseases can't be nine different ones; least-loss does not promise anything about slices.
    assert!(points[7]["refused"].as_str().unwrap().contains('9'), "{}", points[7]);
    assert!(points[8]["refused"].as_str().unwrap().contains("can't promise"), "{}", points[8]);
    assert!(points[7]["p_loss"].is_null() && points[7]["efficient"] == false);
    assert_eq!(first["removed"]["p_loss"], 0.0);
    assert_eq!(first["original"]["u_loss"], 0.0);
    assert!(desk.read("out/frontier.svg").contains("</svg>"));
    assert_eq!(desk.read("out/points.csv").lines().count(), 10);

    let kept = |desk: &Desk| fs::read_dir(desk.path("out/points")).unwrap().count();
    assert_eq!(kept(&desk), 9);
    // As after an interruption: some points are there, one is half-written.
    let mut files: Vec<_> = fs::read_dir(desk.path("out/points")).unwrap().flatten().map(|e| e.path()).collect();
    files.sort();
    fs::remove_file(&files[0]).unwrap();
    fs::write(&files[1], "{\"measured\":").unwrap();
    let output = desk.run(&["compare", "plan.toml", "--out", "out", "--threads", "2"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("7 had been measured before"), "{text}");
    let again = timeless(desk.json(&["compare", "plan.toml", "--out", "out", "--threads", "2"]));
    assert_eq!(again, first);
    let elsewhere = timeless(desk.json(&["compare", "plan.toml", "--threads", "2"]));
    assert_eq!(elsewhere, first);

    // Another table is another comparison.
    desk.write("people.csv", desk.read("people.csv") + "33,z1,d1\n");
    desk.json(&["compare", "plan.toml", "--out", "out"]);
    assert_eq!(kept(&desk), 18);
}

#[test]
fn the_chosen_policy_can_be_published() {
    let desk = desk();
    fs::create_dir(desk.path("chosen")).unwrap();
    let chosen = desk.json(&["compare", "plan.toml", "--budget", "p_loss=0.2", "--pick", "chosen/policy.toml"]);
    let point = &chosen["points"][usize::try_from(chosen["chosen"].as_u64().unwrap()).unwrap()];
    assert!(point["p_loss"].as_f64().unwrap() <= 0.2);
    for other in chosen["points"].as_array().unwrap() {
        let better =
            other["p_loss"].as_f64().is_some_and(|p| p <= 0.2) && other["u_loss"].as_f64() < point["u_loss"].as_f64();
        assert!(!better, "{other} is better than {point}");
    }
    let report = desk.json(&["publish", "chosen/policy.toml", "--out", "released"]);
    assert_eq!(report["method"], point["method"]);
    assert_eq!(report["guarantees"][0]["holds"], true);
    assert_eq!(report["groups"], point["groups"]);
}

#[test]
fn a_folder_with_other_things_is_not_written_to() {
    let desk = desk();
    fs::create_dir(desk.path("taken")).unwrap();
    desk.write("taken/thesis.txt", "years of work");
    let output = desk.run(&["compare", "plan.toml", "--out", "taken"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_dir(desk.path("taken")).unwrap().count(), 1);
}

#[test]
fn the_dissertations_frontier_has_t_closeness_on_it() {
    let Some(data) = data_folder("compare: the dissertation's frontier") else { return };
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/dissertation/frontier.toml");
    let desk = Desk::new();
    // A part of the grid, to be quick.
    let text = fs::read_to_string(plan).unwrap();
    let text = text.replace("k = [10, 50, 100, 200, 500, 1000, 2000, 5000]", "k = [100, 5000]");
    let text = text.replace("l = [3.0, 3.5, 4.0, 4.25, 4.5, 4.75, 5.0, 5.5]", "l = 4.5");
    let text = text.replace("t = [0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4]", "t = [0.1, 0.2]");
    let text = text.replace("delta = [1.0, 1.2, 1.4, 1.5, 1.7, 1.9, 2.0, 2.1]", "delta = 1.5");
    desk.write("plan.toml", text.replace("count = 1000", "count = 100"));
    let result = desk.json(&["compare", "plan.toml", "--data", data.to_str().unwrap()]);
    let points = result["points"].as_array().unwrap();
    assert_eq!(points.len(), 12);
    let of = |recoding: &str, model: &str, level: f64| {
        let same = |point: &&Json| {
            let parameters = point["parameters"].as_object().unwrap();
            point["model"] == model
                && point["parameters"]["recoding"] == recoding
                && parameters.values().any(|value| value.as_f64() == Some(level))
        };
        let point = points.iter().find(same).unwrap();
        (point["p_loss"].as_f64().unwrap(), point["u_loss"].as_f64().unwrap(), point["efficient"].as_bool().unwrap())
    };
    for (bucketized, model, level) in [
        ("bucket-size", "k-anonymity", 100.0),
        ("t-closeness", "t-closeness", 0.2),
        ("t-closeness", "t-closeness", 0.1),
    ] {
        assert!(of("bucketize", bucketized, level).1 < of("generalize", model, level).1, "{model}");
    }
    assert!(of("bucketize", "t-closeness", 0.1).2 && of("bucketize", "t-closeness", 0.2).2);
    assert!(of("bucketize", "t-closeness", 0.2).0 <= 0.2 + 1e-9);
}
