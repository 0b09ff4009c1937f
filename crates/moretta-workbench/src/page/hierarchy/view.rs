//! The page of a ladder: its kinds, the tree that can be edited, and the people on each rung.

use std::sync::Arc;

use axum::response::Response;
use maud::{Markup, html};
use moretta::text::{counted, grouped};
use moretta::{CodeSystem, DateUnit, Error, HierarchyPreview, Type};

use super::stated::{Stated, rows_of};
use super::tree::{Shown, Tree};
use super::{LEAVES, Subject};
use crate::bench::{Bench, Values};
use crate::job::in_words;
use crate::page::form::about_table;
use crate::page::layout::Page;
use crate::page::{hierarchies, plot};
use crate::workspace::ColumnPicture;

/// The most labels of a level that are listed.
const LABELS: usize = 60;

/// The most values of a tree that are shown one by one.
const MOST_SHOWN: usize = 500;

/// A kind of ladder: its key, its name, what it does, for which values.
struct Kind {
    key: &'static str,
    title: &'static str,
    about: &'static str,
    fits: fn(Type) -> bool,
}

fn numbers(kind: Type) -> bool {
    matches!(kind, Type::Integer | Type::Number)
}

const fn kind(key: &'static str, title: &'static str, about: &'static str, fits: fn(Type) -> bool) -> Kind {
    Kind { key, title, about, fits }
}

const KINDS: [Kind; 11] = [
    kind("none", "None", "Numbers become intervals, dates climb the calendar, other values become sets.", |_| true),
    kind("intervals", "Equal intervals", "Widths, each a multiple of the one before.", numbers),
    kind(
        "cuts",
        "Cut points",
        "Where one part ends and the next begins. A line for each level, the finest first.",
        |kind| numbers(kind) || kind == Type::Date,
    ),
    kind(
        "ends",
        "Ends taken together",
        "The few who are very young or very old, while all others stay as they are.",
        numbers,
    ),
    kind("round", "Rounded", "To multiples of a number.", numbers),
    kind("dates", "Calendar", "From days or hours upwards.", Type::is_time),
    kind("mask", "Mask", "20015 becomes 2001*, 200**, …", |kind| !numbers(kind) || kind == Type::Integer),
    kind("prefixes", "Beginnings of codes", "The lengths that stay, longer ones first.", |kind| !kind.is_time()),
    kind("codes", "A known classification", "Its codes say by themselves what they belong to.", |kind| !numbers(kind)),
    kind("frequency", "Rare values together", "Until each label stands for so many people, level by level.", |_| true),
    kind("tree", "Tree", "Groups of your own, and groups of these.", |_| true),
];

pub(super) fn page(bench: &Arc<Bench>, subject: &Subject, stated: &Stated, wrong: Option<&Error>) -> Response {
    let (index, attribute) = (subject.index, &subject.attribute);
    let found = subject.preview(stated);
    let picture = bench.workspace.picture(&subject.policy.table().unwrap_or_default());
    let column = picture.as_ref().and_then(|picture| picture.column(&attribute.name));
    let type_of = subject.kind().or_else(|| column.map(|column| column.kind));
    let main = html! {
        p { a href="/hierarchies" { "All ladders" } }
        h1 { "How does " code { (attribute.name) } " become coarser?" }
        @if let Some(error) = wrong { p.note.is-bad role="alert" { (in_words(error)) } }
        @if let Values::Coming(job) | Values::Failed(job) = &subject.values { p.note { "A ladder needs the values of the table. " a href={ "/jobs/" (job.id) } { (job.task.title()) } } }
        div.pair.is-uneven {
            form #ladder method="post" action={ "/hierarchies/" (index) } {
                (meant(subject))
                fieldset {
                    legend { "Ladder" }
                    @for kind in KINDS.iter().filter(|kind| type_of.is_none_or(kind.fits) || kind.key == stated.kind) {
                        (option(kind, stated, &fields(kind.key, stated, subject, column)))
                    }
                    @if stated.kind == "stated" || stated.kind == "free" {
                        (option(&Kind { key: if stated.kind == "free" { "free" } else { "stated" }, title: "As the policy states it", about: "", fits: |_| true }, stated,
                            &html! { p { (hierarchies::in_words(attribute.hierarchy.as_ref())) } }))
                    }
                }
                p.actions {
                    button name="do" value="save" { "Save" }
                    button.quiet name="do" value="look" { "Look" }
                    @if !matches!(stated.kind.as_str(), "tree" | "none" | "free") { button.quiet name="do" value="tree" { "Edit as a tree" } }
                }
                @if stated.kind == "tree" { (tree(index, stated)) }
            }
            div {
                section #levels aria-live="polite" {
                    @match &found {
                        Err(error) => p.note.is-bad { (in_words(error)) },
                        Ok(preview) => (levels(preview.as_ref())),
                    }
                }
                (exchange(subject, found.is_ok_and(|preview| preview.is_some())))
            }
        }
    };
    Page { title: "Ladder", step: "/hierarchies", scripts: &["ladder.js"] }.show(bench, &main)
}

