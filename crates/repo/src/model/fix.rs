//! The coder's question (spec "Fix Generation Agent"): the edits that repair one failure.

use autoheal_code::excerpt::{self, Excerpt, Extent};
use autoheal_code::replacement::{self, Replacement};
use autoheal_code::{Candidate, FileEdit, Sources};
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::StepContext;
use autoheal_llm::prompt::{PromptError, fill};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::FIXER;
use super::prompt::Situation;
use super::{ModelPlanner, NoAdvice, PromptContext};
use crate::project::is_manifest;
use crate::state::{HealState, ModelStep};

/// The name of the prompt, and the prompt.
const PROMPT: (&str, &str) = ("fix_code", include_str!("../../prompts/fix_code.md"));

/// Cost of a model's candidate: it is at most as likely as the last resort of a rule.
const COST: u32 = 3000;

#[derive(Debug, Deserialize)]
struct Answer {
    edits: Vec<Replacement>,
}

/// Asks a model for the change that repairs a failure; `None`: it does not see what is wrong.
pub(crate) async fn candidates(
    planner: ModelPlanner<'_>,
    state: &mut HealState,
    step: &ModelStep,
    sources: &Sources,
    context: &StepContext,
) -> Result<Option<Candidate>, NoAdvice> {
    let prompt = prompt(planner.prompt_context, state, step, sources)?;
    let check = |value: Value| {
        let answer: Answer = serde_json::from_value(value).map_err(|error| error.to_string())?;
        if answer.edits.is_empty() {
            return Ok(None);
        }
        // What is installed is not for a model to choose: a name that it makes up may be anybody's.
        if let Some(edit) = answer.edits.iter().find(|edit| is_manifest(&edit.file)) {
            return Err(format!("`{}` may not be changed: it says what is installed", edit.file));
        }
        let files = replacement::edits(&answer.edits, sources).map_err(|error| error.to_string())?;
        Ok(Some(candidate(&step.target, files, sources)))
    };
    planner.ask(state, PROMPT.0, prompt, &schema(), check, context).await
}

#[derive(Serialize)]
struct Values<'a> {
    #[serde(flatten)]
    situation: Situation<'a>,
    category: &'static str,
    place: String,
    message: &'a str,
    stack: &'a str,
    approach: &'a str,
    excerpts: Vec<Shown>,
}

#[derive(Serialize)]
struct Shown {
    head: String,
    text: String,
}

/// The prompt (Property 32).
fn prompt(
    prompt_context: PromptContext<'_>,
    state: &HealState,
    step: &ModelStep,
    sources: &Sources,
) -> Result<String, PromptError> {
    let target = &step.target;
    // What the plan asks for and what the failure points at share the room.
    let share = Extent {
        characters: prompt_context.limits.code_characters / (step.files.len() + 1),
        context_lines: prompt_context.limits.context_lines,
    };
    let asked: Vec<Excerpt> = step.files.iter().filter_map(|file| excerpt::beginning(file, sources, share)).collect();
    let mut excerpts = excerpt::excerpts(target, sources, share);
    let is_within = |shown: &Excerpt, other: &Excerpt| shown.file == other.file && shown.last_line <= other.last_line;
    excerpts.retain(|shown| !asked.iter().any(|other| is_within(shown, other)));
    excerpts.extend(asked);
    let line = target.location.map_or_else(|| "unknown".to_owned(), |location| location.line.to_string());
    let values = Values {
        situation: Situation::of(prompt_context, state, Some(target)),
        category: target.category.name(),
        place: format!("File: {}\nLine: {line}", target.file.as_deref().unwrap_or("unknown")),
        message: &target.message,
        stack: target.stack.as_deref().unwrap_or("none"),
        approach: &step.approach,
        excerpts: excerpts.into_iter().map(shown).collect(),
    };
    fill(PROMPT.0, PROMPT.1, values)
}

fn shown(excerpt: Excerpt) -> Shown {
    let may = if excerpt.is_editable { "may be changed" } else { "may not be changed" };
    let Excerpt { file, first_line, last_line, text, is_editable: _ } = excerpt;
    // The name stands within the fence: a repository chooses it.
    let head = format!("{file}, lines {first_line} to {last_line}, {may}:");
    Shown { head, text }
}

