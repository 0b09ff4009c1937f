//! What an experiment of the registry is run with, as its figure's file states it.

use std::path::{Path, PathBuf};

use moretta::{Error, Result};
use serde_json::{Map, Value as Json};

/// Settings by name. Nothing has a default: a figure's file pins all of them.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    entries: Map<String, Json>,
    file: PathBuf,
}

impl Settings {
    /// The settings of a file.
    pub fn new(entries: Map<String, Json>, file: &Path) -> Self {
        Self { entries, file: file.to_path_buf() }
    }

    fn get<T>(&self, key: &str, what: &str, read: impl Fn(&Json) -> Option<T>) -> Result<T> {
        let Some(value) = self.entries.get(key) else {
            return Err(Error::input(format!("the setting `{key}` is missing"))
                .at_file(&self.file)
                .help(what.to_owned()));
        };
        read(value).ok_or_else(|| {
            Error::input(format!("the setting `{key}` is {value}")).at_file(&self.file).help(what.to_owned())
        })
    }

    /// A whole number.
    pub fn whole(&self, key: &str) -> Result<usize> {
        self.get(key, "a whole number", |value| value.as_u64().map(|n| n as usize))
    }

    /// A whole number, if it is stated.
    pub fn whole_if_stated(&self, key: &str) -> Result<Option<usize>> {
        self.entries.contains_key(key).then(|| self.whole(key)).transpose()
    }

    /// Whole numbers.
    pub fn wholes(&self, key: &str) -> Result<Vec<u64>> {
        self.get(key, "a list of whole numbers", |value| value.as_array()?.iter().map(Json::as_u64).collect())
    }

    /// Numbers.
    pub fn numbers(&self, key: &str) -> Result<Vec<f64>> {
        self.get(key, "a list of numbers", |value| value.as_array()?.iter().map(Json::as_f64).collect())
    }

    /// A text.
    pub fn text(&self, key: &str) -> Result<String> {
        self.get(key, "a text", |value| value.as_str().map(str::to_owned))
    }

    /// Texts.
    pub fn texts(&self, key: &str) -> Result<Vec<String>> {
        self.get(key, "a list of texts", |value| {
            value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_is_missing_or_wrong_is_named() {
        let entries = serde_json::json!({ "records": 10, "levels": [1.5, 2] });
        let Json::Object(entries) = entries else { panic!("a table") };
        let settings = Settings::new(entries, Path::new("5.toml"));
        assert_eq!(settings.whole("records").ok(), Some(10));
        assert_eq!(settings.numbers("levels").ok(), Some(vec![1.5, 2.0]));
        let message = |found: Result<usize>| found.err().map(|e| e.message().to_owned());
        assert_eq!(message(settings.whole("queries")).as_deref(), Some("the setting `queries` is missing"));
        assert_eq!(message(settings.whole("levels")).as_deref(), Some("the setting `levels` is [1.5,2]"));
    }
}
