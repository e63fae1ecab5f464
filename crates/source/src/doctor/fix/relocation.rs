//! The layout changed: every field is found again, or said to be gone.

use autoheal_page::apply::FieldOutcome;
use autoheal_page::recipe::{Field, FieldName, NodeTake, Recipe, Source, Take};
use autoheal_page::relocate::{Answer, Relocation, Status};
use autoheal_page::robust_selector::robust_selector;
use autoheal_page::{Document, NodeId, Selector};
use url::Url;

use super::labelled::{ByLabel, by_its_label};
use super::place::{Place, items_around};
use super::proposal::{change, next_page, unchanged};
use super::scouted::Scouted;
use super::{Thought, list};
use crate::displaced::displaced;
use crate::loaded::Loaded;
use crate::scout::{is_about_the_same, place_of_known};
use crate::services::SourceServices;

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
    pub(super) fn of(
        services: &SourceServices,
        loaded: &Loaded,
        page: Document,
        url: Option<Url>,
    ) -> Result<Self, String> {
        let old_pages = loaded.good_pages();
        if old_pages.is_empty() {
            return Err("no page is stored on which the recipe worked".to_owned());
        }
        let whole = whole_page(loaded)?;
        let relocation = services.relocator.relocate(&old_pages.iter().collect::<Vec<_>>(), &whole, &page);
        let mut layout = Self { places: Vec::new(), page, url, relocation };
        layout.places = layout.found(whole.fields());
        if loaded.recipe.items().is_some() {
            layout.add_attributes(&loaded.recipe, &whole, &old_pages);
        } else {
            layout.add_displaced(&whole, &old_pages);
            layout.add_labelled(&whole, &old_pages);
        }
        Ok(layout)
    }

    /// Locations by resemblance, by the last good values, and by what the page would be added with.
    fn found(&self, fields: &[Field]) -> Vec<Option<Place>> {
        let (page, relocation) = (&self.page, &self.relocation);
        let is_same_thing = is_about_the_same(page, fields);
        let place_of = |field: &Field| {
            let answer = relocation.field(field.name.as_str())?;
            match answer.status {
                Status::Kept => None,
                Status::Moved => moved_place(answer),
                // Most changes leave the values alone: a value that is on the page once needs no resemblance.
                Status::Gone | Status::Unsure => by_old_values(page, field).filter(|_| is_same_thing),
            }
        };
        let mut places: Vec<Option<Place>> = fields.iter().map(place_of).collect();
        for index in 0..places.len() {
            if let Some(place) = beside_another(page, fields, &places, index) {
                places[index] = Some(place);
            }
        }
        places
    }

    /// Adds attributes of the items of a list, by the texts of the items that were found.
    fn add_attributes(&mut self, recipe: &Recipe, whole: &Recipe, old_pages: &[Document]) {
        let status = |field: &Field| self.relocation.field(field.name.as_str()).map(|answer| answer.status);
        let title = whole.fields().iter().zip(&self.places).find_map(|(field, place)| {
            let kept = || field.select().filter(|_| status(field) == Some(Status::Kept));
            let is_text = matches!(field.source, Source::Nodes { take: NodeTake::Text, .. });
            let select = place.as_ref().and_then(Place::select).or_else(kept).filter(|_| is_text)?;
            Some((field.name.as_str(), self.page.select(select)))
        });
        let (Some((title, nodes)), Some(old)) = (title, old_pages.first()) else { return };
        for (index, field) in recipe.fields().iter().enumerate() {
            let is_open = self.places.get(index).is_some_and(Option::is_none) && status(field) != Some(Status::Kept);
            let found = || list::attribute_of_items((recipe, old), field, title, &self.page, &nodes);
            if let Some((source, values)) = is_open.then(found).flatten() {
                let why = "it has the same position in the items as before".to_owned();
                self.places[index] = Some(Place { source, values, why });
            }
        }
    }

    /// Adds fields that their rules now take from another element, by their last good values.
    fn add_displaced(&mut self, whole: &Recipe, old_pages: &[Document]) {
        let Some(old) = old_pages.first() else { return };
        for (name, _) in displaced(whole, old, &self.page) {
            let Some(index) = whole.fields().iter().position(|field| field.name.as_str() == name) else { continue };
            let found = whole.fields().get(index).and_then(|field| by_old_values(&self.page, field));
            if let (Some(place), Some((_, answer))) = (found, self.relocation.fields.get_mut(index)) {
                answer.status = Status::Moved;
                self.places[index] = Some(place);
            }
        }
    }

    /// Adds values that are found by their labels, or, where nothing else is certain, by what the page would be added with.
    fn add_labelled(&mut self, whole: &Recipe, old_pages: &[Document]) {
        let mut scouted = None;
        for (index, field) in whole.fields().iter().enumerate() {
            let Some((_, answer)) = self.relocation.fields.get_mut(index) else { continue };
            let Some(old) = old_pages.first() else { return };
            match by_its_label((old, &self.page), field, answer.status, self.places[index].as_ref()) {
                ByLabel::At(place) => {
                    answer.status = Status::Moved;
                    self.places[index] = Some(place);
                }
                ByLabel::Lost(reason) => {
                    (answer.status, answer.evidence) = (Status::Unsure, vec![reason]);
                    self.places[index] = None;
                }
                ByLabel::Silent => {}
            }
            let is_open = self.places[index].is_none() && answer.status != Status::Kept;
            if is_open {
                let scouted = scouted.get_or_insert_with(|| Scouted::of(&self.page, self.url.as_ref(), whole.fields()));
                self.places[index] = scouted.place(field);
            }
        }
    }

    /// Returns the document of the page.
    pub(super) const fn page(&self) -> &Document {
        &self.page
    }

    /// Returns the URL of the page.
    pub(super) const fn url(&self) -> Option<&Url> {
        self.url.as_ref()
    }

    /// The fields whose location is not certain, and the others with their locations and first values.
    pub(super) fn open_and_certain(&self) -> (Vec<FieldName>, Vec<(FieldName, String)>) {
        let (mut open, mut certain) = (Vec::new(), Vec::new());
        for ((name, answer), place) in self.relocation.fields.iter().zip(&self.places) {
            let (select, values) = match place {
                Some(place) => (place.select(), &place.values),
                None if answer.status == Status::Kept => (answer.select.as_ref(), &answer.values),
                None => {
                    open.push(name.clone());
                    continue;
                }
            };
            let select = select.map_or("structured data", |select| select.source());
            certain.push((name.clone(), format!("`{select}` {}", values.first().map_or("", String::as_str))));
        }
        (open, certain)
    }

    /// Takes a candidate as the location of a field.
    pub(super) fn choose(&mut self, name: &FieldName, answer: &Answer) {
        self.set(name, Status::Moved, answer.evidence.clone(), moved_place(answer));
    }

    /// Takes a field as gone.
    pub(super) fn give_up(&mut self, name: &FieldName) {
        self.set(name, Status::Gone, vec!["a language model does not find it either".to_owned()], None);
    }

    fn set(&mut self, name: &FieldName, status: Status, evidence: Vec<String>, place: Option<Place>) {
        for ((known, answer), slot) in self.relocation.fields.iter_mut().zip(&mut self.places) {
            if known == name {
                (answer.status, answer.evidence) = (status, evidence);
                *slot = place;
                return;
            }
        }
    }
}

