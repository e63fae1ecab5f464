//! Titles that became the site's name: a template without its data shows that, as every page of the site does.

use std::collections::BTreeSet;

use autoheal_page::Document;
use autoheal_page::recipe::Recipe;
use autoheal_page::relocate::same_kind;
use autoheal_page::structured::{Origin, structured_data};

use crate::drift::quoted;
use crate::facts::PageFacts;

/// Characters between the parts of a page's title.
const SEPARATORS: [&str; 8] = [" - ", " | ", " – ", " — ", " · ", " • ", " :: ", " » "];

/// Returns the names of such fields and a description of each. `before` is the page as it was when its values were accepted last.
pub(crate) fn site_titles(
    recipe: &Recipe,
    (before, now): (&Document, &Document),
    facts: &PageFacts,
    history: &[PageFacts],
) -> Vec<(String, String)> {
    let titles = recipe.fields().iter().filter(|field| !field.many && same_kind(field.name.as_str(), "title"));
    let found = titles.filter_map(|field| {
        let name = field.name.as_str();
        let [text] = facts.texts.get(name)?.as_slice() else { return None };
        let mut known = history.iter().filter_map(|page| page.texts.get(name)).flatten().peekable();
        let is_new = known.peek().is_some() && known.all(|known| known != text);
        let is_of_the_site = is_new && [before, now].iter().all(|page| parts_of_title(page).contains(text));
        is_of_the_site
            .then(|| (name.to_owned(), format!("Changed field: {name} is the name of the site: {}", quoted(text))))
    });
    found.collect()
}

/// The parts of a page's title, and the site's name if the page states it.
fn parts_of_title(page: &Document) -> BTreeSet<String> {
    let data = structured_data(page).into_iter();
    let stated = data.filter(|datum| datum.origin == Origin::Title || datum.path == "og:site_name");
    let mut parts = BTreeSet::new();
    for datum in stated {
        let spread = SEPARATORS.iter().fold(datum.value, |title, separator| title.replace(separator, "\n"));
        parts.extend(spread.lines().map(|part| part.trim().to_owned()));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_that_every_page_of_the_site_has_is_none() {
        let recipe = Recipe::parse(r#"{"version": 1, "fields": {"title": {"select": "h1"}}}"#, "test").unwrap();
        let page = |title: &str, heading: &str| Document::parse(&format!("<title>{title}</title><h1>{heading}</h1>"));
        let is_site = |now: &Document| {
            let before = page("Blue chair - Nordic Shop", "Blue chair");
            let facts = |page: &Document| PageFacts::of(&recipe.apply(page, None));
            !site_titles(&recipe, (&before, now), &facts(now), &[facts(&before)]).is_empty()
        };
        assert!(
            is_site(&page("Blue chair - Nordic Shop", "Nordic Shop")) && is_site(&page("Nordic Shop", "Nordic Shop"))
        );
        let now = page("Blue chair", "Blue chair");
        let facts = PageFacts::of(&recipe.apply(&now, None));
        assert!(site_titles(&recipe, (&now, &now), &facts, &[]).is_empty(), "a field without earlier values");
        for (title, heading) in [("Oak table - Nordic Shop", "Oak table"), ("Blue chair - Nordic Shop", "Blue chair")] {
            assert!(!is_site(&page(title, heading)), "{title}");
        }
    }
}
