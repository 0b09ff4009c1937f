//! The documentation knows every model, every method and every code of an error.

use moretta::error::Code;
use moretta::method::registry::METHODS;
use moretta::model::registry::MODELS;

#[test]
fn every_model_and_method_has_its_page_and_its_line_in_the_readme() {
    let readme = include_str!("../../../README.md");
    let models = MODELS.iter().map(|entry| ("models", entry.name, entry.summary, entry.page));
    let methods = METHODS.iter().map(|entry| ("methods", entry.name, entry.summary, entry.page));
    for (folder, name, summary, page) in models.chain(methods) {
        assert!(page.starts_with(&format!("# {name}\n")), "{name}: the page has another title");
        for heading in ["## Protects", "## Does not protect", "## Parameters", "## Cost", "## Paper"] {
            assert!(page.contains(heading), "{name}: the page lacks {heading:?}");
        }
        let line = format!("| [{name}](docs/{folder}/{name}.md) | done | {summary} |");
        assert!(readme.contains(&line), "README.md lacks: {line}");
    }
}

#[test]
fn the_guide_lists_the_codes_of_errors_in_their_order() {
    let guide = include_str!("../../../docs/guide.md");
    let listed = guide.lines().skip_while(|line| *line != "| code | what is wrong |").skip(2);
    let listed: Vec<&str> = listed.map_while(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(listed, codes);
}
