//! The planner's question (spec `diagnostics-log.md`, "Planner integration"): what next, and where.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use autoheal_code::{LanguageId, Sources, excerpt};
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::StepContext;
use autoheal_llm::prompt::{PromptError, cut, fill};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::prompt::{Situation, described, may_change, tests_of};
use super::{ModelPlanner, NoAdvice, PromptContext};
use crate::state::{HealState, ModelStep};

/// The name of the prompt, and the prompt.
const PROMPT: (&str, &str) = ("plan", include_str!("../../prompts/plan.md"));

/// Maximum number of failures in one plan: after each repair, the others are checked again.
const MOST_STEPS: usize = 3;

/// Maximum number of files that a step shows in addition to those that the failure points at.
const MOST_FILES: usize = 3;

const LONGEST_APPROACH: usize = 500;

/// Maximum number of source files among which a plan has nothing to decide.
const FEW_FILES: usize = 3;

/// Maximum number of further failures in one question.
const MOST_TOGETHER: usize = 5;

/// Maximum number of signatures that are listed for a file.
const MOST_SIGNATURES: usize = 20;

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

/// Returns whether a plan has nothing to decide: all failures are of one file, and only few files may be changed.
pub(crate) fn is_decided(choice: &[Finding], sources: &Sources) -> bool {
    let is_source = |file: &str| LanguageId::of(file).is_some() && may_change(file, sources);
    let first = choice.first().and_then(|finding| finding.file.as_ref());
    let is_one = choice.len() == 1 || first.is_some() && choice.iter().all(|finding| finding.file.as_ref() == first);
    is_one && sources.iter().filter(|(file, _)| is_source(file)).count() <= FEW_FILES
}

/// Joins failures of the same file into one step.
pub(crate) fn join_by_file(steps: &mut Vec<ModelStep>, choice: &[Finding]) {
    let mut asked: BTreeSet<&str> = BTreeSet::new();
    steps.retain_mut(|step| {
        let of_file =
            choice.iter().find(|finding| finding.file == step.target.file).and_then(|finding| finding.file.as_deref());
        let Some(file) = of_file else { return true };
        let others = choice.iter().filter(|other| other.file.as_deref() == Some(file) && **other != step.target);
        step.with = others.take(MOST_TOGETHER).cloned().collect();
        asked.insert(file)
    });
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
    let answer = planner.ask(state, PROMPT.0, prompt, &schema(), check, context).await;
    planner.note_usage(state, context).await?;
    answer
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
        let told = described(&prompt_context.unvarying.finding(finding));
        let tests = tests_of(state, finding).replace('\n', ", ");
        let tests = if tests.is_empty() { String::new() } else { format!("\n   tests: {tests}") };
        let _ = writeln!(failures, "{}. {}{tests}", index + 1, cut(&told, prompt_context.limits.message_characters));
    }
    // Those that failures point at come first: the list may be cut.
    let pointed: BTreeSet<&str> = choice.iter().filter_map(|finding| finding.file.as_deref()).collect();
    let mut files: Vec<&str> = sources.iter().map(|(file, _)| file).filter(|file| may_change(file, sources)).collect();
    files.sort_by_key(|file| (!pointed.contains(file), *file));
    let files = with_signatures(&files, sources, prompt_context.limits.files_characters);
    let situation = Situation::of(prompt_context, state, None);
    let values = Values { situation, failures, files, most_steps: MOST_STEPS, most_files: MOST_FILES };
    fill(PROMPT.0, PROMPT.1, values)
}

/// The names of files, each with the signatures of its functions as long as there is room for them.
fn with_signatures(files: &[&str], sources: &Sources, limit: usize) -> String {
    let mut room = limit.saturating_sub(files.iter().map(|file| file.chars().count() + 1).sum());
    let mut text = String::new();
    for file in files {
        let _ = writeln!(text, "{file}");
        for signature in excerpt::signatures(file, sources).into_iter().take(MOST_SIGNATURES) {
            let line = signature.split_whitespace().collect::<Vec<_>>().join(" ");
            let Some(left) = room.checked_sub(line.chars().count() + 3) else { return rest_of(files, file, text) };
            room = left;
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

/// The text with the names of the files after this one.
fn rest_of(files: &[&str], last: &str, mut text: String) -> String {
    for file in files.iter().skip_while(|file| **file != last).skip(1) {
        let _ = writeln!(text, "{file}");
    }
    text
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
        let approach = cut(&step.approach, LONGEST_APPROACH);
        steps.push(ModelStep { files, approach, ..ModelStep::new(target.clone()) });
    }
    steps.truncate(MOST_STEPS);
    Ok(steps)
}
