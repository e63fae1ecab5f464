//! Proposal by example: from values given as they appear on the page.

use autoheal_page::document::normalise;
use autoheal_page::recipe::{Field, FieldName, NodeTake, Recipe, Source};
use autoheal_page::robust_selector::robust_selector;
use autoheal_page::structured::{Datum, structured_data};
use autoheal_page::{Document, NodeId, Selector};

use super::item_selector::first_in_items;
use super::kind::kind_of;
use super::known_items::{Known, KnownItems, Search};
use super::label_rule::label_of;
use super::labels::{by_labels, is_by_position};
use super::places::places_of;
use super::statements::source_of;
use super::zones::Zones;
use super::{Look, Proposal, ScoutError};
use crate::definition::PageKind;

/// A field with its examples.
struct Taught {
    name: FieldName,
    values: Vec<String>,
}

/// Proposes a recipe that extracts the examples from the page. Several examples of one field select all items of their list: the
/// recipe is for a list page if `kind` or the page says so, or if the examples of several fields are in the same items.
///
/// # Errors
///
/// Returns an error if an example is not on the page, if nothing distinguishes its position, or if several examples of one field are
/// not in one list.
pub fn by_example(
    page: &Document,
    examples: &[(FieldName, String)],
    kind: Option<PageKind>,
) -> Result<Proposal, ScoutError> {
    let mut fields: Vec<Taught> = Vec::new();
    for (name, value) in examples {
        match fields.iter_mut().find(|field| field.name == *name) {
            Some(field) if field.values.contains(value) => {}
            Some(field) => field.values.push(value.clone()),
            None => fields.push(Taught { name: name.clone(), values: vec![value.clone()] }),
        }
    }
    let has_list = fields.iter().any(|field| field.values.len() > 1);
    let is_list = || match kind {
        Some(kind) => kind == PageKind::List,
        None => fields.len() > 1 || matches!(kind_of(&Look::at(page)), Ok((PageKind::List, _))),
    };
    if kind == Some(PageKind::List) || (has_list && is_list()) {
        match list(page, &fields) {
            Err(_) if kind.is_none() => {}
            proposal => return proposal,
        }
    }
    let stated = structured_data(page);
    let mut notes = Vec::new();
    let places = places_together(page, &fields);
    let fields = fields.iter().zip(places).map(|(field, place)| match field.values.as_slice() {
        [_] => field_by_example(page, &stated, field, place),
        _ => many_by_examples(page, field, &mut notes),
    });
    let recipe = Recipe::new(fields.collect::<Result<_, _>>()?)?;
    Ok(Proposal { recipe, notes })
}

/// A recipe for the list whose items hold the examples.
fn list(page: &Document, fields: &[Taught]) -> Result<Proposal, ScoutError> {
    let found = items_of(page, fields)?;
    let mut of_items = Vec::new();
    for (field, rule) in fields.iter().zip(&found.rules) {
        let rule = rule.as_ref().map_err(|_| not_tellable(field))?;
        let example = field.values.iter().take(1).cloned().collect();
        let required = rule.is_in_all;
        of_items.push(Field { required, example, ..Field::new(field.name.clone(), rule.source.clone()) });
    }
    let note = format!("the examples are in a list of {} items, each a `{}`", found.items.len(), found.select);
    let recipe = Recipe::new(of_items)?.with_items(Some(found.select))?;
    Ok(Proposal { recipe, notes: vec![note] })
}

/// A field with every value like the examples.
fn many_by_examples(page: &Document, field: &Taught, notes: &mut Vec<String>) -> Result<Field, ScoutError> {
    let found = items_of(page, std::slice::from_ref(field))?;
    let Some(Ok(rule)) = found.rules.first() else { return Err(not_tellable(field)) };
    let Source::Nodes { select, take } = &rule.source else { return Err(not_tellable(field)) };
    let nodes: Vec<NodeId> = first_in_items(page, &found.items, select).into_iter().flatten().collect();
    let select = robust_selector(&[(page, &nodes)]).ok_or_else(|| not_tellable(field))?;
    notes.push(format!("`{}` is a list of {} values, each a `{select}`", field.name, nodes.len()));
    let source = Source::Nodes { select, take: take.clone() };
    Ok(Field { many: true, example: field.values.clone(), ..Field::new(field.name.clone(), source) })
}

/// The items of the list that holds all examples, those of one field in different items.
fn items_of(page: &Document, fields: &[Taught]) -> Result<KnownItems, ScoutError> {
    let mut templates = Vec::new();
    let mut count = 0;
    for field in fields {
        let mut take = NodeTake::Text;
        let mut values = Vec::new();
        for value in &field.values {
            let found = places_of(page, value).into_iter().next();
            let (_, of_value) = found.ok_or_else(|| not_on_page(field, value))?;
            take = of_value;
            values.push((count, normalise(value)));
            count += 1;
        }
        let select = Selector::parse("html").map_err(|_| not_tellable(field))?;
        let source = Source::Nodes { select, take };
        templates.push((Field { required: false, ..Field::new(field.name.clone(), source) }, values));
    }
    let known: Vec<Known<'_>> = templates.iter().map(|(field, values)| Known::new(field, values, None)).collect();
    let search = Search { page, url: None, is_by_record: false, items: None };
    let found = search.items_of(&known).filter(|found| found.known == count);
    found.ok_or_else(|| {
        let field = fields.iter().max_by_key(|field| field.values.len());
        field.map_or(ScoutError::NoList, |field| ScoutError::NotOneList {
            field: field.name.clone(),
            values: field.values.clone(),
        })
    })
}

