//! The ladder of one column: chosen or typed, looked at with the people on each rung, and saved.

use std::fs;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use moretta::text::{counted, grouped};
use moretta::{DateUnit, Error, Examined, HierarchyPreview, HierarchySpec, Result, Side, Type, files};
use serde_json::Value as Json;

use super::form::{Fields, all, field};
use super::layout::Page;
use super::{Answer, go};
use crate::bench::Bench;
use crate::job::{Task, in_words};
use crate::workspace::{AttributeText, PolicyFile};

/// The most labels of a level that are listed, and the most values that start a tree.
const LABELS: usize = 60;
const LEAVES: usize = 2000;

/// What a form says about a ladder.
#[derive(Clone, Debug, Default)]
struct Stated {
    kind: String,
    widths: String,
    cuts: String,
    side: String,
    units: Vec<String>,
    tree: String,
}

/// The column, what the policy says, and its values where the table was read.
struct Subject {
    index: usize,
    policy: PolicyFile,
    attribute: AttributeText,
    examined: Option<Arc<Examined>>,
}

pub(crate) async fn show(State(bench): State<Arc<Bench>>, Path(index): Path<usize>) -> Answer {
    let subject = Subject::find(&bench, index)?;
    let stated = Stated::of_policy(&bench, &subject);
    Ok(page(&bench, &subject, &stated, None))
}

pub(crate) async fn save(
    State(bench): State<Arc<Bench>>,
    Path(index): Path<usize>,
    axum::Form(fields): Fields,
) -> Answer {
    let mut subject = Subject::find(&bench, index)?;
    let stated = Stated::of_form(&fields);
    if field(&fields, "do") != Some("save") {
        return Ok(page(&bench, &subject, &stated, None));
    }
    match store(&bench, &mut subject, &stated) {
        Err(error) => Ok(page(&bench, &subject, &stated, Some(&error))),
        Ok(()) => Ok(go("/hierarchies")),
    }
}

/// The whole tree as a file, for other tools.
pub(crate) async fn export(State(bench): State<Arc<Bench>>, Path(index): Path<usize>) -> Answer {
    let subject = Subject::find(&bench, index)?;
    let stated = Stated::of_policy(&bench, &subject);
    let preview = subject.preview(&stated)?.ok_or_else(|| Error::input("this column has no ladder"))?;
    let disposition = "attachment; filename=\"hierarchy.csv\"";
    Ok((
        [(header::CONTENT_TYPE, "text/csv; charset=utf-8"), (header::CONTENT_DISPOSITION, disposition)],
        csv_of(&preview.rows)?,
    )
        .into_response())
}

/// Checks a ladder against every value and writes it: into the policy, and a tree into a file of its own.
fn store(bench: &Bench, subject: &mut Subject, stated: &Stated) -> Result<()> {
    let preview = subject.preview(stated)?;
    let name = subject.attribute.name.clone();
    let hierarchy = match (stated.kind.as_str(), preview) {
        ("cuts" | "tree", Some(preview)) => {
            bench.workspace.folder("hierarchies")?;
            let stem: String = name.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).collect();
            let file = format!("hierarchies/{stem}.csv");
            files::write(bench.workspace.inside(&file)?, &csv_of(&preview.rows)?)?;
            Some(Json::String(file))
        }
        _ => subject.spec(stated)?.to_json(),
    };
    subject.policy.set_hierarchy(&name, hierarchy.as_ref())?;
    bench.workspace.save_policy(&subject.policy.text())
}

impl Subject {
    fn find(bench: &Bench, index: usize) -> Result<Self> {
        let policy = bench
            .workspace
            .policy()?
            .ok_or_else(|| Error::input("there is no policy yet").help("open a table first"))?;
        let attribute =
            policy.attributes().into_iter().nth(index).ok_or_else(|| Error::input("the policy has no such column"))?;
        let table = policy.source().unwrap_or_default();
        let examined = bench.examined(&bench.workspace.stamp(&table)?);
        if examined.is_none() {
            bench.jobs.ask(Task::Inspect { table });
        }
        Ok(Self { index, policy, attribute, examined })
    }

    fn kind(&self) -> Option<Type> {
        Type::ALL.into_iter().find(|kind| Some(kind.name()) == self.attribute.kind.as_deref())
    }

