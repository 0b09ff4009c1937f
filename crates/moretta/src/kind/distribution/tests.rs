//! From random tables to releases and back: every promise holds, every bound holds the truth.

use std::path::Path;

use proptest::prelude::*;

use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::query::{Query, Truth, answer};
use crate::steward::{Options, publish_and_read};

const TARGETS: [&str; 9] = [
    "\"uniform\"",
    "\"table\"",
    "\"group\"",
    "{ zipf = 0.7 }",
    "{ normal = { mean = 3, variance = 4 } }",
    "{ model = \"probabilistic-l-diversity\", l = 1.5 }",
    "{ model = \"entropy-l-diversity\", l = 1.2 }",
    "{ model = \"t-closeness\", t = 0.3, distance = \"ordered\" }",
    "{ file = \"target.csv\" }",
];

const METHODS: [&str; 6] = [
    "",
    "groups = [\"sex\"]",
    "groups = [\"FLOOR(age / 20)\"]\nfakes = 0.5",
    "groups = [\"age >= 40\"]\narity = 3\nfakes = 0.25",
    "grouping = \"qi-sa\"\nfakes = 1.0",
    "groups = { method = \"least-loss\", k = 2 }",
];

const CONDITIONS: [&str; 6] = [
    "age >= 0",
    "sex = 'F'",
    "age >= 30 AND age < 60",
    "age = 20 OR sex <> 'F'",
    "NOT (age < 40 AND sex = 'M')",
    "age > 99",
];

#[derive(Clone, Debug)]
struct Case {
    people: Vec<(u8, bool, u8, u8)>,
    decimals: bool,
    weighted: bool,
    target: usize,
    method: usize,
    max_denominator: u32,
}

fn cases() -> impl Strategy<Value = Case> {
    let person = (0_u8..4, any::<bool>(), 0_u8..6, 1_u8..4);
    let people = proptest::collection::vec(person, 3..14);
    let parameters = (any::<bool>(), any::<bool>(), 0..TARGETS.len(), 0..METHODS.len(), 1_u32..40);
    (people, parameters).prop_map(|(people, (decimals, weighted, target, method, max_denominator))| Case {
        people,
        decimals,
        weighted,
        target,
        method,
        max_denominator,
    })
}

fn policy(case: &Case, folder: &Path) -> Policy {
    let mut csv = String::from("age,sex,loss,copies\n");
    for (age, sex, loss, copies) in &case.people {
        let (age, sex) = (20 * u32::from(*age), if *sex { "F" } else { "M" });
        let loss = if case.decimals { format!("{}", f64::from(*loss) * 0.1) } else { loss.to_string() };
        csv.extend([format!("{age},{sex},{loss},{copies}\n")]);
    }
    std::fs::write(folder.join("people.csv"), csv).unwrap();
    std::fs::write(
        folder.join("target.csv"),
        "value,weight\n0,3\n1,2.5\n2,0\n0.3,1\n".replace("0.3,1", if case.decimals { "0.3,1" } else { "9,1" }),
    )
    .unwrap();
    let text = format!(
        "[data]\nsource = \"people.csv\"\n\n[attributes]\nage = {{ role = \"quasi\", type = \"integer\" }}\n\
         sex = {{ role = \"quasi\" }}\nloss = {{ role = \"sensitive\", type = \"{}\" }}\ncopies = {{ role = \"{}\" }}\n\n\
         [[require]]\nmodel = \"p-private\"\ntarget = {}\nmax_denominator = {}\n\n[method]\nname = \"distribution\"\n{}\n",
        if case.decimals { "number" } else { "integer" },
        if case.weighted { "weight" } else { "drop" },
        TARGETS[case.target],
        case.max_denominator,
        METHODS[case.method],
    );
    Policy::in_file(text, &folder.join("policy.toml"), &[]).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_promise_holds_and_every_bound_holds_the_truth(case in cases()) {
        let folder = tempfile::tempdir().unwrap();
        let policy = policy(&case, folder.path());
        let options = Options { seed: Some(7), ..Options::default() };
        let (report, release) = match publish_and_read(&policy, &options, &Progress::default()) {
            Ok(published) => published,
            // Few values and small ratios can't keep every model, and fakes need ranges that are summed in whole numbers:
            // 0.30000000000000004 has too many digits. Nothing else may fail.
            Err(error) => {
                let unkept = (5..8).contains(&case.target) && error.message().starts_with("no ");
                let too_fine = case.decimals && error.message().ends_with("more than 64 bits");
                prop_assert!(unkept || too_fine, "{error}");
                return Ok(());
            }
        };
        prop_assert!(report.guarantees.iter().all(|verdict| verdict.holds));
        let counted = Prepared::read(&policy, &Progress::default()).unwrap();
        let original = counted.original();
        for condition in CONDITIONS {
            let sql = format!("SELECT COUNT(*), SUM(loss), AVG(loss), MIN(loss), MAX(loss), MAX(age) WHERE {condition}");
            let query = Query::parse(&sql).unwrap();
            let found = answer(&*release, &query).unwrap();
            let truth = answer(&Truth(&original), &query).unwrap();
            for (estimate, exact) in found.rows[0].estimates.iter().zip(&truth.rows[0].estimates) {
                let exact = exact.estimate;
                prop_assert_eq!(estimate.estimate.is_some(), exact.is_some());
                if let (Some(low), Some(high), Some(expected), Some(exact)) =
                    (estimate.lower, estimate.upper, estimate.estimate, exact)
                {
                    // The truth is summed in floats: rounding is no departure.
                    prop_assert!(low <= exact + 1e-9 && exact <= high + 1e-9, "{sql}: {exact} not in {low} to {high}");
                    prop_assert!(low <= expected && expected <= high);
                }
            }
            let query = Query::parse(&format!("SELECT COUNT(*) WHERE loss >= 0.2 AND {condition} GROUP BY sex")).unwrap();
            let found = answer(&*release, &query).unwrap();
            let truth = answer(&Truth(&original), &query).unwrap();
            for row in &truth.rows {
                let exact = row.estimates[0].estimate.unwrap_or(0.0);
                let bounds = found.rows.iter().find(|found| found.key == row.key).map(|found| found.estimates[0]);
                prop_assert!(bounds.is_some_and(|b| b.lower <= Some(exact) && Some(exact) <= b.upper));
            }
        }
    }
}
