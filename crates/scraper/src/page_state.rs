//! The state of a page while a program reads it: what was found for each field, and how.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex};

use autoheal_page::obstacle::Obstacle;
use autoheal_page::reading::Reading;
use autoheal_page::recipe::FieldName;
use autoheal_page::relocate::{Answer, Relocator};
use autoheal_page::select::TooMuchWork;
use autoheal_page::{NodeId, Selector};
use serde_json::{Map, Value, json};
use url::Url;

use crate::found::{Found, found};
use crate::heal::{self, Answers};
use crate::memory::Lesson;
use crate::plausible;
use crate::query::Part;
use crate::report::{FieldReport, Status};
use crate::template::{Field, Finder, Healed, Layout, Template};

/// Maximum number of texts of a field in a report.
const REPORTED: usize = 10;

/// Knowledge about a field on this page.
pub(crate) struct Sighting {
    pub(crate) status: Status,
    nodes: Vec<(NodeId, Part)>,
    texts: Vec<String>,
    evidence: Vec<String>,
    confidence: f32,
}

/// A page while a program reads it: what was found on it so far.
pub(crate) struct PageState {
    pub(crate) reading: Reading,
    pub(crate) template: Option<Arc<Mutex<Template>>>,
    pub(crate) sightings: HashMap<usize, Sighting>,
    /// The answers of relocation by the pages of the first layout, and by those in which fields were found again.
    answers: [OnceCell<Answers>; 2],
    layout: Option<Layout>,
    /// Places that were found again on this page by the values in the items of lists.
    pub(crate) lists: HashMap<usize, Healed>,
    /// Places that relocation found on this page.
    pub(crate) moved: HashMap<usize, Healed>,
    pub(crate) obstacle: OnceCell<Option<Obstacle>>,
    /// Matches of selectors on the whole page: programs ask for the same within each item of a list.
    selected: HashMap<String, Arc<[NodeId]>>,
    pub(crate) is_finished: bool,
}

impl PageState {
    pub(crate) fn new(html: Arc<str>) -> Self {
        Self {
            reading: Reading::new(html),
            template: None,
            sightings: HashMap::new(),
            answers: [OnceCell::new(), OnceCell::new()],
            layout: None,
            lists: HashMap::new(),
            moved: HashMap::new(),
            obstacle: OnceCell::new(),
            selected: HashMap::new(),
            is_finished: false,
        }
    }

    /// The elements that a selector means, within another if there is one.
    pub(crate) fn select(&mut self, selector: &Selector, scope: Option<NodeId>) -> Result<Vec<NodeId>, TooMuchWork> {
        let Some(scope) = scope else {
            return match self.selected.get(selector.source()) {
                Some(nodes) => Ok(nodes.to_vec()),
                None => self.reading.select(selector),
            };
        };
        let nodes = self.on_whole_page(selector)?;
        let close = self.reading.close(scope);
        let start = nodes.partition_point(|node| *node < scope);
        Ok(nodes[start..].iter().take_while(|node| node.index() < close).copied().collect())
    }

