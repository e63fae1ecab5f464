//! A question as a prompt. The constant part comes first, so that providers can cache it; nothing in it changes while page and
//! recipe are the same.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use autoheal_llm::Message;
use autoheal_llm::prompt::fill;
use autoheal_page::recipe::{Field, FieldName, NodeTake, Source, Take};
use autoheal_page::relocate::Candidate;
use autoheal_page::{Document, NodeId};
use serde_json::json;

use super::lines::{Lines, opening_tag};
use super::text::{listed, one_line, quoted};
use super::{Choices, Subject};
use crate::prompt_limits::PromptLimits;

const SYSTEM: (&str, &str) = ("diagnose_source_system", include_str!("../../prompts/diagnose_source_system.md"));
const FIRST: (&str, &str) = ("diagnose_source", include_str!("../../prompts/diagnose_source.md"));
const MORE: (&str, &str) = ("diagnose_source_more", include_str!("../../prompts/diagnose_source_more.md"));

/// Maximum length of a selector, an address and the words about a field that is certain, in characters.
const LONGEST_NAME: usize = 120;

/// Maximum number of fields that are certain and are named.
const MOST_CERTAIN: usize = 12;

/// The detail in which a question is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Detail {
    /// Lines before and after each candidate.
    lines: usize,
    /// Longest text of a candidate, in characters.
    text: usize,
    /// Longest text of a line, in characters.
    line: usize,
    /// Number of attributes of a candidate; of the element around it half as many.
    attributes: usize,
}

/// Everything of a page that questions show.
pub(super) struct Written<'a> {
    subject: &'a Subject<'a>,
    limits: PromptLimits,
    lines: Lines<'a>,
    old: Option<(&'a Document, Lines<'a>)>,
}

impl<'a> Written<'a> {
    pub(super) fn of(subject: &'a Subject<'a>, limits: PromptLimits) -> Self {
        let old = subject.old.first().map(|page| (*page, Lines::of(page)));
        Self { subject, limits, lines: Lines::of(subject.page), old }
    }

    /// The candidates that a reader sees: a text that is hidden is shown to no model.
    pub(super) fn shown(&self, found: Vec<(FieldName, Vec<Candidate>)>) -> Vec<(FieldName, Vec<Candidate>)> {
        let is_shown = |candidate: &Candidate| candidate.nodes.iter().any(|node| !self.lines.is_hidden(*node));
        let shown = found.into_iter().map(|(name, mut candidates)| {
            candidates.retain(is_shown);
            (name, candidates)
        });
        shown.collect()
    }

    /// From the most detail to the least.
    pub(super) fn details(&self) -> [Detail; 4] {
        let (lines, text) = (self.limits.lines / 2, self.limits.text_characters);
        [
            Detail { lines, text, line: 60, attributes: 6 },
            Detail { lines: lines.min(2), text: text * 3 / 4, line: 40, attributes: 4 },
            Detail { lines: lines.min(1), text: text / 2, line: 24, attributes: 4 },
            Detail { lines: 0, text: text / 3, line: 0, attributes: 2 },
        ]
    }

    pub(super) fn first(&self, fields: &[Choices], detail: Detail) -> Result<Vec<Message>, String> {
        let recipe = self.subject.recipe;
        let asked: Vec<(&Choices, &Field)> =
            fields.iter().filter_map(|choices| Some((choices, recipe.field(choices.name.as_str())?))).collect();
        let described: Vec<serde_json::Value> =
            asked.iter().map(|(choices, field)| described(choices, field)).collect();
        let mut known = format!("page: {}\n", one_line(self.subject.url, LONGEST_NAME));
        for (_, field) in &asked {
            let _ = writeln!(known, "{}", self.before(field, detail));
        }
        let certain = self.subject.certain.iter().take(MOST_CERTAIN);
        let certain: Vec<String> =
            certain.map(|(name, place)| format!("{name}: {}", one_line(place, LONGEST_NAME * 2 / 3))).collect();
        if !certain.is_empty() {
            let _ = writeln!(known, "certain already: {}", certain.join("; "));
        }
        let values = json!({
            "source": self.subject.source,
            "fields": described,
            "known": known.trim_end(),
            "candidates": self.candidates(fields, detail),
            "lines": self.around(fields, &[], detail),
        });
        let filled = fill(FIRST.0, FIRST.1, values).map_err(|error| error.to_string())?;
        let rules = fill(SYSTEM.0, SYSTEM.1, json!({ "is_neutral": self.subject.is_neutral }));
        let rules = rules.map_err(|error| error.to_string())?;
        Ok(vec![Message::system(rules.trim_end()), Message::user(filled.trim_end())])
    }

