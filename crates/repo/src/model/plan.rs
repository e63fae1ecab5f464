//! The planner's question (spec `diagnostics-log.md`, "Planner integration"): what next, and where.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use autoheal_code::Sources;
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::StepContext;
use autoheal_llm::prompt::{PromptError, cut, fill};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::prompt::{Situation, described};
use super::{ModelPlanner, NoAdvice, PromptContext};
use crate::state::{HealState, ModelStep};

/// The name of the prompt, and the prompt.
const PROMPT: (&str, &str) = ("plan", include_str!("../../prompts/plan.md"));

/// Maximum number of failures in one plan: after each repair, the others are checked again.
const MOST_STEPS: usize = 3;

/// Maximum number of files that a step shows in addition to those that the failure points at.
const MOST_FILES: usize = 3;

const LONGEST_APPROACH: usize = 500;

#[derive(Debug, Deserialize)]
struct Answer {
    steps: Vec<AnsweredStep>,
}

#[derive(Debug, Deserialize)]
struct AnsweredStep {
    failure: usize,
    files: Vec<String>,
    approach: String,
}

/// Asks a model what to repair next, of the failures that may be chosen; empty when it sees nothing that is
/// worth a try.
pub(crate) async fn steps(
    planner: ModelPlanner<'_>,
    state: &mut HealState,
    choice: &[Finding],
    sources: &Sources,
    context: &StepContext,
) -> Result<Vec<ModelStep>, NoAdvice> {
    let prompt = prompt(planner.prompt_context, state, choice, sources)?;
    let check = |value| chosen(value, choice, sources);
    planner.ask(state, PROMPT.0, prompt, &schema(), check, context).await
}

#[derive(Serialize)]
struct Values<'a> {
    #[serde(flatten)]
    situation: Situation<'a>,
    failures: String,
    files: String,
    most_steps: usize,
    most_files: usize,
}

fn prompt(
    prompt_context: PromptContext<'_>,
    state: &HealState,
    choice: &[Finding],
    sources: &Sources,
) -> Result<String, PromptError> {
    let mut failures = String::new();
    for (index, finding) in choice.iter().enumerate() {
        let _ =
            writeln!(failures, "{}. {}", index + 1, cut(&described(finding), prompt_context.limits.message_characters));
    }
    // Those that failures point at come first: the list may be cut.
    let pointed: BTreeSet<&str> = choice.iter().filter_map(|finding| finding.file.as_deref()).collect();
    let mut files: Vec<&str> = sources.iter().map(|(file, _)| file).filter(|file| sources.is_editable(file)).collect();
    files.sort_by_key(|file| (!pointed.contains(file), *file));
    let situation = Situation::of(prompt_context, state, None);
    let values =
        Values { situation, failures, files: files.join("\n"), most_steps: MOST_STEPS, most_files: MOST_FILES };
    fill(PROMPT.0, PROMPT.1, values)
}

fn schema() -> Value {
    let step = json!({
        "type": "object", "required": ["failure", "files", "approach"], "additionalProperties": false,
        "properties": {
            "failure": { "type": "integer" },
            "files": { "type": "array", "items": { "type": "string" } },
            "approach": { "type": "string" },
        },
    });
    json!({
        "type": "object", "required": ["steps"], "additionalProperties": false,
        "properties": { "steps": { "type": "array", "items": step } },
    })
}

/// Returns the steps of a response. Paths that are not files of the repository are left out, as they only affect what is displayed.
fn chosen(answer: Value, choice: &[Finding], sources: &Sources) -> Result<Vec<ModelStep>, String> {
    let answer: Answer = serde_json::from_value(answer).map_err(|error| error.to_string())?;
    let mut steps: Vec<ModelStep> = Vec::new();
    for step in answer.steps {
        let number = step.failure;
        let target = number.checked_sub(1).and_then(|index| choice.get(index));
        let target =
            target.ok_or_else(|| format!("there is no failure {number}: they are numbered 1 to {}", choice.len()))?;
        if steps.iter().any(|other| other.target == *target) {
            continue;
        }
        let files = step.files.into_iter().filter(|file| sources.text(file).is_some()).take(MOST_FILES).collect();
        steps.push(ModelStep { target: target.clone(), files, approach: cut(&step.approach, LONGEST_APPROACH) });
    }
    steps.truncate(MOST_STEPS);
    Ok(steps)
}
