//! `moretta reproduce`: the papers' experiments.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use moretta::{Error, Result};
use moretta_lab::reproduce::kept::{self, Moved};
use moretta_lab::reproduce::{Figure, Form, Found, Paper, ResultTable, Runs, find, page};
use moretta_lab::{adult, datasets};
use serde_json::json;

use super::{Outcome, versioned};
use crate::console::{Console, STRONG};
use crate::layout::Table;
use crate::progress::ProgressShown;

/// Do the papers' experiments again, and print our figures
///
/// What each depends on stands in a file of the project, experiments/PAPER/FIGURE.toml. Without a paper, lists the experiments and the files that
/// they need; with --check or --write, takes all of them.
#[derive(Debug, clap::Args)]
pub(crate) struct ReproduceArgs {
    /// The paper; without it, all experiments are listed
    paper: Option<String>,
    /// The figure or question; without it, all of the paper's
    figure: Option<String>,
    /// The quick form: less data, fewer points
    #[arg(long)]
    quick: bool,
    /// Compare with the numbers that the project holds, and pages and verdicts with them; exit status 1 where a digit moved
    #[arg(long)]
    check: bool,
    /// Replace the numbers that the project holds, and make its pages of results from them; the quick form's are replaced as well
    #[arg(long, conflicts_with_all = ["check", "seed"])]
    write: bool,
    /// A folder for finished figures; a run that was interrupted goes on there
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// The folder of the experiments
    #[arg(long, value_name = "DIR", default_value = "experiments")]
    experiments: PathBuf,
    /// The folder of the papers' data; without it, the variable `MORETTA_DATA` or ../shared/data
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// What chance starts from, instead of the seeds that the figure states
    #[arg(long, value_name = "NUMBER", conflicts_with = "check")]
    seed: Option<u64>,
}

/// Where pages of results stand, beside the experiments.
const PAGES: &str = "docs/results";

pub(crate) fn run(options: &ReproduceArgs, console: &Console) -> Result<Outcome> {
    let papers = Paper::all(&options.experiments)?;
    let chosen: Vec<&Figure> = match &options.paper {
        Some(paper) => find(&papers, paper, options.figure.as_deref())?,
        None if options.check || options.write => papers.iter().flat_map(|paper| &paper.figures).collect(),
        None => return list(&papers, console),
    };
    let form = if options.quick { Form::Quick } else { Form::Full };
    let mut forms: Vec<(&Figure, Form)> = Vec::new();
    for figure in chosen {
        // Full numbers stand on quick ones, by which they are seen to be out of date; where both forms are one, one is enough.
        if form == Form::Quick || options.write {
            forms.push((figure, Form::Quick));
        }
        if form == Form::Full && !(options.write && figure.is_quick_anyway()) {
            forms.push((figure, Form::Full));
        }
    }
    let runs = Runs { data: datasets::folder(options.data.as_deref()), keep: options.keep.clone(), seed: options.seed };
    let shown = ProgressShown::start(console);
    let found = runs.run(&forms, &shown.run().progress())?;
    drop(shown);
    let project = options.experiments.parent().unwrap_or(Path::new("")).to_path_buf();
    if options.write {
        return write(&papers, &forms, &found, &project, console);
    }
    if options.check {
        return check(&papers, &forms, &found, &project, console);
    }
    let mut tables = Vec::new();
    for ((figure, _), found) in forms.iter().zip(found) {
        match found {
            Found::Tables(found) => tables.extend(found),
            Found::Lacks(file) => return Err(no_data(&file).about(&figure.title())),
        }
    }
    console.result(|| versioned(json!({ "tables": tables })), || tables.iter().map(render).collect())?;
    Ok(Outcome::Done)
}

fn no_data(file: &Path) -> Error {
    Error::input("the papers' data are not there")
        .at_file(file)
        .help(format!("name their folder with --data, or in the variable MORETTA_DATA. It holds {}", adult::NEEDED))
}

