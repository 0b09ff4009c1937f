//! The workbench as a program: what it prints, and what is left of it when it is killed.

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use support::Desk;

/// The program on a workspace, and the cookie with which it lets in.
struct Server {
    child: Child,
    host: String,
    cookie: String,
    /// What it has printed beside its address.
    printed: String,
}

impl Server {
    fn start(desk: &Desk, folder: &str) -> Self {
        let mut command = desk.command(&["workbench", folder, "--no-browser"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut address = String::new();
        BufReader::new(child.stdout.as_mut().expect("its output")).read_line(&mut address).expect("its address");
        let (host, path) = address.trim().trim_start_matches("http://").split_once('/').expect("an address");
        let mut server = Self { host: host.to_owned(), cookie: String::new(), printed: String::new(), child };
        let entered = server.say("GET", &format!("/{path}"), "text/plain", b"");
        let cookie = entered.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
        cookie.split(';').next().expect("a pair").clone_into(&mut server.cookie);
        server
    }

    fn say(&self, method: &str, path: &str, kind: &str, body: &[u8]) -> String {
        let mut stream = self.send(method, path, kind, body.len());
        let _ = stream.write_all(body);
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        String::from_utf8_lossy(&reply).into_owned()
    }

    /// A request whose body is still to come.
    fn send(&self, method: &str, path: &str, kind: &str, length: usize) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).expect("connected");
        let Self { host, cookie, .. } = self;
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("sent");
        stream
    }

    fn form(&self, path: &str, form: &str) -> String {
        self.say("POST", path, "application/x-www-form-urlencoded", form.as_bytes())
    }

    /// Waits for the job that a reply leads to, and gives its page.
    fn wait(&self, reply: &str) -> String {
        let job = reply.lines().find_map(|line| line.strip_prefix("location: ")).unwrap_or_else(|| panic!("{reply}"));
        let began = Instant::now();
        loop {
            let page = self.say("GET", job, "text/plain", b"");
            if !page.contains("data-phase=\"running\"") && !page.contains("data-phase=\"waiting\"") {
                return page;
            }
            assert!(began.elapsed() < Duration::from_mins(1), "{page}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends it, and gives what it has printed.
    fn end(mut self, signal: &str) -> String {
        let id = self.child.id().to_string();
        std::process::Command::new("kill").args([signal, &id]).status().expect("kill is there");
        let _ = self.child.wait();
        for out in [
            self.child.stdout.take().map(|out| Box::new(out) as Box<dyn Read>),
            self.child.stderr.take().map(|out| Box::new(out) as Box<dyn Read>),
        ] {
            let _ = out.expect("piped").read_to_string(&mut self.printed);
        }
        std::mem::take(&mut self.printed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn patients() -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hospital/patients.csv")).expect("the example")
}

const MULTIPART: &str = "multipart/form-data; boundary=line";

fn upload(name: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("--line\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n");
    [head.as_bytes(), content, b"\r\n--line--\r\n"].concat()
}

#[test]
fn it_prints_its_address_and_nobody() {
    let desk = Desk::new();
    let server = Server::start(&desk, "ws");
    server.wait(&server.say("POST", "/upload", MULTIPART, &upload("patients.csv", &patients())));
    server.form("/promise", "model=k-anonymity&k-anonymity.k=5&method=mondrian");
    assert!(server.wait(&server.form("/publish", "name=first")).contains("data-phase=\"done\""));
    server.wait(&server.form("/releases/first/query", "sql=SELECT+COUNT%28*%29+WHERE+nothing+%3D+1"));
    server.say("GET", "/releases/Mara/report", "text/plain", b"");
    server.form("/open", "table=../Mara.csv");
    let printed = server.end("-TERM");
    assert_eq!(printed, "", "it writes no log");
}

#[test]
fn a_killed_server_leaves_nothing_half_written_and_goes_on() {
    let desk = Desk::new();
    let whole = patients();
    let server = Server::start(&desk, "ws");
    server.wait(&server.say("POST", "/upload", MULTIPART, &upload("patients.csv", &whole)));
    server.form("/promise", "model=k-anonymity&k-anonymity.k=9&method=mondrian");
    let policy = fs::read_to_string(desk.path("ws/policy.toml")).expect("a policy");
    assert!(policy.contains("k = 9"), "{policy}");
    // In the middle of an upload, and of a release.
    let body = upload("second.csv", &whole);
    let mut half = server.send("POST", "/upload", MULTIPART, body.len());
    half.write_all(&body[..body.len() / 2]).expect("sent");
    let part = desk.path("ws/tables/.upload-second.csv");
    let began = Instant::now();
    while !part.exists() {
        assert!(began.elapsed() < Duration::from_secs(20), "the upload did not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    server.form("/publish", "name=killed");
    server.end("-KILL");
    drop(half);
    assert!(part.exists() && !desk.path("ws/tables/second.csv").exists(), "half an upload is no table");

    let server = Server::start(&desk, "ws");
    assert!(!part.exists(), "what a killed server has left is removed");
    assert_eq!(fs::read_to_string(desk.path("ws/policy.toml")).expect("a policy"), policy);
    // A release is there whole or not at all; it may have been faster than the signal.
    let is_whole = server.say("GET", "/releases/killed", "text/plain", b"").contains("Every promise holds.");
    assert_eq!(is_whole, desk.path("ws/releases/killed").exists());
    assert!(server.say("GET", "/promise", "text/plain", b"").contains("value=\"9\""));
    assert!(server.wait(&server.form("/publish", "name=again")).contains("data-phase=\"done\""));
    let left: Vec<_> =
        fs::read_dir(desk.path("ws/releases")).expect("releases").flatten().map(|e| e.file_name()).collect();
    assert!(left.iter().all(|name| name == "again" || name == "killed"), "{left:?}");
    assert_eq!(desk.json(&["check", "ws/releases/again/release"])["guarantees"][0]["holds"], true);
}

#[test]
fn others_are_served_with_a_password_only() {
    let desk = Desk::new();
    let refused =
        desk.command(&["workbench", "ws", "--no-browser", "--listen", "0.0.0.0:0"]).output().expect("it runs");
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("password") && said.contains("TLS"), "{said}");
    desk.write("short.txt", "short\n");
    let refused = desk
        .command(&["workbench", "ws", "--no-browser", "--listen", "0.0.0.0:0", "--password-file", "short.txt"])
        .output()
        .expect("it runs");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("fewer than"));
}
