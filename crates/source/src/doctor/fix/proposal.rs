//! Changes to a recipe for another layout, whichever way found them.

use autoheal_page::Document;
use autoheal_page::apply::link_to;
use autoheal_page::recipe::{NextPage, NodeTake, Recipe};
use autoheal_page::robust_selector::robust_selector;
use url::Url;

use super::Change;
use crate::definition::{Blueprint, Definition};
use crate::loaded::Loaded;

/// The reason for which nothing is proposed for a page on which everything is found.
pub(super) fn unchanged(loaded: &Loaded) -> String {
    format!(
        "every field is where it was: the values themselves have changed; if they are right, `autoheal source accept {}` accepts them",
        loaded.row.source
    )
}

/// The change to a recipe for another layout: `moved` are the names of what is elsewhere now, `gone` those of optional fields that
/// the page has not at present.
pub(super) fn change(
    loaded: &Loaded,
    recipe: Recipe,
    moved: &[String],
    gone: Vec<String>,
    evidence: Vec<String>,
) -> Change {
    let mut names: Vec<&str> = moved.iter().map(String::as_str).collect();
    if recipe.next() != loaded.recipe.next() {
        names.push("the link to the next page");
    }
    let found = format!("find {} where the new layout has them", names.join(", "));
    let dropped = without(&gone);
    let description = match (names.is_empty(), gone.is_empty()) {
        (false, true) => found,
        (true, _) => dropped,
        (false, false) => format!("{found}; {dropped}"),
    };
    let definition = redefined(loaded, &recipe);
    Change { recipe, definition, evidence, absent: gone, ..Change::of(loaded, description) }
}

/// The source's definition, with the blueprint of a recipe.
pub(super) fn redefined(loaded: &Loaded, recipe: &Recipe) -> Definition {
    let mut definition = loaded.definition.clone();
    definition.blueprint = Blueprint::of(definition.blueprint.base_url.clone(), recipe);
    definition
}

/// The part of a description about fields that a page has not at present.
pub(super) fn without(fields: &[String]) -> String {
    format!("do without {} until the site has it again", fields.join(", "))
}

/// The rule for the next page: as it was when it still finds a link, else one for the link that leads where the old one led.
pub(super) fn next_page(loaded: &Loaded, page: &Document, url: Option<&Url>) -> Result<Option<NextPage>, String> {
    let (Some(rule), Some(url)) = (loaded.recipe.next(), url) else {
        return Ok(loaded.recipe.next().cloned());
    };
    let old = loaded.history.first().and_then(|facts| facts.next.as_ref());
    let Some(old) = old.filter(|_| loaded.recipe.next_page(page, url).is_none()) else {
        return Ok(Some(rule.clone()));
    };
    let select = link_to(page, url, old).and_then(|link| robust_selector(&[(page, &[link])]));
    let select = select.ok_or("the link to the next page cannot be found again")?;
    Ok(Some(NextPage { select, take: NodeTake::Attribute("href".to_owned()), limit: rule.limit }))
}