fn write(
    papers: &[Paper],
    forms: &[(&Figure, Form)],
    found: &[Found],
    project: &Path,
    console: &Console,
) -> Result<Outcome> {
    let mut text = String::new();
    let mut written = 0;
    for (&(figure, form), found) in forms.iter().zip(found) {
        match found {
            Found::Tables(tables) => kept::write(figure, form, tables).map(|()| written += 1)?,
            Found::Lacks(file) => {
                _ = writeln!(text, "not written: {}, {} is not there", figure.title(), file.display());
            }
        }
    }
    for page in page::pages(papers, &project.join(PAGES))?.iter().filter(|page| !page.is_current()) {
        page.write()?;
        let _ = writeln!(text, "written: {}", page.file.display());
    }
    let contradictions = page::contradictions(papers, project)?;
    contradictions.iter().for_each(|said| _ = writeln!(text, "{said}"));
    let _ = writeln!(text, "{STRONG}numbers of {written} figures written{STRONG:#}");
    let json = json!({ "written": written, "contradictions": contradictions });
    console.result(|| versioned(json), || text)?;
    Ok(if contradictions.is_empty() { Outcome::Done } else { Outcome::PromiseBroken })
}

fn check(
    papers: &[Paper],
    forms: &[(&Figure, Form)],
    found: &[Found],
    project: &Path,
    console: &Console,
) -> Result<Outcome> {
    let (mut moved, mut unchecked, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    let mut same = 0;
    for (&(figure, form), found) in forms.iter().zip(found) {
        // Where both forms are one, its numbers stand as those of the quick one.
        let kept_form = if figure.is_quick_anyway() { Form::Quick } else { form };
        match (found, kept::read(figure, kept_form)?) {
            (Found::Lacks(file), _) => unchecked.push((figure.title(), file.display().to_string())),
            (_, None) => {
                wrong.push(format!("{}: the project holds no numbers of its {} form", figure.title(), form.name()));
            }
            (Found::Tables(now), Some(held)) => {
                let of_figure = kept::compare(&figure.title(), &held, now);
                same += usize::from(of_figure.is_empty());
                moved.extend(of_figure);
            }
        }
    }
    for page in page::pages(papers, &project.join(PAGES))?.iter().filter(|page| !page.is_current()) {
        wrong.push(format!(
            "{} is not what the numbers say; `moretta reproduce --quick --write` makes it",
            page.file.display()
        ));
    }
    wrong.extend(page::contradictions(papers, project)?);
    let text = || {
        let mut text = String::new();
        for Moved { table, row, column, kept, now } in &moved {
            let _ = writeln!(text, "moved: {table}, row {row:?}, column {column:?}: {kept} is now {now}");
        }
        wrong.iter().for_each(|said| _ = writeln!(text, "{said}"));
        for (figure, file) in &unchecked {
            let _ = writeln!(text, "not checked: {figure}, {file} is not there");
        }
        let _ = writeln!(text, "{STRONG}{same} of {} figures are what the project holds{STRONG:#}", forms.len());
        text
    };
    let cell = |m: &Moved| json!({ "table": m.table, "row": m.row, "column": m.column, "kept": m.kept, "now": m.now });
    let unchecked_names: Vec<&String> = unchecked.iter().map(|(figure, _)| figure).collect();
    let json = || {
        let moved: Vec<_> = moved.iter().map(cell).collect();
        versioned(json!({ "same": same, "moved": moved, "wrong": wrong, "not_checked": unchecked_names }))
    };
    console.result(json, text)?;
    Ok(if moved.is_empty() && wrong.is_empty() { Outcome::Done } else { Outcome::PromiseBroken })
}

fn list(papers: &[Paper], console: &Console) -> Result<Outcome> {
    let mut entries = Vec::new();
    for figure in papers.iter().flat_map(|paper| &paper.figures) {
        entries.push((figure.paper.clone(), figure.name.clone(), figure.declared(Form::Full)?.title));
    }
    let entry = |(paper, figure, title): &(String, String, String)| json!({ "paper": paper, "figure": figure, "summary": title });
    let json = || versioned(json!({ "experiments": entries.iter().map(entry).collect::<Vec<_>>() }));
    let text = || {
        let mut table = Table::new(["paper", "figure", "what it shows"]);
        entries.iter().for_each(|(paper, figure, title)| _ = table.row([paper.as_str(), figure, title]));
        format!(
            "{}\n`moretta reproduce PAPER [FIGURE]` runs them. They need a folder (--data, or the variable MORETTA_DATA) with\n{}.\n",
            table.render(),
            adult::NEEDED
        )
    };
    console.result(json, text)?;
    Ok(Outcome::Done)
}

fn render(results: &ResultTable) -> String {
    let mut table = Table::new(results.columns.clone());
    for row in &results.rows {
        table.row(row.clone());
    }
    let mut text = format!("{STRONG}{}{STRONG:#}\n{}", results.title, table.render());
    for note in &results.notes {
        let _ = writeln!(text, "  {note}");
    }
    text.push('\n');
    text
}
