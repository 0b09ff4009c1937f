//! What the server refuses: strangers, other places, markup in values, links out of the workspace.

use std::fs;

use crate::client::Bench;
use crate::{EVERY_PAGE, hospital};

#[test]
fn nobody_comes_in_without_the_secret() {
    let bench = Bench::start(None);
    let host = bench.host();
    for page in EVERY_PAGE {
        assert_eq!(bench.say("GET", page, &[("Host", host)], &[]).status, 401, "{page}");
        assert_eq!(bench.say("GET", page, &[("Host", host), ("Cookie", "moretta=1")], &[]).status, 401, "{page}");
    }
    assert_eq!(bench.say("GET", "/enter?key=", &[("Host", host)], &[]).status, 401);
    assert_eq!(bench.say("GET", &format!("/enter?key={}", "0".repeat(32)), &[("Host", host)], &[]).status, 401);
    let origin = format!("http://{host}");
    assert_eq!(bench.say("POST", "/publish", &[("Host", host), ("Origin", &origin)], b"name=x").status, 401);
    let entered = bench.get(&bench.address[bench.address.find("/enter").expect("a secret")..]);
    let cookie = entered.header("set-cookie").expect("a cookie");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
}

#[test]
fn other_names_and_other_pages_are_refused() {
    let bench = Bench::start(None);
    let (host, cookie) = (bench.host(), bench.cookie.as_str());
    let port = host.rsplit(':').next().expect("a port");
    for name in [format!("evil.example:{port}"), "evil.example".to_owned(), "127.0.0.1:1".to_owned()] {
        assert_eq!(bench.say("GET", "/", &[("Host", &name), ("Cookie", cookie)], &[]).status, 403, "{name}");
    }
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    for lines in [
        vec![],
        vec![("Origin", "http://evil.example")],
        vec![("Origin", "null")],
        vec![("Sec-Fetch-Site", "cross-site")],
        vec![("Sec-Fetch-Site", "same-site")],
    ] {
        let mut all = vec![("Host", host), ("Cookie", cookie), form];
        all.extend(lines.iter().copied());
        assert_eq!(bench.say("POST", "/open", &all, b"table=x.csv").status, 403, "{lines:?}");
    }
}

#[test]
fn every_answer_forbids_what_is_not_ours() {
    let bench = Bench::start(None);
    bench.wait(&bench.upload("patients.csv", &hospital()));
    for page in EVERY_PAGE.iter().chain(&["/nowhere", "/jobs/1", "/hierarchies/1", "/explain/k-anonymity"]) {
        let reply = bench.get(page);
        let policy = reply.header("content-security-policy").expect("a policy");
        assert!(
            policy.contains("default-src 'none'")
                && policy.contains("frame-ancestors 'none'")
                && !policy.contains("unsafe"),
            "{policy}"
        );
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{page}");
        let text = reply.text();
        assert!(
            !text.contains("<style") && !text.contains(" style=") && !text.contains("<script>"),
            "{page} has style or script within"
        );
        assert!(!text.contains("http://") && !text.contains("https://"), "{page} names another server");
    }
}

