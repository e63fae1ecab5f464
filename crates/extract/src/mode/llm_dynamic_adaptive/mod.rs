//! A question, and others for what is missing (specification `extraction-agents.md`, "LLM-dynamic-adaptive").
//!
//! After each answer: a valid and complete result is explored once more with the same question (the discovery retry); when an answer
//! brought nothing new and filled nothing that was missing, the best valid result is given; otherwise the model is asked again with
//! what was found and what is missing, [`ModelSettings::schema_retries`](super::model::ModelSettings) times at most.

mod progress;

use autoheal_llm::{ChatAnswer, ChatError, Message};

use self::progress::{Progress, Question, Step};
use super::model::reading::Reading;
use super::model::{Asking, prompt};
use crate::extraction::{ExtractError, Extraction};

/// What a model finds on a page when it is asked again for what is missing. Asks at most twice and `schema_retries` times more.
///
/// # Errors
///
/// [`ExtractError`], when no answer, and not all of them together, came to something valid.
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

/// What was found before no model answered any more is not lost.
fn after_failure(progress: Progress<'_>, error: ChatError) -> Result<Extraction, ExtractError> {
    if !progress.has_valid() {
        return Err(error.into());
    }
    let mut extraction = progress.best_valid()?;
    extraction.cut_short = Some(error);
    Ok(extraction)
}

/// What the model said, for the conversation that goes on; providers refuse turns without a text.
fn said(answer: &ChatAnswer) -> Message {
    let text = if answer.text.trim().is_empty() { "{}" } else { answer.text.as_str() };
    Message::assistant(text)
}
