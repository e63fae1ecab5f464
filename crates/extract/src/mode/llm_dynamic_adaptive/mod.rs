//! Extraction with a first request and further ones for missing fields (specification `extraction-agents.md`,
//! "LLM-dynamic-adaptive").
//!
//! After each response:
//! - A valid and complete result is explored once more with the same prompt (the discovery retry).
//! - If a response brought no new field and filled no missing one, the best valid result is returned.
//! - Otherwise the model receives a prompt with the values found and the fields missing, at most
//!   [`ModelSettings::schema_retries`](super::model::ModelSettings) times.

mod progress;

use autoheal_llm::{ChatAnswer, ChatError, Message};

use self::progress::{Progress, Question, Step};
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
    let mut messages = vec![system.clone(), prompt::dynamic(reading, asking)?];
    let mut purpose = prompt::DYNAMIC.0;
    let mut question = Question::Discovery;
    let mut is_discovered = false;
    let mut retries = 0;
    loop {
        let answer = match asking.ask(purpose, messages.clone(), asking.is_enforced()).await {
            Ok(answer) => answer,
            Err(error) => return after_failure(progress, error),
        };
        let step = progress.take(&answer, question);
        if progress.is_valid_and_complete() && !is_discovered {
            // Optional fields may be found by the same question: no prompt changes.
            is_discovered = true;
            question = Question::Discovery;
            continue;
        }
        if should_exit_early(step, &progress) {
            return progress.best_valid();
        }
        if retries == asking.settings.schema_retries {
            return progress.fallback();
        }
        retries += 1;
        let retry = progress.retry_prompt()?;
        messages = vec![system.clone(), said(&answer), retry];
        purpose = prompt::RETRY.0;
        question = Question::Retry;
    }
}

/// Nothing new, and nothing filled that was missing: asking again would bring the same.
fn should_exit_early(step: Step, progress: &Progress<'_>) -> bool {
    !step.has_new_fields && !step.has_filled_missing && progress.has_valid()
}

/// Returns the best valid result from before the model failed, or else the error.
fn after_failure(progress: Progress<'_>, error: ChatError) -> Result<Extraction, ExtractError> {
    if !progress.has_valid() {
        return Err(error.into());
    }
    let mut extraction = progress.best_valid()?;
    extraction.cut_short = Some(error);
    Ok(extraction)
}

/// Returns the model's answer as a message for the rest of the conversation. An answer without text becomes
/// `{}`, because providers reject empty messages.
fn said(answer: &ChatAnswer) -> Message {
    let text = if answer.text.trim().is_empty() { "{}" } else { answer.text.as_str() };
    Message::assistant(text)
}
