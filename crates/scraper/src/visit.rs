//! A page while a program reads it.

use std::sync::{Arc, Mutex};

use autoheal_page::NodeId;
use autoheal_page::obstacle::Obstacle;
use autoheal_page::reading::Reading;
use autoheal_page::relocate::Status as Relocated;
use autoheal_page::select::TooMuchWork;
use url::Url;

use crate::found::{Found, Match, found};
use crate::heal;
use crate::page_state::PageState;
use crate::place::Place;
use crate::query::{Part, Query};
use crate::report::{FieldReport, Status};
use crate::template::{Finder, Healed, Template};
use crate::{Scraper, ScraperError, locked};

/// Reason for items of a list that were found again.
const BY_VALUES: &str = "the items have the values that were in them before";

/// Reason that a page does not answer.
#[derive(Debug, thiserror::Error)]
pub enum VisitError {
    /// The selector would take too long on this page.
    #[error(transparent)]
    TooMuchWork(#[from] TooMuchWork),
    /// The knowledge about the page cannot be read.
    #[error(transparent)]
    Scraper(#[from] ScraperError),
}

/// A page while a program reads it. It is learnt when it is finished or dropped.
pub struct Visit {
    scraper: Arc<Scraper>,
    name: Option<String>,
    url: Option<Url>,
    state: Mutex<PageState>,
}

impl std::fmt::Debug for Visit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Visit").field("name", &self.name).field("url", &self.url).finish_non_exhaustive()
    }
}

impl Visit {
    /// Begins to read a page.
    pub fn new(scraper: Arc<Scraper>, html: Arc<str>, url: Option<Url>) -> Self {
        Self { scraper, name: None, url, state: Mutex::new(PageState::new(html)) }
    }

    /// Names the kind of the page. Without it, the function that asks first names it.
    #[must_use]
    pub fn named(mut self, name: Option<String>) -> Self {
        self.name = name;
        self
    }

    /// The matches of a selector, within a match of another if there is one; where it finds nothing although it did before,
    /// those that were found again. Where another library finds something for the program (`may_heal` is false), nothing is looked
    /// for again.
    ///
    /// # Errors
    ///
    /// If the selector would take too long, or what is known of the page cannot be read.
    pub fn look(
        &self,
        place: &Place,
        query: &Query,
        within: Option<(&Found, NodeId)>,
        may_heal: bool,
    ) -> Result<Found, VisitError> {
        let mut state = locked(&self.state);
        let template = self.template(&mut state, place)?;
        let mut template = locked(&template);
        let outer = within.map(|(found, node)| (found.field, node));
        // Within an element that is not learnt, nothing is learnt either.
        let field = match outer {
            Some((None, _)) => None,
            Some((Some(outer), _)) => template.field_at(place, query, Some(outer)),
            None => template.field_at(place, query, None),
        };
        let scope = outer.map(|(_, node)| node);
        let nodes = state.select(query.selector(), scope)?;
        let Some(number) = field else { return Ok(found(nodes, query.part(), Status::Kept, None)) };
        if nodes.is_empty() && !may_heal {
            return Ok(found(nodes, query.part(), Status::Kept, None));
        }
        if !nodes.is_empty() {
            let doubt = state.doubt(&template, number, query.part(), &nodes);
            let found = match doubt {
                None if !state.is_questionable(&template, number) => state.kept(number, query.part(), nodes),
                doubt => self.compared(&mut state, &mut template, number, nodes, doubt)?,
            };
            return Ok(Found { field, ..found });
        }
        if scope.is_some() && state.is_in_another_item(&template, number)? {
            return Ok(found(nodes, query.part(), Status::Kept, field));
        }
        let is_break = template.fields[number].is_known() && !template.fields[number].is_optional();
        if let Some(healed) = self.healed(&mut state, &template, number, scope)? {
            return Ok(Found { field, is_break: true, ..healed });
        }
        let status = state.sightings.get(&number).map_or(Status::Unknown, |sighting| sighting.status);
        Ok(Found { is_break, ..found(nodes, query.part(), status, field) })
    }

