//! A table that is read for publishing, its rows folded and its codes on disk, is the table.

use std::fmt::Write as _;
use std::path::Path;

use proptest::prelude::*;

use super::Prepared;
use crate::data::source::{Input, Source};
use crate::policy::Policy;
use crate::progress::Progress;

/// A row: numbers that become an age, a region, a disease, a note, an identifier and a weight; 0 is a missing value of the first four.
type Row = (u32, u32, u32, u32, u32, u32);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec((0_u32..5, 0_u32..4, 0_u32..4, 0_u32..3, 1_u32..200, 0_u32..4), 1..160)
}

fn table(rows: &[Row]) -> String {
    let mut text = "age,region,disease,note,name,people\n".to_owned();
    let value = |letter: &str, number: u32| if number == 0 { String::new() } else { format!("{letter}{number}") };
    for &(age, region, disease, note, name, people) in rows {
        let [age, region] = [value("", age), value("r", region)];
        let _ = writeln!(text, "{age},{region},{},{},p{name},{people}", value("d", disease), value("n", note));
    }
    text
}

fn policy(missing: &str, filter: &str, weights: bool) -> Policy {
    let people = if weights { "weight" } else { "drop" };
    let text = format!(
        "[data]\nsource = \"t.csv\"\nmissing = \"{missing}\"\n{filter}\n[attributes]\nage = {{ role = \"quasi\" }}\n\
         region = {{ role = \"quasi\", hierarchy = {{ frequency = [3, 9] }} }}\ndisease = {{ role = \"sensitive\" }}\n\
         note = {{ role = \"insensitive\" }}\nname = {{ role = \"identifier\" }}\npeople = {{ role = \"{people}\" }}\n\
         [[require]]\nmodel = \"k-anonymity\"\nk = 2\n[method]\nname = \"mondrian\"\n"
    );
    Policy::in_file(text.clone(), Path::new("policy.toml"), &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn source(text: &str, policy: &Policy) -> Source {
    Source::open(Input::Memory("t.csv".into(), text.to_owned().into()), policy.data.options.clone()).unwrap()
}

proptest! {
    #[test]
    fn folded_rows_are_the_rows(
        rows in rows(),
        missing in proptest::sample::select(vec!["keep", "drop", "drop-any", "error"]),
        filter in proptest::sample::select(vec!["", "where = \"age > 1\"", "where = \"name = 'p3' OR region = 'r1'\""]),
        weights in any::<bool>(),
        limit in 1_u64..4000,
    ) {
        let (text, policy) = (table(&rows), policy(missing, filter, weights));
        let plain = Prepared::read_source(&policy, source(&text, &policy), &Progress::default());
        let (folder, progress) = (tempfile::tempdir().unwrap(), Progress::default());
        progress.memory().limit_to(limit);
        progress.memory().spill_into(Some(folder.path().to_owned()));
        let folded = Prepared::read_folded(&policy, source(&text, &policy), &progress);
        let (plain, folded) = match (plain, folded) {
            (Ok(plain), Ok(folded)) => (plain, folded),
            (plain, folded) => {
                let said = |result: crate::error::Result<Prepared>| result.err().map(|e| e.to_string());
                prop_assert_eq!(said(plain), said(folded));
                return Ok(());
            }
        };
        prop_assert_eq!(&plain.cells.columns, &folded.cells.columns);
        prop_assert_eq!(&plain.cells.people, &folded.cells.people);
        prop_assert_eq!(&plain.cells.cell_of_row, &folded.cells.cell_of_row);
        prop_assert_eq!(&plain.table.source_rows, &folded.table.source_rows);
        prop_assert_eq!(&plain.table.weights, &folded.table.weights);
        prop_assert_eq!(plain.table.tally, folded.table.tally);
        prop_assert_eq!(plain.table.people(), folded.table.people());
        prop_assert_eq!(&plain.insensitive_types, &folded.insensitive_types);
        prop_assert_eq!(format!("{:?}", plain.whole), format!("{:?}", folded.whole));
        prop_assert_eq!(format!("{:?}", plain.scales), format!("{:?}", folded.scales));
        prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
