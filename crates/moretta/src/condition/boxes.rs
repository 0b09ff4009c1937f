//! A condition as disjoint boxes: products of sets of values, one set an attribute.
//!
//! Whoever knows how attributes depend on each other in a release can weigh a box attribute by attribute, and
//! disjoint boxes add up, whatever AND, OR and NOT the condition is made of.

use super::{Comparator, Literal, Predicate, ValueSet};
use crate::data::value::{Type, Value};
use crate::error::{Code, Error, Result};

/// A product of sets of values: the attributes that it restricts, by their place, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryBox {
    /// What each restricted attribute may be.
    pub sides: Vec<(usize, ValueSet)>,
}

/// More boxes than this and the condition is refused: it would take too long.
const MOST_BOXES: usize = 4096;

impl QueryBox {
    /// What an attribute may be, if it is restricted.
    pub fn side(&self, attribute: usize) -> Option<&ValueSet> {
        self.sides.iter().find(|(index, _)| *index == attribute).map(|(_, set)| set)
    }

    /// The box with one attribute restricted further; nothing if nothing is left of it.
    #[must_use]
    pub fn restrict(&self, attribute: usize, set: &ValueSet) -> Option<Self> {
        let mut sides = self.sides.clone();
        match sides.binary_search_by_key(&attribute, |(index, _)| *index) {
            Ok(at) => sides[at].1 = sides[at].1.intersect(set),
            Err(at) => sides.insert(at, (attribute, set.clone())),
        }
        sides.iter().all(|(_, set)| !set.is_empty()).then_some(Self { sides })
    }

    fn intersect(&self, other: &Self) -> Option<Self> {
        other.sides.iter().try_fold(self.clone(), |found, (attribute, set)| found.restrict(*attribute, set))
    }

    /// What is left of it without another: a box for each attribute in which the other is the first to be left.
    fn without(&self, other: &Self) -> Vec<Self> {
        let mut rest = Vec::new();
        let mut inside = self.clone();
        for (attribute, set) in &other.sides {
            rest.extend(inside.restrict(*attribute, &set.complement()));
            match inside.restrict(*attribute, set) {
                Some(next) => inside = next,
                None => return rest,
            }
        }
        rest
    }
}

/// The disjoint boxes in which a condition is true; `attribute` finds the place and the type of an attribute.
pub fn boxes(
    condition: Option<&Predicate>,
    attribute: &dyn Fn(&str) -> Result<(usize, Type)>,
) -> Result<Vec<QueryBox>> {
    match condition {
        None => Ok(vec![QueryBox::default()]),
        Some(condition) => boxes_where(condition, true, attribute),
    }
}

/// The boxes in which a condition is true, or is false: SQL's unknown is neither.
fn boxes_where(
    condition: &Predicate,
    truth: bool,
    attribute: &dyn Fn(&str) -> Result<(usize, Type)>,
) -> Result<Vec<QueryBox>> {
    let atom = |name: &str, set: &dyn Fn(Type) -> Result<ValueSet>| {
        let (index, kind) = attribute(name)?;
        let set = set(kind)?;
        let set = if truth { set } else { set.negation() };
        Ok(QueryBox::default().restrict(index, &set).into_iter().collect())
    };
    match condition {
        Predicate::Compare(name, comparison, literal) => atom(name, &|kind| compare(name, kind, *comparison, literal)),
        Predicate::In(name, literals) => atom(name, &|kind| {
            literals.iter().try_fold(ValueSet::nothing(), |found, literal| {
                Ok(found.union(&compare(name, kind, Comparator::Equal, literal)?))
            })
        }),
        Predicate::IsMissing(name) => {
            let (index, _) = attribute(name)?;
            let set = if truth { ValueSet::missing() } else { ValueSet::missing().complement() };
            Ok(QueryBox::default().restrict(index, &set).into_iter().collect())
        }
        Predicate::Not(part) => boxes_where(part, !truth, attribute),
        Predicate::And(parts) if truth => all_of(parts, truth, attribute),
        Predicate::Or(parts) if !truth => all_of(parts, truth, attribute),
        Predicate::And(parts) | Predicate::Or(parts) => any_of(parts, truth, attribute),
    }
}

fn all_of(
    parts: &[Predicate],
    truth: bool,
    attribute: &dyn Fn(&str) -> Result<(usize, Type)>,
) -> Result<Vec<QueryBox>> {
    parts.iter().try_fold(vec![QueryBox::default()], |found, part| {
        let part = boxes_where(part, truth, attribute)?;
        limited(found.iter().flat_map(|one| part.iter().filter_map(|other| one.intersect(other))).collect())
    })
}

