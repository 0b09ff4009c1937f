//! Ambiguity on random tables: what is promised, recomputed from the released files; and possible worlds.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::promise::least_presence;
use crate::error::Fault;
use crate::testkit::published::{Published, people, publish, rows_of};

fn policy(alpha: f64, beta: f64, presence: &str, rest: &str) -> String {
    format!(
        "[attributes]\nage = {{ role = \"quasi\" }}\nzip = {{ role = \"quasi\" }}\ndisease = {{ role = \"sensitive\" }}\n\
         job = {{ role = \"quasi\" }}\n[[require]]\nmodel = \"alpha-beta-privacy\"\nalpha = {alpha}\nbeta = {beta}\n\
         presence = {presence:?}\n[method]\nname = \"ambiguity\"\n{rest}"
    )
}

/// For each attribute, the values that each group lists.
type Listed = Vec<BTreeMap<String, BTreeSet<String>>>;

/// The values that each group lists, and the people in it.
fn read(published: &Published) -> (Listed, BTreeMap<String, u64>) {
    let listed = ["age", "zip", "job"].map(|attribute| {
        let mut of_group: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for row in published.rows(&format!("at_{attribute}")) {
            assert!(of_group.entry(row[1].clone()).or_default().insert(row[0].clone()), "listed twice: {row:?}");
        }
        of_group
    });
    let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
    for row in published.rows("st_disease") {
        *sizes.entry(row[0].clone()).or_default() += row[2].parse::<u64>().unwrap();
    }
    (listed.to_vec(), sizes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_published_keeps_alpha_and_beta(
        csv in people(40), alpha in 1..101_u64, beta in 1..100_u64, size in 1..9_u64, combined in any::<bool>(), suppress in any::<bool>()
    ) {
        let presence = if combined { "combined" } else { "group" };
        let rest = if suppress { "suppression = 0.3\n" } else { "" };
        let policy = policy(alpha as f64 / 100.0, beta as f64 / 100.0, presence, rest)
            .replace("[method]", &format!("[[require]]\nmodel = \"bucket-size\"\nk = {size}\n[method]"));
        let published = match publish(&csv, &policy, 3) {
            Ok(published) => published,
            Err(error) => {
                prop_assert_eq!(error.fault(), Fault::Data, "{}", error);
                return Ok(());
            }
        };
        let (listed, sizes) = read(&published);
        prop_assert!(sizes.values().all(|&people| people >= size), "{sizes:?}");
        let covered = |group: &String| listed.iter().map(|of_group| of_group[group].len() as u64).product::<u64>();
        for (group, &size) in &sizes {
            prop_assert!(100 * size.min(covered(group)) <= alpha * covered(group), "{size} in {}", covered(group));
        }
        for row in published.rows("st_disease") {
            prop_assert!(100 * row[2].parse::<u64>().unwrap() <= beta * sizes[&row[0]]);
        }
        let people: u64 = sizes.values().sum();
        prop_assert_eq!(people, published.report.rows_out);
        prop_assert_eq!(people + published.report.suppressed, rows_of(&csv).len() as u64);
        if combined {
            for row in rows_of(&csv) {
                let person = [&row[0], &row[1], &row[3]];
                let covers = |group: &&String| {
                    listed.iter().zip(person).all(|(of_group, value)| of_group[*group].contains(value))
                };
                let doubt: f64 = sizes.keys().filter(covers)
                    .map(|group| 1.0 - (sizes[group] as f64 / covered(group) as f64).min(1.0)).product();
                prop_assert!(1.0 - doubt <= alpha as f64 / 100.0 + 1e-12, "{row:?}: {}", 1.0 - doubt);
            }
        }
    }

    #[test]
    fn no_group_goes_below_the_least_presence(csv in people(30), beta in 20..100_u64) {
        let policy = policy(1.0, beta as f64 / 100.0, "group", "");
        let Ok(published) = publish(&csv, &policy, 3) else { return Ok(()) };
        let (listed, sizes) = read(&published);
        let distinct: Vec<u64> = listed.iter().map(|of_group| {
            of_group.values().flatten().collect::<BTreeSet<_>>().len() as u64
        }).collect();
        let everyone = sizes.values().sum();
        let (bound, _) = least_presence(&distinct, 100_u64.div_ceil(beta), everyone);
        for (group, &size) in &sizes {
            let covered: u64 = listed.iter().map(|of_group| of_group[group].len() as u64).product();
            prop_assert!(size.min(covered) as f64 / covered as f64 >= bound.to_f64() - 1e-12);
        }
    }
}

#[test]
fn combined_presence_is_the_default_and_each_group_by_itself_says_what_it_lacks() {
    let csv = (0..60).fold("age,zip,disease,job\n".to_owned(), |csv, i| {
        csv + &format!("{},z{},d{},j{}\n", i % 12, i % 7, i % 5, i % 11)
    });
    let stated = policy(0.5, 0.5, "combined", "");
    let unstated = stated.replace("presence = \"combined\"\n", "");
    let [combined, default, by_group] =
        [stated, unstated, policy(0.5, 0.5, "group", "")].map(|policy| publish(&csv, &policy, 3).unwrap());
    let promised = |published: &Published| published.report.guarantees[0].promised["presence"].clone();
    assert_eq!((promised(&default), promised(&by_group)), ("combined".into(), "group".into()));
    assert_eq!(default.text("st_disease"), combined.text("st_disease"));
    assert!(combined.report.warnings.is_empty(), "{:?}", combined.report.warnings);
    assert!(by_group.report.warnings[0].contains("not what somebody believes who looks at all of them"));
    let readme =
        |published: &Published| String::from_utf8(published.storage().read("README.txt").unwrap().to_vec()).unwrap();
    let readme = |published: &Published| readme(published).replace('\n', " ");
    assert!(readme(&by_group).contains("the combined belief stands in the verdict"));
    assert!(!readme(&combined).contains("But it"));
    // Both beliefs stand in every verdict.
    for published in [&combined, &by_group] {
        let achieved = &published.report.guarantees[0].achieved;
        assert!(achieved["combined"].as_f64().unwrap() >= achieved["alpha"].as_f64().unwrap() - 1e-12);
    }
    assert!(combined.report.groups <= by_group.report.groups);
}

/// All ways in which a group can be: `people` different combinations, every listed value used, each with a sensitive
/// value so that the counts come out.
fn worlds(listed: &[usize], people: usize) -> Vec<Vec<usize>> {
    let total: usize = listed.iter().product();
    let mut found = Vec::new();
    let mut chosen = Vec::new();
    choose(0, total, people, &mut chosen, &mut found);
    found.retain(|world| {
        let mut rest = 1;
        listed.iter().all(|&size| {
            let used: BTreeSet<usize> = world.iter().map(|combination| combination / rest % size).collect();
            rest *= size;
            used.len() == size
        })
    });
    found
}

fn choose(from: usize, total: usize, left: usize, chosen: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    if left == 0 {
        found.push(chosen.clone());
        return;
    }
    for next in from..total {
        chosen.push(next);
        choose(next + 1, total, left - 1, chosen, found);
        chosen.pop();
    }
}

#[test]
fn presence_is_the_share_of_possible_worlds() {
    for listed in [vec![2, 3], vec![3, 3], vec![2, 2, 2], vec![4, 2], vec![1, 4]] {
        let total: usize = listed.iter().product();
        for people in *listed.iter().max().unwrap()..=total.min(6) {
            let worlds = worlds(&listed, people);
            for combination in 0..total {
                let present = worlds.iter().filter(|world| world.contains(&combination)).count();
                // By symmetry every combination is in the same share of worlds: |G| / ∏.
                assert_eq!(present * total, people * worlds.len(), "{listed:?} {people}");
            }
        }
    }
}

#[test]
fn two_groups_are_believed_together_as_worlds_say() {
    let (first, second) = (worlds(&[2, 3], 3), worlds(&[2, 2], 2));
    // Combination 0 is covered by both; the groups are independent.
    let absent = first.iter().filter(|w| !w.contains(&0)).count() * second.iter().filter(|w| !w.contains(&0)).count();
    let belief = 1.0 - absent as f64 / (first.len() * second.len()) as f64;
    assert!((belief - (1.0 - (1.0 - 3.0 / 6.0) * (1.0 - 2.0 / 4.0))).abs() < 1e-12);
}

#[test]
fn association_is_the_share_of_possible_worlds() {
    // Every way to deal the sensitive values {a, a, b, c} to four present people.
    let deals: BTreeSet<Vec<u8>> = permutations(b"aabc").into_iter().collect();
    let with_a = deals.iter().filter(|deal| deal[0] == b'a').count();
    assert_eq!(with_a * 4, 2 * deals.len());
}

fn permutations(values: &[u8]) -> Vec<Vec<u8>> {
    if values.is_empty() {
        return vec![Vec::new()];
    }
    (0..values.len())
        .flat_map(|index| {
            let mut rest = values.to_vec();
            let first = rest.remove(index);
            permutations(&rest).into_iter().map(move |mut tail| {
                tail.insert(0, first);
                tail
            })
        })
        .collect()
}

#[test]
fn given_groups_are_published_as_they_are_or_refused() {
    let csv = (0..24).fold("age,zip,disease,job,class\n".to_owned(), |csv, i| {
        csv + &format!("{i},z{i},d{},j{i},c{}\n", i % 4, i / 8)
    });
    let given = |beta: f64| policy(0.5, beta, "group", "").replace("job =", "class = { role = \"group\" }\njob =");
    let published = publish(&csv, &given(0.25), 3).unwrap();
    let (listed, sizes) = read(&published);
    assert!(sizes.len() == 3 && sizes.values().all(|&people| people == 8), "{sizes:?}");
    let ages: BTreeSet<BTreeSet<String>> = listed[0].values().cloned().collect();
    let class = |number: usize| (8 * number..8 * number + 8).map(|i| i.to_string()).collect();
    assert_eq!(ages, (0..3).map(class).collect());
    // A quarter of all people have each disease, and everybody of a class.
    let alike = (0..24).fold("age,zip,disease,job,class\n".to_owned(), |csv, i| {
        csv + &format!("{i},z{i},d{},j{i},c{}\n", i % 4, i % 4)
    });
    let error = publish(&alike, &given(0.25), 3).map(|_| ()).unwrap_err();
    assert!(error.message().contains("the given group \"c0\" breaks the promise: 6 people in 216"), "{error}");
}
