//! What adversaries learn from a release that keeps its promise: `cargo run --example audit`.
#![expect(clippy::print_stdout, reason = "an example that speaks to a terminal")]

use moretta::methods::Anatomy;
use moretta::models::DistinctLDiversity;
use moretta::{Attacked, Knowledge, Policy, Result, Run, files};

fn main() -> Result<()> {
    let policy = Policy::builder()
        .quasi("age")
        .quasi("sex")
        .sensitive("diagnosis")
        .require(DistinctLDiversity::new(2)?)
        .method(Anatomy::new())
        .build()?;
    let table = files::parse_csv(patients(), policy.schema())?;
    let published = moretta::publish(&policy, &table, &Run::new())?;
    println!("the promise holds: {}", moretta::check(published.release(), Some(&table), &Run::new())?.holds());

    let adversaries = Knowledge { bandwidths: vec![0.2, f64::INFINITY], ..Knowledge::default() };
    let attacked = Attacked::release(published.release()).beside(&table).knowledge(adversaries);
    let found = moretta::audit(&attacked, &Run::new())?;
    for attack in &found.attacks {
        println!("{:<20} {:<40} {:.3}", attack.name, attack.finding.measure, attack.finding.measured);
    }
    println!("\nbeyond the promise, the worst first:");
    for attack in found.beyond_promise() {
        println!("  {}: {}", attack.finding.grade.name(), attack.finding.sentence);
    }
    for attack in &found.skipped {
        println!("not made: {}, because {}", attack.name, attack.reason);
    }
    Ok(())
}

/// Prostatitis never meets a woman: a rule that undoes diversity.
fn patients() -> String {
    let row = |n: usize| {
        let (sex, diagnoses) = if n.is_multiple_of(2) { ("F", ["flu", "gout"]) } else { ("M", ["prostatitis", "flu"]) };
        format!("{},{sex},{}\n", 30 + n % 20, diagnoses[n / 2 % 2])
    };
    "age,sex,diagnosis\n".to_owned() + &(0..120).map(row).collect::<String>()
}
