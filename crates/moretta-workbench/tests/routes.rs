//! What the server answers: the path of a steward without a browser, and what it refuses.

mod client;

use std::fs;
use std::path::Path;
use std::process::Command;

use client::Bench;

const EVERY_PAGE: [&str; 9] =
    ["/", "/understand", "/roles", "/hierarchies", "/promise", "/compare", "/publish", "/releases", "/policy"];

fn hospital() -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hospital/patients.csv")).expect("the example")
}

#[test]
fn from_a_table_to_a_release_that_holds() {
    let bench = Bench::start(None);
    assert!(bench.wait(&bench.upload("patients.csv", &hospital())).contains("data-phase=\"done\""));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(bench.workspace().join("cache")).expect("a folder").permissions().mode();
        assert_eq!(mode & 0o077, 0, "values of the table are for its owner");
    }
    let policy = fs::read_to_string(bench.workspace().join("policy.toml")).expect("a policy");
    assert!(policy.contains("source         = \"tables/patients.csv\""), "{policy}");
    let saved = bench.post("/roles", "column.0=ward&role.0=insensitive&column.1=days_of_stay&role.1=drop");
    assert_eq!(saved.header("location"), Some("/hierarchies"), "{}", saved.text());
    let alone = bench.post("/roles/alone", "column.0=age&role.0=drop").text();
    assert!(alone.contains("By sex, zip_code, profession, admission_date together"), "{alone}");
    let saved = bench.post("/hierarchies/1", "kind=cuts&cuts=18%2C+30%2C+65%0A18%2C+65&do=save");
    assert_eq!(saved.header("location"), Some("/hierarchies"), "{}", saved.text());
    let saved = bench.post("/hierarchies/5", "kind=cuts&cuts=2023-04-01%2C+2023-07-01%0A2023-07-01&do=save");
    assert_eq!(saved.header("location"), Some("/hierarchies"), "{}", saved.text());
    assert!(bench.get("/hierarchies").text().contains("cut at 2023-04-01, 2023-07-01; then at 2023-07-01"));
    let days = bench.get("/hierarchies/5").text();
    assert!(days.contains("[2023-04-01, 2023-06-30]") && days.contains("data-days"), "{days}");
    let saved = bench.post(
        "/promise",
        "model=k-anonymity&k-anonymity.k=7&model=distinct-l-diversity&distinct-l-diversity.l=2&method=mondrian",
    );
    assert_eq!(saved.header("location"), Some("/publish"), "{}", saved.text());
    let policy = fs::read_to_string(bench.workspace().join("policy.toml")).expect("a policy");
    assert!(
        policy.contains("k = 7")
            && policy.contains("name = \"mondrian\"")
            && policy.contains("cuts = [[18.0, 30.0, 65.0], [18.0, 65.0]]"),
        "{policy}"
    );
    let compared = bench.wait(&bench.post("/compare", "method=mondrian&model=k-anonymity&values.k-anonymity=8%2C+12"));
    assert!(compared.contains("data-phase=\"done\""), "{compared}");
    assert!(bench.get("/compare").text().contains("mondrian"));
    let chosen = bench.post("/compare/choose", "point=1");
    assert_eq!(chosen.header("location"), Some("/publish"), "{}", chosen.text());
    let policy = fs::read_to_string(bench.workspace().join("policy.toml")).expect("a policy");
    assert!(policy.contains("k = 12") && policy.contains("cuts = "), "{policy}");
    let page = bench.wait(&bench.post("/publish", "name=first"));
    assert!(page.contains("data-phase=\"done\""), "{page}");
    let release = bench.get("/releases/first").text();
    assert!(release.contains("Every promise holds.") && release.contains("What adversaries reach"), "{release}");
    assert!(release.contains("as a reader of the release expects") && release.contains("class=\"after\""), "{release}");
    let answer = bench.wait(&bench.post("/releases/first/query", "sql=SELECT+COUNT%28*%29+WHERE+sex+%3D+%27female%27"));
    assert!(answer.contains("at least"), "{answer}");
    assert_eq!(bench.get("/releases/first/report").status, 200);

    let zip = bench.get("/releases/first/release.zip");
    assert_eq!((zip.status, zip.header("content-type")), (200, Some("application/zip")));
    let home = bench.home().join("unpacked");
    fs::write(bench.home().join("r.zip"), &zip.body).expect("written");
    // A reader that is not ours.
    let unpacked =
        Command::new("python3").args(["-m", "zipfile", "-e"]).arg(bench.home().join("r.zip")).arg(&home).status();
    assert!(unpacked.expect("python3").success());
    let run = moretta::Run::new();
    let release = moretta::Release::open(home.join("release")).expect("a release");
    assert!(moretta::check(&release, None, &run).expect("checked").holds());
    let mut files: Vec<_> =
        fs::read_dir(home.join("release")).expect("files").flatten().map(|entry| entry.file_name()).collect();
    files.sort();
    assert_eq!(files, ["README.txt", "data.csv", "datapackage.json", "manifest.json"], "nothing private is given away");
    for page in EVERY_PAGE {
        assert_eq!(bench.get(page).status, 200, "{page}");
    }
    assert_eq!(bench.post("/publish", "name=first").status, 200, "an existing release is not replaced");
    assert!(bench.get("/beside?a=first&b=first").text().contains("first beside first"));
}

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
fn a_cancelled_job_leaves_nothing() {
    let bench = Bench::start(None);
    bench.wait(&bench.upload("patients.csv", &hospital()));
    let job = bench.post("/publish", "name=stopped");
    let id = job.header("location").expect("a job").rsplit('/').next().expect("a number").to_owned();
    bench.post(&format!("/jobs/{id}/cancel"), "");
    let page = bench.wait(&job);
    if page.contains("data-phase=\"cancelled\"") {
        assert_eq!(bench.get("/releases/stopped").status, 422);
    }
    let events = bench.get(&format!("/jobs/{id}/events"));
    assert_eq!(events.header("content-type"), Some("text/event-stream"));
    assert!(events.text().starts_with("data: {\"phase\":"), "{}", events.text());
    assert_eq!(bench.get("/jobs/99").status, 422);
}

