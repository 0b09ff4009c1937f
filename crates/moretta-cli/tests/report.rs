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
        "Every person's quasi-identifiers are published alike for at least 5 people.",
        "Why it holds",
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
    assert!(
        recipient.contains("k-anonymity (k = 5)")
            && recipient.contains("Every person's quasi-identifiers are published alike for at least 5 people.")
            && recipient.contains("What is not protected")
            && recipient.contains("data.csv")
            && recipient.contains("moretta query")
    );
}

/// Two thousand columns: all of them quasi-identifiers, or half of them sensitive, so that there are a million pairs.
#[test]
fn the_page_of_two_thousand_columns_can_be_opened() {
    const COLUMNS: usize = 2000;
    let desk = Desk::new();
    let names: Vec<String> = (0..COLUMNS).map(|column| format!("answer_{column}")).collect();
    let row = |i: usize| (0..COLUMNS).map(|c| ((i + c) % 3).to_string()).collect::<Vec<_>>().join(",") + "\n";
    desk.write("wide.csv", format!("{}\n{}", names.join(","), (0..12).map(row).collect::<String>()));
    for quasi in [COLUMNS, COLUMNS / 2] {
        let role = |place: usize| if place < quasi { "quasi" } else { "sensitive" };
        let roles = names
            .iter()
            .enumerate()
            .map(|(place, name)| format!("{name} = {{ role = \"{}\", type = \"integer\" }}\n", role(place)));
        desk.write(
            "policy.toml",
            format!(
                "[data]\nsource = \"wide.csv\"\n[attributes]\n{}[[require]]\nmodel = \"k-anonymity\"\nk = 2\n[method]\nname = \"mondrian\"\n",
                roles.collect::<String>()
            ),
        );
        let out = format!("out-{quasi}");
        desk.json(&["publish", "policy.toml", "--out", &out]);
        let page = desk.read(&format!("{out}/private/report.html"));
        assert!(page.len() < 2 << 20, "{quasi}: {} bytes", page.len());
        assert!(page.contains("answer_"), "columns are named");
        let figures = desk.read(&format!("{out}/private/report.json")).len();
        assert!(figures < 8 << 20, "{quasi}: {figures} bytes");
        assert_eq!(page.contains("association with 20 of 1000 sensitive attributes"), quasi < COLUMNS);
    }
}

/// What a page must not take for markup.
const HOSTILE: &str = "<script n='x'>\"&amp;</script><img onerror=\"y\">";

/// The same text without any character that HTML knows.
fn harmless() -> String {
    HOSTILE.chars().map(|sign| if sign.is_ascii_alphanumeric() || sign == ' ' { sign } else { 'z' }).collect()
}

/// The pages about a table with `evil` in names of columns, values, the policy's text and warnings: of a release, and of a table of
/// another tool.
fn pages_with(evil: &str) -> [String; 2] {
    let desk = Desk::new();
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let header = ["age", "job", "illness"].map(|name| quoted(&format!("{evil}{name}"))).join(",");
    let row = |n: usize| {
        let (job, illness) = (quoted(&format!("{evil}{}", n % 5)), quoted(&format!("{evil}{}", n % 3)));
        format!("{},{job},{illness}\n", 20 + n % 7)
    };
    let rows: String = (0..60).map(row).collect();
    desk.write("table.csv", format!("{header}\n{rows}"));
    desk.write("foreign.csv", format!("{header}\n{rows}22,{},{}\n", quoted(&format!("{evil}unknown")), quoted(evil)));
    let attribute = |name: &str, role: &str| format!("{:?} = {{ role = {role:?} }}\n", format!("{evil}{name}"));
    desk.write(
        "policy.toml",
        format!(
            "# {evil}\n[data]\nsource = \"table.csv\"\n[attributes]\n{}{}{}[[require]]\nmodel = \"k-anonymity\"\nk = 2\n\
             [[require]]\nmodel = \"distinct-l-diversity\"\nl = 2\n[method]\nname = \"mondrian\"\n",
            attribute("age", "quasi"),
            attribute("job", "quasi"),
            attribute("illness", "sensitive"),
        ),
    );
    desk.json(&["publish", "policy.toml", "--out", "out", "--seed", "7"]);
    desk.json(&["audit", "out", "--original", "policy.toml"]);
    desk.run(&["audit", "foreign.csv", "--policy", "policy.toml", "--out", "foreign"]);
    ["out", "foreign"].map(|folder| desk.read(&format!("{folder}/private/report.html")))
}

/// The tags of a page, each with the names of its attributes.
fn tags(page: &str) -> Vec<String> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        let (mut tag, mut quoted) = (String::new(), false);
        let end = rest[at..].find(|sign: char| {
            quoted ^= sign == '"';
            assert!(!(quoted && sign == '<'), "a tag within an attribute: {tag}");
            if !quoted && sign != '"' {
                tag.push(sign);
            }
            !quoted && sign == '>'
        });
        rest = &rest[at + end.unwrap_or_else(|| panic!("a tag without an end: {tag}")) + 1..];
        tags.push(tag);
    }
    tags
}

#[test]
fn nothing_in_the_data_becomes_markup() {
    for (page, wanted) in pages_with(HOSTILE).iter().zip(&pages_with(&harmless())) {
        assert_eq!(tags(page), tags(wanted), "hostile texts leave every tag as it is");
        assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("\"y\""));
        let escaped = "&lt;script n='x'&gt;&quot;&amp;amp;&lt;/script&gt;&lt;img onerror=&quot;y&quot;&gt;";
        let ways = [
            format!("# {escaped}\n"),
            format!("<title>{escaped}job (quasi-identifier)</title>"),
            format!("<desc>The share of people by {escaped}illness"),
            format!(">{escaped}0</text>"),
        ];
        for way in ways {
            assert!(page.contains(&way), "{way}");
        }
    }
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
        command.args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--window-size=1100,1500",
        ]);
        command.arg(format!("--user-data-dir={}", profile.display())).args(arguments);
        command.arg(format!("file://{}", page.display())).output().expect("the browser starts")
    };
    let picture = |name: &str, scheme: &str| {
        let file = pictures.join(name);
        let output = look(&[
            &format!("--screenshot={}", file.display()),
            &format!("--blink-settings=preferredColorScheme={scheme}"),
        ]);
        let bytes = std::fs::read(&file);
        bytes.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
    };
    let (light, dark) = (picture("report-light.png", "1"), picture("report-dark.png", "0"));
    assert!(light.len() > 20_000 && dark.len() > 20_000, "pictures with something on them");
    assert_ne!(light, dark);
    let shown = String::from_utf8_lossy(&look(&["--dump-dom"]).stdout).into_owned();
    assert!(shown.contains("Every promise holds") && shown.contains("</html>"));
}