    /// The elements that a selector means on the whole page, which are remembered.
    fn on_whole_page(&mut self, selector: &Selector) -> Result<Arc<[NodeId]>, TooMuchWork> {
        Ok(match self.selected.entry(selector.source().to_owned()) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(unknown) => Arc::clone(unknown.insert(self.reading.select(selector)?.into())),
        })
    }

    /// Returns whether other items of the list have a field where its own selector finds it: one may lack it. Only if all do, the
    /// selector is broken.
    pub(crate) fn is_in_another_item(&mut self, template: &Template, number: usize) -> Result<bool, TooMuchWork> {
        match template.own_selector(number) {
            Some(own) => Ok(!self.select(&own, None)?.is_empty()),
            None => Ok(true),
        }
    }

    pub(crate) fn has(&self, selector: &Selector) -> bool {
        self.reading.select(selector).is_ok_and(|nodes| !nodes.is_empty())
    }

    /// Returns why the first match is not like the values before.
    pub(crate) fn doubt(
        &self,
        template: &Template,
        number: usize,
        part: &Part,
        nodes: &[NodeId],
    ) -> Option<&'static str> {
        let field = &template.fields[number];
        // Elements of a list are different things; the HTML of an element is not a value.
        if !field.is_known() || field.within.is_some() || *part == Part::Element {
            return None;
        }
        let text = nodes.first().map(|node| part.of(&self.reading, *node).into_iter().next().unwrap_or_default())?;
        plausible::doubt(&text, &field.values)
    }

    /// The layout of the page, as the known fields show it.
    fn layout(&mut self, template: &Template) -> Layout {
        if let Some(layout) = &self.layout {
            return Arc::clone(layout);
        }
        let layout: Layout = template.required().map(|(number, field)| self.finder(template, number, field)).collect();
        Arc::clone(self.layout.insert(layout))
    }

    fn finder(&mut self, template: &Template, number: usize, field: &Field) -> Finder {
        let mut finds = |selector: &Selector, part: &Part| {
            // The program gets the error of a selector that would take too long when it comes to it.
            let Ok(nodes) = self.on_whole_page(selector) else { return true };
            !nodes.is_empty() && self.doubt(template, number, part, &nodes).is_none()
        };
        if finds(field.query.selector(), field.query.part()) {
            Finder::Own
        } else if field.healed.as_ref().is_some_and(|healed| finds(&healed.selector, &healed.part)) {
            Finder::Healed
        } else {
            Finder::Nothing
        }
    }

    /// Returns whether what a field's own selector finds has to be compared with what it found before: other fields are not where they
    /// were, so the layout may be another.
    pub(crate) fn is_questionable(&mut self, template: &Template, number: usize) -> bool {
        let field = &template.fields[number];
        let is_compared = field.is_known() && field.within.is_none() && !template.holds_fields(number);
        is_compared && self.right(template, number) != Some(Finder::Own)
    }

    /// The selector that is right for a field on pages of this layout, as far as it was found out.
    pub(crate) fn right(&mut self, template: &Template, number: usize) -> Option<Finder> {
        template.right_in(&self.layout(template), number)
    }

    /// Remembers which selector is right for a field on pages of this layout.
    pub(crate) fn compared(&mut self, template: &mut Template, number: usize, right: Finder) {
        template.compared(&self.layout(template), number, right);
    }

    /// The answer of relocation for a field: by the layout in which fields were found again, if this one was found in it.
    pub(crate) fn answer(&mut self, relocator: &Relocator, template: &Template, number: usize) -> Option<Answer> {
        let was_found = template.fields[number].healed.is_some() || self.right(template, number).is_some();
        let by_healed = was_found && template.pages.iter().any(|page| page.is_healed);
        let answers = self.answers[usize::from(by_healed)]
            .get_or_init(|| heal::relocate(relocator, template, self.reading.document(), by_healed));
        answers.get(&number).cloned()
    }

    /// Notes that a field is where its own selector looks.
    pub(crate) fn kept(&mut self, number: usize, part: &Part, nodes: Vec<NodeId>) -> Found {
        self.saw(number, Status::Kept, &nodes, part);
        found(nodes, part, Status::Kept, None)
    }

    /// As [`PageState::kept`], with the doubt that there is: nothing better was found.
    pub(crate) fn doubtful(&mut self, number: usize, part: &Part, nodes: Vec<NodeId>, doubt: Option<&str>) -> Found {
        let Some(doubt) = doubt else { return self.kept(number, part, nodes) };
        self.saw(number, Status::Doubtful, &nodes, part);
        self.explain(number, vec![doubt.to_owned()], 0.0);
        Found { is_break: true, ..found(nodes, part, Status::Doubtful, None) }
    }

    /// Notes that what a field's own selector finds is not given to the program.
    pub(crate) fn withheld(
        &mut self,
        number: usize,
        part: &Part,
        status: Status,
        evidence: Vec<String>,
        confidence: f32,
    ) -> Found {
        self.saw(number, status, &[], part);
        self.explain(number, evidence, confidence);
        Found { is_break: true, ..found(Vec::new(), part, status, None) }
    }

    /// The elements at the place where the field was found again on an earlier page.
    pub(crate) fn where_it_was_healed(
        &mut self,
        template: &Template,
        number: usize,
        scope: Option<NodeId>,
    ) -> Result<Option<Found>, TooMuchWork> {
        let Some(healed) = &template.fields[number].healed else { return Ok(None) };
        let nodes = self.select(&healed.selector, scope)?;
        if !nodes.is_empty() && self.doubt(template, number, &healed.part, &nodes).is_none() {
            self.saw(number, Status::Healed, &nodes, &healed.part);
            self.explain(number, vec!["it is where it was found again before".to_owned()], 1.0);
            return Ok(Some(found(nodes, &healed.part, Status::Healed, None)));
        }
        // One item of a list may lack it.
        let is_in_another = scope.is_some() && self.has(&healed.selector);
        Ok(is_in_another.then(|| found(Vec::new(), &healed.part, Status::Healed, None)))
    }

    /// Returns whether two selectors find the same as far as the program takes it: the same elements, or the same texts.
    pub(crate) fn is_same(&self, one: (&Part, &[NodeId]), other: (&Part, &[NodeId]), taken: usize) -> bool {
        let texts = |(part, nodes): (&Part, &[NodeId])| -> Vec<String> {
            let of_node = |node: &NodeId| match part {
                Part::Attribute(_) => part.of(&self.reading, *node),
                _ => vec![self.reading.text(*node)],
            };
            nodes.iter().take(taken).flat_map(of_node).collect()
        };
        one.1 == other.1 || texts(one) == texts(other)
    }

    pub(crate) fn saw(&mut self, number: usize, status: Status, nodes: &[NodeId], part: &Part) {
        let new = || Sighting { status, nodes: Vec::new(), texts: Vec::new(), evidence: Vec::new(), confidence: 1.0 };
        let sighting = self.sightings.entry(number).or_insert_with(new);
        // One item of a list with the field is enough.
        if !nodes.is_empty() || sighting.nodes.is_empty() {
            sighting.status = status;
        }
        sighting.nodes.extend(nodes.iter().map(|node| (*node, part.clone())));
    }

    pub(crate) fn explain(&mut self, number: usize, evidence: Vec<String>, confidence: f32) {
        if let Some(sighting) = self.sightings.get_mut(&number) {
            (sighting.evidence, sighting.confidence) = (evidence, confidence);
        }
    }

    pub(crate) fn take_texts(&mut self, number: usize, texts: &[String]) {
        if let Some(sighting) = self.sightings.get_mut(&number) {
            sighting.texts = texts.to_vec();
        }
    }

    /// The place where relocation found a field again on this page, or where an earlier page found it.
    fn healed_of(&self, template: &Template, number: usize) -> Option<Healed> {
        if let Some(healed) = self.lists.get(&number) {
            return Some(healed.clone());
        }
        self.moved.get(&number).or(template.fields[number].healed.as_ref()).cloned()
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

    pub(crate) fn report(&self, template: &Template, number: usize) -> FieldReport {
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
    pub(crate) fn learn(&self, template: &mut Template, url: Option<&Url>) -> Option<Lesson> {
        let is_blocked = self.sightings.values().any(|sighting| sighting.status == Status::Blocked);
        let missing: Vec<usize> = self.missing(template);
        let is_good = !is_blocked && missing.iter().all(|number| template.fields[*number].is_optional());
        template.count(is_good);
        if is_blocked {
            return None;
        }
        for number in missing {
            // A field that is there and was withheld is not one that pages may lack.
            let is_there = template.own_selector(number).is_some_and(|own| self.has(&own));
            if !is_there && heal::is_intact(template, number, |selector| self.has(selector)) {
                template.fields[number].missing += 1;
            }
        }
        let found: Vec<usize> = self.found();
        let is_healed = found.iter().any(|number| self.sightings[number].status == Status::Healed);
        let mut has_news = false;
        for number in &found {
            let healed = self.healed_of(template, *number).filter(|_| self.sightings[number].status == Status::Healed);
            let field = &mut template.fields[*number];
            let is_list = field.takes_list && field.query.part().is_list(self.sightings[number].nodes.len());
            has_news |= !field.is_known() || (is_list && !field.is_list);
            field.is_list |= is_list;
            has_news |= healed.is_some_and(|healed| field.found_again(healed));
        }
        // A page of another layout on which fields are missing shows nothing that the pages of the first layout do not.
        let is_of_layout = is_good || is_healed || template.pages.is_empty();
        if found.is_empty() || !is_of_layout || !template.wants_page(is_healed, has_news) {
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
