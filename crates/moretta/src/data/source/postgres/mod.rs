//! Tables of PostgreSQL servers. One read-only transaction lasts from the first pass to the last and sees one state of the database; rows
//! come by COPY in its binary form.

mod connect;
mod copy;
mod numeric;
mod password;
mod server_type;
mod tls;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema, SchemaRef};
use postgres::Client;

pub(crate) use self::connect::{connect, interrupted, refused};
use self::server_type::ServerType;
use super::relation::{Relation, RelationColumn, Steady};
use super::{Input, ReadOptions, address};
use crate::error::{Code, Error, Result};

/// What makes passes see the same rows in the same order. A server may end a transaction that waits; this one waits while a release is
/// planned.
const BEGIN: &str = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; \
                     SET LOCAL synchronize_seqscans = off; \
                     SET LOCAL max_parallel_workers_per_gather = 0; \
                     SET LOCAL idle_in_transaction_session_timeout = 0";

/// The tables and views that the user may read.
const TABLES: &str = "SELECT CASE WHEN pg_table_is_visible(c.oid) THEN c.relname ELSE n.nspname || '.' || c.relname END \
                      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
                      WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname NOT LIKE 'pg\\_%' \
                      AND n.nspname <> 'information_schema' AND has_table_privilege(c.oid, 'SELECT') ORDER BY 1";

/// The rows of a table, or of a query.
struct Rows {
    address: PathBuf,
    client: Mutex<Client>,
    /// The COPY that gives them.
    copy: String,
    columns: Vec<RelationColumn>,
    held: Vec<ServerType>,
    schema: SchemaRef,
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows").field("address", &self.address).field("copy", &self.copy).finish_non_exhaustive()
    }
}

pub(super) fn open(input: &Input, options: &ReadOptions) -> Result<Steady> {
    let address = input.name();
    let mut client = connect(address, &options.password)?;
    let refused = |e: postgres::Error| refused(address, &e);
    client.batch_execute(BEGIN).map_err(refused)?;
    let sql = address::statement(input, options, || {
        let tables = client.query(TABLES, &[]).map_err(refused)?;
        Ok(tables.iter().map(|row| row.get(0)).collect())
    })?;
    let statement = client.prepare(&sql).map_err(refused)?;
    if statement.columns().is_empty() || !statement.params().is_empty() {
        return Err(no_select(address));
    }
    let found = statement.columns().iter().map(|column| {
        let held = ServerType::of(column.type_(), column.type_modifier());
        let refused = held.refusal(column.type_(), column.name());
        let field = Field::new(column.name(), held.data_type(), true);
        (RelationColumn { field, refused }, held)
    });
    let (columns, held): (Vec<RelationColumn>, Vec<ServerType>) = found.unzip();
    let schema = Schema::new(columns.iter().map(|column| column.field.clone()).collect::<Vec<_>>());
    let (schema, copy, client) = (Arc::new(schema), copy_statement(&sql, &held), Mutex::new(client));
    let address = address.to_path_buf();
    Ok(Steady::new(Box::new(Rows { address, client, copy, columns, held, schema })))
}

fn no_select(address: &Path) -> Error {
    Error::input("the query gives no rows, or waits for parameters")
        .coded(Code::TableUnreadable)
        .at_file(address)
        .help("write a SELECT: query = \"SELECT * FROM people\"")
}

/// All columns in every pass: with fewer of them the server might choose another way through the table, and another order. They get names
/// of their own, since those of a query need not differ.
fn copy_statement(sql: &str, held: &[ServerType]) -> String {
    let names: Vec<String> = (1..=held.len()).map(|place| format!("c{place}")).collect();
    let selected: Vec<String> = names.iter().zip(held).map(|(name, held)| held.selected(name)).collect();
    // What a query ends in may be a comment.
    let [selected, names] = [selected, names].map(|list| list.join(", "));
    format!("COPY (SELECT {selected} FROM ({sql}\n) AS t ({names})) TO STDOUT (FORMAT binary)")
}

impl Relation for Rows {
    fn columns(&self) -> &[RelationColumn] {
        &self.columns
    }

    fn scan(&self, sink: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        let rows = client.copy_out(&self.copy).map_err(|e| refused(&self.address, &e))?;
        copy::read(rows, &self.address, (&self.held, &self.schema), sink)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_called_by_their_places_and_what_is_not_taken_only_says_whether_it_is_there() {
        let held = [ServerType::Whole4, ServerType::Presence];
        assert_eq!(
            copy_statement("SELECT 1 AS a, 2 AS a -- both", &held),
            "COPY (SELECT c1, CASE WHEN c2 IS NULL THEN NULL ELSE true END FROM (SELECT 1 AS a, 2 AS a -- both\n) AS t (c1, c2)) TO \
             STDOUT (FORMAT binary)"
        );
    }
}
