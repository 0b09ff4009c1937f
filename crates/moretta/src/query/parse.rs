//! From SQL text to conditions.

use sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Select, SelectItem, SetExpr,
    Spanned, Statement, UnaryOperator, Value as SqlValue,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use super::predicate::{Comparison, Literal, Predicate};
use super::question::{Aggregate, Key, Query, Selected};
use crate::error::{Code, Error, Result};

pub(super) fn predicate(sql: &str) -> Result<Predicate> {
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

/// Reads a query: aggregates, a condition, attributes to group by. A release is one table, so FROM may be left out.
pub(super) fn query(sql: &str) -> Result<Query> {
    let unreadable = |e: &ParserError| {
        Error::input(format!("the query {sql:?} can't be read: {}", reason(e))).coded(Code::QueryUnreadable)
    };
    let mut statements = Parser::parse_sql(&GenericDialect {}, sql).map_err(|e| unreadable(&e))?;
    let (Some(Statement::Query(query)), true) = (statements.pop(), statements.is_empty()) else {
        return Err(Error::input(format!("{sql:?} is not one SELECT")).coded(Code::QueryUnreadable).help(QUERY_HELP));
    };
    let refused = |word: &str| refused_word(sql, word);
    if query.with.is_some() {
        return Err(refused("WITH"));
    }
    if query.order_by.is_some() {
        return Err(refused("ORDER BY"));
    }
    if query.limit_clause.is_some() {
        return Err(refused("LIMIT"));
    }
    let SetExpr::Select(select) = *query.body else {
        return Err(Error::input("UNION, VALUES and the like are not supported")
            .coded(Code::QueryUnsupported)
            .help(QUERY_HELP));
    };
    for (found, word) in [
        (select.having.is_some(), "HAVING"),
        (select.distinct.is_some(), "DISTINCT"),
        (select.from.iter().any(|from| !from.joins.is_empty()), "JOIN"),
    ] {
        if found {
            return Err(refused(word));
        }
    }
    read_select(&select)
}

const QUERY_HELP: &str =
    "write SELECT COUNT(*), SUM, AVG, MIN or MAX of an attribute, then WHERE a condition, then GROUP BY attributes";

/// The error for a construct that begins with a word, with its place.
fn refused_word(sql: &str, word: &str) -> Error {
    let place = sql.to_ascii_uppercase().find(word).map_or(String::new(), |at| {
        let before = &sql[..at];
        format!(", at character {} of the query,", before.chars().count() + 1)
    });
    Error::input(format!("{word}{place} is not supported")).coded(Code::QueryUnsupported).help(QUERY_HELP)
}

fn read_select(select: &Select) -> Result<Query> {
    let GroupByExpr::Expressions(keys, _) = &select.group_by else {
        return Err(Error::input("GROUP BY ALL is not supported")
            .coded(Code::QueryUnsupported)
            .help("name the attributes"));
    };
    let group_by = keys.iter().map(key).collect::<Result<Vec<_>>>()?;
    let is_key = |expression: &Expr| key(expression).is_ok_and(|key| group_by.contains(&key));
    let mut selected = Vec::new();
    for item in &select.projection {
        match item {
            SelectItem::UnnamedExpr(expression) if is_key(expression) => {}
            SelectItem::UnnamedExpr(expression) | SelectItem::ExprWithAlias { expr: expression, .. } => {
                selected.push(aggregate(expression)?);
            }
            other => return Err(not_answered(&other.to_string(), other.span().start.column)),
        }
    }
    if selected.is_empty() {
        return Err(Error::input("the query asks for nothing").coded(Code::QueryUnreadable).help(QUERY_HELP));
    }
    let condition = select.selection.as_ref().map(condition).transpose()?;
    Ok(Query { selected, condition, group_by })
}

/// An attribute, or a level of its hierarchy: `LEVEL(education, 1)`.
fn key(expression: &Expr) -> Result<Key> {
    let Expr::Function(function) = expression else { return attribute(expression).map(Key::Attribute) };
    let refused = || {
        not_answered(&expression.to_string(), expression.span().start.column)
            .help("group by an attribute, or by LEVEL(attribute, 1) and so on of its hierarchy")
    };
    let FunctionArguments::List(list) = &function.args else { return Err(refused()) };
    match list.args.as_slice() {
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(of)), FunctionArg::Unnamed(FunctionArgExpr::Expr(level))]
            if function.name.to_string().eq_ignore_ascii_case("level") =>
        {
            let Literal::Number(level) = literal(level)? else { return Err(refused()) };
            Ok(Key::Level(attribute(of)?, level.parse().map_err(|_| refused())?))
        }
        _ => Err(refused()),
    }
}

