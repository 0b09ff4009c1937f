//! Conditions over attributes, with SQL's three truth values.
//!
//! A condition is bound to the domains of a table once; each comparison then is a table of truth
//! values by code, so that judging a row costs a look-up a comparison, whatever the type.

use crate::data::domain::Domain;
use crate::data::value::{Decimal, Type, Value};
use crate::error::{Code, Error, Result};

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// An attribute compared with a value.
    Compare(String, Comparator, Literal),
    /// An attribute is one of some values.
    In(String, Vec<Literal>),
    /// An attribute lacks a value.
    IsMissing(String),
    /// All hold.
    And(Vec<Predicate>),
    /// At least one holds.
    Or(Vec<Predicate>),
    /// It does not hold.
    Not(Box<Predicate>),
}

/// A comparison of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparator {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

/// A value as a query spells it; what it means depends on the attribute it is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// A number, in its spelling.
    Number(String),
    /// A quoted text.
    Text(String),
    /// `true` or `false`.
    Boolean(bool),
}

impl Predicate {
    /// Reads the condition of a WHERE clause.
    pub fn parse(sql: &str) -> Result<Self> {
        super::parse::predicate(sql)
    }

    /// The attributes that it names, each once, in order of appearance.
    pub fn attributes(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.collect_attributes(&mut names);
        names
    }

    fn collect_attributes<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Self::Compare(name, ..) | Self::In(name, _) | Self::IsMissing(name) => {
                if !names.contains(&name.as_str()) {
                    names.push(name);
                }
            }
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.collect_attributes(names)),
            Self::Not(part) => part.collect_attributes(names),
        }
    }

    /// Binds it to the columns of a table: `column` finds the place and the domain of an attribute.
    pub fn bind<'d>(&self, column: &dyn Fn(&str) -> Result<(usize, &'d Domain)>) -> Result<Bound> {
        Ok(match self {
            Self::Compare(name, comparison, literal) => {
                let (index, domain) = column(name)?;
                let wanted = literal.read_as(domain.kind(), name, *comparison)?;
                Bound::Atom(index, truth_by_code(domain, |value| comparison.holds(value, &wanted)))
            }
            Self::In(name, literals) => {
                let (index, domain) = column(name)?;
                let wanted = literals.iter().map(|literal| literal.read_as(domain.kind(), name, Comparator::Equal));
                let wanted = wanted.collect::<Result<Vec<_>>>()?;
                let is_one = |value: &Value| wanted.iter().any(|w| Comparator::Equal.holds(value, w));
                Bound::Atom(index, truth_by_code(domain, is_one))
            }
            Self::IsMissing(name) => {
                let (index, domain) = column(name)?;
                Bound::Atom(index, domain.values().iter().map(|value| Some(value.is_missing())).collect())
            }
            Self::And(parts) => Bound::And(bind_all(parts, column)?),
            Self::Or(parts) => Bound::Or(bind_all(parts, column)?),
            Self::Not(part) => Bound::Not(Box::new(part.bind(column)?)),
        })
    }
}

fn bind_all<'d>(parts: &[Predicate], column: &dyn Fn(&str) -> Result<(usize, &'d Domain)>) -> Result<Vec<Bound>> {
    parts.iter().map(|part| part.bind(column)).collect()
}

/// A comparison with a missing value is neither true nor false.
fn truth_by_code(domain: &Domain, holds: impl Fn(&Value) -> bool) -> Vec<Option<bool>> {
    domain.values().iter().map(|value| (!value.is_missing()).then(|| holds(value))).collect()
}

/// A condition that is bound to the columns of a table.
#[derive(Clone, Debug)]
pub enum Bound {
    /// The truth for each code of a column.
    Atom(usize, Vec<Option<bool>>),
    /// All hold.
    And(Vec<Bound>),
    /// At least one holds.
    Or(Vec<Bound>),
    /// It does not hold.
    Not(Box<Bound>),
}

impl Bound {
    /// The truth for a row, whose code in a column `code` tells; nothing where SQL says unknown.
    pub fn truth(&self, code: &impl Fn(usize) -> u32) -> Option<bool> {
        match self {
            Self::Atom(column, truth) => truth[code(*column) as usize],
            Self::Not(part) => part.truth(code).map(|truth| !truth),
            Self::And(parts) => decide(parts, code, false),
            Self::Or(parts) => decide(parts, code, true),
        }
    }
}

