//! Releases without a finite number of originals. Blurred records: estimates against numerical integration of the
//! published densities, bounds against the original, which never leaves them. Drawn records: estimates against plain counting
//! in the published file, bounds against the original. Nothing here is left to chance: false alarms are impossible but for the
//! stated error of integration.

use proptest::prelude::*;

use super::{Labels, Query, Truth, answer};
use crate::prepare::read_for_questions;
use crate::progress::Progress;
use crate::release::{Estimate, Original};
use crate::testkit::published::{Published, publish};

const SELECTED: &str = "COUNT(*), SUM(age), AVG(age), MIN(age), MAX(age), SUM(pay), AVG(pay), MIN(pay), MAX(pay)";

fn people() -> impl Strategy<Value = String> {
    let person = (0..30_i32, 0..20_i32, 0..3_i32, any::<bool>());
    proptest::collection::vec(person, 6..14).prop_map(|people| {
        let row = |(age, size, pay, sex): &(i32, i32, i32, bool)| {
            format!("{},{},{},{}\n", age + 20, f64::from(*size) / 4.0, pay * 10 - 10, if *sex { "F" } else { "M" })
        };
        "age,size,pay,sex\n".to_owned() + &people.iter().map(row).collect::<String>()
    })
}

fn policy(require: &str, method: &str) -> String {
    format!(
        "[attributes]\nage = {{ role = \"quasi\", type = \"integer\" }}\nsize = {{ role = \"quasi\", type = \"number\" }}\n\
         sex = {{ role = \"quasi\", type = \"text\" }}\npay = {{ role = \"sensitive\", type = \"integer\" }}\n[[require]]\n{require}\n\
         [method]\n{method}\n"
    )
}

/// What the release and the original answer; nothing if an attribute was left out because everybody has the same value.
fn ask(published: &Published, condition: &str) -> Option<(Vec<Estimate>, Vec<Option<f64>>)> {
    let release = published.for_questions();
    if release.attributes().len() < 4 {
        return None;
    }
    let query = Query::parse(&format!("SELECT {SELECTED} WHERE {condition}")).unwrap();
    let query = Labels::default().resolve(&query, &*release).unwrap();
    let found = answer(&*release, &query).unwrap().rows.swap_remove(0).estimates;
    let (table, cells) =
        read_for_questions(&published.policy, published.policy.open_source().unwrap(), &Progress::default()).unwrap();
    let original = Original::new(&table, &cells);
    let truth = answer(&Truth(&original), &query).unwrap().rows.swap_remove(0).estimates;
    Some((found, truth.into_iter().map(|estimate| estimate.estimate).collect()))
}

fn truth_is_within(found: &[Estimate], truth: &[Option<f64>]) -> Result<(), TestCaseError> {
    for (estimate, exact) in found.iter().zip(truth) {
        let Some(exact) = exact else { continue };
        let (low, high) = (estimate.lower.unwrap_or(f64::NAN), estimate.upper.unwrap_or(f64::NAN));
        prop_assert!(low <= exact + 1e-9 && *exact <= high + 1e-9, "{exact} is not within {estimate:?}");
    }
    Ok(())
}

