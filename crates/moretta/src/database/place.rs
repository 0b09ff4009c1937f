//! Where in a database a release stands: the address, and the schema after it.

use std::path::{Path, PathBuf};

use crate::data::source::{DatabaseKind, database_kind, refuse_secrets, split_address};
use crate::error::{Code, Error, Result};
use crate::release::Dialect;

/// The most letters of a schema's name. Names of tables of SQLite begin with it.
const LONGEST: usize = 48;

/// A schema of a database. In SQLite, which has none, what the names of tables begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The address of the database.
    pub address: PathBuf,
    /// The name of the schema.
    pub schema: String,
}

impl Destination {
    /// Refuses an address that is none of a database, without repeating it: it may hold a password.
    pub fn check(address: &Path) -> Result<()> {
        refuse_secrets(address.to_str().unwrap_or_default())?;
        if database_kind(address).is_none() {
            return Err(Error::input("this is not the address of a database")
                .coded(Code::WrongParameter)
                .help("write postgresql://USER@HOST/DATABASE, sqlite:FILE or duckdb:FILE"));
        }
        match split_address(address.to_str().unwrap_or_default()).1 {
            None => Ok(()),
            Some(_) => Err(Error::input("the address of a database has a table after it")
                .coded(Code::WrongParameter)
                .help("leave out the # and what follows it, and state the schema as `schema`")),
        }
    }

    /// A schema of the database at an address, which holds no password.
    pub fn new(address: PathBuf, schema: &str) -> Result<Self> {
        Self::check(&address)?;
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let is_name = schema.starts_with(|c: char| c.is_ascii_lowercase())
            && schema.chars().all(is_plain)
            && schema.len() <= LONGEST;
        let is_taken = schema.starts_with("pg_") || schema.starts_with("sqlite_");
        if !is_name || is_taken || matches!(schema, "public" | "main" | "temp" | "information_schema") {
            return Err(Error::input(format!("{schema:?} can't be the name of a release's schema"))
                .coded(Code::WrongParameter)
                .help(format!(
                    "write a letter and then letters, digits and _, all small, up to {LONGEST}, and none of the database's own: release_2026"
                )));
        }
        Ok(Self { address, schema: schema.to_owned() })
    }

    /// The schema that a place such as `sqlite:clinic.db#release_2026` names; nothing where the place is no database.
    pub fn at(place: &Path) -> Option<Result<Self>> {
        database_kind(place)?;
        let text = place.to_str()?;
        let (address, schema) = split_address(text);
        // A password may hold what looks like the end of an address.
        Some(match (refuse_secrets(text), schema) {
            (Err(error), _) => Err(error),
            (Ok(()), Some(schema)) => Self::new(address.into(), schema),
            (Ok(()), None) => Err(Error::input("which release of the database it is has to be stated")
                .coded(Code::NoRelease)
                .at_file(place)
                .help("write its schema after the address, as in ADDRESS#release_2026")),
        })
    }

    /// The SQL that the database understands.
    pub(super) fn dialect(&self) -> Dialect {
        match database_kind(&self.address) {
            Some(DatabaseKind::Sqlite(_)) => Dialect::Sqlite,
            Some(DatabaseKind::DuckDb(_)) => Dialect::DuckDb,
            Some(DatabaseKind::Postgres) | None => Dialect::Postgres,
        }
    }

    /// As errors call it.
    pub(super) fn shown(&self) -> PathBuf {
        let mut shown = self.address.clone().into_os_string();
        shown.push("#");
        shown.push(&self.schema);
        shown.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_an_address_and_a_plain_name() {
        let at = |place: &str| Destination::at(Path::new(place));
        let found = at("sqlite:a b/c.db#release_2026_11").unwrap().unwrap();
        assert_eq!((found.address.as_path(), found.schema.as_str()), (Path::new("sqlite:a b/c.db"), "release_2026_11"));
        assert_eq!(found.shown(), Path::new("sqlite:a b/c.db#release_2026_11"));
        assert!(at("release").is_none() && at("people.csv#2").is_none());
        assert!(at("postgresql://me@host/db").unwrap().unwrap_err().to_string().contains("schema"));
        for place in [
            "postgresql://me:geheim@host/db#a",
            "postgresql://me:geheim@host/db",
            "postgresql://me:ge#heim@host/db",
            "postgresql://host/db?password=geheim#a",
        ] {
            let error = at(place).unwrap().unwrap_err();
            assert!(!format!("{error:?}").contains("heim"), "{error:?}");
        }
        for schema in ["", "Release", "2026", "a-b", "a\"b", "a.b", "pg_x", "public", &"x".repeat(49)] {
            assert!(at(&format!("postgresql://me@host/db#{schema}")).unwrap().is_err(), "{schema}");
        }
    }
}
