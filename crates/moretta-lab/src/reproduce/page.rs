//! Pages of results: what stands between a figure's marks is made from its kept numbers, and the index of claims from its file.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use moretta::{Error, Result};

use super::claim::{Claim, Verdict};
use super::figure::{Figure, Form, Paper};
use super::{ResultTable, kept, picture};

/// A file of the pages, as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageFile {
    /// Where it stands.
    pub file: PathBuf,
    /// What it should hold.
    pub text: String,
}

impl PageFile {
    /// Whether it is as it should be.
    pub fn is_current(&self) -> bool {
        fs::read_to_string(&self.file).is_ok_and(|text| text == self.text)
    }

    /// Makes it so.
    pub fn write(&self) -> Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|e| Error::machine("make a folder", folder, e))?;
        kept::write_text(&self.file, &self.text)
    }
}

const BEGIN: &str = "<!-- moretta reproduce ";
const END: &str = "<!-- end -->";

/// All files of the pages of some papers in a folder: a page for each paper, its plots, and the index.
pub fn pages(papers: &[Paper], folder: &Path) -> Result<Vec<PageFile>> {
    let mut files = Vec::new();
    for paper in papers {
        let file = folder.join(format!("{}.md", paper.name));
        let mut text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(_) => format!("# {}\n", paper.title),
        };
        for figure in &paper.figures {
            let (part, plots) = part(figure)?;
            text = with_part(&text, &figure.title(), &part);
            let plots = plots.into_iter().map(|(name, text)| PageFile { file: folder.join(name), text });
            files.extend(plots);
        }
        files.push(PageFile { file, text });
    }
    files.push(PageFile { file: folder.join("README.md"), text: index(papers)? });
    Ok(files)
}

/// A page with a figure's part between its marks; a page without them gets them at its end.
fn with_part(page: &str, title: &str, part: &str) -> String {
    let begin = format!("{BEGIN}{title} -->\n");
    let part = format!("{begin}{part}{END}\n");
    let found = page.find(&begin).and_then(|start| page[start..].find(END).map(|end| (start, start + end + END.len())));
    match found {
        Some((start, end)) => {
            let rest = page[end..].strip_prefix('\n').unwrap_or(&page[end..]);
            format!("{}{part}{rest}", &page[..start])
        }
        None => format!("{}\n\n{part}", page.trim_end()),
    }
}