    /// The matches of the field's own selector, if they are still the field, or else the field found again, or nothing. Where the layout
    /// has changed, a selector may find the neighbour.
    fn compared(
        &self,
        state: &mut PageState,
        template: &mut Template,
        number: usize,
        nodes: Vec<NodeId>,
        doubt: Option<&'static str>,
    ) -> Result<Found, VisitError> {
        let part = template.fields[number].query.part().clone();
        if let Some(obstacle) = self.obstacle(state) {
            return Ok(state.withheld(number, &part, Status::Blocked, vec![obstacle.to_string()], 1.0));
        }
        if state.right(template, number) == Some(Finder::Healed)
            && let Some(healed) = state.where_it_was_healed(template, number, None)?
        {
            return Ok(Found { is_break: true, ..healed });
        }
        let answer = state.answer(&self.scraper.relocator, template, number);
        let Some(answer) = answer else {
            return Ok(state.doubtful(number, &part, nodes, doubt));
        };
        let (confidence, evidence) = (answer.confidence, answer.evidence.clone());
        let is_there = matches!(answer.status, Relocated::Kept | Relocated::Moved);
        let place = match (is_there, answer.select, part.found_again(&answer.take)) {
            (true, Some(selector), Some(part)) => Some(Healed { selector, part }),
            _ => None,
        };
        let Some(place) = place else {
            let status = if answer.status == Relocated::Gone { Status::Gone } else { Status::Unsure };
            return Ok(state.withheld(number, &part, status, evidence, confidence));
        };
        let there = state.select(&place.selector, None)?;
        let taken = if template.fields[number].is_list { usize::MAX } else { 1 };
        if state.is_same((&part, &nodes), (&place.part, &there), taken) {
            state.compared(template, number, Finder::Own);
            return Ok(state.doubtful(number, &part, nodes, doubt));
        }
        state.compared(template, number, Finder::Healed);
        state.saw(number, Status::Healed, &there, &place.part);
        state.explain(number, evidence, confidence);
        state.moved.insert(number, place.clone());
        Ok(Found { is_break: true, ..found(there, &place.part, Status::Healed, None) })
    }

    /// The knowledge about pages of this kind. The place that asks first names the kind.
    fn template(&self, state: &mut PageState, place: &Place) -> Result<Arc<Mutex<Template>>, ScraperError> {
        if let Some(template) = &state.template {
            return Ok(Arc::clone(template));
        }
        let template = self.scraper.template(self.name.as_deref().unwrap_or(&place.function))?;
        state.template = Some(Arc::clone(&template));
        Ok(template)
    }

    /// The field found again, or nothing; the sighting says why.
    fn healed(
        &self,
        state: &mut PageState,
        template: &Template,
        number: usize,
        scope: Option<NodeId>,
    ) -> Result<Option<Found>, VisitError> {
        let field = &template.fields[number];
        let missing = |state: &mut PageState, status| {
            state.saw(number, status, &[], field.query.part());
            Ok(None)
        };
        if !field.is_known() {
            return missing(state, Status::Unknown);
        }
        if let Some(healed) = state.where_it_was_healed(template, number, scope)? {
            return Ok(Some(healed));
        }
        if let Some(healed) = state.lists.get(&number).cloned() {
            let nodes = state.select(&healed.selector, scope)?;
            state.saw(number, Status::Healed, &nodes, &healed.part);
            state.explain(number, vec![BY_VALUES.to_owned()], 1.0);
            return Ok(Some(found(nodes, &healed.part, Status::Healed, None)));
        }
        if field.is_optional() && heal::is_intact(template, number, |selector| state.has(selector)) {
            return missing(state, Status::Gone);
        }
        if let Some(obstacle) = self.obstacle(state) {
            missing(state, Status::Blocked)?;
            state.explain(number, vec![obstacle.to_string()], 1.0);
            return Ok(None);
        }
        if let Some(nodes) = self.list(state, template, number)? {
            return Ok(Some(found(nodes, field.query.part(), Status::Healed, None)));
        }
        self.relocated(state, template, number, scope)
    }

    /// The items of a list found again by the values in them, with the places of these.
    fn list(
        &self,
        state: &mut PageState,
        template: &Template,
        number: usize,
    ) -> Result<Option<Vec<NodeId>>, VisitError> {
        let field = &template.fields[number];
        if !field.is_list || !template.holds_fields(number) {
            return Ok(None);
        }
        let list = heal::relocate_items(template, number, state.reading.document(), self.url.as_ref());
        let Some(list) = list else { return Ok(None) };
        let Some((_, items)) = list.first().cloned() else { return Ok(None) };
        state.lists.extend(list);
        let nodes = state.select(&items.selector, None)?;
        state.saw(number, Status::Healed, &nodes, &items.part);
        state.explain(number, vec![BY_VALUES.to_owned()], 1.0);
        Ok(Some(nodes))
    }

