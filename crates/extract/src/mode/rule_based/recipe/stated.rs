//! Content of a recipe that a page states.

use serde_json::Value;

use super::super::recipe_lines::{is_only_number, lines, without_numbers};
use crate::mode::rule_based::found::Found;
use crate::mode::rule_based::stated::{Thing, is_said, kinds_of, text_of};

/// Maximum nesting depth of sections and steps.
const DEEPEST: usize = 6;

/// A line for each ingredient.
pub(super) fn ingredients(thing: &Thing<'_>) -> Option<Found<Vec<String>>> {
    // Where a page states them under two names, one of them may be all in one.
    let names = ["recipeIngredient", "ingredients", "ingredient", "recipeIngredients"];
    let lists = names.map(|name| of_values(&thing.values(&[name])));
    let all = lists.into_iter().rev().max_by_key(Vec::len).unwrap_or_default();
    (!all.is_empty()).then(|| Found::stated(all, thing.source))
}

fn of_values(values: &[&Value]) -> Vec<String> {
    let mut all = Vec::new();
    for &value in values {
        match value {
            Value::String(text) => all.extend(lines(text).into_iter().filter(|line| is_said(line))),
            Value::Object(_) => all.extend(of_object(value)),
            Value::Array(_) | Value::Number(_) | Value::Bool(_) | Value::Null => all.extend(text_of(value)),
        }
    }
    all
}

/// Returns the text of an ingredient with separate amount and name.
fn of_object(value: &Value) -> Option<String> {
    let said = |name: &str| value.get(name).and_then(text_of);
    let amount = said("amount").or_else(|| said("quantity"));
    let parts: Vec<String> = [amount, said("unit").or_else(|| said("unitText")), said("name").or_else(|| said("text"))]
        .into_iter()
        .flatten()
        .collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// A line for each step, the name of a section before its steps.
pub(super) fn instructions(thing: &Thing<'_>) -> Option<Found<Vec<String>>> {
    let mut all = Vec::new();
    for value in thing.values(&["recipeInstructions", "instructions", "step", "steps"]) {
        steps(value, 0, &mut all);
    }
    let all = without_numbers(all);
    (!all.is_empty()).then(|| Found::stated(all, thing.source))
}

fn steps(value: &Value, depth: usize, all: &mut Vec<String>) {
    if depth > DEEPEST {
        return;
    }
    match value {
        Value::String(text) => all.extend(lines(text).into_iter().filter(|line| is_said(line))),
        Value::Array(values) => {
            for value in values {
                steps(value, depth + 1, all);
            }
        }
        Value::Object(members) => {
            let text = members.get("text").or_else(|| members.get("description"));
            let below = members.get("itemListElement").or_else(|| members.get("steps")).or_else(|| members.get("item"));
            let is_list = kinds_of(value).iter().any(|kind| kind == "itemlist");
            if let Some(name) = members.get("name").and_then(text_of).filter(|_| !is_list) {
                // Steps are often named by their own beginning.
                let text = text.and_then(text_of).unwrap_or_default();
                let stem = name.trim_end_matches(['.', '…', ' ']);
                if !text.starts_with(stem) && !is_only_number(&name) {
                    all.push(name);
                }
            }
            match (text, below) {
                (_, Some(below)) => steps(below, depth + 1, all),
                (Some(text), None) => steps(text, depth + 1, all),
                (None, None) => {}
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the yield; the longest of several, such as `4` and `4 servings`.
pub(super) fn yields(thing: &Thing<'_>) -> Option<Found<String>> {
    let texts = thing.texts(&["recipeYield", "yield"]);
    texts.into_iter().max_by_key(String::len).map(|text| Found::stated(text, thing.source))
}
