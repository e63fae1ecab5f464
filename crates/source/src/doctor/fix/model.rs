//! Fixes by a language model, for failures that the rules cannot fix. The model responds with selectors, never with code, and its
//! fixes pass through staging and validation like all others.

use std::fmt::Write as _;

use autoheal_engine::{RunId, Timestamp};
use autoheal_llm::prompt::{cut, fenced, fill};
use autoheal_llm::structured::structured;
use autoheal_llm::{ChatError, ChatRequest, Message, Models};
use autoheal_page::diff::Outline;
use autoheal_page::recipe::{Field, Recipe, Source, Take};
use autoheal_page::relocate::Status;
use autoheal_page::{Document, Selector};
use serde::Deserialize;
use serde_json::{Value, json};

use super::proposal::{redefined, without};
use super::relocation::Layout;
use super::{Change, Thought};
use crate::doctor::diagnosis::DiagnosisContext;
use crate::facts::PageFacts;
use crate::loaded::Loaded;
use crate::prompt_limits::PromptLimits;
use crate::validation::validate_page;

/// The name of the prompt, and the prompt.
const PROMPT: (&str, &str) = ("diagnose_source", include_str!("../../../prompts/diagnose_source.md"));

/// Maximum length of the error in a response that is reported to the model, in characters.
const LONGEST_REASON: usize = 1000;

/// Maximum number of responses: a model that gave an invalid one receives the error and may try once more.
const MOST_ANSWERS: usize = 2;

/// Response of a model.
#[derive(Debug, Deserialize)]
struct Answer {
    fields: Vec<AnsweredField>,
    items: Option<String>,
}

#[derive(Debug, Deserialize)]
struct AnsweredField {
    name: String,
    select: Option<String>,
    take: Option<String>,
}

/// Asks for the rules that are not sure. `reason` says why other ways gave none.
pub(super) async fn propose(
    (models, limits): (&Models, &PromptLimits),
    run: RunId,
    loaded: &Loaded,
    known: Option<&DiagnosisContext>,
    // By value: parsed pages may go to another thread, and not be seen from two.
    layout: Layout,
    reason: &str,
) -> Thought {
    let prompt = prompt(limits, loaded, known, layout.page(), reason)?;
    let session = models.session(Some(loaded.row.source.clone()), None, Some(run));
    let mut request = ChatRequest::new(vec![Message::user(prompt)]).in_form("recipe", schema());
    let mut fault = String::new();
    for _ in 0..MOST_ANSWERS {
        let answer = session.ask(PROMPT.0, &request).await.map_err(|error: ChatError| error.to_string())?;
        let proposed = structured(&answer, &schema()).map_err(|fault| fault.to_string());
        let proposed = proposed.and_then(|value| recipe_of(loaded, &layout, value));
        match proposed.and_then(|(recipe, absent)| change(loaded, &layout, recipe, absent)) {
            Ok(change) => return Ok(change),
            Err(reason) => {
                // It may quote the page.
                let told = fenced(&cut(&reason, LONGEST_REASON), "error message");
                request.messages.push(Message::assistant(answer.text));
                request
                    .messages
                    .push(Message::user(format!("That does not work:\n\n{told}\n\nAnswer again, in the same form.")));
                fault = reason;
            }
        }
    }
    Err(format!("the model's answer does not work: {fault}"))
}

/// The prompt (spec `doctor-agent.md`, "The Diagnosis Prompt").
fn prompt(
    limits: &PromptLimits,
    loaded: &Loaded,
    known: Option<&DiagnosisContext>,
    page: &Document,
    reason: &str,
) -> Result<String, String> {
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
    let values = loaded.history.first().map(|facts| json!(facts.texts)).unwrap_or_default();
    // The examples are text of the page, and are among the last values.
    let mut bare = loaded.recipe.fields().to_vec();
    for field in &mut bare {
        field.example.clear();
    }
    let recipe = loaded.recipe.clone().with_fields(bare).map_err(|error| error.to_string())?;
    let values = json!({
        "source_name": loaded.row.source,
        "url": loaded.page,
        "last_success_at": loaded.row.health.last_success_at.map(Timestamp::to_rfc3339),
        "failure_count": loaded.row.health.failure_count,
        "error_type": known.map(|known| known.error_type.name()),
        "error_message": known.map_or("", |known| known.error_message.as_str()),
        "expected_schema": known.map(|known| pretty(&known.expected_schema)).unwrap_or_default(),
        "html_diff": known.map_or("", |known| known.html_diff.as_str()),
        "last_values": pretty(&values),
        "page": Outline::of(page).to_string(),
        "current_recipe": serde_json::to_string_pretty(&recipe).unwrap_or_default(),
        "reason": reason,
        "limits": limits,
    });
    fill(PROMPT.0, PROMPT.1, values).map_err(|error| error.to_string())
}

