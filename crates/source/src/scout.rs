//! Proposing a recipe for a page that nobody has described: from examples of what is wanted, or from what the page states about
//! itself.

use autoheal_page::document::normalise;
use autoheal_page::recipe::{Field, FieldName, NodeTake, Recipe, RecipeProblem, Source, Take};
use autoheal_page::robust_selector::robust_selector;
use autoheal_page::structured::{Datum, Origin, structured_data};
use autoheal_page::transform::Conversion;
use autoheal_page::value::ValueType;
use autoheal_page::{Document, NodeId};

/// Why there is no proposal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScoutError {
    /// An example is not on the page.
    #[error("{value:?}, the example of `{field}`, is nowhere on the page: give it as it stands there")]
    NotOnPage {
        /// The field.
        field: FieldName,
        /// The example.
        value: String,
    },
    /// It is there, and nothing tells it apart.
    #[error(
        "nothing tells {value:?}, the example of `{field}`, apart from the rest of the page: write a recipe and give it with --recipe"
    )]
    NotTellable {
        /// The field.
        field: FieldName,
        /// The example.
        value: String,
    },
    /// Nothing was found to propose.
    #[error("the page states nothing about itself that a recipe could be made of: teach it with --example FIELD=VALUE")]
    NothingStated,
    /// The fields do not fit together.
    #[error(transparent)]
    Recipe(#[from] RecipeProblem),
}

/// What pages state about themselves, by the field it becomes: the type of its values, and where it is said.
const STATED: &[(&str, ValueType, &[&str])] = &[
    ("title", ValueType::Text, &["headline", "name", "og:title"]),
    ("author", ValueType::Text, &["author.name", "author", "article:author"]),
    ("published", ValueType::Date, &["datePublished", "article:published_time"]),
    ("description", ValueType::Text, &["description", "og:description"]),
    ("price", ValueType::Text, &["offers.price", "offers.lowPrice", "product:price:amount"]),
    ("rating", ValueType::Number, &["aggregateRating.ratingValue"]),
    ("ingredients", ValueType::Text, &["recipeIngredient", "ingredients"]),
    ("yields", ValueType::Text, &["recipeYield"]),
    ("total_time", ValueType::Minutes, &["totalTime"]),
    ("image", ValueType::Url, &["image.url", "image", "og:image"]),
];

/// Kinds of things that pages are about, as schema.org names them.
const MAIN_KINDS: &[&str] = &[
    "Article",
    "NewsArticle",
    "BlogPosting",
    "Recipe",
    "Product",
    "JobPosting",
    "Event",
    "Book",
    "SoftwareApplication",
    "ReportageNewsArticle",
    "TechArticle",
];

/// A recipe that gives the examples from the page; several examples of one field make a list.
///
/// # Errors
///
/// When an example cannot be found, or cannot be told apart.
pub fn by_example(page: &Document, examples: &[(FieldName, String)]) -> Result<Recipe, ScoutError> {
    let mut fields: Vec<(FieldName, Vec<String>)> = Vec::new();
    for (name, value) in examples {
        match fields.iter_mut().find(|(other, _)| other == name) {
            Some((_, values)) => values.push(value.clone()),
            None => fields.push((name.clone(), vec![value.clone()])),
        }
    }
    let stated = structured_data(page);
    let fields = fields.into_iter().map(|(name, values)| field_by_example(page, &stated, name, values));
    Ok(Recipe::new(fields.collect::<Result<_, _>>()?)?)
}

