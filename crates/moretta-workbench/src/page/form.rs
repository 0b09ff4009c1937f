//! Forms as they come: names with values, in their order.

use axum::Form;

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
