//! Uncertain k-anonymity: how many records of the same class are expected to fit a density at least as well as its owner.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value as Json};

use super::files::{RawTable, Release};
use super::groups::Judged;
use crate::case::Case;
use crate::cell::Cell;

/// What the complementary error function and the sums over a table may be off by.
const ROUNDING: f64 = 1e-4;

/// Where somebody stands, and the scales of the record.
type Blurred = (Vec<f64>, Vec<f64>);

/// Judges the promise from the files, the original and the map of owners; nothing where densities are turned or k differs by record.
pub fn judge(release: &Release, case: &Case, private: &Path, promised: &Map<String, Json>) -> Option<Judged> {
    let k = promised.get("k")?.as_f64()?;
    let table = release.tables.get("uncertain")?;
    let density = &release.manifest["density"];
    if table.column("axes").is_some() || density["scale"] != "grid" {
        return None;
    }
    let uniform = density["family"] == "uniform";
    let dimensions = density["dimensions"].as_array()?;
    let sensitive: Vec<&str> =
        release.columns("sensitive").iter().filter_map(|column| column["name"].as_str()).collect();
    let centres: Vec<String> =
        dimensions.iter().filter_map(|dimension| Some(format!("z_{}", dimension["name"].as_str()?))).collect();
    let is_class = |name: &String| !centres.contains(name) && !sensitive.contains(&name.as_str());
    let class_columns: Vec<usize> = (0..table.header.len()).filter(|&index| is_class(&table.header[index])).collect();
    let scale_columns = dimensions
        .iter()
        .map(|dimension| table.column(&format!("s_{}", dimension["name"].as_str()?)))
        .collect::<Option<Vec<_>>>()?;
    let map = RawTable::find(private, "map").ok()?;
    let (row_column, record_column) = (map.column("row")?, map.column("record")?);
    let mut classes: BTreeMap<Vec<&str>, Vec<Blurred>> = BTreeMap::new();
    for entry in &map.rows {
        let row = entry[row_column].parse::<usize>().ok()?.checked_sub(1)?;
        let record = table.rows.get(entry[record_column].parse::<usize>().ok()?.checked_sub(1)?)?;
        let place =
            dimensions.iter().map(|dimension| coordinate(case, row, dimension)).collect::<Option<Vec<f64>>>()?;
        let scales = scale_columns.iter().map(|&column| record[column].parse().ok()).collect::<Option<Vec<f64>>>()?;
        let key = class_columns.iter().map(|&column| record[column].as_str()).collect();
        classes.entry(key).or_default().push((place, scales));
    }
    let fits = |a: &[f64], b: &[f64], scales: &[f64]| {
        let apart = a.iter().zip(b).zip(scales).map(|((a, b), scale)| (a - b) / scale);
        if uniform {
            return apart.map(|w| (1.0 - w.abs()).max(0.0)).product::<f64>();
        }
        let distance = apart.map(|w| w * w).sum::<f64>().sqrt();
        if distance == 0.0 { 1.0 } else { erfc(distance / 2.0 / std::f64::consts::SQRT_2) / 2.0 }
    };
    let anonymity = |(place, scales): &(Vec<f64>, Vec<f64>), class: &[(Vec<f64>, Vec<f64>)]| {
        class.iter().map(|(other, _)| fits(place, other, scales)).sum::<f64>()
    };
    let least = classes
        .values()
        .flat_map(|class| class.iter().map(|record| anonymity(record, class)))
        .fold(f64::INFINITY, f64::min);
    let holds = if (least - k).abs() < ROUNDING * k { None } else { Some(least > k) };
    Some(Judged { holds, levels: Vec::new(), ratio: k / least })
}

/// Where a row lies in a dimension: its number, or whether it has the value that the dimension stands for.
fn coordinate(case: &Case, row: usize, dimension: &Json) -> Option<f64> {
    let name = dimension["attribute"].as_str()?;
    let cell: &Cell = &case.rows[row][case.columns.iter().position(|column| column.name == name)?];
    match dimension.get("value").filter(|value| !value.is_null()) {
        Some(value) => Some(f64::from(u8::from(value.as_str()? == cell.to_string()))),
        None => cell.location(),
    }
}

/// The complementary error function of a number that is not negative, to 1.2e-7 of itself.
fn erfc(x: f64) -> f64 {
    let t = 1.0 / (1.0 + x / 2.0);
    let terms = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let sum = terms.iter().rev().fold(0.0, |sum, term| sum * t + term);
    t * (sum - x * x).exp()
}

#[cfg(test)]
mod tests {
    use super::erfc;

    #[test]
    fn the_error_function_is_right_to_six_digits() {
        for (x, wanted) in [(0.0, 1.0), (0.5, 0.479_500_122), (1.0, 0.157_299_207), (2.0, 0.004_677_735)] {
            assert!((erfc(x) - wanted).abs() < 1e-6, "{x}");
        }
    }
}
