//! Small tables on which a promise could not be published, an answer was wrong, or an audit failed, kept so that they stay mended.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::{Audit, AuditInput, AuditedRelease, OriginalTable, run};
use crate::chance::Seed;
use crate::method::Transparency;
use crate::method::registry::METHODS;
use crate::model::SeveralRows;
use crate::policy::Policy;
use crate::progress::Progress;
use crate::query::{Query, answer};
use crate::testkit::published::{Published, publish};

fn audit(published: &Published) -> Audit {
    let policy = Policy::in_file(published.policy.text.clone(), &published.policy.file, &[]).unwrap();
    let original_table = OriginalTable::read(policy, &Progress::default()).unwrap();
    let original = original_table.counted.original();
    let audited = AuditedRelease::of_release(&published.storage(), Some(&original), &Progress::default()).unwrap();
    run(&AuditInput::new(&audited, Seed(3)).with_original(Some(&original_table)), &Progress::default()).unwrap()
}

fn ran(audit: &Audit, name: &str) -> bool {
    audit.attacks.iter().any(|attack| attack.name == name)
}

fn policy(attributes: &str, promise: &str, method: &str) -> String {
    format!("[attributes]\n{attributes}\n[[require]]\n{promise}\n[method]\n{method}\n")
}

const ORDERED: &str = "model = \"t-closeness\"\ndistance = \"ordered\"\norder = \"value\"\nt = 0.42";

#[test]
fn who_has_several_rows_is_not_taken_for_several_who_exchange_values() {
    let attributes = "id = { role = \"person\" }\nage = { role = \"quasi\", type = \"integer\", hierarchy = { intervals = [10] } }\n\
                      disease = { role = \"sensitive\" }";
    let csv = "id,age,disease\n19,21,flu\n19,28,gout\n20,24,gout\n20,25,flu\n";
    for (promise, method) in [
        ("model = \"alpha-k-anonymity\"\nalpha = 1.0\nk = 1\nvalues = [\"flu\"]", "name = \"least-loss\""),
        ("model = \"distinct-l-diversity\"\nl = 2", "name = \"full-domain\""),
    ] {
        let audit = audit(&publish(csv, &policy(attributes, promise, method), 1).unwrap());
        assert!(!ran(&audit, "minimality"), "{method}");
        let skipped = audit.skipped.iter().find(|skipped| skipped.name == "minimality").unwrap();
        assert!(skipped.reason.ends_with("what the program tells is not measured"), "{}", skipped.reason);
    }
    // So of no method that counts people it may be said that the program tells nothing.
    for entry in METHODS.iter().filter(|entry| matches!(entry.several_rows, SeveralRows::Counted(_))) {
        assert!(matches!(entry.transparency, Transparency::Open(_)), "{}", entry.name);
    }
}

#[test]
fn closeness_is_measured_among_released_values_by_plan_and_check() {
    let attributes = "salary = { role = \"sensitive\", type = \"number\" }\n\
                      age = { role = \"quasi\", type = \"integer\", hierarchy = { intervals = [10] } }";
    let csv = "salary,age\n7.5,27\n10.75,30\n7.0,24\n";
    let policy = policy(attributes, ORDERED, "name = \"full-domain\"\nsuppression = 0.5");
    publish(csv, &policy, 1).unwrap();
}

