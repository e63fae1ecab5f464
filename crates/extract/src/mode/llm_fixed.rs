//! A single request for the predefined form. It is not repeated for missing fields; the session retries temporary failures.

use super::model::candidate::Candidate;
use super::model::filled::filled;
use super::model::reading::Reading;
use super::model::{Asking, prompt};
use crate::extraction::{ExtractError, Extraction};

/// Extracts the content of a page with a model, in the requested form. Fields that the model omits, or that
/// are null, are absent.
///
/// # Errors
///
/// [`ExtractError`].
pub async fn llm_fixed(reading: &Reading, asking: &Asking<'_>) -> Result<Extraction, ExtractError> {
    let names = asking.form.asked_on(reading.asked_type());
    let messages = vec![prompt::system()?, prompt::fixed(reading, asking, &names)?];
    let answer = asking.ask(prompt::FIXED.0, &asking.question(messages, Some(&names))).await?;
    let candidate = Candidate::read(&answer, reading, asking)?;
    filled(candidate, reading, asking.form)
}
