//! Where a password comes from: the environment, the file that other programs of PostgreSQL read, the person at the terminal. It goes to
//! the server and nowhere else.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// Whose password is looked for.
#[derive(Debug)]
pub(super) struct Whose<'a> {
    pub(super) host: &'a str,
    pub(super) port: u16,
    pub(super) database: &'a str,
    pub(super) user: &'a str,
}

/// The password that is stated somewhere, if there is one.
pub(super) fn stated(whose: &Whose<'_>) -> Option<String> {
    if let Ok(password) = std::env::var("PGPASSWORD") {
        return Some(password);
    }
    let file = match std::env::var_os("PGPASSFILE") {
        Some(file) => PathBuf::from(file),
        None => std::env::home_dir()?.join(".pgpass"),
    };
    if !is_private(&file) {
        return None;
    }
    let lines = BufReader::new(File::open(file).ok()?).lines();
    lines.map_while(Result::ok).find_map(|line| of_line(&line, whose))
}

/// Whether nobody else can read a file of passwords; others are not used, as by all programs of PostgreSQL.
fn is_private(file: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        const OTHERS: u32 = 0o077;
        std::fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & OTHERS == 0)
    }
    #[cfg(not(unix))]
    file.is_file()
}

/// The password of a line `host:port:database:user:password`, where `*` stands for anything and a backslash takes the sign after it as it
/// is.
fn of_line(line: &str, whose: &Whose<'_>) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = vec![(String::new(), false)];
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        let ends = sign == ':' && fields.len() < 5;
        let (last, escaped) = fields.last_mut()?;
        match sign {
            '\\' => {
                last.extend(signs.next());
                *escaped = true;
            }
            ':' if ends => fields.push((String::new(), false)),
            sign => last.push(sign),
        }
    }
    let port = whose.port.to_string();
    let wanted = [whose.host, &port, whose.database, whose.user];
    let [stated @ .., (password, _)] = &fields[..] else { return None };
    let matches = |((stated, escaped), wanted): (&(String, bool), &str)| stated == wanted || stated == "*" && !escaped;
    (stated.len() == 4 && stated.iter().zip(wanted).all(matches)).then(|| password.clone())
}

/// Asks at the terminal, where there is one, without showing what is typed.
pub(super) fn asked(whose: &Whose<'_>) -> Option<String> {
    let mut terminal = File::options().read(true).write(true).open("/dev/tty").ok()?;
    let usual = tcgetattr(&terminal).ok()?;
    let mut silent = usual.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&terminal, OptionalActions::Flush, &silent).ok()?;
    let line = write!(terminal, "Password of {} at {}: ", whose.user, whose.host).and_then(|()| {
        let mut line = String::new();
        BufReader::new(&terminal).read_line(&mut line).map(|_| line)
    });
    let restored = tcsetattr(&terminal, OptionalActions::Flush, &usual);
    let _ = writeln!(terminal);
    restored.ok()?;
    line.ok().map(|line| line.trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOSE: Whose<'_> = Whose { host: "host", port: 5432, database: "db", user: "me" };

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        let of = |line| of_line(line, &WHOSE);
        assert_eq!(of("host:5432:db:me:geheim").as_deref(), Some("geheim"));
        assert_eq!(of("*:*:*:*:a:b").as_deref(), Some("a:b"));
        assert_eq!(of("host:*:db:me:a\\:b\\\\c").as_deref(), Some("a:b\\c"));
        assert_eq!(of("host:5433:db:me:geheim"), None);
        assert_eq!(of("\\*:5432:db:me:geheim"), None);
        assert_eq!(of("# host:5432:db:me:geheim"), None);
        assert_eq!(of("host:5432:db:me"), None);
        assert_eq!(of(""), None);
    }
}
