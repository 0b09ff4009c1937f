//! From a policy to a judged release, for every family, scaling and scale rule.

use std::fmt::Write as _;

use crate::Policy;
use crate::condition::{QueryBox, ValueSet};
use crate::data::Value;
use crate::kind::OpenRelease;
use crate::kind::uncertain::Uncertain;
use crate::kind::uncertain::math::Family;
use crate::model::{Scope, Verdict};
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::release::{Analyst, Original};
use crate::steward::{Options, publish_and_read};
use crate::testkit::concrete;

/// Ninety people with correlated numbers, some of them alike, in two groups; and a policy.
fn table(folder: &std::path::Path, rest: &str) -> Policy {
    let mut text = "a,b,kind,ill\n".to_owned();
    for i in 0..90_u32 {
        let a = if i % 9 == 0 { 20 } else { (i * 37 % 61) + i / 3 };
        let b = f64::from(a) * 1.5 + f64::from(i * 53 % 29) / 4.0;
        let b = if i % 9 == 0 { 12.5 } else { b };
        let _ = writeln!(text, "{a},{b},{},{}", ["x", "y"][i as usize % 2], ["no", "yes"][i as usize / 2 % 2]);
    }
    std::fs::write(folder.join("t.csv"), text).unwrap();
    let head = "[data]\nsource = \"t.csv\"\n[attributes]\na = { role = \"quasi\" }\nb = { role = \"quasi\" }\n\
                kind = { role = \"quasi\" }\nill = { role = \"sensitive\" }\n[[require]]\nmodel = \"uncertain-k-anonymity\"\nk = 4\n";
    let policy = format!("{head}[method]\nname = \"uncertain\"\n{rest}");
    Policy::in_file(policy, &folder.join("p.toml"), &[]).unwrap()
}

fn published(policy: &Policy) -> Uncertain {
    let options = Options { seed: Some(5), ..Options::default() };
    let (report, release) = publish_and_read(policy, &options, &Progress::default()).unwrap();
    assert!(report.guarantees.iter().all(|verdict| verdict.holds));
    concrete(release)
}

fn judge(policy: &Policy, release: &Uncertain, original: Option<&Original<'_>>) -> crate::Result<Option<Verdict>> {
    match policy.models[0].scope() {
        Scope::Release(model) => model.judge(release, original, &Progress::default()),
        other => panic!("{other:?} is not about a release"),
    }
}

#[test]
fn every_choice_publishes_and_is_proved_and_no_smaller_scales_are() {
    let folder = tempfile::tempdir().unwrap();
    for family in ["gaussian", "uniform"] {
        for scaling in ["global", "local", "rotated"] {
            for scale in ["grid", "exact"] {
                for categorical in ["keep", "drop", "one-hot"] {
                    let rest = format!(
                        "family = \"{family}\"\nscaling = \"{scaling}\"\nscale = \"{scale}\"\ncategorical = \"{categorical}\"\n"
                    );
                    let policy = table(folder.path(), &rest);
                    let mut release = published(&policy);
                    let everybody = release_count(&release, &[QueryBox::default()]);
                    assert!((everybody - 90.0).abs() < 1e-9, "{rest}: {everybody}");
                    // What the files hold is what is judged: smaller scales are not those that the original leads to.
                    for (_, class) in &mut release.shapes {
                        class.scales.iter_mut().for_each(|scale| *scale *= 0.5);
                    }
                    let counted: Prepared = Prepared::read(&policy, &Progress::default()).unwrap();
                    let verdict = judge(&policy, &release, Some(&counted.original())).unwrap().unwrap();
                    assert!(!verdict.holds, "{rest}");
                }
            }
        }
    }
}

fn release_count(release: &Uncertain, condition: &[QueryBox]) -> f64 {
    release.count(condition).unwrap().estimate.unwrap()
}

#[test]
fn classes_that_state_smaller_scales_are_not_proved() {
    let folder = tempfile::tempdir().unwrap();
    let policy = table(folder.path(), "categorical = \"drop\"\n");
    let mut release = published(&policy);
    for class in &mut release.density.classes {
        class.scales.iter_mut().for_each(|scale| *scale *= 0.7);
    }
    for (frame, class) in &mut release.shapes {
        class.scales.iter_mut().for_each(|scale| *scale *= 0.7);
        *frame = frame.times(0.7);
    }
    let counted = Prepared::read(&policy, &Progress::default()).unwrap();
    let verdict = judge(&policy, &release, Some(&counted.original())).unwrap().unwrap();
    assert!(!verdict.holds);
}

#[test]
fn a_recipient_without_the_original_proves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let policy = table(folder.path(), "categorical = \"drop\"\n");
    let release = published(&policy);
    assert!(judge(&policy, &release, None).unwrap().is_none());
}

#[test]
fn hard_bounds_hold_the_truth_and_parts_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let policy = table(folder.path(), "family = \"uniform\"\ncategorical = \"keep\"\n");
    let release = published(&policy);
    assert_eq!(release.density.family, Family::Uniform);
    let counted = Prepared::read(&policy, &Progress::default()).unwrap();
    let ages = &counted.table.quasi[0];
    for limit in [10, 25, 40, 60] {
        let below = QueryBox { sides: vec![(0, ValueSet::below(Value::Integer(limit), true))] };
        let above = QueryBox { sides: vec![(0, ValueSet::above(Value::Integer(limit), false))] };
        let truth = ages.codes.iter().filter(|&&c| *ages.domain.value(c) <= Value::Integer(limit)).count() as f64;
        let found = release.count(std::slice::from_ref(&below)).unwrap();
        assert!(found.lower.unwrap() <= truth && truth <= found.upper.unwrap(), "{limit}: {truth} {found:?}");
        let both = found.estimate.unwrap() + release_count(&release, &[above]);
        assert!((both - 90.0).abs() < 1e-6, "{both}");
    }
}

