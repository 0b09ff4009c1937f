//! Where a table is: a file, the parts of a table in several files, standard input, a table of a database.

use std::borrow::Cow;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::parts::PartList;
use super::{Input, ReadOptions};
use crate::error::{Code, Error, Result};

const SQLITE: &str = "sqlite:";
const DUCKDB: &str = "duckdb:";
const POSTGRES: [&str; 2] = ["postgresql://", "postgres://"];
const STANDARD_INPUT: &str = "-";

/// A sort of database, with its file where it is one.
pub(crate) enum DatabaseKind<'a> {
    Sqlite(&'a Path),
    DuckDb(&'a Path),
    Postgres,
}

/// The source of a policy, seen from the folder of the policy: a path is relative to it, an address of a server is not.
///
/// An address must not hold a password, which would stand wherever the policy goes.
pub fn relative_to(base: &Path, source: &str) -> Result<PathBuf> {
    refuse_secrets(source)?;
    if source == STANDARD_INPUT || is_server(source) {
        return Ok(source.into());
    }
    let within = [SQLITE, DUCKDB].into_iter().find_map(|scheme| Some((scheme, source.strip_prefix(scheme)?)));
    Ok(match within {
        None => base.join(source),
        Some((scheme, file)) => {
            let mut address = std::ffi::OsString::from(scheme);
            address.push(base.join(file));
            address.into()
        }
    })
}

impl Input {
    /// The table at a path or an address.
    pub fn at(place: &Path) -> Result<Self> {
        let Some(text) = place.to_str() else { return Ok(Self::File(place.to_path_buf())) };
        refuse_secrets(text)?;
        if text == STANDARD_INPUT {
            return standard_input();
        }
        if is_server(text) || text.starts_with(SQLITE) || text.starts_with(DUCKDB) {
            return Ok(Self::Database(place.to_path_buf()));
        }
        let exists = place.exists();
        if place.is_dir() || !exists && text.contains(['*', '?', '[']) {
            return Ok(Self::Parts(Arc::new(PartList::find(place)?)));
        }
        if !exists && let Some((scheme, _)) = text.split_once("://") {
            return Err(Error::input(format!("there is no way to read from {scheme}://"))
                .coded(Code::TableUnreadable)
                .help(
                    "a table is a file, a folder of parts, sqlite:FILE, duckdb:FILE or postgresql://USER@HOST/DATABASE",
                ));
        }
        Ok(Self::File(place.to_path_buf()))
    }

    /// What sort of database an address names.
    pub(super) fn base(&self) -> DatabaseKind<'_> {
        database_kind(self.name()).unwrap_or(DatabaseKind::Postgres)
    }
}

/// What sort of database an address names; nothing where it names none.
pub(crate) fn database_kind(place: &Path) -> Option<DatabaseKind<'_>> {
    let (text, _) = split(place.to_str()?);
    if let Some(file) = text.strip_prefix(SQLITE) {
        return Some(DatabaseKind::Sqlite(Path::new(file)));
    }
    if let Some(file) = text.strip_prefix(DUCKDB) {
        return Some(DatabaseKind::DuckDb(Path::new(file)));
    }
    is_server(text).then_some(DatabaseKind::Postgres)
}

/// An address, and the table that stands after it: `sqlite:clinic.db#patients`.
pub(crate) fn split(address: &str) -> (&str, Option<&str>) {
    address.rsplit_once('#').map_or((address, None), |(address, table)| (address, Some(table)))
}

fn is_server(text: &str) -> bool {
    POSTGRES.iter().any(|scheme| text.starts_with(scheme))
}

/// Refuses a password without repeating it.
pub(crate) fn refuse_secrets(text: &str) -> Result<()> {
    let Some(rest) = POSTGRES.iter().find_map(|scheme| text.strip_prefix(scheme)) else { return Ok(()) };
    let (before, parameters) = rest.split_once('?').unwrap_or((rest, ""));
    // A user has no slash, unless it is written as %2F; a password may have anything, and ends at the last @.
    let user = before.rsplit_once('@').map_or("", |(user, _)| user);
    let keyed = |parameter: &str| {
        let key = parameter.split('=').next().unwrap_or_default().to_ascii_lowercase();
        key.contains("pass") || key.contains('%')
    };
    if !user.contains(':') && !parameters.contains('@') && !parameters.split('&').any(keyed) {
        return Ok(());
    }
    Err(Error::input("the address of a server must not hold a password")
        .coded(Code::WrongParameter)
        .help("leave it out: it is taken from PGPASSWORD, from ~/.pgpass, or asked for"))
}

/// All of standard input. It can be read once, and a table more often: so it is kept.
fn standard_input() -> Result<Input> {
    static CONTENT: OnceLock<Bytes> = OnceLock::new();
    let name = PathBuf::from("standard input");
    if let Some(content) = CONTENT.get() {
        return Ok(Input::Memory(name, content.clone()));
    }
    let mut content = Vec::new();
    std::io::stdin().lock().read_to_end(&mut content).map_err(|e| Error::system("can't read standard input", e))?;
    Ok(Input::Memory(name, CONTENT.get_or_init(|| content.into()).clone()))
}

