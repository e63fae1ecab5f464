//! The price that a page shows.

use std::sync::LazyLock;

use autoheal_page::NodeId;
use autoheal_page::value::number::DecimalMark;
use autoheal_page::value::{Money, money};
use regex::Regex;
use rust_decimal::Decimal;

use super::View;

/// Maximum distance of the price after the headline, in visible characters.
const NEAR: usize = 2500;

/// Returns the first amount of money after `place` that is not crossed out.
pub(super) fn shown_money(view: &View<'_>, place: NodeId) -> Option<Money> {
    let page = view.page;
    let from = page.letters_before(place);
    page.nodes()
        .filter(|&node| node > place && page.letters_before(node) - from.min(page.letters_before(node)) <= NEAR)
        .filter(|&node| (2..24).contains(&page.letters(node)))
        .filter(|&node| !is_old(view, node))
        .find_map(|node| money::parse(page.visible_text(node), DecimalMark::Detect, None).ok())
        .filter(|money| money.amount > Decimal::ZERO)
}

/// Returns whether a price is the one before a reduction.
fn is_old(view: &View<'_>, node: NodeId) -> bool {
    static OLD: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)(^|[-_ ])(old|was|compare|strike|regular|rrp|list|crossed|saving|save|shipping)").ok()
    });
    let page = view.page;
    std::iter::once(node).chain(page.ancestors(node).take(2)).any(|node| {
        matches!(page.tag(node), "del" | "s" | "strike")
            || page.attribute(node, "class").is_some_and(|class| OLD.as_ref().is_some_and(|old| old.is_match(class)))
    })
}

/// Returns whether a page that states nothing sells one thing: it has a price after the first heading, and a
/// button to buy it.
pub(super) fn looks_like_product(view: &View<'_>) -> bool {
    static BUY: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)^(add to (cart|bag|basket)|buy( it)? now|in den warenkorb|ajouter au panier|añadir al carrito|aggiungi al carrello|in winkelwagen)").ok()
    });
    let page = view.page;
    let buttons = page.nodes().filter(|&node| matches!(page.tag(node), "button" | "input" | "a"));
    let texts =
        buttons.map(|node| page.attribute(node, "value").unwrap_or_else(|| page.visible_text(node)).trim().to_owned());
    // Several are a list of products.
    let buying = texts.filter(|text| BUY.as_ref().is_some_and(|buy| buy.is_match(text))).count();
    let heading = page.nodes().find(|&node| page.tag(node) == "h1");
    (1..=2).contains(&buying) && heading.and_then(|heading| shown_money(view, heading)).is_some()
}
