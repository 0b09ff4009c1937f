//! A table is a table: from CSV, from Parquet and from record batches, however they are cut and whatever they are made of, it
//! gives the same release.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;

use crate::chance::Seed;
use crate::data::source::{Batches, Input, Source};
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::storage::Storage;
use crate::testkit::arrays::{Fold, Sort, array, csv_text, folded, folds, lists, types};

/// Ways to publish: a promise, a method, whether rows may stand for several people.
const WAYS: &[(&str, &str)] = &[
    ("model = \"k-anonymity\"\nk = 2", "name = \"mondrian\"\nsuppression = 0.3"),
    ("model = \"k-anonymity\"\nk = 2", "name = \"least-loss\""),
    ("model = \"k-anonymity\"\nk = 2", "name = \"clustering\""),
    ("model = \"distinct-l-diversity\"\nl = 1", "name = \"anatomy\"\nsuppression = 0.9"),
    ("model = \"distinct-l-diversity\"\nl = 1", "name = \"transparent\""),
    ("model = \"l-diverse-slicing\"\nl = 1", "name = \"slicing\"\ncolumns = 2"),
];

/// A column: its role, what it holds, its numbers, and how it stands in the batches.
#[derive(Clone, Debug)]
struct Drawn {
    name: &'static str,
    role: &'static str,
    sort: Sort,
    numbers: Vec<Option<i64>>,
    held: DataType,
    fold: Fold,
}

fn column(name: &'static str, role: &'static str, sorts: &[Sort], rows: usize, nulls: bool) -> BoxedStrategy<Drawn> {
    let number = if nulls {
        prop_oneof![1 => Just(None), 8 => (0_i64..6).prop_map(Some)].boxed()
    } else {
        (1_i64..4).prop_map(Some).boxed()
    };
    let numbers = proptest::collection::vec(number, rows);
    (proptest::sample::select(sorts.to_vec()), numbers, any::<proptest::sample::Index>(), folds())
        .prop_map(move |(sort, numbers, held, fold)| {
            let held = held.get(&types(sort)).clone();
            Drawn { name, role, sort, numbers, held, fold }
        })
        .boxed()
}

#[derive(Clone, Debug)]
struct DrawnTable {
    columns: Vec<Drawn>,
    /// Numbers of rows after which a batch ends; equal ones make an empty batch.
    cuts: Vec<usize>,
    /// Rows that stand before and after the table in the arrays that it is a slice of.
    around: (usize, usize),
    way: (&'static str, &'static str),
    keep_missing: bool,
    format: &'static str,
}

fn tables() -> impl Strategy<Value = DrawnTable> {
    use Sort::*;
    const ANY: &[Sort] = &[Whole, Float, Cents, Day, Clock, Instant, Text, Truth];
    (6_usize..40).prop_flat_map(|rows| {
        let columns = vec![
            column("age", "quasi", &[Whole], rows, true),
            column("size", "quasi", &[Float, Cents, Day], rows, true),
            column("place", "quasi", &[Text, Truth, Clock, Instant], rows, true),
            column("disease", "sensitive", &[Text, Truth, Whole, Day], rows, true),
            column("n", "weight", &[Whole], rows, false),
            column("first", "insensitive", ANY, rows, true),
            column("second", "insensitive", ANY, rows, true),
            column("junk", "drop", ANY, rows, true),
        ];
        (
            columns,
            proptest::collection::vec(0..=rows, 0..5),
            (0_usize..4, 0_usize..4),
            proptest::sample::select(WAYS.to_vec()),
            any::<bool>(),
            proptest::sample::select(vec!["csv", "parquet"]),
        )
            .prop_map(|(columns, mut cuts, around, way, keep_missing, format)| {
                cuts.sort_unstable();
                DrawnTable { columns, cuts, around, way, keep_missing, format }
            })
    })
}

impl DrawnTable {
    fn rows(&self) -> usize {
        self.columns[0].numbers.len()
    }

    fn policy(&self) -> Policy {
        let (promise, method) = self.way;
        let missing = if self.keep_missing { "keep" } else { "drop" };
        let mut text = format!(
            "[data]\nsource = \"t\"\nmissing = \"{missing}\"\nmissing_values = [\"5\", \"t4\"]\n[attributes]\n"
        );
        for Drawn { name, role, sort, .. } in &self.columns {
            // A CSV file does not tell whole fourths from whole numbers.
            let kind = if *sort == Sort::Float { ", type = \"number\"" } else { "" };
            let _ = writeln!(text, "{name} = {{ role = \"{role}\"{kind} }}");
        }
        let _ = writeln!(text, "[[require]]\n{promise}\n[method]\n{method}\n[output]\nformat = \"{}\"", self.format);
        Policy::in_file(text, Path::new("policy.toml"), &[]).unwrap()
    }

