//! The layout changed: every field is found again, or said to be gone.

use autoheal_engine::source::Snapshot;
use autoheal_page::apply::{FieldOutcome, link_to};
use autoheal_page::recipe::{Field, NextPage, NodeTake, Recipe, Source, Take};
use autoheal_page::relocate::{Answer, Relocation, Status};
use autoheal_page::robust_selector::robust_selector;
use autoheal_page::{Document, NodeId, Selector};
use url::Url;

use super::{Change, Thought};
use crate::definition::Blueprint;
use crate::loaded::Loaded;
use crate::scout::{is_about_the_same, place_of_known};
use crate::services::SourceServices;

/// Longer lists are not taken apart.
const MOST_ITEMS: usize = 500;

/// Fields of a source on a page with another layout.
pub(super) struct Layout {
    page: Document,
    url: Option<Url>,
    relocation: Relocation,
    /// Location of each field, `None` where it is not certain; in the recipe's order.
    places: Vec<Option<Place>>,
}

impl Layout {
    /// Looks for the fields of a source on a page.
    ///
    /// # Errors
    ///
    /// Why nothing can be compared.
    pub(super) fn of(services: &SourceServices, loaded: &Loaded, snapshot: &Snapshot) -> Result<Self, String> {
        let old_pages = loaded.good_pages();
        if old_pages.is_empty() {
            return Err("no page is stored on which the recipe worked".to_owned());
        }
        let mut whole = of_the_page(&loaded.recipe)?;
        if let Some(facts) = loaded.history.first() {
            whole = facts.as_examples_of(&whole);
        }
        let page = Document::parse_bytes(&snapshot.content);
        let relocation = services.relocator.relocate(&old_pages.iter().collect::<Vec<_>>(), &whole, &page);
        let is_same_thing = is_about_the_same(&page, whole.fields());
        let place_of = |field: &Field| {
            let answer = relocation.field(field.name.as_str())?;
            match answer.status {
                Status::Kept => None,
                Status::Moved => moved_place(answer),
                // Most changes leave the values alone: a value that is on the page once needs no resemblance.
                Status::Gone | Status::Unsure => by_old_values(&page, field).filter(|_| is_same_thing),
            }
        };
        let mut places: Vec<Option<Place>> = whole.fields().iter().map(place_of).collect();
        for index in 0..places.len() {
            if let Some(place) = beside_another(&page, whole.fields(), &places, index) {
                places[index] = Some(place);
            }
        }
        Ok(Self { page, url: Url::parse(&snapshot.url).ok(), relocation, places })
    }

    /// Returns the document of the page.
    pub(super) const fn page(&self) -> &Document {
        &self.page
    }

    /// Returns the URL of the page.
    pub(super) const fn url(&self) -> Option<&Url> {
        self.url.as_ref()
    }

    /// Returns the status of a field on the page.
    pub(super) fn status(&self, field: &Field) -> Option<Status> {
        self.relocation.field(field.name.as_str()).map(|answer| answer.status)
    }

    /// The rule for a field that is sure to be elsewhere, by its place in the recipe.
    pub(super) fn sure_rule(&self, index: usize) -> Option<&Source> {
        self.places.get(index)?.as_ref().map(|place| &place.source)
    }
}

