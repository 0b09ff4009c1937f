//! Koudas, Srivastava, Yu, Zhang 2009: how narrow the bounds of averages are.
//!
//! Every query is `SELECT AVG(capital_loss) WHERE age BETWEEN X AND Y`, at random places of each range; the error is
//! (upper − lower) / true average. That every bound holds the truth is checked for each of them.

mod bench;
mod data;

use moretta::internals::progress::Progress;
use moretta::{Error, Result};

use self::bench::{Scheme, Setting, Target, errors};
use self::data::{Rows, adult, correlated, normal, normal_of, uniform, without_tenth, zipf};
use super::{Experiment, ExperimentContext, ResultTable};

/// The experiments of the paper.
pub(super) const FIGURES: [Experiment; 9] = [
    Experiment { name: "distribution 5", run: figure_5 },
    Experiment { name: "distribution 6", run: figure_6 },
    Experiment { name: "distribution 7", run: figure_7 },
    Experiment { name: "distribution 8", run: figure_8 },
    Experiment { name: "distribution 9", run: figure_9 },
    Experiment { name: "distribution 10", run: figure_10 },
    Experiment { name: "distribution 11", run: figure_11 },
    Experiment { name: "distribution 12", run: figure_12 },
    Experiment { name: "distribution 13", run: figure_13 },
];

const RANGES: [u32; 6] = [5, 10, 20, 30, 40, 50];

/// A table with a row for each query range and a column for each setting.
fn by_range(
    context: &ExperimentContext,
    title: &str,
    rows: &Rows,
    settings: &[(&str, Setting)],
) -> Result<ResultTable> {
    let mut table = ResultTable::new(title, std::iter::once("range").chain(settings.iter().map(|(name, _)| *name)));
    let columns = settings
        .iter()
        .map(|(_, setting)| errors(context, rows, setting, &RANGES))
        .collect::<Result<Vec<Vec<f64>>>>()?;
    for (place, range) in RANGES.iter().enumerate() {
        let cells = columns.iter().map(|column| format!("{:.3}", column[place]));
        table.row(std::iter::once(range.to_string()).chain(cells));
    }
    Ok(table)
}

fn fakes(scheme: Scheme, share: f64) -> Setting {
    Setting { fakes: share, ..Setting::new(scheme, Target::Table) }
}

/// The table that a figure's file names, and what it is.
fn named(context: &ExperimentContext) -> Result<(&'static str, Rows)> {
    match context.settings.text("table")?.as_str() {
        "adult" => Ok(("Adult, capital loss", adult(context)?)),
        "normal" => Ok(("synthetic, no correlation with age", normal(context)?)),
        "correlated" => Ok(("synthetic, correlated with age", correlated(context)?)),
        other => Err(Error::input(format!("there is no table {other:?}"))
            .at_file(&context.file)
            .help("there are: adult, normal, correlated")),
    }
}

fn figure_5(context: &ExperimentContext, _: &Progress) -> Result<Vec<ResultTable>> {
    let (what, rows) = named(context)?;
    let shares = context.settings.numbers("fakes")?;
    let mut settings = vec![
        ("SA-only".to_owned(), Setting::new(Scheme::SaOnly, Target::Table)),
        ("QI-SA".to_owned(), Setting::new(Scheme::QiSa, Target::Table)),
    ];
    settings.extend(shares.iter().map(|&share| (format!("QI-SA + {} %", share * 100.0), fakes(Scheme::QiSa, share))));
    let settings: Vec<(&str, Setting)> =
        settings.iter().map(|(name, setting)| (name.as_str(), setting.clone())).collect();
    Ok(vec![by_range(context, &format!("Figure 5: {what}"), &rows, &settings)?])
}

fn figure_6(context: &ExperimentContext, _: &Progress) -> Result<Vec<ResultTable>> {
    let (what, rows) = named(context)?;
    let target = Target::Of(rows.counts());
    let rest = without_tenth(context, &rows);
    let shares = context.settings.numbers("fakes")?;
    let setting = |share: f64| {
        let setting = Setting::new(Scheme::SaOnly, target.clone());
        (format!("SA-only + {} %", share * 100.0), Setting { fakes: share, ..setting })
    };
    let settings: Vec<(String, Setting)> = std::iter::once(0.0).chain(shares).map(setting).collect();
    let named: Vec<(&str, Setting)> = settings.iter().map(|(name, s)| (name.as_str(), s.clone())).collect();
    Ok(vec![by_range(context, &format!("Figure 6: {what}, a tenth removed"), &rest, &named)?])
}

