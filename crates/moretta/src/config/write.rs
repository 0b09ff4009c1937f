//! A policy's tree written down again.

use std::fmt::Write as _;

use super::{Content, Node};
use crate::data::value::Value;

impl Node {
    /// The TOML of a table: values first, then tables and lists of tables as sections.
    pub fn to_toml(&self) -> String {
        let Content::Table(entries) = &self.content else { return String::new() };
        let (mut values, mut sections) = (String::new(), String::new());
        for (key, node) in entries {
            match &node.content {
                Content::Table(inner) => section(&mut sections, &format!("[{}]", spelled(key)), inner),
                Content::List(items) if !items.is_empty() && items.iter().all(Self::is_table) => {
                    for item in items {
                        if let Content::Table(inner) = &item.content {
                            section(&mut sections, &format!("[[{}]]", spelled(key)), inner);
                        }
                    }
                }
                _ => {
                    let _ = writeln!(values, "{} = {}", spelled(key), node.inline());
                }
            }
        }
        format!("{values}{sections}").trim_start().to_owned()
    }

    fn is_table(&self) -> bool {
        matches!(self.content, Content::Table(_))
    }

    /// The value in one line.
    pub fn inline(&self) -> String {
        let list = |items: Vec<String>| items.join(", ");
        match &self.content {
            Content::Text(text) => Value::Text(text.as_str().into()).to_json(),
            Content::Integer(i) => i.to_string(),
            Content::Float(x) if x.fract() == 0.0 && x.is_finite() => format!("{x:.1}"),
            Content::Float(x) => x.to_string(),
            Content::Boolean(truth) => truth.to_string(),
            Content::List(items) => format!("[{}]", list(items.iter().map(Self::inline).collect())),
            Content::Table(entries) => {
                let entry = |(key, node): &(String, Self)| format!("{} = {}", spelled(key), node.inline());
                format!("{{ {} }}", list(entries.iter().map(entry).collect()))
            }
        }
    }

    /// The value as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.content {
            Content::Text(text) => Json::String(text.clone()),
            Content::Integer(i) => (*i).into(),
            Content::Float(x) => serde_json::Number::from_f64(*x).map_or(Json::Null, Json::Number),
            Content::Boolean(truth) => (*truth).into(),
            Content::List(items) => items.iter().map(Self::to_json).collect(),
            Content::Table(entries) => {
                Json::Object(entries.iter().map(|(key, node)| (key.clone(), node.to_json())).collect())
            }
        }
    }
}

fn section(text: &mut String, header: &str, entries: &[(String, Node)]) {
    let _ = writeln!(text, "\n{header}");
    for (key, node) in entries {
        let _ = writeln!(text, "{} = {}", spelled(key), node.inline());
    }
}

fn spelled(key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { key.to_owned() } else { Value::Text(key.into()).to_json() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn what_is_written_reads_as_what_was_read() {
        let text = "note = \"a \\\"b\\\"\"\n[data]\nsource = \"x.csv\"\n[attributes]\n\"zip code\" = { role = \"quasi\", hierarchy = { intervals = [5, 10.5] } }\n[[require]]\nmodel = \"t-closeness\"\nt = 1.0\n[[require]]\nmodel = \"k-anonymity\"\nk = 5\n[method]\nname = \"mondrian\"\nfast = true\n";
        let written = Node::parse(text, Path::new("p.toml")).unwrap().to_toml();
        let again = Node::parse(&written, Path::new("p.toml")).unwrap();
        assert_eq!(again.to_toml(), written);
        assert_eq!(again.to_json(), Node::parse(text, Path::new("p.toml")).unwrap().to_json());
    }
}
