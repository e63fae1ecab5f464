//! One question for the predefined form. No retry for its sake; what may pass in transport is tried again by the session.

use super::model::candidate::Candidate;
use super::model::filled::filled;
use super::model::reading::Reading;
use super::model::{Asking, prompt};
use crate::extraction::{ExtractError, Extraction};

/// What a model says that a page holds, in the form that is asked for. Fields that it leaves out, or that are null, are absent.
///
/// # Errors
///
/// [`ExtractError`].
pub async fn llm_fixed(reading: &Reading, asking: &Asking<'_>) -> Result<Extraction, ExtractError> {
    let messages = vec![prompt::system()?, prompt::fixed(reading, asking)?];
    let answer = asking.ask(prompt::FIXED.0, messages, true).await?;
    let candidate = Candidate::read(&answer, reading, asking)?;
    filled(candidate, reading, asking.form)
}
