//! Fields whose rule has come to match another element, while their own is still there: a teaser with a price above the price, a second
//! heading above the title, a navigation of list items before the list. The values alone do not show it, as the new ones are of the same
//! kind.

use std::collections::BTreeSet;

use autoheal_page::recipe::{Field, Recipe, Source};
use autoheal_page::{Document, NodeId, Selector};

use crate::drift::quoted;
use crate::scout::zones::Zones;
use crate::scout::{cells_of, first_in_items, headers_of};

/// Returns the names of such fields and a description of each. `before` is the page as it was when its values were accepted last.
pub(crate) fn displaced(recipe: &Recipe, before: &Document, now: &Document) -> Vec<(String, String)> {
    let columns = rules(recipe).filter_map(|(field, select)| {
        let (was, is) = (first(recipe, before, select)?, first(recipe, now, select)?);
        let (own, other) = other_column((before, was), (now, is))?;
        let (name, own, other) = (field.name.as_str(), quoted(&own), quoted(&other));
        Some((name.to_owned(), format!("Changed field: {name} is taken from the column {other}, and was from {own}")))
    });
    if recipe.items().is_some() {
        return columns.collect();
    }
    let found = rules(recipe).filter_map(|(field, select)| {
        let (was, is) = (before.select(select), now.select(select));
        let own = if field.many {
            left_behind((before, &was), (now, &is))
        } else {
            put_off((before, *was.first()?), (now, *is.first()?))
        };
        let (name, own) = (field.name.as_str(), quoted(&own?));
        Some((
            name.to_owned(),
            format!("Changed field: {name} is taken from another element, and its own still says {own}"),
        ))
    });
    let mut found: Vec<(String, String)> = found.chain(intruded((recipe, before), (recipe, now))).collect();
    let others: Vec<_> = columns.filter(|(name, _)| !found.iter().any(|(known, _)| known == name)).collect();
    found.extend(others);
    found
}

/// The first element that a selector gives: of a list, in its items.
fn first(recipe: &Recipe, page: &Document, select: &Selector) -> Option<NodeId> {
    match recipe.items() {
        None => page.select(select).first().copied(),
        Some(items) => first_in_items(page, &page.select(items), select).into_iter().flatten().next(),
    }
}

/// Returns the headers of the columns of a table that a field was and is taken from, if they are two that the table has now: columns were
/// exchanged, or one came in between.
fn other_column((before, was): (&Document, NodeId), (now, is): (&Document, NodeId)) -> Option<(String, String)> {
    let (own, _) = column(before, was)?;
    let (other, headers) = column(now, is)?;
    (own != other && headers.contains(&own)).then_some((own, other))
}

/// Returns the header of the column that an element of a table is in, and those of all columns.
fn column(page: &Document, node: NodeId) -> Option<(String, Vec<String>)> {
    let around = |tag: &str| page.ancestors(node).find(|above| page.tag(*above) == tag);
    let headers = headers_of(page, around("table")?)?;
    let cells = cells_of(page, around("tr")?, &headers)?;
    let at = cells.iter().position(|cell| *cell == node || page.contains(*cell, node))?;
    let headers: Vec<String> = headers.iter().map(|cell| page.visible_text(*cell).to_owned()).collect();
    Some((headers.get(at).filter(|header| !header.is_empty())?.clone(), headers))
}

/// Returns the names of lists that have taken in other elements, and a description of each: the rule of a list of facts that finds the
/// navigation, or what is around each fact, too. The other list is known by its place, outside the content, or by its texts: they were on the page `before`, and not in
/// the field.
pub(crate) fn intruded(
    (old, before): (&Recipe, &Document),
    (new, now): (&Recipe, &Document),
) -> impl Iterator<Item = (String, String)> {
    rules(new).filter(|(field, _)| field.many && new.items().is_none()).filter_map(move |(field, select)| {
        let (_, old_select) = rules(old).find(|(was, _)| was.name == field.name)?;
        let (was, is) = (before.select(old_select), now.select(select));
        let intruder = intruder((before, &was), (now, &is)).map(|text| ("has taken in another list, with", text));
        let doubled = || (doubled(before, &was).is_none()).then(|| doubled(now, &is)).flatten();
        let (change, text) =
            intruder.or_else(|| doubled().map(|text| ("has an entry within the same entry:", text)))?;
        let name = field.name.as_str();
        Some((name.to_owned(), format!("Changed field: {name} {change} {}", quoted(&text))))
    })
}