#[test]
fn a_tree_is_grouped_imported_and_exported() {
    let bench = Bench::start(None);
    bench.wait(&bench.upload("sick.csv", b"age,disease\n21,flu\n22,cold\n23,gout\n24,flu\n"));
    let page = bench.get("/hierarchies/1").text();
    assert!(page.contains("kind") && page.contains("From and to other tools"), "{page}");
    let tree = "kind=tree&tree=flu%2C*%0Acold%2C*%0Agout%2C*";
    let grouped =
        bench.post("/hierarchies/1", &format!("{tree}&take=v:flu&take=v:cold&into=infection&do=group")).text();
    assert!(grouped.contains("flu,infection,*") && grouped.contains("value=\"g:infection\""), "{grouped}");
    assert!(grouped.contains("3 levels"), "{grouped}");
    let wrong = bench.post("/hierarchies/1", &format!("{tree}&into=infection&do=group")).text();
    assert!(wrong.contains("Nothing is checked"), "{wrong}");
    let policy = || fs::read_to_string(bench.workspace().join("policy.toml")).expect("a policy");
    assert!(
        !policy().contains("infection") && !bench.workspace().join("hierarchies").exists(),
        "nothing was saved yet"
    );
    // A value that no branch has is named.
    let lacking = bench.send_file("/hierarchies/1/import", "tree.csv", b"flu;infection;*\ncold;infection;*\n");
    assert!(lacking.status == 200 && lacking.text().contains("gout"), "{}", lacking.text());
    let saved =
        bench.send_file("/hierarchies/1/import", "tree.csv", b"flu;infection;*\ncold;infection;*\ngout;joints;*\n");
    assert_eq!(saved.header("location"), Some("/hierarchies/1"), "{}", saved.text());
    assert!(policy().contains("hierarchies/disease.csv"), "{}", policy());
    let exported = bench.get("/hierarchies/1/export");
    let mut lines: Vec<String> = exported.text().lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["cold,infection,*", "flu,infection,*", "gout,joints,*"]);
    let again = bench.send_file("/hierarchies/1/import", "tree.csv", b"flu;all;*\ncold;all;*\ngout;all;*\n");
    assert_eq!(again.status, 303);
    assert!(
        policy().contains("hierarchies/disease-2.csv"),
        "a tree that releases may name is never changed: {}",
        policy()
    );
    assert_eq!(bench.send_file("/hierarchies/1/import", "tree.csv", b"\xff,*\n").status, 422);
}

#[cfg(unix)]
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

/// Two tabs: what was shown for one table or for an older policy is not saved into another.
#[test]
fn a_form_of_another_tab_changes_nothing_that_it_was_not_about() {
    let bench = Bench::start(None);
    bench.wait(&bench.upload("patients.csv", &hospital()));
    let left_open = bench.get("/hierarchies/1").text();
    assert!(
        left_open.contains("name=\"of_table\" value=\"tables/patients.csv\"")
            && left_open.contains("name=\"of_column\" value=\"age\"")
    );
    let fingerprint = |page: &str| {
        let (_, rest) = page.split_once("name=\"before\" value=\"").expect("a fingerprint");
        rest.split_once('"').expect("its end").0.to_owned()
    };
    let before = fingerprint(&bench.get("/policy").text());
    bench.wait(&bench.upload("others.csv", b"town,disease\nBonn,flu\nBonn,gout\nUlm,flu\nUlm,gout\n"));
    let policy = || fs::read_to_string(bench.workspace().join("policy.toml")).expect("a policy");
    let text = policy();
    assert!(text.contains("others.csv"), "{text}");
    let table = "of_table=tables%2Fpatients.csv";
    for (address, form) in [
        ("/roles", "column.0=town&role.0=drop"),
        ("/hierarchies/1", "of_column=age&kind=cuts&cuts=18&do=save"),
        ("/promise", "model=k-anonymity&k-anonymity.k=7&method=mondrian"),
        ("/compare", "method=mondrian&model=k-anonymity&values.k-anonymity=8"),
        ("/publish", "name=wrong"),
        ("/policy", &format!("before={before}&text=gone")),
    ] {
        let reply = bench.post(address, &format!("{table}&{form}"));
        assert_eq!(reply.header("location"), None, "{address}");
        assert!(reply.text().contains("Nothing was saved"), "{address}: {}", reply.text());
        assert_eq!(policy(), text, "{address}");
    }
    let now = fingerprint(&bench.get("/policy").text());
    let saved =
        bench.post("/hierarchies/0", "of_table=tables%2Fothers.csv&of_column=town&kind=mask&side=right&do=save");
    assert_eq!(saved.header("location"), Some("/hierarchies"), "{}", saved.text());
    assert_ne!(fingerprint(&bench.get("/policy").text()), now);
}
