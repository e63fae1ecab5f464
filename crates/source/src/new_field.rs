//! Fields that a site has added to a page.

use autoheal_page::Document;
use autoheal_page::recipe::{Field, FieldName, Recipe};
use autoheal_page::relocate::same_name;

use crate::scout::labels::by_labels;
use crate::scout::zones::Zones;

/// Maximum number of new fields that are named.
const MOST_OFFERED: usize = 5;

/// Returns the labelled values of a page that it had on none of the pages `before` and that the recipe does not collect: their names and texts.
pub(crate) fn new_fields(recipe: &Recipe, before: &[Document], now: &Document) -> Vec<(FieldName, String)> {
    if recipe.items().is_some() {
        return Vec::new();
    }
    let labelled = |page: &Document| by_labels(page, &Zones::of(page));
    let known: Vec<Field> = before.iter().flat_map(labelled).collect();
    let is_known = |name: &FieldName| {
        let names = known.iter().chain(recipe.fields()).map(|field| field.name.as_str());
        names.into_iter().any(|known| same_name(known, name.as_str()))
    };
    let new = labelled(now).into_iter().filter(|field| !is_known(&field.name));
    new.filter_map(|field| Some((field.name, field.example.into_iter().next()?))).take(MOST_OFFERED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: &str = r#"{"version": 1, "fields": {"title": {"select": "h1"}, "color": {"select": ".c"}}}"#;
    const PAGE: &str = "<h1>Blue chair</h1><dl><dt>Color<dd class=c>blue<dt>Legs<dd>4</dl>";

    #[test]
    fn labels_that_the_page_did_not_have_are_offered() {
        let recipe = Recipe::parse(RECIPE, "test").unwrap();
        let offered = |now: &str| {
            let found = new_fields(&recipe, &[Document::parse(PAGE)], &Document::parse(now));
            found.into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>()
        };
        assert_eq!(offered(PAGE), [""; 0]);
        assert_eq!(offered(&PAGE.replace("</dl>", "<dt>Weight<dd>12 kg</dl>")), ["weight=12 kg"]);
        assert_eq!(offered(&PAGE.replace("4</dl>", "6</dl>")), [""; 0], "another value is no other field");
        assert_eq!(offered(&format!("<nav><dl><dt>Cart<dd>3</dl></nav>{PAGE}")), [""; 0], "beside the content");
    }
}