/// Rows of two quasi-identifiers and a number, few and skewed, so that suppression takes values away.
fn tables() -> impl Strategy<Value = String> {
    let value = prop_oneof![4 => 0_i32..4, 1 => 20_i32..24];
    proptest::collection::vec((0_u32..6, 0_u32..3, value), 2..24).prop_map(|rows| {
        let row = |(age, zip, value): &(u32, u32, i32)| format!("{age},z{zip},{value}\n");
        "age,zip,salary\n".to_owned() + &rows.iter().map(row).collect::<String>()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn no_plan_is_refused_by_its_own_check(csv in tables(), t in 1_u32..10, n in 2_u64..20, suppression in 0_u32..10) {
        let attributes = "age = { role = \"quasi\", hierarchy = { balanced = 2 } }\n\
                          zip = { role = \"quasi\", hierarchy = { mask = \"right\" } }\nsalary = { role = \"sensitive\" }";
        let bound = format!("t = 0.{t}");
        for distance in ["ordered\"\norder = \"value", "ordered\"\norder = \"rank", "equal", "kernel-js\"\nbandwidth = 0.3\n#\""] {
            let close = format!("model = \"t-closeness\"\ndistance = \"{distance}\"\n{bound}");
            let near = format!("model = \"n-t-closeness\"\nn = {n}\ndistance = \"{distance}\"\n{bound}");
            for promise in [close, near] {
                for method in ["least-loss", "mondrian", "full-domain", "top-down", "clustering"] {
                    let method = format!("name = \"{method}\"\nsuppression = 0.{suppression}");
                    if let Err(error) = publish(&csv, &policy(attributes, &promise, &method), 1) {
                        prop_assert_ne!(error.code(), "bug", "{} {}: {}", promise, method, error);
                    }
                }
            }
        }
    }
}

#[test]
fn an_empty_text_is_missing_whatever_else_is() {
    let csv = "zip,disease\nNA,flu\n,cold\n,flu\nNA,cold\n";
    let data = "missing_values = [\"NA\"]\nmissing = \"keep\"\n";
    let rest = policy(
        "zip = { role = \"quasi\", type = \"text\" }\ndisease = { role = \"sensitive\" }",
        "model = \"k-anonymity\"\nk = 2",
        "name = \"mondrian\"",
    );
    let published = publish(csv, &format!("{data}{rest}"), 1).unwrap();
    assert_eq!((published.report.rows_out, published.report.groups), (4, 1));
}

#[test]
fn injector_serves_whom_one_group_of_everybody_serves() {
    let csv = "code,area,income\n11,a,1014\n9,b,1000\n9,c,1000\n12,d,1007\n11,e,1000\n8,f,1000\n11,g,1000\n";
    let attributes = "code = { role = \"sensitive\", type = \"integer\" }\n\
                      area = { role = \"quasi\", hierarchy = { mask = \"right\" } }\n\
                      income = { role = \"quasi\", hierarchy = { balanced = 2 } }";
    let promise = "model = \"matching-l-diversity\"\nl = 2\nmin_expectation = 0.5";
    for seed in 0..6 {
        let published = publish(csv, &policy(attributes, promise, "name = \"injector\""), seed).unwrap();
        assert_eq!(published.report.rows_out, 7);
    }
}

#[test]
fn strict_comparisons_at_the_end_of_a_uniform_density_are_no_certainty() {
    let csv = "disease,gain,depth\ncancer,3.75,0.1\nflu,-3.75,-0.3\ncold,1.25,-0.3\nhiv,1.25,-0.3\nasthma,5.0,-0.3\n";
    let attributes = "disease = { role = \"sensitive\" }\ngain = { role = \"quasi\", type = \"number\" }\n\
                      depth = { role = \"quasi\", type = \"number\" }";
    let promise = "model = \"uncertain-k-anonymity\"\nk = 4.3";
    for seed in 0..8 {
        let way = policy(attributes, promise, "name = \"uncertain\"\nfamily = \"uniform\"\nrange = \"exact\"");
        let published = publish(csv, &way, seed).unwrap();
        let release = published.for_questions();
        for (condition, truth) in [
            ("depth <> -0.3", 1.0),
            ("depth > -0.3", 1.0),
            ("NOT (NOT (depth <> -0.3))", 1.0),
            ("depth < 0.1", 4.0),
            ("depth <= 0.1", 5.0),
            ("depth > 0.1", 0.0),
            ("gain > -3.75 AND gain < 5", 3.0),
        ] {
            let query = Query::parse(&format!("SELECT COUNT(*) WHERE {condition}")).unwrap();
            let found = answer(&*release, &query).unwrap().rows[0].estimates[0];
            assert!(found.lower.unwrap() <= truth && truth <= found.upper.unwrap(), "{condition}: {found:?}");
        }
    }
}

#[test]
fn decimals_stand_in_the_intervals_that_hold_them() {
    let csv = "dose,grade\n0.7,2\n0.5,2\n0.1,7\n0.6,7\n0.6,2\n1.2,7\n";
    let attributes = "dose = { role = \"quasi\", type = \"number\", hierarchy = { intervals = [0.1, 0.2] } }\ngrade = { role = \"sensitive\" }";
    for method in [
        "name = \"clustering\"",
        "name = \"full-domain\"\nsuppression = 0.5",
        "name = \"top-down\"",
        "name = \"least-loss\"",
    ] {
        let published = publish(csv, &policy(attributes, "model = \"k-anonymity\"\nk = 1", method), 1).unwrap();
        let release = published.for_questions();
        for (condition, truth) in [("dose >= 0.6 AND dose < 0.65", 2.0), ("dose < 0.6", 2.0), ("dose >= 0.7", 2.0)] {
            let query = Query::parse(&format!("SELECT COUNT(*) WHERE {condition}")).unwrap();
            let found = answer(&*release, &query).unwrap().rows[0].estimates[0];
            let suppressed = published.report.suppressed as f64;
            assert!(
                found.lower.unwrap() <= truth && truth <= found.upper.unwrap() + suppressed,
                "{method} {condition}: {found:?}"
            );
        }
        assert!(!published.text("data").contains("0000"), "{}", published.text("data"));
    }
}

#[test]
fn keys_that_a_label_hides_are_counted() {
    let csv = "salary,depth,floor\n3.75,0.0,-5\n11.25,0.0,-3\n14.25,0.0,-4\n12.5,0.0,-5\n";
    let attributes = "salary = { role = \"sensitive\", type = \"number\" }\n\
                      depth = { role = \"quasi\", type = \"number\", hierarchy = { intervals = [1, 2, 4] } }\n\
                      floor = { role = \"quasi\", type = \"integer\", hierarchy = { intervals = [2] } }";
    let published =
        publish(csv, &policy(attributes, "model = \"distinct-l-diversity\"\nl = 4", "name = \"mondrian\""), 1).unwrap();
    let release = published.for_questions();
    let found = answer(&*release, &Query::parse("SELECT floor, COUNT(*) GROUP BY floor").unwrap()).unwrap();
    let listed: f64 = found.rows.iter().map(|row| row.estimates[0].lower.unwrap()).sum();
    let unlisted = found.unlisted.unwrap();
    assert!(listed + unlisted.upper.unwrap() >= 4.0, "{found:?}");
    assert!(found.to_json()["unlisted"]["upper"].as_f64() == unlisted.upper);
    // Sensitive values are all listed.
    let found = answer(&*release, &Query::parse("SELECT salary, COUNT(*) GROUP BY salary").unwrap()).unwrap();
    assert_eq!(found.unlisted, None);
}

#[test]
fn texts_without_a_hierarchy_are_attacked_all_the_same() {
    let csv = "grade,area\n15,a\n26,b\n26,c\n26,d\n15,a\n15,b\n";
    let attributes = "grade = { role = \"sensitive\" }\narea = { role = \"quasi\", type = \"text\" }";
    let promise = "model = \"probabilistic-l-diversity\"\nl = 1.46";
    let audit = audit(&publish(csv, &policy(attributes, promise, "name = \"mondrian\""), 1).unwrap());
    assert!(ran(&audit, "background-rules") && ran(&audit, "re-identification"));
}

#[test]
fn one_hot_records_are_attacked_by_the_values_that_they_stand_for() {
    let mut csv = "area,disease\n".to_owned();
    for i in 0..33 {
        let _ = writeln!(csv, "{},flu", if i % 3 == 0 { "AA" } else { "BC" });
    }
    let attributes = "area = { role = \"quasi\", type = \"text\" }\ndisease = { role = \"sensitive\" }";
    let method = "name = \"condensation\"\ncategorical = \"one-hot\"";
    let audit = audit(&publish(&csv, &policy(attributes, "model = \"condensed-k\"\nk = 4", method), 1).unwrap());
    assert!(ran(&audit, "membership") || audit.skipped.iter().any(|skipped| skipped.name == "membership"));
    assert!(ran(&audit, "homogeneity"));
}

#[test]
fn a_category_whose_people_were_left_out_is_no_index_of_the_release() {
    let csv = "disease,ill,old,age\nasthma,false,false,21\ncold,true,false,20\ncancer,false,false,22\n\
               angina,true,false,20\ngout,false,false,21\nflu,true,true,20\n";
    let attributes = "disease = { role = \"sensitive\", categories = [[\"flu\"], [\"cancer\", \"angina\"], [\"gout\", \"cold\"], [\"asthma\"]] }\n\
                      ill = { role = \"quasi\", type = \"boolean\", hierarchy = { mask = \"right\" } }\n\
                      old = { role = \"quasi\", type = \"boolean\", hierarchy = { mask = \"right\" } }\n\
                      age = { role = \"quasi\", type = \"integer\", hierarchy = { intervals = [2, 4, 8] } }";
    let promise = "model = \"p-alpha-sensitive\"\np = 5\nk = 2\nalpha = 0";
    let published = publish(csv, &policy(attributes, promise, "name = \"full-domain\"\nsuppression = 0.5"), 1).unwrap();
    assert!(ran(&audit(&published), "similarity"));
}

#[test]
fn counting_the_people_of_a_sum_is_no_key() {
    let mut csv = "age,grade\n".to_owned();
    for i in 0..20 {
        let _ = writeln!(csv, "{},{}", i % 7, [5, 13, 20, 22, 28][i % 5]);
    }
    let attributes = "age = { role = \"quasi\" }\ngrade = { role = \"sensitive\", type = \"integer\" }";
    let promise = "model = \"p-private\"\ntarget = \"table\"";
    let published = publish(&csv, &policy(attributes, promise, "name = \"distribution\""), 1).unwrap();
    let audit = audit(&published);
    let leftovers = audit.attacks.iter().find(|attack| attack.name == "leftover-keys").unwrap();
    assert_eq!(leftovers.finding.holds, Some(true), "{:?}", leftovers.finding.worst);
}

#[test]
fn files_that_refute_a_target_need_no_original_and_fakes_have_a_limit() {
    let csv = "age,disease\n20,hiv\n21,flu\n22,flu\n23,hiv\n";
    let attributes = "age = { role = \"quasi\" }\ndisease = { role = \"sensitive\", type = \"text\" }";
    let promise = "model = \"p-private\"\ntarget = { model = \"t-closeness\", t = 0.2, distance = \"equal\" }";
    let judged = |method: &str, forge: &dyn Fn(&str) -> String| {
        let published = publish(csv, &policy(attributes, promise, method), 1).unwrap();
        let text = published.text("sensitive");
        published.forge("sensitive", &forge(&text));
        crate::check::release(&published.storage(), None, &Progress::default())
    };
    let fine = judged("name = \"distribution\"\nfakes = 1.0", &str::to_owned).unwrap();
    assert_eq!((fine.verdicts.len(), fine.unproved.len()), (0, 1), "only the original tells");
    // One value three times as often as the other.
    let skewed = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if let Some((head, _)) = lines[1].clone().rsplit_once(',') {
            lines[1] = format!("{head},4");
        }
        lines.join("\n") + "\n"
    };
    let spoiled = judged("name = \"distribution\"\nfakes = 1.0", &skewed).unwrap();
    assert!(spoiled.verdicts.iter().any(|verdict| !verdict.holds), "{spoiled:?}");
    let many = judged("name = \"distribution\"\nfakes = 0.1", &skewed).unwrap_err();
    assert!(many.message().contains("fake values"), "{many}");
}

#[test]
fn the_map_says_how_many_people_of_a_row_are_where() {
    let csv = "sex,disease,people,ticket\nf,flu,5,1\nf,hiv,4,2\nf,flu,3,3\nf,cold,4,4\nf,hiv,2,5\n";
    let attributes = "sex = { role = \"quasi\" }\ndisease = { role = \"sensitive\" }\npeople = { role = \"weight\" }\n\
                      ticket = { role = \"insensitive\" }";
    let promise = "model = \"probabilistic-l-diversity\"\nl = 2";
    let published = publish(csv, &policy(attributes, promise, "name = \"anatomy\""), 1).unwrap();
    let map = published.file("qit").with_file_name("../private/map.csv");
    let text = std::fs::read_to_string(map).unwrap();
    assert!(text.starts_with("row,group,people\n"), "{text}");
    let mut people = [0_u64; 5];
    for line in text.lines().skip(1) {
        let fields: Vec<u64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        people[fields[0] as usize - 1] += fields[2];
    }
    assert_eq!(people, [5, 4, 3, 4, 2]);
}

/// Days, values, and whether the other day is in February or in May.
const ALMOST_ALL: &str = "2014-01-27:4f 2011-06-09:33m 2021-03-11:4m 2012-06-26:33m 2013-03-13:33f 2011-10-10:33f 2012-06-26:5f 2013-11-08:33m \
     2011-06-09:19m 2011-05-30:19m 2011-05-23:19m 2011-05-18:5m 2030-07-02:33f 2011-05-25:5f 2013-07-11:33f 2013-10-19:19m \
     2011-05-05:5f 2030-07-02:19m 2013-11-08:5f 2011-06-01:21f 2011-05-19:19m 2021-09-27:19m 2017-11-27:31f 2011-05-26:19m \
     2020-02-05:33f 2011-06-01:4m 2013-03-13:19f 2019-10-28:5m 2021-03-11:5f 2030-07-02:33m 2011-06-11:4m 2015-03-03:21f \
     2015-03-03:21m 2011-06-09:0f 2011-06-14:33f 2013-11-08:33f 2014-11-23:19m 2013-10-19:33f 2011-05-25:19f 2013-07-11:21m \
     2013-03-13:5m 2011-05-23:19f 2011-06-22:19m 2011-06-01:5f 2011-05-06:19m 2011-05-26:19m 2015-03-03:5f 2015-03-03:33f \
     2019-01-01:5f";

#[test]
fn closeness_to_a_part_is_judged_among_those_who_are_left() {
    let mut csv = "seen,grade,born\n".to_owned();
    for person in ALMOST_ALL.split_whitespace() {
        let (day, rest) = person.split_once(':').unwrap();
        let (grade, month) = rest.split_at(rest.len() - 1);
        let _ = writeln!(csv, "{day},{grade},{}", if month == "f" { "1999-02-03" } else { "1999-05-14" });
    }
    let attributes = "seen = { role = \"quasi\", type = \"date\", intervals = \"free\" }\n\
                      grade = { role = \"sensitive\", type = \"integer\" }\n\
                      born = { role = \"quasi\", type = \"date\", hierarchy = { dates = [\"quarter\", \"year\"] } }";
    let promise = "model = \"n-t-closeness\"\ndistance = \"ordered\"\norder = \"rank\"\nt = 0.43\nn = 48";
    let published = publish(&csv, &policy(attributes, promise, "name = \"top-down\"\nsuppression = 1.0"), 1).unwrap();
    assert_eq!(published.report.rows_out + published.report.suppressed, 49);
    assert!(audit(&published).holds());
}

#[test]
fn what_no_bucket_can_promise_is_refused_with_the_reason() {
    let attributes = "disease = { role = \"sensitive\" }\nill = { role = \"quasi\", type = \"boolean\" }";
    let promise = "model = \"alpha-k-anonymity\"\nalpha = 0.85\nk = 1\nvalues = [\"flu\"]";
    let refused =
        publish("disease,ill\nflu,false\ncold,false\n", &policy(attributes, promise, "name = \"anatomy\""), 1);
    assert_eq!(refused.err().unwrap().code(), "model-unsupported");
}

#[test]
fn attributes_that_happen_to_count_are_no_keys() {
    let mut csv = "age,grade,note\n".to_owned();
    (0..24).for_each(|row| writeln!(csv, "{},{},n{}", 1 + row, 24 - row, row % 5).unwrap());
    let attributes = |note: &str| {
        format!("age = {{ role = \"quasi\" }}\ngrade = {{ role = \"sensitive\" }}\nnote = {{ role = \"{note}\" }}")
    };
    let promise = "model = \"probabilistic-l-diversity\"\nl = 2";
    let published = publish(&csv, &policy(&attributes("insensitive"), promise, "name = \"anatomy\""), 1).unwrap();
    assert!(audit(&published).holds());
    // A number of its own for everybody that no promise speaks of is one.
    let csv = csv.lines().enumerate().fold(String::new(), |mut csv, (row, line)| {
        let (rest, _) = line.rsplit_once(',').unwrap();
        let _ = if row == 0 { writeln!(csv, "{rest},note") } else { writeln!(csv, "{rest},{row}") };
        csv
    });
    let published = publish(&csv, &policy(&attributes("insensitive"), promise, "name = \"anatomy\""), 1).unwrap();
    let audit = audit(&published);
    let broken: Vec<&str> =
        audit.attacks.iter().filter(|attack| attack.finding.holds == Some(false)).map(|attack| attack.name).collect();
    assert_eq!(broken, ["leftover-keys"]);
}

#[test]
fn rows_that_are_sorted_tell_nothing_wherever_missing_values_stand() {
    let csv = "dose,grade\n2.2,a\n2.4,a\n2.6,a\n2.8,a\n3,a\n3.2,a\n4.6,a\n,a\n5,a\n,a\n5.4,a\n5.6,a\n";
    let attributes = "dose = { role = \"quasi\", type = \"number\", hierarchy = { intervals = [0.1, 0.2] } }\n\
                      grade = { role = \"sensitive\", type = \"text\" }";
    let rest = policy(attributes, "model = \"p-sensitive\"\np = 1\nk = 1", "name = \"least-loss\"");
    let published = publish(csv, &format!("missing = \"keep\"\n{rest}"), 1).unwrap();
    assert!(audit(&published).holds(), "{}", published.text("data"));
}

#[test]
fn rows_of_very_many_people_are_refused_by_what_places_them_one_by_one() {
    let attributes = "age = { role = \"quasi\", hierarchy = { balanced = 2 } }\nzip = { role = \"quasi\", hierarchy = { mask = \"right\" } }\n\
                      disease = { role = \"sensitive\" }\npeople = { role = \"weight\" }";
    let csv: String = (0..60).map(|row| format!("{},z{},d{},1000000000\n", row % 9, row % 3, row * 7 % 4)).collect();
    for (promise, method) in [
        ("model = \"matching-l-diversity\"\nl = 2\nmin_expectation = 0.9", "name = \"injector\""),
        ("model = \"alpha-beta-privacy\"\nalpha = 0.9\nbeta = 0.6", "name = \"ambiguity\""),
        ("model = \"alpha-beta-privacy\"\nalpha = 0.9\nbeta = 0.6\npresence = \"group\"", "name = \"ambiguity\""),
        ("model = \"distinct-l-diversity\"\nl = 2", "name = \"anatomy\""),
    ] {
        let made = publish(&format!("age,zip,disease,people\n{csv}"), &policy(attributes, promise, method), 1);
        let error = made.map(drop).unwrap_err();
        assert!(error.message().contains("one by one, 33,554,432 at most"), "{method}: {error}");
    }
}