fn not_on_page(field: &Taught, value: &str) -> ScoutError {
    ScoutError::NotOnPage { field: field.name.clone(), value: value.to_owned() }
}

fn not_tellable(field: &Taught) -> ScoutError {
    ScoutError::NotTellable { field: field.name.clone(), value: field.values.join(", ") }
}

/// Maximum number of places of one value that are considered.
const MOST_PLACES: usize = 100;

/// Returns a place for each field with one value that is on the page. A value may be in several: in a teaser, in the navigation. The places
/// outside of such parts come first, and of these, the ones in the smallest element that has a place of every field.
fn places_together(page: &Document, fields: &[Taught]) -> Vec<Option<(NodeId, NodeTake)>> {
    let zones = Zones::of(page);
    let of_field = |field: &Taught| {
        let [value] = field.values.as_slice() else { return Vec::new() };
        let mut places = places_of(page, value);
        if places.iter().any(|(node, _)| !zones.is_beside(*node)) {
            places.retain(|(node, _)| !zones.is_beside(*node));
        }
        places.truncate(MOST_PLACES);
        places
    };
    let places: Vec<Vec<(NodeId, NodeTake)>> = fields.iter().map(of_field).collect();
    let on_page = || places.iter().filter(|places| !places.is_empty());
    let within = |around: NodeId, places: &[(NodeId, NodeTake)]| {
        places.iter().find(|(node, _)| page.contains(around, *node)).cloned()
    };
    let rarest = on_page().min_by_key(|places| places.len());
    let around = rarest.into_iter().flatten().filter_map(|(node, _)| {
        std::iter::once(*node)
            .chain(page.ancestors(*node))
            .find(|around| on_page().all(|places| within(*around, places).is_some()))
    });
    let together = around.min_by_key(|around| page.close(*around) - around.index());
    places.iter().map(|places| within(together?, places)).collect()
}

