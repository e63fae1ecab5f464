//! The subject of a page, and what the page states, for questions to a model.

use autoheal_page::Document;
use url::Url;

use super::about::{About, is_subject};
use super::stated::{Stated, Thing};
use super::{View, is_readable, title};
use crate::item::{PageType, Source};

/// Maximum number of statements that are kept.
const MOST: usize = 2000;

/// Kinds of things that describe the site, or the page as a page.
const FURNITURE: [&str; 13] = [
    "breadcrumblist",
    "entrypoint",
    "imageobject",
    "listitem",
    "propertyvaluespecification",
    "readaction",
    "searchaction",
    "sitenavigationelement",
    "speakablespecification",
    "website",
    "wpfooter",
    "wpheader",
    "wpsidebar",
];

/// A value that a page states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement {
    /// Type of the thing it describes, such as `recipe`; empty for `meta` elements and the title.
    pub(crate) kind: String,
    /// Names from the thing to the value, joined by dots; for `meta` elements their name.
    pub(crate) path: String,
    pub(crate) value: String,
}

/// Type of a page with its statements.
pub(crate) struct Subject {
    pub(crate) page_type: PageType,
    /// True if a thing that the page states has this type.
    pub(crate) is_stated: bool,
    /// Those about the subject first.
    pub(crate) statements: Vec<Statement>,
}

/// Reads the subject of a page, as the rules see it.
pub(crate) fn subject(page: &Document, url: Option<&Url>) -> Subject {
    let stated = Stated::of(page);
    let view = View { page, stated: &stated, url, is_readable: is_readable(page) };
    let shown = title::find(&view, None).map(|found| found.value);
    let about = About::of(&view, shown.as_deref());
    let mut statements = Vec::new();
    for thing in things(&about, &stated) {
        let kind = thing.kinds().into_iter().next().unwrap_or_default();
        let told = thing.statements().into_iter().take(MOST - statements.len());
        statements.extend(told.map(|(path, value)| Statement { kind: kind.clone(), path, value }));
    }
    let heading = page.nodes().find(|&node| page.tag(node) == "title").map(|node| page.text(node).into_owned());
    let heading = heading.into_iter().map(|title| ("title".to_owned(), title));
    let metas = stated.all_metas().map(|(name, content)| (name.to_owned(), content.to_owned()));
    let told = heading.chain(metas).filter(|(_, value)| !value.is_empty()).take(MOST);
    statements.extend(told.map(|(path, value)| Statement { kind: String::new(), path, value }));
    let is_stated = about.thing.is_some() && matches!(about.page_type.source, Source::JsonLd | Source::Microdata);
    Subject { page_type: about.page_type.value, is_stated, statements }
}

/// The thing that a page is about, then others that have its name: an article about a recipe. Without such a thing all that are
/// not furniture.
fn things<'a>(about: &About<'a>, stated: &'a Stated) -> Vec<Thing<'a>> {
    let Some(main) = about.thing else {
        let is_furniture = |thing: &Thing<'_>| thing.kinds().iter().all(|kind| FURNITURE.contains(&kind.as_str()));
        return stated.things().filter(|thing| !is_furniture(thing)).collect();
    };
    let name = |thing: &Thing<'_>| thing.text(&["name", "headline"]).map(|found| found.value);
    let title = name(&main);
    let others = stated.things().filter(|other| {
        let is_same = title.as_deref().zip(name(other).as_deref()).is_some_and(|(one, other)| title::agree(one, other));
        !other.is(&main) && is_same && is_subject(&other.kinds())
    });
    std::iter::once(main).chain(others).collect()
}
