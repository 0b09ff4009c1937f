//! The documentation knows every model and every method.

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
