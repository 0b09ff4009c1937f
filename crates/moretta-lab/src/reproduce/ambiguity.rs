//! Ambiguity: what is promised of presence and association, and what is reached.

use moretta::internals::progress::Progress;
use moretta::{Policy, Result};

use super::{Experiment, ExperimentContext, ResultTable};
use crate::adult::Adult;

pub(super) const PRIVACY: Experiment = Experiment { name: "ambiguity privacy", run: privacy };

const QI_7: [&str; 7] = ["age", "workclass", "education", "marital_status", "race", "sex", "native_country"];

fn policy(context: &ExperimentContext, rest: &str) -> Result<Policy> {
    context.adult(&Adult::train().with("quasi", &QI_7).with("sensitive", &["occupation"]), rest)
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
