//! Whatever the table: what is published under a promise about members keeps it, by the definitions.

use proptest::prelude::*;

use crate::error::Fault;
use crate::kind::OpenRelease;
use crate::kind::bucketized::Bucketized;
use crate::model::{Scope, Verdict, members};
use crate::numeric::tolerance;
use crate::policy::Policy;
use crate::progress::Progress;
use crate::steward::{Options, publish_and_read};
use crate::testkit::concrete;

/// Age, sex, disease.
type Row = (i64, usize, usize);

/// The people of a group, and the diseases that they share.
type Shared = (Vec<(i64, usize)>, Vec<usize>);

const SEXES: [&str; 2] = ["F", "M"];
const DISEASES: [&str; 4] = ["cold", "flu", "gout", "pox"];

fn rows() -> impl Strategy<Value = Vec<Row>> {
    (1_i64..7, 2_usize..5)
        .prop_flat_map(|(ages, diseases)| proptest::collection::vec((0..ages, 0_usize..2, 0..diseases), 4..26))
}

/// Publishes rows under a promise; nothing where the table can't keep it, which is never a bug.
fn publish(rows: &[Row], promise: &str, method: &str) -> Option<(Policy, Box<dyn OpenRelease>)> {
    publish_measured(rows, promise, method).map(|(policy, release, _)| (policy, release))
}

/// The same, with what the promise reached.
fn publish_measured(rows: &[Row], promise: &str, method: &str) -> Option<(Policy, Box<dyn OpenRelease>, Verdict)> {
    let folder = tempfile::tempdir().unwrap();
    let row = |&(age, sex, disease): &Row| format!("{age},{},{}\n", SEXES[sex], DISEASES[disease]);
    let text = "age,sex,disease\n".to_owned() + &rows.iter().map(row).collect::<String>();
    std::fs::write(folder.path().join("people.csv"), text).unwrap();
    let text = format!(
        r#"
        require = [{{ {promise} }}]
        [data]
        source = "people.csv"
        [attributes]
        age = {{ role = "quasi", type = "integer", hierarchy = {{ intervals = [2, 4] }} }}
        sex = {{ role = "quasi", type = "text" }}
        disease = {{ role = "sensitive", type = "text" }}
        [method]
        {method}
        "#
    );
    let policy = Policy::in_file(text, &folder.path().join("policy.toml"), &[]).unwrap();
    match publish_and_read(&policy, &Options { seed: Some(1), ..Options::default() }, &Progress::default()) {
        Ok((mut report, release)) => Some((policy, release, report.guarantees.remove(0))),
        Err(error) => {
            assert_eq!(error.fault(), Fault::Data, "{error}");
            None
        }
    }
}

/// The people and the diseases of each group of a bucketized release.
fn groups(release: Box<dyn OpenRelease>) -> Vec<Shared> {
    let release: Bucketized = concrete(release);
    let text = |column: usize, row: usize| {
        let column = &release.qit.quasi[column];
        column.domain.value(column.codes[row]).to_string()
    };
    let mut groups = vec![(Vec::new(), Vec::new()); release.groups.len()];
    for (row, &group) in release.group_of_row.iter().enumerate() {
        let sex = SEXES.iter().position(|sex| *sex == text(1, row)).unwrap();
        groups[group as usize].0.push((text(0, row).parse().unwrap(), sex));
    }
    for (group, (_, diseases)) in groups.iter_mut().enumerate() {
        let (codes, people) = release.groups.held(0, group);
        for (&code, &people) in codes.iter().zip(people) {
            let name = release.groups.whole.sensitive[0].domain.value(code).to_string();
            let disease = DISEASES.iter().position(|disease| *disease == name).unwrap();
            diseases.extend(std::iter::repeat_n(disease, people as usize));
        }
    }
    groups
}

/// Every way to give the diseases to the people, with the product of what each weighs: sums by person and disease.
fn all_ways(weights: &[[f64; 4]], left: &mut [u64; 4], so_far: &mut Vec<usize>, product: f64, sums: &mut [[f64; 4]]) {
    if so_far.len() == weights.len() {
        so_far.iter().zip(sums).for_each(|(&disease, sums)| sums[disease] += product);
        return;
    }
    for disease in 0..4 {
        let weight = weights[so_far.len()][disease];
        if left[disease] > 0 && weight > 0.0 {
            left[disease] -= 1;
            so_far.push(disease);
            all_ways(weights, left, so_far, product * weight, sums);
            so_far.pop();
            left[disease] += 1;
        }
    }
}

