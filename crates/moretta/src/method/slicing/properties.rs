//! Slicing on random tables: what it keeps and what it refuses, beside the slow definition.

use proptest::prelude::*;

use super::layout::{Layout, SecretLayout};
use super::shared::Shared;
use crate::chance::Seed;
use crate::data::cells::{Cells, count_distinct};
use crate::data::table::Column;
use crate::data::value::{Type, Value};
use crate::hierarchy::Scale;
use crate::kind::sliced::math::oracle::{Fraction, Person, SlicedOracle};
use crate::method::slicing::*;
use crate::model::Requirement;
use crate::policy::Policy;
use crate::progress::CancelToken;
use crate::release::TableSummary;
use crate::testkit::concrete;
use crate::testkit::tables::{DISEASES, column, parse, sensitive, table, text};

/// The sliced table of some shares of cells, as the oracle takes it: a person for each.
fn slow(buckets: &[Vec<(u32, u64)>], layout: &Layout<'_>) -> SlicedOracle {
    let secret = &layout.secrets[0];
    let person = |cell: u32| {
        let mut known: Vec<Option<u32>> = layout.known.iter().map(|(codes, _)| Some(codes[cell as usize])).collect();
        known.extend(secret.column.is_none().then_some(None));
        Person { known, secret: secret.value_of_pair[secret.pair[cell as usize] as usize] }
    };
    let bucket = |shares: &Vec<(u32, u64)>| {
        shares.iter().flat_map(|&(cell, people)| (0..people).map(move |_| cell)).map(person).collect()
    };
    let sensitive_column = secret.column.unwrap_or(layout.known.len());
    SlicedOracle { buckets: buckets.iter().map(bucket).collect(), sensitive_column }
}

/// Codes of each column, sensitive values, people, whether the sensitive attribute stands alone, and ℓ in quarters.
type Case = (Vec<Vec<u32>>, Vec<u32>, Vec<u64>, bool, u64);

