//! Models, methods and attacks: what there is, and parameters checked one by one.

use moretta::{Error, MethodSpec, Promise};
use pyo3::prelude::*;
use serde_json::{Map, Value as Json, json};

use crate::errors::Failed;
use crate::policy::parsed;

/// All models, methods and attacks, as JSON.
#[pyfunction]
pub(crate) fn catalogue() -> String {
    json!(moretta::catalogue()).to_string()
}

/// The entry of a name as JSON, with its whole page.
#[pyfunction]
pub(crate) fn explain(name: &str) -> PyResult<String> {
    let entry = moretta::explain(name).map_err(Failed::from)?;
    let mut object = json!(entry);
    object["page"] = entry.text().into();
    object["several_rows"] = json!(entry.several_rows());
    object["wordings"] = json!(entry.wordings());
    Ok(object.to_string())
}

/// Refuses parameters of a model that no table could make right.
#[pyfunction]
pub(crate) fn check_model(text: &str) -> PyResult<()> {
    promise(text)?.checked().map_err(Failed::from)?;
    Ok(())
}

/// Refuses parameters that a method does not take.
#[pyfunction]
pub(crate) fn check_method(text: &str) -> PyResult<()> {
    method(text)?.checked().map_err(Failed::from)?;
    Ok(())
}

/// A promise from the JSON that a policy has for it.
pub(crate) fn promise(text: &str) -> PyResult<Promise> {
    let (model, parameters) = named(text, "model")?;
    Ok(parameters.into_iter().fold(Promise::new(&model), |promise, (key, value)| promise.with(&key, value)))
}

/// A method from the JSON that a policy has for it.
pub(crate) fn method(text: &str) -> PyResult<MethodSpec> {
    let (name, parameters) = named(text, "name")?;
    Ok(parameters.into_iter().fold(MethodSpec::new(&name), |method, (key, value)| method.with(&key, value)))
}

fn named(text: &str, key: &str) -> PyResult<(String, Map<String, Json>)> {
    let Json::Object(mut object) = parsed(text)? else {
        return Err(Failed::from(Error::bug("parameters are no object")).into());
    };
    let name = object.shift_remove(key).and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default();
    Ok((name, object))
}
