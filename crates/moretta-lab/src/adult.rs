//! The Adult table: its attributes, and policies on it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The file of the table.
pub const FILE: &str = "adult.csv";

/// What the experiments read, and where it comes from.
pub const NEEDED: &str = "\
adult.csv: the Adult table of the UCI repository (doi:10.24432/C5XW20), adult.data and then adult.test, with a header of these columns: age, workclass, \
fnlwgt, education, education_num, marital_status, occupation, relationship, race, sex, capital_gain, capital_loss, hours_per_week, native_country, income, split. Blanks around values are \
removed, `?` is an empty field, the labels of adult.test lose their dot, and split is train or test. SHA-256 d6362d8cb6d5ececd0b8bffc9db874989768ec3d10f2e9fb0df602f598cafb3f. \
hierarchies/adult_COLUMN.csv: ARX's hierarchies of its columns, a leaf and what it becomes level by level in each line";

/// Its attributes, in the order of its columns.
pub const ATTRIBUTES: [&str; 16] = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
    "native_country",
    "income",
    "split",
];

/// The quasi-identifiers that most papers choose.
pub const QI_6: [&str; 6] = ["age", "workclass", "education", "marital_status", "race", "sex"];

/// A policy on complete rows of Adult, as text. Attributes stand in the order in which they are given a role, and so do the columns
/// of a release; one that is given none is dropped.
///
/// ```
/// use moretta_lab::adult::{Adult, QI_6};
///
/// let policy = Adult::train().with("quasi", &QI_6).with("sensitive", &["occupation"]);
/// let text = policy.text("[[require]]\nmodel = \"k-anonymity\"\nk = 5\n[method]\nname = \"mondrian\"\n");
/// assert!(text.contains("occupation = { role = \"sensitive\" }"));
/// assert!(text.contains("income = { role = \"drop\" }"));
/// ```
#[derive(Clone, Debug)]
pub struct Adult {
    file: PathBuf,
    rows: Option<&'static str>,
    folder: PathBuf,
    roles: Vec<(&'static str, &'static str, Values)>,
}

/// How the values of an attribute can be generalized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Values {
    Plain,
    Hierarchy,
}

impl Adult {
    /// All 45,222 complete rows.
    pub fn all() -> Self {
        Self { file: FILE.into(), rows: None, folder: PathBuf::new(), roles: Vec::new() }
    }

    /// The 30,162 complete rows of the training part.
    pub fn train() -> Self {
        Self { rows: Some("split = 'train'"), ..Self::all() }
    }

    /// The 1,427 complete rows of the training part with a capital loss.
    pub fn capital_losses() -> Self {
        Self { rows: Some("capital_loss > 0 AND split = 'train'"), ..Self::all() }
    }

    /// The same rows from another file of the data.
    #[must_use]
    pub fn from_file(self, file: impl Into<PathBuf>) -> Self {
        Self { file: file.into(), ..self }
    }

    /// States where the data are, for a policy that stands in another folder.
    #[must_use]
    pub fn in_folder(self, folder: &Path) -> Self {
        Self { folder: folder.to_path_buf(), ..self }
    }

    /// Gives attributes a role.
    #[must_use]
    pub fn with(self, role: &'static str, names: &[&'static str]) -> Self {
        self.roles(role, names, Values::Plain)
    }

    /// Gives attributes a role, and the hierarchies that come with the data.
    #[must_use]
    pub fn with_hierarchies(self, role: &'static str, names: &[&'static str]) -> Self {
        self.roles(role, names, Values::Hierarchy)
    }

    fn roles(mut self, role: &'static str, names: &[&'static str], values: Values) -> Self {
        self.roles.extend(names.iter().map(|&name| (name, role, values)));
        self
    }

    /// The policy: the table, its attributes, and `rest`, what is required and the method.
    pub fn text(&self, rest: &str) -> String {
        let mut text = format!("[data]\nsource = {}\nmissing = \"drop-any\"\n", self.path(&self.file));
        if let Some(rows) = self.rows {
            let _ = writeln!(text, "where = \"{rows}\"");
        }
        text += "[attributes]\n";
        let dropped = ATTRIBUTES.into_iter().filter(|name| !self.roles.iter().any(|(given, ..)| given == name));
        let dropped = dropped.map(|name| (name, "drop", Values::Plain));
        self.roles.iter().copied().chain(dropped).for_each(|attribute| text += &self.line(attribute));
        text + rest
    }

    fn line(&self, (name, role, values): (&str, &str, Values)) -> String {
        match values {
            Values::Plain => format!("{name} = {{ role = \"{role}\" }}\n"),
            Values::Hierarchy => {
                let file = self.path(Path::new(&format!("hierarchies/adult_{name}.csv")));
                format!("{name} = {{ role = \"{role}\", hierarchy = {file} }}\n")
            }
        }
    }

    /// A file of the data, quoted.
    fn path(&self, file: &Path) -> String {
        format!("{:?}", self.folder.join(file).display().to_string())
    }
}