/// The fields whose values are in elements, with the selectors of these.
fn rules(recipe: &Recipe) -> impl Iterator<Item = (&Field, &Selector)> {
    recipe.fields().iter().filter_map(|field| match &field.source {
        Source::Nodes { select, .. } => Some((field, select)),
        Source::Structured(_) => None,
    })
}

/// Returns the first text of another list that a list has taken in: neighbours outside the content, or that were on the page before outside of
/// the list, with nothing between them that was in it or is new.
fn intruder((before, was): (&Document, &[NodeId]), (now, is): (&Document, &[NodeId])) -> Option<String> {
    let own: BTreeSet<&str> = was.iter().map(|node| before.visible_text(*node)).collect();
    // Most runs find the same list again.
    if own.is_empty() || is.iter().all(|node| own.contains(now.visible_text(*node))) {
        return None;
    }
    let others: BTreeSet<&str> = before.nodes().map(|node| before.visible_text(node)).collect();
    let (zones_before, zones) = (Zones::of(before), Zones::of(now));
    let was_content = !was.iter().any(|node| zones_before.is_beside(*node));
    let is_foreign = |node: NodeId| {
        let text = now.visible_text(node);
        let is_elsewhere = others.contains(text) || (was_content && zones.is_beside(node));
        !text.is_empty() && !own.contains(text) && is_elsewhere
    };
    let (foreign, rest): (Vec<NodeId>, Vec<NodeId>) = is.iter().partition(|node| is_foreign(**node));
    if rest.is_empty() {
        return None;
    }
    // Nodes are in the order of the page.
    let count_in = |around: NodeId, nodes: &[NodeId]| {
        nodes.partition_point(|node| node.index() < now.close(around)) - nodes.partition_point(|node| *node < around)
    };
    let is_apart = |node: &&NodeId| {
        let around = now.ancestors(**node).find(|above| count_in(*above, is) > 1);
        around.is_some_and(|around| count_in(around, &rest) == 0)
    };
    foreign.iter().find(is_apart).map(|node| now.visible_text(*node).to_owned())
}

/// Returns the first text of a list that an element and the one around it both give.
fn doubled(page: &Document, nodes: &[NodeId]) -> Option<String> {
    let is_doubled = |pair: &&[NodeId]| page.contains(pair[0], pair[1]) && page.text(pair[0]) == page.text(pair[1]);
    nodes.windows(2).find(is_doubled).map(|pair| page.text(pair[0]).into_owned())
}

/// Returns the text of a field's element, if another element is found now and its own is where it was.
fn put_off((before, was): (&Document, NodeId), (now, is): (&Document, NodeId)) -> Option<String> {
    let own_text = before.text(was);
    let is_elsewhere = !own_text.is_empty() && own_text != now.text(is) && !is_same_place((before, was), (now, is));
    let is_own = |node: NodeId| now.text(node) == own_text && is_same_place((before, was), (now, node));
    (is_elsewhere && now.nodes().any(is_own)).then(|| own_text.into_owned())
}