fn option(kind: &Kind, stated: &Stated, fields: &Markup) -> Markup {
    html! {
        div.option {
            label.choice { input type="radio" name="kind" value=(kind.key) checked[stated.kind == kind.key]; span { (kind.title) } }
            p.quiet { (kind.about) }
            div.fields { (fields) }
        }
    }
}

/// What a kind of ladder asks for.
fn fields(key: &str, stated: &Stated, subject: &Subject, column: Option<&ColumnPicture>) -> Markup {
    let text = |name: &str, title: &str, value: &str, example: &str| {
        html! { label for=(name) { (title) } input id=(name) name=(name) value=(value) placeholder=(example) inputmode="decimal" autocomplete="off"; }
    };
    let are_days = subject.kind().or_else(|| column.map(|column| column.kind)) == Some(Type::Date);
    match key {
        "intervals" => text("widths", "Widths", &stated.widths, "5, 10, 20"),
        "cuts" => html! {
            label for="cuts" { "Cut points" } textarea.mono #cuts name="cuts" rows="3" placeholder=(if are_days { "2023-04-01, 2023-07-01\n2023-07-01" } else { "18, 30, 45, 65\n18, 65" }) { (stated.cuts) }
            @if let Some(column) = column { div.under-handles { (plot::bars(&column.name, &column.bins)) } }
            (handles(subject, are_days))
        },
        "ends" => {
            html! { div.row { div { (text("bottom", "All below", &stated.bottom, "18")) } div { (text("top", "All from … on", &stated.top, "90")) } } }
        }
        "round" => text("unit", "Multiples of", &stated.unit, "100"),
        "dates" => html! {
            div.chips { @for (name, _) in DateUnit::NAMES { label.chip { input type="checkbox" name="units" value=(name) checked[stated.units.iter().any(|unit| unit == name)]; span { (name) } } } }
        },
        "mask" => html! {
            label for="side" { "From the" }
            select #side name="side" { option value="right" selected[stated.side != "left"] { "right" } option value="left" selected[stated.side == "left"] { "left" } }
        },
        "prefixes" => text("lengths", "Lengths", &stated.lengths, "3, 1"),
        "codes" => html! {
            label for="system" { "Classification" }
            select #system name="system" { @for (name, _) in CodeSystem::NAMES { option value=(name) selected[stated.system == name] { (name) } } }
        },
        "frequency" => html! {
            (text("people", "People", &stated.people, "20, 100"))
            label.choice { input type="checkbox" name="sets" value="true" checked[stated.sets]; span { "Only for methods that need a ladder; others publish sets of values" } }
        },
        // A tree that is shown group by group stands as text there.
        "tree" if stated.kind != "tree" => {
            html! { textarea.mono.unseen name="tree" hidden aria-hidden="true" { (stated.tree) } }
        }
        _ => html! {},
    }
}

