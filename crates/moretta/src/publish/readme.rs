//! The file that tells a recipient in words what the tables are and how to ask them.

use std::fmt::Write as _;

use serde_json::Value as Json;

use super::usage::{self, PublishedColumns};
use crate::kind;
use crate::method;
use crate::model::Sentence;
use crate::model::registry::MODELS;
use crate::model::sentence::fill;
use crate::release::{ColumnMeaning, Guarantee, Manifest, Unit, ValueMeaning};
use crate::text::{capitalized, counted};

/// The text, from nothing but the manifest, what each of its guarantees does not promise, and the columns of the tables.
pub(super) fn text(manifest: &Manifest, caveats: &[Option<String>], tables: &[PublishedColumns]) -> String {
    let mut text = String::new();
    heading(&mut text, manifest.about.title.as_deref().unwrap_or("What this is"), '=');
    let _ = writeln!(
        text,
        "Tables about {}, published so that they can be analysed and nobody in them is exposed.\nMade by {} with the method {}.",
        subject(manifest),
        manifest.generator,
        manifest.method
    );
    if manifest.suppressed > 0 {
        let what = if manifest.unit == Unit::Rows { "rows" } else { "people" };
        let _ = writeln!(text, "{} {what} were left out to keep the promise.", manifest.suppressed);
    }
    let kind = kind::registry::find(&manifest.kind);
    let _ = writeln!(text, "\n{}", kind.map_or("", |kind| kind.how_to_read));

    heading(&mut text, "What is promised", '-');
    for (index, guarantee) in manifest.guarantees.iter().enumerate() {
        let parameters: Vec<String> =
            guarantee.parameters.iter().map(|(name, value)| format!("{name} = {}", plain(value))).collect();
        let _ = writeln!(text, "{} ({}):", guarantee.model, parameters.join(", "));
        if let Some(sentence) = sentence(manifest, guarantee) {
            let promise = capitalized(&fill(sentence.promise, &guarantee.parameters));
            // Arguments are about what the files show, and they show rows.
            text.push_str(&wrapped(&match manifest.unit {
                Unit::People => format!("{promise}. {}", fill(sentence.argument, &guarantee.parameters)),
                Unit::Rows => format!("{promise}."),
            }));
        }
        if let Some(Some(caveat)) = caveats.get(index) {
            text.push_str(&wrapped(&format!("But it {caveat}.")));
        }
    }
    if manifest.unit == Unit::Rows {
        let _ = writeln!(
            text,
            "\nSeveral rows may belong to one person. The promises count people, whom these files do not show: `check` sees rows,\n\
             and proves the promises only beside the original. Whoever knows several rows of a person may know more than a group tells."
        );
    }
    if manifest.guarantees.is_empty() {
        let _ = writeln!(text, "Nothing but what the method itself hides.");
    }

    heading(&mut text, "What is not protected", '-');
    for guarantee in &manifest.guarantees {
        if let Some(sentence) = sentence(manifest, guarantee) {
            let open = fill(sentence.not_protected, &guarantee.parameters);
            text.push_str(&wrapped(&format!("{} does not speak of this: {open}.", guarantee.model)));
        }
    }
    if let Some(entry) = method::registry::find(&manifest.method) {
        text.push_str(&wrapped(&entry.transparency.sentence()));
    }
    let _ = writeln!(text, "{}", kind.map_or("", |kind| kind.not_protected));

    heading(&mut text, "The tables", '-');
    for table in &manifest.tables {
        let parts = match table.parts.len() {
            0 => String::new(),
            parts => format!(" in {}", counted(parts as u64, "part", "parts")),
        };
        let _ = writeln!(text, "{} ({} rows{parts})", table.file, table.rows);
    }
    text.push('\n');
    let width = manifest.columns.iter().map(|column| column.name.chars().count()).max().unwrap_or(0);
    for column in &manifest.columns {
        let _ = writeln!(text, "  {:<width$}  {}", column.name, meaning(column));
    }

    heading(&mut text, "How to load them", '-');
    text.push_str(&usage::loading(manifest, tables));

    if let Some(kind) = kind {
        heading(&mut text, "How to compute with them", '-');
        let _ = writeln!(text, "{}", (kind.how_to_compute)(manifest));
    }

    heading(&mut text, "How to ask", '-');
    let attribute = manifest.columns.last().map_or("x", |column| column.name.as_str());
    let _ = write!(
        text,
        "With moretta, in this folder:\n\n  moretta check .\n  moretta query . 'SELECT COUNT(*) WHERE {attribute} IS NOT NULL'\n\n\
         `check` verifies that the files are whole and keep what the files alone can prove. `query` answers with an\n\
         estimate and with bounds that no original table can leave from which this release could have been made.\n"
    );
    let about = &manifest.about;
    let said = [("Contact", &about.contact), ("Licence", &about.licence), ("Please cite", &about.citation)];
    if said.iter().any(|(_, words)| words.is_some()) {
        heading(&mut text, "Whom it comes from", '-');
        for (what, words) in said {
            let _ = words.as_ref().map(|words| writeln!(text, "{what}: {words}"));
        }
    }
    text
}

