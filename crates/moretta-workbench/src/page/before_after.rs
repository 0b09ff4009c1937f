//! Before and after, column by column: how values were distributed in the table, and what the release lets expect.

use maud::{Markup, html};
use moretta::text::grouped;
use serde::Deserialize;

use super::plot::{self, Pair};
use crate::job::COLUMNS;
use crate::workspace::Workspace;

/// The most columns that are drawn.
const MOST: usize = 60;

/// A column, as the job that has attacked the release has kept it.
#[derive(Deserialize)]
struct Column {
    name: String,
    sensitive: bool,
    released: bool,
    parts: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    label: String,
    before: u64,
    after: Option<f64>,
}

/// The plots of a release; nothing where they were not kept.
pub(super) fn plots(workspace: &Workspace, release: &str) -> Option<Markup> {
    let found = workspace.private_json(release, COLUMNS)?;
    let columns: Vec<Column> = serde_json::from_value(found).ok()?;
    Some(html! {
        ul.legend { li { span.key.before {} "in the table" } li { span.key.after {} "as a reader of the release expects" } }
        div.cards { @for column in columns.iter().take(MOST) { (card(column)) } }
        @if columns.len() > MOST { p.quiet { "and " (grouped((columns.len() - MOST) as u64)) " columns more, in " code { "private/" (COLUMNS) } } }
    })
}

fn card(column: &Column) -> Markup {
    let pairs: Vec<Pair<'_>> = column.parts.iter().map(|part| (part.label.as_str(), part.before, part.after)).collect();
    html! {
        article.card {
            h3 { (column.name) @if column.sensitive { " " span.quiet { "must not be learned" } } }
            (plot::pairs(&column.name, &pairs))
            @if !column.released { p.quiet { "The release does not say how it is distributed." } }
            details {
                summary { "Figures" span.unseen { " of " (column.name) } }
                table.small {
                    thead { tr { th scope="col" { "value" } th.n scope="col" { "before" } th.n scope="col" { "after" } } }
                    tbody { @for part in &column.parts { tr { th scope="row" { (part.label) } td.n { (grouped(part.before)) } td.n { @if let Some(after) = part.after { (grouped(plot::whole(after))) } } } } }
                }
            }
        }
    }
}