    fn examined(&self) -> Result<&Examined> {
        self.examined
            .as_deref()
            .ok_or_else(|| Error::input("the table is being read").help("reload the page in a moment"))
    }

    /// What a form states, as the library takes it.
    fn spec(&self, stated: &Stated) -> Result<HierarchySpec> {
        Ok(match stated.kind.as_str() {
            "intervals" => HierarchySpec::Intervals(numbers(&stated.widths)?),
            "cuts" => HierarchySpec::rows(cut(&stated.cuts, &self.examined()?.values(&self.attribute.name)?)?),
            "mask" if stated.side == "left" => HierarchySpec::Mask(Side::Left),
            "mask" => HierarchySpec::Mask(Side::Right),
            "dates" => HierarchySpec::Dates(
                DateUnit::NAMES
                    .iter()
                    .filter(|(name, _)| stated.units.iter().any(|unit| unit == name))
                    .map(|(_, unit)| *unit)
                    .collect(),
            ),
            "tree" => HierarchySpec::rows(rows_of(&stated.tree)?),
            _ => HierarchySpec::Default,
        })
    }

    /// What becomes of the values; nothing where there is no ladder.
    fn preview(&self, stated: &Stated) -> Result<Option<HierarchyPreview>> {
        if stated.kind.is_empty() || stated.kind == "none" {
            return Ok(None);
        }
        self.examined()?.hierarchy(&self.attribute.name, self.kind(), &self.spec(stated)?).map(Some)
    }
}

impl Stated {
    fn of_form(fields: &[(String, String)]) -> Self {
        let text = |name: &str| field(fields, name).unwrap_or_default().to_owned();
        let units = all(fields, "unit").into_iter().map(str::to_owned).collect();
        Self {
            kind: text("kind"),
            widths: text("widths"),
            cuts: text("cuts"),
            side: text("side"),
            units,
            tree: text("tree"),
        }
    }

    /// What the policy says, and in the other fields something to start from.
    fn of_policy(bench: &Bench, subject: &Subject) -> Self {
        let mut stated = Self { kind: "none".to_owned(), side: "right".to_owned(), ..Self::default() };
        let file = match &subject.attribute.hierarchy {
            Some(Json::String(file)) => Some(file.clone()),
            Some(Json::Object(found)) => {
                for (key, value) in found {
                    let items = || {
                        value
                            .as_array()
                            .into_iter()
                            .flatten()
                            .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
                    };
                    match key.as_str() {
                        "intervals" => {
                            (stated.kind, stated.widths) =
                                ("intervals".to_owned(), items().collect::<Vec<_>>().join(", "));
                        }
                        "mask" => {
                            (stated.kind, stated.side) =
                                ("mask".to_owned(), value.as_str().unwrap_or("right").to_owned());
                        }
                        "dates" => (stated.kind, stated.units) = ("dates".to_owned(), items().collect()),
                        "rows" => {
                            let rows: Vec<Vec<String>> = serde_json::from_value(value.clone()).unwrap_or_default();
                            (stated.kind, stated.tree) = ("tree".to_owned(), csv_of(&rows).unwrap_or_default());
                        }
                        _ => {}
                    }
                }
                found.get("file").and_then(Json::as_str).map(str::to_owned)
            }
            _ => None,
        };
        if let Some(text) = file.and_then(|file| fs::read_to_string(bench.workspace.inside(&file).ok()?).ok()) {
            (stated.kind, stated.tree) = ("tree".to_owned(), text);
        }
        if stated.tree.is_empty() {
            let values = subject
                .examined
                .as_ref()
                .and_then(|examined| examined.values(&subject.attribute.name).ok())
                .unwrap_or_default();
            let rows: Vec<Vec<String>> =
                values.iter().take(LEAVES).map(|(value, _)| vec![value.to_string(), "*".to_owned()]).collect();
            stated.tree = csv_of(&rows).unwrap_or_default();
        }
        stated
    }
}

/// Numbers between commas or blanks.
fn numbers(text: &str) -> Result<Vec<f64>> {
    let parts = text.split([',', ';', ' ']).filter(|part| !part.is_empty());
    let read = |part: &str| {
        part.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(|| Error::input(format!("{part:?} is no number")))
    };
    parts.map(read).collect()
}

