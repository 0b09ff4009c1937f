//! A policy to start from.

use std::fmt::Write as _;
use std::path::Path;

use toml_writer::{ToTomlKey as _, ToTomlValue as _, TomlKeyBuilder, TomlStringBuilder};

use super::role::SuggestedHierarchy;
use super::{InspectedColumn, Inspection};
use crate::data::role::Role;
use crate::text::{counted, grouped};

/// The share of rows that may be left out for lack of a value before it is better to keep them.
const MAY_LEAVE_OUT: f64 = 0.05;

/// The k to start with.
const USUAL_K: u64 = 5;

/// So much of what follows from what is told in a policy, the gravest; in a wide table there are hundreds.
const MOST_TOLD: usize = 20;

/// Where trailing comments start at the latest; a longer line pushes its own further to the right.
const WIDEST: usize = 96;

/// A commented policy for an inspected table: valid as it is, but only a start.
///
/// `source` is the table's file as the policy shall name it, relative to the policy.
pub fn starter_policy(inspection: &Inspection, source: &str) -> String {
    let mut text = format!(
        "# A policy to start from, for a table of {} rows and {} columns.\n\
         # The roles are guesses from names and values. Go through every line: what a column tells about people,\n\
         # and who else knows it, no program can know.\n\n",
        grouped(inspection.rows),
        inspection.columns.len(),
    );
    data(&mut text, inspection, source);
    attributes(&mut text, inspection);
    requirements(&mut text, inspection);
    text.push_str("\n[method]\nname = \"least-loss\"\n");
    // As wide tables come, so they go: as text they take a hundred times the room.
    let (format, other) = if is_parquet(source) { ("parquet", "csv") } else { ("csv", "parquet") };
    let _ = write!(text, "\n[output]\nformat = \"{format}\"  # or {other}\n");
    text
}

fn is_parquet(source: &str) -> bool {
    std::path::Path::new(source).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"))
}

/// A line of a table of a policy: key, value, and what there is to say about it.
type Line = (String, String, String);

fn data(text: &mut String, inspection: &Inspection, source: &str) {
    let reading = &inspection.reading;
    let nobodys = inspection.with_role(Role::Person).map(|column| column.profile.missing).sum::<u64>();
    let missing = match inspection.incomplete_rows {
        // Kept, such a row would be refused: it could be anybody's.
        rows if nobodys > 0 => {
            ("drop", format!("leaves out {} that lack a value in use, or are nobody's", count(rows.max(nobodys))))
        }
        0 => ("drop", "no row lacks a value in use; drop would leave such rows out".to_owned()),
        rows if rows as f64 <= MAY_LEAVE_OUT * inspection.rows as f64 => {
            ("drop", format!("leaves out {} that lack a value in use; keep makes it a value of its own", count(rows)))
        }
        rows => (
            "keep",
            format!("a value of its own; drop would leave out {} of {}", grouped(rows), count(inspection.rows)),
        ),
    };
    let values: Vec<String> = reading.missing_values.iter().map(|value| quoted(value)).collect();
    let is_path = source != "-" && !source.contains("://") && !source.contains("db:/") && !source.contains("sqlite:/");
    let seen = if is_path && Path::new(source).is_relative() { "seen from this file" } else { "" };
    let mut lines = vec![line("source", quoted(source), seen)];
    for (key, value) in [("table", &reading.table), ("query", &reading.query), ("sheet", &reading.sheet)] {
        lines.extend(value.as_deref().map(|value| line(key, quoted(value), "")));
    }
    let stated = |key, sign: Option<char>| sign.map(|sign| line(key, quoted(&sign.to_string()), ""));
    lines.extend(reading.header.map(|header| {
        let comment = if header { "" } else { "no line has the names of columns" };
        line("header", header.to_string(), comment)
    }));
    lines.extend(stated("delimiter", reading.delimiter));
    lines.extend(reading.encoding.map(|encoding| line("encoding", quoted(encoding), "")));
    lines.extend(stated("decimal", reading.decimal));
    lines.push(line("missing", quoted(missing.0), &missing.1));
    lines.push(line("missing_values", format!("[{}]", values.join(", ")), ""));
    text.push_str("[data]\n");
    aligned(text, &lines);
    for hint in inspection.hints.iter().filter(|hint| !hint.contains("missing_values")) {
        let _ = writeln!(text, "# {hint}");
    }
    for column in &inspection.columns {
        for marker in column.profile.markers.iter().filter(|marker| !marker.certain) {
            let (value, name) = (quoted(&marker.text), quoted(&column.profile.name));
            let _ = writeln!(text, "# Missing too? {value} in {} of {name}", count(marker.count));
        }
    }
}

fn attributes(text: &mut String, inspection: &Inspection) {
    text.push_str("\n[attributes]\n");
    if inspection.with_role(Role::Quasi).next().is_none() {
        text.push_str(
            "# No column looks like a quasi-identifier, and publishing needs one: give role = \"quasi\"\n\
             # to the columns by which somebody could recognize a person.\n",
        );
    }
    let attribute =
        |column: &InspectedColumn| line(&key(&column.profile.name), definition(column), &column.suggestion.reason);
    aligned(text, &inspection.columns.iter().map(attribute).collect::<Vec<_>>());
    for dependency in inspection.dependencies.iter().take(MOST_TOLD) {
        // A comment ends with its line, whatever the columns are called.
        let _ = writeln!(text, "# {}", dependency.in_words().replace(char::is_control, " "));
    }
    if let Some(more) = inspection.dependencies.len().checked_sub(MOST_TOLD).filter(|&more| more > 0) {
        let _ = writeln!(text, "# {more} more of what follows from what: `moretta inspect` has them.");
    }
    if inspection.with_role(Role::Quasi).next().is_some() {
        text.push_str(
            "# A quasi-identifier also takes importance, max_level, suppress_cells and linked (`moretta explain importance`).\n",
        );
    }
    let by_frequency =
        |column: &InspectedColumn| matches!(column.suggestion.hierarchy, Some(SuggestedHierarchy::Frequency(_)));
    if inspection.columns.iter().any(by_frequency) {
        text.push_str(
            "# sets: values become sets such as {a, b}. Methods that need a hierarchy (full-domain, rules) take values of few people\n\
             # together, until each label stands for so many (frequency). A hierarchy of your own means more:\n\
             # `moretta hierarchy TABLE COLUMN` shows what one does.\n",
        );
    }
}