/// The statement that gives the table that the options name, and no other; `tables` are those that there are.
pub(super) fn statement(
    input: &Input,
    options: &ReadOptions,
    tables: impl FnOnce() -> Result<Vec<String>>,
) -> Result<String> {
    let unclear =
        |what: &str, help: String| Err(Error::input(what).coded(Code::MissingKey).at_file(input.name()).help(help));
    let (_, named) = split(input.name().to_str().unwrap_or_default());
    match (options.table.as_deref().or(named), &options.query) {
        _ if options.table.is_some() && named.is_some() => {
            unclear("a table is stated, and another one stands after the address", "state one of them".to_owned())
        }
        (Some(table), None) => Ok(format!("SELECT * FROM {}", qualified(table))),
        (None, Some(query)) => Ok(query.trim().trim_end_matches(';').to_owned()),
        (Some(_), Some(_)) => unclear("both a table and a query are stated", "state one of them".to_owned()),
        (None, None) => {
            let mut tables: Vec<String> = tables()?.iter().map(|table| format!("{table:?}")).collect();
            let more = tables.len().saturating_sub(10);
            tables.truncate(10);
            let stated = options.place.state("table", tables.first().map_or("\"people\"", String::as_str));
            let found = match tables.len() {
                0 => "there is none that can be read".to_owned(),
                _ if more > 0 => format!("there are {} and {more} more", tables.join(", ")),
                _ => format!("there is {}", tables.join(", ")),
            };
            let help = format!("{stated} (or `query`), or write it after the address as in ADDRESS#people; {found}");
            unclear("which table of the database it is has to be stated", help)
        }
    }
}

/// A name of a table, perhaps after that of its schema.
fn qualified(table: &str) -> Cow<'_, str> {
    if table.starts_with('"') {
        return table.into();
    }
    table.split('.').map(quoted).collect::<Vec<_>>().join(".").into()
}

/// A name as SQL quotes it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_not_relative_and_a_file_is() {
        let place = |source| relative_to(Path::new("there"), source).unwrap();
        assert_eq!(place("t.csv"), Path::new("there/t.csv"));
        assert_eq!(place("sqlite:t.db"), Path::new("sqlite:there/t.db"));
        assert_eq!(place("duckdb:t.db"), Path::new("duckdb:there/t.db"));
        assert_eq!(place("sqlite:/t.db"), Path::new("sqlite:/t.db"));
        assert_eq!(place("postgresql://me@host/db"), Path::new("postgresql://me@host/db"));
        assert_eq!(place("-"), Path::new("-"));
    }

    #[test]
    fn a_password_is_refused_and_not_repeated() {
        for address in [
            "postgresql://me:geheim@host/db",
            "postgres://me:geheim@host",
            "postgresql://me:ge@heim/x@host/db",
            "postgresql://host/db?password=geheim",
            "postgresql://host/db?sslmode=require&PassWord=geheim",
            "postgresql://host/db?pass%77ord=geheim",
            "postgresql://me:ge?heim@host/db",
            "postgresql://host/db?sslpassword=geheim",
        ] {
            for error in [relative_to(Path::new("."), address).unwrap_err(), Input::at(Path::new(address)).unwrap_err()]
            {
                assert!(!format!("{error:?}").contains("heim"), "{error:?}");
            }
        }
        for address in ["postgresql://me@host:5432/db", "postgresql://host/db?sslmode=verify-full", "sqlite:a:b@c.db"] {
            assert!(relative_to(Path::new("."), address).is_ok(), "{address}");
        }
    }

    #[test]
    fn a_table_is_quoted_and_a_query_is_itself() {
        let input = Input::Database("sqlite:x.db".into());
        let none = || Ok(vec!["a".to_owned(), "b".to_owned()]);
        let sql = |table: Option<&str>, query: Option<&str>| {
            let options = ReadOptions {
                table: table.map(ToOwned::to_owned),
                query: query.map(ToOwned::to_owned),
                ..ReadOptions::detect()
            };
            statement(&input, &options, none)
        };
        assert_eq!(sql(Some("s.my \"table"), None).unwrap(), "SELECT * FROM \"s\".\"my \"\"table\"");
        assert_eq!(sql(Some("\"a.b\""), None).unwrap(), "SELECT * FROM \"a.b\"");
        assert_eq!(sql(None, Some("SELECT 1; ")).unwrap(), "SELECT 1");
        let after = Input::Database("sqlite:x.db#a b".into());
        assert_eq!(statement(&after, &ReadOptions::detect(), none).unwrap(), "SELECT * FROM \"a b\"");
        assert!(matches!(after.base(), DatabaseKind::Sqlite(file) if file == Path::new("x.db")));
        let both = ReadOptions { table: Some("b".to_owned()), ..ReadOptions::detect() };
        assert!(statement(&after, &both, none).is_err());
        assert!(sql(Some("a"), Some("SELECT 1")).is_err());
        let error = sql(None, None).unwrap_err().to_string();
        assert!(
            error.contains("table = \"a\"")
                && error.contains("ADDRESS#people")
                && error.contains("there is \"a\", \"b\""),
            "{error}"
        );
    }
}
