//! The question to a language model about fields that rules do not find with certainty: which of the numbered candidates of the
//! relocation is the field, or none. An answer can only choose from the list, so a text of the page cannot make it do anything else.
//!
//! # Layout
//!
//! - `written`: the question as a prompt, as detailed as its limits allow
//! - `lines`: the page around the candidates; `text`: texts of the page in one line

mod lines;
mod text;
mod written;

use autoheal_llm::structured::structured;
use autoheal_llm::{ChatAnswer, ChatRequest, Message};
use autoheal_page::recipe::{FieldName, Recipe};
use autoheal_page::relocate::{Candidate, Relocator};
use autoheal_page::{Document, NodeId};
use serde_json::{Map, Value, json};

use self::written::Written;
use crate::prompt_limits::PromptLimits;

/// The answer that asks for more candidates.
const MORE: &str = "more";

/// Maximum number of candidates of a field that are shown in addition when the model asks for more.
const MOST_MORE: usize = 20;

/// Most tokens that a question may have, whatever the settings are.
const MOST_TOKENS: u64 = 6000;

/// A page with fields to find.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// Name of the source.
    pub source: &'a str,
    /// Address of the page.
    pub url: &'a str,
    /// The recipe for the whole page, with the last good values as examples.
    pub recipe: &'a Recipe,
    /// Pages on which the recipe worked, the newest first.
    pub old: &'a [&'a Document],
    /// The page as it is now.
    pub page: &'a Document,
    /// Fields to find.
    pub open: &'a [FieldName],
    /// Fields that are certain, each with its place and value in a few words.
    pub certain: &'a [(FieldName, String)],
    /// True if nothing may show which candidates the relocation prefers, so that an answer that agrees with it confirms it: the
    /// candidates are in the order of the page, without what speaks for them.
    pub is_neutral: bool,
}

/// The candidates of one field, numbered from `first`.
#[derive(Debug, Clone)]
pub struct Choices {
    /// The field.
    pub name: FieldName,
    /// Number of its first candidate.
    pub first: usize,
    /// Its candidates, the most likely first, or in the order of the page.
    pub candidates: Vec<Candidate>,
    /// The candidate that the relocation prefers, if it prefers one and it is not hidden.
    pub preferred: Option<usize>,
}

impl Choices {
    fn number(&self, text: &str) -> Option<&Candidate> {
        self.candidates.get(text.parse::<usize>().ok()?.checked_sub(self.first)?)
    }
}

/// A question, with everything that an answer may choose.
#[derive(Debug, Clone)]
pub struct Question {
    messages: Vec<Message>,
    fields: Vec<Choices>,
    /// Candidates that were shown before, of the fields of a second question.
    earlier: Vec<Choices>,
    may_want_more: bool,
    /// An answer is independent of the relocation.
    is_neutral: bool,
}

/// The choices of an answer.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    /// Fields with their candidates.
    pub chosen: Vec<(FieldName, Candidate)>,
    /// Fields that are on the page no longer.
    pub gone: Vec<FieldName>,
    /// Fields of which more candidates are wanted.
    pub more: Vec<FieldName>,
    /// Chosen fields for which the relocation prefers the same candidate, independently.
    pub agreed: Vec<FieldName>,
}

impl Reply {
    /// The choices with those of an earlier answer about other fields.
    #[must_use]
    pub(crate) fn after(mut self, earlier: &Self) -> Self {
        self.chosen.extend(earlier.chosen.iter().cloned());
        self.gone.extend(earlier.gone.iter().cloned());
        self.agreed.extend(earlier.agreed.iter().cloned());
        self
    }
}

impl Question {
    /// The first question about a page. `None`: no field has a candidate.
    ///
    /// # Errors
    ///
    /// If the prompt has a fault, which tests rule out.
    pub fn first(relocator: &Relocator, subject: &Subject<'_>, limits: &PromptLimits) -> Result<Option<Self>, String> {
        let limits = limits.bounded();
        let found = relocator.candidates(subject.old, subject.recipe, subject.page, subject.open, limits.candidates);
        let preferred = preferences(&found);
        let written = Written::of(subject, limits);
        let mut found = written.shown(found);
        if subject.is_neutral {
            for (_, candidates) in &mut found {
                candidates.sort_by_key(|candidate| candidate.nodes.first().copied());
            }
        }
        // Required fields first: a question that is too long loses its last fields.
        found.sort_by_key(|(name, _)| !subject.recipe.field(name.as_str()).is_some_and(|field| field.required));
        let mut fields = numbered(found, 1);
        for choices in &mut fields {
            let nodes = preferred.iter().find(|(name, _)| *name == choices.name).map(|(_, nodes)| nodes);
            choices.preferred =
                nodes.and_then(|nodes| choices.candidates.iter().position(|candidate| candidate.nodes == *nodes));
        }
        let is_neutral = subject.is_neutral;
        let mut question = Self { messages: Vec::new(), fields, earlier: Vec::new(), may_want_more: true, is_neutral };
        while !question.fields.is_empty() {
            for detail in written.details() {
                question.messages = written.first(&question.fields, detail)?;
                if question.tokens() <= limits.tokens.min(MOST_TOKENS) {
                    return Ok(Some(question));
                }
            }
            if question.tokens() <= MOST_TOKENS {
                return Ok(Some(question));
            }
            question.fields.pop();
        }
        Ok(None)
    }

