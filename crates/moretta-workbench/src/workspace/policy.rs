//! The policy file, edited in place: what a steward wrote by hand beside it stays.

use moretta::{Error, Result, Role};
use serde_json::Value as Json;
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

use super::TableName;

/// A policy file as text that can be changed.
#[derive(Debug)]
pub(crate) struct PolicyFile {
    document: DocumentMut,
}

/// What a policy says of a column.
#[derive(Clone, Debug)]
pub(crate) struct AttributeText {
    pub(crate) name: String,
    pub(crate) role: String,
    pub(crate) kind: Option<String>,
    /// The hierarchy as JSON: a text is the name of a file.
    pub(crate) hierarchy: Option<Json>,
}

impl PolicyFile {
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let document = text.parse().map_err(|e| Error::input(format!("the policy can't be read: {e}")))?;
        Ok(Self { document })
    }

    pub(crate) fn text(&self) -> String {
        self.document.to_string()
    }

    /// The table that it names, and how it is read.
    pub(crate) fn table(&self) -> Option<TableName> {
        let data = self.document.get("data")?;
        let text = |key: &str| data.get(key).and_then(Item::as_str).map(str::to_owned);
        Some(TableName {
            source: text("source")?,
            table: text("table"),
            query: text("query"),
            sheet: text("sheet"),
            header: data.get("header").and_then(Item::as_bool),
            encoding: text("encoding"),
        })
    }

    /// The columns in the order of the policy.
    pub(crate) fn attributes(&self) -> Vec<AttributeText> {
        let Some(table) = self.document.get("attributes").and_then(Item::as_table_like) else { return Vec::new() };
        let text = |item: &Item, key: &str| Some(item.get(key)?.as_str()?.to_owned());
        let read = |(name, item): (&str, &Item)| AttributeText {
            name: name.to_owned(),
            role: text(item, "role").unwrap_or_default(),
            kind: text(item, "type"),
            hierarchy: item.get("hierarchy").map(json),
        };
        table.iter().map(read).collect()
    }

    /// Gives a column a role; what else is said of it stays, but for a hierarchy that only a quasi-identifier can have.
    pub(crate) fn set_role(&mut self, name: &str, role: &str) -> Result<()> {
        if !Role::NAMES.iter().any(|(known, _)| *known == role) {
            return Err(Error::input(format!("there is no role {role:?}")));
        }
        let stated = self.attributes().into_iter().find(|attribute| attribute.name == name);
        let follows_table = stated
            .and_then(|attribute| attribute.hierarchy)
            .is_some_and(|hierarchy| hierarchy.get("frequency").is_some() || hierarchy.get("columns").is_some());
        if role != Role::Quasi.name() && follows_table {
            self.set_hierarchy(name, None)?;
        }
        self.set(name, "role", Some(role.into()))?;
        // How far it may be generalized, and how much that matters, is said of quasi-identifiers alone.
        let wishes = ["importance", "max_level", "suppress_cells", "linked"];
        let left = if role == Role::Quasi.name() { &[][..] } else { &wishes[..] };
        left.iter().try_for_each(|key| self.set(name, key, None))
    }

    /// States the hierarchy of a column, or nothing.
    pub(crate) fn set_hierarchy(&mut self, name: &str, hierarchy: Option<&Json>) -> Result<()> {
        self.set(name, "hierarchy", hierarchy.map(value).transpose()?)
    }

    fn set(&mut self, name: &str, key: &str, value: Option<Value>) -> Result<()> {
        let attributes = self.document.get_mut("attributes").and_then(Item::as_table_like_mut);
        let stated = attributes.and_then(|table| table.get_mut(name)).and_then(Item::as_table_like_mut);
        let stated = stated.ok_or_else(|| Error::input(format!("the policy has no column {name:?}")))?;
        match (value, stated.get_mut(key)) {
            (None, _) => drop(stated.remove(key)),
            // In its place, with the blanks around it.
            (Some(mut value), Some(Item::Value(old))) => {
                *value.decor_mut() = old.decor().clone();
                *old = value;
            }
            (Some(value), _) => drop(stated.insert(key, Item::Value(value))),
        }
        Ok(())
    }

    /// The promises, each an object as in JSON.
    pub(crate) fn promises(&self) -> Vec<serde_json::Map<String, Json>> {
        let Some(Json::Array(promises)) = self.document.get("require").map(json) else { return Vec::new() };
        promises
            .into_iter()
            .filter_map(|promise| if let Json::Object(promise) = promise { Some(promise) } else { None })
            .collect()
    }

    /// States the promises anew, where they differ from what is stated.
    pub(crate) fn set_promises(&mut self, promises: &[serde_json::Map<String, Json>]) -> Result<()> {
        if self.promises() == promises {
            return Ok(());
        }
        let mut tables = ArrayOfTables::new();
        for promise in promises {
            let mut table = Table::new();
            for (key, stated) in promise {
                table.insert(key, Item::Value(value(stated)?));
            }
            tables.push(table);
        }
        self.document.insert("require", Item::ArrayOfTables(tables));
        Ok(())
    }

    /// The name of the method, and its parameters beside it.
    pub(crate) fn method(&self) -> Option<serde_json::Map<String, Json>> {
        match self.document.get("method").map(json) {
            Some(Json::Object(method)) => Some(method),
            Some(Json::String(name)) => Some(serde_json::Map::from_iter([("name".to_owned(), name.into())])),
            _ => None,
        }
    }

    /// Another method; the same keeps its parameters.
    pub(crate) fn set_method(&mut self, name: &str) {
        if self.method().is_some_and(|method| method.get("name").and_then(Json::as_str) == Some(name)) {
            return;
        }
        let _ = self.set_whole_method(&serde_json::Map::from_iter([("name".to_owned(), name.into())]));
    }

    /// Another method with its parameters.
    pub(crate) fn set_whole_method(&mut self, method: &serde_json::Map<String, Json>) -> Result<()> {
        let mut table = Table::new();
        for (key, stated) in method {
            table.insert(key, Item::Value(value(stated)?));
        }
        if let Some(old) = self.document.get("method").and_then(Item::as_table) {
            *table.decor_mut() = old.decor().clone();
            table.set_position(old.position());
        }
        self.document.insert("method", Item::Table(table));
        Ok(())
    }

    /// The format of the released tables.
    pub(crate) fn format(&self) -> String {
        let stated = self.document.get("output").and_then(|output| output.get("format")).and_then(Item::as_str);
        stated.unwrap_or("csv").to_owned()
    }
}

