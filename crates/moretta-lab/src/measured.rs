//! Numbers that were measured, in the pages that tell them.

use std::path::Path;

use moretta::{Error, Result};

/// Puts a text into a page of the docs, between `<!-- NAME: begin -->` and `<!-- NAME: end -->`.
pub fn write_into(page: &Path, name: &str, text: &str) -> Result<()> {
    let before = std::fs::read_to_string(page).map_err(|e| Error::machine("read the page", page, e))?;
    let after = with_part(&before, name, text)
        .ok_or_else(|| Error::input(format!("the page has no part {name:?}")).at_file(page))?;
    std::fs::write(page, after).map_err(|e| Error::machine("write the page", page, e))
}

/// The page with another text between the marks of this name; nothing if it does not have them.
fn with_part(page: &str, name: &str, text: &str) -> Option<String> {
    let [begin, end] = ["begin", "end"].map(|word| format!("<!-- {name}: {word} -->\n"));
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}{}\n{end}{after}", text.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_replaced_and_what_stands_around_it_stays() {
        let page = "a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb\n";
        assert_eq!(with_part(page, "x", "new\n").unwrap(), "a\n<!-- x: begin -->\nnew\n<!-- x: end -->\nb\n");
        assert_eq!(with_part(page, "y", "new"), None);
    }
}