fn cases() -> impl Strategy<Value = Case> {
    (1_usize..9, 1_usize..4).prop_flat_map(|(cells, columns)| {
        (
            proptest::collection::vec(proptest::collection::vec(0_u32..2, cells), columns),
            proptest::collection::vec(0_u32..4, cells),
            proptest::collection::vec(1_u64..3, cells),
            any::<bool>(),
            4_u64..14,
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn a_cut_is_kept_exactly_if_the_whole_table_stays_diverse(
        (columns, secret, people, alone, quarters) in cases(),
        cuts in proptest::collection::vec((0_usize..4, proptest::collection::vec(0_u64..3, 12)), 1..7),
    ) {
        let known: Vec<(Vec<u32>, usize)> = columns.iter().map(|codes| (codes.clone(), 2)).collect();
        let l = Threshold::fraction(quarters, 4);
        let of_column = (!alone).then(|| known.len() - 1);
        let of_secret = of_column.map(|column| &known[column]);
        let secrets = vec![SecretLayout::new(of_column, of_secret, (&secret, 4), l)];
        let layout = Layout { people: &people, known, secrets, keys: Vec::new() };
        let bound = Fraction::new(4, quarters.into());
        let all: Vec<(u32, u64)> = (0..).zip(people.iter().copied()).collect();
        let mut buckets = vec![all];
        if !slow(&buckets, &layout).is_diverse(bound) {
            return Ok(());
        }
        let mut shared = Shared::new(&layout, vec![(0..people.len() as u32).collect()]);
        for (bucket, quotas) in cuts {
            let bucket = bucket % buckets.len();
            let left = |&(cell, people): &(u32, u64)| (cell, quotas[cell as usize].min(people));
            let mut sides = [buckets[bucket].iter().map(left).collect::<Vec<_>>(), Vec::new()];
            sides[1] = buckets[bucket].iter().zip(&sides[0]).map(|(all, left)| (all.0, all.1 - left.1)).collect();
            sides.iter_mut().for_each(|side| side.retain(|&(_, people)| people > 0));
            if sides.iter().any(Vec::is_empty) {
                continue;
            }
            let mut after = buckets.clone();
            let [left, right] = sides;
            after[bucket].clone_from(&left);
            after.push(right.clone());
            let diverse = slow(&after, &layout).is_diverse(bound);
            prop_assert_eq!(shared.cut(bucket, left, right), diverse);
            if diverse {
                buckets = after;
            }
            let slow = slow(&buckets, &layout);
            for (codes, found) in shared.all_matches() {
                let mut known: Vec<Option<u32>> = codes.iter().copied().map(Some).collect();
                known.extend(alone.then_some(None));
                let matching = (0..buckets.len() as u32).filter(|&b| slow.degree(b as usize, &known).0 > 0);
                prop_assert_eq!(matching.collect::<Vec<_>>(), found);
            }
        }
    }
}

const ATTRIBUTES: &str = r#"
    [data]
    source = "toy.csv"
    [attributes]
    age = { role = "quasi", type = "integer" }
    zip = { role = "quasi", type = "text", hierarchy = { mask = "right" } }
    city = { role = "quasi", type = "text" }
    disease = { role = "sensitive", type = "text" }
"#;

type Row = (i64, &'static str, &'static str, &'static str, u64);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let zip = proptest::sample::select(vec!["11", "12", "21"]);
    let city = proptest::sample::select(vec!["a", "b", "c"]);
    let disease = proptest::sample::select(DISEASES.to_vec());
    let weight = prop_oneof![4 => Just(1_u64), 1 => 1_u64..4];
    proptest::collection::vec((20_i64..24, zip, city, disease, weight), 1..30)
}

/// Plans a release of some rows; returns the cells too.
fn plan(rows: &[Row], policy: &Policy) -> Option<(Result<Slices>, Cells)> {
    let texts =
        |name, pick: fn(&Row) -> &'static str| column(name, Type::Text, rows.iter().map(|r| text(pick(r))).collect());
    let age = column("age", Type::Integer, rows.iter().map(|row| Value::Integer(row.0)).collect());
    let quasi = vec![age, texts("zip", |row| row.1), texts("city", |row| row.2)];
    let weights: Vec<u64> = rows.iter().map(|row| row.4).collect();
    let table = table(quasi, vec![texts("disease", |row| row.3)], weights.clone());
    let whole = TableSummary::of_table(&table, &sensitive(policy)).unwrap();
    let requirement = Requirement::prepare(&policy.models, &whole).ok()?;
    let scales: Vec<Scale> = table
        .quasi
        .iter()
        .zip(policy.linkable_attributes())
        .map(|(column, attribute)| Scale::new(&attribute.hierarchy, column.domain.clone(), &column.name).unwrap())
        .collect();
    let columns: Vec<(&[u32], usize)> = table.quasi.iter().chain(&table.sensitive).map(Column::counted).collect();
    let cells = count_distinct(&columns, rows.len(), Some(&weights));
    let task = Task {
        quasi_names: table.quasi.iter().map(|column| column.name.clone()).collect(),
        scales: &scales,
        cells: &cells,
        sensitive_sizes: vec![table.sensitive[0].domain.len()],
        requirement: &requirement,
        whole: &whole,
        may_suppress: 0,
        seed: Seed(7),
        branches: None,
        persons: None,
        links: &[],
        group: None,
        token: &CancelToken::new(),
    };
    let planned =
        policy.method.as_ref().unwrap().plan(&task, &Progress::default()).map(|plan| concrete::<Slices>(plan));
    Some((planned, cells))
}

/// What somebody in a cell shows in a column.
fn known_of(slices: &Slices, cells: &Cells, column: usize, cell: usize) -> Vec<u32> {
    match &slices.recoded[column] {
        Some(recoded) => vec![recoded.region_of_cell[cell]],
        None => slices.columns[column].iter().filter(|&&p| p < 3).map(|&p| cells.columns[p][cell]).collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn what_is_planned_is_diverse_by_definition_and_holds_everybody_once(
        rows in rows(),
        tenths in 10_u64..35,
        columns in proptest::sample::select(vec![
            "columns = 2\nsensitive_column = 1", "columns = 2\nsensitive_column = 2", "columns = 3",
            "columns = 4\nsensitive_column = 1\ncolumn_k = 2", "columns = 2\ncolumn_k = 3",
            "columns = [[\"age\"], [\"zip\", \"disease\"], [\"city\"]]\nbucket_size = 3",
        ]),
    ) {
        let l = tenths as f64 / 10.0;
        let attributes = format!("{ATTRIBUTES}\n[method]\nname = \"slicing\"\n{columns}");
        let policy = parse(&attributes, &[format!("model = \"l-diverse-slicing\", l = {l}")]).unwrap();
        let Some((planned, cells)) = plan(&rows, &policy) else { return Ok(()) };
        let slices = match planned {
            Ok(slices) => slices,
            Err(error) => {
                prop_assert_eq!(error.fault(), crate::Fault::Data, "{}", error);
                return Ok(());
            }
        };
        let mut dealt = vec![0; cells.len()];
        let mut buckets: Vec<Vec<Person>> = vec![Vec::new(); slices.buckets.len];
        let mut seen: Vec<Vec<Vec<u32>>> = vec![Vec::new(); slices.columns.len()];
        for piece in &slices.buckets.pieces {
            let cell = piece.cell as usize;
            dealt[cell] += piece.people;
            let known = (0..slices.columns.len()).map(|column| {
                let value = known_of(&slices, &cells, column, cell);
                let at = seen[column].iter().position(|other| *other == value).unwrap_or_else(|| {
                    seen[column].push(value);
                    seen[column].len() - 1
                });
                Some(at as u32)
            });
            let person = Person { known: known.collect(), secret: cells.columns[3][cell] };
            buckets[piece.group as usize].extend((0..piece.people).map(|_| person.clone()));
        }
        prop_assert_eq!(&dealt, &cells.people);
        let sensitive_column = slices.columns.iter().position(|column| column.contains(&3)).unwrap();
        prop_assert!(buckets.iter().all(|bucket| !bucket.is_empty()));
        // The fractions of large tables outgrow the oracle.
        if buckets.len() <= 6 {
            let sliced = SlicedOracle { buckets, sensitive_column };
            prop_assert!(sliced.is_diverse(Fraction::new(10, tenths.into())));
        }
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let again = alone.install(|| plan(&rows, &policy)).unwrap().0.unwrap();
        prop_assert_eq!(again.buckets.pieces, slices.buckets.pieces);
        prop_assert_eq!(again.columns, slices.columns);
        if columns.contains("column_k") {
            let k = if columns.contains("= 3") { 3 } else { 2 };
            for recoded in slices.recoded.iter().flatten() {
                let mut people = vec![0; recoded.grouping.len()];
                recoded.region_of_cell.iter().zip(&cells.people).for_each(|(&region, &n)| people[region as usize] += n);
                prop_assert!(people.iter().all(|&n| n >= k));
            }
        }
    }
}

#[test]
fn what_can_not_be_sliced_is_refused_with_what_can() {
    let rows: Vec<Row> =
        vec![(20, "11", "a", "aa", 1), (21, "12", "b", "ab", 1), (22, "21", "c", "ba", 1), (23, "11", "a", "bb", 1)];
    for (columns, message, help) in [
        ("columns = 5", "5 columns can't be made of 4 attributes", "up to 4"),
        ("columns = 2\nsensitive_column = 5", "a sensitive column of 5", "up to 3"),
        ("columns = 4\nsensitive_column = 2", "can't be made of 4 attributes", "up to 3"),
        ("columns = 2\nbins = 1", "`bins` is 1", "2 or more"),
        (
            "columns = [[\"age\", \"disease\"], [\"zip\", \"city\"]]",
            "l = 2 can't be reached",
            "{disease} allows l up to 4",
        ),
        ("columns = [[\"age\", \"disease\"], [\"zip\"]]", "does not name \"city\"", "one column"),
        ("columns = [[\"age\", \"age\", \"disease\"], [\"zip\"]]", "names \"age\" twice", "one column"),
        ("columns = [[\"ago\"]]", "names \"ago\"", "`age`"),
    ] {
        let attributes = format!("{ATTRIBUTES}\n[method]\nname = \"slicing\"\n{columns}");
        let policy = parse(&attributes, &["model = \"l-diverse-slicing\", l = 2".to_owned()]).unwrap();
        let error = plan(&rows, &policy).unwrap().0.unwrap_err();
        assert!(error.message().contains(message), "{error}");
        assert!(error.advice().unwrap_or("").contains(help), "{error}");
    }
    let attributes = format!("{ATTRIBUTES}\n[method]\nname = \"slicing\"\ncolumns = 2\nsensitive_column = 1");
    let policy = parse(&attributes, &["model = \"l-diverse-slicing\", l = 4.5".to_owned()]).unwrap();
    let error = plan(&rows, &policy).unwrap().0.unwrap_err();
    assert!(error.message().contains("reach only l = 4") && error.to_string().contains("no columns allow"), "{error}");
}