/// One part with the deciding truth value settles the matter; else an unknown part leaves it open.
fn decide(parts: &[Bound], code: &impl Fn(usize) -> u32, deciding: bool) -> Option<bool> {
    let mut open = false;
    for part in parts {
        match part.truth(code) {
            Some(truth) if truth == deciding => return Some(deciding),
            Some(_) => {}
            None => open = true,
        }
    }
    (!open).then_some(!deciding)
}

impl Comparator {
    fn holds(self, value: &Value, other: &Value) -> bool {
        let order = match (value, other) {
            // An integer attribute may be compared with 2.5.
            (Value::Integer(a), Value::Number(b)) => (*a as f64).total_cmp(b),
            _ => value.cmp(other),
        };
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
        }
    }
}

impl Literal {
    pub(crate) fn read_as(&self, kind: Type, attribute: &str, comparison: Comparator) -> Result<Value> {
        let value = match (self, kind) {
            (Self::Number(text), Type::Integer) => Value::parse(text, Type::Integer, Decimal::Point)
                .or_else(|| Value::parse(text, Type::Number, Decimal::Point)),
            (Self::Number(text), Type::Number) => Value::parse(text, Type::Number, Decimal::Point),
            // Codes such as zip codes are texts that people write as numbers; only equality means something.
            (Self::Number(text), Type::Text | Type::Code)
                if matches!(comparison, Comparator::Equal | Comparator::NotEqual) =>
            {
                Some(Value::Text(text.as_str().into()))
            }
            (Self::Text(text), Type::Text | Type::Code | Type::Date | Type::Timestamp | Type::Boolean) => {
                Value::parse(text, kind, Decimal::Point)
            }
            (Self::Boolean(truth), Type::Boolean) => Some(Value::Boolean(*truth)),
            _ => None,
        };
        value.ok_or_else(|| {
            let right = match kind {
                Type::Integer | Type::Number => "a number",
                Type::Text | Type::Code => "a text in single quotes",
                Type::Date => "a day in single quotes, such as '1994-03-07'",
                Type::Timestamp => {
                    "a time in single quotes, such as '1994-03-07T14:30:00', or a day, which is its midnight"
                }
                Type::Boolean => "true or false",
            };
            Error::input(format!("{attribute:?} is of type {}, and {self} is not", kind.name()))
                .coded(Code::QueryUnsupported)
                .help(format!("compare it with {right}"))
        })
    }
}

impl std::fmt::Display for Literal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(text) => f.write_str(text),
            Self::Text(text) => write!(f, "'{}'", text.replace('\'', "''")),
            Self::Boolean(truth) => write!(f, "{truth}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows, out of ages missing, 20, 30, 40, for which the condition is true.
    fn selected(sql: &str) -> Vec<u32> {
        let ages = [Value::Missing, Value::Integer(20), Value::Integer(30), Value::Integer(40)];
        let domain = Domain::from_sorted(Type::Integer, ages.to_vec());
        let bound = Predicate::parse(sql).unwrap().bind(&|_| Ok((0, &domain))).unwrap();
        (0..4).filter(|&code| bound.truth(&|_| code) == Some(true)).collect()
    }

    #[test]
    fn comparisons_select_what_sql_selects() {
        for (sql, codes) in [
            ("age = 30", &[2][..]),
            ("age <> 30", &[1, 3]),
            ("age >= 30 AND NOT age > 30", &[2]),
            ("age BETWEEN 20 AND 30", &[1, 2]),
            ("age NOT BETWEEN 25 AND 35", &[1, 3]),
            ("age IN (20, 40)", &[1, 3]),
            ("age NOT IN (20)", &[2, 3]),
            ("age IS NULL OR age < 25", &[0, 1]),
            ("age IS NOT NULL", &[1, 2, 3]),
            ("NOT (age < 35)", &[3]),
            ("30 < age", &[3]),
            ("age > 29.5", &[2, 3]),
            ("age > -5", &[1, 2, 3]),
        ] {
            assert_eq!(selected(sql), codes, "{sql}");
        }
    }

    #[test]
    fn a_comparison_with_a_missing_value_is_unknown_even_when_negated() {
        assert_eq!(selected("NOT age = 30"), [1, 3]);
        assert_eq!(selected("age = 20 OR NOT age = 20"), [1, 2, 3]);
    }

    #[test]
    fn a_value_of_another_type_is_refused() {
        let domain = Domain::from_sorted(Type::Integer, vec![Value::Integer(1)]);
        let error = Predicate::parse("age = 'old'").unwrap().bind(&|_| Ok((0, &domain))).unwrap_err();
        assert!(error.message().contains("\"age\" is of type integer, and 'old' is not"), "{error}");
    }
}
