//! Functions of the package that need no store.

use autoheal_extract::rule_based;
use autoheal_page::Document;
use autoheal_page::diff::structural_diff;
use autoheal_page::recipe::Recipe;
use autoheal_page::relocate::Relocator;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use serde_json::{Value, json};

use crate::errors::Class;
use crate::page::{address_of, text_of};

/// Maximum length of a diff, in bytes.
const LONGEST_DIFF: usize = 64 * 1024;

/// The fields of a recipe on a page that has changed: for each its status, selector, values and confidence.
#[pyfunction]
pub(crate) fn relocate<'py>(
    py: Python<'py>,
    old: &Bound<'py, PyAny>,
    recipe: &Bound<'py, PyAny>,
    new: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    static RELOCATOR: PyOnceLock<Relocator> = PyOnceLock::new();
    let (old, recipe, new) = (text_of(old)?, recipe_of(py, recipe)?, text_of(new)?);
    let relocator = RELOCATOR.get_or_try_init(py, Relocator::new).map_err(|error| Class::Recipe.error(py, error))?;
    let relocation = py.detach(|| relocator.relocate(&[&Document::parse(&old)], &recipe, &Document::parse(&new)));
    let fields = relocation.fields.into_iter().map(|(name, answer)| {
        let answer = json!({
            "status": answer.status.name(),
            "selector": answer.select.as_ref().map(autoheal_page::Selector::source),
            "take": answer.take.to_string(),
            "values": answer.values,
            "confidence": answer.confidence,
            "evidence": answer.evidence,
        });
        (name.to_string(), answer)
    });
    python_of(py, &Value::Object(fields.collect()))
}

/// The values of a recipe on a page: a dictionary, or a list of them if the recipe has `items`.
#[pyfunction]
#[pyo3(signature = (recipe, html, url=None))]
pub(crate) fn apply_recipe<'py>(
    py: Python<'py>,
    recipe: &Bound<'py, PyAny>,
    html: &Bound<'py, PyAny>,
    url: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let (recipe, html) = (recipe_of(py, recipe)?, text_of(html)?);
    let url = address_of(url)?;
    let extraction = py.detach(|| recipe.apply_to_html(&html, url.as_ref()));
    let records: Vec<Value> = extraction
        .records
        .iter()
        .map(|record| {
            let fields = record.fields.iter().map(|(name, outcome)| {
                let many = recipe.field(name.as_str()).is_some_and(|field| field.many);
                let mut texts = outcome.values.iter().map(|found| Value::String(found.value.to_string()));
                let value = if many { Value::Array(texts.collect()) } else { texts.next().unwrap_or(Value::Null) };
                (name.to_string(), value)
            });
            Value::Object(fields.collect())
        })
        .collect();
    match recipe.items() {
        Some(_) => python_of(py, &Value::Array(records)),
        None => python_of(py, records.first().unwrap_or(&Value::Null)),
    }
}

/// The item of a page by rules alone: a product, a job, an article, a recipe, an event, or a generic page, as `autoheal extract` prints it.
#[pyfunction]
#[pyo3(signature = (html, url=None))]
pub(crate) fn extract<'py>(
    py: Python<'py>,
    html: &Bound<'py, PyAny>,
    url: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let html = text_of(html)?;
    let url = address_of(url)?;
    let item = py.detach(|| rule_based(&Document::parse(&html), url.as_ref()));
    python_of(py, &serde_json::to_value(item).map_err(|error| Class::Recipe.error(py, error))?)
}

/// The changes in the structure of a page, as a unified diff of its elements.
#[pyfunction]
pub(crate) fn diff(py: Python<'_>, old: &Bound<'_, PyAny>, new: &Bound<'_, PyAny>) -> PyResult<String> {
    let (old, new) = (text_of(old)?, text_of(new)?);
    Ok(py.detach(|| structural_diff(&Document::parse(&old), &Document::parse(&new)).unified(LONGEST_DIFF)))
}

/// A recipe from a dictionary or from text in JSON.
fn recipe_of(py: Python<'_>, recipe: &Bound<'_, PyAny>) -> PyResult<Recipe> {
    let text: String = match recipe.extract() {
        Ok(text) => text,
        Err(_) => PyModule::import(py, "json")?.getattr("dumps")?.call1((recipe,))?.extract()?,
    };
    serde_json::from_str(&text).map_err(|error| Class::Recipe.error(py, error))
}

fn python_of<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    PyModule::import(py, "json")?.getattr("loads")?.call1((value.to_string(),))
}