/// Each value with the parts between cut points that it falls into: a line of cut points for each level, the finest first.
fn cut(text: &str, values: &[(moretta::Value, u64)]) -> Result<Vec<Vec<String>>> {
    let mut levels = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut cuts = numbers(line)?;
        cuts.sort_by(f64::total_cmp);
        cuts.dedup();
        if levels.last().is_some_and(|finer: &Vec<f64>| cuts.iter().any(|cut| !finer.contains(cut))) {
            return Err(Error::input("a coarser level cuts where the finer one does not")
                .help("leave cut points out from line to line, and add none"));
        }
        levels.push(cuts);
    }
    if levels.iter().all(Vec::is_empty) {
        return Err(Error::input("no cut point is stated").help("for example 18, 30, 45, 65"));
    }
    let label = |x: f64, cuts: &[f64]| match cuts.partition_point(|cut| *cut <= x) {
        0 => format!("below {}", cuts[0]),
        above if above == cuts.len() => format!("{} and above", cuts[above - 1]),
        between => format!("from {} to below {}", cuts[between - 1], cuts[between]),
    };
    let row = |value: &moretta::Value| {
        let mut row = vec![value.to_string()];
        match value.as_number() {
            Some(x) => row.extend(levels.iter().filter(|cuts| !cuts.is_empty()).map(|cuts| label(x, cuts))),
            None => row.extend(levels.iter().filter(|cuts| !cuts.is_empty()).map(|_| "missing".to_owned())),
        }
        row.push("*".to_owned());
        row
    };
    Ok(values.iter().map(|(value, _)| row(value)).collect())
}

fn rows_of(text: &str) -> Result<Vec<Vec<String>>> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
    let rows = reader.records().map(|record| record.map(|record| record.iter().map(str::to_owned).collect()));
    rows.collect::<std::result::Result<_, _>>()
        .map_err(|e| Error::input(format!("the tree can't be read: {e}")).help("one line a value: flu,infection,*"))
}

fn csv_of(rows: &[Vec<String>]) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    let failed = |e: csv::Error| Error::bug(format!("a tree can't be written: {e}"));
    rows.iter().try_for_each(|row| writer.write_record(row)).map_err(failed)?;
    let bytes = writer.into_inner().map_err(|e| Error::bug(format!("a tree can't be written: {e}")))?;
    String::from_utf8(bytes).map_err(|e| Error::bug(e.to_string()))
}

fn page(bench: &Arc<Bench>, subject: &Subject, stated: &Stated, wrong: Option<&Error>) -> Response {
    let (index, attribute) = (subject.index, &subject.attribute);
    let found = subject.preview(stated);
    let kind = bench.workspace.picture(&subject.policy.source().unwrap_or_default());
    let kind = kind.as_ref().and_then(|picture| picture.column(&attribute.name)).map(|column| column.kind);
    let option = |name: &str, title: &str, about: &str, more: &Markup| {
        html! {
            div.option {
                label.choice { input type="radio" name="kind" value=(name) checked[stated.kind == name]; span { (title) } }
                p.quiet { (about) }
                (more)
            }
        }
    };
    let number = kind.is_none_or(|kind| matches!(kind, Type::Integer | Type::Number));
    let main = html! {
        p { a href="/hierarchies" { "All ladders" } }
        h1 { "How does " code { (attribute.name) } " become coarser?" }
        @if let Some(error) = wrong.or(found.as_ref().err()) { p.note.is-bad role="alert" { (in_words(error)) } }
        div.pair {
            form #ladder method="post" action={ "/hierarchies/" (index) } {
                fieldset {
                    legend { "Ladder" }
                    (option("none", "None", "Numbers become intervals, dates climb the calendar, other values become sets.", &html! {}))
                    @if number {
                        (option("intervals", "Equal intervals", "Widths, each a multiple of the one before.", &html! {
                            label for="widths" { "Widths" } input #widths name="widths" value=(stated.widths) placeholder="5, 10, 20" inputmode="decimal";
                        }))
                        (option("cuts", "Cut points", "Where one part ends and the next begins. A line for each level, the finest first.", &html! {
                            label for="cuts" { "Cut points" } textarea #cuts name="cuts" rows="3" placeholder="18, 30, 45, 65\n18, 65" { (stated.cuts) }
                            (range(subject))
                        }))
                    }
                    @if kind.is_none_or(|kind| kind == Type::Date) {
                        (option("dates", "Calendar", "From days upwards.", &html! {
                            div.chips { @for (name, _) in DateUnit::NAMES { label.chip { input type="checkbox" name="unit" value=(name) checked[stated.units.iter().any(|unit| unit == name)]; span { (name) } } } }
                        }))
                    }
                    @if kind.is_none_or(|kind| matches!(kind, Type::Text | Type::Integer)) {
                        (option("mask", "Mask", "20015 becomes 2001*, 200**, …", &html! {
                            label for="side" { "From the" } select #side name="side" { option value="right" selected[stated.side != "left"] { "right" } option value="left" selected[stated.side == "left"] { "left" } }
                        }))
                    }
                    (option("tree", "Tree", "One line for each value: the value, its group, a larger group, at last *. Paste one from elsewhere, or edit this.", &html! {
                        label for="tree" { "Tree" } textarea #tree name="tree" rows="10" spellcheck="false" { (stated.tree) }
                    }))
                }
                p.actions { button.quiet name="do" value="look" { "Look" } button name="do" value="save" { "Save" } }
            }
            section aria-live="polite" { (levels(found.as_ref().ok().and_then(Option::as_ref), index)) }
        }
    };
    Page { title: "Ladder", step: "/hierarchies", scripts: &["cuts.js"] }.show(bench, &main)
}

