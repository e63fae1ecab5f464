//! Relocation: the bytes are an old page, a new page and a recipe, with a zero byte between. What is no recipe is replaced by one
//! that looks for common fields.

#![no_main]

use autoheal_page::Document;
use autoheal_page::recipe::Recipe;
use autoheal_page::relocate::{Relocator, Status};
use libfuzzer_sys::fuzz_target;
use serde_json::json;

const RECIPE: &str = r#"{"version":1,"fields":{
    "title":{"select":"h1","example":["a"]},
    "body":{"select":"p","many":true,"example":["a","b"]},
    "publishing_date":{"select":"time","take":"attr:datetime","example":["2020-01-01"]}}}"#;

thread_local! {
    /// Every best candidate is accepted, so that every path to an answer is walked.
    static RELOCATOR: Relocator = Relocator::new().expect("the built-in tables fit").with_threshold(0.0);
}

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.splitn(3, |byte| *byte == 0);
    let mut next = || parts.next().unwrap_or_default();
    let (old, new) = (Document::parse_bytes(next()), Document::parse_bytes(next()));
    let own = Recipe::from_json(&String::from_utf8_lossy(next()), "fuzz");
    let recipe = own.unwrap_or_else(|_| Recipe::from_json(RECIPE, "built-in").expect("the recipe above is one"));
    for (name, answer) in RELOCATOR.with(|relocator| relocator.relocate(&[&old], &recipe, &new)).fields {
        let is_there = matches!(answer.status, Status::Kept | Status::Moved);
        assert_eq!(is_there, !answer.values.is_empty(), "{name}: {:?}", answer.status);
        let Some(select) = answer.select.filter(|_| answer.status == Status::Moved) else { continue };
        let field =
            json!({"select": select.source(), "take": answer.take.to_string(), "many": true, "transforms": ["trim"]});
        let recipe = Recipe::from_json(&json!({"version": 1, "fields": {"a": field}}).to_string(), "new");
        let extraction = recipe.expect("a selector that was given is understood").apply(&new, None);
        let outcomes = extraction.records.iter().flat_map(|record| &record.fields);
        let mut texts: Vec<String> = outcomes.flat_map(|(_, outcome)| outcome.texts()).collect();
        texts.retain(|text| !text.is_empty());
        assert_eq!(texts, answer.values, "{select}");
    }
});
