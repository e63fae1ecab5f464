//! A language model is asked where rules could not say: it answers with selectors, never with code, and what it answers goes the same way
//! through staging and validation as any other fix.

use autoheal_engine::Timestamp;
use autoheal_engine::budget::Usage;
use autoheal_engine::source::Snapshot;
use autoheal_llm::structured::structured;
use autoheal_llm::{ChatError, ChatRequest, Message, Models};
use autoheal_page::diff::Outline;
use autoheal_page::recipe::{Field, Recipe, Source, Take};
use autoheal_page::{Document, Selector};
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::{Change, Thought};
use crate::doctor::context::DiagnosisContext;
use crate::loaded::Loaded;
use crate::validation::validate;

/// The name of the prompt, and the prompt.
const PROMPT: (&str, &str) = ("diagnose_source", include_str!("../../../prompts/diagnose_source.md"));

/// How much of each part the prompt holds, in characters. That of the diff is the specification's.
const LIMITS: [(&str, usize); 4] = [("error", 2000), ("values", 3000), ("diff", 2000), ("page", 12_000)];

/// A model that is told what was wrong with its answer may answer once more.
const MOST_ANSWERS: usize = 2;

/// What a model answers.
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

/// Asks for the rules of a page. `reasons` say why other ways gave none.
pub(super) async fn propose(
    models: &Models,
    loaded: &Loaded,
    known: Option<&DiagnosisContext>,
    page: &Snapshot,
    reasons: &[String],
) -> Thought {
    let document = Document::parse_bytes(&page.content);
    let prompt = prompt(loaded, known, &document, reasons)?;
    let session = models.session(Some(loaded.row.source.clone()), None, Usage::default());
    let mut request = ChatRequest::new(vec![Message::user(prompt)]).in_form("recipe", schema());
    let mut fault = String::new();
    for _ in 0..MOST_ANSWERS {
        let answer = session.ask(PROMPT.0, &request).await.map_err(|error: ChatError| error.to_string())?;
        let proposed = structured(&answer, &schema()).map_err(|fault| fault.to_string());
        let proposed = proposed.and_then(|value| recipe_of(loaded, value));
        match proposed.and_then(|recipe| works(loaded, &recipe, &document, &page.url).map(|()| recipe)) {
            Ok(recipe) => return Ok(change(loaded, recipe)),
            Err(reason) => {
                request.messages.push(Message::assistant(answer.text));
                request
                    .messages
                    .push(Message::user(format!("That does not work: {reason}\n\nAnswer again, in the same form.")));
                fault = reason;
            }
        }
    }
    Err(format!("the model's answer does not work: {fault}"))
}

/// The prompt (spec `doctor-agent.md`, "The Diagnosis Prompt").
fn prompt(
    loaded: &Loaded,
    known: Option<&DiagnosisContext>,
    page: &Document,
    reasons: &[String],
) -> Result<String, String> {
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
    let values = loaded.history.first().map(|facts| json!(facts.texts)).unwrap_or_default();
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
        "current_recipe": pretty(&loaded.in_force.recipe),
        "reasons": reasons,
        "limits": LIMITS.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
    });
    autoheal_llm::prompt::fill(PROMPT.0, PROMPT.1, values).map_err(|error| error.to_string())
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

/// The recipe with the rules of the answer. Names, types, transforms and what is required stay: a model says where, not what.
fn recipe_of(loaded: &Loaded, answer: Value) -> Result<Recipe, String> {
    let answer: Answer = serde_json::from_value(answer).map_err(|error| error.to_string())?;
    let mut fields = loaded.recipe.fields().to_vec();
    let mut gone = Vec::new();
    for field in &mut fields {
        let name = field.name.as_str();
        let answered = answer.fields.iter().find(|answered| answered.name == name);
        let answered = answered.ok_or_else(|| format!("there is nothing about the field `{name}`"))?;
        match &answered.select {
            Some(select) => field.source = source_of(field, select, answered.take.as_deref())?,
            None if field.required => return Err(format!("the model does not find the field `{name}` either")),
            None => gone.push(name.to_owned()),
        }
    }
    fields.retain(|field| !gone.iter().any(|name| name == field.name.as_str()));
    let recipe = loaded.recipe.clone().with_fields(fields).map_err(|error| error.to_string())?;
    let Some(items) = recipe.items().cloned() else { return Ok(recipe) };
    let items = match &answer.items {
        Some(select) => Selector::parse(select).map_err(|error| format!("`items`: {error}"))?,
        None => items,
    };
    recipe.with_items(Some(items)).map_err(|error| error.to_string())
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

/// The rules must give on the failing page what the source is to yield, and what it looked like before.
fn works(loaded: &Loaded, recipe: &Recipe, page: &Document, url: &str) -> Result<(), String> {
    let verdict = validate(recipe, &recipe.apply(page, Url::parse(url).ok().as_ref()), &loaded.history);
    if verdict.passed { Ok(()) } else { Err(verdict.errors.join("; ")) }
}

fn change(loaded: &Loaded, recipe: Recipe) -> Change {
    let mut definition = loaded.definition.clone();
    definition.blueprint = crate::definition::Blueprint::of(definition.blueprint.base_url.clone(), &recipe);
    Change {
        description: "find the fields where a language model says they are".to_owned(),
        recipe,
        definition,
        evidence: vec![
            "rules were not sure; what the model's rules give is on the page and looks as it did before".to_owned(),
        ],
        try_at: Some(loaded.page.clone()),
    }
}
