//! Every model that judges single groups, and the levels of all of them, against the definitions.

use proptest::prelude::*;

use super::naive::{close, histogram, judged, slow, slow_distance};
use super::prepare;
use super::wishes::{DISTANCES, T_CLOSENESS, Wish, closeness_models, diversity_models, wishes};
use crate::distance::Scratch;
use crate::model::{Group, Groups, Levels};
use crate::policy::Policy;
use crate::progress::CancelToken;
use crate::testkit::oracle::{self, Counts};
use crate::testkit::tables::{groups, policy, rows, table_of};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn diversity_is_what_the_definitions_say(rows in rows(), wish in wishes()) {
        let policy = policy(&diversity_models(&wish));
        let groups = groups(&table_of(&rows), &policy);
        let slow = slow(&rows, &policy);
        let verdicts = judged(&policy, &groups);
        let disease = |holds: &dyn Fn(&Counts) -> bool| slow.groups.iter().all(|group| holds(&group[0]));
        let large = |group: &Counts| oracle::people(group) >= wish.k;
        let distinct = |group: &Counts| group.len() as u64;
        let weighs = |group: &Counts, place: usize| {
            let unit = (slow.categories[place].len() as u64 - 1).max(1);
            oracle::weight_parts(group, &slow.categories[place]) * 100 >= wish.weight.0 * unit
        };
        let holds = [
            slow.all(|group, _| large(group)),
            slow.all(|group, _| distinct(group) >= wish.l),
            slow.all(|group, _| oracle::probabilistic(group, wish.fraction)),
            slow.all(|group, _| oracle::entropy_l(group).ln() >= wish.fraction.to_f64().ln() - 1e-10),
            slow.all(|group, _| oracle::recursive(group, wish.c, wish.l as usize)),
            slow.all(|group, _| large(group) && oracle::alpha(group, wish.alpha, None)),
            disease(&|group| large(group) && oracle::alpha(group, wish.alpha, Some(&["aa", "cc"]))),
            slow.all(|group, _| large(group) && distinct(group) >= wish.l),
            disease(&|group| large(group) && oracle::categories(group, &slow.categories[0]) as u64 >= wish.l),
            slow.all(|group, place| large(group) && distinct(group) >= wish.l && weighs(group, place)),
            slow.all(|group, place| oracle::delta(group, &slow.whole[place]) <= wish.c.to_f64() + 1e-10),
        ];
        let share = |group: &Counts| *group.values().max().unwrap() as f64 / oracle::people(group) as f64;
        let levels = [
            ("k", slow.least(|group, _| oracle::people(group) as f64)),
            ("l", slow.least(|group, _| group.len() as f64)),
            ("l", slow.least(|group, _| 1.0 / share(group))),
            ("l", slow.least(|group, _| oracle::entropy_l(group))),
            ("c", slow.most(|group, _| oracle::recursive_c(group, wish.l as usize))),
            ("alpha", slow.most(|group, _| share(group))),
            ("k", slow.least(|group, _| oracle::people(group) as f64)),
            ("p", slow.least(|group, _| group.len() as f64)),
            ("p", slow.least(|group, place| if place == 0 { oracle::categories(group, &slow.categories[0]) as f64 } else { 99.0 })),
            ("weight", slow.least(|group, place| {
                oracle::weight_parts(group, &slow.categories[place]) as f64 / (slow.categories[place].len() as f64 - 1.0).max(1.0)
            })),
            ("delta", slow.most(|group, place| oracle::delta(group, &slow.whole[place]))),
        ];
        for ((verdict, holds), (name, level)) in verdicts.iter().zip(holds).zip(levels) {
            prop_assert_eq!(verdict.holds, holds, "{}: {:?}", verdict.model, verdict.achieved);
            prop_assert!(close(&verdict.achieved[name], level), "{}: {:?}, not {}", verdict.model, verdict.achieved, level);
            prop_assert!(verdict.witnesses.len() == groups.len().min(10));
        }
        let largest = (1..99).take_while(|&l| slow.all(|group, _| oracle::recursive(group, wish.c, l))).count();
        prop_assert!(close(&verdicts[4].achieved["l"], largest as f64));
    }

    #[test]
    fn closeness_is_what_the_definition_says(rows in rows(), wish in wishes()) {
        let policy = policy(&closeness_models(T_CLOSENESS, &wish));
        let groups = groups(&table_of(&rows), &policy);
        for (which, verdict) in judged(&policy, &groups).iter().enumerate() {
            let attribute = usize::from(which < 2);
            let whole = &groups.whole.sensitive[attribute].people;
            let distances = (0..groups.len())
                .map(|group| slow_distance(which, &groups, &histogram(&groups, attribute, group), whole));
            let worst = distances.fold(0.0, f64::max);
            prop_assert!(close(&verdict.achieved["t"], worst), "{:?}: {:?}, not {}", DISTANCES[which], verdict, worst);
            if (worst - wish.t.to_f64()).abs() > 1e-7 {
                prop_assert_eq!(verdict.holds, worst < wish.t.to_f64());
            }
        }
    }

    #[test]
    fn all_levels_are_those_of_the_models(rows in rows(), wish in wishes()) {
        let mut models = diversity_models(&Wish { l: 2, ..wish.clone() });
        models.extend(closeness_models(T_CLOSENESS, &wish));
        let models: Vec<String> = models
            .into_iter()
            .filter(|model| !model.contains("values"))
            .map(|model| {
                let alone = model.contains("attribute") || model.contains("\"k-anonymity");
                if alone { model } else { format!("{model}, attribute = \"disease\"") }
            })
            .collect();
        let policy = policy(&models);
        let groups = groups(&table_of(&rows), &policy);
        let verdicts = judged(&policy, &groups);
        let found = Levels::of(&groups, &CancelToken::new()).unwrap();
        let json = serde_json::to_value(&found).unwrap();
        let disease = &json["sensitive"]["disease"];
        let level = |verdict: usize, name: &str| verdicts[verdict].achieved[name].as_f64().unwrap_or(f64::INFINITY);
        prop_assert!(close(&json["k"], level(0, "k")));
        for (key, verdict, name) in [
            ("distinct_l", 1, "l"), ("probabilistic_l", 2, "l"), ("entropy_l", 3, "l"), ("alpha", 5, "alpha"),
            ("p", 6, "p"), ("p_plus", 7, "p"), ("weight", 8, "weight"), ("delta", 9, "delta"),
        ] {
            prop_assert!(close(&disease[key], level(verdict, name)), "{key}: {} against {}", disease[key], level(verdict, name));
            let worst = &found.sensitive[0].worst.iter().find(|(name, _)| *name == if key == "p" { "distinct_l" } else { key });
            prop_assert_eq!(&worst.unwrap().1, &verdicts_by_level(&policy, &groups, verdict), "{}", key);
        }
        let recursive = disease["recursive"].as_object().unwrap();
        prop_assert_eq!(recursive.len() as u64 + 1, found.sensitive[0].distinct_l);
        for (l, c) in recursive {
            let slow = slow(&rows, &policy);
            let slow = slow.groups.iter().map(|group| oracle::recursive_c(&group[0], l.parse().unwrap())).fold(0.0, f64::max);
            prop_assert!(close(c, slow));
        }
        for (which, (distance, _)) in DISTANCES.iter().enumerate().filter(|&(which, _)| which != 1 && which != 7) {
            let attribute = if which < 2 { "salary" } else { "disease" };
            let t = &json["sensitive"][attribute]["t"][distance];
            prop_assert!(close(t, level(10 + which, "t")), "{distance}: {t}");
        }
    }
}

/// The groups from the worst level to the best, for a model's first measure.
fn verdicts_by_level(policy: &Policy, groups: &Groups, model: usize) -> Vec<usize> {
    let check = prepare(&*policy.models[model], &groups.whole);
    let levels: Vec<f64> = (0..groups.len())
        .map(|group| {
            let histograms = [histogram(groups, 0, group), histogram(groups, 1, group)];
            let group = Group { people: groups.people[group], sensitive: &histograms, parent: None };
            let mut levels = [0.0; 4];
            check.measure(&group, &mut Scratch::default(), &mut levels[..check.measures().len()]);
            check.measures()[0].safer.goodness(levels[0])
        })
        .collect();
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by(|&a, &b| levels[a].total_cmp(&levels[b]).then(a.cmp(&b)));
    order.truncate(10);
    order
}
