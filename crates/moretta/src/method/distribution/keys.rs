//! The steward's groups: by attributes, by expressions over them, or as another method forms them.

use super::super::{Method, Task, registry};
use crate::condition::Predicate;
use crate::config::section::texts_of;
use crate::config::{Content, Node, Section, suggestion};
use crate::data::cells::count_distinct;
use crate::data::value::Value;
use crate::error::{Code, Error, Result};
use crate::model::{self, PrivacyModel, Requirement};
use crate::numeric::decimal::DecimalSpan;
use crate::progress::Progress;
use crate::release::plan::{Buckets, Piece};

/// How groups are formed.
#[derive(Debug)]
pub(super) enum Grouped {
    /// By the values of expressions; without any, everybody together.
    By(Vec<String>),
    /// As a method forms them that keeps k people together.
    Method(Box<dyn Method>, Vec<Box<dyn PrivacyModel>>),
}

/// A column that groups are told apart by.
struct Key {
    codes: Vec<u32>,
    labels: Vec<String>,
}

/// People in groups, with what the steward calls each group.
pub(super) struct Formed {
    pub(super) pieces: Vec<Piece>,
    pub(super) labels: Vec<String>,
    pub(super) notes: Vec<String>,
}

impl Grouped {
    pub(super) fn read(section: &mut Section<'_>) -> Result<Self> {
        let Some(node) = section.get("groups") else { return Ok(Self::By(Vec::new())) };
        match &node.content {
            Content::Text(expression) => Ok(Self::By(vec![expression.clone()])),
            Content::List(_) => texts_of(node).map(Self::By).ok_or_else(|| {
                section.error_at("groups", "`groups` lists attributes or expressions").help(EXPRESSIONS)
            }),
            Content::Table(_) => read_method(section, node),
            other => Err(section.wrong_kind("groups", "a list of attributes or expressions, or a method", other)),
        }
    }

    /// Forms the groups; with `by_quasi`, each combination of quasi-identifiers in them is a group of its own.
    pub(super) fn form(&self, task: &Task<'_>, by_quasi: bool, progress: &Progress) -> Result<Formed> {
        let (pieces, labels, notes) = match self {
            Self::By(expressions) => {
                let keys = keys(task, expressions)?;
                let sized: Vec<(&[u32], usize)> =
                    keys.iter().map(|key| (key.codes.as_slice(), key.labels.len())).collect();
                let groups = count_distinct(&sized, task.cells.len(), None);
                let label = |group: usize| {
                    let names =
                        keys.iter().zip(&groups.columns).map(|(key, codes)| &*key.labels[codes[group] as usize]);
                    names.collect::<Vec<&str>>().join(", ")
                };
                let labels: Vec<String> = (0..groups.len()).map(label).collect();
                let piece =
                    |(cell, &group): (usize, &u32)| Piece { group, cell: cell as u32, people: task.cells.people[cell] };
                (groups.cell_of_row.iter().enumerate().map(piece).collect(), labels, Vec::new())
            }
            Self::Method(method, models) => {
                let Buckets { pieces, len, notes, .. } = partition(&**method, models, task, progress)?;
                (pieces, (1..=len).map(|number| number.to_string()).collect(), notes)
            }
        };
        Ok(if by_quasi { split(task, &pieces, &labels, notes) } else { Formed { pieces, labels, notes } })
    }
}

const EXPRESSIONS: &str =
    "an attribute, LEFT(zipcode, 3), FLOOR(age / 10), or a condition such as \"age >= 50 AND sex = 'F'\"";

fn read_method(section: &Section<'_>, node: &Node) -> Result<Grouped> {
    let mut inner = section.inner("groups", node)?;
    let name = inner.required_text("method")?;
    let entry = registry::find(name).filter(|entry| entry.name != super::ENTRY.name).ok_or_else(|| {
        let names: Vec<&str> = registry::METHODS.iter().map(|entry| entry.name).collect();
        inner
            .error_at("method", format!("there is no method {name:?} that forms groups"))
            .coded(Code::UnknownMethod)
            .help(suggestion(name, &names))
    })?;
    let k = inner.whole("k", 1)?.ok_or_else(|| inner.lacks("k").help("how many people a group needs at least"))?;
    let method = (entry.read)(&mut inner)?;
    inner.finish()?;
    let parameters = serde_json::json!({ "model": "k-anonymity", "k": k });
    let models = vec![model::registry::read(&Node::from_json(&parameters), section.file(), &[])?];
    Ok(Grouped::Method(method, models))
}

fn partition(
    method: &dyn Method,
    models: &[Box<dyn PrivacyModel>],
    task: &Task<'_>,
    progress: &Progress,
) -> Result<Buckets> {
    if task.group.is_some() {
        return Err(Error::input("groups are named by an attribute and formed by a method as well")
            .help("remove the role \"group\", or the method's `groups`"));
    }
    let requirement = Requirement::prepare(models, task.whole)?;
    let inner = Task {
        quasi_names: task.quasi_names.clone(),
        sensitive_sizes: task.sensitive_sizes.clone(),
        requirement: &requirement,
        may_suppress: 0,
        ..*task
    };
    method.plan(&inner, progress)?.into_buckets().map_err(|_| {
        Error::input(format!("the method {} does not form groups of rows", method.name()))
            .help("use one that generalizes or bucketizes")
    })
}