    fn csv(&self) -> Input {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        let mut text = names.join(",") + "\n";
        for row in 0..self.rows() {
            let fields: Vec<String> = self.columns.iter().map(|c| csv_text(c.sort, c.numbers[row])).collect();
            text += &(fields.join(",") + "\n");
        }
        Input::Memory("t.csv".into(), text.into())
    }

    fn batch(&self, arrays: Vec<ArrayRef>) -> RecordBatch {
        let fields = self.columns.iter().zip(&arrays);
        let fields = fields.map(|(column, array)| Field::new(column.name, array.data_type().clone(), true));
        RecordBatch::try_new(Arc::new(Schema::new(fields.collect::<Vec<_>>())), arrays).unwrap()
    }

    fn parquet(&self) -> Input {
        // What Parquet has no type for, it would store as something else.
        let stored = |c: &Drawn| match &c.held {
            DataType::Decimal32(..) | DataType::Decimal64(..) => {
                types(c.sort).into_iter().find(|held| matches!(held, DataType::Decimal128(..))).unwrap()
            }
            DataType::Date64 => DataType::Date32,
            DataType::Timestamp(TimeUnit::Second, zone) => DataType::Timestamp(TimeUnit::Millisecond, zone.clone()),
            held => held.clone(),
        };
        let column = |c: &Drawn| match c.role {
            "drop" => lists(&c.numbers),
            _ => array(c.sort, &c.numbers, &stored(c)),
        };
        let arrays: Vec<ArrayRef> = self.columns.iter().map(column).collect();
        let batch = self.batch(arrays);
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        Input::Memory("t.parquet".into(), Bytes::from(bytes))
    }

    fn batches(&self) -> Input {
        let (before, after) = self.around;
        let arrays = self.columns.iter().map(|c| {
            let odd = |count: usize| (0..count).map(|row| (row % 2 == 0).then_some(90)).collect::<Vec<_>>();
            let numbers = [odd(before), c.numbers.clone(), odd(after)].concat();
            if c.role == "drop" { lists(&numbers) } else { folded(c.sort, &numbers, &c.held, c.fold) }
        });
        let whole = self.batch(arrays.collect());
        let ends: Vec<usize> = [0].into_iter().chain(self.cuts.iter().copied()).chain([self.rows()]).collect();
        let batches = ends.windows(2).map(|pair| whole.slice(before + pair[0], pair[1] - pair[0])).collect();
        Input::Batches("t".into(), Arc::new(Batches::new(whole.schema(), batches).unwrap()))
    }
}

/// All files of a release, or why there is none.
pub(super) fn released(policy: &Policy, input: Input) -> Result<BTreeMap<String, Bytes>, String> {
    let progress = Progress::default();
    let publish = || -> crate::Result<BTreeMap<String, Bytes>> {
        let source = Source::open(input, policy.data.options.clone())?;
        let prepared = Prepared::read_source(policy, source, &progress)?;
        let planned = super::plan(policy, &prepared, Seed(7), &progress)?;
        let files = Storage::memory();
        super::write(policy, &prepared, &planned, (&files, None), &progress)?;
        files.files()?.into_iter().map(|name| Ok((name.clone(), files.read(&name)?))).collect()
    };
    publish().map_err(|error| error.message().to_owned())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn csv_parquet_and_batches_give_the_same_release(table in tables()) {
        let policy = table.policy();
        let csv = released(&policy, table.csv());
        for (name, input) in [("parquet", table.parquet()), ("batches", table.batches())] {
            let other = released(&policy, input);
            match (&csv, &other) {
                (Ok(csv), Ok(other)) => {
                    prop_assert_eq!(csv.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
                    for (file, bytes) in csv {
                        prop_assert_eq!(
                            String::from_utf8_lossy(bytes), String::from_utf8_lossy(&other[file]), "{} from {}", file, name
                        );
                    }
                }
                _ => prop_assert_eq!(&csv, &other, "{}", name),
            }
        }
    }
}

#[test]
fn most_random_tables_can_be_published() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut tried: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for _ in 0..100 {
        let table = tables().new_tree(&mut runner).unwrap().current();
        let (done, all) = tried.entry(table.way.1).or_default();
        *done += u32::from(released(&table.policy(), table.batches()).is_ok());
        *all += 1;
    }
    assert!(tried.len() == WAYS.len() && tried.values().all(|(done, all)| 3 * done > *all), "{tried:?}");
}
