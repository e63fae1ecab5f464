//! Proposal by pointing: from elements of a stored page that the user points at.

use autoheal_page::recipe::{Field, FieldName, NodeTake, Recipe, Source};
use autoheal_page::robust_selector::robust_selectors;
use autoheal_page::{Document, NodeId, Selector};
use url::Url;

use super::ScoutError;
use super::conversion::conversion_of;
use super::item_selector::selectors_in_item;

/// Maximum number of proposals: the user reads them.
const MOST_RULES: usize = 5;
/// Maximum number of steps outwards in which more elements like those of a list are looked for.
const MOST_LEVELS: usize = 6;

/// Elements of a page that a field should extract, pointed at by the user.
#[derive(Debug, Clone, Copy)]
pub struct Pointed<'a> {
    /// The page.
    pub page: &'a Document,
    /// URL of the page.
    pub url: Option<&'a Url>,
    /// The elements, in document order.
    pub elements: &'a [NodeId],
}

/// Proposes recipes that differ from the given one in one field, which extracts the elements pointed at; the most robust first. `others` are
/// further pages of the same template: a rule for the same element on these, too, comes before one that only this page supports.
///
/// The field keeps its type, its steps and the part of the element that it takes. A field that the recipe does not have is added.
///
/// # Errors
///
/// [`ScoutError::NotTellable`] if nothing distinguishes the elements, [`ScoutError::NotInItems`] if the recipe is for a list and they are in
/// none of its items, [`ScoutError::Recipe`] if the recipe cannot have one more field.
pub fn by_pointing(
    recipe: &Recipe,
    name: &FieldName,
    pointed: &Pointed<'_>,
    others: &[&Document],
) -> Result<Vec<Recipe>, ScoutError> {
    let known = recipe.field(name.as_str());
    let (elements, take) = taken_from(pointed, known);
    let pointed = Pointed { elements: &elements, ..*pointed };
    let selectors = match recipe.items() {
        Some(items) => in_items(items, name, &pointed)?,
        None => on_page(known, &pointed, others),
    };
    let not_tellable = || {
        let value = elements.first().map(|element| pointed.page.text(*element).into_owned()).unwrap_or_default();
        ScoutError::NotTellable { field: name.clone(), value }
    };
    let with = |select| with_rule(recipe, name, &pointed, Source::Nodes { select, take: take.clone() });
    let proposed: Vec<Recipe> = selectors.into_iter().take(MOST_RULES).map(with).collect::<Result<_, _>>()?;
    if proposed.is_empty() { Err(not_tellable()) } else { Ok(proposed) }
}

/// The part of the elements to take and, since it may be an attribute of an element around the one that is seen, the elements that have it.
fn taken_from(pointed: &Pointed<'_>, known: Option<&Field>) -> (Vec<NodeId>, NodeTake) {
    let page = pointed.page;
    let mut take = match known.map(|field| &field.source) {
        Some(Source::Nodes { take, .. }) => take.clone(),
        Some(Source::Structured(_)) | None => NodeTake::Text,
    };
    let mut elements = pointed.elements.to_vec();
    if known.is_none() && elements.iter().all(|element| page.tag(*element) == "img") {
        take = NodeTake::Attribute("src".to_owned());
    }
    if let NodeTake::Attribute(name) = &take {
        let has = |node: &NodeId| page.attribute(*node, name).is_some();
        let near = |element: NodeId| {
            let mut around = std::iter::once(element).chain(page.ancestors(element)).take(MOST_LEVELS);
            around.find(has).or_else(|| page.descendants(element).find(has))
        };
        let found: Vec<NodeId> = elements.iter().filter_map(|element| near(*element)).collect();
        if found.len() == elements.len() {
            elements = found;
        } else {
            take = NodeTake::Text;
        }
    }
    elements.sort_unstable();
    elements.dedup();
    (elements, take)
}

/// Selectors for a page about one thing.
fn on_page(known: Option<&Field>, pointed: &Pointed<'_>, others: &[&Document]) -> Vec<Selector> {
    let is_list = known.is_some_and(|field| field.many);
    let alike = if is_list { like(pointed) } else { pointed.elements.to_vec() };
    let elsewhere = known.map(|field| elsewhere(field, pointed.page, others)).unwrap_or_default();
    let mut wanted = vec![(pointed.page, alike.as_slice())];
    wanted.extend(elsewhere.iter().map(|(page, nodes)| (*page, nodes.as_slice())));
    let mut selectors = robust_selectors(&wanted);
    selectors.extend(robust_selectors(&wanted[..1]));
    selectors.extend(robust_selectors(&[(pointed.page, pointed.elements)]));
    each_once(selectors)
}