fn field_by_example(
    page: &Document,
    stated: &[Datum],
    name: FieldName,
    values: Vec<String>,
) -> Result<Field, ScoutError> {
    let mut places = Vec::new();
    for value in &values {
        if let Some(place) = places_of(page, value).into_iter().next() {
            places.push(place);
            continue;
        }
        let datum = stated.iter().find(|datum| normalise(&datum.value) == normalise(value));
        let source = datum.and_then(source_of).filter(|_| values.len() == 1);
        let source = source.ok_or_else(|| ScoutError::NotOnPage { field: name.clone(), value: value.clone() })?;
        return Ok(Field { example: values, ..Field::new(name, source) });
    }
    let not_tellable = || ScoutError::NotTellable { field: name.clone(), value: values.join(", ") };
    let take = places.first().map(|(_, take)| take.clone()).ok_or_else(not_tellable)?;
    let mut nodes: Vec<NodeId> = places.iter().map(|(node, _)| *node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let select = robust_selector(&[(page, &nodes)]).ok_or_else(not_tellable)?;
    let source = Source::Nodes { select, take };
    Ok(Field { many: values.len() > 1, example: values, ..Field::new(name.clone(), source) })
}

/// Where a text stands: the innermost elements that hold it and nothing else, in document order, then attributes with it.
fn places_of(page: &Document, value: &str) -> Vec<(NodeId, NodeTake)> {
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

/// A recipe of what the page states about itself, read off the visible page where that shows the same.
///
/// # Errors
///
/// [`ScoutError::NothingStated`].
pub fn by_statements(page: &Document) -> Result<Recipe, ScoutError> {
    let stated = structured_data(page);
    let about = stated.iter().find(|datum| MAIN_KINDS.contains(&datum.kind.as_str())).map(|datum| datum.kind.clone());
    let mut fields = Vec::new();
    for (field, value_type, paths) in STATED {
        let Ok(name) = FieldName::parse(field) else { continue };
        let is_it = |datum: &&Datum, path: &str| {
            datum.path == path
                && (datum.origin == Origin::Meta || about.as_ref().is_some_and(|kind| *kind == datum.kind))
        };
        let found: Vec<&Datum> = paths
            .iter()
            .map(|path| stated.iter().filter(|datum| is_it(datum, path)).collect::<Vec<_>>())
            .find(|found| !found.is_empty())
            .unwrap_or_default();
        fields.extend(field_of_statement(page, name, *value_type, &found));
    }
    if !fields.iter().any(|field: &Field| field.name.as_str() == "title") {
        fields.splice(0..0, headline(page));
    }
    if fields.is_empty() {
        return Err(ScoutError::NothingStated);
    }
    Ok(Recipe::new(fields)?)
}

fn field_of_statement(page: &Document, name: FieldName, value_type: ValueType, found: &[&Datum]) -> Option<Field> {
    let first = found.first()?;
    let values: Vec<String> = found.iter().map(|datum| datum.value.clone()).collect();
    let shown: Option<Vec<NodeId>> = values
        .iter()
        .map(|value| places_of(page, value).into_iter().find(|(_, take)| *take == NodeTake::Text).map(|(node, _)| node))
        .collect();
    let selected = shown.filter(|_| value_type == ValueType::Text).and_then(|nodes| robust_selector(&[(page, &nodes)]));
    let source = match selected {
        Some(select) => Source::Nodes { select, take: NodeTake::Text },
        None => source_of(first)?,
    };
    let required = name.as_str() == "title";
    let conversion = Conversion::to(value_type);
    Some(Field { many: values.len() > 1, example: values, required, conversion, ..Field::new(name, source) })
}

/// The page's only first-level heading.
fn headline(page: &Document) -> Option<Field> {
    let mut headings = page.nodes().filter(|node| page.tag(*node) == "h1" && !page.text(*node).is_empty());
    let heading = headings.next().filter(|_| headings.next().is_none())?;
    let select = robust_selector(&[(page, &[heading])])?;
    let name = FieldName::parse("title").ok()?;
    let example = vec![page.text(heading).into_owned()];
    Some(Field { example, ..Field::new(name, Source::Nodes { select, take: NodeTake::Text }) })
}

/// A statement as the place that a recipe names.
fn source_of(datum: &Datum) -> Option<Source> {
    let path = match datum.origin {
        Origin::JsonLd => format!("jsonld:{}.{}", datum.kind, datum.path),
        Origin::Microdata => format!("microdata:{}.{}", datum.kind, datum.path),
        Origin::Rdfa => format!("rdfa:{}.{}", datum.kind, datum.path),
        Origin::Meta => format!("meta:{}", datum.path),
        Origin::Title => return None,
    };
    match path.parse::<Take>().ok()? {
        Take::Structured(path) => Some(Source::Structured(path)),
        Take::Node(_) => None,
    }
}

#[cfg(test)]
mod tests {
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