#[test]
fn nothing_outside_of_the_workspace_is_read_or_written() {
    let bench = Bench::start(None);
    fs::write(bench.home().join("secret.csv"), "name,age\nMara,41\n").expect("written");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(bench.home().join("secret.csv"), bench.workspace().join("link.csv"))
            .expect("a link");
        std::os::unix::fs::symlink(bench.home(), bench.workspace().join("hierarchies")).expect("a link");
    }
    assert!(!bench.get("/").text().contains("link.csv"), "a link that leads out is not listed");
    for table in ["../secret.csv", "%2e%2e/secret.csv", "link.csv", "/etc/passwd", "hierarchies/secret.csv", ""] {
        let refused = bench.post("/open", &format!("table={table}"));
        assert_eq!(refused.status, 422, "{table}: {}", refused.text());
        assert!(!refused.text().contains("Mara"));
    }
    for name in ["..", "../first", "a/b", ".hidden", "%2e%2e"] {
        assert!(matches!(bench.get(&format!("/releases/{name}")).status, 404 | 422), "{name}");
        assert!(matches!(bench.get(&format!("/releases/{name}/release.zip")).status, 404 | 422), "{name}");
    }
    for asset in ["../../Cargo.toml", "%2e%2e%2fCargo.toml", "nothing.js"] {
        assert_eq!(bench.get(&format!("/assets/{asset}")).status, 404, "{asset}");
    }
    // Whatever folders a name states, only its last part counts, and only a table is taken.
    bench.wait(&bench.upload("../../evil.csv", b"a,b\n1,2\n3,4\n"));
    assert!(bench.workspace().join("tables/evil.csv").exists() && !bench.home().join("evil.csv").exists());
    for name in ["policy.toml", ".bashrc", "x.html", ""] {
        assert_eq!(bench.upload(name, b"a\n1\n").status, 422, "{name}");
    }
    assert_eq!(bench.upload("evil.csv", b"c\n1\n").status, 422, "a file is never replaced");
    assert_eq!(bench.upload("large.csv", &vec![b'1'; (1 << 20) + 1]).status, 422);
    assert!(!bench.workspace().join("tables/large.csv").exists());
    // A policy may not lead out either.
    let text = "[data]%0Asource = \"../secret.csv\"%0A[attributes]%0Aname = { role = \"quasi\" }%0Aage = { role = \"quasi\" }%0A";
    assert!(bench.post("/policy", &format!("text={text}")).text().contains("is not in the workspace"));
    let before = fs::read_to_string(bench.workspace().join("policy.toml")).expect("a policy");
    assert!(!before.contains("secret"));
    bench.post("/hierarchies/0", "kind=tree&tree=1,x,*%0A3,x,*&do=save");
    assert!(!bench.home().join("a.csv").exists(), "a folder that is a link leads nowhere");
}

#[test]
fn values_never_become_markup() {
    let bench = Bench::start(None);
    let evil = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "</textarea><script>x</script>",
        "</title><b>",
    ];
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let rows: String =
        (0..200).map(|i| format!("{},{},{}\n", 20 + i % 30, quoted(evil[i % 4]), quoted(evil[(i / 3) % 4]))).collect();
    let table = format!("age,{},disease\n{rows}", quoted("<i onclick=x>zip</i>"));
    bench.wait(&bench.upload("evil.csv", table.as_bytes()));
    bench.wait(&bench.post("/publish", "name=evil"));
    let more = ["/hierarchies/1", "/hierarchies/2", "/releases/evil", "/releases/evil/report", "/jobs/1"];
    for page in EVERY_PAGE.iter().chain(&more) {
        let text = bench.get(page).text();
        for markup in ["<script>alert", "<img", "<i onclick", "</textarea><script", "</title><b>"] {
            assert!(!text.contains(markup), "{page}: {markup}");
        }
    }
}

#[test]
fn a_password_lets_in_and_nothing_else_does() {
    let bench = Bench::start(Some("correct horse battery"));
    assert!(!bench.address.contains("key="), "the address alone lets nobody in");
    assert_eq!(bench.get("/roles").header("location"), Some("/enter"));
    assert!(bench.get("/enter").text().contains("type=\"password\""));
    assert_eq!(bench.post("/enter", "password=wrong").status, 401);
    assert_eq!(bench.post("/publish", "name=x").status, 401);
    let entered = bench.post("/enter", "password=correct+horse+battery");
    assert!(entered.header("set-cookie").is_some_and(|cookie| cookie.contains("SameSite=Strict")));
}

#[test]
fn a_server_for_others_demands_a_password() {
    let home = tempfile::tempdir().expect("a folder");
    let options = moretta_workbench::Options {
        folder: home.path().to_path_buf(),
        listen: "0.0.0.0:0".parse().expect("an address"),
        password: None,
        names: Vec::new(),
        largest_upload: 1,
    };
    let error = moretta_workbench::open(options).expect_err("no password");
    assert!(error.advice().is_some_and(|advice| advice.contains("TLS")), "{error}");
}

