//! A workbench on a folder of its own, and a client that says exactly what it is told to.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use moretta::CancelToken;
use moretta_workbench::{Options, Password, open};

pub(crate) struct Bench {
    home: tempfile::TempDir,
    pub(crate) address: String,
    host: String,
    stop: CancelToken,
    serving: Option<JoinHandle<()>>,
    pub(crate) cookie: String,
}

pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

impl Bench {
    /// Opens a workbench, and is let in where the address lets in.
    pub(crate) fn start(password: Option<&str>) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let options = Options {
            folder: home.path().join("workspace"),
            listen: "127.0.0.1:0".parse().expect("an address"),
            password: password.map(|text| Password::new(text).expect("a password")),
            names: Vec::new(),
            largest_upload: 1 << 20,
        };
        let opened = open(options).expect("opened");
        let address = opened.address();
        let host = address.trim_start_matches("http://").split('/').next().expect("a host").to_owned();
        let stop = CancelToken::new();
        let stopped = stop.clone();
        let serving = std::thread::spawn(move || opened.serve(&stopped).expect("served"));
        let mut bench = Self { home, address, host, stop, serving: Some(serving), cookie: String::new() };
        if password.is_none() {
            let entered = bench.get(&bench.address[bench.address.find("/enter").expect("a secret")..]);
            let cookie = entered.header("set-cookie").expect("a cookie").split(';').next().expect("a pair");
            cookie.clone_into(&mut bench.cookie);
        }
        bench
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.home.path().join("workspace")
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// A request with these lines and nothing else.
    pub(crate) fn say(&self, method: &str, path: &str, lines: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(&self.host).expect("connected");
        stream.set_read_timeout(Some(Duration::from_mins(1))).expect("set");
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in lines {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).expect("sent");
        // A server that refuses may close before it has read all.
        let _ = stream.write_all(body);
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        let end = reply.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8_lossy(&reply[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        let body = if is_chunked { unchunked(&reply[end + 4..]) } else { reply[end + 4..].to_vec() };
        Reply { status, head, body }
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.say("GET", path, &[("Host", &self.host), ("Cookie", &self.cookie)], &[])
    }

    /// A form of our own page.
    pub(crate) fn post(&self, path: &str, form: &str) -> Reply {
        let origin = format!("http://{}", self.host);
        let kind = "application/x-www-form-urlencoded";
        let lines =
            [("Host", self.host.as_str()), ("Cookie", &self.cookie), ("Origin", &origin), ("Content-Type", kind)];
        self.say("POST", path, &lines, form.as_bytes())
    }

    pub(crate) fn upload(&self, name: &str, content: &[u8]) -> Reply {
        self.send_file("/upload", name, content)
    }

    /// A file of a form of our own page.
    pub(crate) fn send_file(&self, path: &str, name: &str, content: &[u8]) -> Reply {
        let origin = format!("http://{}", self.host);
        let mut body = format!("--line\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n")
            .into_bytes();
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n--line--\r\n");
        let kind = "multipart/form-data; boundary=line";
        let lines =
            [("Host", self.host.as_str()), ("Cookie", &self.cookie), ("Origin", &origin), ("Content-Type", kind)];
        self.say("POST", path, &lines, &body)
    }

    /// Waits for the job that a reply leads to, and gives its page.
    pub(crate) fn wait(&self, reply: &Reply) -> String {
        let job = reply.header("location").unwrap_or_else(|| panic!("{} {}", reply.status, reply.text())).to_owned();
        let began = Instant::now();
        loop {
            let page = self.get(&job).text();
            if !page.contains("data-phase=\"running\"") && !page.contains("data-phase=\"waiting\"") {
                return page;
            }
            assert!(began.elapsed() < Duration::from_mins(1), "{page}");
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(serving) = self.serving.take() {
            let _ = serving.join();
        }
    }
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(String::from_utf8_lossy(&body[..end]).trim(), 16).expect("a size");
        if size == 0 {
            break;
        }
        whole.extend_from_slice(&body[end + 2..end + 2 + size]);
        body = &body[end + 4 + size..];
    }
    whole
}
