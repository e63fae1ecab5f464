//! The prompts, filled. Everything that comes from the page is fenced.

use autoheal_llm::Message;
use autoheal_llm::prompt::{PromptError, fill};
use serde_json::{Value, json};

use super::reading::Reading;
use super::{Asking, stated};
use crate::form::{Importance, Kind, Owner};
use crate::item::PageType;
use crate::mode::rule_based::joined;

/// A prompt: its name, by which its cost is summed, and its template.
pub(crate) type Prompt = (&'static str, &'static str);

/// Maximum length of a field's type in a prompt, in characters. The schema contains everything.
const LONGEST_TYPE: usize = 500;

/// The rules that every question begins with.
const SYSTEM: Prompt = ("extract_system", include_str!("../../../prompts/extract_system.md"));

/// Asks to fill a form.
pub(crate) const FIXED: Prompt = ("extract_fixed", include_str!("../../../prompts/extract_fixed.md"));

/// Asks to choose fields and fill them.
pub(crate) const DYNAMIC: Prompt = ("extract_dynamic", include_str!("../../../prompts/extract_dynamic.md"));

/// Requests the fields that are still open.
pub(crate) const RETRY: Prompt = ("extract_retry", include_str!("../../../prompts/extract_retry.md"));

/// Summary of what was found before, for a further question.
pub(crate) struct SoFar<'a> {
    /// The fields that were found.
    pub(crate) best: &'a Value,
    pub(crate) page_type: PageType,
    /// The fields that the question is about.
    pub(crate) open: &'a [String],
    /// Descriptions of the values that do not fit the form.
    pub(crate) faults: &'a [String],
}

/// Returns the system message with the rules of extraction.
pub(crate) fn system() -> Result<Message, PromptError> {
    fill(SYSTEM.0, SYSTEM.1, json!({})).map(Message::system)
}

/// Returns the request message of `llm_fixed`, for these fields.
pub(crate) fn fixed(reading: &Reading, asking: &Asking<'_>, names: &[String]) -> Result<Message, PromptError> {
    fill(FIXED.0, FIXED.1, of_page(reading, asking, (reading.asked_type(), names))).map(Message::user)
}

/// The first question of the dynamic modes, with context hints: the page's statements, the words of its address, and the important
/// fields of each type of page.
pub(crate) fn dynamic(reading: &Reading, asking: &Asking<'_>) -> Result<Message, PromptError> {
    let page_type = reading.asked_type();
    let important = PageType::ALL.into_iter().map(|page_type| {
        let names = asking.form.names_of(page_type, Importance::Required).collect::<Vec<_>>();
        json!({ "page_type": page_type.name(), "names": names })
    });
    let mut values = of_page(reading, asking, (page_type, &asking.form.asked_on(page_type)));
    values["page_type"] = json!(reading.suggested.map(PageType::name));
    values["is_stated"] = reading.is_type_stated.into();
    values["important"] = important.collect();
    values["segments"] = reading.segments().join("\n").into();
    fill(DYNAMIC.0, DYNAMIC.1, values).map(Message::user)
}

/// The question for open fields. It shows the page again: the first question is not part of its conversation.
pub(crate) fn retry(reading: &Reading, asking: &Asking<'_>, so_far: &SoFar<'_>) -> Result<Message, PromptError> {
    let mut values = of_page(reading, asking, (so_far.page_type, so_far.open));
    values["best"] = serde_json::to_string_pretty(so_far.best).unwrap_or_default().into();
    values["page_type"] = so_far.page_type.name().into();
    values["faults"] = json!(so_far.faults);
    fill(RETRY.0, RETRY.1, values).map(Message::user)
}

/// Returns the values that every prompt contains: the page and the requested fields.
fn of_page(reading: &Reading, asking: &Asking<'_>, (page_type, names): (PageType, &[String])) -> Value {
    let fields = names.iter().filter_map(|name| asking.form.property(name)).map(|property| {
        let is_required = asking.form.importance(page_type, &property.name) == Importance::Required;
        json!({
            "name": property.name,
            "type": shown(&property.kind).chars().take(LONGEST_TYPE).collect::<String>(),
            "description": property.description,
            "is_required": is_required,
        })
    });
    let is_secret = |line: &str| asking.session.redacted(line) != line;
    json!({
        "has_own_form": asking.form.owner == Owner::User,
        "fields": fields.collect::<Vec<_>>(),
        "address": reading.url.as_ref().map(ToString::to_string).unwrap_or_default(),
        "stated": stated::shown(reading, asking.form, &is_secret),
        "page": joined(&reading.lines, asking.settings.page_characters),
        "limits": { "stated": asking.settings.stated_characters },
    })
}

/// A kind in words for a model.
fn shown(kind: &Kind) -> String {
    match kind {
        Kind::Text | Kind::Summary | Kind::Names => "text".to_owned(),
        Kind::Choice(choices) => {
            let choices: Vec<String> = choices.iter().map(ToString::to_string).collect();
            format!("one of {}", choices.join(", "))
        }
        Kind::PageType => {
            format!("one of {}", PageType::ALL.map(|page_type| format!("{:?}", page_type.name())).join(", "))
        }
        Kind::Date => "date, with time where the page says it".to_owned(),
        Kind::Day => "date".to_owned(),
        Kind::Integer => "whole number".to_owned(),
        Kind::Number => "number".to_owned(),
        Kind::Boolean => "true or false".to_owned(),
        Kind::Minutes => "minutes".to_owned(),
        Kind::Money => "object with `amount` and `currency`".to_owned(),
        Kind::Rating => "object with `value`, `best` and `count`".to_owned(),
        Kind::Salary => "object with `minimum`, `maximum`, `currency` and `per`".to_owned(),
        Kind::Address => "address".to_owned(),
        Kind::List(kind) => format!("list of {}", shown(kind)),
        Kind::Object(parts) => {
            let parts: Vec<String> = parts.iter().map(|(name, kind)| format!("`{name}` ({})", shown(kind))).collect();
            format!("object with {}", parts.join(", "))
        }
        Kind::Any => "any value".to_owned(),
    }
}
