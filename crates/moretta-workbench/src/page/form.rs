//! Forms as they come: names with values, in their order; and what they were about when they were shown, since another tab may have gone on.

use axum::Form;
use maud::{Markup, html};
use moretta::{Error, Result};

use crate::workspace::PolicyFile;

/// The fields of a form.
pub(crate) type Fields = Form<Vec<(String, String)>>;

/// The value of a field, without blanks around it.
pub(super) fn field<'f>(fields: &'f [(String, String)], name: &str) -> Option<&'f str> {
    fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.trim())
}

/// The value of a field that was filled in.
pub(super) fn stated(fields: &[(String, String)], name: &str) -> Option<String> {
    field(fields, name).filter(|value| !value.is_empty()).map(str::to_owned)
}

/// All values of a field that may be there several times.
pub(super) fn all<'f>(fields: &'f [(String, String)], name: &str) -> Vec<&'f str> {
    fields.iter().filter(|(known, _)| known == name).map(|(_, value)| value.trim()).collect()
}

/// Says in a form which table it is about.
pub(super) fn about_table(policy: &PolicyFile) -> Markup {
    html! { input type="hidden" name="of_table" value=(table_of(policy)); }
}

/// Refuses a form that was shown for another table than the one that is open now.
pub(super) fn still_about(fields: &[(String, String)], policy: &PolicyFile) -> Result<()> {
    let open = table_of(policy);
    match field(fields, "of_table") {
        Some(shown) if shown != open.trim() => {
            Err(Error::input(format!("this page was about {shown:?}, and meanwhile {open:?} was opened"))
                .help("nothing was saved; look at what stands here now, or open the other table again"))
        }
        _ => Ok(()),
    }
}

fn table_of(policy: &PolicyFile) -> String {
    policy.table().map(|table| table.to_string()).unwrap_or_default()
}
