//! Markup of components, and what it uses of their scripts.

use super::components::markup;
use super::module::Module;

/// Returns whether an edit of a component stays within its scripts and
/// keeps every name bound that the markup uses.
pub(crate) fn keeps_markup(file: &str, before: &str, after: &str) -> bool {
    let markup = markup(before);
    if markup != self::markup(after) {
        return false;
    }
    let bound = |text: &str| {
        let module = Module::read(file, text);
        module.scopes.first().map(|scope| scope.bindings.keys().cloned().collect::<Vec<String>>()).unwrap_or_default()
    };
    let is_word = |one: char| one.is_alphanumeric() || one == '_';
    let is_used = |name: &String| {
        // Markup may write `OrderList` as `order-list`.
        let spelled: String = name
            .chars()
            .flat_map(|one| one.is_uppercase().then_some('-').into_iter().chain(one.to_lowercase()))
            .collect();
        markup.split(|one| !is_word(one)).any(|word| word == name) || markup.contains(spelled.trim_start_matches('-'))
    };
    let after = bound(after);
    bound(before).iter().all(|name| after.contains(name) || !is_used(name))
}
