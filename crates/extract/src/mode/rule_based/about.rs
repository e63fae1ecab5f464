//! The stated thing that a page is about, and the page type that follows from it.

use super::found::Found;
use super::shown_recipe;
use super::stated::Thing;
use super::{View, shown_price, title};
use crate::item::{PageType, Source};

/// Subject of the page.
pub(super) struct About<'a> {
    pub(super) page_type: Found<PageType>,
    /// The thing it states about that.
    pub(super) thing: Option<Thing<'a>>,
}

/// The kind of page that a type of schema.org makes, and how strongly: a page with a recipe is a recipe also where it is an
/// article as well.
fn of_kind(kind: &str) -> Option<(PageType, u32)> {
    let found = match kind {
        "recipe" => (PageType::Recipe, 9),
        "jobposting" => (PageType::Job, 8),
        "product" | "productgroup" | "individualproduct" | "productmodel" | "vehicle" | "car" | "book" => {
            (PageType::Product, 5)
        }
        // Articles are stated to be applications as well, to show a rating in search results.
        "softwareapplication" | "mobileapplication" | "webapplication" => (PageType::Product, 2),
        "article"
        | "newsarticle"
        | "blogposting"
        | "techarticle"
        | "report"
        | "scholarlyarticle"
        | "liveblogposting"
        | "reportagenewsarticle"
        | "opinionnewsarticle"
        | "analysisnewsarticle"
        | "backgroundnewsarticle"
        | "reviewnewsarticle"
        | "discussionforumposting"
        | "socialmediaposting"
        | "question"
        | "satiricalarticle"
        | "advertisercontentarticle"
        | "medicalwebpage" => (PageType::Article, 3),
        event if event.ends_with("event") || matches!(event, "festival" | "hackathon" | "eventseries") => {
            (PageType::Event, 7)
        }
        _ => return None,
    };
    Some(found)
}

/// Returns whether a thing of these types can be the subject of a page.
pub(super) fn is_subject(kinds: &[String]) -> bool {
    kinds.iter().any(|kind| of_kind(kind).is_some())
}

impl<'a> About<'a> {
    /// `shown` is the title that a reader sees.
    pub(super) fn of(view: &View<'a>, shown: Option<&str>) -> Self {
        let mut best: Option<(u32, PageType, Thing<'a>)> = None;
        let mut products = 0;
        let recipes = view.stated.things().filter(|thing| thing.kinds().iter().any(|kind| kind == "recipe")).count();
        for thing in view.stated.things() {
            let Some((page_type, rank)) =
                thing.kinds().iter().filter_map(|kind| of_kind(kind)).max_by_key(|found| found.1)
            else {
                continue;
            };
            products += usize::from(page_type == PageType::Product);
            let name = thing.text(&["name", "headline"]).map(|name| name.value);
            let is_shown = shown.zip(name.as_deref()).is_some_and(|(shown, name)| title::agree(shown, name));
            // The subject has the page's own title; an event or a product in the margin has another one.
            let mut score = rank + if is_shown { 10 } else { 0 };
            // An article about one recipe is the recipe; one about several is an article.
            if page_type == PageType::Recipe && recipes == 1 {
                score += 10;
            }
            if best.as_ref().is_none_or(|(most, ..)| score > *most) {
                best = Some((score, page_type, thing));
            }
        }
        match best {
            // Several products of which none is the page's are a list.
            Some((score, PageType::Product, _)) if products > 1 && score < 10 => Self::by_look(view),
            // A recipe that is stated to be an article.
            Some((_, PageType::Article, thing)) if looks_like_recipe(view) => {
                Self { page_type: Found::heuristic(PageType::Recipe, 0.7), thing: Some(thing) }
            }
            Some((score, page_type, thing)) => {
                let confidence = if score >= 10 { 0.97 } else { 0.8 };
                Self { page_type: Found::new(page_type, thing.source, confidence), thing: Some(thing) }
            }
            None => Self::by_look(view),
        }
    }

    /// Determines the page type from the layout of the page and its `meta` elements.
    fn by_look(view: &View<'a>) -> Self {
        let kind = view.stated.meta(&["og:type"]).map(|found| found.value.to_ascii_lowercase()).unwrap_or_default();
        let page_type = if looks_like_recipe(view) {
            Found::heuristic(PageType::Recipe, 0.7)
        } else if kind.contains("product") {
            Found::new(PageType::Product, Source::OpenGraph, 0.8)
        } else if kind.contains("article") || view.stated.meta(&["article:published_time"]).is_some() {
            Found::new(PageType::Article, Source::OpenGraph, 0.7)
        } else if shown_price::looks_like_product(view) {
            Found::heuristic(PageType::Product, 0.6)
        } else if view.page.nodes().filter(|&node| view.page.tag(node) == "article").count() == 1 {
            Found::heuristic(PageType::Article, 0.5)
        } else {
            Found::heuristic(PageType::Generic, 0.5)
        };
        Self { page_type, thing: None }
    }
}

/// Returns whether a page that states no recipe shows one.
fn looks_like_recipe(view: &View<'_>) -> bool {
    if !view.is_readable {
        return false;
    }
    let shown = shown_recipe::find(view.page);
    shown.ingredients.len() >= 2 && !shown.instructions.is_empty()
}
