//! Extraction of recipes: ingredients, instructions, yield and times.

mod stated;

use autoheal_page::value::minutes;

use super::about::About;
use super::found::Found;
use super::shown_recipe::{self, Shown};
use super::{Filling, View, commerce, labels};
use crate::item::Field;

/// Fills the fields of recipes.
pub(super) fn fill(view: &View<'_>, about: &About<'_>, filling: &mut Filling) {
    let thing = about.thing.as_ref();
    let shown = || if view.is_readable { shown_recipe::find(view.page) } else { Shown::default() };
    let ingredients = thing.and_then(stated::ingredients);
    let instructions = thing.and_then(stated::instructions);
    // Both are looked for together: instructions come after ingredients.
    let shown = if ingredients.is_none() || instructions.is_none() { shown() } else { Shown::default() };
    let of_page = |lines: Vec<String>| (!lines.is_empty()).then(|| Found::heuristic(lines, 0.7));
    filling.list(Field::Ingredients, ingredients.or_else(|| of_page(shown.ingredients)), |item| &mut item.ingredients);
    filling
        .list(Field::Instructions, instructions.or_else(|| of_page(shown.instructions)), |item| &mut item.instructions);
    let labelled = |words: &[&str]| labels::value(view.page, words).map(|value| Found::heuristic(value, 0.6));
    let yields = thing.and_then(stated::yields).or_else(|| {
        labelled(&[
            "yield",
            "yields",
            "serves",
            "servings",
            "portionen",
            "portions",
            "porciones",
            "porzioni",
            "porties",
        ])
    });
    filling.set(Field::Yields, yields, |item| &mut item.yields);
    let time = |name: &str, words: &[&str]| {
        let stated = thing.and_then(|thing| thing.text(&[name]));
        let time = stated.and_then(|text| text.and_then(|text| minutes::parse(&text).ok()));
        // Publishing systems state 0 for a missing time.
        let time = time.filter(|time| time.value > 0);
        time.or_else(|| labelled(words)?.and_then(|text| minutes::parse(&text).ok()))
    };
    filling.set(
        Field::PrepMinutes,
        time("prepTime", &["prep", "prep time", "preparation", "preparation time", "vorbereitung"]),
        |item| &mut item.prep_minutes,
    );
    filling.set(
        Field::CookMinutes,
        time("cookTime", &["cook", "cook time", "cooking time", "kochzeit", "cuisson"]),
        |item| &mut item.cook_minutes,
    );
    filling.set(Field::TotalMinutes, time("totalTime", &["total", "total time", "gesamtzeit", "ready in"]), |item| {
        &mut item.total_minutes
    });
    filling.set(Field::Rating, thing.and_then(commerce::rating), |item| &mut item.rating);
}