/// The form of the answer: closed objects, which every provider can enforce.
fn schema() -> Value {
    let field = json!({
        "type": "object", "required": ["name", "select", "take"], "additionalProperties": false,
        "properties": {
            "name": { "type": "string" },
            "select": { "type": ["string", "null"] },
            "take": { "type": ["string", "null"] },
        },
    });
    json!({
        "type": "object", "required": ["fields", "items"], "additionalProperties": false,
        "properties": { "fields": { "type": "array", "items": field }, "items": { "type": ["string", "null"] } },
    })
}

/// Returns the recipe with the selectors of the response, and the names of the fields that the page has no longer. Names, types,
/// transforms and required fields are kept: the model decides where values are, not which. Rules that still hold or were relocated with certainty are kept, too. On a list page, whose items and
/// fields must be found together, the model decides about all the fields that moved.
fn recipe_of(loaded: &Loaded, layout: &Layout, answer: Value) -> Result<(Recipe, Vec<String>), String> {
    let answer: Answer = serde_json::from_value(answer).map_err(|error| error.to_string())?;
    let is_list = loaded.recipe.items().is_some();
    let mut fields = loaded.recipe.fields().to_vec();
    let mut gone = Vec::new();
    for (index, field) in fields.iter_mut().enumerate() {
        let status = layout.status(field);
        if status == Some(Status::Kept) {
            continue;
        }
        if let Some(source) = layout.sure_rule(index).filter(|_| !is_list) {
            field.source = source.clone();
            continue;
        }
        let name = field.name.as_str();
        let answered = answer.fields.iter().find(|answered| answered.name == name);
        let answered = answered.ok_or_else(|| format!("there is nothing about the field `{name}`"))?;
        match &answered.select {
            Some(select) => field.source = source_of(field, select, answered.take.as_deref())?,
            None if !field.required && status == Some(Status::Gone) => gone.push(name.to_owned()),
            None => return Err(format!("the model does not find the field `{name}` either")),
        }
    }
    let recipe = loaded.recipe.clone().with_fields(fields).map_err(|error| error.to_string())?;
    let Some(items) = recipe.items().cloned() else { return Ok((recipe, gone)) };
    let items = match &answer.items {
        Some(select) => Selector::parse(select).map_err(|error| format!("`items`: {error}"))?,
        None => items,
    };
    Ok((recipe.with_items(Some(items)).map_err(|error| error.to_string())?, gone))
}

fn source_of(field: &Field, select: &str, take: Option<&str>) -> Result<Source, String> {
    let name = &field.name;
    let select = Selector::parse(select).map_err(|error| format!("the selector of `{name}`: {error}"))?;
    let take: Take = take.unwrap_or("text").parse().map_err(|error| format!("`take` of `{name}`: {error}"))?;
    match take {
        Take::Node(take) => Ok(Source::Nodes { select, take }),
        Take::Structured(path) => Ok(Source::Structured(path)),
    }
}

/// Returns the change if the rules yield valid values on the failing page, similar to the earlier ones. That shows that a rule fits, not
/// that it is the right one: a reviewer decides unless every value found by the model equals the value that the page had before.
fn change(loaded: &Loaded, layout: &Layout, recipe: Recipe, absent: Vec<String>) -> Result<Change, String> {
    let extraction = recipe.apply(layout.page(), layout.url());
    let verdict = validate_page(&recipe, layout.page(), &extraction, &loaded.history, &absent);
    if !verdict.passed {
        return Err(verdict.errors.join("; "));
    }
    let facts = PageFacts::of(&extraction);
    let by_model =
        |field: &&Field| loaded.recipe.field(field.name.as_str()).is_none_or(|old| old.source != field.source);
    let is_known = |field: &&Field| loaded.last.as_ref().is_some_and(|last| same_values(field, last, &facts));
    let unknown: Vec<&str> = recipe
        .fields()
        .iter()
        .filter(by_model)
        .filter(|field| !is_known(field))
        .map(|field| field.name.as_str())
        .collect();
    let mut description = "find the fields where a language model says they are".to_owned();
    if !absent.is_empty() {
        let _ = write!(description, "; {}", without(&absent));
    }
    let definition = redefined(loaded, &recipe);
    let needs_person = (!unknown.is_empty())
        .then(|| format!("nothing but the model says that {} of the new rules is what it was", unknown.join(", ")));
    Ok(Change {
        recipe,
        definition,
        evidence: vec![
            "rules were not sure; what the model's rules give is on the page and looks as it did before".to_owned(),
        ],
        needs_person,
        absent,
        ..Change::of(loaded, description)
    })
}

/// Returns whether a field has the values that it had, in whatever form they are written.
fn same_values(field: &Field, last: &PageFacts, now: &PageFacts) -> bool {
    let texts = |facts: &PageFacts| facts.texts.get(field.name.as_str()).cloned().unwrap_or_default();
    let typed = |text: &String| field.conversion.apply(text, None).ok();
    let (before, after) = (texts(last), texts(now));
    let same =
        |(one, other): (&String, &String)| one == other || typed(one).is_some_and(|value| Some(value) == typed(other));
    !before.is_empty() && before.len() == after.len() && before.iter().zip(&after).all(same)
}