fn requirements(text: &mut String, inspection: &Inspection) {
    text.push_str("\n[[require]]\n");
    let persons = inspection.with_role(Role::Person).map(|column| column.profile.distinct).next();
    let people = persons.unwrap_or(inspection.people);
    let (k, few) = if people < USUAL_K { (people, "there are no more people") } else { (USUAL_K, "") };
    aligned(
        text,
        &[
            line("model", quoted("k-anonymity"), "nobody can be told from k - 1 others by the quasi-identifiers"),
            line("k", k.to_string(), few),
        ],
    );
    let sensitive: Vec<String> = inspection.with_role(Role::Sensitive).map(|c| quoted(&c.profile.name)).collect();
    if sensitive.is_empty() {
        text.push_str(
            "\n# No column looks sensitive. If one is, k-anonymity alone does not protect it; add for example\n",
        );
    } else {
        let names = sensitive.join(", ");
        let _ = writeln!(text, "\n# k people who are alike may also share what is sensitive ({names}). Against that:");
    }
    text.push_str(
        "# [[require]]\n# model = \"distinct-l-diversity\"  # among them at least l different values\n# l = 3\n\
         # or, against somebody who knows much about the table, and against somebody who knows next to nothing:\n\
         # [[require]]\n# model = \"b-t-privacy\"  # the release moves nobody's belief by more than t\n\
         # skyline = [{ bandwidth = 0.3, t = 0.2 }, { bandwidth = \"inf\", t = 0.2 }]\n",
    );
}

/// What a policy says about a column.
fn definition(column: &InspectedColumn) -> String {
    let (profile, suggestion) = (&column.profile, &column.suggestion);
    let mut parts = vec![format!("role = {}", quoted(suggestion.role.name()))];
    let is_masked = matches!(suggestion.hierarchy, Some(SuggestedHierarchy::Mask(_)));
    let decides = matches!(suggestion.role, Role::Quasi | Role::Sensitive | Role::Weight);
    let kind =
        Some(suggestion.kind).filter(|&kind| decides && (kind.is_ordered() || kind != profile.kind || is_masked));
    parts.extend(kind.map(|kind| format!("type = {}", quoted(kind.name()))));
    parts.extend(column.format.as_deref().filter(|_| decides).map(|format| format!("format = {}", quoted(format))));
    parts.extend(suggestion.hierarchy.as_ref().map(|hierarchy| format!("hierarchy = {{ {hierarchy} }}")));
    format!("{{ {} }}", parts.join(", "))
}

fn line(key: &str, value: String, comment: &str) -> Line {
    (key.to_owned(), value, comment.to_owned())
}

fn aligned(text: &mut String, lines: &[Line]) {
    let length = |text: &str| text.chars().count();
    let keys = lines.iter().map(|(key, ..)| length(key)).filter(|&length| length <= WIDEST / 3).max().unwrap_or(0);
    let bodies: Vec<String> = lines.iter().map(|(key, value, _)| format!("{key:<keys$} = {value}")).collect();
    let longest = bodies.iter().map(|body| length(body)).filter(|&length| length <= WIDEST).max().unwrap_or(0);
    for (body, (_, _, comment)) in bodies.iter().zip(lines) {
        let _ = match comment.as_str() {
            "" => writeln!(text, "{body}"),
            comment => writeln!(text, "{body:<longest$}  # {comment}"),
        };
    }
}

fn count(rows: u64) -> String {
    counted(rows, "row", "rows")
}

/// A key of TOML: bare where that is allowed.
fn key(name: &str) -> String {
    let name = TomlKeyBuilder::new(name);
    name.as_unquoted().unwrap_or_else(|| name.as_basic()).to_toml_key()
}

/// A text of TOML on one line, fit for a comment too.
fn quoted(text: &str) -> String {
    TomlStringBuilder::new(text).as_basic().to_toml_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_quoted_where_they_must_be() {
        for (name, written) in [
            ("zip_code-2", "zip_code-2"),
            ("zip code", "\"zip code\""),
            ("a.b", "\"a.b\""),
            ("", "\"\""),
            ("Größe", "\"Größe\""),
            ("say \"x\"\\", "\"say \\\"x\\\"\\\\\""),
            ("two\nlines\u{1}", "\"two\\nlines\\u0001\""),
        ] {
            assert_eq!(key(name), written);
        }
    }

    #[test]
    fn lines_are_aligned_and_a_long_one_does_not_push_the_others() {
        let mut text = String::new();
        let long = "x".repeat(200);
        aligned(
            &mut text,
            &[line("a", "1".into(), "one"), line("bcd", "23".into(), "two"), line(&long, "4".into(), "")],
        );
        assert_eq!(text, format!("a   = 1   # one\nbcd = 23  # two\n{long} = 4\n"));
    }
}
