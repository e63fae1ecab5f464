//! One question, and the model chooses the fields (specification `extraction-agents.md`, "LLM-dynamic").

use super::model::candidate::Candidate;
use super::model::filled::filled;
use super::model::reading::Reading;
use super::model::{Asking, prompt};
use crate::extraction::{ExtractError, Extraction};

/// Extracts the fields that a model considers relevant on a page. If the form is the user's own, the model
/// answers in that form.
///
/// # Errors
///
/// [`ExtractError`]: the specification's `None`, with the reason.
pub async fn llm_dynamic(reading: &Reading, asking: &Asking<'_>) -> Result<Extraction, ExtractError> {
    let messages = vec![prompt::system()?, prompt::dynamic(reading, asking)?];
    let question = asking.question(messages, asking.enforced().as_deref());
    let answer = asking.ask(prompt::DYNAMIC.0, &question).await?;
    let candidate = Candidate::read(&answer, reading, asking)?;
    tracing::debug!(score = candidate.score(asking.form), "an answer was scored");
    filled(candidate, reading, asking.form)
}