#[test]
fn a_release_that_is_a_link_is_none() {
    use std::os::unix::fs::symlink;
    let bench = Bench::start(None);
    let secret = bench.home().join("secret");
    fs::create_dir_all(&secret).expect("a folder");
    fs::write(secret.join("manifest.json"), "{}").expect("written");
    fs::write(secret.join("report.json"), "{\"method\":\"Mara\"}").expect("written");
    for name in ["one", "two"] {
        fs::create_dir_all(bench.workspace().join("releases").join(name)).expect("a folder");
    }
    symlink(&secret, bench.workspace().join("releases/one/release")).expect("a link");
    fs::create_dir(bench.workspace().join("releases/two/release")).expect("a folder");
    fs::write(bench.workspace().join("releases/two/release/manifest.json"), "{}").expect("written");
    symlink(&secret, bench.workspace().join("releases/two/private")).expect("a link");
    for name in ["one", "two"] {
        assert_eq!(bench.get(&format!("/releases/{name}/release.zip")).status, 422, "{name}");
        assert!(!bench.get(&format!("/releases/{name}")).text().contains("Mara"), "{name}");
    }
    // Nor is one whose files are links: the report, the policy, the data.
    let made = |name: &str, file: &str| {
        let folder = bench.workspace().join("releases").join(name);
        for part in ["release", "private"] {
            fs::create_dir_all(folder.join(part)).expect("a folder");
        }
        fs::write(folder.join("release/manifest.json"), "{}").expect("written");
        symlink(secret.join("report.json"), folder.join(file)).expect("a link");
    };
    for (name, file) in
        [("three", "private/report.html"), ("four", "private/policy.toml"), ("five", "release/data.csv")]
    {
        made(name, file);
        for page in ["", "/report", "/release.zip"] {
            let reply = bench.get(&format!("/releases/{name}{page}"));
            assert!(reply.status == 422 && !reply.text().contains("Mara"), "{name}{page}: {}", reply.text());
        }
    }
    assert!(bench.get("/releases").text().contains("Nothing was published yet"));
    // A policy that is a link leads nowhere either.
    fs::write(secret.join("policy.toml"), "[data]\nsource = \"Mara.csv\"\n").expect("written");
    symlink(secret.join("policy.toml"), bench.workspace().join("policy.toml")).expect("a link");
    let page = bench.get("/policy");
    assert!(page.status == 422 && !page.text().contains("Mara"), "{}", page.text());
}

#[test]
fn no_more_jobs_wait_than_anybody_looks_at() {
    let bench = Bench::start(None);
    bench.wait(&bench.upload("patients.csv", &hospital()));
    let asked: Vec<u16> = (0..40).map(|number| bench.post("/publish", &format!("name=r{number}")).status).collect();
    assert!(asked[0] == 303 && asked.contains(&422), "{asked:?}");
    for id in 1..60 {
        bench.post(&format!("/jobs/{id}/cancel"), "");
    }
}

#[test]
fn a_page_that_can_not_be_had_says_what_would_be_right() {
    let bench = Bench::start(None);
    for page in ["/roles", "/promise", "/compare", "/publish", "/hierarchies", "/policy", "/understand"] {
        assert_eq!(bench.get(page).header("location"), Some("/"), "{page}: no table is open yet");
    }
    bench.wait(&bench.upload("patients.csv", &hospital()));
    assert!(bench.get("/hierarchies/99").text().contains("no such column"));
    assert!(bench.post("/hierarchies/1", "kind=cuts&cuts=x&do=save").text().contains("is no number"));
    assert!(bench.post("/hierarchies/5", "kind=cuts&cuts=2023-02-30&do=save").text().contains("is no day"));
    assert!(bench.post("/hierarchies/5", "kind=cuts&cuts=18&do=save").text().contains("Cut at days"));
    assert!(bench.post("/promise", "model=k-anonymity&k-anonymity.k=0&method=mondrian").text().contains("is-bad"));
    assert!(bench.post("/compare", "").text().contains("Choose a method and a model"));
    assert!(bench.post("/publish", "name=..%2Fx").text().contains("no name for a release"));
    assert_eq!(bench.get("/explain/nothing").status, 422);
    assert_eq!(bench.get("/beside?a=x&b=y").status, 422);
}
