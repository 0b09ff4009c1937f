//! Koudas, Srivastava, Yu, Zhang 2009: how narrow the bounds of averages are.
//!
//! Every query is `SELECT AVG(capital_loss) WHERE age BETWEEN X AND Y`, 100 random places of a range a point; the error is
//! (upper − lower) / true average. That every bound holds the truth is checked for each of them.

mod bench;
mod data;

use moretta::Result;
use moretta::internals::progress::Progress;

use self::bench::{Scheme, Setting, Target, errors};
use self::data::{Rows, adult, correlated, normal, uniform, without_tenth, zipf};
use super::{Experiment, ExperimentContext, ResultTable};

const PAPER: &str = "distribution";

/// The experiments of the paper.
pub(super) const FIGURES: [Experiment; 8] = [
    entry("5", "error by query range: the steward's group, groups of equal age, and fakes in them", figure_5),
    entry("6", "fakes where the steward's group follows a target that is not quite its own", figure_6),
    entry("7", "normal targets of a uniform attribute", figure_7),
    entry("8", "Zipf targets of a Zipf attribute", figure_8),
    entry("9", "Zipf targets of a Zipf attribute correlated with age", figure_9),
    entry("10", "binary and ternary trees", figure_10),
    entry("11", "2 and 10 parts of the real table, each with its own distribution", figure_11),
    entry("12", "2 and 10 parts of a correlated table, each uniform over its own range", figure_12),
];

const fn entry(
    name: &'static str,
    summary: &'static str,
    run: fn(&ExperimentContext, &Progress) -> Result<Vec<ResultTable>>,
) -> Experiment {
    Experiment { paper: PAPER, name, summary, run }
}

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

fn figure_5(context: &ExperimentContext, _: &Progress) -> Result<Vec<ResultTable>> {
    let plain: Vec<(&str, Setting)> = vec![
        ("SA-only", Setting::new(Scheme::SaOnly, Target::Table)),
        ("QI-SA", Setting::new(Scheme::QiSa, Target::Table)),
        ("QI-SA + 5 %", fakes(Scheme::QiSa, 0.05)),
        ("QI-SA + 10 %", fakes(Scheme::QiSa, 0.10)),
        ("QI-SA + 20 %", fakes(Scheme::QiSa, 0.20)),
    ];
    let mut tables = Vec::new();
    for (what, rows) in [
        ("Adult, capital loss", adult(context)?),
        ("synthetic, no correlation with age", normal(context)),
        ("synthetic, correlated with age", correlated(context)),
    ] {
        tables.push(by_range(context, &format!("Figure 5: {what}"), &rows, &plain)?);
    }
    if let Some(table) = tables.first_mut() {
        table.note(
            "printed: SA-only improves with the range, QI-SA is flat; 5 % fakes help, 20 % hurt on the real table",
        );
    }
    Ok(tables)
}

fn figure_6(context: &ExperimentContext, _: &Progress) -> Result<Vec<ResultTable>> {
    let mut tables = Vec::new();
    for (what, rows, shares) in [
        ("Adult, capital loss", adult(context)?, [0.05, 0.10, 0.20]),
        ("synthetic, no correlation with age", normal(context), [0.01, 0.02, 0.05]),
        ("synthetic, correlated with age", correlated(context), [0.01, 0.02, 0.05]),
    ] {
        let target = Target::Of(rows.counts());
        let rest = without_tenth(context, &rows);
        let settings: Vec<(String, Setting)> = std::iter::once(0.0)
            .chain(shares)
            .map(|share| {
                let setting = Setting::new(Scheme::SaOnly, target.clone());
                (format!("SA-only + {} %", share * 100.0), Setting { fakes: share, ..setting })
            })
            .collect();
        let named: Vec<(&str, Setting)> = settings.iter().map(|(name, s)| (name.as_str(), s.clone())).collect();
        tables.push(by_range(context, &format!("Figure 6: {what}, a tenth removed"), &rest, &named)?);
    }
    Ok(tables)
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
    let rows = uniform(context);
    let targets = [1, 2, 4, 8, 16].into_iter().map(|r| {
        let deviation = 2048.0 / f64::from(r);
        (format!("r = {r}"), Target::Normal { mean: 2048.0, variance: deviation * deviation })
    });
    let mut table = by_target(context, "Figure 7: uniform on [1024, 3072], normal targets", &rows, 50, targets)?;
    table.note("the standard deviation is range/r; the paper sets the variance to range/r, which for this range leaves almost one value");
    table.note("printed: errors grow with r for both");
    Ok(vec![table])
}

fn zipf_targets() -> impl Iterator<Item = (String, Target)> {
    [0.1, 0.3, 0.5, 0.7, 0.9, 1.1].into_iter().map(|s| (format!("s = {s}"), Target::Zipf { s }))
}

fn figure_8(context: &ExperimentContext, _: &Progress) -> Result<Vec<ResultTable>> {
    let rows = zipf(context, false);
    let mut table = by_target(context, "Figure 8: Zipf with s = 0.1, Zipf targets", &rows, 50, zipf_targets())?;
    table.note("printed: best at s = 0.1, the distribution of the data, then growing");
    Ok(vec![table])
}

fn figure_9(context: &ExperimentContext, _: &Progress) -> Result<Vec<ResultTable>> {
    let rows = zipf(context, true);
    let title = "Figure 9: Zipf with s = 0.1, correlated with age, Zipf targets";
    Ok(vec![by_target(context, title, &rows, 50, zipf_targets())?])
}

fn figure_10(context: &ExperimentContext, _: &Progress) -> Result<Vec<ResultTable>> {
    let rows = uniform(context);
    let setting = |scheme, arity| Setting { arity, ..Setting::new(scheme, Target::Uniform) };
    let settings = [
        ("SA-only (2)", setting(Scheme::SaOnly, 2)),
        ("SA-only (3)", setting(Scheme::SaOnly, 3)),
        ("QI-SA (2)", setting(Scheme::QiSa, 2)),
        ("QI-SA (3)", setting(Scheme::QiSa, 3)),
    ];
    let mut table = by_range(context, "Figure 10: uniform on [1024, 3072], uniform target", &rows, &settings)?;
    table.note("printed: binary trees have lower errors than ternary ones");
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
    let mut table =
        by_range(context, "Figure 11: Adult, parts by age, each its own target", &rows, &parts(&Target::Part))?;
    table.note("printed: both schemes improve with the number of parts");
    Ok(vec![table])
}

fn figure_12(context: &ExperimentContext, _: &Progress) -> Result<Vec<ResultTable>> {
    let rows = correlated(context);
    let title = "Figure 12: correlated, parts by age, each uniform over its own range";
    let mut table = by_range(context, title, &rows, &parts(&Target::UniformInPart))?;
    table.note("printed: both schemes improve with the number of parts");
    Ok(vec![table])
}
