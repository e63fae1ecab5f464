//! A page while a program reads it.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex};

use autoheal_page::obstacle::Obstacle;
use autoheal_page::reading::Reading;
use autoheal_page::recipe::FieldName;
use autoheal_page::relocate::Status as Relocated;
use autoheal_page::select::TooMuchWork;
use autoheal_page::{NodeId, Selector};
use serde_json::{Map, Value, json};
use url::Url;

use crate::heal::{self, Answers};
use crate::place::Place;
use crate::plausible;
use crate::query::{Part, Query};
use crate::report::{FieldReport, Status};
use crate::template::{Healed, Template};
use crate::{Scraper, ScraperError, locked};

/// Maximum number of texts of a field in a report.
const REPORTED: usize = 10;

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

/// A match of a selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    /// An element, of which the program takes a part.
    Node(NodeId, Part),
    /// A text for which no selector was found.
    Text(String),
}

/// The matches of a selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The matches, in document order.
    pub matches: Vec<Match>,
    /// Outcome.
    pub status: Status,
    /// True if the selector has found the field before and no longer does, or finds something else.
    pub is_break: bool,
    /// The field, for [`Visit::takes_list`] and for selectors within a match.
    pub(crate) field: Option<usize>,
}

/// Knowledge about a field on this page.
struct Sighting {
    status: Status,
    nodes: Vec<(NodeId, Part)>,
    texts: Vec<String>,
    evidence: Vec<String>,
    confidence: f32,
}

struct State {
    reading: Reading,
    template: Option<Arc<Mutex<Template>>>,
    sightings: HashMap<usize, Sighting>,
    answers: Option<Answers>,
    /// Places that were found again on this page by the values in the items of lists.
    lists: HashMap<usize, Healed>,
    obstacle: OnceCell<Option<Obstacle>>,
    /// Matches of selectors on the whole page: programs ask for the same within each item of a list.
    selected: HashMap<String, Arc<[NodeId]>>,
    is_finished: bool,
}

/// A page while a program reads it. It is learnt when it is finished or dropped.
pub struct Visit {
    scraper: Arc<Scraper>,
    name: Option<String>,
    url: Option<Url>,
    state: Mutex<State>,
}

impl std::fmt::Debug for Visit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Visit").field("name", &self.name).field("url", &self.url).finish_non_exhaustive()
    }
}

impl Visit {
    /// Begins to read a page.
    pub fn new(scraper: Arc<Scraper>, html: Arc<str>, url: Option<Url>) -> Self {
        let state = State {
            reading: Reading::new(html),
            template: None,
            sightings: HashMap::new(),
            answers: None,
            lists: HashMap::new(),
            obstacle: OnceCell::new(),
            selected: HashMap::new(),
            is_finished: false,
        };
        Self { scraper, name: None, url, state: Mutex::new(state) }
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
        let doubt = state.doubt(&template, number, query.part(), &nodes);
        if !nodes.is_empty() && doubt.is_none() {
            state.saw(number, Status::Kept, &nodes, query.part());
            return Ok(found(nodes, query.part(), Status::Kept, field));
        }
        if scope.is_some() && state.is_in_another_item(&template, number)? {
            return Ok(found(nodes, query.part(), Status::Kept, field));
        }
        let is_break = template.fields[number].is_known() && !template.fields[number].is_optional();
        if let Some(healed) = self.healed(&mut state, &template, number, scope)? {
            return Ok(Found { field, is_break: true, ..healed });
        }
        let status = match (nodes.is_empty(), doubt) {
            (false, _) => Status::Doubtful,
            (true, _) => state.sightings.get(&number).map_or(Status::Unknown, |sighting| sighting.status),
        };
        if !nodes.is_empty() {
            state.saw(number, status, &nodes, query.part());
            state.explain(number, doubt.map(str::to_owned).into_iter().collect(), 0.0);
        }
        Ok(Found { is_break, ..found(nodes, query.part(), status, field) })
    }

