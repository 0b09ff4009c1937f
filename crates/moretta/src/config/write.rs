//! A policy's tree written down again.

use toml_edit::{DocumentMut, Item, Table, Value};

use super::{Content, Node, Opened};

impl Node {
    /// The TOML of a table: values first, then tables and lists of tables as sections.
    pub fn to_toml(&self) -> String {
        let Content::Table(entries) = &self.content else { return String::new() };
        let mut document = DocumentMut::new();
        for (key, node) in entries {
            document.insert(key, node.to_item());
        }
        document.to_string()
    }

    fn to_item(&self) -> Item {
        match &self.content {
            Content::Table(entries) => Item::Table(section(entries)),
            Content::List(items) if !items.is_empty() && items.iter().all(Self::is_table) => {
                let entries = items.iter().filter_map(|item| match &item.content {
                    Content::Table(entries) => Some(section(entries)),
                    _ => None,
                });
                Item::ArrayOfTables(entries.collect())
            }
            _ => Item::Value(self.to_value()),
        }
    }

    fn is_table(&self) -> bool {
        matches!(self.content, Content::Table(_))
    }

    fn to_value(&self) -> Value {
        match &self.content {
            Content::Text(text) | Content::File(Opened { name: text, .. }) => text.into(),
            Content::Integer(i) => (*i).into(),
            Content::Float(x) => (*x).into(),
            Content::Boolean(truth) => (*truth).into(),
            Content::List(items) => items.iter().map(Self::to_value).collect(),
            Content::Table(entries) => entries.iter().map(|(key, node)| (key, node.to_value())).collect(),
        }
    }

    /// The value as TOML has it on the right of `=`.
    pub fn inline(&self) -> String {
        self.to_value().to_string()
    }

    /// The value as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.content {
            Content::Text(text) | Content::File(Opened { name: text, .. }) => Json::String(text.clone()),
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

fn section(entries: &[(String, Node)]) -> Table {
    entries.iter().map(|(key, node)| (key, node.to_value())).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::super::tree::Origin;
    use super::*;
    use crate::testkit::tables::odd_text;

    #[test]
    fn what_is_written_reads_as_what_was_read() {
        let text = "note = \"a \\\"b\\\"\"\n[data]\nsource = \"x.csv\"\n[attributes]\n\"zip code\" = { role = \"quasi\", hierarchy = { intervals = [5, 10.5] } }\n[[require]]\nmodel = \"t-closeness\"\nt = 1.0\n[[require]]\nmodel = \"k-anonymity\"\nk = 5\n[method]\nname = \"mondrian\"\nfast = true\n";
        let written = Node::parse(text, Path::new("p.toml")).unwrap().to_toml();
        let again = Node::parse(&written, Path::new("p.toml")).unwrap();
        assert_eq!(again.to_toml(), written);
        assert_eq!(again.to_json(), Node::parse(text, Path::new("p.toml")).unwrap().to_json());
    }

    #[test]
    fn sections_stand_below_values_with_a_line_between() {
        let text = "k = 1\nx = [1, 2.0]\n\n[data]\nsource = \"x.csv\"\n\n[[require]]\nk = 5\nin = { a = true, \"b c\" = \"d\" }\n\n[[require]]\nk = 6\n";
        assert_eq!(Node::parse(text, Path::new("p.toml")).unwrap().to_toml(), text);
        let text = "[data]\nsource = \"x.csv\"\n";
        assert_eq!(Node::parse(text, Path::new("p.toml")).unwrap().to_toml(), text);
    }

    fn values() -> impl Strategy<Value = Node> {
        let node = |content| Node { content, origin: Origin::File(1, 1) };
        let plain = prop_oneof![
            odd_text().prop_map(Content::Text),
            any::<i64>().prop_map(Content::Integer),
            any::<f64>().prop_filter("JSON has no such numbers", |x| x.is_finite()).prop_map(Content::Float),
            any::<bool>().prop_map(Content::Boolean),
        ];
        plain.prop_map(node).prop_recursive(3, 16, 4, move |inner| {
            let entries = prop::collection::btree_map(odd_text(), inner.clone(), 0..4);
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(Content::List),
                entries.prop_map(|entries| Content::Table(entries.into_iter().collect())),
            ]
            .prop_map(node)
        })
    }

    proptest! {
        #[test]
        fn whatever_a_policy_says_survives(entries in prop::collection::btree_map(odd_text(), values(), 0..5)) {
            let tree = Node { content: Content::Table(entries.into_iter().collect()), origin: Origin::File(1, 1) };
            let written = tree.to_toml();
            let again = Node::parse(&written, Path::new("p.toml"));
            let again = again.map_err(|e| TestCaseError::fail(format!("{e}\n{written}")))?.to_json();
            prop_assert_eq!(sorted(again), sorted(tree.to_json()), "{}", written);
        }
    }

    /// Values come before sections: the order of keys may change.
    fn sorted(mut json: serde_json::Value) -> serde_json::Value {
        json.sort_all_objects();
        json
    }
}