/// SA-only and QI-SA at one range, by a parameter of the target.
fn by_target<'t>(
    context: &ExperimentContext,
    title: &str,
    rows: &Rows,
    range: u32,
    targets: impl Iterator<Item = (String, Target)> + 't,
) -> Result<ResultTable> {
    let mut table = ResultTable::new(title, ["target", "SA-only", "QI-SA"]);
    for (name, target) in targets {
        let error = |scheme| errors(context, rows, &Setting::new(scheme, target.clone()), &[range]);
        let (whole, parts) = (error(Scheme::SaOnly)?, error(Scheme::QiSa)?);
        table.row([name, format!("{:.3}", whole[0]), format!("{:.3}", parts[0])]);
    }
    Ok(table)
}

fn figure_7(context: &ExperimentContext, _: &Progress) -> Result<Vec<ResultTable>> {
    let rows = uniform(context)?;
    let targets = [1, 2, 4, 8, 16].into_iter().map(|r| {
        let deviation = 2048.0 / f64::from(r);
        (format!("r = {r}"), Target::Normal { mean: 2048.0, variance: deviation * deviation })
    });
    let mut table = by_target(context, "Figure 7: uniform on [1024, 3072], normal targets", &rows, 50, targets)?;
    table.note("the standard deviation is range/r; the paper sets the variance to range/r, which for this range leaves almost one value");
    Ok(vec![table])
}

fn zipf_targets() -> impl Iterator<Item = (String, Target)> {
    [0.1, 0.3, 0.5, 0.7, 0.9, 1.1].into_iter().map(|s| (format!("s = {s}"), Target::Zipf { s }))
}

fn figure_8(context: &ExperimentContext, _: &Progress) -> Result<Vec<ResultTable>> {
    let rows = zipf(context, false)?;
    let table = by_target(context, "Figure 8: Zipf with s = 0.1, Zipf targets", &rows, 50, zipf_targets())?;
    Ok(vec![table])
}

fn figure_9(context: &ExperimentContext, _: &Progress) -> Result<Vec<ResultTable>> {
    let rows = zipf(context, true)?;
    let title = "Figure 9: Zipf with s = 0.1, correlated with age, Zipf targets";
    Ok(vec![by_target(context, title, &rows, 50, zipf_targets())?])
}

fn figure_10(context: &ExperimentContext, _: &Progress) -> Result<Vec<ResultTable>> {
    let rows = uniform(context)?;
    let setting = |scheme, arity| Setting { arity, ..Setting::new(scheme, Target::Uniform) };
    let settings = [
        ("SA-only (2)", setting(Scheme::SaOnly, 2)),
        ("SA-only (3)", setting(Scheme::SaOnly, 3)),
        ("QI-SA (2)", setting(Scheme::QiSa, 2)),
        ("QI-SA (3)", setting(Scheme::QiSa, 3)),
    ];
    let table = by_range(context, "Figure 10: uniform on [1024, 3072], uniform target", &rows, &settings)?;
    Ok(vec![table])
}

fn parts(target: &Target) -> Vec<(&'static str, Setting)> {
    let setting = |scheme, parts| Setting { parts, ..Setting::new(scheme, target.clone()) };
    vec![
        ("SA-only-2", setting(Scheme::SaOnly, 2)),
        ("SA-only-10", setting(Scheme::SaOnly, 10)),
        ("QI-SA-2", setting(Scheme::QiSa, 2)),
        ("QI-SA-10", setting(Scheme::QiSa, 10)),
    ]
}

fn figure_11(context: &ExperimentContext, _: &Progress) -> Result<Vec<ResultTable>> {
    let rows = adult(context)?;
    let table = by_range(context, "Figure 11: Adult, parts by age, each its own target", &rows, &parts(&Target::Part))?;
    Ok(vec![table])
}

fn figure_12(context: &ExperimentContext, _: &Progress) -> Result<Vec<ResultTable>> {
    let rows = correlated(context)?;
    let title = "Figure 12: correlated, parts by age, each uniform over its own range";
    let table = by_range(context, title, &rows, &parts(&Target::UniformInPart))?;
    Ok(vec![table])
}

/// The time of both schemes over the number of people: a column that is shown and never kept, and beside it the work done.
fn figure_13(context: &ExperimentContext, _: &Progress) -> Result<Vec<ResultTable>> {
    let mut tables = Vec::new();
    for (name, scheme) in [("SA-only", Scheme::SaOnly), ("QI-SA", Scheme::QiSa)] {
        let mut table = ResultTable::new(format!("Figure 13: {name}"), ["people", "published subdomains", "seconds"]);
        for people in context.settings.wholes("people")? {
            let rows = normal_of(context, people as usize);
            let clock = std::time::Instant::now();
            let subdomains = bench::subdomains(&rows, &Setting::new(scheme, Target::Table))?;
            table.row([people.to_string(), subdomains.to_string(), format!("{:.3}", clock.elapsed().as_secs_f64())]);
        }
        tables.push(table);
    }
    Ok(tables)
}
