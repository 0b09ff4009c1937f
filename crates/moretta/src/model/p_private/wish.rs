//! The distribution that a steward wishes for.

use std::path::Path;

use serde_json::{Value as Json, json};

use super::super::{PrivacyModel, level_to_json};
use crate::config::{Content, Section, suggestion};
use crate::error::{Error, Result};
use crate::model::registry;
use crate::schema::Attribute;

/// A distribution over the values of the sensitive attribute.
#[derive(Debug)]
pub(crate) enum TargetSpec {
    /// Every value alike.
    Uniform,
    /// As in the whole table.
    Table,
    /// As in the group itself.
    Group,
    /// A normal distribution's density at each value.
    Normal {
        /// Where it is highest.
        mean: f64,
        /// How wide it is.
        variance: f64,
    },
    /// The k-th value in order has a probability in proportion to k^-s.
    Zipf {
        /// The exponent.
        s: f64,
    },
    /// Weights that a file lists.
    Listed(Listed),
    /// The distribution closest to the group's own that keeps a promise.
    Model(Box<dyn PrivacyModel>),
    /// What the release states, for whoever has only the release.
    Stated,
}

/// Weights by value, for each group or for all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listed {
    /// Group, where the file names one, value and weight.
    pub(crate) rows: Vec<(Option<String>, String, f64)>,
}

/// The models from which a target can be derived.
const MODELS: [&str; 3] = ["probabilistic-l-diversity", "entropy-l-diversity", "t-closeness"];

const WORDS: [&str; 8] = ["uniform", "table", "group", "normal", "zipf", "file", "model", "stated"];

impl TargetSpec {
    /// Reads `target`: a word, or a table with the parameters of a distribution.
    pub(super) fn read(section: &mut Section<'_>, attributes: &[Attribute]) -> Result<Self> {
        let node = section
            .get("target")
            .ok_or_else(|| section.lacks("target").help("for example target = \"table\", or \"uniform\""))?;
        match &node.content {
            Content::Text(word) => match word.as_str() {
                "uniform" => Ok(Self::Uniform),
                "table" => Ok(Self::Table),
                "group" => Ok(Self::Group),
                "stated" => Ok(Self::Stated),
                other => Err(section
                    .error_at("target", format!("there is no target {other:?}"))
                    .help(suggestion(other, &WORDS))),
            },
            Content::Table(_) => {
                let mut inner = section.inner("target", node)?;
                if inner.text("model")?.is_some() {
                    let model = registry::read(node, section.file(), attributes)?;
                    if !MODELS.contains(&model.name()) {
                        return Err(section
                            .error_at("target", format!("no target is derived from {}", model.name()))
                            .help(format!("one of: {}", MODELS.join(", "))));
                    }
                    return Ok(Self::Model(model));
                }
                let wish = read_shape(&mut inner)?;
                inner.finish()?;
                Ok(wish)
            }
            other => Err(section.wrong_kind("target", "a word or a table", other)),
        }
    }

    /// As the manifest states it. A file's path stays private: its weights are in the release's own table.
    pub(super) fn to_json(&self) -> Json {
        match self {
            Self::Uniform => "uniform".into(),
            Self::Table => "table".into(),
            Self::Group => "group".into(),
            Self::Normal { mean, variance } => {
                json!({ "normal": { "mean": level_to_json(*mean), "variance": level_to_json(*variance) } })
            }
            Self::Zipf { s } => json!({ "zipf": level_to_json(*s) }),
            Self::Listed(_) | Self::Stated => "stated".into(),
            Self::Model(model) => {
                let mut promised = model.parameters();
                promised.insert("model".to_owned(), model.name().into());
                Json::Object(promised)
            }
        }
    }
}

fn read_shape(section: &mut Section<'_>) -> Result<TargetSpec> {
    if let Some(s) = section.number("zipf", "from 0 to 100", |s| (0.0..=100.0).contains(&s))? {
        return Ok(TargetSpec::Zipf { s });
    }
    if let Some(opened) = section.opened("file")? {
        return Listed::parse(&opened.location, &opened.bytes).map(TargetSpec::Listed);
    }
    let node = section.get("normal").ok_or_else(|| {
        section.error("no distribution").help("for example { zipf = 1.5 }, { normal = { mean = 0, variance = 1 } }, { file = \"target.csv\" } or { model = \"probabilistic-l-diversity\", l = 3 }")
    })?;
    let mut normal = section.inner("normal", node)?;
    let mean = normal.required_number("mean", "", |_| true)?;
    let variance = normal.required_number("variance", "above 0", |v| v > 0.0)?;
    normal.finish()?;
    Ok(TargetSpec::Normal { mean, variance })
}

impl Listed {
    /// Reads the content of a CSV file with the columns `value` and `weight`, and `group` where groups differ.
    fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        let mut reader = csv::Reader::from_reader(bytes);
        let wrong = |line: u64, message: String| Error::input(message).at_file(path).at_line(line);
        let unreadable = |e: csv::Error| wrong(e.position().map_or(1, csv::Position::line), format!("no CSV: {e}"));
        let header = reader.headers().map_err(unreadable)?.clone();
        let index = |name: &str| header.iter().position(|column| column.trim() == name);
        let (Some(value), Some(weight)) = (index("value"), index("weight")) else {
            return Err(wrong(1, "a target lists the columns `value` and `weight`".to_owned())
                .help("and `group`, if groups have targets of their own"));
        };
        let group = index("group");
        let mut rows = Vec::new();
        let mut sum = 0.0;
        for record in reader.records() {
            let record = record.map_err(unreadable)?;
            let line = record.position().map_or(1, csv::Position::line);
            let text = |index: usize| record.get(index).unwrap_or_default();
            let weight: f64 = text(weight)
                .trim()
                .parse()
                .ok()
                .filter(|w: &f64| w.is_finite() && *w >= 0.0)
                .ok_or_else(|| wrong(line, format!("the weight {:?} is not a number from 0 up", text(weight))))?;
            sum += weight;
            rows.push((group.map(|index| text(index).to_owned()), text(value).to_owned(), weight));
        }
        if !f64::is_finite(sum) || sum <= 0.0 {
            let message = if rows.is_empty() || sum <= 0.0 { "all weights are 0" } else { "the weights overflow" };
            return Err(wrong(1, message.to_owned()).help("state weights that can be added up, not all 0"));
        }
        Ok(Self { rows })
    }
}