fn aggregate(expression: &Expr) -> Result<Selected> {
    let refused = || not_answered(&expression.to_string(), expression.span().start.column);
    let Expr::Function(function) = expression else { return Err(refused()) };
    let FunctionArguments::List(list) = &function.args else { return Err(refused()) };
    if list.duplicate_treatment.is_some() || function.over.is_some() || function.filter.is_some() {
        return Err(refused());
    }
    let name = function.name.to_string().to_ascii_lowercase();
    match (name.as_str(), list.args.as_slice()) {
        ("count", [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)]) => Ok(Selected::Count),
        (_, [FunctionArg::Unnamed(FunctionArgExpr::Expr(of))]) => {
            let aggregate = match name.as_str() {
                "sum" => Aggregate::Sum,
                "avg" => Aggregate::Avg,
                "min" => Aggregate::Min,
                "max" => Aggregate::Max,
                _ => return Err(refused()),
            };
            Ok(Selected::Aggregate(aggregate, attribute(of)?))
        }
        _ => Err(refused()),
    }
}

fn not_answered(text: &str, column: u64) -> Error {
    Error::input(format!("{text:?}, at character {column} of the query, is not supported"))
        .coded(Code::QueryUnsupported)
        .help(QUERY_HELP)
}

fn condition(expression: &Expr) -> Result<Predicate> {
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
            let above = Predicate::Compare(name.clone(), Comparison::AtLeast, literal(low)?);
            let below = Predicate::Compare(name, Comparison::AtMost, literal(high)?);
            negate_if(*negated, Predicate::And(vec![above, below]))
        }
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            Predicate::And(vec![condition(left)?, condition(right)?])
        }
        Expr::BinaryOp { left, op: BinaryOperator::Or, right } => {
            Predicate::Or(vec![condition(left)?, condition(right)?])
        }
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

fn negate_if(negated: bool, predicate: Predicate) -> Predicate {
    if negated { Predicate::Not(Box::new(predicate)) } else { predicate }
}

fn comparison(op: &BinaryOperator) -> Option<Comparison> {
    Some(match op {
        BinaryOperator::Eq => Comparison::Equal,
        BinaryOperator::NotEq => Comparison::NotEqual,
        BinaryOperator::Lt => Comparison::Less,
        BinaryOperator::LtEq => Comparison::AtMost,
        BinaryOperator::Gt => Comparison::Greater,
        BinaryOperator::GtEq => Comparison::AtLeast,
        _ => return None,
    })
}

fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::AtMost => Comparison::AtLeast,
        Comparison::Greater => Comparison::Less,
        Comparison::AtLeast => Comparison::AtMost,
        same => same,
    }
}

fn attribute(expression: &Expr) -> Result<String> {
    match expression {
        Expr::Identifier(name) => Ok(name.value.clone()),
        Expr::Nested(inner) => attribute(inner),
        other => Err(unsupported(other).help("one side of a comparison is an attribute, the other a value")),
    }
}

fn literal(expression: &Expr) -> Result<Literal> {
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
    Error::input(format!("{:?}, at character {column} of the condition, is not supported", expression.to_string())).coded(Code::QueryUnsupported).help(
        "a condition compares attributes with values: =, <>, <, <=, >, >=, BETWEEN, IN, IS NULL, joined by AND, OR, NOT",
    )
}

fn unreadable(sql: &str, error: &ParserError) -> Error {
    Error::input(format!("the condition {sql:?} can't be read: {}", reason(error))).coded(Code::QueryUnreadable)
}

fn reason(error: &ParserError) -> String {
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
