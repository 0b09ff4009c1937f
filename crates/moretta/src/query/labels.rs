//! Labels of hierarchies in questions: a label means the leaves below it, a level means its labels.
//!
//! A recipient has only the release, so labels are those that its manifest lists.

use super::question::{Key, Query};
use crate::condition::{Comparator, Literal, Predicate};
use crate::config::suggestion;
use crate::data::value::{Decimal, Type, Value};
use crate::error::{Code, Error, Result};
use crate::numeric::decimal::DecimalSpan;
use crate::release::{Analyst, ColumnMeaning, Manifest, NodeMeaning, ValueMeaning};

/// What a manifest says of the hierarchies of attributes.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    attributes: Vec<Named>,
}

#[derive(Clone, Debug)]
struct Named {
    name: String,
    kind: Type,
    /// Each leaf with what it becomes level by level, leaf first.
    paths: Vec<Vec<String>>,
    /// For intervals, their widths from level 1 on.
    widths: Vec<f64>,
    /// Sets that have short labels.
    sets: Vec<NodeMeaning>,
    /// How published values stand for original ones.
    values: ValueMeaning,
}

impl Labels {
    /// The labels that a manifest lists.
    pub fn of(manifest: &Manifest) -> Self {
        let named = |column: &ColumnMeaning| Named {
            name: column.name.clone(),
            kind: column.kind,
            paths: column.hierarchy.clone(),
            widths: column.widths.clone(),
            sets: match &column.values {
                ValueMeaning::Set { nodes } => nodes.clone(),
                _ => Vec::new(),
            },
            values: column.values.clone(),
        };
        Self { attributes: manifest.columns.iter().map(named).collect() }
    }

    /// The same question with every label replaced by what it stands for, and every level by its labels.
    pub fn resolve(&self, query: &Query, release: &dyn Analyst) -> Result<Query> {
        let condition = query.condition.as_ref().map(|condition| self.in_condition(condition)).transpose()?;
        let key = |key: &Key| match key {
            Key::Level(name, level) => self.level(name, *level, release),
            other => Ok(other.clone()),
        };
        let group_by = query.group_by.iter().map(key).collect::<Result<_>>()?;
        Ok(Query { selected: query.selected.clone(), condition, group_by })
    }

    fn find(&self, name: &str) -> Option<&Named> {
        self.attributes.iter().find(|named| named.name == name)
    }

    fn in_condition(&self, condition: &Predicate) -> Result<Predicate> {
        let all = |parts: &[Predicate]| parts.iter().map(|part| self.in_condition(part)).collect::<Result<Vec<_>>>();
        Ok(match condition {
            Predicate::Compare(name, comparison @ (Comparator::Equal | Comparator::NotEqual), literal) => {
                match self.find(name).map(|named| named.meaning(literal)).transpose()?.flatten() {
                    Some(meaning) if *comparison == Comparator::NotEqual => Predicate::Not(Box::new(meaning)),
                    Some(meaning) => meaning,
                    None => condition.clone(),
                }
            }
            Predicate::In(name, literals) => {
                let Some(named) = self.find(name) else { return Ok(condition.clone()) };
                let (mut plain, mut parts) = (Vec::new(), Vec::new());
                for literal in literals {
                    match named.meaning(literal)? {
                        Some(meaning) => parts.push(meaning),
                        None => plain.push(literal.clone()),
                    }
                }
                if parts.is_empty() {
                    return Ok(condition.clone());
                }
                parts.push(Predicate::In(name.clone(), plain));
                Predicate::Or(parts)
            }
            Predicate::And(parts) => Predicate::And(all(parts)?),
            Predicate::Or(parts) => Predicate::Or(all(parts)?),
            Predicate::Not(part) => Predicate::Not(Box::new(self.in_condition(part)?)),
            Predicate::Compare(..) | Predicate::IsMissing(_) => condition.clone(),
        })
    }

    /// The labels of a level, in the order of the hierarchy.
    fn level(&self, name: &str, level: usize, release: &dyn Analyst) -> Result<Key> {
        let named = self.find(name).filter(|named| !named.paths.is_empty() || !named.widths.is_empty());
        let named = named.ok_or_else(|| {
            let with: Vec<&str> = self.attributes.iter().filter(|n| n.levels() > 0).map(|n| n.name.as_str()).collect();
            let help = if with.is_empty() {
                "no attribute of this release has; group by an attribute itself".to_owned()
            } else {
                format!("these have: {}", with.join(", "))
            };
            Error::input(format!("the release lists no hierarchy of {name:?}")).coded(Code::QueryUnsupported).help(help)
        })?;
        if level > named.levels() {
            return Err(Error::input(format!("the hierarchy of {name:?} has no level {level}"))
                .coded(Code::QueryUnsupported)
                .help(format!("from 0, the values themselves, to {}", named.levels())));
        }
        let labels = match (level, named.widths.get(level.wrapping_sub(1))) {
            (1.., Some(&width)) if named.paths.is_empty() => named.intervals(width, release)?,
            _ => named.nodes(level),
        };
        Ok(Key::Labels(name.to_owned(), level, labels))
    }
}

