//! Result of a navigation in readable form.

use std::fmt::Write as _;

use autoheal_engine::counted;
use autoheal_navigate::{NavigationResult, PathStep};

/// Returns the passage, its location, and how it was found.
pub(super) fn text(result: &NavigationResult) -> String {
    let mut text = format!("{}\n\nsource: {}\nin: {}\npath:\n", result.content, result.url, result.breadcrumb);
    for taken in &result.path_taken {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "  {}", step(taken));
    }
    let _ = writeln!(text, "{}", cost(result));
    text
}

/// Returns the reason nothing was found, and the closest page.
pub(super) fn failure(result: &NavigationResult) -> String {
    let mut text = format!("{}\n{}", result.error, cost(result));
    if !result.content.is_empty() {
        let _ = write!(text, "\n\nclosest, which is not an answer: {}\n{}", result.url, result.content);
    }
    text
}

/// A step in one line.
pub(super) fn step(step: &PathStep) -> String {
    format!("{} -> {}", step.action, step.result_hint.replace('\n', " "))
}

fn cost(result: &NavigationResult) -> String {
    format!("{}, {} fetched", counted(result.steps_taken, "step"), counted(result.fetches, "page"))
}
