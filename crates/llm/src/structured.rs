//! Conversion of an answer into data that matches a schema, or the reason it does not.

use serde_json::Value;

use crate::json::find_json;
use crate::message::{ChatAnswer, Finish};

/// Reason an answer cannot be used. Another request may help; guessing does not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerFault {
    /// The model refused to answer.
    #[error("the model refused: {0}")]
    Refused(String),
    /// The answer is empty.
    #[error("the model said nothing")]
    Empty,
    /// The answer contains no JSON.
    #[error("the answer holds no JSON")]
    NotJson,
    /// The answer does not match the schema.
    #[error("the answer has not the form that was asked for: {}", .0.join("; "))]
    WrongForm(Vec<String>),
}

/// Maximum number of schema violations that are reported.
const MOST_FAULTS: usize = 5;

/// Returns the answer as data that matches this schema. Optional properties that are null are removed: providers that enforce
/// a schema cannot omit properties.
///
/// # Errors
///
/// [`AnswerFault`]. Nothing matches an invalid schema.
pub fn structured(answer: &ChatAnswer, schema: &Value) -> Result<Value, AnswerFault> {
    let mut value = loose(answer)?;
    drop_nulls(&mut value, schema);
    let validator = jsonschema::validator_for(schema)
        .map_err(|error| AnswerFault::WrongForm(vec![format!("the schema: {error}")]))?;
    let told = |error: jsonschema::ValidationError<'_>| {
        let place = error.instance_path().to_string();
        let text: String = error.to_string().chars().take(200).collect();
        if place.is_empty() { text } else { format!("{place}: {text}") }
    };
    let faults: Vec<String> = validator.iter_errors(&value).take(MOST_FAULTS).map(told).collect();
    if faults.is_empty() { Ok(value) } else { Err(AnswerFault::WrongForm(faults)) }
}

/// Returns the answer as data, without checking it against a schema.
///
/// # Errors
///
/// [`AnswerFault`].
pub fn loose(answer: &ChatAnswer) -> Result<Value, AnswerFault> {
    if let Finish::Refused(reason) = &answer.finish {
        return Err(AnswerFault::Refused(reason.clone()));
    }
    if answer.text.trim().is_empty() {
        return Err(AnswerFault::Empty);
    }
    find_json(&answer.text).ok_or(AnswerFault::NotJson)
}

fn drop_nulls(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(object) => {
            let is_required = |name: &str| {
                schema["required"].as_array().is_some_and(|names| names.iter().any(|required| required == name))
            };
            object.retain(|name, value| !value.is_null() || is_required(name));
            for (name, value) in object.iter_mut() {
                drop_nulls(value, &schema["properties"][name]);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| drop_nulls(item, &schema["items"])),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::message::TokenUsage;

    fn answer(text: &str, finish: Finish) -> ChatAnswer {
        ChatAnswer { text: text.to_owned(), finish, usage: TokenUsage::default() }
    }

    #[test]
    fn an_answer_has_the_form_or_says_why_not() {
        let schema = json!({
            "type": "object", "required": ["title"],
            "properties": { "title": { "type": "string" }, "price": { "type": "number" } },
        });
        let of = |text: &str| structured(&answer(text, Finish::Complete), &schema);
        assert_eq!(of(r#"{"title": "A", "price": null}"#), Ok(json!({ "title": "A" })));
        assert!(
            matches!(of(r#"{"title": null}"#), Err(AnswerFault::WrongForm(faults)) if faults[0].starts_with("/title"))
        );
        assert_eq!(of("  "), Err(AnswerFault::Empty));
        assert_eq!(of("no idea"), Err(AnswerFault::NotJson));
        let refused = answer("", Finish::Refused("I would rather not".to_owned()));
        assert_eq!(structured(&refused, &schema), Err(AnswerFault::Refused("I would rather not".to_owned())));
    }
}
