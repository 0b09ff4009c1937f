//! What privacy costs: several releases of one table on one plane: `cargo run --example frontier`.
#![expect(clippy::print_stdout, reason = "an example that speaks to a terminal")]

use moretta::methods::{Anatomy, LeastLoss};
use moretta::models::{Distance, KAnonymity, ProbabilisticLDiversity, TCloseness};
use moretta::{Grid, Policy, Result, Run, files};

fn main() -> Result<()> {
    let schema = Policy::builder().quasi("age").quasi("hours").sensitive("job").build()?;
    let table = files::parse_csv(workers(), schema.schema())?;
    let mut grid = Grid::new();
    for k in [2, 5, 10, 25] {
        grid = grid.candidate(LeastLoss::new(), [KAnonymity::new(k)?]);
    }
    for l in [2.0, 3.0, 4.0] {
        grid = grid.candidate(Anatomy::new(), [ProbabilisticLDiversity::new(l)?]);
    }
    for t in [0.1, 0.3] {
        grid = grid.candidate(LeastLoss::new(), [TCloseness::new(t, Distance::Equal)?]);
    }
    let compared = moretta::compare(&table, &grid, &Run::new())?;
    for point in &compared.points {
        let (series, numbers) = (point.candidate.series(), point.candidate.numbers());
        match point.measured() {
            Some(found) => println!(
                "{series:<48} {numbers:<10} privacy loss {:.3}, utility loss {:.3}{}",
                found.losses.privacy.worst,
                found.losses.utility.mean,
                if point.efficient { ", efficient" } else { "" }
            ),
            None => println!("{series:<48} {numbers:<10} can't be had"),
        }
    }
    println!("\n{}", compared.to_text(64, 14));
    Ok(())
}

fn workers() -> String {
    let jobs = ["clerk", "nurse", "cook", "driver", "teacher"];
    let row =
        |n: usize| format!("{},{},{}\n", 18 + n * 31 % 47, 10 + n * 17 % 40, jobs[(n * 31 % 47 / 10 + n % 2) % 5]);
    "age,hours,job\n".to_owned() + &(0..600).map(row).collect::<String>()
}
