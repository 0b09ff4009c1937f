//! A figure or a table of a paper as a file states it: what is run, on which data, with which settings and from which seeds.
//!
//! `experiments/PAPER/FIGURE.toml` pins all that its numbers depend on. Its `[quick]` part states what the quick form changes.

use std::path::{Path, PathBuf};

use moretta::internals::config::Node;
use moretta::internals::words::nearest;
use moretta::{Error, Result};
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::claim::Claim;

/// How much of an experiment is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As the paper did it.
    Full,
    /// On less data and at fewer points, within seconds.
    Quick,
}

impl Form {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Quick => "quick",
        }
    }
}

/// A paper whose claims are put to the test.
#[derive(Clone, Debug)]
pub struct Paper {
    /// Its short name: that of its folder.
    pub name: String,
    /// Author, title, year.
    pub title: String,
    /// Claims that no figure shows, with the tests that do.
    pub claims: Vec<Claim>,
    /// Its figures and tables, in their order.
    pub figures: Vec<Figure>,
}

/// A figure of a paper.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The paper's short name.
    pub paper: String,
    /// The figure's: that of its file.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
    /// What the file states for both forms.
    stated: Json,
    /// What the quick form changes.
    quick: Json,
}

/// What a figure's file states, in one form.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declared {
    /// What it shows.
    pub title: String,
    /// What a reader should know: how we read the paper, where we differ.
    #[serde(default)]
    pub about: String,
    /// What is run: `grid`, or an experiment of the registry.
    pub experiment: String,
    /// Files of data that it can't do without.
    #[serde(default)]
    pub needs: Vec<String>,
    /// What chance starts from; with several, numbers are means.
    pub seeds: Vec<u64>,
    /// What the paper printed.
    #[serde(default)]
    pub printed: Vec<String>,
    /// What the paper says of it, and our verdict.
    #[serde(default, rename = "claim")]
    pub claims: Vec<Claim>,
    /// What an experiment of the registry is run with.
    #[serde(default)]
    pub settings: Map<String, Json>,
    /// What a grid is made of.
    #[serde(default)]
    pub grid: Json,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PaperDeclared {
    title: String,
    #[serde(default, rename = "claim")]
    claims: Vec<Claim>,
}

/// The file that makes a folder a paper's.
const PAPER: &str = "paper.toml";

impl Paper {
    /// All papers of a folder, by name, each with its figures.
    pub fn all(folder: &Path) -> Result<Vec<Self>> {
        if !folder.is_dir() {
            return Err(Error::input("the papers' experiments are not there")
                .at_file(folder)
                .help("run this in the project's folder, or name its experiments with --experiments"));
        }
        let entries = std::fs::read_dir(folder).map_err(|e| Error::machine("read the experiments", folder, e))?;
        let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        folders.retain(|folder| folder.join(PAPER).is_file());
        folders.sort();
        folders.iter().map(|folder| Self::read(folder)).collect()
    }

    fn read(folder: &Path) -> Result<Self> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let declared: PaperDeclared = typed(read(&folder.join(PAPER))?, &folder.join(PAPER))?;
        let entries = std::fs::read_dir(folder).map_err(|e| Error::machine("read the experiments", folder, e))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|e| e == "toml") && !file.ends_with(PAPER));
        let mut figures = files.into_iter().map(|file| Figure::read(&name, file)).collect::<Result<Vec<Figure>>>()?;
        figures.sort_by(|a, b| order(&a.name).partial_cmp(&order(&b.name)).unwrap_or(std::cmp::Ordering::Equal));
        Ok(Self { name, title: declared.title, claims: declared.claims, figures })
    }
}

/// Figures in the order of their numbers, then others by name.
fn order(name: &str) -> (f64, &str) {
    let end = name.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(name.len());
    (name[..end].trim_end_matches('.').parse().unwrap_or(f64::MAX), name)
}

