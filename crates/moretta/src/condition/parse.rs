//! From SQL text to conditions.

use sqlparser::ast::{BinaryOperator, Expr, Spanned, UnaryOperator, Value as SqlValue};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use super::{Comparator, Literal, Predicate};
use crate::error::{Code, Error, Result};

/// The most AND and OR in one text: their tree is dropped level by level, within the smallest stack that threads have.
const MOST_JOINS: usize = 1000;

pub(crate) fn predicate(sql: &str) -> Result<Predicate> {
    refuse_long(sql)?;
    let mut parser = Parser::new(&GenericDialect {}).try_with_sql(sql).map_err(|e| unreadable(sql, &e))?;
    let expression = parser.parse_expr().map_err(|e| unreadable(sql, &e))?;
    let next = parser.peek_token();
    if next.token != Token::EOF {
        let message = format!(
            "the condition should end before {:?}, character {}",
            next.token.to_string(),
            next.span.start.column
        );
        return Err(Error::input(message).coded(Code::QueryUnreadable).help(format!("in {sql:?}")));
    }
    condition(&expression)
}

/// Reads a condition that was parsed.
pub(crate) fn condition(expression: &Expr) -> Result<Predicate> {
    Ok(match expression {
        Expr::Nested(inner) => condition(inner)?,
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => Predicate::Not(Box::new(condition(expr)?)),
        Expr::IsNull(expr) => Predicate::IsMissing(attribute(expr)?),
        Expr::IsNotNull(expr) => Predicate::Not(Box::new(Predicate::IsMissing(attribute(expr)?))),
        Expr::InList { expr, list, negated } => {
            let list = list.iter().map(literal).collect::<Result<Vec<_>>>()?;
            negate_if(*negated, Predicate::In(attribute(expr)?, list))
        }
        Expr::Between { expr, negated, low, high } => {
            let name = attribute(expr)?;
            let above = Predicate::Compare(name.clone(), Comparator::AtLeast, literal(low)?);
            let below = Predicate::Compare(name, Comparator::AtMost, literal(high)?);
            negate_if(*negated, Predicate::And(vec![above, below]))
        }
        Expr::BinaryOp { op: op @ BinaryOperator::And, .. } => Predicate::And(chained(expression, op)?),
        Expr::BinaryOp { op: op @ BinaryOperator::Or, .. } => Predicate::Or(chained(expression, op)?),
        Expr::BinaryOp { left, op, right } => {
            let comparison = comparison(op).ok_or_else(|| unsupported(expression))?;
            if matches!(**right, Expr::Identifier(_)) && !matches!(**left, Expr::Identifier(_)) {
                Predicate::Compare(attribute(right)?, mirrored(comparison), literal(left)?)
            } else {
                Predicate::Compare(attribute(left)?, comparison, literal(right)?)
            }
        }
        other => return Err(unsupported(other)),
    })
}

/// The parts of `a AND b AND c`, from the left. A chain is as deep as it is long, so it is walked and not descended.
fn chained(expression: &Expr, joined_by: &BinaryOperator) -> Result<Vec<Predicate>> {
    let mut parts = Vec::new();
    let mut rest = expression;
    while let Expr::BinaryOp { left, op, right } = rest
        && op == joined_by
    {
        parts.push(condition(right)?);
        rest = left;
    }
    parts.push(condition(rest)?);
    parts.reverse();
    Ok(parts)
}

/// Refuses a text whose tree would be so deep that the stack could not hold the way down: each AND and OR is a level.
pub(crate) fn refuse_long(sql: &str) -> Result<()> {
    let words = sql.split(|sign: char| !sign.is_alphanumeric());
    let joins = words.filter(|word| word.eq_ignore_ascii_case("and") || word.eq_ignore_ascii_case("or")).count();
    if joins <= MOST_JOINS {
        return Ok(());
    }
    Err(Error::input(format!("{joins} times AND or OR are too many; at most {MOST_JOINS} are read"))
        .coded(Code::QueryUnsupported)
        .help("write IN for many values of one attribute, or ask several questions"))
}

