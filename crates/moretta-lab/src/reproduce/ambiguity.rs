//! Ambiguity, section 8: what it costs, beside generalization and anatomy at the same β.

use moretta::internals::counting::Prepared;
use moretta::internals::progress::Progress;
use moretta::internals::query::Workload;
use moretta::{Policy, Result};

use super::{Experiment, ExperimentContext, ResultTable};
use crate::adult::Adult;

pub(super) const ERRORS: Experiment = Experiment {
    paper: "ambiguity",
    name: "errors",
    summary: "figures 8 and 9: query error of generalization, anatomy and ambiguity at the same beta (Adult)",
    run: errors,
};

pub(super) const PRIVACY: Experiment = Experiment {
    paper: "ambiguity",
    name: "privacy",
    summary: "presence reached, people suppressed and time for each alpha and beta, group and combined (Adult)",
    run: privacy,
};

const QI_7: [&str; 7] = ["age", "workclass", "education", "marital_status", "race", "sex", "native_country"];

fn policy(context: &ExperimentContext, rest: &str) -> Result<Policy> {
    context.adult(&Adult::train().with("quasi", &QI_7).with("sensitive", &["occupation"]), rest)
}

fn errors(context: &ExperimentContext, progress: &Progress) -> Result<Vec<ResultTable>> {
    let mut tables = Vec::new();
    for (beta, l) in [(0.15, 7), (0.2, 5), (0.25, 4)] {
        let diverse = format!("[[require]]\nmodel = \"probabilistic-l-diversity\"\nl = {l}\n[method]\n");
        let hidden = format!(
            "[[require]]\nmodel = \"alpha-beta-privacy\"\nalpha = 0.05\nbeta = {beta}\npresence = \"group\"\n\
             [method]\nname = \"ambiguity\"\n"
        );
        let methods = [
            ("generalization", format!("{diverse}name = \"least-loss\"\n")),
            ("anatomy", format!("{diverse}name = \"anatomy\"\n")),
            ("bucketized mondrian", format!("{diverse}name = \"mondrian\"\nrecoding = \"bucketize\"\n")),
            ("ambiguity", hidden),
        ];
        let mut table = ResultTable::new(
            format!("Mean (median) relative error of 1,000 count queries, beta = {beta}"),
            ["selectivity", "attributes"].into_iter().chain(methods.iter().map(|(name, _)| *name)),
        );
        let mut releases = Vec::new();
        for (_, rest) in &methods {
            releases.push(context.publish(&policy(context, rest)?, progress)?.1);
        }
        let counted = Prepared::read(&policy(context, &methods[0].1)?, progress)?;
        let original = counted.original();
        for selectivity in [0.01, 0.05, 0.1] {
            for dimension in [3, 4, 5] {
                let workload = Workload { dimension, selectivity, queries: 1000, seed: context.seed };
                let mut row = vec![format!("{selectivity}"), dimension.to_string()];
                for release in &releases {
                    let error = workload.compare(&**release, &original, progress)?;
                    row.push(format!("{:.3} ({:.3})", error.mean, error.median));
                }
                table.row(row);
            }
        }
        tables.push(table);
    }
    Ok(tables)
}

fn privacy(context: &ExperimentContext, progress: &Progress) -> Result<Vec<ResultTable>> {
    let mut tables = Vec::new();
    for presence in ["group", "combined"] {
        let mut table = ResultTable::new(
            format!("Adult, presence = {presence:?}"),
            ["alpha", "beta", "groups", "mean size", "suppressed", "presence", "combined", "association", "seconds"],
        );
        for alpha in [0.01, 0.05, 0.1, 0.2] {
            for beta in [0.1, 0.15, 0.2, 0.25] {
                let rest = format!(
                    "[[require]]\nmodel = \"alpha-beta-privacy\"\nalpha = {alpha}\nbeta = {beta}\npresence = {presence:?}\n\
                     [method]\nname = \"ambiguity\"\n"
                );
                let policy = policy(context, &rest)?;
                let mut row = vec![alpha.to_string(), beta.to_string()];
                match context.publish(&policy, progress) {
                    Err(refusal) => {
                        row.push("refused".to_owned());
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
