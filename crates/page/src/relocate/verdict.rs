//! From rankings to answers.

use super::certainty::Certainty;
use super::consensus::alike;
use super::evidence;
use super::field::{Field, KeptField};
use super::kept::{self, Doubt};
use super::lexicon::{FieldKind, field_words};
use super::number::{float, probability};
use super::phrase::Phrase;
use super::rank::rank;
use super::ranking::{Ranked, Ranking, Row};
use super::tables::Tables;
use super::view::View;
use super::{Answer, Relocation, Status};
use crate::apply::{is_at, taken};
use crate::document::{Document, NodeId};
use crate::recipe::{Field as Asked, NodeTake, Recipe, Source, Take};
use crate::robust_selector::robust_selector;
use crate::select::Selector;
use crate::structured::structured_data;

/// Maximum number of old pages that are used.
const OLD_PAGES: usize = 3;

/// Below this certainty of the best candidate, the field is not there at all.
const GONE: f32 = 0.15;

/// From this certainty on, the best candidate clears what the old selector finds of a suspicion: more than a new place needs.
const CLEARED: f32 = 0.8;

/// Confidence in the only place of the page with the old value, if that is a day or an amount.
const ONLY_PLACE: f32 = 0.85;

/// Confidence in a field whose old selector still finds the right value.
const KEPT: f32 = 0.95;

pub(super) fn relocate(tables: &Tables, old: &[&Document], recipe: &Recipe, new: &Document) -> Relocation {
    let pages = Pages::new(old, recipe, new);
    let fields = recipe
        .fields()
        .iter()
        .enumerate()
        .map(|(number, asked)| (asked.name.clone(), pages.answer(tables, number, asked)))
        .collect();
    Relocation { fields }
}

/// The pages, and where the fields are on them.
pub(super) struct Pages<'p> {
    old: Vec<View<'p>>,
    new: View<'p>,
    /// For each field of the recipe, its elements on each old page.
    places: Vec<Vec<Vec<NodeId>>>,
    /// For each field, what its selector finds on the new page.
    found: Vec<Vec<NodeId>>,
}

