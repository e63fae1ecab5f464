//! Where texts stand on a page.

use autoheal_page::document::normalise;
use autoheal_page::recipe::{Field, NodeTake, Source};
use autoheal_page::robust_selector::robust_selector;
use autoheal_page::{Document, NodeId};

/// Where a text stands: the innermost elements that hold it and nothing else, in document order, then attributes with it.
pub(super) fn places_of(page: &Document, value: &str) -> Vec<(NodeId, NodeTake)> {
    let wanted = normalise(value);
    let holds = |node: NodeId| !page.is_skipped(node) && page.text(node) == wanted;
    let mut places: Vec<(NodeId, NodeTake)> = page
        .nodes()
        .filter(|node| holds(*node) && !page.children(*node).any(holds))
        .map(|node| (node, NodeTake::Text))
        .collect();
    let in_attribute = page.nodes().filter_map(|node| {
        let attribute = ["datetime", "content", "href", "src", "value"]
            .into_iter()
            .find(|name| page.attribute(node, name).is_some_and(|text| normalise(text) == wanted))?;
        Some((node, NodeTake::Attribute(attribute.to_owned())))
    });
    places.extend(in_attribute);
    places
}

/// Values shorter than this stand anywhere by chance.
const SHORTEST_KNOWN: usize = 4;

/// Where the very values of a field that were read before stand on a page, if that is one place for each and one rule gives
/// them and nothing else.
pub(crate) fn place_of_known(page: &Document, values: &[String], many: bool) -> Option<Source> {
    let mut places = Vec::new();
    for value in values {
        let mut found = places_of(page, value).into_iter();
        match (found.next(), found.next()) {
            (Some(place), None) if many || value.chars().count() >= SHORTEST_KNOWN => places.push(place),
            _ => return None,
        }
    }
    let take = places.first().map(|(_, take)| take.clone())?;
    let nodes: Vec<NodeId> = places.iter().map(|(node, _)| *node).collect();
    let is_one_list = nodes.is_sorted() && places.iter().all(|(_, other)| *other == take);
    // One value of a list says nothing about where the list ends.
    if !is_one_list || (many && nodes.len() < 2) || (!many && nodes.len() > 1) {
        return None;
    }
    Some(Source::Nodes { select: robust_selector(&[(page, &nodes)])?, take })
}

/// Whether most of what was read before still stands on the page: if not, the page is about something else by now, and a value
/// that stands there belongs to something else.
pub(crate) fn is_about_the_same(page: &Document, fields: &[Field]) -> bool {
    let known: Vec<&String> = fields.iter().filter_map(|field| field.example.first()).collect();
    let stands = |value: &&&String| !places_of(page, value).is_empty();
    known.iter().filter(stands).count() * 2 > known.len()
}

#[cfg(test)]
mod tests {
    use autoheal_page::recipe::FieldName;

    use super::*;

    fn found(html: &str, values: &[&str], many: bool) -> Option<String> {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        match place_of_known(&Document::parse(html), &values, many)? {
            Source::Nodes { select, .. } => Some(select.source().to_owned()),
            Source::Structured(_) => None,
        }
    }

    #[test]
    fn known_values_are_found_where_they_stand_once() {
        let page = "<h1>Old lamp</h1><ul class=parts><li>Bulb<li>Shade<li>Foot</ul><p>Mira Okafor</p>";
        assert_eq!(found(page, &["Mira Okafor"], false).as_deref(), Some("p"));
        assert!(found(page, &["Bulb", "Shade", "Foot"], true).is_some());
    }

    #[test]
    fn a_page_about_something_else_is_told_by_its_values() {
        let field = |name: &str, value: &str| Field {
            example: vec![value.to_owned()],
            ..Field::new(FieldName::parse(name).unwrap(), source_of_test())
        };
        let fields = [field("title", "Old lamp"), field("date", "2026-03-05"), field("author", "Mira Okafor")];
        let is = |html: &str| is_about_the_same(&Document::parse(html), &fields);
        assert!(is("<h1>Old lamp</h1><i>2026-03-05</i>"));
        assert!(!is("<h1>New lamp</h1><i>2026-03-05</i>"));
    }

    fn source_of_test() -> Source {
        place_of_known(&Document::parse("<p>text</p>"), &["text".to_owned()], false).unwrap()
    }

    #[test]
    fn what_stands_twice_or_in_another_order_or_in_part_is_not_found() {
        assert_eq!(found("<p>Mira Okafor</p><i>Mira Okafor</i>", &["Mira Okafor"], false), None);
        assert_eq!(found("<p>12</p>", &["12"], false), None, "too short");
        let page = "<ul><li>Bulb<li>Shade</ul><ol><li>Nail<li>Foot</ol>";
        assert_eq!(found(page, &["Shade", "Bulb"], true), None);
        assert_eq!(found(page, &["Bulb", "Shade", "Wire"], true), None);
        assert_eq!(found(page, &["Bulb"], true), None);
    }
}
