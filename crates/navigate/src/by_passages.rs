//! Answers by the passages of an index that are nearest to a goal: a language model says which of them is the answer.

use autoheal_llm::prompt::{PromptError, cut, fill};
use autoheal_store::ManualIndex;
use serde_json::json;
use url::Url;

use crate::asking::{Asked, Tool, answered, found};
use crate::goal::Goal;
use crate::index::nearest;
use crate::page_state::{PageState, Passage};
use crate::quote::{self, wants_yes_or_no};
use crate::result::NavigationResult;
use crate::trace::Trace;

/// The name of the prompt with passages of an index, and the prompt.
const PASSAGES: (&str, &str) = ("navigate_passages", include_str!("../prompts/navigate_passages.md"));

/// Number of passages of an index that a model sees.
const MOST_PASSAGES: usize = 10;

/// Maximum length of each of them, in characters.
const LONGEST_PASSAGE: usize = 600;

/// Asks a language model whether one of the nearest passages of an index is the answer; `None` if none is, or no model answers.
pub(crate) async fn answer(
    start: &Url,
    asked: &Asked<'_>,
    index: &ManualIndex,
    trace: &mut Trace<'_>,
) -> Option<NavigationResult> {
    let action = "LOOK UP in the index".to_owned();
    let pages = match nearest(start, asked.goal, index, MOST_PASSAGES).await {
        Ok(pages) => pages,
        Err(error) => {
            trace.step(action, format!("the index cannot be read: {error}"));
            return None;
        }
    };
    if pages.is_empty() {
        trace.step(action, "no passage has words of the goal".to_owned());
        return None;
    }
    trace.step(action, format!("nearest passages: {}", pages.len()));
    let action = match asked.ask(PASSAGES.0, passages_prompt(asked.goal, &pages)).await {
        Ok(Ok(action)) => action,
        Ok(Err(none)) => {
            trace.step(format!("ANSWER '{}'", none.echo), none.fault);
            return None;
        }
        Err(reason) => {
            trace.step("ASK the model".to_owned(), reason);
            return None;
        }
    };
    let (Tool::Extract, Some(quote)) = (action.tool, action.quote.as_deref()) else {
        trace.step("NOT FOUND in the index".to_owned(), "the model follows the links".to_owned());
        return None;
    };
    let passages: Vec<&Passage> = pages.iter().flat_map(|page| &page.passages).collect();
    match quote::passage_of(quote, &passages) {
        Ok(text) => {
            let page = pages.iter().find(|page| page.passages.iter().any(|passage| text.contains(&passage.text)))?;
            trace.step("EXTRACT".to_owned(), page.place());
            Some(found(page, &answered(asked.goal, action.answer, text)))
        }
        Err(reason) => {
            trace.step("EXTRACT".to_owned(), reason);
            None
        }
    }
}

fn passages_prompt(goal: &Goal, pages: &[PageState]) -> Result<String, PromptError> {
    let passages: Vec<String> = pages
        .iter()
        .flat_map(|page| page.passages.iter().map(move |passage| (page, passage)))
        .map(|(page, passage)| format!("{}:\n{}", page.place(), cut(&passage.text, LONGEST_PASSAGE)))
        .collect();
    let values = json!({
        "goal": goal.text,
        "context": goal.context,
        "wants_yes_or_no": wants_yes_or_no(&goal.text),
        "passages": passages.join("\n\n"),
    });
    fill(PASSAGES.0, PASSAGES.1, values)
}