/// What a figure's part says, and its plots by their names.
fn part(figure: &Figure) -> Result<(String, Vec<(String, String)>)> {
    let mut plots = Vec::new();
    let Some((form, tables)) = kept::shown(figure)? else {
        return Err(Error::input("there are no numbers of this figure")
            .at_file(&figure.kept(Form::Quick))
            .help(format!("moretta reproduce {} --quick --write", figure.title())));
    };
    let declared = figure.declared(form)?;
    let mut text = format!("### {}\n\n", declared.title);
    let quick = if form == Form::Quick { " --quick" } else { "" };
    let _ = write!(text, "`moretta reproduce {}{quick}`", figure.title());
    let seeds: Vec<String> = declared.seeds.iter().map(ToString::to_string).collect();
    match seeds.as_slice() {
        [one] => _ = write!(text, ", seed {one}"),
        many => _ = write!(text, ", seeds {}: means ± standard errors", many.join(", ")),
    }
    if form == Form::Quick {
        text +=
            ". This is the quick form: less data, fewer points; the full form's settings stand in the figure's file";
    }
    text += ".\n\n";
    if !declared.about.is_empty() {
        let _ = writeln!(text, "{}\n", declared.about.trim());
    }
    for (number, table) in (1..).zip(&tables) {
        // What a table shows, without what the heading has said.
        let own = table.title.strip_prefix(&declared.title).and_then(|rest| rest.strip_prefix(": "));
        if tables.len() > 1 || own.is_some() {
            let _ = writeln!(text, "**{}**\n", capital(own.unwrap_or(&table.title)));
        }
        let _ = writeln!(text, "{}", table.markdown());
        for note in &table.notes {
            let _ = writeln!(text, "- {note}");
        }
        if !table.notes.is_empty() {
            text.push('\n');
        }
        if let Some(svg) = picture::svg(table) {
            let name = format!("{}/{}-{number}.svg", figure.paper, figure.name);
            let _ = writeln!(text, "![{}]({name})\n", table.title.replace(['[', ']'], ""));
            plots.push((name, svg));
        }
    }
    if !declared.printed.is_empty() {
        text += "Printed:\n\n";
        for line in &declared.printed {
            let _ = writeln!(text, "- {line}");
        }
        text.push('\n');
    }
    for claim in &declared.claims {
        let _ = writeln!(text, "- *{}* — {}", claim.says, verdict(claim, &tables));
    }
    if !declared.claims.is_empty() {
        text.push('\n');
    }
    Ok((text, plots))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A verdict with its count and its reason.
fn verdict(claim: &Claim, tables: &[ResultTable]) -> String {
    let mut text = claim.verdict.words().to_owned();
    if let Some(counted) = claim.holds.as_ref().map(|test| test.count(tables)) {
        let _ = write!(text, " ({} of {})", counted.holds, counted.of);
    }
    if !claim.why.is_empty() {
        let _ = write!(text, ": {}", claim.why);
    }
    text
}

/// The index of all claims.
fn index(papers: &[Paper]) -> Result<String> {
    let mut body = String::new();
    let mut counts = [0_usize; 4];
    let (mut figures, mut full) = (0, 0);
    for paper in papers {
        let _ = writeln!(
            body,
            "## {}\n\n| where | what the paper says | verdict | shown by |\n|---|---|---|---|",
            paper.title
        );
        for figure in &paper.figures {
            let (form, tables) = kept::shown(figure)?.unwrap_or((Form::Quick, Vec::new()));
            let quick = if form == Form::Quick { ", quick form" } else { "" };
            figures += 1;
            full += usize::from(form == Form::Full);
            let shown = format!("[`{}`]({}.md){quick}", figure.title(), figure.paper);
            for claim in figure.declared(form)?.claims {
                counts[claim.verdict as usize] += 1;
                row(&mut body, &claim, &verdict(&claim, &tables), &shown);
            }
        }
        for claim in &paper.claims {
            counts[claim.verdict as usize] += 1;
            let shown: Vec<String> = claim.shown_by.iter().map(|place| format!("`{place}`")).collect();
            row(&mut body, claim, &verdict(claim, &[]), &shown.join(", "));
        }
        body.push('\n');
    }
    let all: usize = counts.iter().sum();
    let of = |verdict: Verdict| counts[verdict as usize];
    Ok(format!(
        "# What the papers say, and what came out\n\n\
         {all} claims: {} confirmed, {} confirmed with a difference, {} not confirmed, {} not tested. \
         The numbers in parentheses count the cases in which a claim holds, by the figure's own numbers: confirmed means in all of them.\n\n\
         Of {figures} figures and tables {full} were run in full, as the paper did. The others, which say so in the last column, are shown in their quick \
         form, on less data and at fewer points: their verdicts are about that, and close ones may turn out otherwise in full (`moretta reproduce PAPER FIGURE --write`).\n\n\
         This page and everything between the marks on the other pages are made from the files in `experiments/` by \
         `moretta reproduce --quick --write`; `moretta reproduce --quick --check` runs every figure again in its quick form and fails \
         where a digit moved, where a page is not what the numbers say, or where a verdict contradicts them. Times are never kept.\n\n{body}",
        of(Verdict::Confirmed),
        of(Verdict::WithDifference),
        of(Verdict::NotConfirmed),
        of(Verdict::NotTested),
    ))
}

fn row(text: &mut String, claim: &Claim, verdict: &str, shown: &str) {
    let escaped = |cell: &str| cell.replace('|', "\\|");
    let _ = writeln!(text, "| {} | {} | {} | {shown} |", escaped(&claim.place), escaped(&claim.says), escaped(verdict));
}

/// What is wrong with the claims of some papers: verdicts that their numbers contradict, and tests that are not there.
pub fn contradictions(papers: &[Paper], project: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for paper in papers {
        for figure in &paper.figures {
            let Some((form, tables)) = kept::shown(figure)? else { continue };
            for claim in figure.declared(form)?.claims {
                found.extend(claim.contradiction(&tables).map(|said| format!("{}: {said}", figure.title())));
            }
            if kept::is_full_older(figure)? {
                found.push(format!(
                    "{0}: its full numbers were made by a program that gave other quick ones; make them again: moretta reproduce {0} --write",
                    figure.title()
                ));
            }
        }
        for claim in &paper.claims {
            let test_of_figure =
                claim.holds.is_some().then(|| "has a test of numbers, and no figure has it".to_owned());
            let nothing = (claim.shown_by.is_empty() && claim.verdict != Verdict::NotTested)
                .then(|| "is shown by nothing".to_owned());
            let missing = claim.shown_by.iter().filter_map(|place| missing(place, project));
            let wrong = test_of_figure.into_iter().chain(nothing).chain(missing);
            found.extend(wrong.map(|why| format!("{}: \"{}\" {why}", paper.name, claim.says)));
        }
    }
    Ok(found)
}

/// Why a claim's `FILE: NAME` shows nothing.
fn missing(place: &str, project: &Path) -> Option<String> {
    let (file, name) = place.split_once(": ").map_or((place, None), |(file, name)| (file, Some(name)));
    let Ok(text) = fs::read_to_string(project.join(file)) else {
        return Some(format!("names {file}, which is not there"));
    };
    let name = name.filter(|name| !text.contains(&format!("fn {name}(")))?;
    Some(format!("names {name}, which {file} does not have"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_put_between_its_marks_and_nowhere_else() {
        let page = "# Title\n\nbefore\n\n<!-- moretta reproduce p 1 -->\nold\n<!-- end -->\n\nafter\n";
        let new = with_part(page, "p 1", "new\n");
        assert_eq!(new, page.replace("old", "new"));
        assert_eq!(with_part(&new, "p 1", "new\n"), new);
        let added = with_part(&new, "p 10", "ten\n");
        assert!(added.starts_with(&new[..new.len() - 1]), "{added}");
        assert!(added.ends_with("<!-- moretta reproduce p 10 -->\nten\n<!-- end -->\n"), "{added}");
        assert_eq!(with_part(&added, "p 10", "ten\n"), added);
    }

    #[test]
    fn pages_say_what_the_numbers_say_and_no_verdict_contradicts_them() {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = project.join("experiments");
        if !folder.is_dir() {
            return;
        }
        let papers = Paper::all(&folder).expect("the papers' experiments");
        let pages = pages(&papers, &project.join("docs/results")).expect("the pages of results");
        let old: Vec<_> = pages.iter().filter(|page| !page.is_current()).map(|page| page.file.display()).collect();
        assert!(old.is_empty(), "`moretta reproduce --quick --write` makes them anew: {old:?}");
        let said = contradictions(&papers, &project).expect("claims");
        assert!(said.is_empty(), "{}", said.join("\n"));
        let claims = |paper: &Paper| {
            let of_figures = paper.figures.iter().map(|f| f.declared(Form::Full).map_or(0, |d| d.claims.len()));
            paper.claims.len() + of_figures.sum::<usize>()
        };
        assert!(papers.len() == 8 && papers.iter().map(claims).sum::<usize>() >= 100);
    }

    #[test]
    fn a_test_that_is_not_there_shows_nothing() {
        let project = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(missing("src/reproduce/page.rs: a_test_that_is_not_there_shows_nothing", project), None);
        assert_eq!(missing("src/reproduce/page.rs", project), None);
        assert!(missing("src/reproduce/page.rs: no_such_test", project).is_some());
        assert!(missing("src/nothing.rs", project).is_some());
    }
}