    /// The knowledge about pages of this kind. The place that asks first names the kind.
    fn template(&self, state: &mut State, place: &Place) -> Result<Arc<Mutex<Template>>, ScraperError> {
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
        state: &mut State,
        template: &Template,
        number: usize,
        scope: Option<NodeId>,
    ) -> Result<Option<Found>, VisitError> {
        let field = &template.fields[number];
        let missing = |state: &mut State, status| {
            state.saw(number, status, &[], field.query.part());
            Ok(None)
        };
        if !field.is_known() {
            return missing(state, Status::Unknown);
        }
        if let Some(healed) = &field.healed {
            let nodes = state.select(&healed.selector, scope)?;
            if !nodes.is_empty() && state.doubt(template, number, &healed.part, &nodes).is_none() {
                state.saw(number, Status::Healed, &nodes, &healed.part);
                state.explain(number, vec!["it is where it was found again before".to_owned()], 1.0);
                return Ok(Some(found(nodes, &healed.part, Status::Healed, None)));
            }
            if scope.is_some() && state.has(&healed.selector) {
                return Ok(Some(found(Vec::new(), &healed.part, Status::Healed, None)));
            }
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
    fn list(&self, state: &mut State, template: &Template, number: usize) -> Result<Option<Vec<NodeId>>, VisitError> {
        let field = &template.fields[number];
        let has_fields = template.fields.iter().any(|inner| inner.within == Some(number) && inner.is_known());
        if !field.is_list || !has_fields {
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
        state: &mut State,
        template: &Template,
        number: usize,
        scope: Option<NodeId>,
    ) -> Result<Option<Found>, VisitError> {
        if state.answers.is_none() {
            let answers = heal::relocate(&self.scraper.relocator, template, state.reading.document());
            state.answers = Some(answers);
        }
        let answer = state.answers.as_ref().and_then(|answers| answers.get(&number)).cloned();
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

    fn obstacle(&self, state: &State) -> Option<Obstacle> {
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

fn found(nodes: Vec<NodeId>, part: &Part, status: Status, field: Option<usize>) -> Found {
    let matches = nodes.into_iter().map(|node| Match::Node(node, part.clone())).collect();
    Found { matches, status, is_break: false, field }
}

impl State {
    /// The elements that a selector means, within another if there is one.
    fn select(&mut self, selector: &Selector, scope: Option<NodeId>) -> Result<Vec<NodeId>, TooMuchWork> {
        let Some(scope) = scope else {
            return match self.selected.get(selector.source()) {
                Some(nodes) => Ok(nodes.to_vec()),
                None => self.reading.select(selector),
            };
        };
        let nodes = match self.selected.entry(selector.source().to_owned()) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(unknown) => Arc::clone(unknown.insert(self.reading.select(selector)?.into())),
        };
        let close = self.reading.close(scope);
        let start = nodes.partition_point(|node| *node < scope);
        Ok(nodes[start..].iter().take_while(|node| node.index() < close).copied().collect())
    }

    /// Returns whether other items of the list have a field where its own selector finds it: one may lack it. Only if all do, the
    /// selector is broken.
    fn is_in_another_item(&mut self, template: &Template, number: usize) -> Result<bool, TooMuchWork> {
        match template.own_selector(number) {
            Some(own) => Ok(!self.select(&own, None)?.is_empty()),
            None => Ok(true),
        }
    }

    fn has(&self, selector: &Selector) -> bool {
        self.reading.select(selector).is_ok_and(|nodes| !nodes.is_empty())
    }

    /// Returns why the first match is not like the values before.
    fn doubt(&self, template: &Template, number: usize, part: &Part, nodes: &[NodeId]) -> Option<&'static str> {
        let field = &template.fields[number];
        // Elements of a list are different things; the HTML of an element is not a value.
        if !field.is_known() || field.within.is_some() || *part == Part::Element {
            return None;
        }
        let text = nodes.first().map(|node| part.of(&self.reading, *node).into_iter().next().unwrap_or_default())?;
        plausible::doubt(&text, &field.values)
    }

    fn saw(&mut self, number: usize, status: Status, nodes: &[NodeId], part: &Part) {
        let new = || Sighting { status, nodes: Vec::new(), texts: Vec::new(), evidence: Vec::new(), confidence: 1.0 };
        let sighting = self.sightings.entry(number).or_insert_with(new);
        // One item of a list with the field is enough.
        if !nodes.is_empty() || sighting.nodes.is_empty() {
            sighting.status = status;
        }
        sighting.nodes.extend(nodes.iter().map(|node| (*node, part.clone())));
    }

    fn explain(&mut self, number: usize, evidence: Vec<String>, confidence: f32) {
        if let Some(sighting) = self.sightings.get_mut(&number) {
            (sighting.evidence, sighting.confidence) = (evidence, confidence);
        }
    }

    fn take_texts(&mut self, number: usize, texts: &[String]) {
        if let Some(sighting) = self.sightings.get_mut(&number) {
            sighting.texts = texts.to_vec();
        }
    }

    /// The place where relocation found a field again on this page, or where an earlier page found it.
    fn healed_of(&self, template: &Template, number: usize) -> Option<Healed> {
        if let Some(healed) = self.lists.get(&number) {
            return Some(healed.clone());
        }
        let now = self.answers.as_ref().and_then(|answers| answers.get(&number)).and_then(|answer| {
            let part = template.fields[number].query.part().found_again(&answer.take)?;
            let selector = answer.select.clone()?;
            (answer.status == Relocated::Moved).then_some(Healed { selector, part })
        });
        now.or_else(|| template.fields[number].healed.clone())
    }

    /// The texts of a field, as far as a report or a lesson needs them.
    fn texts(&self, number: usize, limit: usize) -> Vec<String> {
        let Some(sighting) = self.sightings.get(&number) else { return Vec::new() };
        let of_nodes = sighting.nodes.iter().flat_map(|(node, part)| match part {
            Part::Element => vec![self.reading.text(*node)],
            part => part.of(&self.reading, *node),
        });
        of_nodes.chain(sighting.texts.iter().cloned()).take(limit).collect()
    }

    fn report(&self, template: &Template, number: usize) -> FieldReport {
        let (field, sighting) = (&template.fields[number], &self.sightings[&number]);
        let healed = (sighting.status == Status::Healed).then(|| self.healed_of(template, number)).flatten();
        let limit = if field.is_list || field.within.is_some() { REPORTED } else { 1 };
        FieldReport {
            field: field.site.field.to_string(),
            status: sighting.status,
            file: field.site.file.clone(),
            line: field.site.line,
            selector: field.site.selector.clone(),
            healed_selector: healed.map(|healed| healed.selector.source().to_owned()),
            values: self.texts(number, limit),
            confidence: sighting.confidence,
            evidence: sighting.evidence.clone(),
        }
    }

    /// Takes what was found over into what is known; what is to be stored, if anything.
    fn learn(&self, template: &mut Template, url: Option<&Url>) -> Option<crate::memory::Lesson> {
        let is_blocked = self.sightings.values().any(|sighting| sighting.status == Status::Blocked);
        let missing: Vec<usize> = self.missing(template);
        let is_good = !is_blocked && missing.iter().all(|number| template.fields[*number].is_optional());
        template.count(is_good);
        if is_blocked {
            return None;
        }
        for number in missing {
            if heal::is_intact(template, number, |selector| self.has(selector)) {
                template.fields[number].missing += 1;
            }
        }
        let found: Vec<usize> = self.found();
        let is_healed = found.iter().any(|number| self.sightings[number].status == Status::Healed);
        let mut has_news = false;
        for number in &found {
            let healed = self.healed_of(template, *number).filter(|_| self.sightings[number].status == Status::Healed);
            let field = &mut template.fields[*number];
            let is_list = field.takes_list && self.sightings[number].nodes.len() > 1;
            has_news |= !field.is_known() || (is_list && !field.is_list);
            field.is_list |= is_list;
            if healed.is_some() && field.healed != healed {
                field.healed = healed;
                has_news = true;
            }
        }
        if found.is_empty() || !template.wants_page(is_healed, has_news) {
            return None;
        }
        let mut values = Map::new();
        for number in found {
            let field = &mut template.fields[number];
            let limit = if field.is_list || field.within.is_some() { usize::MAX } else { 1 };
            let texts = self.texts(number, limit);
            field.learn(texts.first().map_or("", String::as_str));
            values.insert(FieldName::to_string(&field.site.field), json!(texts));
        }
        Some(template.keep(self.reading.html(), url, Value::Object(values), is_healed))
    }

    /// Fields that were found before, and not on this page.
    fn missing(&self, template: &Template) -> Vec<usize> {
        let is_missing = |status| matches!(status, Status::Gone | Status::Unsure);
        let numbers = self
            .sightings
            .iter()
            .filter(|(number, sighting)| template.fields[**number].is_known() && is_missing(sighting.status));
        numbers.map(|(number, _)| *number).collect()
    }

    /// Fields that were found, in their order.
    fn found(&self) -> Vec<usize> {
        let is_found = |status| matches!(status, Status::Kept | Status::Healed);
        let mut numbers: Vec<usize> = self
            .sightings
            .iter()
            .filter(|(_, sighting)| is_found(sighting.status))
            .map(|(number, _)| *number)
            .collect();
        numbers.sort_unstable();
        numbers
    }
}
