//! Fields whose rule has come to match another element, while their own is where it was: a teaser with a price above the price, a second
//! heading above the title. The values alone do not show it, as the new ones are of the same kind.

use autoheal_page::recipe::{Recipe, Source};
use autoheal_page::{Document, NodeId};

use crate::drift::quoted;

/// Returns the names of such fields and a description of each. `before` is the page as it was when its values were accepted last.
pub(crate) fn displaced(recipe: &Recipe, before: &Document, now: &Document) -> Vec<(String, String)> {
    if recipe.items().is_some() {
        return Vec::new();
    }
    let rules = recipe.fields().iter().filter(|field| !field.many).filter_map(|field| match &field.source {
        Source::Nodes { select, .. } => Some((field.name.as_str(), select)),
        Source::Structured(_) => None,
    });
    let found = rules.filter_map(|(name, select)| {
        let (was, is) = (*before.select(select).first()?, *now.select(select).first()?);
        let own_text = before.text(was);
        let is_elsewhere = !own_text.is_empty() && own_text != now.text(is) && !is_same_place((before, was), (now, is));
        let is_own = |node: &NodeId| now.text(*node) == own_text && is_same_place((before, was), (now, *node));
        (is_elsewhere && now.nodes().any(|node| is_own(&node))).then(|| {
            let own = quoted(&own_text);
            (
                name.to_owned(),
                format!("Changed field: {name} is taken from another element, and its own still says {own}"),
            )
        })
    });
    found.collect()
}

/// Returns whether two elements have the same tags and classes, and so have all elements around them. Positions do not count: what moves
/// down in a list is in the same place.
fn is_same_place((one, node): (&Document, NodeId), (other, other_node): (&Document, NodeId)) -> bool {
    one.depth(node) == other.depth(other_node) && steps(one, node).eq(steps(other, other_node))
}

fn steps(page: &Document, node: NodeId) -> impl Iterator<Item = (&str, Vec<&str>)> {
    std::iter::once(node).chain(page.ancestors(node)).map(|step| {
        let mut classes: Vec<&str> = page.classes(step).collect();
        classes.sort_unstable();
        (page.tag(step), classes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: &str = r#"{"version": 1, "fields": {
        "title": {"select": "h1"}, "price": {"select": ".price"}, "sku": {"select": ".facts span"}}}"#;
    const BEFORE: &str =
        "<main><h1>Blue chair</h1><p class=price>12.50</p><div class=facts><span>S-7</span></div></main>";

    fn names(now: &str) -> Vec<String> {
        let recipe = Recipe::parse(RECIPE, "test").unwrap();
        displaced(&recipe, &Document::parse(BEFORE), &Document::parse(now)).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn another_element_in_front_of_the_fields_own_is_noticed() {
        for (front, name) in [
            ("<div class=teaser><p class=price>44.10</p></div>", "price"),
            ("<header><h1>Nordic Shop</h1></header>", "title"),
            ("<div class=cookies><h1>We use cookies</h1></div>", "title"),
            ("<div class=facts><b><span>In stock</span></b></div>", "sku"),
        ] {
            assert_eq!(names(&format!("{front}{BEFORE}")), [name], "{front}");
        }
    }

    #[test]
    fn honest_changes_are_not() {
        for now in [
            BEFORE.replace("12.50", "10.00"),
            BEFORE.replace("Blue chair", "Oak stool").replace("12.50", "99.00").replace("S-7", "S-8"),
            BEFORE.replace("<p class=price>12.50</p>", "<p class=price>10.00</p><p class=\"price was\">12.50</p>"),
            BEFORE.replace("<p class=price>", "<p class=price>9.00</p><p class=price>"),
            BEFORE.replace("<p class=price>12.50</p>", "<section><p class=price>10.00</p></section>"),
        ] {
            assert_eq!(names(&now), [""; 0], "{now}");
        }
    }
}
