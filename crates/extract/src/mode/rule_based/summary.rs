//! The summary that a page states of itself.

use super::View;
use super::about::About;
use super::found::Found;

/// Returns the summary that the page states.
pub(super) fn description(view: &View<'_>, about: &About<'_>) -> Option<Found<String>> {
    let thing = about.thing.as_ref();
    thing
        .and_then(|thing| thing.text(&["description", "abstract"]))
        .or_else(|| view.stated.meta(&["og:description", "description", "twitter:description", "dc.description"]))
}
