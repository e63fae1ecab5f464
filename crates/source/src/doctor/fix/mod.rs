//! A proposal for each type of failure. A new way to heal is a file here and a line in [`run`].

mod labelled;
mod list;
mod model;
mod moved_page;
mod patience;
mod place;
mod proposal;
mod relocation;
mod rendering;
mod scouted;
mod sibling;

pub use list::relocate_list;

use autoheal_engine::source::{Snapshot, SnapshotRole};
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_page::Document;
use autoheal_page::recipe::Recipe;
use url::Url;

use self::relocation::{Layout, Optional};
use super::state::{DoctorState, Proposal};
use crate::definition::Definition;
use crate::failure::ErrorType;
use crate::loaded::Loaded;
use crate::services::{SourceServices, store_error};

/// Maximum number of failing pages to examine.
const MOST_FAILING: u32 = 12;

/// Result of one way to heal: a change, or the reason it found none.
type Thought = Result<Change, String>;

/// A change that is not in staging yet.
struct Change {
    description: String,
    recipe: Recipe,
    definition: Definition,
    evidence: Vec<String>,
    try_at: Option<Url>,
    /// Reason a reviewer must decide about the change, whatever the policy is.
    needs_person: Option<String>,
    /// Names of optional fields that the page has no longer; their rules are kept.
    absent: Vec<String>,
}

impl Change {
    /// A change of nothing yet, which is tried at the page that failed.
    fn of(loaded: &Loaded, description: impl Into<String>) -> Self {
        Self {
            description: description.into(),
            recipe: loaded.recipe.clone(),
            definition: loaded.definition.clone(),
            evidence: Vec::new(),
            try_at: Some(loaded.page.clone()),
            needs_person: None,
            absent: Vec::new(),
        }
    }
}

pub(super) async fn run(
    state: &mut DoctorState,
    loaded: &Loaded,
    services: &SourceServices,
    context: &StepContext,
) -> Result<(), StepError> {
    let Some(failure) = state.failure.clone() else { return Ok(()) };
    let thought = match failure.error_type {
        ErrorType::ParseError | ErrorType::SchemaMismatch => {
            let failing = failing_pages(loaded, services).await?;
            match failing.iter().find(|page| page.url == loaded.page.as_str()) {
                Some(page) => new_rules(loaded, services, page, context).await?,
                None => Err("the page that failed is not stored".to_owned()),
            }
        }
        ErrorType::HttpError if failure.needs_scripts() => rendering::propose(loaded),
        ErrorType::HttpError => moved_page::propose(services, loaded, &failure, context).await?,
        ErrorType::Timeout => patience::wait_longer(loaded, context.now()),
        ErrorType::RateLimit => Ok(patience::come_less_often(loaded, &failure)),
    };
    // A site that asks for fewer requests gets fewer, even after a rejection.
    let thought = match failure.error_type {
        ErrorType::RateLimit => thought,
        _ => thought.and_then(|change| not_refused(change, loaded, context)),
    };
    match thought {
        Ok(change) => {
            context.note("proposal", change.description.clone());
            state.proposal = Some(Proposal {
                description: change.description,
                recipe: change.recipe,
                definition: change.definition,
                evidence: change.evidence,
                try_at: change.try_at,
                needs_person: change.needs_person,
                absent: change.absent,
                version: loaded.next_version(),
                replaces: loaded.in_force.version,
            });
        }
        Err(reason) => {
            context.note("no proposal", reason.clone());
            state.reasons.push(reason);
        }
    }
    Ok(())
}

/// Rules for a page with another layout: those that helped elsewhere, those by the known items of a list, those that resemblance finds,
/// those that a model names.
async fn new_rules(
    loaded: &Loaded,
    services: &SourceServices,
    page: &Snapshot,
    context: &StepContext,
) -> Result<Thought, StepError> {
    if let Some(change) = sibling::propose(services, loaded, page, context.now()).await? {
        return Ok(Ok(change));
    }
    // Reason against a list whose items are known: other ways by rules could only find something else.
    let listed = match loaded.recipe.items().map(|_| list::propose(loaded, page)) {
        Some(Ok(change)) => match not_refused(change, loaded, context) {
            Ok(change) => return Ok(Ok(change)),
            Err(reason) => Some(reason),
        },
        Some(Err(list::Miss::Gone(reason))) => Some(reason),
        Some(Err(list::Miss::Unknown(reason))) => {
            context.note("items", reason);
            None
        }
        None => None,
    };
    let layout = match Layout::of(services, loaded, Document::parse_bytes(&page.content), Url::parse(&page.url).ok()) {
        Ok(layout) => layout,
        Err(reason) => return Ok(Err(listed.unwrap_or(reason))),
    };
    let (reason, without_unsure) = match listed {
        Some(reason) => (reason.clone(), Err(reason)),
        None => match relocated(loaded, &layout, Optional::Gone, context) {
            Ok(change) => return Ok(Ok(change)),
            Err(reason) => (reason, relocated(loaded, &layout, Optional::MayBeUnsure, context)),
        },
    };
    let Some(models) = &services.models else { return Ok(without_unsure) };
    context.note("no proposal by rules", reason);
    let answered = model::propose(
        model::Asking {
            models,
            limits: &services.prompt_limits,
            relocator: &services.relocator,
            confirms: services.model_confirms,
            context,
        },
        loaded,
        layout,
    )
    .await;
    Ok(answered.or_else(|fault| without_unsure.map_err(|reason| format!("{reason}; {fault}"))))
}

/// Rules where resemblance finds the fields.
fn relocated(loaded: &Loaded, layout: &Layout, optional: Optional, context: &StepContext) -> Thought {
    relocation::propose(loaded, layout, optional).and_then(|change| not_refused(change, loaded, context))
}

/// Rejects a change that a user rejected, or that did not pass a short while ago.
fn not_refused(change: Change, loaded: &Loaded, context: &StepContext) -> Thought {
    if loaded.is_refused(&change.recipe, &change.definition, context.now()) {
        Err(format!(
            "the fix that comes to mind was rejected, or did not pass, before; `autoheal source history {}` shows it, and \
             `autoheal source reconsider` allows it again",
            loaded.row.source
        ))
    } else {
        Ok(change)
    }
}

/// The pages that failed since the recipe worked last, the newest first.
pub(super) async fn failing_pages(loaded: &Loaded, services: &SourceServices) -> Result<Vec<Snapshot>, StepError> {
    let pages = services
        .store
        .snapshots(&loaded.row.source, SnapshotRole::Failing, None, MOST_FAILING)
        .await
        .map_err(|error| store_error(&error))?;
    let worked_at = loaded.row.health.last_success_at;
    Ok(pages.into_iter().filter(|page| worked_at.is_none_or(|at| page.taken_at > at)).collect())
}
