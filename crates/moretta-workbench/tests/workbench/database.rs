//! Tables of databases, opened in a page: which ones, and what becomes of a password.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};

use crate::client::Bench;

const PASSWORD: &str = "geheim & long";

/// A server that asks for a password, hands on what it is told, and lets nobody in.
fn server() -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (told, tells) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(stream) = stream else { return };
            if let Some(password) = converse(stream)
                && told.send(password).is_err()
            {
                return;
            }
        }
    });
    (port, tells)
}

/// As much of the protocol as it takes to be told a password.
fn converse(mut stream: TcpStream) -> Option<String> {
    loop {
        let mut head = [0; 8];
        stream.read_exact(&mut head).ok()?;
        let length = u32::from_be_bytes(head[..4].try_into().ok()?) as usize;
        let mut rest = vec![0; length.checked_sub(8)?];
        stream.read_exact(&mut rest).ok()?;
        // A request for encryption has a number of its own; it is answered with no.
        if head[4..] == 80_877_103_u32.to_be_bytes() {
            stream.write_all(b"N").ok()?;
            continue;
        }
        // In the clear, please.
        stream.write_all(&[b'R', 0, 0, 0, 8, 0, 0, 0, 3]).ok()?;
        let mut head = [0; 5];
        stream.read_exact(&mut head).ok()?;
        let length = u32::from_be_bytes(head[1..].try_into().ok()?) as usize;
        let mut password = vec![0; length.checked_sub(4)?];
        stream.read_exact(&mut password).ok()?;
        let fields = b"SFATAL\0C28P01\0Mpassword authentication failed\0\0";
        let length = u32::try_from(fields.len() + 4).ok()?;
        stream.write_all(&[&b"E"[..], &length.to_be_bytes(), fields].concat()).ok()?;
        return Some(String::from_utf8_lossy(&password).trim_end_matches('\0').to_owned());
    }
}

fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Every file of a folder that holds a text.
fn files_with(folder: &Path, text: &str) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files_with(&path, text)
            } else {
                let holds =
                    fs::read(&path).is_ok_and(|bytes| bytes.windows(text.len()).any(|part| part == text.as_bytes()));
                if holds { vec![path] } else { Vec::new() }
            }
        })
        .collect()
}

#[test]
fn a_password_goes_to_the_server_and_nowhere_else() {
    let bench = Bench::start(None);
    let (port, told) = server();
    let address = encoded(&format!("postgresql://me@127.0.0.1:{port}/clinic"));
    // The page asks for what the server asks for; nobody waits at a terminal.
    let page = bench.wait(&bench.post("/open/database", &format!("address={address}&name=people")));
    assert!(page.contains("asks for a password") && page.contains("type=\"password\""), "{page}");
    let again = page.split("action=\"").find(|part| part.contains("/again")).expect("a form");
    let again = again.split('"').next().expect("an address").to_owned();
    let page = bench.wait(&bench.post(&again, &format!("password={}", encoded(PASSWORD))));
    assert_eq!(told.recv().expect("told"), PASSWORD);
    assert!(page.contains("password authentication failed") && !page.contains("geheim"), "{page}");
    // It is known from now on, and can be stated anew.
    let stated = format!("address={address}&name=people&password={}", encoded("another one"));
    let page = bench.wait(&bench.post("/open/database", &stated));
    assert_eq!(told.recv().expect("told"), "another one");
    assert!(!page.contains("another one"), "{page}");
    assert_eq!(files_with(bench.home(), "geheim"), Vec::<std::path::PathBuf>::new());
    assert_eq!(files_with(bench.home(), "another one"), Vec::<std::path::PathBuf>::new());
}

#[test]
fn an_address_with_a_password_is_refused_and_not_repeated() {
    let bench = Bench::start(None);
    for address in ["postgresql://me:geheim@host/db", "postgresql://host/db?password=geheim"] {
        let page = bench.post("/open/database", &format!("address={}", encoded(address)));
        assert!(page.text().contains("must not hold a password") && !page.text().contains("geheim"), "{}", page.text());
    }
    for (address, words) in [
        ("mysql://me@host/db", "does not open mysql: addresses"),
        ("duckdb:x.duckdb", "does not open duckdb: addresses"),
        ("sqlite:../x.db", "is not in the workspace"),
        ("postgresql://host/db?sslrootcert=/etc/passwd", "outside of the workspace"),
        ("-", "there is no table"),
        ("", "no table is named"),
    ] {
        let page = bench.post("/open/database", &format!("address={}", encoded(address))).text();
        assert!(page.to_lowercase().contains(words), "{address}: {page}");
    }
    assert!(!bench.workspace().join("policy.toml").exists());
}

#[test]
fn a_table_of_sqlite_is_opened_decided_and_published() {
    let bench = Bench::start(None);
    let script = "import sqlite3, sys\n\
        base = sqlite3.connect(sys.argv[1])\n\
        base.execute('CREATE TABLE people (age INTEGER, sex TEXT, disease TEXT)')\n\
        base.executemany('INSERT INTO people VALUES (?, ?, ?)', [(20 + i % 40, 'fm'[i % 2], ['flu', 'gout', 'cold'][i % 3]) for i in range(200)])\n\
        base.commit()";
    fs::create_dir_all(bench.workspace().join("tables")).expect("a folder");
    let file = bench.workspace().join("tables/clinic.db");
    assert!(Command::new("python3").args(["-c", script]).arg(&file).status().expect("python3").success());
    assert!(bench.get("/").text().contains("a database"));
    // Which table it is has to be said, and the message says which there are.
    let page = bench.wait(&bench.post("/open", "table=tables/clinic.db"));
    assert!(page.contains("people"), "{page}");
    let page = bench.wait(&bench.post("/open", "table=tables/clinic.db&part=people"));
    assert!(page.contains("200 rows"), "{page}");
    let policy = fs::read_to_string(bench.workspace().join("policy.toml")).expect("a policy");
    assert!(policy.contains("\"sqlite:tables/clinic.db\"") && policy.contains("\"people\""), "{policy}");
    assert!(bench.get("/").text().contains("First rows"));
    assert!(bench.get("/roles").text().contains("people together") || bench.get("/roles").text().contains("alone"));
    bench.post("/promise", "model=k-anonymity&k-anonymity.k=4&method=mondrian");
    let page = bench.wait(&bench.post("/publish", "name=first"));
    assert!(page.contains("data-phase=\"done\""), "{page}");
    assert!(bench.get("/releases/first").text().contains("Every promise holds."));
    // A query instead of a table, through the form for addresses.
    let query = encoded("SELECT age, disease FROM people WHERE age < 30");
    let page = bench.wait(&bench.post("/open/database", &format!("address=sqlite%3Atables%2Fclinic.db&query={query}")));
    assert!(page.contains("2 columns"), "{page}");
    assert!(bench.workspace().join("policy-sqlite_tables_clinic_db.toml").exists(), "the other policy was put aside");
}
