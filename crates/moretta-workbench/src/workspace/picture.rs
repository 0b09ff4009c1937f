//! What was found about a table, as pages show it: kept in the workspace, so that no page reads the table.

use std::path::{Path, PathBuf};

use moretta::{Error, Examined, Result, Source, Type, Value, files};
use serde::{Deserialize, Serialize};

use super::tables::{first_rows, shortened};
use super::{Stamp, TableName, Workspace};

/// The most bars of a plot.
const BARS: usize = 24;

/// The rows that are shown of a table.
const ROWS: usize = 12;

/// The most combinations of columns that are listed.
const COMBINATIONS: usize = 12;

/// A table that was looked at.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Picture {
    pub(crate) stamp: Stamp,
    /// A policy to start from.
    pub(crate) suggested_policy: String,
    pub(crate) rows: u64,
    pub(crate) people: u64,
    pub(crate) incomplete_rows: u64,
    pub(crate) first_rows: Vec<Vec<Option<String>>>,
    pub(crate) columns: Vec<ColumnPicture>,
    /// Columns that tell people apart, the most telling first.
    pub(crate) subsets: Vec<SubsetPicture>,
    /// All suggested quasi-identifiers together.
    pub(crate) all: SubsetPicture,
    pub(crate) mean_risk: f64,
    pub(crate) highest_risk: f64,
    pub(crate) hints: Vec<String>,
}

/// A column.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ColumnPicture {
    pub(crate) name: String,
    pub(crate) kind: Type,
    pub(crate) distinct: u64,
    pub(crate) missing: u64,
    pub(crate) role: String,
    pub(crate) reason: String,
    pub(crate) bins: Vec<Bin>,
    /// Values beyond those in the bins.
    pub(crate) others: u64,
    /// The value that most people have, and how many.
    pub(crate) most_frequent: Option<Bin>,
    /// As mixed as so many equally frequent values.
    pub(crate) mixed_as: f64,
}

/// A bar of a plot.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bin {
    pub(crate) label: String,
    pub(crate) people: u64,
}

/// Some columns, and who is alone by them.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SubsetPicture {
    pub(crate) columns: Vec<String>,
    pub(crate) alone: u64,
    pub(crate) smallest: u64,
}

impl Picture {
    pub(crate) fn of(stamp: Stamp, source: &Source, examined: &Examined) -> Result<Self> {
        let found = examined.inspection();
        let subset = |subset: &moretta::inspection::Subset| SubsetPicture {
            columns: subset.columns.clone(),
            alone: subset.unique,
            smallest: subset.smallest,
        };
        let mut columns = Vec::new();
        for column in &found.columns {
            let (profile, suggestion) = (&column.profile, &column.suggestion);
            let values = examined.values(&profile.name)?;
            let (bins, others) = bins(&values, suggestion.kind);
            columns.push(ColumnPicture {
                name: profile.name.clone(),
                kind: suggestion.kind,
                distinct: profile.distinct,
                missing: profile.missing,
                role: suggestion.role.name().to_owned(),
                reason: suggestion.reason.clone(),
                bins,
                others,
                most_frequent: most_frequent(&values),
                mixed_as: mixed_as(&values),
            });
        }
        Ok(Self {
            suggested_policy: found.suggested_policy(&stamp.table.source),
            first_rows: first_rows(source, ROWS)?,
            stamp,
            rows: found.rows,
            people: found.people,
            incomplete_rows: found.incomplete_rows,
            columns,
            subsets: found.uniqueness.subsets.iter().take(COMBINATIONS).map(subset).collect(),
            all: subset(&found.risk.classes),
            mean_risk: found.risk.mean_risk,
            highest_risk: found.risk.highest_risk,
            hints: found.hints.clone(),
        })
    }

    /// A column by its name.
    pub(crate) fn column(&self, name: &str) -> Option<&ColumnPicture> {
        self.columns.iter().find(|column| column.name == name)
    }
}

impl Workspace {
    /// What was found about a table, if its file is still the same.
    pub(crate) fn picture(&self, table: &TableName) -> Option<Picture> {
        let stamp = self.stamp(table).ok()?;
        let picture: Picture = serde_json::from_slice(&std::fs::read(self.picture_file().ok()?).ok()?).ok()?;
        (picture.stamp == stamp).then_some(picture)
    }

    /// Keeps what was found.
    pub(crate) fn keep_picture(&self, picture: &Picture) -> Result<()> {
        // It has values of the table in it, which may be its owner's alone.
        close_to_others(&self.folder("cache")?);
        let text =
            serde_json::to_string(picture).map_err(|e| Error::bug(format!("a picture can't be written: {e}")))?;
        files::write(self.picture_file()?, &text)
    }

