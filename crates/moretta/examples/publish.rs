//! From record batches to a release in a folder: `cargo run --example publish`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example that speaks to a terminal")]

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use moretta::methods::LeastLoss;
use moretta::models::{DistinctLDiversity, KAnonymity};
use moretta::{AttributeSpec, HierarchySpec, Observer, Policy, Result, Run, Stage, Table};

/// Says on standard error which stages have ended.
struct Diary;

impl Observer for Diary {
    fn observe(&self, stage: &Stage) {
        if stage.ended {
            eprintln!("{stage}: {:.3} s", stage.seconds);
        }
    }
}

fn main() -> Result<()> {
    let batch = patients();
    let policy = Policy::builder()
        .quasi(AttributeSpec::new("age").hierarchy(HierarchySpec::intervals([5, 10, 20])))
        .quasi("ward")
        .sensitive("diagnosis")
        .require(KAnonymity::new(4)?)
        .require(DistinctLDiversity::new(3)?)
        .method(LeastLoss::new())
        .build()?;
    let table = Table::from_batches(batch.schema(), [batch], policy.schema())?;
    let run = Run::new().observe(Arc::new(Diary));
    let published = moretta::publish(&policy, &table, &run)?;

    let report = published.report();
    println!("{} people in {} groups, loss {:.4}", report.rows_out, report.groups, report.utility.loss.unwrap_or(0.0));
    for promise in &report.guarantees {
        println!("{}: {}", promise.model, if promise.holds { "holds" } else { "does not hold" });
    }
    for (name, batches) in published.tables()? {
        let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        println!(
            "table {name}: {rows} rows, {:?}",
            batches[0].schema().fields().iter().map(|f| f.name()).collect::<Vec<_>>()
        );
    }
    let old = published.release().query("SELECT COUNT(*) WHERE age >= 60")?.single()?;
    println!("people of 60 or more: about {:.1}, from {:?} to {:?}", old.estimate.unwrap_or(0.0), old.lower, old.upper);

    let folder = std::env::temp_dir().join(format!("moretta-example-{}", std::process::id()));
    published.save(&folder)?;
    println!("saved: {} holds release/ and private/", folder.display());
    std::fs::remove_dir_all(&folder).map_err(|e| moretta::Error::machine("remove the example", &folder, e))
}

/// Two hundred made-up patients.
fn patients() -> RecordBatch {
    let wards = ["north", "south", "west"];
    let diagnoses = ["flu", "gout", "asthma", "measles", "migraine"];
    let ages = Int32Array::from_iter_values((0..200).map(|n| 20 + n * 37 % 61));
    let ward = StringArray::from_iter_values((0..200).map(|n| wards[n * 7 % 3]));
    let diagnosis = StringArray::from_iter_values((0..200).map(|n| diagnoses[n * n % 5]));
    let columns: [(&str, ArrayRef); 3] =
        [("age", Arc::new(ages)), ("ward", Arc::new(ward)), ("diagnosis", Arc::new(diagnosis))];
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}
