//! `moretta compare`: the privacy–utility frontier.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use moretta::files;
use moretta::frontier::{Accuracy, Budget, Compared, KnownProgram, Losses, Measured, PointOutcome};
use moretta::text::{counted, grouped};
use moretta::{Comparison, ComparisonPlan, Error, Result, Seed};
use moretta_lab::classification::TreeAndBayes;
use moretta_lab::datasets;

use super::{Outcome, versioned};
use crate::console::{Console, FAINT, GOOD, STRONG};
use crate::layout::{Cell, Table};
use crate::progress::ProgressShown;

/// Compare methods, models and parameters: what each tells about people, and what it costs analysts
///
/// Every point of the plan's grid is published in memory and measured. Points that no other beats in both losses are
/// efficient; together they are the frontier. Nothing is published: choose a point, and let `publish` make its release.
#[derive(Debug, clap::Args)]
pub(crate) struct CompareArgs {
    /// The plan: a policy, and what is compared on it; or a policy, whose promises then hold at every point of the usual grid: least-loss, mondrian,
    /// top-down and full-domain, each with the policy's k, twice and four times as many
    plan: PathBuf,
    /// The folder for frontier.svg, points.csv and finished points; a comparison that was interrupted goes on there
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Choose the best point within a limit: `p_loss`, `u_loss` or `query_error`, as in p_loss=0.2
    #[arg(long, value_name = "LOSS=MOST")]
    budget: Vec<Budget>,
    /// Write the policy of the chosen point (without a budget, the knee), ready for `publish`
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "picked.toml")]
    pick: Option<PathBuf>,
    /// The folder to which a plan's policy is relative if it says `relative_to` = "data"; without it, the variable `MORETTA_DATA` or ../shared/data
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// How long each point may take before it is given up, with that as its reason; without it, the plan's `patience`, or
    /// as long as it takes. The usual grid of a policy gives each 300
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    patience: Option<u32>,
    /// What chance starts from; without it, the plan's `seed`, or 1
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
}

pub(crate) fn run(options: &CompareArgs, console: &Console) -> Result<Outcome> {
    let mut plan =
        ComparisonPlan::load(&options.plan, &datasets::folder(options.data.as_deref()), options.seed.map(Seed::from))?;
    if let Some(seconds) = options.patience {
        plan.patience = Some(Duration::from_secs(seconds.into()));
    }
    plan.notices()?.iter().for_each(|notice| console.warn(notice));
    let shown = ProgressShown::start(console);
    let comparison = plan.run(options.out.as_deref(), Some(&TreeAndBayes), &shown.run())?;
    drop(shown);
    let chosen = comparison.choose(&options.budget);
    if let Some(out) = &options.out {
        files::write(out.join("frontier.svg"), &comparison.to_svg())?;
        files::write(out.join("points.csv"), &comparison.to_csv())?;
    }
    if chosen.is_none() && (!options.budget.is_empty() || options.pick.is_some()) {
        let help = "allow more, or compare other points";
        return Err(Error::data("no point is within the budget").help(help));
    }
    if let (Some(file), Some(chosen)) = (&options.pick, chosen) {
        let candidate = &comparison.points[chosen].candidate;
        files::write(file, &plan.policy_text(candidate)?)?;
        for promise in plan.dropped_promises(candidate) {
            console.warn(&format!(
                "the chosen point does not promise what the policy does: {promise}; `promises = \"policy-too\"` in the plan keeps it at every point"
            ));
        }
    }
    console.result(|| versioned(comparison.to_json(chosen)), || render(&comparison, chosen, options))?;
    Ok(Outcome::Done)
}

