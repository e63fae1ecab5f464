//! The coder's question (spec "Fix Generation Agent"): the edits that repair one failure.

use autoheal_code::excerpt::{self, Excerpt, Extent};
use autoheal_code::replacement::{self, Replacement};
use autoheal_code::{Candidate, FileEdit, Sources, search};
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::StepContext;
use autoheal_llm::ChatError;
use autoheal_llm::prompt::{PromptError, fill};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::FIXER;
use super::error_text::error_text;
use super::prompt::{Situation, may_change, tests_of};
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

/// Answer of a model about one failure; `None`: it does not see what is wrong.
pub(crate) type Advice = Result<Option<Candidate>, NoAdvice>;

/// Asks a model for the changes that repair some failures, each together with the failure as the model sees it. The questions do not
/// depend on each other; their answers are in the same order.
pub(crate) async fn answers(
    planner: ModelPlanner<'_>,
    state: &mut HealState,
    asked: &[(ModelStep, Finding)],
    sources: &Sources,
    context: &StepContext,
) -> Vec<Advice> {
    let known: &HealState = state;
    let mut questions = Vec::new();
    for asked in asked {
        questions.push(candidate_for(planner, known, asked, sources, context));
    }
    let mut answers = planner.models.each(questions).await;
    if answers.iter().any(|answer| !is_refused(answer)) {
        // The worst cases of all together may exceed a limit that they keep to one after the other.
        for (answer, asked) in answers.iter_mut().zip(asked).filter(|(answer, _)| is_refused(answer)) {
            *answer = candidate_for(planner, known, asked, sources, context).await;
        }
    }
    // Without the accounts, no further request is allowed.
    if let (Err(error), Some(last)) = (planner.note_usage(state, context).await, answers.last_mut()) {
        *last = Err(error);
    }
    answers
}

fn is_refused(answer: &Advice) -> bool {
    matches!(answer, Err(NoAdvice::Ended(ChatError::Exhausted(_))))
}

async fn candidate_for(
    planner: ModelPlanner<'_>,
    state: &HealState,
    (step, shown): &(ModelStep, Finding),
    sources: &Sources,
    context: &StepContext,
) -> Advice {
    let prompt = prompt(planner.prompt_context, state, step, shown, sources)?;
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
    tests: String,
    error: String,
    /// Errors of the further failures that the question is about.
    with: Vec<String>,
    approach: &'a str,
    files: Vec<String>,
}

/// The prompt (Property 32).
fn prompt(
    prompt_context: PromptContext<'_>,
    state: &HealState,
    step: &ModelStep,
    shown: &Finding,
    sources: &Sources,
) -> Result<String, PromptError> {
    let target = &step.target;
    let limits = prompt_context.limits;
    // The files of the plan and those of the failure share the room.
    let share = Extent {
        characters: limits.code_characters / (step.files.len() + 1),
        context_lines: limits.context_lines,
        test_characters: limits.test_characters,
    };
    let mut excerpts = excerpt::excerpts(target, sources, share);
    excerpts.extend(step.files.iter().filter_map(|file| excerpt::beginning(file, sources, share)));
    let line = target.location.map_or_else(|| "unknown".to_owned(), |location| location.line.to_string());
    let error = |finding: &Finding, limit: usize| error_text(&prompt_context.unvarying.finding(finding), limit);
    let of_other = |other: &Finding| {
        let tests = tests_of(state, other);
        format!("{}\n{tests}\n{}", other.headline(), error(other, limits.message_characters / 2))
    };
    let values = Values {
        situation: Situation::of(prompt_context, state, Some(target)),
        category: target.category.name(),
        place: format!("File: {}\nLine: {line}", target.file.as_deref().unwrap_or("unknown")),
        tests: tests_of(state, target),
        error: error(shown, limits.stack_characters),
        with: step.with.iter().map(of_other).collect(),
        approach: &step.approach,
        files: excerpt::by_file(excerpts, sources).iter().map(|parts| excerpts_of(parts, sources)).collect(),
    };
    fill(PROMPT.0, PROMPT.1, values)
}

