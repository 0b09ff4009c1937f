//! Small tables against somebody who knows the program: what every method keeps, or does not.

use rand::Rng;
use rand_chacha::ChaCha12Rng;

use super::worlds::Worlds;
use crate::audit::RunBudget;
use crate::chance::Seed;
use crate::data::source::{Input, ReadOptions, Source};
use crate::knowledge::Points;
use crate::method::AS_PLANNED;
use crate::model::Requirement;
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::progress::Progress;

/// A table, its policy, and all that could have led to its releases.
struct Known {
    policy: Policy,
    prepared: Prepared,
    points: Points,
    worlds: Worlds,
}

/// Nothing where the table can't be published, or there is too much to try.
fn known(csv: &str, require: &str, method: &str) -> Option<Known> {
    let policy = format!(
        "[attributes]\nage = {{ role = \"quasi\" }}\nzip = {{ role = \"quasi\" }}\ndisease = {{ role = \"sensitive\" }}\n\
         [[require]]\n{require}\n[method]\n{method}\n"
    );
    let policy = Policy::parse(policy).unwrap();
    let input = Input::Memory("people.csv".into(), csv.to_owned().into());
    let source = Source::open(input, ReadOptions::detect()).unwrap();
    let prepared = Prepared::read_source(&policy, source, &Progress::default()).unwrap();
    let points = Points::of_cells(&prepared.cells, &prepared.scales);
    let worlds = Worlds::of(&policy, &prepared, &points, RunBudget::default(), &Progress::default()).unwrap()?;
    Some(Known { policy, prepared, points, worlds })
}

impl Known {
    /// The share of people beyond the promise in each release that can come out, with how likely it does.
    fn beyond(&self) -> Vec<(f64, f64)> {
        let requirement = Requirement::for_judging(&self.policy.models, &self.prepared.whole).unwrap();
        let everybody = self.points.people.iter().sum::<u64>() as f64;
        let of_release = |seen| {
            let beyond = self.worlds.beyond(seen, &requirement).unwrap();
            let hit = beyond.iter().zip(&self.points.people).filter(|&(&beyond, _)| beyond).map(|(_, people)| people);
            (hit.sum::<u64>() as f64 / everybody, self.worlds.likelihood(seen))
        };
        self.worlds.releases().map(of_release).collect()
    }

    /// The share that is to be expected; nothing where nothing can come out.
    fn expected(&self) -> Option<f64> {
        let all = self.beyond();
        (!all.is_empty()).then(|| all.iter().map(|(share, likely)| share * likely).sum())
    }
}

/// A random table of up to so many people.
fn people(chance: &mut ChaCha12Rng, most: usize) -> String {
    let (ages, zips, diseases) =
        (chance.random_range(1..6_u32), chance.random_range(1..3_u32), chance.random_range(2..5_usize));
    let row = |_| {
        let disease = ["cold", "flu", "gout", "hiv"][chance.random_range(0..diseases)];
        format!("{},z{},{disease}\n", 30 + chance.random_range(0..ages), chance.random_range(0..zips))
    };
    let len = 4 + most.saturating_sub(4).min(most);
    let rows: String = (0..len.min(most)).map(row).collect();
    format!("age,zip,disease\n{rows}")
}

const PROMISES: [&str; 5] = [
    "model = \"probabilistic-l-diversity\"\nl = 2",
    "model = \"distinct-l-diversity\"\nl = 2",
    "model = \"probabilistic-l-diversity\"\nl = 3",
    "model = \"entropy-l-diversity\"\nl = 2",
    "model = \"alpha-k-anonymity\"\nalpha = 0.5\nk = 4",
];

