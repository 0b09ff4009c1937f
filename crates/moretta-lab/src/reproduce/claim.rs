//! What a paper says, our verdict, and a test of the verdict by the figure's own numbers.

use serde::Deserialize;

use super::ResultTable;

/// A claim of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Where the paper says it.
    pub place: String,
    /// What it says.
    pub says: String,
    /// Whether it is so.
    pub verdict: Verdict,
    /// What is different, or why it is not so.
    #[serde(default)]
    pub why: String,
    /// How the figure's numbers decide it.
    #[serde(default)]
    pub holds: Option<Test>,
    /// Tests that show it, as `FILE` or `FILE: NAME`.
    #[serde(default)]
    pub shown_by: Vec<String>,
}

/// A verdict about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is so.
    Confirmed,
    /// It is so, but not quite, or not everywhere.
    WithDifference,
    /// It is not so.
    NotConfirmed,
    /// Nobody has tried.
    NotTested,
}

impl Verdict {
    /// As the index says it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::WithDifference => "confirmed with a difference",
            Self::NotConfirmed => "**not confirmed**",
            Self::NotTested => "not tested",
        }
    }
}

/// A comparison of columns, counted over rows; or of the rows of a column with each other, counted over steps.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Test {
    /// Only tables whose title contains this.
    pub table: String,
    /// Only rows whose first cell is one of these.
    pub rows: Vec<String>,
    /// Rows are columns and columns rows.
    pub transposed: bool,
    /// This column is lower …
    pub lower: Option<String>,
    /// … than this one.
    pub than: Option<String>,
    /// This column falls from row to row.
    pub falls: Option<String>,
    /// This column rises from row to row.
    pub rises: Option<String>,
    /// This column …
    pub column: Option<String>,
    /// … is below this number.
    pub below: Option<f64>,
    /// … is above this number.
    pub above: Option<f64>,
}

/// In how many of how many cases something holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Cases in which it holds.
    pub holds: usize,
    /// All cases.
    pub of: usize,
}

impl Test {
    /// Counts by some tables.
    pub fn count(&self, tables: &[ResultTable]) -> Counted {
        let mut counted = Counted::default();
        for table in tables.iter().filter(|table| table.title.contains(&self.table)) {
            let table = if self.transposed { table.transposed() } else { table.clone() };
            let column = |name: &Option<String>| -> Option<Vec<f64>> {
                let place = table.columns.iter().position(|column| Some(column) == name.as_ref())?;
                let wanted = |row: &&Vec<String>| self.rows.is_empty() || self.rows.contains(&row[0]);
                Some(table.rows.iter().filter(wanted).map(|row| number(&row[place]).unwrap_or(f64::NAN)).collect())
            };
            let mut count = |holds: bool| {
                counted.of += 1;
                counted.holds += usize::from(holds);
            };
            if let (Some(a), Some(b)) = (column(&self.lower), column(&self.than)) {
                a.iter().zip(&b).filter(|(a, b)| !a.is_nan() && !b.is_nan()).for_each(|(a, b)| count(a < b));
            }
            if let Some(a) = column(&self.falls) {
                a.windows(2).filter(|w| !w[0].is_nan() && !w[1].is_nan()).for_each(|w| count(w[1] < w[0]));
            }
            if let Some(a) = column(&self.rises) {
                a.windows(2).filter(|w| !w[0].is_nan() && !w[1].is_nan()).for_each(|w| count(w[1] > w[0]));
            }
            for x in column(&self.column).into_iter().flatten().filter(|x| !x.is_nan()) {
                count(self.below.is_none_or(|most| x < most) && self.above.is_none_or(|least| x > least));
            }
        }
        counted
    }
}

impl Claim {
    /// What contradicts the verdict, in words: the figure's numbers, if they do.
    pub fn contradiction(&self, tables: &[ResultTable]) -> Option<String> {
        let Counted { holds, of } = self.holds.as_ref()?.count(tables);
        let fits = match self.verdict {
            Verdict::Confirmed => holds == of,
            Verdict::NotConfirmed => holds < of,
            Verdict::WithDifference => true,
            Verdict::NotTested => false,
        };
        let said = self.verdict.words().trim_matches('*');
        match (of, fits) {
            (0, _) => Some(format!("\"{}\": its test finds nothing to compare", self.says)),
            (_, true) => None,
            (_, false) => Some(format!("\"{}\" holds in {holds} of {of} cases, and is called {said}", self.says)),
        }
    }
}

/// The number at the start of a cell, after what is no number, if there is one.
pub(super) fn number(cell: &str) -> Option<f64> {
    let start = cell.find(|c: char| c.is_ascii_digit())?;
    let rest = &cell[start..];
    let whole = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let behind = rest[whole..]
        .strip_prefix('.')
        .map_or(0, |rest| rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
    let end = if behind > 0 { whole + 1 + behind } else { whole };
    let size: f64 = rest[..end].parse().ok()?;
    // Only a sign that begins a word is one: `51-100` has none.
    let before = cell[..start].strip_suffix('-').is_some_and(|before| before.is_empty() || before.ends_with(' '));
    Some(if before { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> ResultTable {
        let mut table = ResultTable::new("errors, k = 2", ["x", "a", "b"]);
        table.row(["1", "0.1 ± 0.2", "0.5"]);
        table.row(["2", "0.3", "0.2"]);
        table.row(["3", "0.4", "refused"]);
        table
    }

    #[test]
    fn verdicts_are_held_against_numbers() {
        let test = Test { lower: Some("a".into()), than: Some("b".into()), ..Test::default() };
        assert_eq!(test.count(&[table()]), Counted { holds: 1, of: 2 });
        let rises = Test { rises: Some("a".into()), ..Test::default() };
        assert_eq!(rises.count(&[table()]), Counted { holds: 2, of: 2 });
        let small = Test { column: Some("b".into()), below: Some(0.3), ..Test::default() };
        assert_eq!(small.count(&[table()]), Counted { holds: 1, of: 2 });
        let across = Test { transposed: true, lower: Some("1".into()), than: Some("3".into()), ..Test::default() };
        assert_eq!(across.count(&[table()]), Counted { holds: 1, of: 1 });
        let claim = |verdict, holds: &Test| Claim {
            place: String::new(),
            says: "a is better".into(),
            verdict,
            why: String::new(),
            holds: Some(holds.clone()),
            shown_by: Vec::new(),
        };
        assert!(claim(Verdict::Confirmed, &test).contradiction(&[table()]).is_some());
        assert!(claim(Verdict::NotConfirmed, &test).contradiction(&[table()]).is_none());
        assert!(claim(Verdict::WithDifference, &test).contradiction(&[table()]).is_none());
        assert!(claim(Verdict::Confirmed, &rises).contradiction(&[table()]).is_none());
        assert!(claim(Verdict::Confirmed, &rises).contradiction(&[]).is_some());
    }

    #[test]
    fn numbers_stand_at_the_start_of_cells() {
        assert_eq!(number("0.25 ± 0.1"), Some(0.25));
        assert_eq!(number("r = 4"), Some(4.0));
        assert_eq!(number("-1.5"), Some(-1.5));
        assert_eq!(number("51-100"), Some(51.0));
        assert_eq!(number("refused"), None);
    }
}
