//! A case: a table and a policy, as data that can be made smaller, and as the files that a person would write.

use std::fmt::Write as _;
use std::path::Path;

use crate::cell::{Cell, CellType};

/// How the values of an attribute are generalized.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// Not stated.
    None,
    /// A file: each leaf with its ancestors.
    File(Vec<Vec<String>>),
    /// `{ intervals = […] }`, as written.
    Intervals(String),
    /// `intervals = "free"`.
    Free,
    /// `{ mask = … }`: from the right, or from the left.
    Mask(bool),
    /// `{ balanced = … }`.
    Balanced(usize),
    /// `{ dates = […] }`, as written.
    Dates(String),
}

/// A column of the table.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: CellType,
    /// Its role, by the name of the policy.
    pub role: &'static str,
    /// Its hierarchy.
    pub tree: Tree,
    /// Its values by category, the most sensitive first.
    pub categories: Vec<Vec<String>>,
    /// How far it may be generalized and how much that matters: keys and values, as written.
    pub limits: Vec<(&'static str, &'static str)>,
}

/// A model or a method with its parameters, as written in TOML.
#[derive(Clone, Debug)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Its keys and values.
    pub settings: Vec<(String, String)>,
}

/// A table and a policy.
#[derive(Clone, Debug)]
pub struct Case {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
    /// What is done with rows that lack a value.
    pub missing: &'static str,
    /// How a missing value is spelled.
    pub spelled: &'static str,
    /// What is promised.
    pub promises: Vec<Named>,
    /// How the release is made.
    pub method: Named,
    /// What attacks may reach at most: a key of `[accept]` and its limit.
    pub accept: Option<(&'static str, &'static str)>,
    /// The format of the released tables.
    pub format: &'static str,
    /// What the chance of the release starts from.
    pub seed: u64,
}

impl Named {
    /// A setting, as written.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.settings.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    fn write(&self, text: &mut String, key: &str) {
        let _ = writeln!(text, "{key} = {:?}", self.name);
        for (key, value) in &self.settings {
            let _ = writeln!(text, "{key} = {value}");
        }
    }
}

impl Case {
    /// The indices of the columns of a role.
    pub fn with_role(&self, role: &str) -> Vec<usize> {
        (0..self.columns.len()).filter(|&index| self.columns[index].role == role).collect()
    }

    /// The rows that are published: `missing` and weights of 0 leave out the others. Each with its index and its people.
    pub fn people(&self) -> Vec<(usize, u64)> {
        let weight = self.with_role("weight").first().copied();
        let used = |index: &usize| !matches!(self.columns[*index].role, "identifier" | "drop");
        let in_use: Vec<usize> = (0..self.columns.len()).filter(used).collect();
        let all: Vec<usize> = (0..self.columns.len()).collect();
        let needed = match self.missing {
            "drop" => in_use.as_slice(),
            "drop-any" => all.as_slice(),
            _ => &[],
        };
        let kept = |row: &&(usize, &Vec<Cell>)| needed.iter().all(|&index| !row.1[index].is_missing());
        let people = |(index, row): (usize, &Vec<Cell>)| match weight.map(|column| &row[column]) {
            Some(Cell::Whole(people)) => (index, u64::try_from(*people).unwrap_or(0)),
            _ => (index, 1),
        };
        self.rows.iter().enumerate().filter(|row| kept(&row)).map(people).filter(|&(_, people)| people > 0).collect()
    }

    /// Whether some attribute has a limit of this name.
    pub fn limits(&self, key: &str) -> bool {
        self.columns.iter().flat_map(|column| &column.limits).any(|(name, _)| *name == key)
    }

    /// Whether a column counts from 0 or 1 to the number of people, each of twenty or more having a number of its own.
    pub fn numbers_the_rows(&self, column: usize) -> bool {
        let mut numbers: Vec<&Cell> = self.people().iter().map(|&(row, _)| &self.rows[row][column]).collect();
        numbers.sort();
        let counts = |first: i64| numbers.iter().zip(first..).all(|(cell, number)| **cell == Cell::Whole(number));
        numbers.len() >= 20 && (counts(0) || counts(1))
    }

    /// Whether an identifier occurs in two of the rows that are published: then rows are no people, and nothing may be published.
    pub fn repeats_an_identifier(&self) -> bool {
        let people = self.people();
        self.with_role("identifier").into_iter().any(|column| {
            let mut seen = std::collections::BTreeSet::new();
            let mut names = people.iter().map(|&(row, _)| &self.rows[row][column]).filter(|cell| !cell.is_missing());
            !names.all(|cell| seen.insert(cell))
        })
    }

    /// The policy.
    pub fn policy(&self) -> String {
        let mut text = format!("[data]\nsource = \"table.csv\"\nmissing = {:?}\n", self.missing);
        if !self.spelled.is_empty() {
            let _ = writeln!(text, "missing_values = [{:?}]", self.spelled);
        }
        text.push_str("\n[attributes]\n");
        for column in &self.columns {
            let _ = write!(text, "{} = {{ role = {:?}, type = {:?}", column.name, column.role, column.kind.name());
            match &column.tree {
                Tree::None => {}
                Tree::File(_) => {
                    let _ = write!(text, ", hierarchy = \"{}.csv\"", column.name);
                }
                Tree::Intervals(widths) => {
                    let _ = write!(text, ", hierarchy = {{ intervals = {widths} }}");
                }
                Tree::Free => text.push_str(", intervals = \"free\""),
                Tree::Mask(right) => {
                    let _ = write!(text, ", hierarchy = {{ mask = {:?} }}", if *right { "right" } else { "left" });
                }
                Tree::Balanced(arity) => {
                    let _ = write!(text, ", hierarchy = {{ balanced = {arity} }}");
                }
                Tree::Dates(units) => {
                    let _ = write!(text, ", hierarchy = {{ dates = {units} }}");
                }
            }
            if !column.categories.is_empty() {
                let _ = write!(text, ", categories = {:?}", column.categories);
            }
            for (key, value) in &column.limits {
                let _ = write!(text, ", {key} = {value}");
            }
            text.push_str(" }\n");
        }
        for promise in &self.promises {
            text.push_str("\n[[require]]\n");
            promise.write(&mut text, "model");
        }
        text.push_str("\n[method]\n");
        self.method.write(&mut text, "name");
        let _ = writeln!(text, "\n[output]\nformat = {:?}", self.format);
        if let Some((key, limit)) = self.accept {
            let _ = writeln!(text, "\n[accept]\n{key} = {limit}");
        }
        text
    }

    /// The table.
    pub fn table(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let spell = |cell: &Cell| if cell.is_missing() { self.spelled.to_owned() } else { cell.to_string() };
        // Writing into memory can't fail.
        let _ = writer.write_record(self.columns.iter().map(|column| &column.name));
        for row in &self.rows {
            let _ = writer.write_record(row.iter().map(spell));
        }
        writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
    }

    /// Writes the files that a person would publish from.
    pub fn save(&self, folder: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("policy.toml"), self.policy())?;
        std::fs::write(folder.join("table.csv"), self.table())?;
        for column in &self.columns {
            if let Tree::File(paths) = &column.tree {
                let mut writer =
                    csv::WriterBuilder::new().flexible(true).from_path(folder.join(format!("{}.csv", column.name)))?;
                for path in paths {
                    writer.write_record(path)?;
                }
                writer.flush()?;
            }
        }
        Ok(())
    }
}
