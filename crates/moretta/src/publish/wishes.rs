//! What policies wish for single attributes, held against the released files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::num::NonZeroUsize;

use proptest::prelude::*;

use crate::prepare::Prepared;
use crate::progress::{Progress, with_threads};
use crate::query::{Query, Truth, answer};
use crate::testkit::published::{Published, publish, rows_of};

/// The methods that generalize, each as policies name it.
const METHODS: [&str; 5] = ["least-loss", "mondrian", "full-domain", "top-down", "clustering"];

/// People with an age, an industry that belongs to a sector, a disease.
fn people() -> impl Strategy<Value = Vec<(u32, u32, u32)>> {
    proptest::collection::vec((0_u32..16, 0_u32..8, 0_u32..4), 6..40)
}

fn csv(people: &[(u32, u32, u32)]) -> String {
    people.iter().fold("age,sector,industry,disease\n".to_owned(), |mut text, (age, industry, disease)| {
        let _ = writeln!(text, "{age},s{},i{industry},d{disease}", industry / 3);
        text
    })
}

/// A policy whose attributes have some wishes.
fn policy(method: &str, [age, sector, industry]: [&str; 3], promise: &str, options: &str) -> String {
    format!(
        "[attributes]\nage = {{ role = \"quasi\"{age} }}\nsector = {{ role = \"quasi\"{sector} }}\n\
         industry = {{ role = \"quasi\"{industry} }}\ndisease = {{ role = \"sensitive\" }}\n\
         [[require]]\n{promise}\n[method]\nname = \"{method}\"\n{options}\n"
    )
}

const K_2: &str = "model = \"k-anonymity\"\nk = 2";
const PROMISES: [&str; 3] =
    [K_2, "model = \"distinct-l-diversity\"\nl = 2", "model = \"t-closeness\"\nt = 0.5\ndistance = \"equal\""];
const WIDTHS: &str = ", hierarchy = { intervals = [2, 4, 8] }";

