//! Random count queries: how far off a release is, as numbers and as a picture.

use std::fmt::Write as _;
use std::str::FromStr;
use std::time::Instant;

use moretta::questions::{RelativeError, Workload};
use moretta::text::{grouped, percent};
use moretta::{Release, Result, Run, Seed, Table};
use serde_json::{Value as Json, json};

/// `dim=4,sel=0.05,queries=1000,seed=7,kind=ranges`
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    workload: Workload,
    groups: bool,
}

impl FromStr for Spec {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let workload = Workload { dimension: 4, selectivity: 0.05, queries: 1000, seed: Seed::from(1) };
        let mut spec = Self { workload, groups: false };
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').ok_or_else(|| format!("{part:?} is not NAME=VALUE"))?;
            let wrong = || format!("{name} can't be {value:?}");
            let workload = &mut spec.workload;
            match name {
                "dim" => workload.dimension = value.parse().map_err(|_| wrong())?,
                "sel" => workload.selectivity = value.parse().map_err(|_| wrong())?,
                "queries" => workload.queries = value.parse().map_err(|_| wrong())?,
                "seed" => workload.seed = value.parse::<u64>().map_err(|_| wrong())?.into(),
                "kind" if value == "ranges" => spec.groups = false,
                "kind" if value == "ambiguity" => spec.groups = true,
                "kind" => return Err(format!("{}: ranges or ambiguity", wrong())),
                _ => return Err(format!("there is no {name:?}: dim, sel, queries, seed, kind")),
            }
        }
        Ok(spec)
    }
}

/// How far off a release is.
pub(super) struct WorkloadReport {
    spec: Spec,
    errors: Vec<f64>,
    summary: RelativeError,
    seconds: (f64, f64),
}

pub(super) fn run(spec: &Spec, release: &Release, original: &Table, run: &Run, load: f64) -> Result<WorkloadReport> {
    let started = Instant::now();
    let errors = release.errors(&spec.workload, spec.groups, original, run)?;
    let seconds = (load, started.elapsed().as_secs_f64());
    Ok(WorkloadReport { spec: *spec, summary: RelativeError::of(errors.clone()), errors, seconds })
}

/// The ends of the bars of the picture; the last has none.
const ENDS: [f64; 9] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, f64::INFINITY];

impl WorkloadReport {
    fn bars(&self) -> [usize; ENDS.len()] {
        let mut bars = [0; ENDS.len()];
        for error in &self.errors {
            bars[ENDS.iter().position(|end| error <= end).unwrap_or(ENDS.len() - 1)] += 1;
        }
        bars
    }

    pub(super) fn to_json(&self) -> Json {
        let Workload { dimension, selectivity, queries, seed } = self.spec.workload;
        let bars = self.bars();
        let bar = |(end, count): (&f64, &usize)| json!({ "to": end.is_finite().then_some(*end), "queries": count });
        json!({
            "workload": {
                "dim": dimension, "sel": selectivity, "queries": queries, "seed": seed.low(),
                "kind": if self.spec.groups { "ambiguity" } else { "ranges" },
            },
            "relative_error": {
                "mean": self.summary.mean, "median": self.summary.median, "p95": self.summary.p95,
                "queries": self.summary.queries,
            },
            "histogram": ENDS.iter().zip(&bars).map(bar).collect::<Vec<_>>(),
            "seconds": { "load": self.seconds.0, "answer": self.seconds.1 },
        })
    }

    pub(super) fn render(&self) -> String {
        const WIDEST: usize = 50;
        let RelativeError { mean, median, p95, queries, .. } = self.summary;
        let mut text = format!(
            "Relative error of the {} among {} count queries whose true count is above 0:\n\n  \
             mean {mean:.4}   median {median:.4}   95 % within {p95:.4}\n\n",
            grouped(queries as u64),
            grouped(self.spec.workload.queries as u64),
        );
        let bars = self.bars();
        let most = bars.iter().copied().max().unwrap_or(0).max(1);
        for (at, (&end, &bar)) in ENDS.iter().zip(&bars).enumerate() {
            let label = if end.is_finite() {
                format!("up to {:>4} %", end * 100.0)
            } else {
                format!("above {:>4} %", ENDS[at - 1] * 100.0)
            };
            let length = (bar * WIDEST).div_ceil(most);
            let share = percent(bar as f64 / queries.max(1) as f64);
            let line = format!("  {label}  {share:>7}  {}", "█".repeat(length));
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}