fn shares(weights: &[[f64; 4]], diseases: &[usize]) -> Vec<[f64; 4]> {
    let mut left = [0; 4];
    diseases.iter().for_each(|&disease| left[disease] += 1);
    let mut sums = vec![[0.0; 4]; weights.len()];
    all_ways(weights, &mut left, &mut Vec::new(), 1.0, &mut sums);
    for row in &mut sums {
        let total: f64 = row.iter().sum();
        row.iter_mut().for_each(|share| *share /= total);
    }
    sums
}

/// The diseases that someone can't have: no holder among those in an interval of 1, 2 or 4 years or of the same
/// sex, although one would be expected.
fn excluded(rows: &[Row], (age, sex): (i64, usize), min_expectation: f64) -> Vec<usize> {
    let share = |disease| rows.iter().filter(|row| row.2 == disease).count() as f64 / rows.len() as f64;
    let conditions: [&dyn Fn(&Row) -> bool; 4] = [
        &|row| row.0 == age,
        &|row| row.0.div_euclid(2) == age.div_euclid(2),
        &|row| row.0.div_euclid(4) == age.div_euclid(4),
        &|row| row.1 == sex,
    ];
    let barred = |&disease: &usize| {
        share(disease) > 0.0
            && conditions.iter().any(|condition| {
                let support = rows.iter().filter(|row| condition(row)).count();
                let expectation = 1.0 - (1.0 - share(disease)).powf(support as f64);
                expectation >= min_expectation && !rows.iter().any(|row| condition(row) && row.2 == disease)
            })
    };
    (0..4).filter(barred).collect()
}

/// The prior of someone, as a double sum.
fn prior(rows: &[Row], (age, sex): (i64, usize), bandwidth: f64) -> [f64; 4] {
    let low = rows.iter().map(|row| row.0).min().unwrap();
    let range = (rows.iter().map(|row| row.0).max().unwrap() - low) as f64;
    let kernel = |distance: f64| if distance < bandwidth { 1.0 - (distance / bandwidth).powi(2) } else { 0.0 };
    let mut sums = [0.0; 4];
    for row in rows {
        let years = if range > 0.0 { (row.0 - age).abs() as f64 / range } else { 0.0 };
        sums[row.2] += kernel(years) * kernel(f64::from(u8::from(row.1 != sex)));
    }
    let total: f64 = sums.iter().sum();
    sums.map(|sum| sum / total)
}

