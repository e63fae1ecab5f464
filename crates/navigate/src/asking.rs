//! Requests to a language model for an action, and their form.

use autoheal_llm::prompt::{PromptError, cut};
use autoheal_llm::structured::structured;
use autoheal_llm::{ChatRequest, Message, Session};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::goal::Goal;
use crate::page_state::PageState;
use crate::quote::wants_yes_or_no;
use crate::result::NavigationResult;
use crate::settings::Settings;

/// The longest answer, in tokens: an action is a line.
const LONGEST_ANSWER: u32 = 1024;

/// Maximum length of the part of a model's response that is repeated to it, in characters.
pub(crate) const LONGEST_ECHO: usize = 200;

/// Action that a model chooses, with what it needs.
#[derive(Debug, Deserialize)]
pub(crate) struct Action {
    pub(crate) tool: Tool,
    #[serde(default)]
    pub(crate) link_text: Option<String>,
    #[serde(default)]
    pub(crate) quote: Option<String>,
    #[serde(default)]
    pub(crate) answer: Option<YesOrNo>,
}

/// Action to a question for yes or no.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum YesOrNo {
    Yes,
    No,
}

/// Kinds of actions.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Tool {
    Click,
    Extract,
    GoBack,
    NotFound,
}

/// Goal of a navigation, with the one who asks a model.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) goal: &'a Goal,
    pub(crate) session: &'a Session,
    pub(crate) settings: &'a Settings,
}

impl Asked<'_> {
    /// Asks for an action. `purpose` is the name of the prompt.
    ///
    /// # Errors
    ///
    /// If no model answers, or a prompt cannot be filled.
    pub(crate) async fn ask(
        &self,
        purpose: &str,
        prompt: Result<String, PromptError>,
    ) -> Result<Result<Action, NoAction>, String> {
        let prompt = prompt.map_err(|error| error.to_string())?;
        let mut request = ChatRequest::new(vec![Message::user(prompt)]).in_form("action", schema());
        request.max_tokens = LONGEST_ANSWER;
        let answer = self.session.ask(purpose, &request).await;
        let answer = answer.map_err(|error| format!("the model cannot be asked: {error}"))?;
        let action = structured(&answer, &schema()).map_err(|fault| fault.to_string());
        let action =
            action.and_then(|value| serde_json::from_value::<Action>(value).map_err(|error| error.to_string()));
        Ok(action.map_err(|fault| NoAction {
            echo: cut(&answer.text, LONGEST_ECHO),
            fault: format!("no action: {fault}. Respond with JSON only"),
        }))
    }
}

/// An answer without an action.
pub(crate) struct NoAction {
    /// Its beginning.
    pub(crate) echo: String,
    pub(crate) fault: String,
}

/// The form of an action: a closed object, which every provider can enforce.
fn schema() -> Value {
    json!({
        "type": "object", "required": ["tool"], "additionalProperties": false,
        "properties": {
            "tool": { "type": "string", "enum": ["click", "extract", "go_back", "not_found"] },
            "link_text": { "type": ["string", "null"] },
            "quote": { "type": ["string", "null"] },
            "answer": { "anyOf": [{ "type": "string", "enum": ["yes", "no"] }, { "type": "null" }] },
        },
    })
}

/// An answer on a page.
pub(crate) fn found(page: &PageState, content: &str) -> NavigationResult {
    NavigationResult {
        success: true,
        content: content.to_owned(),
        url: page.url.to_string(),
        breadcrumb: page.place(),
        ..NavigationResult::default()
    }
}

/// Returns a passage, with the model's yes or no before it where the goal wants one.
pub(crate) fn answered(goal: &Goal, answer: Option<YesOrNo>, passage: String) -> String {
    match answer.filter(|_| wants_yes_or_no(&goal.text)) {
        Some(YesOrNo::Yes) => format!("yes (as the model reads this passage)\n\n{passage}"),
        Some(YesOrNo::No) => format!("no (as the model reads this passage)\n\n{passage}"),
        None => passage,
    }
}
