//! Tries a staged fix: on every stored page of the new layout, on the live one, and on other pages of the source.

use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_page::Document;
use autoheal_page::apply::Extraction;
use autoheal_page::recipe::Recipe;
use url::Url;

use super::fix::failing_pages;
use super::state::{DoctorState, Proposal};
use crate::displaced::intruded;
use crate::facts::PageFacts;
use crate::loaded::Loaded;
use crate::services::SourceServices;
use crate::validation::{Validation, validate, validate_page};

/// Maximum number of other pages of the source to check.
const MOST_OTHERS: usize = 3;

pub(super) async fn run(
    state: &mut DoctorState,
    loaded: &Loaded,
    services: &SourceServices,
    context: &StepContext,
) -> Result<(), StepError> {
    let Some(proposal) = state.proposal.clone() else { return Ok(()) };
    let proposal = &proposal;
    let judged = |page: &Document, extraction: &Extraction| {
        let mut verdict = validate_page(&proposal.recipe, page, extraction, &loaded.history, &proposal.absent);
        if let Some(before) = loaded.good.first() {
            let before = Document::parse_bytes(&before.content);
            verdict.doubt(intruded((&loaded.recipe, &before), (&proposal.recipe, page)).collect());
        }
        verdict
    };
    let mut verdicts = Vec::new();
    let is_about_the_recipe = state.failure.as_ref().is_some_and(|failure| failure.error_type.is_about_the_recipe());
    let pages = if is_about_the_recipe { failing_pages(loaded, services).await? } else { Vec::new() };
    for snapshot in pages {
        let url = Url::parse(&snapshot.url).ok();
        let page = Document::parse_bytes(&snapshot.content);
        let extraction = proposal.recipe.apply(&page, url.as_ref());
        if is_of_this_layout(&proposal.recipe, &extraction) {
            verdicts.push(judged(&page, &extraction));
        }
    }
    if let Some(url) = &proposal.try_at {
        match services.page(url, &loaded.request_of(&proposal.recipe)).await? {
            Ok(page) => {
                let document = page.document();
                let extraction = proposal.recipe.apply(&document, Some(&page.url));
                let verdict = judged(&document, &extraction);
                // A response that is not the page says nothing about the proposal.
                let obstacle = if verdict.passed { None } else { page.obstacle(&document) };
                state.untried |= obstacle.is_some();
                verdicts.push(obstacle.map_or(verdict, |obstacle| refused(&obstacle.message)));
            }
            Err(failure) => {
                state.untried = true;
                verdicts.push(refused(&failure.message));
            }
        }
        let others = proposal.definition.pages().filter(|other| *other != url).take(MOST_OTHERS);
        for other in others {
            verdicts.extend(spoiled(other, proposal, loaded, services).await?);
        }
    }
    let verdict = worst(verdicts).unwrap_or(Validation {
        passed: true,
        errors: Vec::new(),
        faults: Vec::new(),
        score: 1.0,
        critical: false,
        error_type: None,
    });
    let outcome = if verdict.passed { "passed".to_owned() } else { verdict.errors.join("; ") };
    context.note("validation", format!("score {:.2}: {outcome}", verdict.score));
    state.validation = Some(verdict);
    Ok(())
}

/// Returns the validation of another page that works with the active recipe and that the proposal breaks; `None`: it breaks nothing.
/// A site may roll out a new layout to some of its pages first.
async fn spoiled(
    url: &Url,
    proposal: &Proposal,
    loaded: &Loaded,
    services: &SourceServices,
) -> Result<Option<Validation>, StepError> {
    // Other faults of that page are other failures.
    let Ok(answer) = services.page(url, &loaded.request_of(&proposal.recipe)).await? else { return Ok(None) };
    let page = answer.document();
    let extraction = |recipe: &Recipe| recipe.apply(&page, Some(&answer.url));
    let (before, after) = (extraction(&loaded.recipe), extraction(&proposal.recipe));
    if !validate(&loaded.recipe, &before, &[]).passed {
        return Ok(None);
    }
    let verdict = validate(&proposal.recipe, &after, &[]);
    let mut errors = verdict.errors.clone();
    // The values of the active recipe are correct there: another recipe must give the same.
    let (before, after) = (PageFacts::of(&before), PageFacts::of(&after));
    let others = after.texts.iter().filter(|(field, texts)| before.texts.get(*field).is_some_and(|was| was != *texts));
    errors.extend(others.map(|(field, _)| format!("Changed field: {field} is another one")));
    if errors.is_empty() {
        return Ok(None);
    }
    let errors = errors.iter().map(|error| format!("{url} still has the old layout: {error}")).collect();
    Ok(Some(Validation { passed: false, errors, ..verdict }))
}

/// Returns whether the page has the layout: a page with none of the required fields has another layout, or is an error page.
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
        faults: Vec::new(),
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
