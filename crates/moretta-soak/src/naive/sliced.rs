//! ℓ-diverse slicing: what can be believed of everybody over all buckets that match.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::files::Release;
use super::groups::{Judged, share};
use crate::case::Case;

/// Judges the promise for everybody in the original.
pub fn judge(release: &Release, case: &Case, promised: &Map<String, Json>) -> Option<Judged> {
    let l = share(promised, "l")?.to_f64();
    let table = release.tables.get("sliced")?;
    let bucket_column = table.column("bucket")?;
    let target = release.columns("sensitive");
    let [target] = target.as_slice() else { return None };
    let known = ["quasi", "unclassified"].map(|role| release.columns(role)).concat();
    // A generalized column value stands for several; that is another definition.
    if known.iter().any(|column| column["values"]["meaning"] != "exact") {
        return None;
    }
    let mut slices: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    for column in &known {
        let name = column["name"].as_str()?;
        let own = case.columns.iter().position(|column| column.name == name)?;
        slices.entry(column["slice"].to_string()).or_default().push((table.column(name)?, own));
    }
    let sensitive = table.column(target["name"].as_str()?)?;
    let sensitive_slice = target["slice"].to_string();
    let mut buckets: BTreeMap<&str, Vec<&Vec<String>>> = BTreeMap::new();
    for row in &table.rows {
        buckets.entry(&row[bucket_column]).or_default().push(row);
    }
    let mut worst: f64 = 0.0;
    for (person, _) in case.people() {
        let agrees = |row: &Vec<String>, slice: &[(usize, usize)]| {
            slice.iter().all(|&(at, own)| row[at] == case.rows[person][own].to_string())
        };
        let mut weights = 0.0;
        let mut beliefs: BTreeMap<&str, f64> = BTreeMap::new();
        for rows in buckets.values() {
            let share = |slice: &Vec<(usize, usize)>| {
                rows.iter().filter(|row| agrees(row, slice)).count() as f64 / rows.len() as f64
            };
            let f: f64 = slices.values().map(share).product();
            if f == 0.0 {
                continue;
            }
            weights += f;
            let own = slices.get(&sensitive_slice).cloned().unwrap_or_default();
            let candidates: Vec<&&Vec<String>> = rows.iter().filter(|row| agrees(row, &own)).collect();
            for row in &candidates {
                *beliefs.entry(&row[sensitive]).or_default() += f / candidates.len() as f64;
            }
        }
        if weights == 0.0 {
            return Some(Judged { holds: Some(false), levels: Vec::new(), ratio: f64::INFINITY });
        }
        worst = beliefs.values().map(|belief| belief / weights).fold(worst, f64::max);
    }
    let holds = if (worst * l - 1.0).abs() < 1e-7 { None } else { Some(worst * l < 1.0) };
    Some(Judged { holds, levels: vec![("l", 1.0 / worst)], ratio: worst * l })
}