/// An entry of TOML as JSON.
fn json(item: &Item) -> Json {
    match item {
        Item::None => Json::Null,
        Item::Value(value) => json_of(value),
        Item::Table(table) => table.iter().map(|(key, item)| (key.to_owned(), json(item))).collect(),
        Item::ArrayOfTables(tables) => {
            let object = |table: &Table| table.iter().map(|(key, item)| (key.to_owned(), json(item))).collect();
            Json::Array(tables.iter().map(object).collect())
        }
    }
}

fn json_of(value: &Value) -> Json {
    match value {
        Value::String(text) => text.value().as_str().into(),
        Value::Integer(number) => (*number.value()).into(),
        Value::Float(number) => (*number.value()).into(),
        Value::Boolean(truth) => (*truth.value()).into(),
        Value::Datetime(time) => time.value().to_string().into(),
        Value::Array(list) => list.iter().map(json_of).collect(),
        Value::InlineTable(table) => table.iter().map(|(key, value)| (key.to_owned(), json_of(value))).collect(),
    }
}

/// JSON as a value of TOML.
fn value(json: &Json) -> Result<Value> {
    Ok(match json {
        Json::String(text) => text.as_str().into(),
        Json::Bool(truth) => (*truth).into(),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => whole.into(),
            (None, Some(x)) => x.into(),
            (None, None) => return Err(Error::input(format!("{number} is too large a number"))),
        },
        Json::Array(items) => Value::Array(items.iter().map(value).collect::<Result<_>>()?),
        Json::Object(entries) => {
            let entries = entries.iter().map(|(key, stated)| Ok((key.as_str(), value(stated)?)));
            Value::InlineTable(entries.collect::<Result<Vec<_>>>()?.into_iter().collect::<InlineTable>())
        }
        Json::Null => return Err(Error::bug("nothing can't be written into a policy")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = "# by hand\n[data]\nsource = \"people.csv\"  # the table\n\n[attributes]\nage = { role = \"quasi\", hierarchy = { intervals = [5, 10] } }  # in years\n\"a b\" = { role = \"sensitive\" }\n\n[[require]]\nmodel = \"k-anonymity\"\nk = 5 # five\n\n[method]\nname = \"least-loss\"\n";

    #[test]
    fn what_is_not_changed_stays_to_the_letter() {
        let mut policy = PolicyFile::parse(POLICY).expect("a policy");
        assert_eq!(policy.text(), POLICY);
        policy.set_role("age", "quasi").expect("a column");
        policy.set_promises(&policy.promises()).expect("promises");
        policy.set_method("least-loss");
        assert_eq!(policy.text(), POLICY);
        policy.set_role("a b", "drop").expect("a column");
        assert_eq!(policy.text(), POLICY.replace("\"sensitive\"", "\"drop\""));
        assert!(policy.set_role("age", "nonsense").is_err() && policy.set_role("height", "quasi").is_err());
    }

    #[test]
    fn hierarchies_promises_and_methods_are_written() {
        let mut policy = PolicyFile::parse(POLICY).expect("a policy");
        policy.set_hierarchy("age", Some(&serde_json::json!("hierarchies/age.csv"))).expect("a column");
        policy.set_hierarchy("a b", Some(&serde_json::json!({ "mask": "right" }))).expect("a column");
        let promise = serde_json::json!({ "model": "t-closeness", "t": 0.2, "distance": "equal" });
        policy.set_promises(&[promise.as_object().expect("an object").clone()]).expect("promises");
        policy.set_method("mondrian");
        let again = PolicyFile::parse(&policy.text()).expect("a policy");
        assert_eq!(again.table(), Some(TableName::of_file("people.csv")));
        assert_eq!(again.attributes()[0].hierarchy, Some("hierarchies/age.csv".into()));
        assert_eq!(again.promises()[0]["t"], 0.2);
        assert_eq!(again.method().expect("a method")["name"], "mondrian");
        assert!(again.text().starts_with("# by hand"), "{}", again.text());
        policy.set_hierarchy("age", None).expect("a column");
        assert!(policy.attributes()[0].hierarchy.is_none());
    }
}
