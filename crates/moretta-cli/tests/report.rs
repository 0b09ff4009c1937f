//! The page that a steward decides from, as a browser shows it.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use support::{Desk, browser};

/// The hospital example, published and attacked.
fn report(desk: &Desk) -> PathBuf {
    let policy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hospital/policy.toml");
    let policy = policy.canonicalize().expect("the example").display().to_string();
    desk.json(&["publish", &policy, "--out", "out", "--seed", "7"]);
    let first = desk.read("out/private/report.html");
    assert!(first.contains("Not attacked yet") && first.contains("Every promise holds"));
    let audit = desk.json(&["audit", "out", "--original", &policy]);
    assert_eq!(audit["holds"], true);
    assert!(!audit.to_string().contains("\"row\""), "people are named in private/ only");
    desk.path("out/private/report.html")
}

#[test]
fn the_page_stands_alone_and_says_what_it_must() {
    let desk = Desk::new();
    let page = std::fs::read_to_string(report(&desk)).expect("the page");
    for part in [
        "What is promised",
        "It does not protect",
        "Risk before and after",
        "The worst-hit people",
        "What analysts lose",
        "Random count queries",
        "To do it again",
        "k-anonymity",
        "re-identification",
        "<html lang=\"en\">",
        "prefers-color-scheme: dark",
        "@media print",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("<script") && !page.contains("src=") && !page.contains("@import") && !page.contains("url("));
    // Every picture has a title for those who can't see it.
    assert_eq!(page.matches("<svg").count(), page.matches("role=\"img\"").count());
    assert!(page.matches("<svg").count() >= 6);
    assert_eq!(page.matches("<table").count(), page.matches("<caption").count());

    let recipient = desk.read("out/release/README.txt");
    assert!(recipient.contains("k-anonymity (k = 5)") && recipient.contains("data.csv") && recipient.contains("moretta query"));
}

#[test]
fn a_browser_shows_it_in_light_and_in_dark() {
    let Some(browser) = browser("a_browser_shows_it_in_light_and_in_dark") else { return };
    let desk = Desk::new();
    let page = report(&desk);
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("screenshots");
    std::fs::create_dir_all(&pictures).expect("a folder for pictures");
    let look = |arguments: &[&str]| {
        let profile = desk.path("profile");
        let mut command = Command::new(&browser);
        command.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1100,1500"]);
        command.arg(format!("--user-data-dir={}", profile.display())).args(arguments);
        command.arg(format!("file://{}", page.display())).output().expect("the browser starts")
    };
    let picture = |name: &str, scheme: &str| {
        let file = pictures.join(name);
        let output = look(&[&format!("--screenshot={}", file.display()), &format!("--blink-settings=preferredColorScheme={scheme}")]);
        let bytes = std::fs::read(&file);
        bytes.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
    };
    let (light, dark) = (picture("report-light.png", "1"), picture("report-dark.png", "0"));
    assert!(light.len() > 20_000 && dark.len() > 20_000, "pictures with something on them");
    assert_ne!(light, dark);
    let shown = String::from_utf8_lossy(&look(&["--dump-dom"]).stdout).into_owned();
    assert!(shown.contains("Every promise holds") && shown.contains("</html>"));
}