fn render(comparison: &Comparison, chosen: Option<usize>, options: &CompareArgs) -> String {
    let mut text = String::new();
    let points = counted(comparison.points.len() as u64, "point", "points");
    let populations = counted(comparison.populations as u64, "large population", "large populations");
    let _ = writeln!(text, "{STRONG}{points} compared by {populations}.{STRONG:#}");
    if comparison.kept > 0 {
        let _ = writeln!(text, "{FAINT}{} had been measured before.{FAINT:#}", grouped(comparison.kept as u64));
    }
    let learns = comparison.learned.is_some();
    let header = ["method and model", "parameters", "P_loss", "mean", "known group", "U_loss", "query error"];
    let mut header: Vec<&str> = header.to_vec();
    header.extend(learns.then_some(["tree", "Bayes"]).into_iter().flatten());
    let measured = || comparison.points.iter().filter_map(Compared::measured);
    let has_densities = measured().any(|measured| measured.accuracy.is_some_and(|a| a.densities.is_some()));
    header.extend(has_densities.then_some("densities"));
    let knows = measured().any(|measured| measured.known_program.is_some());
    header.extend(knows.then_some("knowing the program"));
    header.extend(["seconds", "efficient"]);
    let mut table = Table::new(header);
    let row = |table: &mut Table,
               name: &str,
               numbers: String,
               losses: &Losses,
               accuracy: Option<&Accuracy>,
               end: [Cell; 3]| {
        let share = |x: f64| Cell::from(format!("{x:.4}"));
        let mut cells = vec![Cell::from(name), numbers.into()];
        cells.extend([losses.privacy.worst, losses.privacy.mean].map(share));
        cells.push(losses.known_group.map_or(Cell::default(), |loss| share(loss.worst)));
        cells.extend([losses.utility.mean, losses.query_error].map(share));
        if learns {
            cells.extend(accuracy.map_or([Cell::default(), Cell::default()], |a| [a.tree, a.bayes].map(share)));
        }
        if has_densities {
            cells.push(accuracy.and_then(|a| a.densities).map_or(Cell::default(), share));
        }
        let [program, seconds, efficient] = end;
        cells.extend(knows.then_some(program));
        cells.extend([seconds, efficient]);
        table.row(cells);
    };
    for (index, point) in comparison.points.iter().enumerate() {
        let Some(measured) = point.measured() else { continue };
        let mark = match (point.efficient, comparison.knee == Some(index)) {
            (true, true) => "yes, knee",
            (true, false) => "yes",
            _ => "",
        };
        let end = [known_program(measured).into(), format!("{:.2}", measured.seconds).into(), Cell::styled(mark, GOOD)];
        row(
            &mut table,
            &point.candidate.series(),
            point.candidate.numbers(),
            &measured.losses,
            measured.accuracy.as_ref(),
            end,
        );
    }
    let nothing = || [Cell::default(), Cell::default(), Cell::default()];
    row(&mut table, "all quasi-identifiers removed", String::new(), &comparison.removed, None, nothing());
    row(&mut table, "the original", String::new(), &comparison.published, comparison.learned.as_ref(), nothing());
    let _ = writeln!(text, "\n{}", table.render());
    if knows {
        let _ = writeln!(
            text,
            "Knowing the program: the mean belief in people's true values with the files alone, and for who can run the program on other originals.\n"
        );
    }
    let refused: Vec<&Compared> = comparison.points.iter().filter(|point| point.measured().is_none()).collect();
    if !refused.is_empty() {
        let _ = writeln!(text, "{} can't be had:", counted(refused.len() as u64, "point", "points"));
        let mut table = Table::new(["method and model", "parameters", "because"]);
        for point in refused {
            if let PointOutcome::Refused(reason) = &point.found {
                table.row([point.candidate.series(), point.candidate.numbers(), reason.clone()]);
            }
        }
        let _ = writeln!(text, "{}", table.render());
    }
    let _ = writeln!(text, "{}", comparison.to_text(64, 16));
    if let Some(index) = comparison.knee {
        let candidate = &comparison.points[index].candidate;
        let _ = writeln!(text, "The frontier bends most at {}, {}.", candidate.series(), candidate.numbers());
    }
    if let (Some(index), false) = (chosen, options.budget.is_empty()) {
        let candidate = &comparison.points[index].candidate;
        let _ = writeln!(text, "The best within the budget is {}, {}.", candidate.series(), candidate.numbers());
    }
    if let Some(file) = &options.pick {
        let _ = writeln!(text, "Its policy is in {}: publish it with `moretta publish`.", file.display());
    }
    if let Some(out) = &options.out {
        let _ = writeln!(text, "See {} and {}.", out.join("frontier.svg").display(), out.join("points.csv").display());
    }
    text
}

/// What somebody gains who knows the program.
fn known_program(measured: &Measured) -> String {
    match &measured.known_program {
        Some(KnownProgram::Proved) => "nothing, proved".to_owned(),
        Some(KnownProgram::Believed { before, after }) => format!("{before:.3} to {after:.3}"),
        Some(_) => "not tried".to_owned(),
        None => String::new(),
    }
}