/// A recipe for the page as it is now. Every field must be found; an optional one may be gone.
pub(super) fn propose(loaded: &Loaded, layout: &Layout) -> Thought {
    let Layout { page: new_page, relocation, places, .. } = layout;
    let mut fields = loaded.recipe.fields().to_vec();
    let (mut moved, mut gone, mut evidence) = (Vec::new(), Vec::new(), Vec::new());
    for (field, place) in fields.iter_mut().zip(places) {
        let name = field.name.as_str();
        let Some(answer) = relocation.field(name).filter(|answer| answer.status != Status::Kept) else { continue };
        match place {
            Some(Place { source, values, why }) => {
                evidence.push(format!("`{name}` is at {why}"));
                field.example = values.iter().take(if field.many { values.len() } else { 1 }).cloned().collect();
                field.source = source.clone();
                moved.push((name.to_owned(), values.clone()));
            }
            None if answer.status == Status::Gone && !field.required => {
                evidence.push(format!("`{name}` is gone: {}", answer.evidence.join(", ")));
                gone.push(name.to_owned());
            }
            None => {
                let what =
                    if answer.status == Status::Gone { "is gone" } else { "cannot be found again with certainty" };
                return Err(format!("the field `{name}` {what}: {}", answer.evidence.join(", ")));
            }
        }
    }
    let found = Found { page: new_page, url: layout.url.clone(), moved: &moved };
    let next = found.next_page(loaded)?;
    if moved.is_empty() && gone.is_empty() && next.as_ref() == loaded.recipe.next() {
        return Err(format!(
            "every field is where it was: the values themselves have changed; if they are right, `autoheal source accept {}` accepts them",
            loaded.row.source
        ));
    }
    let recipe = loaded.recipe.clone().with_fields(fields).map_err(|error| error.to_string())?.with_next(next.clone());
    let recipe = match found.is_given_by(&recipe) {
        Ok(()) => recipe,
        Err(reason) if recipe.items().is_none() => return Err(reason),
        Err(_) => {
            let items =
                found.items(&recipe).ok_or("the items of the list cannot be distinguished on the new layout")?;
            evidence.push(format!("each item is a `{}`", items.source()));
            let recipe = recipe.with_items(Some(items)).map_err(|error| error.to_string())?;
            found.is_given_by(&recipe)?;
            recipe
        }
    };
    let mut definition = loaded.definition.clone();
    definition.blueprint = Blueprint::of(definition.blueprint.base_url.clone(), &recipe);
    let mut names: Vec<&str> = moved.iter().map(|(name, _)| name.as_str()).collect();
    if next.as_ref() != loaded.recipe.next() {
        names.push("the link to the next page");
    }
    let found = format!("find {} where the new layout has them", names.join(", "));
    let dropped = format!("do without {} until the site has it again", gone.join(", "));
    let description = match (names.is_empty(), gone.is_empty()) {
        (false, true) => found,
        (true, _) => dropped,
        (false, false) => format!("{found}; {dropped}"),
    };
    let try_at = Some(loaded.page.clone());
    Ok(Change { description, recipe, definition, evidence, try_at, needs_person: None, absent: gone })
}

/// The recipe as one of the whole page: what is a value of each item becomes a list.
fn of_the_page(recipe: &Recipe) -> Result<Recipe, String> {
    let Some(items) = recipe.items() else { return Ok(recipe.clone()) };
    let mut fields = recipe.fields().to_vec();
    for field in &mut fields {
        if let Source::Nodes { select, .. } = &mut field.source {
            let inside = format!(":is({}) :is({})", items.source(), select.source());
            *select =
                Selector::parse(&inside).map_err(|_| "a list page with XPath is not healed by rules".to_owned())?;
        }
        field.many = true;
    }
    let whole = recipe.clone().with_items(None).and_then(|recipe| recipe.with_fields(fields));
    whole.map_err(|error| error.to_string())
}

/// Values found on the new page.
struct Found<'a> {
    page: &'a Document,
    url: Option<Url>,
    /// The fields that moved, with the values that were found.
    moved: &'a [(String, Vec<String>)],
}