/// The range of the values, for cut points that are dragged; of days since 1970-01-01 where they are days.
fn handles(subject: &Subject, are_days: bool) -> Markup {
    let values = subject.examined().and_then(|examined| examined.values(&subject.attribute.name)).unwrap_or_default();
    let mut numbers = values.iter().filter_map(|(value, _)| value.as_number());
    let (low, high) = (numbers.next(), numbers.next_back());
    let are_whole = values.iter().filter_map(|(value, _)| value.as_number()).all(|x| x.fract().abs() <= 0.0);
    html! { @if let (Some(low), Some(high)) = (low, high) { div #handles data-low=(low) data-high=(high) data-whole=[are_whole.then_some("")] data-days=[are_days.then_some("")] {} } }
}

/// The tree group by group, and as text.
fn tree(index: usize, stated: &Stated) -> Markup {
    let read = rows_of(&stated.tree).and_then(|rows| Tree::of_rows(&rows));
    let edit = format!("/hierarchies/{index}#edit");
    html! {
        fieldset #edit {
            legend { "The tree" }
            @match &read {
                Err(error) => p.note.is-bad role="alert" { (in_words(error)) },
                Ok(tree) if tree.values() > MOST_SHOWN => p.quiet { (grouped(tree.values() as u64)) " values are too many to be shown one by one. Edit the text below, or import a file." },
                Ok(tree) => {
                    p.quiet { "Check values or groups, then say what becomes of them. Nothing is saved before you press Save." }
                    ul.tree { @for node in &tree.shown().below { (branch(node)) } }
                    label for="into" { "Name of the group" } input #into name="into" autocomplete="off";
                    p.actions {
                        button.quiet name="do" value="group" formaction=(edit) { "Put the checked into this group" }
                        button.quiet name="do" value="rename" formaction=(edit) { "Rename the checked group" }
                        button.quiet name="do" value="dissolve" formaction=(edit) { "Dissolve the checked groups" }
                        button name="do" value="save" { "Save the tree" }
                    }
                }
            }
            details open[read.is_err()] {
                summary { "As text" }
                label for="tree" { "One line for each value: the value, its group, a larger group, at last the root" }
                textarea.mono #tree name="tree" rows="12" spellcheck="false" { (stated.tree) }
            }
        }
    }
}

fn branch(node: &Shown<'_>) -> Markup {
    html! {
        li {
            label.choice { input type="checkbox" name="take" value=(node.name); span { @if node.is_value { (node.label) } @else { strong { (node.label) } } } }
            @if !node.below.is_empty() { ul { @for below in &node.below { (branch(below)) } } }
        }
    }
}

fn levels(preview: Option<&HierarchyPreview>) -> Markup {
    let Some(preview) = preview else {
        return html! { p.quiet { "Choose a ladder and look: the people on each rung are shown here." } };
    };
    html! {
        h2 { (counted(preview.levels.len() as u64, "level", "levels")) }
        p { "Every value is covered, and all meet at one root." }
        @for (height, level) in preview.levels.iter().enumerate() {
            @let least = level.labels.iter().map(|(_, people)| *people).min().unwrap_or(0);
            @let all: u64 = level.labels.iter().map(|(_, people)| *people).sum();
            details open[height > 0 && level.labels.len() <= 12] {
                summary { "Level " (height) ": " (counted(level.labels.len() as u64, "label", "labels")) ", the rarest with " (counted(least, "person", "people")) }
                table.small {
                    thead { tr { th scope="col" { "label" } th.n scope="col" { "people" } th scope="col" { "share" } } }
                    tbody { @for (label, people) in level.labels.iter().take(LABELS) { tr { th scope="row" { (label) } td.n { (grouped(*people)) } td.bar { (plot::share(*people, all)) } } } }
                }
                @if level.labels.len() > LABELS { p.quiet { "and " (grouped((level.labels.len() - LABELS) as u64)) " more" } }
            }
        }
    }
}

/// Says in a form which column of which table it is about.
fn meant(subject: &Subject) -> Markup {
    html! { (about_table(&subject.policy)) input type="hidden" name="of_column" value=(subject.attribute.name); }
}

/// A tree from elsewhere, and this one for elsewhere.
fn exchange(subject: &Subject, has_ladder: bool) -> Markup {
    let index = subject.index;
    html! {
        section {
            h2 { "From and to other tools" }
            @if has_ladder { p { a href={ "/hierarchies/" (index) "/export" } { "Export the saved ladder as CSV" } } }
            form method="post" action={ "/hierarchies/" (index) "/import" } enctype="multipart/form-data" {
                (meant(subject))
                label for="file" { "A tree as CSV: one line for each value, with its groups and the root" }
                input #file name="file" type="file" accept=".csv,.txt,.tsv" required;
                p.quiet { "It must have every value of the table; ARX and sdcMicro write such files. A table of more than " (grouped(LEAVES as u64)) " values needs one." }
                button { "Import and save" }
            }
        }
    }
}