/// The mass and the first moment of a coordinate inside an interval, of all that lies in its range.
fn integrate(family: &str, (center, scale): (f64, f64), inside: (f64, f64), range: (f64, f64)) -> (f64, f64) {
    const STEPS: u32 = 4000;
    let height = |x: f64| {
        let w = (x - center) / scale;
        match family {
            "gaussian" => (-0.5 * w * w).exp(),
            _ => f64::from(u8::from(w.abs() <= 0.5)),
        }
    };
    let sum = |(from, to): (f64, f64)| {
        let reach = if family == "gaussian" { 7.0 * scale } else { 0.5 * scale };
        let (from, to) = (from.max(center - reach), to.min(center + reach));
        let step = (to - from).max(0.0) / f64::from(STEPS);
        let indices = (0..STEPS).map(|i| from + (f64::from(i) + 0.5) * step);
        indices.fold((0.0, 0.0), |(mass, moment), x| (mass + height(x) * step, moment + x * height(x) * step))
    };
    let all = sum(range).0;
    let (mass, moment) = sum((inside.0.max(range.0), inside.1.min(range.1)));
    if all > 1e-6 { (mass / all, moment / all) } else { (f64::NAN, f64::NAN) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn blurred_records_answer_as_their_densities_do(
        csv in people(), uniform in any::<bool>(), ranged in any::<bool>(), from in 15_i32..45, width in 1_i32..20, size in 0..6_i32
    ) {
        let family = if uniform { "uniform" } else { "gaussian" };
        let range = if ranged { "rounded" } else { "none" };
        let method = format!("name = \"uncertain\"\nfamily = \"{family}\"\nrange = \"{range}\"\ncategorical = \"keep\"");
        let Ok(published) = publish(&csv, &policy("model = \"uncertain-k-anonymity\"\nk = 1.3", &method), 3) else { return Err(TestCaseError::reject("not published")) };
        let to = from + width;
        let asked = ask(&published, &format!("age BETWEEN {from} AND {to} AND size >= {size} AND pay >= 0"));
        let Some((found, truth)) = asked else { return Err(TestCaseError::reject("an attribute was left out")) };
        truth_is_within(&found, &truth)?;

        let manifest: serde_json::Value = serde_json::from_str(&published.manifest()).unwrap();
        let dimensions = manifest["density"]["dimensions"].as_array().unwrap();
        let dimension = |name: &str| dimensions.iter().position(|d| d["name"] == *name);
        let (Some(age), Some(long)) = (dimension("age"), dimension("size")) else { return Ok(()) };
        let end = |d: usize, name: &str, open: f64| dimensions[d][name].as_f64().unwrap_or(open);
        let limits = |d: usize, half: f64| (end(d, "low", f64::NEG_INFINITY) - half, end(d, "high", f64::INFINITY) + half);
        let pay = published.text("uncertain").lines().next().unwrap().split(',').position(|name| name == "pay").unwrap();
        let (mut count, mut sum, mut pays) = (0.0, 0.0, 0.0);
        for row in published.rows("uncertain") {
            let number = |at: usize| row[at].parse::<f64>().unwrap();
            if number(pay) < 0.0 {
                continue;
            }
            let line = |d: usize| (number(d), number(dimensions.len() + d));
            let inside = (f64::from(from) - 0.5, f64::from(to) + 0.5);
            let (mass, moment) = integrate(family, line(age), inside, limits(age, 0.5));
            let (other, _) = integrate(family, line(long), (f64::from(size), f64::INFINITY), limits(long, 0.0));
            count += mass * other;
            sum += moment * other;
            pays += mass * other * number(pay);
        }
        // Hardly anything of a density in its range: integration has no digits left there.
        if count.is_nan() {
            return Ok(());
        }
        let off = |at: usize, wanted: f64| (found[at].estimate.unwrap_or(0.0) - wanted).abs();
        prop_assert!(off(0, count) < 0.01, "{:?} {count}", found[0]);
        // An estimate never leaves its bounds, though the density alone would.
        for (at, wanted) in [(1, sum), (5, pays)] {
            if let (Some(lower), Some(upper)) = (found[at].lower, found[at].upper) {
                prop_assert!(off(at, wanted.clamp(lower, upper)) < 0.5, "{:?} {wanted}", found[at]);
            }
        }
    }

    #[test]
    fn drawn_records_answer_as_the_file_counts(csv in people(), from in 15_i32..45, width in 0_i32..20, sex in any::<bool>()) {
        let Ok(published) = publish(&csv, &policy("model = \"condensed-k\"\nk = 2", "name = \"condensation\"\ncategorical = \"one-hot\""), 3) else { return Err(TestCaseError::reject("not published")) };
        let to = from + width;
        let letter = if sex { "F" } else { "M" };
        let asked = ask(&published, &format!("age BETWEEN {from} AND {to} AND sex = '{letter}' AND pay >= 0"));
        let Some((found, truth)) = asked else { return Err(TestCaseError::reject("an attribute was left out")) };
        truth_is_within(&found, &truth)?;
        let text = published.text("data");
        let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        let index = |name: &str| header.iter().position(|own| *own == name);
        let (Some(age), Some(pay)) = (index("age"), index("pay")) else { return Ok(()) };
        let rows = published.rows("data");
        let number = |row: &Vec<String>, at: usize| row[at].parse::<f64>().unwrap();
        let both = ["sex=F", "sex=M"].map(index);
        let is_letter = |row: &Vec<String>| match both {
            [Some(f), Some(m)] if sex => number(row, f) >= number(row, m),
            [Some(f), Some(m)] => number(row, m) > number(row, f),
            _ => true,
        };
        let chosen: Vec<&Vec<String>> = rows.iter()
            .filter(|row| (number(row, age) - f64::from(from)) >= -0.5 && (number(row, age) - f64::from(to)) <= 0.5)
            .filter(|row| number(row, pay) >= 0.0 && is_letter(row))
            .collect();
        if both.iter().all(Option::is_some) {
            prop_assert_eq!(found[0].estimate, Some(chosen.len() as f64));
            let sum: f64 = chosen.iter().map(|row| number(row, pay)).sum();
            if found[5].estimate.is_some() {
                prop_assert!((found[5].estimate.unwrap_or(0.0) - sum).abs() < 1e-9);
            }
        }
    }
}

/// Ten people of each size 0, 1, …, 10: the range that is published ends where some of them stand.
#[test]
fn who_stands_at_the_end_of_the_range_is_not_surely_below_it() {
    let rows: String =
        (0..110).map(|i| format!("{},{},{},{}\n", 20 + i % 7, i % 11, i % 5, ["F", "M"][i % 2])).collect();
    let method = "name = \"uncertain\"\nfamily = \"uniform\"\nrange = \"rounded\"\ncategorical = \"keep\"";
    let require = "model = \"uncertain-k-anonymity\"\nk = 1.3";
    let published = publish(&format!("age,size,pay,sex\n{rows}"), &policy(require, method), 3).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&published.manifest()).unwrap();
    let dimensions = manifest["density"]["dimensions"].as_array().unwrap();
    let size = dimensions.iter().find(|d| d["name"] == "size").unwrap();
    assert_eq!((size["low"].as_f64(), size["high"].as_f64()), (Some(0.0), Some(10.0)));
    for (condition, people) in [("size < 10", 100.0), ("size <> 0", 100.0), ("size > 0", 100.0), ("size <= 10", 110.0)]
    {
        let (found, truth) = ask(&published, condition).unwrap();
        assert_eq!(truth[0], Some(people));
        truth_is_within(&found, &truth).unwrap();
    }
}