fn schema() -> Value {
    let edit = json!({
        "type": "object", "required": ["file", "search", "replace"], "additionalProperties": false,
        "properties": {
            "file": { "type": "string" }, "search": { "type": "string" }, "replace": { "type": "string" },
        },
    });
    json!({
        "type": "object", "required": ["edits"], "additionalProperties": false,
        "properties": { "edits": { "type": "array", "items": edit } },
    })
}

/// The description is ours: what a model says about its edit is not evidence, and would stand in reports as if it were.
fn candidate(target: &Finding, files: Vec<FileEdit>, sources: &Sources) -> Candidate {
    let first = files.first().and_then(|edit| Some((edit, edit.edits.first()?)));
    let line = first.map_or(1, |(edit, first)| {
        let text = sources.text(&edit.file).unwrap_or_default();
        let before = text.get(..first.start).unwrap_or_default();
        u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX)
    });
    let edits: usize = files.iter().map(|edit| edit.edits.len()).sum();
    let description = match (files.len(), edits) {
        (1, 1) => "rewrite the code there as a language model says".to_owned(),
        (1, edits) => format!("rewrite {edits} places as a language model says"),
        (files, edits) => format!("rewrite {edits} places in {files} files as a language model says"),
    };
    Candidate { fixer: FIXER.to_owned(), category: target.category, line, description, cost: COST, files }
}

#[cfg(test)]
mod tests {
    use autoheal_engine::Timestamp;
    use autoheal_engine::diagnostics::{Category, Importers, Location, Source};
    use proptest::prelude::*;

    use super::*;
    use crate::HealRequest;
    use crate::model::PromptLimits;

    fn line() -> impl Strategy<Value = String> {
        "[ -~\u{e9}]{1,80}"
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        // Feature: autoheal-ci-agent, Property 32: Fix Prompt Construction
        #[test]
        fn the_prompt_holds_everything_that_is_known(
            name in "[a-z]{1,12}",
            message in line(),
            stack in prop::collection::vec(line(), 1..6),
            code in prop::collection::vec(line(), 1..40),
            number in any::<prop::sample::Index>(),
            category in prop::sample::select(Category::ALL.to_vec()),
        ) {
            let file = format!("{name}.txt");
            let (stack, number) = (stack.join("\n"), number.index(code.len()));
            let mut sources = Sources::new(Vec::new());
            sources.insert(file.clone(), code.join("\n"), false);
            let target = Finding {
                source: Source::Test,
                category,
                file: Some(file.clone()),
                location: Some(Location { line: u32::try_from(number + 1).unwrap(), column: None }),
                message: message.clone(),
                stack: Some(stack.clone()),
            };
            let state = HealState::new(HealRequest::new("/some/repository"), Timestamp::from_millis(0));
            let (limits, importers) = (PromptLimits::default(), Importers::new());
            let prompt_context = PromptContext { limits: &limits, importers: &importers };
            let step = ModelStep { target, files: Vec::new(), approach: String::new() };
            let prompt = prompt(prompt_context, &state, &step, &sources).unwrap();
            let context = code[number.saturating_sub(5)..code.len().min(number + 6)].join("\n");
            let place = format!("File: {file}\nLine: {}", number + 1);
            for part in [place, format!("Error type: {category}"), message, stack, context] {
                prop_assert!(prompt.contains(&part), "{part:?} is missing in {prompt}");
            }
            prop_assert!(!prompt.contains("language server"));
        }
    }

    #[test]
    fn the_prompt_holds_what_a_language_server_says() {
        let target = Finding {
            source: Source::Test,
            category: Category::Logic,
            file: None,
            location: None,
            message: "AssertionError".to_owned(),
            stack: None,
        };
        let hint = Finding { source: Source::Lsp, message: "\"reslt\" is not defined".to_owned(), ..target.clone() };
        let mut state = HealState::new(HealRequest::new("/some/repository"), Timestamp::from_millis(0));
        state.diagnosis.lsp.log.observe(&[hint], Timestamp::from_millis(0));
        state.diagnosis.lsp.accepted = Some(0);
        let (limits, importers) = (PromptLimits::default(), Importers::new());
        let prompt_context = PromptContext { limits: &limits, importers: &importers };
        let step = ModelStep { target, files: Vec::new(), approach: String::new() };
        let prompt = prompt(prompt_context, &state, &step, &Sources::new(Vec::new())).unwrap();
        let (_, told) = prompt.split_once("## What a language server says").unwrap();
        assert!(told.contains("\"reslt\" is not defined"), "{prompt}");
    }
}
