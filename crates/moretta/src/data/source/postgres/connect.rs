//! Connecting to a server, and what it says when something is wrong.

use std::error::Error as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use postgres::config::Host;
use postgres::error::SqlState;
use postgres::{Client, Config};

use super::super::ServerPassword;
use super::super::address::split;
use super::password::{self, Whose};
use super::tls::{Encryption, Tls};
use crate::error::{Code, Error, Fault, Result};

/// How long to wait for a server, unless the address says.
const PATIENCE: Duration = Duration::from_secs(10);
const SOCKETS: &str = "/var/run/postgresql";

/// Connects to the server of an address, which holds no password.
pub(crate) fn connect(address: &Path, stated: &ServerPassword) -> Result<Client> {
    let (mut config, encryption) = read(address)?;
    let tls = Tls::new(&encryption, address)?;
    config.ssl_mode(encryption.mode.negotiated());
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        // Files of passwords call sockets so.
        _ => "localhost".to_owned(),
    };
    let user = config.get_user().unwrap_or_default().to_owned();
    let database = config.get_dbname().unwrap_or(&user).to_owned();
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let whose = Whose { host: &host, port, database: &database, user: &user };
    if let Some(password) = stated.given().map(str::to_owned).or_else(|| password::stated(&whose)) {
        config.password(password);
    }
    match config.connect(tls.clone()) {
        Err(e) if lacks_password(&e) => {
            let may_ask = *stated == ServerPassword::AskedAtTerminal;
            let asked = if may_ask { password::asked(&whose) } else { None };
            let Some(password) = asked else { return Err(no_password(address)) };
            config.password(password).connect(tls).map_err(|e| refused(address, &e))
        }
        connected => connected.map_err(|e| refused(address, &e)),
    }
}

/// What an address says, with what it leaves out.
fn read(address: &Path) -> Result<(Config, Encryption)> {
    let wrong = |what: String| {
        Error::input(format!("the address of the server can't be read: {what}"))
            .coded(Code::WrongParameter)
            .at_file(address)
            .help("write it as postgresql://USER@HOST:PORT/DATABASE?sslmode=verify-full")
    };
    let text = address.to_str().ok_or_else(|| wrong("it is not UTF-8".to_owned()))?;
    let (text, _) = split(text);
    let (before, parameters) = text.split_once('?').unwrap_or((text, ""));
    let mut encryption = Encryption::default();
    let mut others = Vec::new();
    for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
        match parameter.split_once('=') {
            Some(("sslmode", mode)) => encryption.mode = mode.parse().map_err(wrong)?,
            Some(("sslrootcert", file)) => encryption.roots = Some(PathBuf::from(file)),
            _ => others.push(parameter),
        }
    }
    let rest = if others.is_empty() { before.to_owned() } else { format!("{before}?{}", others.join("&")) };
    let mut config = Config::from_str(&rest).map_err(|e| wrong(chain(&e)))?;
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        config.host(&std::env::var("PGHOST").unwrap_or_else(|_| SOCKETS.to_owned()));
    }
    if config.get_user().is_none() {
        let user = ["PGUSER", "USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok());
        config.user(&user.ok_or_else(|| wrong("it names no user".to_owned()))?);
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(PATIENCE);
    }
    config.application_name("moretta");
    Ok((config, encryption))
}

fn lacks_password(error: &postgres::Error) -> bool {
    error.as_db_error().is_none() && chain(error).contains("password missing")
}

fn no_password(address: &Path) -> Error {
    Error::input("the server asks for a password")
        .coded(Code::PermissionDenied)
        .at_file(address)
        .help("set PGPASSWORD, or write it into ~/.pgpass, which only you may read (chmod 600); at a terminal it is asked for")
}

/// What the server, or the way to it, has against something.
pub(crate) fn refused(address: &Path, error: &postgres::Error) -> Error {
    let Some(told) = error.as_db_error() else {
        return Error::new(Fault::Machine, format!("the server can't be reached: {}", chain(error))).at_file(address);
    };
    let class = told.code().code().get(..2).unwrap_or_default();
    // The server is ending, out of room, or was told to stop this.
    let machine = matches!(class, "08" | "53" | "57" | "58" | "XX");
    let fault = if machine { Fault::Machine } else { Fault::Input };
    let refused = Error::new(fault, format!("the server says: {}", told.message())).at_file(address);
    match (told.code(), class) {
        _ if machine => refused.help("nothing was written; try again when the server is ready"),
        (&SqlState::INSUFFICIENT_PRIVILEGE, _) => {
            refused.coded(Code::PermissionDenied).help("the owner of the table lets you read it: GRANT SELECT ON … TO …")
        }
        (_, "28") => refused.coded(Code::PermissionDenied).help(
            "check the user; the password comes from PGPASSWORD, from ~/.pgpass (chmod 600), or is asked for at a terminal",
        ),
        _ => refused.coded(Code::TableUnreadable).help(told.hint().unwrap_or("check `table` or `query`")),
    }
}

/// A table that did not come to its end.
pub(crate) fn interrupted(address: &Path, error: std::io::Error) -> Error {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<postgres::Error>()) {
        Some(told) => refused(address, told),
        None => Error::system("the connection to the server broke", error).at_file(address),
    }
}

/// An error with those that led to it, each once.
fn chain(error: &postgres::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let more = inner.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tls::Mode;
    use super::*;

    #[test]
    fn an_address_says_whom_where_and_how_encrypted() {
        let address = "postgresql://me@host:5433/db?sslmode=verify-full&sslrootcert=/ca.pem&connect_timeout=3";
        let (config, encryption) = read(Path::new(address)).unwrap();
        assert_eq!((config.get_user(), config.get_dbname(), config.get_ports()), (Some("me"), Some("db"), &[5433][..]));
        assert_eq!(config.get_connect_timeout(), Some(&Duration::from_secs(3)));
        assert_eq!((encryption.mode, encryption.roots.as_deref()), (Mode::VerifyFull, Some(Path::new("/ca.pem"))));
        let error = read(Path::new("postgresql://me@host/db?sslmode=perhaps")).unwrap_err().to_string();
        assert!(error.contains("perhaps") && error.contains("verify-full"), "{error}");
        assert!(read(Path::new("postgresql://me@host/db?nonsense=1")).is_err());
    }
}
