//! Pages with the recipes to apply.

use std::path::Path;

use anyhow::{Context as _, ensure};
use autoheal_page::document::decode;
use serde_json::{Value, json};

use crate::bench::{drift, extract};

/// A page and a recipe of CSS selectors.
pub(super) struct Job {
    pub(super) name: String,
    /// The page in UTF-8, so that all programs get the same input.
    pub(super) html: String,
    pub(super) recipe: Value,
}

/// The pages of a corpus: of the drift bench, with the recipes that work on them, or of the extraction bench, with one recipe for
/// all.
pub(super) fn read(corpus: &Path) -> anyhow::Result<Vec<Job>> {
    let jobs = if corpus.join("drift").is_dir() { drifting(corpus) } else { extracted(corpus) }?;
    ensure!(!jobs.is_empty(), "no cases below {}", corpus.display());
    Ok(jobs)
}

fn drifting(corpus: &Path) -> anyhow::Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for case in drift::corpus::load(corpus)? {
        for side in [drift::corpus::Side::Old, drift::corpus::Side::New] {
            // On a redesigned page some fields have no selector.
            let Ok((recipe, _)) = case.recipe(side) else { continue };
            let mut recipe: Value = serde_json::from_str(&recipe.to_json()?)?;
            let fields = recipe["fields"].as_object_mut().context("a recipe has fields")?;
            fields.retain(|_, field| field["select"].as_str().is_some_and(|select| !select.starts_with("xpath:")));
            for field in fields.values_mut().filter_map(Value::as_object_mut) {
                field.remove("example");
            }
            if !fields.is_empty() {
                let html = decode(&case.bytes(side)?).into_owned();
                jobs.push(Job { name: format!("{} {side:?}", case.id), html, recipe });
            }
        }
    }
    Ok(jobs)
}

fn extracted(corpus: &Path) -> anyhow::Result<Vec<Job>> {
    let field = |select: &str, take: &str, many: bool| json!({"select": select, "take": take, "many": many});
    let recipe = json!({"version": 1, "fields": {
        "title": field("h1", "text", false),
        "summary": field("meta[name=\"description\"]", "attr:content", false),
        "image": field("meta[property=\"og:image\"]", "attr:content", false),
        "date": field("time[datetime]", "attr:datetime", false),
        "headings": field("main h2, article h2", "text", true),
        "steps": field("ol > li", "text", true),
        "paragraphs": field("article p", "text", true),
        "links": field("a[href^=\"http\"]", "attr:href", true),
    }});
    let job =
        |case: &extract::corpus::Case| Ok(Job { name: case.id.clone(), html: case.page()?, recipe: recipe.clone() });
    extract::corpus::read(corpus)?.iter().map(job).collect()
}
