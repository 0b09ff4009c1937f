//! Answering a question from a release.

use serde_json::{Map, Value as Json, json};

use super::question::{Key, Query, Selected};
use crate::condition::{Predicate, QueryBox, ValueSet, boxes};
use crate::config::suggestion;
use crate::data::value::{Type, Value};
use crate::error::{Code, Error, Result};
use crate::model::level_to_json;
use crate::release::{Analyst, Askable, Estimate};

/// The answer to a question: a row, or one for each value by which it is grouped.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// What was asked for.
    pub selected: Vec<Selected>,
    /// The type of those that are days or times, which are counted from 1970.
    pub times: Vec<Option<Type>>,
    /// The attributes by which it is grouped.
    pub group_by: Vec<String>,
    /// The rows.
    pub rows: Vec<AnswerRow>,
    /// How many of those asked about may have keys that no row has, where anybody may: a label such as `*` hides values that the release
    /// names nowhere, and people who were left out may have any.
    pub unlisted: Option<Estimate>,
}

/// A row of an answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AnswerRow {
    /// The values of the attributes by which it is grouped.
    pub key: Vec<Value>,
    /// What is known about each thing asked for.
    pub estimates: Vec<Estimate>,
}

impl Answer {
    /// The one number that was asked for, of a question without GROUP BY.
    pub fn single(&self) -> Result<Estimate> {
        match self.rows.as_slice() {
            [AnswerRow { key, estimates }] if key.is_empty() && estimates.len() == 1 => Ok(estimates[0]),
            _ => Err(Error::input("the answer has several numbers, or none").help("look at its rows")),
        }
    }
}

/// Answers a question from a release. Groups that nobody can be in are left out, as SQL leaves them out.
pub fn answer(release: &dyn Analyst, query: &Query) -> Result<Answer> {
    let attributes = release.attributes();
    let condition = boxes(query.condition.as_ref(), &|name| find(&attributes, name))?;
    let keys = query.group_by.iter().map(|key| splits(release, &attributes, key)).collect::<Result<Vec<_>>>()?;
    let everybody = release.count(&[QueryBox::default()])?.upper;
    let mut rows = Vec::new();
    for (key, sides) in product(&keys) {
        let condition: Vec<QueryBox> = condition.iter().filter_map(|one| at_key(one, &sides)).collect();
        if !keys.is_empty() && release.count(&condition)?.upper == Some(0.0) {
            continue;
        }
        let estimate = |selected: &Selected| match selected {
            Selected::Count => {
                let found = release.count(&condition)?;
                let trivial = found.lower == Some(0.0) && found.upper >= everybody && everybody > Some(0.0);
                Ok(Estimate { trivial, ..found })
            }
            Selected::Aggregate(aggregate, name) => {
                release.aggregate(*aggregate, find(&attributes, name)?.0, &condition)
            }
        };
        let estimates = query.selected.iter().map(estimate).collect::<Result<_>>()?;
        rows.push(AnswerRow { key, estimates });
    }
    let unlisted = unlisted(&condition, &keys);
    let unlisted = if unlisted.is_empty() { None } else { Some(release.count(&unlisted)?) };
    let unlisted = unlisted.filter(|people| people.upper != Some(0.0));
    let group_by = query.group_by.iter().map(ToString::to_string).collect();
    let time = |selected: &Selected| match selected {
        Selected::Count => None,
        Selected::Aggregate(_, name) => {
            find(&attributes, name).ok().map(|(_, kind)| kind).filter(|kind| kind.is_time())
        }
    };
    let times = query.selected.iter().map(time).collect();
    Ok(Answer { selected: query.selected.clone(), times, group_by, rows, unlisted })
}

/// The attribute that a key is about, and the sets into which it splits it, each with what it is called.
type Splits = (usize, Vec<(Value, ValueSet)>);

fn splits(release: &dyn Analyst, attributes: &[Askable], key: &Key) -> Result<Splits> {
    match key {
        Key::Attribute(name) => {
            let (index, _) = find(attributes, name)?;
            let values = release.values_of(index)?.into_iter();
            Ok((index, values.map(|value| (value.clone(), ValueSet::one(value))).collect()))
        }
        Key::Labels(name, _, labels) => {
            let (index, _) = find(attributes, name)?;
            let set = |(label, meaning): &(String, Predicate)| {
                let parts = boxes(Some(meaning), &|name| find(attributes, name))?;
                let sides = parts.iter().filter_map(|part| part.side(index));
                let set = sides.fold(ValueSet::nothing(), |all, side| all.union(side));
                Ok((Value::Text(label.as_str().into()), set))
            };
            Ok((index, labels.iter().map(set).collect::<Result<_>>()?))
        }
        Key::Level(..) => Err(Error::bug("a level is asked for before its labels are known")),
    }
}

