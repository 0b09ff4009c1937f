//! From SQL text to questions.

use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Select, SelectItem, SetExpr, Spanned, Statement,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::{Parser, ParserError};

use super::question::{Key, Query, Selected};
use crate::condition::{Literal, attribute, condition, literal, reason, refuse_long};
use crate::error::{Code, Error, Result};
use crate::release::Aggregate;

/// Reads a query: aggregates, a condition, attributes to group by. A release is one table, so FROM may be left out.
pub(super) fn query(sql: &str) -> Result<Query> {
    refuse_long(sql)?;
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