/// The elements that the active rule takes from the other pages. Where it gives something on the page pointed at, the user corrects it, and
/// its elements elsewhere are not evidence.
fn elsewhere<'a>(field: &Field, page: &Document, others: &[&'a Document]) -> Vec<(&'a Document, Vec<NodeId>)> {
    let Source::Nodes { select, .. } = &field.source else { return Vec::new() };
    if !page.select(select).is_empty() {
        return Vec::new();
    }
    let nodes_of = |other: &&'a Document| {
        let mut nodes = other.select(select);
        nodes.truncate(if field.many { nodes.len() } else { 1 });
        (!nodes.is_empty()).then_some((*other, nodes))
    };
    others.iter().filter_map(nodes_of).collect()
}

/// Of a list: all elements with the same tag and the classes that those pointed at share, in the smallest part of the page that holds more
/// of them.
fn like(pointed: &Pointed<'_>) -> Vec<NodeId> {
    let Pointed { page, elements, .. } = *pointed;
    let Some(first) = elements.first() else { return Vec::new() };
    let tag = page.tag(*first);
    let has_class = |node: NodeId, class: &str| page.classes(node).any(|other| other == class);
    let classes: Vec<&str> =
        page.classes(*first).filter(|class| elements.iter().all(|node| has_class(*node, class))).collect();
    let is_like = |node: &NodeId| page.tag(*node) == tag && classes.iter().all(|class| has_class(*node, class));
    let holds_all = |outer: &NodeId| elements.iter().all(|node| page.contains(*outer, *node));
    let levels = page.ancestors(*first).filter(holds_all).take(MOST_LEVELS);
    let mut parts = levels.map(|outer| page.descendants(outer).filter(is_like).collect::<Vec<_>>());
    parts.find(|part| part.len() > elements.len()).unwrap_or_else(|| elements.to_vec())
}

/// Selectors for an element of an item, those first that give something in most items.
fn in_items(items: &Selector, name: &FieldName, pointed: &Pointed<'_>) -> Result<Vec<Selector>, ScoutError> {
    let Pointed { page, elements, .. } = *pointed;
    let items = page.select(items);
    let element = elements.first().copied();
    let is_around = |item: &&NodeId| element.is_some_and(|element| **item == element || page.contains(**item, element));
    let item = items.iter().rfind(is_around);
    let (Some(element), Some(item)) = (element, item) else {
        return Err(ScoutError::NotInItems { field: name.clone() });
    };
    Ok(each_once(selectors_in_item(page, &items, *item, element)))
}

fn each_once(selectors: Vec<Selector>) -> Vec<Selector> {
    let mut kept: Vec<Selector> = Vec::new();
    for selector in selectors {
        if !kept.iter().any(|other| other.source() == selector.source()) {
            kept.push(selector);
        }
    }
    kept
}

