//! The `[release]` of a policy: what recipients are told of the data beside what the program knows.

use crate::config::Section;
use crate::error::Result;
use crate::release::About;

pub(super) fn read(section: &mut Section<'_>) -> Result<About> {
    let mut text = |key: &'static str| -> Result<Option<String>> {
        let Some(text) = section.text(key)?.map(str::trim) else { return Ok(None) };
        if text.is_empty() || text.contains(['\n', '\r']) {
            return Err(section.error_at(key, format!("`{key}` must be one line of text")));
        }
        Ok(Some(text.to_owned()))
    };
    Ok(About {
        title: text("title")?,
        contact: text("contact")?,
        licence: text("licence")?,
        citation: text("citation")?,
    })
}
