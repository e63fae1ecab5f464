//! A language model's part: asked when rules and search have nothing left, for a plan and then for edits, which go the same way as
//! any other candidate. Its words reach no file, no command and no commit.

mod error_text;
mod fix;
mod plan;
mod prompt;
mod unvarying;

use autoheal_engine::diagnostics::Importers;
use autoheal_engine::workflow::StepContext;
use autoheal_llm::prompt::{PromptError, cut, fenced};
use autoheal_llm::structured::structured;
use autoheal_llm::{ChatError, ChatRequest, Finish, Message, Models, Notice};
use serde_json::Value;

pub(crate) use fix::answers;

/// The name that candidates of a model have where fixers have theirs.
pub(crate) const FIXER: &str = "language_model";
pub(crate) use plan::{is_decided, join_by_file, steps};
pub(crate) use unvarying::Unvarying;

use crate::prompt_limits::PromptLimits;
use crate::state::HealState;

/// Maximum number of responses per request: after an invalid one, the model gets the reason and may respond once more.
const MOST_ANSWERS: usize = 2;

/// Maximum length of a response, in tokens: a repair of many lines contains them twice, and reasoning counts, too.
const MOST_TOKENS: u32 = 8192;

/// Maximum length, in characters, of the reason that a model gets for the rejection of its response.
const LONGEST_REASON: usize = 1000;

/// Models to ask, and the context of their prompts.
#[derive(Clone, Copy)]
pub(crate) struct ModelPlanner<'a> {
    pub(crate) models: &'a Models,
    pub(crate) prompt_context: PromptContext<'a>,
}

/// Properties of the run that its prompts depend on: size limits, the importers that determine which failure is the most urgent.
#[derive(Clone, Copy)]
pub(crate) struct PromptContext<'a> {
    pub(crate) limits: &'a PromptLimits,
    pub(crate) importers: &'a Importers,
    /// Removes from the prompts what differs from run to run.
    pub(crate) unvarying: &'a Unvarying,
}

/// Reason for which there is no advice.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoAdvice {
    /// No further model request is possible.
    #[error("{0}")]
    Ended(ChatError),
    /// The prompt could not be made.
    #[error("{0}")]
    Prompt(#[from] PromptError),
    /// The response is unusable.
    #[error("the model's answer does not work: {0}")]
    Answer(String),
}

/// Converts an error: it concerns only this request, so that another one is worth sending, or ends all
/// requests.
fn no_advice(error: ChatError) -> NoAdvice {
    match error {
        // About this one question, such as one that is too long for the model.
        ChatError::Rejected { .. } | ChatError::Malformed { .. } => NoAdvice::Answer(error.to_string()),
        ChatError::Unavailable { .. }
        | ChatError::RateLimited { .. }
        | ChatError::BrokenOff { .. }
        | ChatError::Cancelled { .. }
        | ChatError::TimedOut { .. }
        | ChatError::Unauthorized { .. }
        | ChatError::Down { .. }
        | ChatError::Exhausted(_)
        | ChatError::NotRecorded { .. }
        | ChatError::Ledger(_) => NoAdvice::Ended(error),
    }
}

impl ModelPlanner<'_> {
    /// Notes the usage of models in the run.
    async fn note_usage(self, state: &mut HealState, context: &StepContext) -> Result<(), NoAdvice> {
        let session = self.models.session(None, None, Some(context.run));
        state.models.usage = session.usage().await.map_err(no_advice)?;
        Ok(())
    }

    /// Requests responses until one has the form of the schema and passes `check`, which returns the reason for a rejection. The usage
    /// is charged to the run.
    async fn ask<T>(
        self,
        state: &HealState,
        purpose: &str,
        prompt: String,
        schema: &Value,
        check: impl Fn(Value) -> Result<T, String>,
        context: &StepContext,
    ) -> Result<T, NoAdvice> {
        let session = self.models.session(Some(state.request.repository.clone()), None, Some(context.run));
        let session = session.telling(Notice::split(context.notes_about("language model"), context.progress_lines()));
        let request = ChatRequest { max_tokens: MOST_TOKENS, ..ChatRequest::new(vec![Message::user(prompt)]) };
        let mut request = request.in_form(purpose, schema.clone());
        let mut fault = String::new();
        for _ in 0..MOST_ANSWERS {
            let answer = session.ask(purpose, &request).await.map_err(no_advice)?;
            let checked = if answer.finish == Finish::Length {
                Err(format!("the answer was cut off at {MOST_TOKENS} tokens; answer with less"))
            } else {
                structured(&answer, schema).map_err(|fault| fault.to_string()).and_then(&check)
            };
            match checked {
                Ok(advice) => return Ok(advice),
                Err(reason) => {
                    let told = fenced(&cut(&reason, LONGEST_REASON), "error message");
                    request.messages.push(Message::assistant(answer.text));
                    let again = format!("That does not work:\n\n{told}\n\nAnswer again, in the same form.");
                    request.messages.push(Message::user(again));
                    fault = reason;
                }
            }
        }
        Err(NoAdvice::Answer(fault))
    }
}