fn negate_if(negated: bool, predicate: Predicate) -> Predicate {
    if negated { Predicate::Not(Box::new(predicate)) } else { predicate }
}

fn comparison(op: &BinaryOperator) -> Option<Comparator> {
    Some(match op {
        BinaryOperator::Eq => Comparator::Equal,
        BinaryOperator::NotEq => Comparator::NotEqual,
        BinaryOperator::Lt => Comparator::Less,
        BinaryOperator::LtEq => Comparator::AtMost,
        BinaryOperator::Gt => Comparator::Greater,
        BinaryOperator::GtEq => Comparator::AtLeast,
        _ => return None,
    })
}

fn mirrored(comparison: Comparator) -> Comparator {
    match comparison {
        Comparator::Less => Comparator::Greater,
        Comparator::AtMost => Comparator::AtLeast,
        Comparator::Greater => Comparator::Less,
        Comparator::AtLeast => Comparator::AtMost,
        same => same,
    }
}

/// The attribute that an expression names.
pub(crate) fn attribute(expression: &Expr) -> Result<String> {
    match expression {
        Expr::Identifier(name) => Ok(name.value.clone()),
        Expr::Nested(inner) => attribute(inner),
        other => Err(unsupported(other).help("one side of a comparison is an attribute, the other a value")),
    }
}

/// The value that an expression states.
pub(crate) fn literal(expression: &Expr) -> Result<Literal> {
    match expression {
        Expr::Value(value) => match &value.value {
            SqlValue::Number(text, _) => Ok(Literal::Number(text.clone())),
            SqlValue::SingleQuotedString(text) => Ok(Literal::Text(text.clone())),
            SqlValue::Boolean(truth) => Ok(Literal::Boolean(*truth)),
            SqlValue::Null => Err(unsupported(expression).help("to ask for missing values write IS NULL")),
            _ => Err(unsupported(expression)),
        },
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => match literal(expr)? {
            Literal::Number(text) => Ok(Literal::Number(format!("-{text}"))),
            _ => Err(unsupported(expression)),
        },
        Expr::Identifier(name) => Err(unsupported(expression)
            .help(format!("compare an attribute with a value; a text stands in single quotes: '{}'", name.value))),
        other => Err(unsupported(other)),
    }
}

fn unsupported(expression: &Expr) -> Error {
    let column = expression.span().start.column;
    Error::input(format!("{:?}, at character {column} of the condition, is not supported", expression.to_string()))
        .coded(Code::QueryUnsupported)
        .help(
        "a condition compares attributes with values: =, <>, <, <=, >, >=, BETWEEN, IN, IS NULL, joined by AND, OR, NOT",
    )
}

fn unreadable(sql: &str, error: &ParserError) -> Error {
    Error::input(format!("the condition {sql:?} can't be read: {}", reason(error))).coded(Code::QueryUnreadable)
}

/// Why a text is no SQL.
pub(crate) fn reason(error: &ParserError) -> String {
    match error {
        ParserError::TokenizerError(reason) | ParserError::ParserError(reason) => reason.clone(),
        ParserError::RecursionLimitExceeded => "it is nested too deeply".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_supported_is_named_with_its_place() {
        for (sql, words) in [
            ("age = ", "can't be read"),
            ("age = 3 4", "should end before \"4\""),
            ("age = 3 AND upper(name) = 'X'", "\"upper(name)\", at character 13"),
            ("age = weight", "\"weight\""),
            ("age LIKE 'x%'", "not supported"),
            ("age = NULL", "not supported"),
            ("", "can't be read"),
        ] {
            let error = predicate(sql).unwrap_err();
            assert!(error.message().contains(words), "{sql}: {error}");
        }
    }
}
