//! Tries a staged fix: on every stored page of the new layout, and on the live one.

use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_page::Document;
use autoheal_page::apply::Extraction;
use autoheal_page::recipe::Recipe;

use super::fix::failing_pages;
use super::state::{DoctorState, Proposal};
use crate::loaded::Loaded;
use crate::services::SourceServices;
use crate::validation::{Validation, validate};

pub(super) async fn run(
    state: &mut DoctorState,
    loaded: &Loaded,
    services: &SourceServices,
    context: &StepContext,
) -> Result<(), StepError> {
    let Some(proposal) = &state.proposal else { return Ok(()) };
    let mut verdicts = Vec::new();
    let is_about_the_recipe = state.failure.as_ref().is_some_and(|failure| failure.error_type.is_about_the_recipe());
    let pages = if is_about_the_recipe { failing_pages(loaded, services).await? } else { Vec::new() };
    for snapshot in pages {
        let extraction =
            proposal.recipe.apply(&Document::parse_bytes(&snapshot.content), Some(&proposal.definition.url));
        if is_of_this_layout(&proposal.recipe, &extraction) {
            verdicts.push(validate(&proposal.recipe, &extraction, &loaded.history));
        }
    }
    if proposal.try_live {
        match live(proposal, services).await? {
            Ok(extraction) => verdicts.push(validate(&proposal.recipe, &extraction, &loaded.history)),
            Err(reason) => verdicts.push(refused(&reason)),
        }
    }
    let verdict = worst(verdicts).unwrap_or(Validation {
        passed: true,
        errors: Vec::new(),
        score: 1.0,
        critical: false,
        error_type: None,
    });
    let outcome = if verdict.passed { "passed".to_owned() } else { verdict.errors.join("; ") };
    context.note("validation", format!("score {:.2}: {outcome}", verdict.score));
    state.validation = Some(verdict);
    Ok(())
}

async fn live(proposal: &Proposal, services: &SourceServices) -> Result<Result<Extraction, String>, StepError> {
    let answer = services.page(&proposal.definition.url, proposal.recipe.request()).await?;
    Ok(match answer {
        Ok(page) => Ok(proposal.recipe.apply(&page.document(), Some(&page.url))),
        Err(failure) => Err(failure.message),
    })
}

/// A page that gives none of the required fields has another layout, or is no page at all.
fn is_of_this_layout(recipe: &Recipe, extraction: &Extraction) -> bool {
    let required = recipe.fields().iter().filter(|field| field.required).map(|field| field.name.as_str());
    required.into_iter().any(|name| {
        extraction.records.iter().filter_map(|record| record.field(name)).any(|outcome| !outcome.values.is_empty())
    })
}

fn refused(reason: &str) -> Validation {
    Validation {
        passed: false,
        errors: vec![format!("No data returned: {reason}")],
        score: 0.0,
        critical: true,
        error_type: None,
    }
}

/// A fix is as good as it is on the page where it does worst.
fn worst(verdicts: Vec<Validation>) -> Option<Validation> {
    verdicts.into_iter().min_by(|one, other| {
        (one.passed, one.score).partial_cmp(&(other.passed, other.score)).unwrap_or(std::cmp::Ordering::Equal)
    })
}