/// Makes each combination of quasi-identifiers in a group a group of its own. Koudas et al. (2009), section 4.2.
fn split(task: &Task<'_>, pieces: &[Piece], labels: &[String], notes: Vec<String>) -> Formed {
    let of_group: Vec<u32> = pieces.iter().map(|piece| piece.group).collect();
    let quasi: Vec<Vec<u32>> = task.cells.columns[..task.scales.len()]
        .iter()
        .map(|column| pieces.iter().map(|piece| column[piece.cell as usize]).collect())
        .collect();
    let mut columns: Vec<(&[u32], usize)> = vec![(&of_group, labels.len())];
    columns.extend(quasi.iter().zip(task.scales).map(|(codes, scale)| (codes.as_slice(), scale.domain().len())));
    let groups = count_distinct(&columns, pieces.len(), None);
    let labels = groups.columns[0].iter().map(|&group| labels[group as usize].clone()).collect();
    let pieces = pieces.iter().zip(&groups.cell_of_row).map(|(piece, &group)| Piece { group, ..*piece }).collect();
    Formed { pieces, labels, notes }
}

fn keys(task: &Task<'_>, expressions: &[String]) -> Result<Vec<Key>> {
    let mut keys = expressions.iter().map(|text| key(task, text)).collect::<Result<Vec<Key>>>()?;
    if let (Some(domain), Some(codes)) = (task.group, task.cells.columns.last()) {
        keys.push(Key { codes: codes.clone(), labels: domain.values().iter().map(ToString::to_string).collect() });
    }
    Ok(keys)
}

fn key(task: &Task<'_>, text: &str) -> Result<Key> {
    let index = |name: &str| task.quasi_names.iter().position(|known| known == name.trim().trim_matches('"'));
    let find = |name: &str| {
        index(name).ok_or_else(|| {
            let names: Vec<&str> = task.quasi_names.iter().map(String::as_str).collect();
            Error::input(format!("groups: there is no quasi-identifier {name:?}")).help(suggestion(name, &names))
        })
    };
    if let Some(index) = index(text) {
        return Ok(recoded(task, index, ToString::to_string));
    }
    if let Some((name, length)) = call(text, "LEFT", ',') {
        let length: usize = length.parse().map_err(|_| unclear(text))?;
        return Ok(recoded(task, find(name)?, |value| value.to_string().chars().take(length).collect()));
    }
    if let Some((name, width)) = call(text, "FLOOR", '/') {
        let width: f64 = width.parse().ok().filter(|w: &f64| *w > 0.0 && w.is_finite()).ok_or_else(|| unclear(text))?;
        let index = find(name)?;
        if !task.scales[index].domain().kind().is_ordered() {
            return Err(Error::input(format!("groups: {text:?} needs numbers")).help("state the attribute's `type`"));
        }
        let label = |value: &Value| {
            value.as_number().map_or(String::new(), |x| match DecimalSpan::around(x, width) {
                Some(span) => span.number().to_string(),
                None => format!("{}", (x / width).floor()),
            })
        };
        return Ok(recoded(task, index, label));
    }
    let condition = Predicate::parse(text).map_err(|error| error.help(EXPRESSIONS))?;
    let bound = condition.bind(&|name| find(name).map(|index| (index, &**task.scales[index].domain())))?;
    let truth = |cell: usize| u32::from(bound.truth(&|index: usize| task.cells.columns[index][cell]) == Some(true));
    let codes = (0..task.cells.len()).map(truth).collect();
    Ok(Key { codes, labels: vec![format!("NOT ({text})"), text.to_owned()] })
}

fn unclear(text: &str) -> Error {
    Error::input(format!("groups: {text:?} can't be read")).help(EXPRESSIONS)
}

/// The two arguments of a function call.
fn call<'t>(text: &'t str, function: &str, between: char) -> Option<(&'t str, &'t str)> {
    let head = text.get(..function.len()).filter(|head| head.eq_ignore_ascii_case(function))?;
    let inner = text[head.len()..].trim().strip_prefix('(')?.strip_suffix(')')?;
    inner.rsplit_once(between).map(|(left, right)| (left.trim(), right.trim()))
}

/// A quasi-identifier whose values are replaced by labels.
fn recoded(task: &Task<'_>, index: usize, label: impl Fn(&Value) -> String) -> Key {
    let of_code: Vec<String> = task.scales[index].domain().values().iter().map(label).collect();
    let mut labels = of_code.clone();
    labels.sort();
    labels.dedup();
    let new: Vec<u32> =
        of_code.iter().map(|label| labels.binary_search(label).map_or(0, |found| found as u32)).collect();
    Key { codes: task.cells.columns[index].iter().map(|&code| new[code as usize]).collect(), labels }
}
