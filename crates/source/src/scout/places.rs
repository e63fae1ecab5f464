//! Locations of texts on a page.

use autoheal_page::document::normalise;
use autoheal_page::recipe::{Field, NodeTake, Source};
use autoheal_page::robust_selector::robust_selector;
use autoheal_page::value::ValueType;
use autoheal_page::{Document, NodeId};

/// Finds a text: the innermost elements that hold it and nothing else, in document order, then attributes with it.
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

/// Shorter values occur anywhere by chance.
const SHORTEST_KNOWN: usize = 4;

/// Longer texts are neither amounts nor days.
const LONGEST_TYPED: usize = 60;

/// Finds a value of a field: as it was, or, if it is an amount or a day, written in another way.
fn places_of_value(page: &Document, value: &str, field: &Field) -> Vec<(NodeId, NodeTake)> {
    let as_it_was = places_of(page, value);
    let is_typed = matches!(field.value_type(), ValueType::Money | ValueType::Date) && field.steps.is_empty();
    if !as_it_was.is_empty() || !is_typed {
        return as_it_was;
    }
    let typed = |text: &str| field.conversion.apply(text, None).ok().filter(|_| text.len() <= LONGEST_TYPED);
    let Some(wanted) = typed(value) else { return Vec::new() };
    let is_it = |node: NodeId| {
        let text = page.text(node);
        !page.is_skipped(node) && text.contains(char::is_numeric) && typed(&text).as_ref() == Some(&wanted)
    };
    let innermost = page.nodes().filter(|node| is_it(*node) && !page.children(*node).any(is_it));
    innermost.map(|node| (node, NodeTake::Text)).collect()
}

/// Returns the rule for the values of a field that were read before (its examples), and their form on this page, if each value
/// is in one place and one rule gives them and nothing else.
pub(crate) fn place_of_known(page: &Document, field: &Field) -> Option<(Source, Vec<String>)> {
    let mut places = Vec::new();
    for value in &field.example {
        let mut found = places_of_value(page, value, field).into_iter();
        match (found.next(), found.next()) {
            (Some(place), None) if field.many || value.chars().count() >= SHORTEST_KNOWN => places.push(place),
            _ => return None,
        }
    }
    let take = places.first().map(|(_, take)| take.clone())?;
    let nodes: Vec<NodeId> = places.iter().map(|(node, _)| *node).collect();
    let is_one_list = nodes.is_sorted() && places.iter().all(|(_, other)| *other == take);
    // One value of a list says nothing about where the list ends.
    if !is_one_list || (field.many && nodes.len() < 2) || (!field.many && nodes.len() > 1) {
        return None;
    }
    let text = |node: &NodeId| match &take {
        NodeTake::Attribute(name) => page.attribute(*node, name).unwrap_or_default().to_owned(),
        NodeTake::Text | NodeTake::OwnText | NodeTake::Html => page.text(*node).into_owned(),
    };
    let values = nodes.iter().map(text).collect();
    Some((Source::Nodes { select: robust_selector(&[(page, &nodes)])?, take }, values))
}

/// Returns whether most of the values that were read before are still on the page: if not, the page is about something else by
/// now, and any value that is still there belongs to something else.
pub(crate) fn is_about_the_same(page: &Document, fields: &[Field]) -> bool {
    let known: Vec<(&String, &Field)> =
        fields.iter().filter_map(|field| Some((field.example.first()?, field))).collect();
    let stands = |known: &&(&String, &Field)| !places_of_value(page, known.0, known.1).is_empty();
    known.iter().filter(stands).count() * 2 > known.len()
}

#[cfg(test)]
mod tests {
    use autoheal_page::Selector;
    use autoheal_page::recipe::FieldName;
    use autoheal_page::transform::Conversion;

    use super::*;

    /// A field with these values.
    fn known(values: &[&str], many: bool, value_type: ValueType) -> Field {
        let source = Source::Nodes { select: Selector::parse("nothing").unwrap(), take: NodeTake::Text };
        let example = values.iter().map(|value| (*value).to_owned()).collect();
        let conversion = Conversion::to(value_type);
        Field { example, many, conversion, ..Field::new(FieldName::parse("field").unwrap(), source) }
    }

    fn found(html: &str, values: &[&str], many: bool) -> Option<String> {
        match place_of_known(&Document::parse(html), &known(values, many, ValueType::Text))?.0 {
            Source::Nodes { select, .. } => Some(select.source().to_owned()),
            Source::Structured(_) => None,
        }
    }

    #[test]
    fn amounts_and_days_may_be_written_in_another_way() {
        let page = Document::parse("<b>\u{20ac}10.13</b><b>\u{20ac}17.26</b><i>5 March 2026</i><u>10.13</u>");
        let of = |values: &[&str], many, value_type| {
            place_of_known(&page, &known(values, many, value_type)).map(|found| found.1)
        };
        assert_eq!(
            of(&["10.13 EUR", "17.26 EUR"], true, ValueType::Money),
            Some(vec!["\u{20ac}10.13".to_owned(), "\u{20ac}17.26".to_owned()])
        );
        assert_eq!(of(&["2026-03-05"], false, ValueType::Date), Some(vec!["5 March 2026".to_owned()]));
        assert_eq!(of(&["2026-03-06"], false, ValueType::Date), None);
        assert_eq!(of(&["2026-03-05"], false, ValueType::Text), None, "a text is what is written");
        let twice = Document::parse("<b>\u{20ac}10.13</b><i>EUR 10.13</i>");
        assert_eq!(place_of_known(&twice, &known(&["10.13 EUR"], false, ValueType::Money)), None);
    }

    #[test]
    fn known_values_are_found_where_they_stand_once() {
        let page = "<h1>Old lamp</h1><ul class=parts><li>Bulb<li>Shade<li>Foot</ul><p>Mira Okafor</p>";
        assert_eq!(found(page, &["Mira Okafor"], false).as_deref(), Some("p"));
        assert!(found(page, &["Bulb", "Shade", "Foot"], true).is_some());
    }

    #[test]
    fn a_page_about_something_else_is_told_by_its_values() {
        let fields = ["Old lamp", "2026-03-05", "Mira Okafor"].map(|value| known(&[value], false, ValueType::Text));
        let is = |html: &str| is_about_the_same(&Document::parse(html), &fields);
        assert!(is("<h1>Old lamp</h1><i>2026-03-05</i>"));
        assert!(!is("<h1>New lamp</h1><i>2026-03-05</i>"));
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
