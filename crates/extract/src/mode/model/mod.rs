//! What the modes have in common that ask a language model.
//!
//! - [`reading`]: what a model is shown of a page; `prompt`: how it is asked
//! - `candidate`: from an answer to fields: names, placeholders (`placeholder`), types (`convert`, `salary`), and whether it is on the page (`grounding`)
//! - `filled`: from fields to a valid item, or why there is none

pub(crate) mod candidate;
pub(crate) mod convert;
pub(crate) mod filled;
mod grounding;
mod placeholder;
pub(crate) mod prompt;
pub(crate) mod reading;
mod salary;

use autoheal_llm::{ChatAnswer, ChatError, ChatRequest, Message, Session};

use crate::form::{Form, Owner};

/// What happens to what a model says and the page does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// It is marked.
    #[default]
    Mark,
    /// It is left out.
    Drop,
}

/// How models are asked what a page holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSettings {
    /// How often `llm_dynamic_adaptive` asks again for what is missing (the specification's `LLM_SCHEMA_RETRIES`). The first question
    /// and the one discovery retry come on top.
    pub schema_retries: u32,
    /// How much of a page's text a model is shown, in characters.
    pub page_characters: usize,
    /// How much of what a page states about itself, in characters; also of what was found before, and of what is wrong with it.
    pub stated_characters: usize,
    /// The longest answer, in tokens.
    pub answer_tokens: u32,
    /// What happens to what is not on the page.
    pub strictness: Strictness,
}

impl Default for ModelSettings {
    /// Two retries; 12,000 characters of text and 4,000 of what is stated; 4,096 tokens; marked.
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

/// Who is asked, for what, and how.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// The run's account with its models.
    pub session: &'a Session,
    /// What is to be filled.
    pub form: &'a Form,
    /// How they are asked.
    pub settings: &'a ModelSettings,
}

impl Asking<'_> {
    /// Asks once; transport is tried again by the session. `purpose` is the name of the prompt.
    pub(crate) async fn ask(
        &self,
        purpose: &str,
        messages: Vec<Message>,
        is_enforced: bool,
    ) -> Result<ChatAnswer, ChatError> {
        let mut request = ChatRequest::new(messages);
        request.max_tokens = self.settings.answer_tokens;
        if is_enforced {
            let name = match self.form.owner {
                Owner::Item => "scraped_item",
                Owner::User => "item",
            };
            request = request.in_form(name, self.form.asked.clone());
        }
        self.session.ask(purpose, &request).await
    }

    /// Whether a model that chooses the fields must nevertheless answer in a form: in one that somebody brought along.
    pub(crate) fn is_enforced(&self) -> bool {
        self.form.owner == Owner::User
    }
}
