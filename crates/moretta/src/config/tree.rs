//! A policy file as a tree of values that know where they stand.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Code, Error, Result};

/// A value of a policy, with the place it was read from.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value itself.
    pub content: Content,
    /// Where it stands.
    pub origin: Origin,
}

/// What a value of a policy can be.
#[derive(Clone, Debug)]
pub enum Content {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// A list.
    List(Vec<Node>),
    /// Keys with values, in the order of the file.
    Table(Vec<(String, Node)>),
    /// A file that was named here, and has been opened.
    File(super::Opened),
}

/// Where a value of a policy comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The policy file: line and column.
    File(u64, u64),
    /// The command line: the override that set it.
    Override(String),
}

impl Content {
    /// What it is, for a message.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Integer(_) => "a whole number",
            Self::Float(_) => "a number",
            Self::Boolean(_) => "true or false",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
            Self::File(_) => "a file",
        }
    }
}

impl Node {
    /// Reads the text of a policy.
    pub fn parse(text: &str, file: &Path) -> Result<Self> {
        let table = DeTable::parse(text).map_err(|error| {
            let (line, column) = error.span().map_or((1, 1), |span| position(text, span.start));
            Error::input(format!("the policy is not valid TOML: {}", error.message()))
                .coded(Code::PolicySyntax)
                .at_file(file)
                .at(line, column)
        })?;
        Ok(Self { content: table_content(table.get_ref(), text)?, origin: Origin::File(1, 1) })
    }

    /// A value of JSON: the parameters of a model as a manifest states them.
    pub fn from_json(value: &serde_json::Value) -> Self {
        use serde_json::Value as Json;
        let content = match value {
            Json::Null => Content::Text(String::new()),
            Json::Bool(truth) => Content::Boolean(*truth),
            Json::Number(number) => match number.as_i64() {
                Some(integer) => Content::Integer(integer),
                None => Content::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Json::String(text) => Content::Text(text.clone()),
            Json::Array(items) => Content::List(items.iter().map(Self::from_json).collect()),
            Json::Object(entries) => {
                Content::Table(entries.iter().map(|(key, value)| (key.clone(), Self::from_json(value))).collect())
            }
        };
        Self { content, origin: Origin::File(1, 1) }
    }

    /// Sets one value, as in `require.0.k=10`. Tables on the way are made; list items must exist.
    pub fn set(&mut self, setting: &str) -> Result<()> {
        let (path, value) = setting.split_once('=').ok_or_else(|| {
            Error::input(format!("--set {setting}: no `=`"))
                .coded(Code::PolicySyntax)
                .help("write a path and a value: --set require.0.k=10")
        })?;
        let (path, value) = (path.trim(), value.trim());
        let mut node = self;
        let mut walked = String::new();
        for key in path.split('.') {
            walked.push_str(if walked.is_empty() { "" } else { "." });
            walked.push_str(key);
            node = node.child(key).ok_or_else(|| {
                Error::input(format!("--set {setting}: the policy has no `{walked}`"))
                    .coded(Code::PolicySyntax)
                    .help("items of a list are counted from 0 and must exist in the policy")
            })?;
        }
        *node = parse_setting(value, setting);
        Ok(())
    }

    fn child(&mut self, key: &str) -> Option<&mut Self> {
        match &mut self.content {
            Content::Table(entries) => {
                let place = entries.iter().position(|(name, _)| name == key).unwrap_or_else(|| {
                    let empty = Self { content: Content::Table(Vec::new()), origin: self.origin.clone() };
                    entries.push((key.to_owned(), empty));
                    entries.len() - 1
                });
                entries.get_mut(place).map(|(_, node)| node)
            }
            Content::List(items) => items.get_mut(key.parse::<usize>().ok()?),
            _ => None,
        }
    }
}

/// A value of TOML, or else a bare text: `--set method.name=least-loss` needs no quotes.
fn parse_setting(value: &str, setting: &str) -> Node {
    let parsed = DeValue::parse(value).ok().and_then(|node| content(node.get_ref(), value).ok());
    let mut node = Node {
        content: parsed.unwrap_or_else(|| Content::Text(value.to_owned())),
        origin: Origin::Override(setting.to_owned()),
    };
    restamp(&mut node);
    node
}

fn restamp(node: &mut Node) {
    let origin = node.origin.clone();
    let restamp_child = |child: &mut Node| {
        child.origin = origin.clone();
        restamp(child);
    };
    match &mut node.content {
        Content::List(items) => items.iter_mut().for_each(restamp_child),
        Content::Table(entries) => entries.iter_mut().map(|(_, child)| child).for_each(restamp_child),
        _ => {}
    }
}

fn table_content(table: &DeTable<'_>, text: &str) -> Result<Content> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let entries = entries.into_iter().map(|(key, value)| Ok((key.get_ref().to_string(), node(value, text)?)));
    Ok(Content::Table(entries.collect::<Result<_>>()?))
}

fn node(value: &Spanned<DeValue<'_>>, text: &str) -> Result<Node> {
    let (line, column) = position(text, value.span().start);
    let content = content(value.get_ref(), text).map_err(|error| error.at(line, column))?;
    Ok(Node { content, origin: Origin::File(line, column) })
}

fn content(value: &DeValue<'_>, text: &str) -> Result<Content> {
    Ok(match value {
        DeValue::String(s) => Content::Text(s.to_string()),
        DeValue::Integer(i) => {
            Content::Integer(i64::from_str_radix(i.as_str(), i.radix()).map_err(|_| {
                Error::input(format!("{} is too large a number", i.as_str())).coded(Code::WrongParameter)
            })?)
        }
        DeValue::Float(x) => {
            let x: f64 = x
                .as_str()
                .parse()
                .map_err(|_| Error::input(format!("{} is not a number", x.as_str())).coded(Code::WrongParameter))?;
            Content::Float(x)
        }
        DeValue::Boolean(b) => Content::Boolean(*b),
        DeValue::Datetime(date) => Content::Text(date.to_string()),
        DeValue::Array(items) => Content::List(items.iter().map(|item| node(item, text)).collect::<Result<_>>()?),
        DeValue::Table(table) => table_content(table, text)?,
    })
}

/// The line and the column, in characters, of a byte of a text.
fn position(text: &str, byte: usize) -> (u64, u64) {
    let before = text.get(..byte).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() as u64 + 1, before[line_start..].chars().count() as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_their_line_and_column() {
        let tree = Node::parse("[data]\nsource = \"x.csv\"\n", Path::new("p.toml")).unwrap();
        let Content::Table(entries) = tree.content else { panic!("table") };
        let Content::Table(data) = &entries[0].1.content else { panic!("table") };
        assert_eq!(data[0].1.origin, Origin::File(2, 10));
    }

    #[test]
    fn a_setting_replaces_or_adds_a_value() {
        let mut tree = Node::parse("[[require]]\nk = 5\n", Path::new("p.toml")).unwrap();
        tree.set("require.0.k=10").unwrap();
        tree.set("method.name = mondrian").unwrap();
        assert!(tree.set("require.1.k=3").is_err());
        assert!(tree.set("require").is_err());
        let text = format!("{tree:?}");
        assert!(text.contains("Integer(10)") && text.contains("Text(\"mondrian\")"), "{text}");
    }

    #[test]
    fn bad_toml_is_placed() {
        let error = Node::parse("a = 1\nb = = 2\n", Path::new("p.toml")).unwrap_err();
        assert_eq!(error.place().line, Some(2));
    }
}
