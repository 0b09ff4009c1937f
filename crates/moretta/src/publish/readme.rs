//! The file that tells a recipient in words what the tables are and how to ask them.

use std::fmt::Write as _;

use serde_json::Value as Json;

use crate::model;
use crate::release::{ColumnMeaning, Manifest, ValueMeaning};

/// The text, from nothing but the manifest.
pub(super) fn text(manifest: &Manifest) -> String {
    let mut text = String::new();
    heading(&mut text, "What this is", '=');
    let _ = writeln!(
        text,
        "Tables about {} people, published so that they can be analysed and nobody in them is exposed.\nMade by {} with the method {}.",
        manifest.people, manifest.generator, manifest.method
    );
    if manifest.suppressed > 0 {
        let _ = writeln!(text, "{} people were left out to keep the promise.", manifest.suppressed);
    }
    let _ = writeln!(text, "\n{}", how_to_read(&manifest.kind));

    heading(&mut text, "What is promised", '-');
    for guarantee in &manifest.guarantees {
        let parameters: Vec<String> =
            guarantee.parameters.iter().map(|(name, value)| format!("{name} = {}", plain(value))).collect();
        let summary = model::registry::find(&guarantee.model).map_or("", |entry| entry.summary);
        let _ = writeln!(text, "{} ({}): {summary}.", guarantee.model, parameters.join(", "));
    }
    if manifest.guarantees.is_empty() {
        let _ = writeln!(text, "Nothing but what the method itself hides.");
    }

    heading(&mut text, "The tables", '-');
    for table in &manifest.tables {
        let _ = writeln!(text, "{} ({} rows)", table.file, table.rows);
    }
    text.push('\n');
    let width = manifest.columns.iter().map(|column| column.name.chars().count()).max().unwrap_or(0);
    for column in &manifest.columns {
        let _ = writeln!(text, "  {:<width$}  {}", column.name, meaning(column));
    }

    heading(&mut text, "How to ask", '-');
    let attribute = manifest.columns.last().map_or("x", |column| column.name.as_str());
    let _ = write!(
        text,
        "With moretta, in this folder:\n\n  moretta check .\n  moretta query . 'SELECT COUNT(*) WHERE {attribute} IS NOT NULL'\n\n\
         `check` verifies that the files are whole and keep what the files alone can prove. `query` answers with an\n\
         estimate and with bounds that no original table can leave from which this release could have been made.\n"
    );
    text
}

fn heading(text: &mut String, title: &str, line: char) {
    let gap = if text.is_empty() { "" } else { "\n" };
    let _ = writeln!(text, "{gap}{title}\n{}\n", line.to_string().repeat(title.chars().count()));
}

/// How the tables of a kind of release hang together.
fn how_to_read(kind: &str) -> &'static str {
    match kind {
        "generalized" => {
            "Each row of the table `data` is one person. Values by which a person could be recognized are published as\n\
             ranges, sets or labels that stand for several values; people who publish the same ones form a group."
        }
        "bucketized" => {
            "Each row of `qit` is one person with exact values and the number of a group. The tables `st_…` say how many\n\
             people of each group have which sensitive value, not who."
        }
        "ambiguous" => {
            "The tables `at_…` list, for each attribute by itself, the values that occur in each group; the tables `st_…`\n\
             how many people of each group have which sensitive value. Which values belong to one person is not told."
        }
        "sliced" => {
            "People stand in buckets. Attributes stand in columns of the table `sliced`; inside a bucket each column was shuffled\n\
             by itself, so that what stands in one row belongs together only inside a column."
        }
        "distribution" => {
            "Each row of `qit` is one person with exact values and the number of a group. `sensitive` says which ranges of\n\
             sensitive values a group has and how often, `targets` which distribution they follow, `bounds` what sums can be."
        }
        "uncertain" => {
            "Each row is one person as a probability density: `z_…` is its centre, `s_…` its scale. The manifest states the\n\
             family of densities. The true values are not those of the centre."
        }
        "condensed" => {
            "The rows are nobody's: they were drawn anew so that means and covariances of small groups of people are kept."
        }
        _ => "",
    }
}

fn meaning(column: &ColumnMeaning) -> String {
    let values = match &column.values {
        ValueMeaning::Exact => "as they are".to_owned(),
        ValueMeaning::Interval | ValueMeaning::Intervals => "intervals: [20, 24] is 20 to 24, both included".to_owned(),
        ValueMeaning::Set => "sets: {a, b} is a or b".to_owned(),
        ValueMeaning::Hierarchy { nodes } => {
            format!("labels; {} of them stand for several values, see the manifest", nodes.len())
        }
        ValueMeaning::Mask => "masked: 130** is anything that begins with 130".to_owned(),
        ValueMeaning::Drawn { .. } => "drawn anew: nobody's".to_owned(),
        ValueMeaning::Calendar => "dates, or parts of the calendar that hold them".to_owned(),
    };
    format!("{}, {values}", column.role)
}

fn plain(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}