/// What the model may say of this kind of release.
fn sentence(manifest: &Manifest, guarantee: &Guarantee) -> Option<&'static Sentence> {
    let kind = kind::registry::find(&manifest.kind)?;
    let model = MODELS.iter().find(|entry| entry.name == guarantee.model)?;
    model.wordings.of(kind.id).sentence()
}

/// A paragraph in lines of at most [`WIDTH`] characters.
fn wrapped(paragraph: &str) -> String {
    let mut text = String::new();
    let mut length = 0;
    for word in paragraph.split_whitespace() {
        let width = word.chars().count();
        if length > 0 {
            let (gap, start) = if length + 1 + width > WIDTH { ('\n', 0) } else { (' ', length + 1) };
            text.push(gap);
            length = start;
        }
        text.push_str(word);
        length += width;
    }
    text + "\n"
}

/// The longest line of a paragraph.
const WIDTH: usize = 116;

/// Whom the tables are about: `12 people`, or `40 rows of 12 people`.
fn subject(manifest: &Manifest) -> String {
    match manifest.persons {
        Some(persons) => format!("{} rows of {persons} people", manifest.people),
        None => format!("{} people", manifest.people),
    }
}

fn heading(text: &mut String, title: &str, line: char) {
    let gap = if text.is_empty() { "" } else { "\n" };
    let _ = writeln!(text, "{gap}{title}\n{}\n", line.to_string().repeat(title.chars().count()));
}

pub(super) fn meaning(column: &ColumnMeaning) -> String {
    let values = match &column.values {
        ValueMeaning::Exact if column.role == crate::data::role::Role::Pseudonym => {
            "made from a name with a secret key: each person has one, and nobody can find it without the key".to_owned()
        }
        ValueMeaning::Exact => "as they are".to_owned(),
        _ if column.bounds.as_ref().is_some_and(|bounds| bounds.high_excluded) => {
            "the two ends of what is meant, without the high one where they differ".to_owned()
        }
        _ if column.bounds.is_some() => "the two ends of what is meant, both included".to_owned(),
        ValueMeaning::Interval | ValueMeaning::Intervals { .. } => {
            let open = column.values.open().iter().map(|open| format!("; {} stands for {}", open.label, open.interval));
            format!("intervals: [20, 24] is 20 to 24, both included{}", open.collect::<String>())
        }
        ValueMeaning::Set { nodes } if nodes.is_empty() => "sets: {a, b} is a or b".to_owned(),
        ValueMeaning::Set { .. } => {
            "sets: {a, b} is a or b; the manifest lists what * and numbered sets stand for".to_owned()
        }
        ValueMeaning::Hierarchy { nodes } => {
            format!("labels; {} of them stand for several values, see the manifest", nodes.len())
        }
        ValueMeaning::Withheld => "as they are, or * where the value is not told".to_owned(),
        ValueMeaning::Mask => "masked: 130** is anything that begins with 130".to_owned(),
        ValueMeaning::Drawn { .. } => "drawn anew: nobody's".to_owned(),
        ValueMeaning::Calendar => "dates, or parts of the calendar that hold them".to_owned(),
    };
    let form = match (&column.bounds, &column.stays_text) {
        (Some(bounds), _) => format!("; as the columns {}", bounds.names().collect::<Vec<_>>().join(", ")),
        (None, Some(why)) => format!("; as text, since {why}"),
        (None, None) => String::new(),
    };
    format!("{}, {values}{form}", column.role.name())
}

fn plain(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}