/// The excerpts of one file. Its name stands within the fence: a repository chooses it.
fn excerpts_of(parts: &[Excerpt], sources: &Sources) -> String {
    let file = parts.first().map_or("", |part| part.file.as_str());
    let may = if may_change(file, sources) { "may be changed" } else { "may not be changed" };
    let part =
        |part: &Excerpt| format!("{file}, lines {} to {}, {may}:\n{}", part.first_line, part.last_line, part.text);
    parts.iter().map(part).collect::<Vec<_>>().join("\n")
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
    let description = description(&files, sources);
    Candidate { fixer: FIXER.to_owned(), category: target.category, line, description, cost: COST, files }
}

/// Description of edits: the change of one line, or the number of lines and where they are.
fn description(files: &[FileEdit], sources: &Sources) -> String {
    let lines = |edit: &FileEdit| -> usize {
        let text = sources.text(&edit.file).unwrap_or_default();
        let old = |start, end| text.get(start..end).unwrap_or_default().lines().count();
        edit.edits.iter().map(|edit| old(edit.start, edit.end).max(edit.replacement.lines().count())).sum()
    };
    let count: usize = files.iter().map(lines).sum();
    match files {
        [file] => {
            let text = sources.text(&file.file).unwrap_or_default();
            if count <= 1 {
                return search::describe(text, &file.edits);
            }
            let around = file.edits.first().and_then(|edit| {
                let blanks = text.get(edit.start..)?.len() - text.get(edit.start..)?.trim_start().len();
                excerpt::name_around(&file.file, edit.start + blanks, sources)
            });
            format!("rewrite {count} lines of {}", around.map_or_else(|| file.file.clone(), |name| format!("{name}()")))
        }
        _ => format!("rewrite {count} lines in {} files", files.len()),
    }
}

#[cfg(test)]
mod tests {
    use autoheal_engine::Timestamp;
    use autoheal_engine::diagnostics::{Category, Importers, Location, Source};
    use proptest::prelude::*;

    use super::*;
    use crate::HealRequest;
    use crate::model::{PromptLimits, Unvarying};

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
            let (limits, importers, unvarying) = (PromptLimits::default(), Importers::new(), Unvarying::default());
            let prompt_context = PromptContext { limits: &limits, importers: &importers, unvarying: &unvarying };
            let step = ModelStep::new(target);
            let prompt = prompt(prompt_context, &state, &step, &step.target, &sources).unwrap();
            let context = code[number.saturating_sub(5)..code.len().min(number + 6)].join("\n");
            let place = format!("File: {file}\nLine: {}", number + 1);
            for part in [place, format!("Error type: {category}"), message, stack, context] {
                prop_assert!(prompt.contains(&part), "{part:?} is missing in {prompt}");
            }
            prop_assert!(!prompt.contains("language server"));
        }
    }

    #[test]
    fn a_candidate_is_described_by_what_it_changes() {
        let mut sources = Sources::new(Vec::new());
        sources.insert("a.py", "def area(width, height):\n    size = width + height\n    return size\n", false);
        sources.insert("b.py", "x = 1\ny = 2\n", false);
        let described = |changes: &[(&str, &str, &str)]| {
            let replacement = |(file, search, replace): &(&str, &str, &str)| Replacement {
                file: (*file).to_owned(),
                search: (*search).to_owned(),
                replace: (*replace).to_owned(),
            };
            let replacements: Vec<Replacement> = changes.iter().map(replacement).collect();
            description(&replacement::edits(&replacements, &sources).unwrap(), &sources)
        };
        let size = ("a.py", "    size = width + height\n", "    size = width * height\n");
        assert_eq!(described(&[size]), "write 'size = width * height' instead of 'size = width + height'");
        let both =
            ("a.py", "    size = width + height\n    return size\n", "    size = width\n    return size * height\n");
        assert_eq!(described(&[both]), "rewrite 2 lines of area()");
        assert_eq!(described(&[("b.py", "x = 1\ny = 2\n", "x = 3\ny = 4\n")]), "rewrite 2 lines of b.py");
        assert_eq!(described(&[size, ("b.py", "x = 1", "x = 3")]), "rewrite 2 lines in 2 files");
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
        let (limits, importers, unvarying) = (PromptLimits::default(), Importers::new(), Unvarying::default());
        let prompt_context = PromptContext { limits: &limits, importers: &importers, unvarying: &unvarying };
        let step = ModelStep::new(target);
        let prompt = prompt(prompt_context, &state, &step, &step.target, &Sources::new(Vec::new())).unwrap();
        let (_, told) = prompt.split_once("## What a language server says").unwrap();
        assert!(told.contains("\"reslt\" is not defined"), "{prompt}");
    }
}