fn js(p: &[f64; 4], q: &[f64; 4]) -> f64 {
    let term = |x: f64, y: f64| if x > 0.0 { x * (2.0 * x / (x + y)).ln() } else { 0.0 };
    p.iter().zip(q).map(|(&p, &q)| f64::midpoint(term(p, q), term(q, p))).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn nobody_is_left_with_fewer_than_l_values(rows in rows(), l in 1_u64..4, e in 5_u64..95, way in 0_usize..4) {
        let methods = [
            "name = \"injector\"\nsuppression = 0.5",
            "name = \"mondrian\"\nrecoding = \"bucketize\"",
            "name = \"mondrian\"",
            "name = \"least-loss\"",
        ];
        let promise = format!("model = \"matching-l-diversity\", l = {l}, min_expectation = 0.{e:02}");
        let Some((_, release)) = publish(&rows, &promise, methods[way]) else { return Ok(()) };
        if way >= 2 { return Ok(()) }
        for (people, diseases) in groups(release) {
            if people.len() > 7 { continue }
            let weigh = |&person: &(i64, usize)| {
                let barred = excluded(&rows, person, e as f64 / 100.0);
                std::array::from_fn(|disease| f64::from(u8::from(!barred.contains(&disease))))
            };
            let weights: Vec<[f64; 4]> = people.iter().map(weigh).collect();
            for possible in shares(&weights, &diseases) {
                prop_assert!(possible.iter().filter(|&&share| share > 0.0).count() as u64 >= l);
            }
        }
    }

    #[test]
    fn nobody_gains_more_than_t(rows in rows(), t in 1_u64..60, b in 2_u64..15, bucketize in any::<bool>()) {
        let recoding = if bucketize { "bucketize" } else { "generalize" };
        let promise = format!("model = \"b-t-privacy\", bandwidth = {}.{}, t = 0.{t:02}, distance = \"js\"", b / 10, b % 10);
        let method = format!("name = \"mondrian\"\nrecoding = \"{recoding}\"");
        let Some((policy, release, verdict)) = publish_measured(&rows, &promise, &method) else { return Ok(()) };
        let reached = verdict.achieved["t"].as_f64().unwrap();
        prop_assert!(verdict.holds && reached <= t as f64 / 100.0 + tolerance::LOGARITHM, "{reached}");
        prop_assert!(policy.models[0].caveat().unwrap().starts_with("promises nothing against adversaries who know less"));
        if !bucketize { return Ok(()) }
        for (people, diseases) in groups(release) {
            if people.len() > 7 { continue }
            let priors: Vec<[f64; 4]> = people.iter().map(|&person| prior(&rows, person, b as f64 / 10.0)).collect();
            for (posterior, prior) in shares(&priors, &diseases).iter().zip(&priors) {
                prop_assert!(js(posterior, prior) <= t as f64 / 100.0 + 1e-6, "{posterior:?} {prior:?}");
            }
        }
    }

    /// What one release reaches is more than the next may: its worst group, by whichever inference, has to go.
    #[test]
    fn a_tighter_t_is_kept_as_well(rows in rows(), b in 2_u64..15) {
        let publish = |t: f64| {
            let promise =
                format!("model = \"b-t-privacy\", bandwidth = {}.{}, t = {t:.6}, distance = \"js\"", b / 10, b % 10);
            publish_measured(&rows, &promise, "name = \"mondrian\"\nrecoding = \"bucketize\"")
        };
        let mut t = 0.65;
        while let Some((_, _, verdict)) = publish(t) {
            let reached = verdict.achieved["t"].as_f64().unwrap();
            prop_assert!(reached <= t + 1e-6, "{reached} of {t}");
            t = (0.9 * t).min(0.97 * reached);
            if t < 0.001 { break }
        }
    }

    #[test]
    fn an_infinite_bandwidth_is_t_closeness(rows in rows(), t in 1_u64..60, alone in any::<bool>()) {
        let promise = if alone {
            format!("model = \"b-t-privacy\", bandwidth = \"inf\", t = 0.{t:02}, distance = \"js\"")
        } else {
            let inf = format!("{{ bandwidth = {{ age = inf, sex = \"inf\" }}, t = 0.{t:02} }}");
            format!("model = \"b-t-privacy\", skyline = [{{ bandwidth = 0.4, t = 0.6 }}, {inf}], distance = \"js\"")
        };
        let method = "name = \"mondrian\"\nrecoding = \"bucketize\"";
        let Some((policy, release)) = publish(&rows, &promise, method) else { return Ok(()) };
        prop_assert_eq!(policy.models[0].caveat(), None);
        let distribution = |diseases: &mut dyn Iterator<Item = usize>| {
            let mut sums = [0.0; 4];
            diseases.for_each(|disease| sums[disease] += 1.0);
            let total: f64 = sums.iter().sum();
            sums.map(|sum| sum / total)
        };
        let overall = distribution(&mut rows.iter().map(|row| row.2));
        for (_, diseases) in groups(release) {
            let own = distribution(&mut diseases.iter().copied());
            prop_assert!(js(&own, &overall) <= t as f64 / 100.0 + 1e-8, "{own:?} {overall:?}");
        }
        // Whatever is t-close under the same method can be had.
        let close = format!("model = \"t-closeness\", t = 0.{t:02}, distance = \"js\"");
        prop_assert!(publish(&rows, &close, method).is_some());
    }
}

#[test]
fn rules_can_not_be_mined_from_what_is_released() {
    let rows: Vec<Row> = (0..24_u8).map(|i| (i64::from(i % 6), usize::from(i % 2), usize::from(i % 4))).collect();
    let promise = "model = \"matching-l-diversity\", l = 2, min_expectation = 0.9";
    let (policy, release) = publish(&rows, promise, "name = \"injector\"").unwrap();
    let Scope::Members(model) = policy.models[0].scope() else { panic!("not about members") };
    let verdict = members::judge(model, &*release, None, &Progress::default()).unwrap();
    assert!(verdict.is_none());
}