#[test]
fn transparent_releases_keep_their_promise_against_who_knows_the_program() {
    let (mut tables, mut releases) = (0, 0);
    let mut chance = Seed(22).stream("known programs", 0);
    for number in 0.. {
        let csv = people(&mut chance, 4 + number % 5);
        let promise = PROMISES[number % PROMISES.len()];
        let ways: &[&str] = match promise {
            promise if promise.contains("alpha-k") => &["name = \"transparent\""],
            _ => &["name = \"transparent\"", "name = \"transparent\"\nrecoding = \"bucketize\"", "name = \"anatomy\""],
        };
        let method = ways[number % ways.len()];
        let Some(known) = known(&csv, promise, method) else { continue };
        let beyond = known.beyond();
        assert!(beyond.iter().all(|&(share, _)| share == 0.0), "{promise}\n{method}\n{csv}");
        tables += u32::from(!beyond.is_empty());
        releases += beyond.len();
        if tables == 200 {
            break;
        }
    }
    assert!(releases > 1_000, "{releases} releases");
}

#[test]
fn a_cut_that_was_refused_tells_why() {
    // Mondrian draws nothing. It would have parted the two ages if the flu were among the younger: the one group of all four tells that it is not.
    let csv = "age,zip,disease\n33,z,cold\n33,z,cold\n33,z,cold\n36,z,flu\n";
    let known = known(csv, "model = \"t-closeness\"\nt = 0.3\ndistance = \"equal\"", "name = \"mondrian\"").unwrap();
    assert_eq!(known.worlds.originals, 2);
    let whole = known.worlds.releases().find(|seen| seen.len() == 1).unwrap();
    let beliefs: Vec<Vec<f64>> = known.worlds.beliefs(whole).unwrap().collect();
    assert_eq!(beliefs, [[1.0, 0.0], [0.0, 1.0]]);
    let parted = known.worlds.releases().find(|seen| seen.len() == 2).unwrap();
    let beliefs: Vec<Vec<f64>> = known.worlds.beliefs(parted).unwrap().collect();
    assert_eq!(beliefs, [[2.0 / 3.0, 1.0 / 3.0], [1.0, 0.0]]);
    // Three of the four ways to have the flu are among the younger.
    assert_eq!(known.worlds.likelihood(whole).to_bits(), 0.25_f64.to_bits());
    // Who certainly has what three of four have is within 0.3 of it; who certainly has the flu is not.
    let mut beyond = known.beyond();
    beyond.sort_by(|a, b| a.partial_cmp(b).unwrap());
    assert_eq!(beyond, [(0.0, 0.75), (0.25, 0.25)]);
}

/// The share of people beyond a promise in random tables, for who knows the program, and how many tables could be published.
fn share_beyond(method: &str, require: &str, tables: usize) -> (f64, usize) {
    let mut chance = Seed(23).stream("known programs", 1);
    let shares: Vec<f64> = (0..tables)
        .filter_map(|number| known(&people(&mut chance, 5 + number % 4), require, method)?.expected())
        .collect();
    (shares.iter().sum::<f64>() / shares.len() as f64, shares.len())
}

/// The first table of docs/results/transparency.md; `cargo test --release -p moretta --lib table_of_methods -- --ignored --nocapture` prints it.
#[test]
#[ignore = "a table for the documentation, and nothing that could fail"]
#[expect(clippy::print_stdout, reason = "it is asked for its output")]
fn table_of_methods() {
    use std::sync::atomic::Ordering;
    const CLOSE: &str = "model = \"t-closeness\"\nt = 0.3\ndistance = \"equal\"";
    let ways = |method: &str| format!("name = {method:?}");
    println!("| method | probabilistic 2 | distinct 2 | t = 0.3, equal |\n|---|---:|---:|---:|");
    for (method, as_planned) in [
        ("least-loss", true),
        ("least-loss", false),
        ("top-down", true),
        ("top-down", false),
        ("clustering", true),
        ("clustering", false),
        ("mondrian", false),
        ("anatomy", false),
        ("transparent", false),
    ] {
        AS_PLANNED.store(as_planned, Ordering::Relaxed);
        let cell = |require: &str| {
            let can = !(require == CLOSE && matches!(method, "anatomy" | "transparent"));
            let (share, _) = if can { share_beyond(&ways(method), require, 600) } else { return String::new() };
            format!("{:.1} %", 100.0 * share)
        };
        let cells = [PROMISES[0], PROMISES[1], CLOSE].map(cell);
        println!("| {method}{} | {} |", if as_planned { ", places as planned" } else { "" }, cells.join(" | "));
    }
    AS_PLANNED.store(false, Ordering::Relaxed);
}