impl Figure {
    fn read(paper: &str, file: PathBuf) -> Result<Self> {
        let mut stated = read(&file)?;
        let quick = stated.as_object_mut().and_then(|top| top.remove("quick")).unwrap_or(Json::Object(Map::new()));
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let figure = Self { paper: paper.to_owned(), name, file, stated, quick };
        // What is wrong in either form is found before anything is run.
        figure.declared(Form::Full)?;
        figure.declared(Form::Quick)?;
        Ok(figure)
    }

    /// What its file states in a form.
    pub fn declared(&self, form: Form) -> Result<Declared> {
        let declared: Declared = typed(self.stated(form), &self.file)?;
        if declared.seeds.is_empty() {
            return Err(Error::input("no seed is stated").at_file(&self.file).help("seeds = [1]"));
        }
        Ok(declared)
    }

    fn stated(&self, form: Form) -> Json {
        let mut stated = self.stated.clone();
        if form == Form::Quick {
            overlay(&mut stated, &self.quick);
        }
        stated
    }

    /// Whether the quick form is the full one.
    pub fn is_quick_anyway(&self) -> bool {
        self.quick.as_object().is_none_or(Map::is_empty)
    }

    /// `PAPER FIGURE`.
    pub fn title(&self) -> String {
        format!("{} {}", self.paper, self.name)
    }

    /// The file beside it that keeps a form's numbers.
    pub fn kept(&self, form: Form) -> PathBuf {
        self.file.with_file_name(format!("{}.{}.tsv", self.name, form.name()))
    }
}

/// The figure of some papers by its name.
pub fn find<'p>(papers: &'p [Paper], paper: &str, figure: Option<&str>) -> Result<Vec<&'p Figure>> {
    let unknown = |what: String, wanted: &str, names: Vec<&str>| {
        let help = nearest(wanted, names.iter().copied())
            .map_or_else(|| format!("there are: {}", names.join(", ")), |near| format!("did you mean `{near}`?"));
        Err(Error::input(what).help(help))
    };
    let Some(found) = papers.iter().find(|known| known.name == paper) else {
        let names = papers.iter().map(|paper| paper.name.as_str()).collect();
        return unknown(format!("there is no paper {paper:?}"), paper, names);
    };
    let Some(wanted) = figure else { return Ok(found.figures.iter().collect()) };
    match found.figures.iter().find(|known| known.name == wanted) {
        Some(figure) => Ok(vec![figure]),
        None => {
            let names = found.figures.iter().map(|figure| figure.name.as_str()).collect();
            unknown(format!("{paper} has no figure {wanted:?}"), wanted, names)
        }
    }
}

/// Sets what `changes` states, table by table.
fn overlay(stated: &mut Json, changes: &Json) {
    match (stated, changes) {
        (Json::Object(stated), Json::Object(changes)) => {
            for (key, change) in changes {
                overlay(stated.entry(key.clone()).or_insert(Json::Null), change);
            }
        }
        (stated, change) => *stated = change.clone(),
    }
}

fn read(file: &Path) -> Result<Json> {
    let text = std::fs::read_to_string(file).map_err(|e| Error::machine("read the experiment", file, e))?;
    Ok(Node::parse(&text, file)?.to_json())
}

/// A tree as what it has to be.
pub(super) fn typed<T: for<'de> Deserialize<'de>>(tree: Json, file: &Path) -> Result<T> {
    serde_json::from_value(tree).map_err(|e| Error::input(e.to_string()).at_file(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_form_changes_what_it_states_and_nothing_else() {
        let mut stated = serde_json::json!({ "a": { "b": 1, "c": [1, 2] }, "d": 3 });
        overlay(&mut stated, &serde_json::json!({ "a": { "c": [1] } }));
        assert_eq!(stated, serde_json::json!({ "a": { "b": 1, "c": [1] }, "d": 3 }));
    }

    #[test]
    fn figures_stand_in_the_order_of_their_numbers() {
        let mut names = ["10", "privacy", "2.4b", "2.4a", "5"];
        names.sort_by(|a, b| order(a).partial_cmp(&order(b)).expect("no number is unknown"));
        assert_eq!(names, ["2.4a", "2.4b", "5", "10", "privacy"]);
    }
}
