//! A comparison as others read it: programs, and spreadsheets.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::{Accuracy, Compared, Comparison, PointOutcome};
use crate::audit::KnownProgram;
use crate::utility::Losses;
use crate::utility::privacy_loss::PrivacyLoss;

impl Comparison {
    /// All points as CSV, with a header.
    pub fn to_csv(&self) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let mut csv = "method,model,parameters,p_loss,p_mean,p_median,p_95,p_loss_known_group,p_mean_known_group,u_loss,u_worst,query_error,tree,bayes,densities,belief,belief_known_program,groups,\
                       suppressed,seconds,efficient,refused\n"
            .to_owned();
        for point in &self.points {
            let candidate = &point.candidate;
            let parameters = Json::Object(candidate.parameters()).to_string();
            let _ = write!(csv, "{},{},{}", candidate.method(), quoted(&candidate.model()), quoted(&parameters));
            let _ = match &point.found {
                PointOutcome::Refused(reason) => writeln!(csv, ",,,,,,,,,,,,,,,,,,false,{}", quoted(reason)),
                PointOutcome::Measured(measured) => {
                    let Losses { privacy, known_group, utility, query_error } = &measured.losses;
                    let of_group = |of: fn(&PrivacyLoss) -> f64| {
                        known_group.as_ref().map_or(String::new(), |loss| of(loss).to_string())
                    };
                    let belief = |of: fn(f64, f64) -> f64| match measured.known_program {
                        Some(KnownProgram::Believed { before, after }) => of(before, after).to_string(),
                        _ => String::new(),
                    };
                    let accuracy = |of: fn(&Accuracy) -> Option<f64>| {
                        measured.accuracy.as_ref().and_then(of).map_or(String::new(), |share| share.to_string())
                    };
                    writeln!(
                        csv,
                        ",{},{},{},{},{},{},{},{},{query_error},{},{},{},{},{},{},{},{:.3},{},",
                        privacy.worst,
                        privacy.mean,
                        privacy.median,
                        privacy.p95,
                        of_group(|loss| loss.worst),
                        of_group(|loss| loss.mean),
                        utility.mean,
                        utility.worst,
                        accuracy(|a| Some(a.tree)),
                        accuracy(|a| Some(a.bayes)),
                        accuracy(|a| a.densities),
                        belief(|before, _| before),
                        belief(|_, after| after),
                        measured.groups,
                        measured.suppressed,
                        measured.seconds,
                        point.efficient
                    )
                }
            };
        }
        csv
    }

    /// All points as JSON, with the one that was chosen, if one was.
    pub fn to_json(&self, chosen: Option<usize>) -> Json {
        let over_people = |loss: &PrivacyLoss| json!({ "mean": loss.mean, "median": loss.median, "p95": loss.p95 });
        let losses = |losses: &Losses| {
            json!({
                "p_loss": losses.privacy.worst,
                "p_loss_over_people": over_people(&losses.privacy),
                "p_loss_known_group": losses.known_group.map(|loss| loss.worst),
                "p_loss_known_group_over_people": losses.known_group.as_ref().map(over_people),
                "u_loss": losses.utility.mean,
                "u_loss_worst": losses.utility.worst,
                "query_error": losses.query_error,
            })
        };
        let point = |point: &Compared| {
            let candidate = &point.candidate;
            let mut object = json!({
                "method": candidate.method(),
                "model": candidate.model(),
                "parameters": candidate.parameters(),
                "p_loss": null, "p_loss_known_group": null, "u_loss": null, "query_error": null, "seconds": null,
                "efficient": point.efficient,
            });
            match &point.found {
                PointOutcome::Refused(reason) => object["refused"] = json!(reason),
                PointOutcome::Measured(measured) => {
                    if let (Some(object), Json::Object(fields)) = (object.as_object_mut(), losses(&measured.losses)) {
                        object.extend(fields);
                    }
                    object["seconds"] = json!(measured.seconds);
                    object["groups"] = json!(measured.groups);
                    object["suppressed"] = json!(measured.suppressed);
                    if let Some(accuracy) = &measured.accuracy {
                        object["accuracy"] = json!(accuracy);
                    }
                    if let Some(known) = &measured.known_program {
                        object["known_program"] = json!(known);
                    }
                }
            }
            object
        };
        json!({
            "populations": self.populations,
            "points": self.points.iter().map(point).collect::<Vec<_>>(),
            "knee": self.knee,
            "chosen": chosen,
            "removed": losses(&self.removed),
            "original": losses(&self.published),
            "original_accuracy": self.learned,
        })
    }
}