    fn relocated(
        &self,
        state: &mut PageState,
        template: &Template,
        number: usize,
        scope: Option<NodeId>,
    ) -> Result<Option<Found>, VisitError> {
        let answer = state.answer(&self.scraper.relocator, template, number);
        let part = template.fields[number].query.part();
        let Some(answer) = answer else {
            state.saw(number, Status::Unsure, &[], part);
            state.explain(number, vec!["no kept page shows where it was".to_owned()], 0.0);
            return Ok(None);
        };
        let (confidence, evidence) = (answer.confidence, answer.evidence.clone());
        let status = match answer.status {
            Relocated::Gone => Status::Gone,
            Relocated::Kept | Relocated::Unsure => Status::Unsure,
            Relocated::Moved => Status::Healed,
        };
        let healed = match (status, answer.select.as_ref(), part.found_again(&answer.take)) {
            (Status::Healed, Some(select), Some(part)) => {
                let nodes = state.select(select, scope)?;
                state.saw(number, Status::Healed, &nodes, &part);
                state.moved.insert(number, Healed { selector: select.clone(), part: part.clone() });
                Some(found(nodes, &part, Status::Healed, None))
            }
            (Status::Healed, None, _) if scope.is_none() && *part != Part::Element => {
                state.saw(number, Status::Healed, &[], part);
                state.take_texts(number, &answer.values);
                let matches = answer.values.into_iter().map(Match::Text).collect();
                Some(Found { matches, status: Status::Healed, is_break: true, field: None })
            }
            (Status::Healed, ..) => {
                state.saw(number, Status::Unsure, &[], part);
                None
            }
            (status, ..) => {
                state.saw(number, status, &[], part);
                None
            }
        };
        state.explain(number, evidence, confidence);
        Ok(healed)
    }

    fn obstacle(&self, state: &PageState) -> Option<Obstacle> {
        let page = &state.reading;
        let obstacle = || heal::obstacle(page.html(), page.document(), self.url.as_ref());
        state.obstacle.get_or_init(obstacle).clone()
    }

    /// Notes that the program takes all matches of a selector and not only the first.
    pub fn takes_list(&self, found: &Found) {
        let state = locked(&self.state);
        if let (Some(number), Some(template)) = (found.field, &state.template) {
            locked(template).fields[number].takes_list = true;
        }
    }

    /// The texts of matches, as the program gets them.
    pub fn texts(&self, found: &Found) -> Vec<String> {
        found.matches.iter().flat_map(|one| self.texts_of(one)).collect()
    }

    /// The texts of one match.
    pub fn texts_of(&self, one: &Match) -> Vec<String> {
        match one {
            Match::Node(node, part) => part.of(&locked(&self.state).reading, *node),
            Match::Text(text) => vec![text.clone()],
        }
    }

    /// Asks the page itself.
    pub fn read<T>(&self, ask: impl FnOnce(&Reading) -> T) -> T {
        ask(&locked(&self.state).reading)
    }

    /// The result for a field so far; `None` if it is not learnt.
    pub fn field_report(&self, found: &Found) -> Option<FieldReport> {
        let state = locked(&self.state);
        let number = found.field.filter(|number| state.sightings.contains_key(number))?;
        Some(state.report(&locked(state.template.as_ref()?), number))
    }

    /// The result for each field that the program has asked for, in the order of the program.
    pub fn report(&self) -> Vec<FieldReport> {
        let state = locked(&self.state);
        let Some(template) = &state.template else { return Vec::new() };
        let template = locked(template);
        let mut numbers: Vec<usize> = state.sightings.keys().copied().collect();
        numbers.sort_by_key(|number| (template.fields[*number].site.line, *number));
        numbers.into_iter().map(|number| state.report(&template, number)).collect()
    }

    /// Ends the page: what was found is learnt. Later calls do nothing.
    pub fn finish(&self) {
        let mut state = locked(&self.state);
        if std::mem::replace(&mut state.is_finished, true) {
            return;
        }
        let Some(template) = state.template.clone() else { return };
        if let Some(lesson) = state.learn(&mut locked(&template), self.url.as_ref()) {
            self.scraper.store.save(lesson);
        }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.finish();
    }
}