    pub(super) fn more(&self, fields: &[Choices], detail: Detail) -> Result<Message, String> {
        let names: Vec<String> = fields.iter().map(|choices| format!("`{}`", choices.name)).collect();
        let was_here: Vec<NodeId> = fields.iter().filter_map(|choices| self.was_at(choices)).collect();
        let detail = Detail { lines: detail.lines.min(2), ..detail };
        let values = json!({
            "names": names.join(", "),
            "candidates": self.candidates(fields, detail),
            "lines": self.around(fields, &was_here, detail),
        });
        let filled = fill(MORE.0, MORE.1, values).map_err(|error| error.to_string())?;
        Ok(Message::user(filled.trim_end()))
    }

    /// The place on the page where a field was: the label or the heading before its old place, if it is there still.
    fn was_at(&self, choices: &Choices) -> Option<NodeId> {
        let (old, lines) = self.old.as_ref()?;
        let node = self.old_node(choices.name.as_str())?;
        let label = old.text_before(node).trim_end_matches(':');
        [label, old.text_before(node), lines.heading_before(node)]
            .into_iter()
            .find_map(|text| self.lines.with_text(text))
    }

    fn old_node(&self, name: &str) -> Option<NodeId> {
        let (old, _) = self.old.as_ref()?;
        old.select(self.subject.recipe.field(name)?.select()?).into_iter().next()
    }

    /// The last good values of a field and its old place.
    fn before(&self, field: &Field, detail: Detail) -> String {
        let name = field.name.as_str();
        let mut line = format!("{name}, before: {}", listed(&field.example, detail.text));
        if let Source::Nodes { select, take } = &field.source {
            let _ = write!(line, " at `{}` ({take})", one_line(select.source(), LONGEST_NAME));
        }
        if let (Some((_, lines)), Some(node)) = (&self.old, self.old_node(name)) {
            line.push_str(&surroundings(lines, node));
        }
        line
    }

    fn candidates(&self, fields: &[Choices], detail: Detail) -> String {
        let mut text = String::new();
        for choices in fields {
            let _ = writeln!(text, "{}", choices.name);
            for (number, candidate) in (choices.first..).zip(&choices.candidates) {
                let _ = writeln!(text, "[{number}] {}", self.candidate(candidate, detail));
            }
        }
        text.truncate(text.trim_end().len());
        text
    }

    fn candidate(&self, candidate: &Candidate, detail: Detail) -> String {
        let (page, answer) = (self.subject.page, &candidate.answer);
        let Some(node) = candidate.nodes.first().copied() else { return String::new() };
        let attribute = match &answer.take {
            Take::Node(NodeTake::Attribute(name)) => Some(name.as_str()),
            _ => None,
        };
        let select = answer.select.as_ref().map_or("", |select| select.source());
        let mut text = format!("`{}` {}", one_line(select, LONGEST_NAME), listed(&answer.values, detail.text));
        let _ = write!(text, "\n  {}", opening_tag(page, node, attribute, detail.attributes));
        if let Some(parent) = page.parent(node) {
            let _ = write!(text, " in {}", opening_tag(page, parent, None, detail.attributes / 2));
        }
        text.push_str(&surroundings(&self.lines, node));
        if !answer.evidence.is_empty() && !self.subject.is_neutral {
            let _ = write!(text, "; {}", answer.evidence.join(", "));
        }
        text
    }

    /// The lines around all candidates, and around other places.
    fn around(&self, fields: &[Choices], others: &[NodeId], detail: Detail) -> String {
        let mut marks: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
        let mut places = others.to_vec();
        for choices in fields {
            for (number, candidate) in (choices.first..).zip(&choices.candidates) {
                for node in candidate.nodes.iter().filter(|node| !self.subject.page.is_skipped(**node)).take(1) {
                    marks.entry(*node).or_default().push(number);
                    places.push(*node);
                }
            }
        }
        let text = self.lines.around(&places, &marks, detail.lines, detail.line);
        text.trim_end().to_owned()
    }
}

/// The text before an element, and the heading above it.
fn surroundings(lines: &Lines<'_>, node: NodeId) -> String {
    let mut text = String::new();
    for (place, found) in [("after", lines.label_before(node)), ("under", lines.heading_before(node))] {
        if !found.is_empty() {
            let _ = write!(text, "; {place} {}", quoted(found, 40));
        }
    }
    text
}

/// A field in the list of what is to be found.
fn described(choices: &Choices, field: &Field) -> serde_json::Value {
    json!({
        "name": field.name.as_str(),
        "form": if field.many { "a list" } else { "one value" },
        "kind": field.value_type().name(),
        "need": if field.required { "required" } else { "optional" },
        "first": choices.first,
        "last": choices.first + choices.candidates.len() - 1,
    })
}