/// The recipe with a rule for a field, and what the rule gives on the page as its example.
fn with_rule(recipe: &Recipe, name: &FieldName, pointed: &Pointed<'_>, source: Source) -> Result<Recipe, ScoutError> {
    let known = recipe.field(name.as_str());
    let mut field = known.cloned().unwrap_or_else(|| Field::new(name.clone(), source.clone()));
    field.source = source;
    if known.is_none() {
        let texts: Vec<String> =
            pointed.elements.iter().map(|element| pointed.page.text(*element).into_owned()).collect();
        field.conversion = conversion_of(&texts.iter().map(String::as_str));
    }
    let with = |field: &Field| {
        let mut fields = recipe.fields().to_vec();
        match fields.iter_mut().find(|other| other.name == *name) {
            Some(other) => *other = field.clone(),
            None => fields.push(field.clone()),
        }
        recipe.clone().with_fields(fields)
    };
    let extraction = with(&field)?.apply(pointed.page, pointed.url);
    let mut outcomes = extraction.records.iter().filter_map(|record| record.field(name.as_str()));
    if let Some(outcome) = outcomes.find(|outcome| !outcome.values.is_empty()) {
        field.example = outcome.texts();
    }
    Ok(with(&field)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(page: &Document, select: &str) -> Vec<NodeId> {
        page.select(&Selector::parse(select).unwrap())
    }

    fn recipe(json: &str) -> Recipe {
        Recipe::from_json(json, "test").unwrap()
    }

    fn proposed(
        recipe: &Recipe,
        name: &str,
        page: &Document,
        select: &str,
        others: &[&Document],
    ) -> Result<Vec<Recipe>, ScoutError> {
        let url = Url::parse("https://example.org/a/").unwrap();
        let elements = element(page, select);
        let pointed = Pointed { page, url: Some(&url), elements: &elements };
        by_pointing(recipe, &FieldName::parse(name).unwrap(), &pointed, others)
    }

    fn texts(recipe: &Recipe, name: &str, page: &Document) -> Vec<Vec<String>> {
        let url = Url::parse("https://example.org/a/").unwrap();
        let records = recipe.apply(page, Some(&url)).records;
        records.iter().map(|record| record.field(name).unwrap().texts()).collect()
    }

    #[test]
    fn a_rule_for_an_element_keeps_the_type_and_prefers_what_works_on_the_pages_before() {
        let old = Document::parse("<main><h1>Lamp</h1><p class='price amount'>12,50 EUR</p><p>Sale</p></main>");
        let new = Document::parse(
            "<main><h1>Lamp</h1><div><p>Sale</p><b class=amount>13,00 EUR</b><i id=p9>now</i></div></main>",
        );
        let in_force = recipe(
            r#"{"version":1,"fields":{"price":{"select":".price","type":"money","example":["12,50 EUR"]},"name":{"select":"h1"}}}"#,
        );
        let all = proposed(&in_force, "price", &new, "b", &[&old]).unwrap();
        let first = &all[0];
        assert_eq!(first.field("price").unwrap().select().unwrap().source(), ".amount");
        assert_eq!(first.field("price").unwrap().example, ["13,00 EUR"]);
        assert_eq!(first.field("price").unwrap().value_type(), in_force.field("price").unwrap().value_type());
        assert_eq!(first.field("name"), in_force.field("name"));
        assert_eq!(texts(first, "price", &old), [["12,50 EUR"]]);
        assert!(all.len() > 1, "the user has a choice");
    }

    #[test]
    fn a_wrong_rule_is_corrected_without_regard_to_what_it_gives_elsewhere() {
        let page = |price: &str, old: &str| {
            Document::parse(&format!("<main><s class=was>{old}</s><b class=now>{price}</b></main>"))
        };
        let (here, other) = (page("9 EUR", "12 EUR"), page("8 EUR", "11 EUR"));
        let wrong = recipe(r#"{"version":1,"fields":{"price":{"select":".was"}}}"#);
        let all = proposed(&wrong, "price", &here, ".now", &[&other]).unwrap();
        assert_eq!(texts(&all[0], "price", &other), [["8 EUR"]]);
    }

    #[test]
    fn an_attribute_is_taken_from_the_element_around_the_one_pointed_at() {
        let page = Document::parse("<p><a class=more href=next>Read <b>on</b></a> <a href=home>Home</a></p>");
        let link = recipe(r#"{"version":1,"fields":{"link":{"select":".gone","take":"attr:href","type":"url"}}}"#);
        let all = proposed(&link, "link", &page, "b", &[]).unwrap();
        assert_eq!(texts(&all[0], "link", &page), [["next"]]);
    }

    #[test]
    fn one_element_of_a_list_field_stands_for_all_like_it() {
        let page = Document::parse("<ul class=steps><li>Mix</li><li>Bake</li><li>Eat</li></ul><ul><li>About</li></ul>");
        let steps = recipe(r#"{"version":1,"fields":{"steps":{"select":".gone","many":true}}}"#);
        let all = proposed(&steps, "steps", &page, ".steps li:nth-child(2)", &[]).unwrap();
        assert_eq!(texts(&all[0], "steps", &page), [["Mix", "Bake", "Eat"]]);
    }

    #[test]
    fn in_a_list_a_rule_holds_for_each_item() {
        let item =
            |name: &str, price: &str| format!("<li class=card><h3>{name}</h3><span class=cost>{price}</span></li>");
        let page =
            Document::parse(&format!("<span class=cost>0</span><ul>{}{}</ul>", item("Lamp", "9"), item("Chair", "12")));
        let list = recipe(r#"{"version":1,"items":{"select":".card"},"fields":{"name":{"select":"h3"}}}"#);
        let all = proposed(&list, "price", &page, ".card:nth-child(2) .cost", &[]).unwrap();
        assert_eq!(texts(&all[0], "price", &page), [["9"], ["12"]]);
        let outside = proposed(&list, "price", &page, "body > .cost", &[]);
        assert!(matches!(outside, Err(ScoutError::NotInItems { .. })), "{outside:?}");
    }

    #[test]
    fn nothing_pointed_at_and_what_cannot_be_told_apart_is_an_error() {
        let page = Document::parse("<p>a</p>");
        let one = recipe(r#"{"version":1,"fields":{"name":{"select":"h1"}}}"#);
        let nothing = proposed(&one, "name", &page, "h9", &[]);
        assert!(matches!(nothing, Err(ScoutError::NotTellable { .. })), "{nothing:?}");
    }
}