/// A field with one value, at its place if it is on the page.
fn field_by_example(
    page: &Document,
    stated: &[Datum],
    field: &Taught,
    place: Option<(NodeId, NodeTake)>,
) -> Result<Field, ScoutError> {
    let value = field.values.first().map(String::as_str).unwrap_or_default();
    let of = |source: Source| Field { example: field.values.clone(), ..Field::new(field.name.clone(), source) };
    let Some((node, take)) = place else {
        let datum = stated.iter().find(|datum| normalise(&datum.value) == normalise(value));
        if let Some(source) = datum.and_then(source_of) {
            return Ok(of(source));
        }
        // A value may be a part of a text, after its label.
        let labelled = by_labels(page, &Zones::of(page));
        let labelled = labelled
            .into_iter()
            .find(|labelled| labelled.example.first().is_some_and(|text| *text == normalise(value)));
        let labelled = labelled.ok_or_else(|| not_on_page(field, value))?;
        return Ok(Field { steps: labelled.steps, ..of(labelled.source) });
    };
    let robust = robust_selector(&[(page, &[node])]);
    let by_label = || label_of(page, node).filter(|_| take == NodeTake::Text).map(|label| label.select);
    // A position changes with every row that is inserted; a label stays.
    let select = match robust {
        Some(robust) if !is_by_position(robust.source()) => Some(robust),
        robust => by_label().or(robust),
    };
    let select = select.ok_or_else(|| not_tellable(field))?;
    Ok(of(Source::Nodes { select, take }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taught(html: &str, examples: &[(&str, &str)], kind: Option<PageKind>) -> Result<Proposal, ScoutError> {
        let examples: Vec<(FieldName, String)> =
            examples.iter().map(|(name, value)| (FieldName::parse(name).unwrap(), (*value).to_owned())).collect();
        by_example(&Document::parse(html), &examples, kind)
    }

    /// The texts of a field in each record.
    fn texts(proposal: &Proposal, html: &str, name: &str) -> Vec<Vec<String>> {
        let extraction = proposal.recipe.apply(&Document::parse(html), None);
        extraction.records.iter().map(|record| record.field(name).unwrap().texts()).collect()
    }

    fn items(count: usize) -> String {
        let item = |number: usize| {
            let price = if number == 3 { String::new() } else { format!("<b>{number}.50 EUR</b>") };
            format!("<div class=cell><a href=/{number}><img src={number}.png></a><h3>Thing {number}</h3>{price}</div>")
        };
        (1..=count).map(item).collect::<Vec<_>>().concat()
    }

    #[test]
    fn an_example_that_is_in_several_places_is_meant_where_the_others_are() {
        let story = "<section class=story><h2>Kettle</h2><i class=by>Tomás</i></section>";
        let teaser = "<div class=teaser><h3>Harbour</h3><i class=by>Tomás</i></div>";
        let now = |html: &str| html.replace("<h2>Kettle</h2><i class=by>Tomás", "<h2>Kettle</h2><i class=by>Yuki");
        for before in [
            format!("<div>{teaser}{story}</div>"),
            format!("<aside>{teaser}</aside><h1>Kettle</h1><h2>Kettle</h2><i class=by>Tomás</i>"),
        ] {
            let proposal = taught(&before, &[("author", "Tomás"), ("title", "Kettle")], None).unwrap();
            assert_eq!(texts(&proposal, &now(&before), "author"), [["Yuki"]], "{before}");
        }
    }

    #[test]
    fn examples_of_two_items_give_all_items() {
        let html = format!("<nav><a href=/>Thing</a></nav><h1>Things</h1><div class=grid>{}</div>", items(9));
        let two =
            [("title", "Thing 2"), ("title", "Thing 4"), ("price", "2.50 EUR"), ("price", "4.50 EUR"), ("link", "/2")];
        for examples in [&two[..2], &two[..4], &two] {
            let proposal = taught(&html, examples, None).unwrap();
            let titles = texts(&proposal, &html, "title");
            assert_eq!(titles, (1..=9).map(|number| vec![format!("Thing {number}")]).collect::<Vec<_>>());
            assert!(proposal.notes[0].contains("a list of 9 items"), "{:?}", proposal.notes);
        }
        let proposal = taught(&html, &two, None).unwrap();
        assert_eq!(texts(&proposal, &html, "link")[8], ["/9"]);
        assert!(!proposal.recipe.field("price").unwrap().required, "one item has none");
    }

    #[test]
    fn rows_of_items_are_not_the_items() {
        let html = format!(
            "<h1>Things</h1><div class=row>{}</div><div class=row>{}</div>",
            items(3),
            items(6).replacen(&items(3), "", 1)
        );
        for other in ["Thing 2", "Thing 4"] {
            let proposal = taught(&html, &[("title", "Thing 1"), ("title", other)], Some(PageKind::List)).unwrap();
            assert_eq!(texts(&proposal, &html, "title").len(), 6, "{other}");
        }
    }

    #[test]
    fn one_example_is_one_value_unless_the_page_is_said_to_be_a_list() {
        let html = format!("<h1>Things</h1><div class=grid>{}</div>", items(5));
        let one = taught(&html, &[("title", "Thing 2")], None).unwrap();
        assert_eq!(texts(&one, &html, "title"), [["Thing 2"]]);
        let list = taught(&html, &[("title", "Thing 2"), ("link", "/2")], Some(PageKind::List)).unwrap();
        assert_eq!(texts(&list, &html, "title").len(), 5);
        assert_eq!(texts(&list, &html, "link")[4], ["/5"]);
    }

    #[test]
    fn examples_of_one_thing_are_a_field_with_many_values() {
        let html = "<h1>Soup</h1><p>A soup of leeks that needs half an hour and little else on an evening in the week, for four people.</p>
            <ul class=parts><li>Leek<li>Salt<li>Milk</ul><ol><li>Cut it<li>Cook it<li>Eat it</ol>";
        let examples = [("title", "Soup"), ("part", "Leek"), ("part", "Milk"), ("step", "Cut it"), ("step", "Cook it")];
        let proposal = taught(html, &examples, None).unwrap();
        assert_eq!(texts(&proposal, html, "part"), [["Leek", "Salt", "Milk"]]);
        assert_eq!(texts(&proposal, html, "step"), [["Cut it", "Cook it", "Eat it"]]);
        assert_eq!(texts(&proposal, html, "title"), [["Soup"]]);
    }

    #[test]
    fn examples_that_are_in_no_list_are_refused() {
        let html = "<h1>Soup</h1><div><p>Leek</p></div><table><tr><td>Milk</td></tr></table>";
        for kind in [None, Some(PageKind::List)] {
            let refused = taught(html, &[("part", "Leek"), ("part", "Milk")], kind).unwrap_err();
            assert!(refused.to_string().contains("not in items of one list"), "{refused}");
        }
    }

    #[test]
    fn labels_are_preferred_to_positions() {
        let facts =
            "<table><tr><td>Author<td>Frank<tr><td>Rating<td>4.5<tr><td>Pages<td>688</table><p>Weight: 2 kg</p>";
        let proposal = taught(facts, &[("rating", "4.5"), ("weight", "2 kg")], None).unwrap();
        assert!(proposal.recipe.field("rating").unwrap().select().unwrap().source().contains("'Rating'"));
        let inserted = facts.replace("<table>", "<table><tr><td>Series<td>1.5");
        assert_eq!(texts(&proposal, &inserted, "rating"), [["4.5"]]);
        assert_eq!(texts(&proposal, &inserted, "weight"), [["2 kg"]]);
    }
}