impl Named {
    /// The highest level.
    fn levels(&self) -> usize {
        let listed = self.paths.iter().map(|path| path.len() - usize::from(!path.is_empty())).max().unwrap_or(0);
        listed.max(self.widths.len())
    }

    /// What a text stands for, if it is more than a value: the leaves below a node, a set with a short label, or an interval.
    fn meaning(&self, literal: &Literal) -> Result<Option<Predicate>> {
        let Literal::Text(text) = literal else { return Ok(None) };
        if matches!(self.kind, Type::Integer | Type::Number)
            && let Some(interval) = self.interval(self.values.closed(text))
        {
            return Ok(Some(interval));
        }
        // A value of the same spelling is meant before a label.
        let is_member = |set: &NodeMeaning| set.leaves.contains(text);
        if let Some(set) = self.sets.iter().find(|set| set.label == *text)
            && !self.sets.iter().any(is_member)
        {
            return Ok(Some(self.leaves(&set.leaves.iter().map(String::as_str).collect::<Vec<_>>())));
        }
        if self.paths.is_empty() {
            return Ok(None);
        }
        let is_leaf = self.paths.iter().any(|path| path.first() == Some(text));
        let below: Vec<&str> =
            self.paths.iter().filter(|path| path.contains(text)).map(|path| path[0].as_str()).collect();
        match (is_leaf, below.as_slice()) {
            (true, [_]) => Ok((!self.kind.is_text()).then(|| self.leaves(&below))),
            (true, _) => {
                Err(Error::input(format!("{text:?} names both a value of {:?} and a group of values", self.name))
                    .coded(Code::QueryUnsupported)
                    .help("list the values that you mean: IN (…)"))
            }
            (false, []) => {
                let mut known: Vec<&str> = self.paths.iter().flatten().map(String::as_str).collect();
                known.sort_unstable();
                known.dedup();
                Err(Error::input(format!("{text:?} is no value of {:?} and no label of its hierarchy", self.name))
                    .coded(Code::QueryUnsupported)
                    .help(suggestion(text, &known)))
            }
            (false, _) => Ok(Some(self.leaves(&below))),
        }
    }

    /// Being one of some leaves; the empty one is a missing value.
    fn leaves(&self, leaves: &[&str]) -> Predicate {
        let literal = |leaf: &&str| match self.kind {
            Type::Integer | Type::Number => Literal::Number((*leaf).to_owned()),
            Type::Boolean => Literal::Boolean(*leaf == "true"),
            Type::Text | Type::Code | Type::Date | Type::Timestamp => Literal::Text((*leaf).to_owned()),
        };
        let known = leaves.iter().filter(|leaf| !leaf.is_empty()).map(literal).collect();
        let known = Predicate::In(self.name.clone(), known);
        if leaves.contains(&"") {
            return Predicate::Or(vec![known, Predicate::IsMissing(self.name.clone())]);
        }
        known
    }

    /// `[20, 24]` or `[20, 25)`.
    fn interval(&self, text: &str) -> Option<Predicate> {
        let inner = text.strip_prefix('[')?;
        let (inner, end) = match inner.strip_suffix(']') {
            Some(inner) => (inner, Comparator::AtMost),
            None => (inner.strip_suffix(')')?, Comparator::Less),
        };
        let (low, high) = inner.split_once(',')?;
        let number = |text: &str| {
            let text = text.trim();
            Value::parse(text, Type::Number, Decimal::Point).map(|_| Literal::Number(text.to_owned()))
        };
        Some(Predicate::And(vec![
            Predicate::Compare(self.name.clone(), Comparator::AtLeast, number(low)?),
            Predicate::Compare(self.name.clone(), end, number(high)?),
        ]))
    }

    /// The nodes of a level with what they stand for; a path that ends before has reached the root.
    fn nodes(&self, level: usize) -> Vec<(String, Predicate)> {
        let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
        for path in &self.paths {
            let (Some(leaf), Some(label)) = (path.first(), path.get(level).or(path.last())) else { continue };
            match found.iter_mut().find(|(known, _)| known == label) {
                Some((_, leaves)) => leaves.push(leaf),
                None => found.push((label, vec![leaf])),
            }
        }
        found.into_iter().map(|(label, leaves)| (label.to_owned(), self.leaves(&leaves))).collect()
    }

    /// The intervals of a width that hold what the release shows.
    fn intervals(&self, width: f64, release: &dyn Analyst) -> Result<Vec<(String, Predicate)>> {
        let index = release.attributes().iter().position(|askable| askable.name == self.name);
        let values = index.map(|index| release.values_of(index)).transpose()?.unwrap_or_default();
        let span = |value: &Value| {
            let span = DecimalSpan::around(value.as_number()?, width)?;
            Some((span.ends().0, span.label(self.kind == Type::Integer)?))
        };
        let mut spans: Vec<(f64, String)> = values.iter().filter_map(span).collect();
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        spans.dedup();
        // An interval with one whole number is labelled by it.
        let one =
            |label: &str| Predicate::Compare(self.name.clone(), Comparator::Equal, Literal::Number(label.to_owned()));
        let meaning = |label: String| (self.interval(&label).unwrap_or_else(|| one(&label)), label);
        Ok(spans.into_iter().map(|(_, label)| meaning(label)).map(|(meaning, label)| (label, meaning)).collect())
    }
}