    /// The second question, about the fields of which more candidates are wanted. `None`: there are no more, or no room for any.
    ///
    /// # Errors
    ///
    /// If the prompt has a fault, which tests rule out.
    pub fn more(
        &self,
        relocator: &Relocator,
        subject: &Subject<'_>,
        limits: &PromptLimits,
        (answer, wanted): (&ChatAnswer, &[FieldName]),
    ) -> Result<Option<Self>, String> {
        let limits = limits.bounded();
        let most = limits.candidates + MOST_MORE;
        let found = relocator.candidates(subject.old, subject.recipe, subject.page, wanted, most);
        let written = Written::of(subject, limits);
        let earlier: Vec<Choices> =
            self.fields.iter().filter(|choices| wanted.contains(&choices.name)).cloned().collect();
        let next = self.fields.iter().map(|choices| choices.first + choices.candidates.len()).max().unwrap_or(1);
        let is_known = |name: &FieldName, candidate: &Candidate| {
            let known = earlier.iter().filter(|choices| choices.name == *name);
            known.flat_map(|choices| &choices.candidates).any(|known| known.nodes == candidate.nodes)
        };
        let found = found.into_iter().map(|(name, mut candidates)| {
            candidates.retain(|candidate| !is_known(&name, candidate));
            (name, candidates)
        });
        let mut fields = numbered(written.shown(found.collect()), next);
        let said = [self.messages.as_slice(), &[Message::assistant(answer.text.clone())]].concat();
        // The candidates of the first question are the likelier ones.
        let (may_want_more, is_neutral) = (false, false);
        let mut question = Self { messages: Vec::new(), fields: Vec::new(), earlier, may_want_more, is_neutral };
        while !fields.is_empty() {
            for detail in written.details() {
                question.messages = [said.clone(), vec![written.more(&fields, detail)?]].concat();
                question.fields.clone_from(&fields);
                if question.tokens() <= MOST_TOKENS {
                    return Ok(Some(question));
                }
            }
            for choices in &mut fields {
                choices.candidates.truncate(choices.candidates.len() * 2 / 3);
            }
            fields.retain(|choices| !choices.candidates.is_empty());
        }
        Ok(None)
    }

    /// The same question after an answer that does not work, for this reason. Nothing but the list can be chosen again.
    #[must_use]
    pub fn refused(&self, answer: &ChatAnswer, told: String) -> Self {
        let mut question = Self { may_want_more: false, is_neutral: false, ..self.clone() };
        question.messages.push(Message::assistant(answer.text.clone()));
        question.messages.push(Message::user(told));
        question
    }

    /// The request with the form of its answer: for each field one of its candidates, null, or `more`.
    pub fn request(&self) -> ChatRequest {
        ChatRequest::new(self.messages.clone()).in_form("choices", self.schema())
    }

    /// Estimated number of tokens of the request.
    pub fn tokens(&self) -> u64 {
        self.request().estimated_tokens()
    }

    /// The fields with their candidates.
    pub fn fields(&self) -> &[Choices] {
        &self.fields
    }

    fn choices_of<'q>(&'q self, name: &'q FieldName) -> impl Iterator<Item = &'q Choices> {
        self.earlier.iter().chain(&self.fields).filter(move |choices| choices.name == *name)
    }

    fn schema(&self) -> Value {
        let mut properties = Map::new();
        for choices in &self.fields {
            let mut allowed: Vec<Value> = Vec::new();
            for choices in self.choices_of(&choices.name) {
                let numbers = choices.first..choices.first + choices.candidates.len();
                allowed.extend(numbers.map(|number| json!(number.to_string())));
            }
            if self.may_want_more {
                allowed.push(json!(MORE));
            }
            allowed.push(Value::Null);
            properties.insert(choices.name.to_string(), json!({ "type": ["string", "null"], "enum": allowed }));
        }
        let names: Vec<&String> = properties.keys().collect();
        json!({ "type": "object", "required": names, "additionalProperties": false, "properties": properties })
    }

    /// Reads an answer.
    ///
    /// # Errors
    ///
    /// If the answer chooses none of the offered candidates, or has another form.
    pub fn read(&self, answer: &ChatAnswer) -> Result<Reply, String> {
        let value = structured(answer, &self.schema()).map_err(|fault| fault.to_string())?;
        let mut reply = Reply::default();
        for choices in &self.fields {
            let name = &choices.name;
            match value.get(name.as_str()).unwrap_or(&Value::Null) {
                Value::String(text) if text == MORE && self.may_want_more => reply.more.push(name.clone()),
                Value::String(text) => {
                    let candidate = self.choices_of(name).find_map(|choices| choices.number(text));
                    let candidate = candidate.ok_or_else(|| format!("`{name}` has no candidate with that number"))?;
                    let preferred = choices.preferred.and_then(|preferred| choices.candidates.get(preferred));
                    if self.is_neutral && preferred == Some(candidate) {
                        reply.agreed.push(name.clone());
                    }
                    reply.chosen.push((name.clone(), candidate.clone()));
                }
                _ => reply.gone.push(name.clone()),
            }
        }
        Ok(reply)
    }
}

/// Candidates with numbers, from `next`, field by field.
fn numbered(found: Vec<(FieldName, Vec<Candidate>)>, mut next: usize) -> Vec<Choices> {
    let mut fields = Vec::new();
    for (name, candidates) in found.into_iter().filter(|(_, candidates)| !candidates.is_empty()) {
        let first = next;
        next += candidates.len();
        fields.push(Choices { name, first, candidates, preferred: None });
    }
    fields
}

/// The elements that the relocation prefers for each field, if it prefers any: its candidates are in its order.
fn preferences(found: &[(FieldName, Vec<Candidate>)]) -> Vec<(FieldName, Vec<NodeId>)> {
    let preferred = found.iter().filter_map(|(name, candidates)| {
        let (first, rest) = candidates.split_first()?;
        let is_preferred = rest.iter().all(|other| other.answer.confidence < first.answer.confidence);
        is_preferred.then(|| (name.clone(), first.nodes.clone()))
    });
    preferred.collect()
}

#[cfg(test)]
mod tests;
