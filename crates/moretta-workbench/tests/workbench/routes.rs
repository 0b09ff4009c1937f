//! The path of a steward without a browser.

use std::fs;
use std::process::Command;

use crate::client::Bench;
use crate::{EVERY_PAGE, hospital};

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
