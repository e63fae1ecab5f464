//! The site is slow, or asks to come less often.

use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::breaker::Breaker;
use autoheal_engine::source::Stage;
use autoheal_store::RecipeRow;

use super::{Change, Thought};
use crate::failure::Failure;
use crate::loaded::{Loaded, recipe_of};

/// Wait for a page that is assumed when the recipe names none, and the longest wait that recipes allow.
const FIRST_WAIT: Duration = Duration::from_mins(1);
const LONGEST_WAIT: Duration = Duration::from_mins(5);

/// Twice the time for the page to answer, also of the time that did not suffice a short while ago.
pub(super) fn wait_longer(loaded: &Loaded, now: Timestamp) -> Thought {
    let mut request = loaded.recipe.request().clone();
    let is_recent = |row: &&RecipeRow| now.since(row.created_at) < Breaker::default().window;
    // A page that did not come in time leaves its fix in staging: it could not be tried.
    let is_in_vain = |row: &&RecipeRow| matches!(row.stage, Stage::Failed | Stage::Staging);
    let in_vain = loaded.versions.iter().filter(is_in_vain).filter(is_recent);
    let tried = in_vain.filter_map(|row| recipe_of(row).ok()?.request().wait).max();
    let wait = request.wait.max(tried).map_or(FIRST_WAIT * 2, |wait| wait * 2).min(LONGEST_WAIT);
    if request.wait.is_some_and(|before| wait <= before) {
        return Err(format!("the page takes longer than {} s, the most that is waited", LONGEST_WAIT.as_secs()));
    }
    request.wait = Some(wait);
    Ok(Change {
        recipe: loaded.recipe.clone().with_request(request),
        ..Change::of(loaded, format!("wait up to {} s for the page", wait.as_secs_f64()))
    })
}

/// Twice the pause before a request, and half as many runs. The recipe stays as it is: good runs take both back.
pub(super) fn come_less_often(loaded: &Loaded, failure: &Failure) -> Change {
    let definition = loaded.definition.slowed_down();
    let pause = format!("pause {} s before a request", definition.pause().as_secs());
    let description = match definition.schedule {
        None => format!("{pause}, and run every {} s for now", definition.interval().as_secs()),
        Some(_) => pause,
    };
    Change {
        definition,
        evidence: failure.retry_after.map(|seconds| format!("the site asks to wait {seconds} s")).into_iter().collect(),
        // Asking again now is what the site complains about: the next run tells.
        try_at: None,
        ..Change::of(loaded, description)
    }
}
