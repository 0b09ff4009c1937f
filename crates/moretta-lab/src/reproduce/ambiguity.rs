//! Ambiguity: what is promised of presence and association, and what is reached.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use moretta::internals::counting::Prepared;
use moretta::internals::planning::OpenRelease;
use moretta::internals::progress::Progress;
use moretta::internals::query::Workload;
use moretta::internals::steward::{Options, publish_and_read};
use moretta::{Error, Policy, Result};

use super::{Experiment, ExperimentContext, ResultTable};
use crate::adult::{self, Adult};

pub(super) const PRIVACY: Experiment = Experiment { name: "ambiguity privacy", run: privacy };

pub(super) const SAME_GROUPS: Experiment = Experiment { name: "ambiguity on the same groups", run: same_groups };

const QI_7: [&str; 7] = ["age", "workclass", "education", "marital_status", "race", "sex", "native_country"];

fn table() -> Adult {
    Adult::train().with("quasi", &QI_7).with("sensitive", &["occupation"])
}

fn policy(context: &ExperimentContext, rest: &str) -> Result<Policy> {
    context.adult(&table(), rest)
}

fn privacy(context: &ExperimentContext, progress: &Progress) -> Result<Vec<ResultTable>> {
    let mut tables = Vec::new();
    for presence in context.settings.texts("presence")? {
        let mut table = ResultTable::new(
            format!("Adult, presence = {presence:?}"),
            ["alpha", "beta", "groups", "mean size", "suppressed", "presence", "combined", "association", "seconds"],
        );
        for alpha in context.settings.numbers("alpha")? {
            for beta in context.settings.numbers("beta")? {
                let rest = format!(
                    "[[require]]\nmodel = \"alpha-beta-privacy\"\nalpha = {alpha}\nbeta = {beta}\npresence = {presence:?}\n\
                     [method]\nname = \"ambiguity\"\n"
                );
                let policy = policy(context, &rest)?;
                let mut row = vec![alpha.to_string(), beta.to_string()];
                match context.publish(&policy, progress) {
                    Err(refusal) => {
                        row.push("refused".to_owned());
                        row.resize(table.columns.len(), "–".to_owned());
                        table.note(format!("alpha = {alpha}, beta = {beta}: {}", refusal.message()));
                    }
                    Ok((report, _)) => {
                        let reached = |key: &str| {
                            let level = report.guarantees[0].achieved.get(key).and_then(serde_json::Value::as_f64);
                            level.map_or("–".to_owned(), |level| format!("{level:.5}"))
                        };
                        row.extend([
                            report.groups.to_string(),
                            format!("{:.1}", report.rows_out as f64 / report.groups as f64),
                            report.suppressed.to_string(),
                            reached("alpha"),
                            reached("combined"),
                            reached("beta"),
                            format!("{:.2}", report.seconds.publish),
                        ]);
                    }
                }
                table.row(row);
            }
        }
        tables.push(table);
    }
    Ok(tables)
}

/// The construction of theorem 6.1: the groups of a generalized table, published by ambiguity.
fn same_groups(context: &ExperimentContext, progress: &Progress) -> Result<Vec<ResultTable>> {
    let seed = context.seed;
    let workload = Workload { dimension: 4, selectivity: 0.05, queries: context.settings.whole("queries")?, seed };
    let mut errors = ResultTable::new(
        "mean relative error on the same groups",
        ["l", "generalization (Mondrian)", "ambiguity", "groups"],
    );
    for l in context.settings.wholes("l")? {
        let require =
            format!("[[require]]\nmodel = \"probabilistic-l-diversity\"\nl = {l}\n[method]\nname = \"mondrian\"\n");
        let generalizing = policy(context, &require)?;
        let out = context.scratch.join(format!("generalized-{l}"));
        let options = Options { out: Some(out.clone()), seed: Some(seed.0), ..Options::default() };
        let (report, generalized) = publish_and_read(&generalizing, &options, progress)?;
        let grouped = with_groups(context, &source(context)?, &out.join("private/map.csv"))?;
        // Every group is published, whatever it tells of presence: the theorem is about what is lost.
        let rest = format!(
            "[[require]]\nmodel = \"alpha-beta-privacy\"\nalpha = 1.0\nbeta = {}\npresence = \"group\"\n[method]\nname = \"ambiguity\"\n",
            1.0 / l as f64
        );
        let given = context.policy(&table().with("group", &["class"]).from_file(grouped).text(&rest))?;
        let (_, ambiguous) = context.publish(&given, progress)?;
        let prepared = Prepared::read(&generalizing, progress)?;
        let original = prepared.original();
        let error = |release: &dyn OpenRelease| {
            workload.compare(release, &original, progress).map(|error| format!("{:.3}", error.mean))
        };
        errors.row([l.to_string(), error(&*generalized)?, error(&*ambiguous)?, report.groups.to_string()]);
    }
    Ok(vec![errors])
}

/// The file that policies on Adult read.
fn source(context: &ExperimentContext) -> Result<PathBuf> {
    match context.settings.whole_if_stated("sample")? {
        Some(_) => Ok(context.scratch.join("sample.csv")),
        None => context.file(adult::FILE),
    }
}

/// The rows that were published, each with its group in a column of its own.
fn with_groups(context: &ExperimentContext, table: &Path, map: &Path) -> Result<PathBuf> {
    let read = |file: &Path| fs::read_to_string(file).map_err(|e| Error::machine("read", file, e));
    let (table, map) = (read(table)?, read(map)?);
    let group_of: BTreeMap<&str, &str> = map.lines().skip(1).filter_map(|line| line.split_once(',')).collect();
    let mut lines = table.lines();
    let mut text = format!("{},class\n", lines.next().unwrap_or_default());
    for (number, line) in (1_usize..).zip(lines) {
        if let Some(group) = group_of.get(number.to_string().as_str()) {
            let _ = writeln!(text, "{line},{group}");
        }
    }
    context.scratch_file("csv", &text)
}