/// Optional fields that a fix may do without for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Optional {
    /// Those that are gone.
    Gone,
    /// Those that cannot be found again with certainty, too.
    MayBeUnsure,
}

/// A recipe for the page as it is now. Every field must be found; an optional one may be gone.
pub(super) fn propose(loaded: &Loaded, layout: &Layout, optional: Optional) -> Thought {
    let Layout { page: new_page, relocation, places, .. } = layout;
    let mut fields = loaded.recipe.fields().to_vec();
    let (mut moved, mut gone, mut evidence) = (Vec::new(), Vec::new(), Vec::new());
    for (field, place) in fields.iter_mut().zip(places) {
        let name = field.name.as_str();
        let Some(answer) = relocation.field(name).filter(|answer| answer.status != Status::Kept) else { continue };
        if let Some(Place { source, values, why }) = place {
            evidence.push(format!("`{name}` is at {why}"));
            field.example = values.iter().take(if field.many { values.len() } else { 1 }).cloned().collect();
            field.source = source.clone();
            moved.push((name.to_owned(), values.clone()));
            continue;
        }
        let is_gone = answer.status == Status::Gone;
        let what = if is_gone { "is gone" } else { "cannot be found again with certainty" };
        let why = answer.evidence.join(", ");
        if field.required || !(is_gone || optional == Optional::MayBeUnsure) {
            return Err(format!("the field `{name}` {what}: {why}"));
        }
        evidence.push(format!("`{name}` {what}: {why}"));
        gone.push(name.to_owned());
    }
    let next = next_page(loaded, new_page, layout.url.as_ref())?;
    if moved.is_empty() && gone.is_empty() && next.as_ref() == loaded.recipe.next() {
        return Err(unchanged(loaded));
    }
    let found = Found { page: new_page, url: layout.url.clone(), moved: &moved };
    let recipe = loaded.recipe.clone().with_fields(fields).map_err(|error| error.to_string())?.with_next(next);
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
    let names: Vec<String> = moved.into_iter().map(|(name, _)| name).collect();
    Ok(change(loaded, recipe, &names, gone, evidence))
}

/// The recipe as one of the whole page, with the last good values as examples.
pub(super) fn whole_page(loaded: &Loaded) -> Result<Recipe, String> {
    let whole = of_the_page(&loaded.recipe)?;
    Ok(loaded.history.first().map_or_else(|| whole.clone(), |facts| facts.as_examples_of(&whole)))
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

    /// The items around the values of a field.
    fn items(&self, recipe: &Recipe) -> Option<Selector> {
        let select =
            recipe.fields().iter().filter(|field| field.required && !field.many).find_map(|field| field.select())?;
        robust_selector(&[(self.page, &items_around(self.page, &self.page.select(select))?)])
    }
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