/// Equation 21 for a turned density, by the midpoints of a fine grid over it.
fn integrated(release: &Uncertain, record: usize, sides: &[(usize, Vec<(f64, f64)>)]) -> f64 {
    let frame = &release.shapes[release.shape_of[record] as usize].0;
    let (steps, reach) = (160, if release.density.family == Family::Gaussian { 5.0 } else { 0.5 });
    let along = |step: i32| reach * (2.0 * (f64::from(step) + 0.5) / f64::from(steps) - 1.0);
    let (mut inside, mut all) = (0.0, 0.0);
    for (one, other) in (0..steps).flat_map(|i| (0..steps).map(move |j| (along(i), along(j)))) {
        let height = match release.density.family {
            Family::Gaussian => (-0.5 * (one * one + other * other)).exp(),
            Family::Uniform => 1.0,
        };
        let mut away = [0.0; 2];
        frame.undo(&[one, other], &mut away);
        let at = |d: usize| away[d] * release.density.dimensions[d].unit + release.centers[d][record];
        let known = |&(d, _): &(usize, Vec<(f64, f64)>)| {
            let dimension = &release.density.dimensions[d];
            let half = if dimension.kind == crate::data::value::Type::Integer { 0.5 } else { 0.0 };
            dimension.low.unwrap() - half <= at(d) && at(d) <= dimension.high.unwrap() + half
        };
        if sides.iter().all(known) {
            all += height;
            let within = |(d, ranges): &(usize, Vec<(f64, f64)>)| ranges.iter().any(|r| r.0 <= at(*d) && at(*d) <= r.1);
            inside += if sides.iter().all(within) { height } else { 0.0 };
        }
    }
    if all > 0.0 { inside / all } else { f64::NAN }
}

#[test]
fn counts_of_turned_densities_are_what_numeric_integration_gives() {
    let folder = tempfile::tempdir().unwrap();
    for family in ["gaussian", "uniform"] {
        let rest = format!("family = \"{family}\"\nscaling = \"rotated\"\nscale = \"exact\"\ncategorical = \"drop\"\n");
        let release = published(&table(folder.path(), &rest));
        assert!(release.shapes.iter().any(|(frame, _)| frame.axes.is_some()));
        for (a, b) in [(25, 60.0), (40, 45.0), (60, 90.0), (15, 30.0)] {
            let sides =
                vec![(0, ValueSet::below(Value::Integer(a), true)), (1, ValueSet::above(Value::Number(b), true))];
            let ranges = vec![(0, sides[0].1.intervals(true)), (1, sides[1].1.intervals(false))];
            let truth: f64 = (0..release.len())
                .map(|record| integrated(&release, record, &ranges))
                .filter(|share| !share.is_nan())
                .sum();
            let found = release_count(&release, &[QueryBox { sides }]);
            // Densities are looked at in 128 places: two in a hundred of the people.
            assert!((found - truth).abs() < 0.02 * 90.0, "{family} {a} {b}: {found} {truth}");
        }
    }
}

#[test]
fn threads_do_not_change_a_byte() {
    let folder = tempfile::tempdir().unwrap();
    let policy = table(folder.path(), "scaling = \"local\"\ncategorical = \"keep\"\n");
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| published(&policy))
    };
    let (one, two) = (run(1), run(2));
    assert_eq!(one.centers, two.centers);
    assert_eq!(one.density, two.density);
}

#[test]
fn an_adversary_weighs_records_and_believes_in_their_values() {
    let folder = tempfile::tempdir().unwrap();
    let policy = table(folder.path(), "categorical = \"keep\"\n");
    let release = published(&policy);
    let counted = Prepared::read(&policy, &Progress::default()).unwrap();
    let original = counted.original();
    let adversary = release.adversary(&original.quasi).unwrap();
    let person: Vec<u32> = counted.table.quasi.iter().map(|column| column.codes[7]).collect();
    let candidates = adversary.candidates(&person);
    assert!(candidates.len() > 1);
    assert!((candidates.iter().map(|(_, weight)| weight).sum::<f64>() - 1.0).abs() < 1e-9);
    let belief = adversary.posterior(&person, 0).unwrap();
    assert!((belief.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    assert_eq!(adversary.presence(&person), None);
}

#[test]
fn numbers_beyond_measure_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let policy = table(folder.path(), "categorical = \"drop\"\n");
    for (large, small) in [("1e308", "-1e308"), ("1e-300", "2e-300")] {
        let rows: String = (0..20).map(|i| format!("{},{i},x,no\n", if i % 2 == 0 { large } else { small })).collect();
        std::fs::write(folder.path().join("t.csv"), format!("a,b,kind,ill\n{rows}")).unwrap();
        let refused = publish_and_read(&policy, &Options::default(), &Progress::default()).unwrap_err().to_string();
        assert!(refused.contains("\"a\""), "{refused}");
    }
}
