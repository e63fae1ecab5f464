//! The vehicles, or other subjects, that a goal may mean.

use crate::goal::Goal;
use crate::page_state::PageState;
use crate::words::words;

/// Returns the name of the subject of a page: the part of its breadcrumb up to the last step that names a value of the
/// goal. Empty without such a step.
pub(crate) fn subject(page: &PageState, goal: &Goal) -> String {
    let names_value = |step: &String| {
        let step = words(step);
        goal.context.iter().any(|(_, value)| {
            let value = words(value);
            !value.is_empty() && value.iter().all(|word| step.contains(word))
        })
    };
    let last = page.breadcrumb.iter().rposition(names_value);
    last.map(|last| page.breadcrumb[..=last].join(" > ")).unwrap_or_default()
}