/// Counted in the files: equal quasi-identifiers stand in rows of at least two people, with two diseases where that was promised.
fn check_groups(published: &Published, diverse: bool) {
    let mut groups: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    for mut row in published.rows_unquoted("data") {
        let disease = row.pop().unwrap();
        groups.entry(row).or_default().push(disease);
    }
    for (labels, diseases) in groups {
        assert!(diseases.len() >= 2, "{labels:?}");
        assert!(!diverse || diseases.iter().collect::<BTreeSet<_>>().len() >= 2, "{labels:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_label_stands_above_the_highest_level(
        people in people(), method in 0..METHODS.len(), promise in 0..PROMISES.len(), level in 0_usize..3, spare in any::<bool>()
    ) {
        let age = format!("{WIDTHS}, max_level = {level}");
        let frequency = ", hierarchy = { frequency = [4] }";
        let options = if spare { "suppression = 0.6" } else { "" };
        let text = policy(METHODS[method], [&age, frequency, frequency], PROMISES[promise], options);
        let published = match publish(&csv(&people), &text, 1) {
            Ok(published) => published,
            // A table may be too small for a promise, or for what may be left out of it.
            Err(error) => {
                prop_assert!(["promise-impossible", "needs-suppression"].contains(&error.code()), "{error}");
                return Ok(());
            }
        };
        let width = 1 << level;
        for row in published.rows_unquoted("data") {
            let inner = row[0].trim_matches(['[', ']']);
            let ends: Vec<u32> = inner.split(", ").map(|end| end.parse().unwrap()).collect();
            prop_assert!(ends[ends.len() - 1] - ends[0] < width, "{} above level {level}", row[0]);
        }
        if promise == 0 { check_groups(&published, false) }
        if promise == 1 { check_groups(&published, true) }
        let left_out = people.len() - published.rows_unquoted("data").len();
        let allowed = if spare { 0.6 * people.len() as f64 } else { 0.0 };
        prop_assert!(left_out as f64 <= allowed);
    }

    /// A cell is what it was, or the star; it costs everything, and questions know that anything may stand behind it.
    #[test]
    fn suppressed_cells_are_stars_and_nothing_else_changes(
        people in people(), method in 0..METHODS.len(), typed in any::<bool>()
    ) {
        prop_assume!(METHODS[method] != "full-domain");
        let age = if typed { ", type = \"integer\", suppress_cells = true" } else { ", suppress_cells = true" };
        let cells = ", suppress_cells = true";
        let published = publish(&csv(&people), &policy(METHODS[method], [age, cells, cells], K_2, ""), 1).unwrap();
        check_groups(&published, false);
        let original = rows_of(&csv(&people));
        let left: Vec<Vec<String>> = published.rows_unquoted("data");
        for row in &original {
            let fits = |labels: &Vec<String>| labels.iter().zip(row).all(|(label, value)| label == "*" || label == value);
            prop_assert!(left.iter().any(fits), "{row:?} is nowhere");
        }
        let domain = |column: usize| original.iter().map(|row| &row[column]).collect::<BTreeSet<_>>().len();
        let mut stars = 0;
        for row in &left {
            for (column, label) in row.iter().take(3).enumerate() {
                prop_assert!(label == "*" || original.iter().any(|own| own[column] == *label), "{label}");
                stars += usize::from(label == "*" && domain(column) > 1);
            }
        }
        let loss = stars as f64 / (3 * people.len()) as f64;
        prop_assert!((published.report.utility.loss.unwrap_or_default() - loss).abs() < 1e-12);
        prop_assert!(!published.manifest().contains("\"leaves\""), "what cells had is not listed");

        let counted = Prepared::read(&published.policy, &Progress::default()).unwrap();
        let truth = counted.original();
        for condition in ["industry = 'i3'", "age >= 7", "sector = 's1' AND age < 9", "industry <> 'i1'"] {
            let query = Query::parse(&format!("SELECT COUNT(*) WHERE {condition}")).unwrap();
            let found = answer(&*published.release, &query).unwrap().rows[0].estimates[0];
            let exact = answer(&Truth(&truth), &query).unwrap().rows[0].estimates[0].estimate.unwrap();
            prop_assert!(found.lower.unwrap() <= exact && exact <= found.upper.unwrap(), "{condition}: {exact} not in {found:?}");
        }
    }

    /// What follows is a function of what leads, and tells no more than it.
    #[test]
    fn a_linked_attribute_tells_what_its_leader_tells(
        people in people(), method in 0..METHODS.len(), sets in any::<bool>(), promise in 0..PROMISES.len()
    ) {
        let linked = if sets { ", linked = \"industry\"" } else { ", hierarchy = { frequency = [2] }, linked = \"industry\"" };
        let industry = if sets && METHODS[method] != "full-domain" { "" } else { ", hierarchy = { frequency = [3, 6] }" };
        let text = policy(METHODS[method], [WIDTHS, linked, industry], PROMISES[promise], "");
        let published = match publish(&csv(&people), &text, 1) {
            Ok(published) => published,
            Err(error) => {
                prop_assert_eq!(error.code(), "promise-impossible", "{}", error);
                return Ok(());
            }
        };
        if promise == 0 { check_groups(&published, false) }
        let mut of_leader: BTreeMap<String, String> = BTreeMap::new();
        for row in published.rows_unquoted("data") {
            let known = of_leader.entry(row[2].clone()).or_insert_with(|| row[1].clone()).clone();
            prop_assert_eq!(known, row[1].clone());
            // An exact industry has its exact sector beside it.
            if let Some(industry) = row[2].strip_prefix('i').and_then(|number| number.parse::<u32>().ok()) {
                prop_assert_eq!(row[1].clone(), format!("s{}", industry / 3));
            }
        }
        let alone = text.replace(", linked = \"industry\"", "").replace("sector = { role = \"quasi\"", "sector = { role = \"drop\"");
        let alone = alone.replace(", hierarchy = { frequency = [2] } }\nindustry", " }\nindustry");
        let without = publish(&csv(&people), &alone, 1).unwrap();
        prop_assert_eq!(without.report.groups, published.report.groups, "the groups are those of the other attributes");
    }

    /// Full-domain finds the optimum, so that the more an attribute matters the less it loses; what is reported is weighed by nothing.
    #[test]
    fn importance_moves_loss_between_attributes(people in people()) {
        let tree = ", hierarchy = { frequency = [2, 4] }";
        let of = |importance: &str| {
            let age = format!("{WIDTHS}{importance}");
            publish(&csv(&people), &policy("full-domain", [&age, tree, tree], K_2, "suppression = 0.2"), 1).unwrap()
        };
        let [less, usual, more] = ["0.01", "1", "100"].map(|importance| of(&format!(", importance = {importance}")));
        let plain = of("");
        let rows = |published: &Published| {
            let mut rows = published.rows_unquoted("data");
            rows.sort();
            rows
        };
        prop_assert_eq!(rows(&usual), rows(&plain), "1 is what is not stated");
        let age = |published: &Published| age_loss(published, &people);
        prop_assert!(age(&more) <= age(&usual) + 1e-12 && age(&usual) <= age(&less) + 1e-12);
        for published in [&less, &usual, &more] {
            check_groups(published, false);
            let columns = &published.report.utility.columns;
            let reported = columns[0].loss.unwrap_or_default();
            prop_assert!((reported - age(published) / people.len() as f64).abs() < 1e-12, "{reported}");
            let mean = columns.iter().filter_map(|column| column.loss).sum::<f64>() / 3.0;
            prop_assert!((mean - published.report.utility.loss.unwrap_or_default()).abs() < 1e-12);
        }
        prop_assert_eq!(plain.report.utility.weighted_gcp, None);
        for (weight, published) in [(0.01, less), (100.0, more)] {
            let gcp: Vec<f64> = published.report.utility.columns.iter().filter_map(|column| column.gcp).collect();
            let slow = (weight * gcp[0] + gcp[1] + gcp[2]) / (weight + 2.0);
            prop_assert!((slow - published.report.utility.weighted_gcp.unwrap()).abs() < 1e-12);
        }
    }
}

/// The loss of age, by its labels: people left out lose all.
fn age_loss(published: &Published, people: &[(u32, u32, u32)]) -> f64 {
    let ages: BTreeSet<u32> = people.iter().map(|person| person.0).collect();
    let full = (ages.len() - 1).max(1) as f64;
    let of_label = |label: &str| match label {
        "*" => (ages.len() - 1) as f64 / full,
        _ => {
            let ends: Vec<u32> = label.trim_matches(['[', ']']).split(", ").map(|end| end.parse().unwrap()).collect();
            (ages.range(ends[0]..=ends[ends.len() - 1]).count() - 1) as f64 / full
        }
    };
    let rows = published.rows_unquoted("data");
    let kept: f64 = rows.iter().map(|row| of_label(&row[0])).sum();
    kept + (people.len() - rows.len()) as f64
}

/// A grid of people, two at each place: something must be given up, and importance says what.
fn grid() -> Vec<(u32, u32, u32)> {
    (0..256).map(|i| (i % 16, (i / 16) % 8, i % 4)).collect()
}

#[test]
fn what_matters_keeps_its_values_with_every_method() {
    let people = grid();
    for method in METHODS {
        let of = |importance: &str| {
            let age = format!("{WIDTHS}, importance = {importance}");
            let text = policy(
                method,
                [&age, ", hierarchy = { frequency = [100] }", FLAT_TEXT],
                "model = \"k-anonymity\"\nk = 8",
                "",
            );
            age_loss(&publish(&csv(&people), &text, 1).unwrap(), &people)
        };
        let (little, much) = (of("0.02"), of("50"));
        assert!(much < little, "{method}: {much} and {little}");
    }
}

const FLAT_TEXT: &str = ", hierarchy = { frequency = [70] }";

#[test]
fn wishes_give_the_same_bytes_on_every_number_of_threads() {
    let people = grid();
    let wishes = [
        [", hierarchy = { intervals = [2, 4, 8] }, max_level = 2, importance = 3", "", ""],
        [", suppress_cells = true", ", linked = \"industry\"", ", hierarchy = { frequency = [40] }, max_level = 1"],
    ];
    for method in ["least-loss", "top-down", "clustering", "mondrian"] {
        for wish in wishes {
            let text = policy(method, wish, "model = \"distinct-l-diversity\"\nl = 2", "suppression = 0.1");
            let made = |threads: usize| {
                with_threads(NonZeroUsize::new(threads), || {
                    let published = publish(&csv(&people), &text, 7)?;
                    Ok((published.text("data"), published.manifest()))
                })
                .unwrap()
            };
            assert_eq!(made(1), made(2), "{method}");
        }
    }
}

#[test]
fn wishes_that_can_not_be_honoured_say_why_and_what_would_help() {
    let people = grid();
    let refusal = |method: &str, wishes: [&str; 3], promise: &str| {
        let error = publish(&csv(&people), &policy(method, wishes, promise, ""), 1).map(|_| ()).unwrap_err();
        format!("{}\n{}", error.message(), error.advice().unwrap_or_default())
    };
    let cases: [(&str, [&str; 3], &str, &[&str]); 11] = [
        (
            "anatomy",
            [", importance = 2", "", ""],
            PROMISES[1],
            &["anatomy can't honour `importance` of \"age\"", "least-loss, mondrian"],
        ),
        (
            "full-domain",
            [WIDTHS, ", suppress_cells = true", ""],
            K_2,
            &["full-domain can't honour `suppress_cells` of \"sector\""],
        ),
        ("least-loss", [", importance = 0", "", ""], K_2, &["`importance`", "0.001 to 1000"]),
        (
            "least-loss",
            [", max_level = 1", "", ""],
            K_2,
            &["\"age\" counts levels of a hierarchy, and it has none", "suppress_cells"],
        ),
        (
            "least-loss",
            [", hierarchy = { intervals = [2] }, max_level = 9", "", ""],
            K_2,
            &["is 9, and its hierarchy has the levels 0 to 2"],
        ),
        ("least-loss", ["", ", linked = \"indstry\"", ""], K_2, &["linked with \"indstry\"", "industry"]),
        (
            "least-loss",
            ["", "", ", linked = \"sector\""],
            K_2,
            &["\"industry\" is linked with \"sector\" and does not follow from it", "state the link there"],
        ),
        (
            "least-loss",
            ["", ", linked = \"age\"", ""],
            K_2,
            &["does not follow from it: ", "another value than most", "correct these rows"],
        ),
        ("least-loss", ["", ", linked = \"industry\", max_level = 1", ""], K_2, &["`max_level` can't be its own"]),
        (
            "least-loss",
            [
                ", hierarchy = { intervals = [2] }, max_level = 0",
                "",
                ", hierarchy = { frequency = [70] }, max_level = 0",
            ],
            "model = \"k-anonymity\"\nk = 40",
            &["\"age\", \"industry\" can't stay at or below their `max_level`", "without the limit of"],
        ),
        (
            "least-loss",
            [", suppress_cells = true", "", ""],
            "model = \"b-t-privacy\"\nbandwidth = 0.3\nt = 0.5",
            &["b-t-privacy can't be promised with `suppress_cells`"],
        ),
    ];
    for (method, wishes, promise, words) in cases {
        let refused = refusal(method, wishes, promise);
        words.iter().for_each(|word| assert!(refused.contains(word), "{word:?} is not in: {refused}"));
    }
    let text = "[attributes]\nage = { role = \"drop\" }\nsector = { role = \"quasi\" }\nindustry = { role = \"quasi\" }\n\
                disease = { role = \"sensitive\", importance = 2 }\n";
    let error = publish(&csv(&people), text, 1).map(|_| ()).unwrap_err();
    assert!(error.message().contains("only quasi-identifiers are generalized"), "{error}");
}