fn any_of(
    parts: &[Predicate],
    truth: bool,
    attribute: &dyn Fn(&str) -> Result<(usize, Type)>,
) -> Result<Vec<QueryBox>> {
    parts.iter().try_fold(Vec::new(), |mut found: Vec<QueryBox>, part| {
        let mut new = boxes_where(part, truth, attribute)?;
        for known in &found {
            new = limited(new.iter().flat_map(|one| one.without(known)).collect())?;
        }
        found.append(&mut new);
        limited(found)
    })
}

fn limited(boxes: Vec<QueryBox>) -> Result<Vec<QueryBox>> {
    if boxes.len() <= MOST_BOXES {
        return Ok(boxes);
    }
    Err(Error::input(format!("the condition falls into more than {MOST_BOXES} separate cases"))
        .coded(Code::QueryUnsupported)
        .help("ask simpler questions and add their answers up"))
}

fn compare(name: &str, kind: Type, comparison: Comparator, literal: &Literal) -> Result<ValueSet> {
    let value = literal.read_as(kind, name, comparison)?;
    if let (Value::Number(x), Type::Integer) = (&value, kind) {
        return Ok(compare_whole(*x, comparison));
    }
    Ok(match comparison {
        Comparator::Equal => ValueSet::one(value),
        Comparator::NotEqual => ValueSet::one(value).negation(),
        Comparator::Less => ValueSet::below(value, false),
        Comparator::AtMost => ValueSet::below(value, true),
        Comparator::Greater => ValueSet::above(value, false),
        Comparator::AtLeast => ValueSet::above(value, true),
    })
}

/// Whole numbers compared with a number that is not whole.
fn compare_whole(x: f64, comparison: Comparator) -> ValueSet {
    let below = Value::Integer(x.floor() as i64);
    let above = Value::Integer(x.ceil() as i64);
    match comparison {
        _ if x.fract() == 0.0 => match comparison {
            Comparator::Equal => ValueSet::one(below),
            Comparator::NotEqual => ValueSet::one(below).negation(),
            Comparator::Less => ValueSet::below(below, false),
            Comparator::AtMost => ValueSet::below(below, true),
            Comparator::Greater => ValueSet::above(below, false),
            Comparator::AtLeast => ValueSet::above(below, true),
        },
        Comparator::Equal => ValueSet::nothing(),
        Comparator::NotEqual => ValueSet::nothing().negation(),
        Comparator::Less | Comparator::AtMost => ValueSet::below(below, true),
        Comparator::Greater | Comparator::AtLeast => ValueSet::above(above, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::domain::Domain;
    use proptest::prelude::*;

    fn conditions() -> impl Strategy<Value = Predicate> {
        let comparison = prop_oneof![
            Just(Comparator::Equal),
            Just(Comparator::NotEqual),
            Just(Comparator::Less),
            Just(Comparator::AtLeast)
        ];
        let name = prop_oneof![Just("a"), Just("b"), Just("c")].prop_map(str::to_owned);
        let number = prop_oneof![Just("1"), Just("2"), Just("2.5"), Just("3")];
        let leaf = (name, comparison, number, 0..6_u8).prop_map(|(name, comparison, number, shape)| match shape {
            0 => Predicate::IsMissing(name),
            1 => Predicate::In(name, vec![Literal::Number(number.into()), Literal::Number("0".into())]),
            _ => Predicate::Compare(name, comparison, Literal::Number(number.into())),
        });
        leaf.prop_recursive(4, 12, 3, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 1..4).prop_map(Predicate::And),
                proptest::collection::vec(inner.clone(), 1..4).prop_map(Predicate::Or),
                inner.prop_map(|part| Predicate::Not(Box::new(part))),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn boxes_are_disjoint_and_hold_exactly_what_sql_selects(condition in conditions()) {
            let values = vec![Value::Missing, Value::Integer(0), Value::Integer(1), Value::Integer(2), Value::Integer(3)];
            let domain = Domain::from_sorted(Type::Integer, values.clone());
            let index = |name: &str| ["a", "b", "c"].iter().position(|n| *n == name).unwrap_or(0);
            let bound = condition.bind(&|name| Ok((index(name), &domain))).unwrap();
            let boxes = boxes(Some(&condition), &|name| Ok((index(name), Type::Integer))).unwrap();
            for point in 0..125_u32 {
                let codes = [point % 5, point / 5 % 5, point / 25];
                let inside = |one: &&QueryBox| {
                    one.sides.iter().all(|(index, set)| set.contains(&values[codes[*index] as usize]))
                };
                let found = boxes.iter().filter(inside).count();
                let wanted = usize::from(bound.truth(&|index: usize| codes[index]) == Some(true));
                prop_assert_eq!(found, wanted);
            }
        }
    }
}