/// The range of the values, for cut points that are dragged.
fn range(subject: &Subject) -> Markup {
    let values = subject
        .examined
        .as_ref()
        .and_then(|examined| examined.values(&subject.attribute.name).ok())
        .unwrap_or_default();
    let mut numbers = values.iter().filter_map(|(value, _)| value.as_number());
    let (low, high) = (numbers.next(), numbers.next_back());
    html! { @if let (Some(low), Some(high)) = (low, high) { div #handles data-low=(low) data-high=(high) {} } }
}

fn levels(preview: Option<&HierarchyPreview>, index: usize) -> Markup {
    let Some(preview) = preview else {
        return html! { p.quiet { "Choose a ladder and look: the people on each rung are shown here." } };
    };
    html! {
        h2 { (counted(preview.levels.len() as u64, "level", "levels")) }
        p { "Every value is covered, and all meet at one root." }
        @for (height, level) in preview.levels.iter().enumerate() {
            @let least = level.labels.iter().map(|(_, people)| *people).min().unwrap_or(0);
            details open[height > 0 && level.labels.len() <= 12] {
                summary { "Level " (height) ": " (counted(level.labels.len() as u64, "label", "labels")) ", the rarest with " (counted(least, "person", "people")) }
                table.small {
                    thead { tr { th scope="col" { "label" } th.n scope="col" { "people" } } }
                    tbody { @for (label, people) in level.labels.iter().take(LABELS) { tr { th scope="row" { (label) } td.n { (grouped(*people)) } } } }
                }
                @if level.labels.len() > LABELS { p.quiet { "and " (grouped((level.labels.len() - LABELS) as u64)) " more" } }
            }
        }
        p { a href={ "/hierarchies/" (index) "/export" } { "Export the saved tree as CSV" } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moretta::Value;
    use serde_json::json;

    #[test]
    fn every_value_falls_between_its_cut_points() {
        let values: Vec<(Value, u64)> = [17, 18, 29, 30, 64, 65, 90].map(|age| (Value::Integer(age), 1)).to_vec();
        let rows = cut("18, 30 65\n65", &values).expect("cut points");
        let labels: Vec<&str> = rows.iter().map(|row| row[1].as_str()).collect();
        assert_eq!(
            labels,
            [
                "below 18",
                "from 18 to below 30",
                "from 18 to below 30",
                "from 30 to below 65",
                "from 30 to below 65",
                "65 and above",
                "65 and above"
            ]
        );
        assert_eq!(rows[0][2..], ["below 65", "*"]);
        assert!(cut("18\n20", &values).is_err() && cut("x", &values).is_err() && cut("\n", &values).is_err());
    }

    #[test]
    fn trees_come_back_as_they_were_written() {
        let rows =
            vec![vec!["a,b".to_owned(), "say \"x\"".to_owned(), "*".to_owned()], vec!["c".to_owned(), "*".to_owned()]];
        assert_eq!(rows_of(&csv_of(&rows).expect("text")).expect("rows"), rows);
        assert_eq!(json!(rows)[1][0], "c");
    }
}
