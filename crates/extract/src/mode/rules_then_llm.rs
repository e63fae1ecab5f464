//! Rules first, and a language model for the fields that rules do not find or are not sure of.

use autoheal_page::Document;
use url::Url;

use super::llm_dynamic_adaptive::{Progress, complete};
use super::model::candidate::Candidate;
use super::model::reading::Reading;
use super::model::{Asking, prompt};
use super::rule_based::{partly_in, rule_based_in};
use crate::extraction::{ExtractError, Extraction, no_model};
use crate::form::Form;

/// Values that rules found on a page.
#[derive(Debug, Clone)]
pub struct ByRules(Candidate);

impl ByRules {
    /// Reads a page by rules, as far as they go. `url` is the page's URL.
    pub fn of(page: &Document, url: Option<&Url>, form: &Form) -> Self {
        let (fields, provenance) = partly_in(page, url, form);
        Self(Candidate { fields, provenance, ..Candidate::default() })
    }
}

/// Completes what rules found on a page with a model, by a request for the open fields only. Sure values of rules are kept;
/// without open fields there is no request.
///
/// # Errors
///
/// [`ExtractError`].
pub async fn rules_then_llm(
    found: ByRules,
    reading: &Reading,
    asking: &Asking<'_>,
) -> Result<Extraction, ExtractError> {
    let mut progress = Progress::new(reading, asking);
    progress.begin(found.0);
    complete(progress, vec![prompt::system()?]).await
}

/// Extracts the content of a page by rules alone, where no model is set, and says so.
///
/// # Errors
///
/// [`ExtractError`].
pub fn rules_alone(page: &Document, url: Option<&Url>, form: &Form) -> Result<Extraction, ExtractError> {
    let mut extraction = rule_based_in(page, url, form)?;
    extraction.cut_short = Some(no_model());
    Ok(extraction)
}
