//! Common parts of the modes that query a language model.
//!
//! - [`reading`]: the content of the page for prompts and checks; `stated`: its statements; `prompt`: the prompts
//! - `candidate`: from a response to fields: names, placeholders (`placeholder`), types (`convert`, `salary`),
//!   and presence on the page (`grounding`)
//! - `filled`: from fields to a valid item, or the reason for its absence

pub(crate) mod candidate;
pub(crate) mod filled;
mod grounding;
mod placeholder;
pub(crate) mod prompt;
pub(crate) mod reading;
mod stated;

use autoheal_llm::structured::loose;
use autoheal_llm::{ChatAnswer, ChatError, ChatRequest, Message, Session, TokenUsage};

use crate::form::{Form, Owner};
use crate::item::PageType;

/// Handling of values that a model gives and the page does not contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// The value is kept and marked as not found.
    #[default]
    Mark,
    /// The value is left out.
    Drop,
}

/// Settings of the requests to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSettings {
    /// Maximum number of repetitions of the question for open fields, in `llm_dynamic_adaptive` and `rules_then_llm` (the
    /// specification's `LLM_SCHEMA_RETRIES`). The first question and the first one for open fields are additional.
    pub schema_retries: u32,
    /// Maximum length of the page's text in a prompt, in characters.
    pub page_characters: usize,
    /// Maximum length of the page's statements about itself in a prompt, in characters. The limit also
    /// applies to the earlier results and to their faults.
    pub stated_characters: usize,
    /// The longest answer, in tokens.
    pub answer_tokens: u32,
    /// Handling of values that are not on the page.
    pub strictness: Strictness,
}

impl Default for ModelSettings {
    /// Two retries; 12,000 characters of text and 4,000 of statements; 4,096 tokens; values that are not on the page are marked.
    fn default() -> Self {
        Self {
            schema_retries: 2,
            page_characters: 12_000,
            stated_characters: 4000,
            answer_tokens: 4096,
            strictness: Strictness::default(),
        }
    }
}

/// Session, form and settings of a request to a model.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// The run's account with its models.
    pub session: &'a Session,
    /// The form to fill.
    pub form: &'a Form,
    /// Settings of the requests.
    pub settings: &'a ModelSettings,
}

impl Asking<'_> {
    /// Returns the question with these messages, to be answered in a form with these fields; `None`: the model chooses the fields.
    pub(crate) fn question(&self, messages: Vec<Message>, names: Option<&[String]>) -> ChatRequest {
        let mut request = ChatRequest::new(messages);
        request.max_tokens = self.settings.answer_tokens;
        let name = match self.form.owner {
            Owner::Item => "scraped_item",
            Owner::User => "item",
        };
        match names {
            Some(names) => request.in_form(name, self.form.schema_of(names)),
            None => request,
        }
    }

    /// Asks once; transport is tried again by the session. `purpose` is the name of the prompt. An answer to the same question
    /// about the same page is used again, unless it is of no use.
    pub(crate) async fn ask(&self, purpose: &str, question: &ChatRequest) -> Result<ChatAnswer, ChatError> {
        let answer = self.session.ask_unless_answered(purpose, question).await?;
        let is_kept = answer.usage == TokenUsage::default();
        if is_kept && loose(&answer).is_err() { self.session.ask(purpose, question).await } else { Ok(answer) }
    }

    /// Returns the fields that a model that chooses among them must answer with: those of a form that the user supplied.
    pub(crate) fn enforced(&self) -> Option<Vec<String>> {
        (self.form.owner == Owner::User).then(|| self.form.asked_on(PageType::Generic))
    }
}
