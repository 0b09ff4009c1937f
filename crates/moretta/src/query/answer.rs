//! Answering a question from a release.

use serde_json::{Map, Value as Json, json};

use super::boxes::{QueryBox, boxes};
use super::question::{Query, Selected};
use super::value_set::ValueSet;
use crate::data::value::{Type, Value};
use crate::error::{Error, Result};
use crate::model::level_to_json;
use crate::policy::section::suggestion;
use crate::release::{Answers, Askable, Estimate};

/// The answer to a question: a row, or one for each value by which it is grouped.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What was asked for.
    pub selected: Vec<Selected>,
    /// The attributes by which it is grouped.
    pub group_by: Vec<String>,
    /// The rows.
    pub rows: Vec<AnswerRow>,
}

/// A row of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerRow {
    /// The values of the attributes by which it is grouped.
    pub key: Vec<Value>,
    /// What is known about each thing asked for.
    pub estimates: Vec<Estimate>,
}

/// Answers a question from a release. Groups that nobody can be in are left out, as SQL leaves them out.
pub fn answer(release: &dyn Answers, query: &Query) -> Result<Answer> {
    let attributes = release.attributes();
    let condition = boxes(query.condition.as_ref(), &|name| find(&attributes, name))?;
    let keys = query.group_by.iter().map(|name| Ok(find(&attributes, name)?.0)).collect::<Result<Vec<_>>>()?;
    let values = keys.iter().map(|&place| release.values_of(place)).collect::<Result<Vec<_>>>()?;
    let mut rows = Vec::new();
    for key in product(&values) {
        let condition: Vec<QueryBox> = condition.iter().filter_map(|one| at_key(one, &keys, &key)).collect();
        if !keys.is_empty() && release.count(&condition)?.upper == Some(0.0) {
            continue;
        }
        let estimate = |selected: &Selected| match selected {
            Selected::Count => release.count(&condition),
            Selected::Aggregate(aggregate, name) => {
                release.aggregate(*aggregate, find(&attributes, name)?.0, &condition)
            }
        };
        let estimates = query.selected.iter().map(estimate).collect::<Result<_>>()?;
        rows.push(AnswerRow { key, estimates });
    }
    Ok(Answer { selected: query.selected.clone(), group_by: query.group_by.clone(), rows })
}

fn at_key(one: &QueryBox, places: &[usize], key: &[Value]) -> Option<QueryBox> {
    let mut pairs = places.iter().zip(key);
    pairs.try_fold(one.clone(), |found, (&place, value)| found.restrict(place, &ValueSet::one(value.clone())))
}

/// All combinations of values, the first varying slowest.
fn product(values: &[Vec<Value>]) -> Vec<Vec<Value>> {
    values.iter().fold(vec![Vec::new()], |found, next| {
        let with = |key: &Vec<Value>| -> Vec<Vec<Value>> {
            next.iter().map(|value| key.iter().chain([value]).cloned().collect()).collect()
        };
        found.iter().flat_map(with).collect()
    })
}

fn find(attributes: &[Askable], name: &str) -> Result<(usize, Type)> {
    let place = attributes.iter().position(|askable| askable.name == name).ok_or_else(|| {
        let names: Vec<&str> = attributes.iter().map(|askable| askable.name.as_str()).collect();
        Error::input(format!("the release has no attribute {name:?}")).help(suggestion(name, &names))
    })?;
    Ok((place, attributes[place].kind))
}

impl Answer {
    /// The answer as JSON: the estimate with its bounds, or rows of them.
    pub fn to_json(&self) -> Json {
        match self.rows.as_slice() {
            [row] if self.group_by.is_empty() => Json::Object(self.row_to_json(row)),
            rows => {
                let row = |row: &AnswerRow| {
                    let mut object = self.row_to_json(row);
                    object.insert("key".to_owned(), row.key.iter().map(value_to_json).collect());
                    Json::Object(object)
                };
                json!({ "group_by": self.group_by, "rows": rows.iter().map(row).collect::<Vec<_>>() })
            }
        }
    }

    fn row_to_json(&self, row: &AnswerRow) -> Map<String, Json> {
        if let [only] = row.estimates.as_slice() {
            return estimate_to_json(only);
        }
        let named = self.selected.iter().zip(&row.estimates);
        let answers: Map<String, Json> =
            named.map(|(selected, e)| (selected.to_string(), Json::Object(estimate_to_json(e)))).collect();
        Map::from_iter([("answers".to_owned(), Json::Object(answers))])
    }
}

/// An estimate as JSON.
pub(crate) fn estimate_to_json(estimate: &Estimate) -> Map<String, Json> {
    let level = |level: Option<f64>| level.map_or(Json::Null, level_to_json);
    Map::from_iter([
        ("estimate".to_owned(), level(estimate.estimate)),
        ("lower".to_owned(), level(estimate.lower)),
        ("upper".to_owned(), level(estimate.upper)),
    ])
}

fn value_to_json(value: &Value) -> Json {
    match value {
        Value::Missing => Json::Null,
        Value::Integer(i) => (*i).into(),
        Value::Number(x) => (*x).into(),
        Value::Boolean(truth) => (*truth).into(),
        Value::Date(_) | Value::Text(_) => value.to_string().into(),
    }
}