impl Found<'_> {
    /// Checks that the new rules give the values found, on the same page.
    fn is_given_by(&self, recipe: &Recipe) -> Result<(), String> {
        let extraction = recipe.apply(self.page, self.url.as_ref());
        for (name, expected) in self.moved {
            let given: Vec<String> = extraction
                .records
                .iter()
                .filter_map(|record| record.field(name))
                .flat_map(FieldOutcome::texts)
                .collect();
            let is_plain = recipe.field(name).is_some_and(|field| field.steps.is_empty());
            let wanted = given.len().min(expected.len());
            let is_it = if recipe.items().is_some() { given.len() == expected.len() } else { !given.is_empty() };
            if !is_it || (is_plain && given[..wanted] != expected[..wanted]) {
                return Err(format!("the new rule for `{name}` does not give what was found"));
            }
        }
        Ok(())
    }

    /// The rule for the next page: as it was when it still finds a link, else one for the link that leads where the old one led.
    fn next_page(&self, loaded: &Loaded) -> Result<Option<NextPage>, String> {
        let (Some(rule), Some(url)) = (loaded.recipe.next(), &self.url) else {
            return Ok(loaded.recipe.next().cloned());
        };
        let old = loaded.history.first().and_then(|facts| facts.next.as_ref());
        let Some(old) = old.filter(|_| loaded.recipe.next_page(self.page, url).is_none()) else {
            return Ok(Some(rule.clone()));
        };
        let select = link_to(self.page, url, old).and_then(|link| robust_selector(&[(self.page, &[link])]));
        let select = select.ok_or("the link to the next page cannot be found again")?;
        Ok(Some(NextPage { select, take: NodeTake::Attribute("href".to_owned()), limit: rule.limit }))
    }

    /// The items around the values of a field: each as far up as it holds no value of another item.
    fn items(&self, recipe: &Recipe) -> Option<Selector> {
        let select =
            recipe.fields().iter().filter(|field| field.required && !field.many).find_map(|field| field.select())?;
        let nodes = self.page.select(select);
        let holds_another =
            |item: NodeId, own: NodeId| nodes.iter().any(|node| *node != own && self.page.contains(item, *node));
        let item_of = |node: NodeId| self.page.ancestors(node).take_while(|above| !holds_another(*above, node)).last();
        let items: Vec<NodeId> = nodes.iter().take(MOST_ITEMS).map(|node| item_of(*node).unwrap_or(*node)).collect();
        if items.len() < 2 || items.len() < nodes.len() {
            return None;
        }
        robust_selector(&[(self.page, &items)])
    }
}

/// New location of a field.
pub(super) struct Place {
    source: Source,
    /// Values at this location.
    values: Vec<String>,
    /// Evidence for the location.
    why: String,
}

fn moved_place(answer: &Answer) -> Option<Place> {
    let source = match (&answer.select, &answer.take) {
        (Some(select), Take::Node(take)) => Source::Nodes { select: select.clone(), take: take.clone() },
        (_, Take::Structured(path)) => Source::Structured(path.clone()),
        (None, Take::Node(_)) => return None,
    };
    let select = answer.select.as_ref().map_or("structured data", |select| select.source());
    let why = format!("`{select}` (confidence {:.2}): {}", answer.confidence, answer.evidence.join(", "));
    Some(Place { source, values: answer.values.clone(), why })
}

/// Returns the location of the old values, if each is on the new page exactly once.
fn by_old_values(page: &Document, old: &Field) -> Option<Place> {
    let (source, values) = place_of_known(page, old)?;
    let Source::Nodes { select, .. } = &source else { return None };
    let why = format!("`{}`: the previous values are there, and nowhere else", select.source());
    Some(Place { source, values, why })
}

/// An attribute of the elements whose text is another field, such as the address of a link that is the title: it is where that is, or
/// on the nearest element around it.
fn beside_another(page: &Document, old: &[Field], places: &[Option<Place>], index: usize) -> Option<Place> {
    let of_node = |field: &Field| match &field.source {
        Source::Nodes { select, take } => Some((select.source().to_owned(), take.clone())),
        Source::Structured(_) => None,
    };
    let (own, NodeTake::Attribute(name)) = of_node(&old[index])? else { return None };
    let is_text_of_the_same = |other: &Field| {
        let same = of_node(other).is_some_and(|(select, take)| select == own && take == NodeTake::Text);
        same && other.many == old[index].many
    };
    let other = old.iter().position(is_text_of_the_same)?;
    let Source::Nodes { select, take: NodeTake::Text } = &places[other].as_ref()?.source else { return None };
    let texts = page.select(select);
    let holder = |node: &NodeId| {
        std::iter::once(*node).chain(page.ancestors(*node)).find(|holder| page.attribute(*holder, &name).is_some())
    };
    let mut nodes: Vec<NodeId> = texts.iter().map(holder).collect::<Option<_>>()?;
    nodes.dedup();
    if nodes.is_empty() || nodes.len() != texts.len() {
        return None;
    }
    let values = nodes.iter().filter_map(|node| page.attribute(*node, &name)).map(str::to_owned).collect();
    let select = if nodes == texts { select.clone() } else { robust_selector(&[(page, &nodes)])? };
    let why = format!("`{}`: `{}` is the text of the same elements, as it was", select.source(), old[other].name);
    Some(Place { source: Source::Nodes { select, take: NodeTake::Attribute(name) }, values, why })
}
