//! Extraction with a first request and further ones for open fields (specification `extraction-agents.md`,
//! "LLM-dynamic-adaptive").
//!
//! After each response:
//! - Fields that are missing, invalid or not on the page are open. If none of them matters, the best valid result is returned.
//! - The model receives a prompt with the values found, and answers with the open fields only. A field that it does not
//!   find is not open again.
//! - If a response brought no new field and filled no missing one, or the next question would be an earlier one, the best
//!   valid result is returned.
//! - This is repeated at most [`ModelSettings::schema_retries`](super::model::ModelSettings) times.

mod progress;

use autoheal_llm::{ChatAnswer, ChatError, Message};

pub(crate) use self::progress::Progress;
use self::progress::Step;
use super::model::reading::Reading;
use super::model::{Asking, prompt};
use crate::extraction::{ExtractError, Extraction};

/// Extracts the content of a page with a model, and asks again for what is missing. Makes at most
/// `schema_retries` + 2 requests.
///
/// # Errors
///
/// [`ExtractError`], if neither a single answer nor all answers together gave a valid result.
pub async fn llm_dynamic_adaptive(reading: &Reading, asking: &Asking<'_>) -> Result<Extraction, ExtractError> {
    let system = prompt::system()?;
    let mut progress = Progress::new(reading, asking);
    let messages = vec![system.clone(), prompt::dynamic(reading, asking)?];
    let question = asking.question(messages, asking.enforced().as_deref());
    let answer = asking.ask(prompt::DYNAMIC.0, &question).await?;
    progress.take(&answer, None);
    complete(progress, vec![system, said(&answer)]).await
}

/// Asks for the open fields. `before` is the conversation so far.
pub(crate) async fn complete(mut progress: Progress<'_>, mut before: Vec<Message>) -> Result<Extraction, ExtractError> {
    let mut asked = Vec::new();
    for _ in 0..=progress.asking.settings.schema_retries {
        let open = progress.open();
        if open.is_empty() {
            break;
        }
        let mut messages = before.clone();
        messages.push(progress.question_for(&open)?);
        let question = progress.asking.question(messages, Some(&open));
        if asked.contains(&question) {
            break;
        }
        let answer = match progress.asking.ask(prompt::RETRY.0, &question).await {
            Ok(answer) => answer,
            Err(error) => return after_failure(progress, error),
        };
        asked.push(question);
        let step = progress.take(&answer, Some(&open));
        if should_exit_early(step, &progress) {
            break;
        }
        before.truncate(1);
        before.push(said(&answer));
    }
    progress.result()
}

/// Nothing new, and nothing filled that was missing: asking again would bring the same.
fn should_exit_early(step: Step, progress: &Progress<'_>) -> bool {
    !step.has_new_fields && !step.has_filled_missing && progress.has_valid()
}

/// Returns what was found before the model failed, or else the error.
fn after_failure(progress: Progress<'_>, error: ChatError) -> Result<Extraction, ExtractError> {
    if progress.is_empty() {
        return Err(error.into());
    }
    let mut extraction = progress.result()?;
    extraction.cut_short = Some(error);
    Ok(extraction)
}

/// Returns the model's answer as a message for the rest of the conversation. An answer without text becomes
/// `{}`, because providers reject empty messages.
fn said(answer: &ChatAnswer) -> Message {
    let text = if answer.text.trim().is_empty() { "{}" } else { answer.text.as_str() };
    Message::assistant(text)
}
