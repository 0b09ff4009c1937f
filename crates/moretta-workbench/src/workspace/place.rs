//! Where a table is: a file of the workspace, a sheet of one, a table in an SQLite file, or one of a PostgreSQL server.

use std::fmt;
use std::path::PathBuf;

use moretta::files::{self, ReadOptions, ServerPassword};
use moretta::{Error, Result, Source};
use serde::{Deserialize, Serialize};

use super::Workspace;

const SQLITE: &str = "sqlite:";
const SERVERS: [&str; 2] = ["postgresql://", "postgres://"];

/// A table as `[data]` of a policy names it, with what it takes to read it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableName {
    /// A file, `sqlite:FILE`, or the address of a server.
    pub(crate) source: String,
    /// The table of a database.
    pub(crate) table: Option<String>,
    /// Instead of a table: what gives its rows.
    pub(crate) query: Option<String>,
    /// The sheet of a spreadsheet.
    pub(crate) sheet: Option<String>,
    /// Whether the first line of a CSV file names the columns, where that can't be found out.
    pub(crate) header: Option<bool>,
    /// The encoding of a CSV file, where it is not UTF-8.
    pub(crate) encoding: Option<String>,
}

/// What an address says where the table is.
enum Place<'a> {
    Server,
    Sqlite(&'a str, Option<&'a str>),
    File(&'a str),
}

impl TableName {
    /// A file of the workspace, which says itself how it is read.
    pub(crate) fn of_file(name: &str) -> Self {
        Self { source: name.to_owned(), ..Self::default() }
    }

    /// The address of the server that has it, if one does; which table it is does not matter.
    pub(crate) fn server(&self) -> Option<&str> {
        let address = self.source.split('#').next().unwrap_or_default();
        matches!(self.place(), Place::Server).then_some(address)
    }

    /// The file in the workspace that holds it.
    pub(super) fn file(&self) -> Option<&str> {
        match self.place() {
            Place::Server => None,
            Place::Sqlite(file, _) | Place::File(file) => Some(file),
        }
    }

    fn place(&self) -> Place<'_> {
        if SERVERS.iter().any(|scheme| self.source.starts_with(scheme)) {
            return Place::Server;
        }
        match self.source.strip_prefix(SQLITE) {
            None => Place::File(&self.source),
            Some(address) => match address.rsplit_once('#') {
                None => Place::Sqlite(address, None),
                Some((file, table)) => Place::Sqlite(file, Some(table)),
            },
        }
    }
}

/// As pages call it.
impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)?;
        match (&self.table, &self.query, &self.sheet) {
            (Some(name), ..) | (None, None, Some(name)) => write!(f, " · {name}"),
            (None, Some(_), _) => f.write_str(" · a query"),
            (None, None, None) => Ok(()),
        }
    }
}

impl Workspace {
    /// The file that holds a table, which must be a plain one of the workspace; nothing for one of a server.
    ///
    /// Patterns and folders of parts are refused: what they find may be links that lead out. So is whatever runs another program.
    pub(super) fn place(&self, name: &TableName) -> Result<Option<PathBuf>> {
        let Some(file) = name.file() else { return refuse_files_of_server(&name.source).map(|()| None) };
        if file.is_empty() {
            return Err(Error::input("no table is named").help("choose one"));
        }
        if let Some((scheme, _)) =
            file.split_once(':').filter(|(scheme, _)| matches!(*scheme, "duckdb" | "http" | "https" | "s3" | "mysql"))
        {
            return Err(Error::input(format!("the workbench does not open {scheme}: addresses"))
                .help("postgresql://USER@HOST/DATABASE and sqlite:FILE are opened; or write the table into the folder as CSV or Parquet"));
        }
        let path = self.inside(file)?;
        if path.is_file() {
            return Ok(Some(path));
        }
        Err(Error::input(format!("there is no table {file:?} in the workspace"))
            .help("a table is one file of the folder: CSV, Parquet, a spreadsheet, sqlite:FILE"))
    }

    /// Opens a table of the workspace, or of a server.
    pub(crate) fn open_table(&self, name: &TableName, password: ServerPassword) -> Result<Source> {
        let place = match (self.place(name)?, name.place()) {
            (Some(file), Place::Sqlite(_, table)) => {
                let mut address = std::ffi::OsString::from(SQLITE);
                address.push(file);
                if let Some(table) = table {
                    address.push(format!("#{table}"));
                }
                address.into()
            }
            (Some(file), _) => file,
            (None, _) => PathBuf::from(&name.source),
        };
        let mut options = ReadOptions { header: name.header, password, ..ReadOptions::detect() };
        options.encoding = name.encoding.as_deref().map(files::encoding).transpose()?.flatten();
        options.table.clone_from(&name.table);
        options.query.clone_from(&name.query);
        options.sheet.clone_from(&name.sheet);
        files::open(place, options)
    }
}

/// An address may name files of this machine, which are none of the workspace.
fn refuse_files_of_server(address: &str) -> Result<()> {
    let parameters = address.split_once('?').map_or("", |(_, parameters)| parameters);
    let mut named = parameters.split(['&', '#']).filter_map(|parameter| parameter.split_once('='));
    match named.find(|(key, value)| key.starts_with("ssl") && *key != "sslmode" && *value != "system") {
        None => Ok(()),
        Some((key, _)) => Err(Error::input(format!("`{key}` names a file outside of the workspace"))
            .help("leave it out, or write sslrootcert=system and set SSL_CERT_FILE where the program is started")),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_table_is_a_plain_file_of_the_workspace_or_of_a_server() {
        let home = tempfile::tempdir().expect("a folder");
        fs::write(home.path().join("secret.csv"), "a\n1\n").expect("written");
        let workspace = Workspace::open(&home.path().join("ws")).expect("a workspace");
        fs::create_dir(workspace.root().join("tables")).expect("a folder");
        fs::write(workspace.root().join("tables/t.csv"), "a\n1\n").expect("written");
        let place = |source: &str| workspace.place(&TableName::of_file(source));
        assert!(place("tables/t.csv").expect("a file").is_some());
        assert!(place("postgresql://me@host/db#people").expect("a server").is_none());
        assert!(place("postgresql://host/db?sslmode=verify-full&sslrootcert=system").is_ok());
        #[cfg(unix)]
        std::os::unix::fs::symlink(home.path(), workspace.root().join("out")).expect("a link");
        for source in [
            "-",
            "",
            "tables",
            "tables/*.csv",
            "*/secret.csv",
            "out/secret.csv",
            "../secret.csv",
            "sqlite:../secret.csv",
            "sqlite:/etc/passwd",
            "sqlite:out/secret.csv#a",
            "duckdb:tables/t.csv",
            "http://host/t.csv",
            "postgresql://me@host/db?sslrootcert=/etc/passwd",
        ] {
            assert!(place(source).is_err(), "{source:?}");
        }
    }

    #[test]
    fn a_server_is_known_by_its_address() {
        let name = TableName { table: Some("people".to_owned()), ..TableName::of_file("postgresql://me@host/db#x") };
        assert_eq!(name.server(), Some("postgresql://me@host/db"));
        assert_eq!(name.to_string(), "postgresql://me@host/db#x · people");
        assert_eq!(TableName::of_file("sqlite:a.db#t").server(), None);
        assert_eq!(TableName::of_file("sqlite:a#b.db#t").file(), Some("a#b.db"));
    }
}