    /// What was found may be deleted at any time.
    fn picture_file(&self) -> Result<PathBuf> {
        self.inside("cache/table.json")
    }
}

/// Lets nobody but its owner look into a folder, where the system knows of owners. One that is somebody else's is theirs to close.
fn close_to_others(folder: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700));
    }
    #[cfg(not(unix))]
    let _ = folder;
}

/// The bars of a plot, and the values that found no room: numbers and dates in equal parts of their range, everything else the most frequent first.
fn bins(values: &[(Value, u64)], kind: Type) -> (Vec<Bin>, u64) {
    let present: Vec<&(Value, u64)> = values.iter().filter(|(value, _)| !value.is_missing()).collect();
    let numbers: Option<Vec<f64>> = present.iter().map(|(value, _)| value.as_number()).collect();
    match numbers {
        Some(numbers) if kind.is_ordered() && present.len() > BARS => (ranges(&present, &numbers, kind), 0),
        _ => {
            let mut order = present.clone();
            if !kind.is_ordered() {
                // A stable sort: of equally frequent values the smaller one stays first.
                order.sort_by_key(|(_, people)| std::cmp::Reverse(*people));
            }
            let bins = order
                .iter()
                .take(BARS)
                .map(|(value, people)| Bin { label: shortened(&value.to_string()), people: *people });
            (bins.collect(), order.len().saturating_sub(BARS) as u64)
        }
    }
}

/// The value that most people have.
fn most_frequent(values: &[(Value, u64)]) -> Option<Bin> {
    let present = values.iter().filter(|(value, _)| !value.is_missing());
    let most = present.max_by_key(|(_, people)| *people)?;
    Some(Bin { label: shortened(&most.0.to_string()), people: most.1 })
}

/// How many equally frequent values are as mixed as these: the exponential of their entropy.
fn mixed_as(values: &[(Value, u64)]) -> f64 {
    let all = values.iter().map(|(_, people)| *people).sum::<u64>().max(1) as f64;
    let shares = values.iter().filter(|(_, people)| *people > 0).map(|(_, people)| *people as f64 / all);
    shares.map(|share| -share * share.ln()).sum::<f64>().exp()
}

fn ranges(values: &[&(Value, u64)], numbers: &[f64], kind: Type) -> Vec<Bin> {
    let (Some(low), Some(high)) = (numbers.first(), numbers.last()) else { return Vec::new() };
    let width = (high - low) / BARS as f64;
    let width = if kind == Type::Number { width } else { width.ceil() };
    let mut bins: Vec<(usize, usize, u64)> = Vec::new();
    let mut last = None;
    for (index, ((_, people), number)) in values.iter().zip(numbers).enumerate() {
        #[expect(clippy::cast_sign_loss, reason = "no number is below the lowest")]
        let bar = (((number - low) / width).floor() as usize).min(BARS - 1);
        while last.is_none_or(|last| last < bar) {
            // A part of the range without a value is an empty bar.
            bins.push((index, index, 0));
            last = Some(last.map_or(0, |last| last + 1));
        }
        if let Some(bin) = bins.last_mut() {
            bin.1 = index;
            bin.2 += people;
        }
    }
    let spelled = |(from, to, people): (usize, usize, u64)| {
        let (from, to) = (values[from].0.to_string(), values[to].0.to_string());
        let label = if people == 0 {
            "no value".to_owned()
        } else if from == to {
            from
        } else {
            format!("{from} to {to}")
        };
        Bin { label, people }
    };
    bins.into_iter().map(spelled).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_person_stands_in_a_bar() {
        let values: Vec<(Value, u64)> =
            (0..1000).filter(|i| !(300..500).contains(i)).map(|i| (Value::Integer(i), 2)).collect();
        let (bars, others) = bins(&values, Type::Integer);
        assert_eq!((bars.iter().map(|bin| bin.people).sum::<u64>(), others), (1600, 0));
        assert!(bars.len() <= BARS && bars.iter().any(|bin| bin.people == 0), "{bars:?}");
        assert_eq!(bars[0].label, "0 to 41");
        let texts: Vec<(Value, u64)> =
            ["a", "b", "c"].into_iter().zip(1..).map(|(text, n)| (Value::Text(text.into()), n)).collect();
        assert_eq!(bins(&texts, Type::Text).0[0], Bin { label: "c".to_owned(), people: 3 });
        assert_eq!(bins(&[(Value::Missing, 3)], Type::Integer), (Vec::new(), 0));
        assert_eq!(most_frequent(&texts), Some(Bin { label: "c".to_owned(), people: 3 }));
        let even = [(Value::Integer(1), 5), (Value::Integer(2), 5)];
        assert!((mixed_as(&even) - 2.0).abs() < 1e-9 && mixed_as(&[]) <= 1.0);
    }
}