impl<'p> Pages<'p> {
    pub(super) fn new(old: &[&'p Document], recipe: &Recipe, new: &'p Document) -> Self {
        let old: Vec<View<'p>> = old.iter().take(OLD_PAGES).map(|page| View::new(page)).collect();
        let places =
            recipe.fields().iter().map(|field| old.iter().map(|view| old_places(view, field)).collect()).collect();
        let found = recipe.fields().iter().map(|field| matches(new, field)).collect();
        Self { old, new: View::new(new), places, found }
    }

    /// The first old page on which the field's elements are known.
    fn old_place(&self, number: usize) -> Option<(&View<'p>, &[NodeId])> {
        let places = self.places.get(number)?;
        let known = self.old.iter().zip(places).find(|(_, nodes)| !nodes.is_empty());
        known.map(|(view, nodes)| (view, nodes.as_slice()))
    }

    /// The other fields whose selector still finds something.
    fn others(&self, number: usize) -> Vec<KeptField> {
        let mut others = Vec::new();
        for other in (0..self.found.len()).filter(|other| *other != number) {
            let Some((view, old)) = self.old_place(other) else { continue };
            let new: Vec<NodeId> =
                self.found[other].iter().copied().filter(|node| !self.new.page.is_skipped(*node)).collect();
            let (Some(old_first), Some(old_last)) = (old.first(), old.last()) else { continue };
            let (Some(new_first), Some(new_last)) = (new.first(), new.last()) else { continue };
            let mut new_nodes = new.clone();
            for node in &new {
                if let Some(chain) = self.new.chain_of(*node) {
                    new_nodes.extend_from_slice(&self.new.chains[chain].nodes);
                }
            }
            others.push(KeptField {
                old: *old_first,
                new: *new_first,
                old_span: (old_first.index(), view.page.close(*old_last)),
                new_span: (new_first.index(), self.new.page.close(*new_last)),
                new_nodes,
            });
        }
        others
    }

    /// The candidates for a field, by all old pages that know it: the odds are the mean of theirs.
    pub(super) fn ranking(&self, tables: &Tables, number: usize, asked: &Asked) -> Option<(Ranking, FieldKind)> {
        let Source::Nodes { take, .. } = &asked.source else { return None };
        let others = self.others(number);
        let field = Field { words: field_words(asked.name.as_str()), others: &others };
        let mut rankings = Vec::new();
        for (view, nodes) in self.old.iter().zip(self.places.get(number)?) {
            if !nodes.is_empty() {
                rankings.push(rank(tables, view, nodes, &self.new, &field, take, asked.many));
            }
        }
        Some((merged(rankings)?, field.words.kind))
    }

    /// The texts that the old selector finds on the new page.
    pub(super) fn now(&self, number: usize, take: &NodeTake) -> Vec<String> {
        texts(self.new.page, &self.found[number], take)
    }

    fn answer(&self, tables: &Tables, number: usize, asked: &Asked) -> Answer {
        let Source::Nodes { select, take } = &asked.source else { return self.stated(asked) };
        let mut now = self.now(number, take);
        let doubt = self.doubt(number, asked, take, &now);
        if !asked.many {
            now.truncate(1);
        }
        let kept = |evidence: Vec<String>| Answer {
            status: Status::Kept,
            select: Some(select.clone()),
            take: Take::Node(take.clone()),
            values: now.clone(),
            confidence: KEPT,
            evidence,
        };
        if !now.is_empty() && doubt.is_none() {
            return kept(vec!["the old selector still finds it".to_owned()]);
        }
        let (disproved, mut evidence) = match doubt {
            Some(Doubt::Disproved(reason)) => (true, vec![reason]),
            Some(Doubt::Suspected(reason)) => (false, vec![reason]),
            None => (false, Vec::new()),
        };
        if asked.many && matches!(take, NodeTake::Attribute(_)) {
            // Candidates are single elements: the first one of a list would pass for the list.
            evidence.push("attributes of a list are found by the items around them".to_owned());
            return nothing(Status::Unsure, asked, 0.0, evidence);
        }
        let Some((mut ranking, kind)) = self.ranking(tables, number, asked) else {
            evidence
                .push("the old pages do not show where it was: give `example` values that stand on them".to_owned());
            return nothing(Status::Unsure, asked, 0.0, evidence);
        };
        if disproved {
            ranking.candidates.retain(|candidate| texts(self.new.page, &candidate.nodes, take) != now);
        }
        let (Some(best), Some(certainty)) = (ranking.candidates.first(), Certainty::of(&ranking, kind)) else {
            evidence.push("nothing on the page looks like it".to_owned());
            return nothing(Status::Gone, asked, 0.0, evidence);
        };
        let table = match &best.row {
            Row::Single(_) => &tables.single_certainty,
            Row::List(_) => &tables.list_certainty,
        };
        let confidence =
            probability(if table.is_empty() { certainty.margin - 1.0 } else { table.sum(&certainty.row()) });
        let confidence = if best.is_only_place { confidence.max(ONLY_PLACE) } else { confidence };
        if confidence >= CLEARED && !now.is_empty() && texts(self.new.page, &best.nodes, take) == now {
            evidence.push("everything else speaks for it".to_owned());
            return kept(evidence);
        }
        let second = ranking.candidates.iter().find(|candidate| !alike(best, candidate));
        evidence.extend(evidence::reasons(best, second));
        if confidence < tables.threshold {
            let best_text = texts(self.new.page, &best.nodes, take);
            if let Some(text) = best_text.first() {
                evidence.push(format!("the best candidate is {}", evidence::quote(text)));
            }
            let status = if confidence < GONE { Status::Gone } else { Status::Unsure };
            return nothing(status, asked, confidence, evidence);
        }
        self.moved(best, take, confidence, evidence, asked)
    }

    /// Returns the reason to doubt that the old selector's match is the field; `None` if there is none.
    pub(super) fn doubt(&self, number: usize, asked: &Asked, take: &NodeTake, now: &[String]) -> Option<Doubt> {
        if now.is_empty() {
            return None;
        }
        let known = self.old_place(number);
        let before = known.map(|(view, nodes)| texts(view.page, nodes, take)).filter(|texts| !texts.is_empty());
        let before = before.unwrap_or_else(|| asked.example.clone());
        let found = kept::Found {
            old: &before,
            new: now,
            old_view: known.map(|(view, _)| view),
            new_view: &self.new,
            words: &field_words(asked.name.as_str()),
            many: asked.many,
        };
        found.doubt()
    }

    /// The answer that the field is at this candidate.
    pub(super) fn moved(
        &self,
        best: &Ranked,
        take: &NodeTake,
        confidence: f32,
        evidence: Vec<String>,
        asked: &Asked,
    ) -> Answer {
        let take = match (&best.attribute, take) {
            (Some(name), NodeTake::Attribute(_)) => NodeTake::Attribute(name.clone()),
            (Some(_) | None, other) => other.clone(),
        };
        let values = texts(self.new.page, &best.nodes, &take);
        if values.is_empty() {
            return nothing(Status::Unsure, asked, confidence, evidence);
        }
        let gives_them = |select: &Selector| texts(self.new.page, &self.new.page.select(select), &take) == values;
        let select = self.selector(&best.nodes, &take, asked.many).filter(gives_them);
        let mut evidence = evidence;
        if select.is_none() {
            evidence.push("no selector gives exactly these values".to_owned());
        }
        Answer { status: Status::Moved, select, take: Take::Node(take), values, confidence, evidence }
    }

    /// The best selector for the nodes; for one text any element with the same text will do.
    fn selector(&self, nodes: &[NodeId], take: &NodeTake, many: bool) -> Option<Selector> {
        if many || *take != NodeTake::Text {
            return robust_selector(&[(self.new.page, nodes)]);
        }
        let chain = nodes.first().and_then(|node| self.new.chain_of(*node));
        let same_text = chain.map_or(nodes, |chain| self.new.chains[chain].nodes.as_slice());
        let selectors = same_text.iter().filter_map(|node| robust_selector(&[(self.new.page, &[*node])]));
        selectors.min_by_key(|selector| selector.source().len())
    }

    /// Relocates a field that reads the page's structured data.
    fn stated(&self, asked: &Asked) -> Answer {
        let Source::Structured(path) = &asked.source else { return nothing(Status::Unsure, asked, 0.0, Vec::new()) };
        let stated = structured_data(self.new.page).into_iter().filter(|datum| is_at(datum, path));
        let values: Vec<String> =
            stated.map(|datum| datum.value).take(if asked.many { usize::MAX } else { 1 }).collect();
        if values.is_empty() {
            let evidence = vec![format!("the page states nothing at {}", asked.take())];
            return nothing(Status::Gone, asked, 0.0, evidence);
        }
        Answer {
            status: Status::Kept,
            select: None,
            take: asked.take(),
            values,
            confidence: KEPT,
            evidence: vec!["the page still states it at the same path".to_owned()],
        }
    }
}

fn nothing(status: Status, asked: &Asked, confidence: f32, evidence: Vec<String>) -> Answer {
    Answer { status, select: None, take: asked.take(), values: Vec::new(), confidence, evidence }
}

/// Returns the extracted texts of elements, without empty ones.
pub(super) fn texts(page: &Document, nodes: &[NodeId], take: &NodeTake) -> Vec<String> {
    let texts = nodes.iter().filter_map(|node| taken(page, *node, take));
    texts.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
}

fn matches(page: &Document, field: &Asked) -> Vec<NodeId> {
    match &field.source {
        Source::Nodes { select, .. } => page.select(select),
        Source::Structured(_) => Vec::new(),
    }
}

/// Returns the elements of a field on an old page: the matches of its selector, otherwise the elements that
/// hold its last good values.
fn old_places(view: &View<'_>, field: &Asked) -> Vec<NodeId> {
    let Source::Nodes { take, .. } = &field.source else { return Vec::new() };
    let page = view.page;
    let holds = |node: &NodeId| taken(page, *node, take).is_some_and(|text| !text.trim().is_empty());
    let mut selected = matches(page, field);
    selected.retain(holds);
    if !selected.is_empty() {
        return selected;
    }
    let mut found = Vec::new();
    for example in &field.example {
        let wanted = Phrase::new(example);
        let node = match take {
            NodeTake::Text | NodeTake::OwnText | NodeTake::Html => {
                view.chain_with_text(&wanted).map(|chain| view.chains[chain].inner)
            }
            NodeTake::Attribute(name) => page
                .nodes()
                .find(|node| page.attribute(*node, name).is_some_and(|value| value.trim() == example.trim())),
        };
        found.extend(node);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// One ranking out of those by several old pages: a candidate's odds are the mean of them, and what one page did not rank at all
/// is as unlikely there as its last.
fn merged(mut rankings: Vec<Ranking>) -> Option<Ranking> {
    if rankings.len() < 2 {
        return rankings.pop();
    }
    let first = rankings.remove(0);
    let share = 1.0 / (float(rankings.len()) + 1.0);
    let mut candidates = first.candidates;
    for candidate in &mut candidates {
        for other in &rankings {
            let same = other.candidates.iter().find(|ranked| ranked.nodes == candidate.nodes);
            let odds = same.or(other.candidates.last()).map_or(candidate.odds, |ranked| ranked.odds);
            candidate.odds += odds;
        }
        candidate.odds *= share;
    }
    candidates.sort_by(|left, right| right.odds.total_cmp(&left.odds));
    Some(Ranking { candidates })
}