/// Those of a condition whose keys are not among the listed ones, as disjoint boxes: the first key that is not stands at each place in turn.
fn unlisted(condition: &[QueryBox], keys: &[Splits]) -> Vec<QueryBox> {
    let listed: Vec<(usize, ValueSet)> = keys
        .iter()
        .map(|(index, sets)| (*index, sets.iter().fold(ValueSet::nothing(), |all, (_, set)| all.union(set))))
        .collect();
    let mut found = Vec::new();
    for (at, (index, set)) in listed.iter().enumerate() {
        let outside = set.complement();
        let mut sides: Vec<(usize, &ValueSet)> = listed[..at].iter().map(|(index, set)| (*index, set)).collect();
        sides.push((*index, &outside));
        found.extend(condition.iter().filter_map(|one| at_key(one, &sides)));
    }
    found
}

fn at_key(one: &QueryBox, sides: &[(usize, &ValueSet)]) -> Option<QueryBox> {
    sides.iter().try_fold(one.clone(), |found, (index, set)| found.restrict(*index, set))
}

/// What each key is called, and the sets that it stands for.
type Combination<'k> = (Vec<Value>, Vec<(usize, &'k ValueSet)>);

/// All combinations of keys, the first varying slowest.
fn product(keys: &[Splits]) -> Vec<Combination<'_>> {
    let mut found: Vec<Combination<'_>> = vec![(Vec::new(), Vec::new())];
    for (index, sets) in keys {
        let mut longer = Vec::with_capacity(found.len() * sets.len());
        for (names, sides) in &found {
            for (name, set) in sets {
                let names = names.iter().chain([name]).cloned().collect();
                longer.push((names, sides.iter().copied().chain([(*index, set)]).collect()));
            }
        }
        found = longer;
    }
    found
}

fn find(attributes: &[Askable], name: &str) -> Result<(usize, Type)> {
    let index = attributes.iter().position(|askable| askable.name == name).ok_or_else(|| {
        let names: Vec<&str> = attributes.iter().map(|askable| askable.name.as_str()).collect();
        Error::input(format!("the release has no attribute {name:?}"))
            .coded(Code::UnknownAttribute)
            .help(suggestion(name, &names))
    })?;
    Ok((index, attributes[index].kind))
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
                let mut answer = json!({ "group_by": self.group_by, "rows": rows.iter().map(row).collect::<Vec<_>>() });
                if let Some(unlisted) = &self.unlisted {
                    answer["unlisted"] = Json::Object(estimate_to_json(unlisted, None));
                }
                answer
            }
        }
    }

    fn row_to_json(&self, row: &AnswerRow) -> Map<String, Json> {
        let to_json = |index: usize| estimate_to_json(&row.estimates[index], self.times[index]);
        if row.estimates.len() == 1 {
            return to_json(0);
        }
        let named = self.selected.iter().enumerate();
        let answers: Map<String, Json> =
            named.map(|(index, selected)| (selected.to_string(), Json::Object(to_json(index)))).collect();
        Map::from_iter([("answers".to_owned(), Json::Object(answers))])
    }
}

/// A day or a time as it is spelled, from its number; nothing where there is none.
pub fn spell_time(kind: Type, number: f64) -> Option<String> {
    let value = match kind {
        Type::Timestamp => Value::Timestamp(number.round() as i64),
        _ => Value::Date(number.round() as i32),
    };
    number.is_finite().then(|| value.to_string())
}

/// An estimate as JSON; days and times as they are spelled.
pub(crate) fn estimate_to_json(estimate: &Estimate, time: Option<Type>) -> Map<String, Json> {
    let level = |level: Option<f64>| match (level, time) {
        (Some(number), Some(kind)) => spell_time(kind, number).map_or(Json::Null, Json::String),
        (Some(level), None) => level_to_json(level),
        (None, _) => Json::Null,
    };
    Map::from_iter([
        ("estimate".to_owned(), level(estimate.estimate)),
        ("lower".to_owned(), level(estimate.lower)),
        ("upper".to_owned(), level(estimate.upper)),
        ("trivial".to_owned(), estimate.trivial.into()),
        ("may_be_empty".to_owned(), estimate.may_be_empty.into()),
    ])
}

fn value_to_json(value: &Value) -> Json {
    match value {
        Value::Missing => Json::Null,
        Value::Integer(i) => (*i).into(),
        Value::Number(x) => (*x).into(),
        Value::Boolean(truth) => (*truth).into(),
        Value::Date(_) | Value::Timestamp(_) | Value::Text(_) => value.to_string().into(),
    }
}