/// Returns the first text of a list, if none of its texts is in the list that is found now, and all of them are on the page.
fn left_behind((before, was): (&Document, &[NodeId]), (now, is): (&Document, &[NodeId])) -> Option<String> {
    let texts = |page: &Document, nodes: &[NodeId]| -> BTreeSet<String> {
        let texts = nodes.iter().map(|node| page.text(*node).into_owned());
        texts.filter(|text| !text.is_empty()).collect()
    };
    let own = texts(before, was);
    if own.len() < 2 || !own.is_disjoint(&texts(now, is)) {
        return None;
    }
    let on_page: BTreeSet<&str> =
        now.nodes().map(|node| now.visible_text(node)).filter(|text| own.contains(*text)).collect();
    if on_page.len() == own.len() { own.into_iter().next() } else { None }
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
    fn a_list_without_its_values_that_the_page_still_has_is_noticed() {
        let recipe =
            Recipe::parse(r#"{"version": 1, "fields": {"tags": {"select": "li", "many": true}}}"#, "test").unwrap();
        let before = Document::parse("<main><h1>Boats</h1><ul><li>harbour<li>orchard</ul></main>");
        let is_displaced = |now: &str| !displaced(&recipe, &before, &Document::parse(now)).is_empty();
        let tags = "<main><h1>Boats</h1><p><a>harbour</a> <a>orchard</a></p></main>";
        assert!(is_displaced(&format!("<ul><li>Politics<li>Culture</ul>{tags}")));
        assert!(!is_displaced("<main><ul><li>kettle<li>lamp</ul></main>"), "another article");
        assert!(!is_displaced("<main><ul><li>harbour<li>lamp</ul><p><a>orchard</a></main>"), "some are still there");
        assert!(
            !is_displaced("<main><ul><li>kettle<li>lamp</ul><p><a>orchard</a></main>"),
            "one may be elsewhere by accident"
        );
    }

    #[test]
    fn a_list_that_takes_in_another_is_noticed() {
        let recipe = |select: &str| {
            let text = format!(r#"{{"version": 1, "fields": {{"facts": {{"select": "{select}", "many": true}}}}}}"#);
            Recipe::parse(&text, "test").unwrap()
        };
        let menu = "<nav><a>Politics</a> <a>Culture</a></nav>";
        let before = Document::parse(&format!("{menu}<dl><dd>oak<dd>steel</dl>"));
        let has_intruders = |now: &str| {
            let now = Document::parse(now);
            intruded((&recipe("dd"), &before), (&recipe("li"), &now)).next().is_some()
        };
        let (menu, facts) = ("<ul><li>Politics<li>Culture</ul>", "<li>oak<li>steel");
        assert!(has_intruders(&format!("{menu}<ul>{facts}</ul>")));
        assert!(has_intruders(&format!("{menu}<ul><li>pine<li>brass</ul>")), "other values, too");
        assert!(has_intruders(&format!("{menu}<ul>{facts}</ul><footer>{menu}</footer>")));
        assert!(has_intruders(&format!("<nav><ul><li>News<li>Shop</ul></nav><ul>{facts}</ul>")), "a new navigation");
        assert!(!has_intruders(&format!("<ul>{facts}<li>Politics<li>Culture</ul>")), "they are among its own");
        assert!(!has_intruders(&format!("<ul>{facts}<li>glass<li>cork</ul>")), "it has grown");
        assert!(!has_intruders(&format!("<ul>{facts}</ul><ul><li>glass<li>cork</ul>")), "by a list that is new");
        assert!(!has_intruders("<ul><li>Politics<li>Culture</ul>"), "it is another list as a whole");
        assert!(
            has_intruders("<ul><li><p><li>oak</li></p></li></ul><div><li><ul><li>oak</li></ul></li></div>"),
            "twice"
        );
    }

    #[test]
    fn columns_that_changed_places_are_noticed() {
        let recipe = r#"{"version": 1, "items": {"select": "tr:has(> td)"}, "fields": {
            "currency": {"select": "td:nth-child(1)"}, "buy": {"select": "td:nth-child(2)"}}}"#;
        let recipe = Recipe::parse(recipe, "test").unwrap();
        let table = |columns: &str, cells: &str| {
            Document::parse(&format!("<table><thead><tr>{columns}</thead><tr>{cells}<tr>{cells}</table>"))
        };
        let before = table("<th>Currency<th>Buy<th>Sell", "<td>EUR<td>1.08<td>1.10");
        let found = |columns: &str, cells: &str| -> Vec<String> {
            displaced(&recipe, &before, &table(columns, cells)).into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(found("<th>Currency<th>Sell<th>Buy", "<td>EUR<td>1.10<td>1.08"), ["buy"]);
        assert_eq!(found("<th>Currency<th>Day<th>Buy", "<td>EUR<td>4<td>1.08"), ["buy"]);
        assert_eq!(found("<th>Currency<th>Buy<th>Sell", "<td>USD<td>1.01<td>1.03"), [""; 0]);
        assert_eq!(found("<th>Currency<th>We buy<th>We sell", "<td>EUR<td>1.08<td>1.10"), [""; 0], "other words");
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
