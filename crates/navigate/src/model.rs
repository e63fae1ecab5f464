//! Navigation by a language model (spec `navigator.md`, "Navigator"): the model sees one page and its previous actions, and chooses
//! the next action. It remembers nothing, and its words are never the answer: the answer is text of the page where it stops.

use std::collections::HashSet;
use std::sync::Arc;

use autoheal_llm::prompt::{PromptError, cut, fill};
use serde_json::json;
use url::Url;

use crate::asking::{Action, Asked, LONGEST_ECHO, Tool, answered, found};
use crate::cache::Cache;
use crate::goal::Goal;
use crate::link_tree::LinkTree;
use crate::page_state::PageState;
use crate::quote::{self, wants_yes_or_no};
use crate::ranking::excerpt;
use crate::result::{NavigationResult, PathStep, UNAVAILABLE};
use crate::settings::Settings;
use crate::tools::{Click, click};
use crate::trace::Trace;
use crate::walk;

/// The name of the prompt, and the prompt.
const PROMPT: (&str, &str) = ("navigate", include_str!("../prompts/navigate.md"));

/// Names of a vehicle's values in the context of a goal.
const VEHICLE: [&str; 4] = ["make", "year", "model", "engine"];

/// Result of an action.
enum Next {
    /// Continue at the page that is now the last of the history.
    GoOn,
    /// The passages that the model quotes from the page at which it stopped.
    Extracted(String),
    /// The model reports that there is no answer.
    GaveUp,
}

/// One navigation of a model.
struct Journey<'a, 'b> {
    goal: &'a Goal,
    settings: &'a Settings,
    cache: &'a mut Cache<'b>,
    trace: &'a mut Trace<'b>,
    /// The pages from the start to where it is, each with the text of the link that led there.
    history: Vec<(Arc<PageState>, String)>,
    /// Links that lead nowhere, each with the page it was on. They are not clicked again.
    dead_ends: HashSet<(Url, String)>,
    home: String,
}

/// Navigates by a language model. If the page of the vehicle can be found without the model, navigation starts there.
pub(crate) async fn navigate<'b>(
    start: &Url,
    asked: &Asked<'_>,
    cache: &mut Cache<'b>,
    trace: &mut Trace<'b>,
) -> NavigationResult {
    let Asked { goal, settings, .. } = *asked;
    let walked = walk::walk(start, goal, cache, trace).await;
    let Some(home) = walked.home else {
        let reason = walked.unavailable.unwrap_or_default();
        return failed(&format!("{UNAVAILABLE}: {reason}"), None, settings, goal);
    };
    let first = if walked.arrived {
        walked.pages.last().cloned().unwrap_or_else(|| Arc::clone(&home))
    } else {
        Arc::clone(&home)
    };
    let mut journey = Journey {
        goal,
        settings,
        cache,
        trace,
        home: home.title.clone(),
        history: vec![(first, String::new())],
        dead_ends: HashSet::new(),
    };
    journey.go(asked).await
}

impl Journey<'_, '_> {
    async fn go(&mut self, asked: &Asked<'_>) -> NavigationResult {
        while self.trace.may_go_on() {
            let Some(page) = self.history.last().map(|(page, _)| Arc::clone(page)) else { break };
            let next = match asked.ask(PROMPT.0, self.prompt(&page)).await {
                Ok(Ok(action)) => self.act(&page, &action).await,
                Ok(Err(none)) => {
                    self.trace.step(format!("ANSWER '{}'", none.echo), none.fault);
                    Next::GoOn
                }
                Err(reason) => return failed(&reason, Some(&page), self.settings, self.goal),
            };
            match next {
                Next::GoOn => {}
                Next::Extracted(text) => return found(&page, &text),
                Next::GaveUp => {
                    let reason = "not found: the model says that the manual does not hold it";
                    return NavigationResult {
                        content: String::new(),
                        ..failed(reason, Some(&page), self.settings, self.goal)
                    };
                }
            }
        }
        let last = self.history.last().map(|(page, _)| Arc::clone(page));
        failed("not found: the steps are used up", last.as_deref(), self.settings, self.goal)
    }

    async fn act(&mut self, page: &PageState, action: &Action) -> Next {
        match action.tool {
            Tool::Click => {
                self.click(page, action.link_text.as_deref().unwrap_or_default()).await;
                Next::GoOn
            }
            Tool::Extract => self.extract(page, action),
            Tool::GoBack => {
                if self.history.len() > 1 {
                    self.history.pop();
                    let hint = self.history.last().map(|(page, _)| page.hint()).unwrap_or_default();
                    self.trace.step("GO BACK".to_owned(), hint);
                } else {
                    self.trace.step(
                        "GO BACK".to_owned(),
                        "this is where you began: there is nothing to go back to".to_owned(),
                    );
                }
                Next::GoOn
            }
            Tool::NotFound => {
                self.trace.step("NOT FOUND".to_owned(), "the model gave up".to_owned());
                Next::GaveUp
            }
        }
    }

    async fn click(&mut self, page: &PageState, wanted: &str) {
        let action = format!("CLICK '{}'", cut(wanted, LONGEST_ECHO));
        if wanted.trim().is_empty() {
            return self.trace.step(action, "no link was named: link_text is empty".to_owned());
        }
        let (text, href) = match click(page, wanted) {
            Click::Link { text, href } => (text, href),
            Click::Ambiguous(all) => {
                let names = all.join("'; '");
                return self
                    .trace
                    .step(action, format!("several links are called so, write what stands above: '{names}'"));
            }
            Click::Missing(nearest) => {
                let names = nearest.join("'; '");
                return self.trace.step(action, format!("link not found on this page; the nearest ones: '{names}'"));
            }
        };
        let way = (page.url.clone(), href.to_string());
        if self.dead_ends.contains(&way) {
            return self.trace.step(action, "this link led nowhere before: do something else".to_owned());
        }
        match self.cache.page(&href).await {
            Ok(next) if next.url == page.url => {
                self.dead_ends.insert(way);
                self.trace.step(action, "a place on this same page: nothing new is to be seen".to_owned());
            }
            Ok(next) => {
                self.trace.step(action, next.hint());
                self.history.push((next, text));
            }
            Err(error) => {
                self.dead_ends.insert(way);
                self.trace.step(action, format!("no page: {error}"));
            }
        }
    }

    /// A sanity check, and no forced behaviour: only text of the page is an answer, and a page about another vehicle holds a wrong
    /// one.
    fn extract(&mut self, page: &PageState, action: &Action) -> Next {
        let passage = if !page.has_data {
            Err("this page has only links and no data: click deeper".to_owned())
        } else if !self.is_about_context(page) {
            let reason =
                "neither this page nor the way to it names every value of the goal: find the right part of the manual";
            Err(reason.to_owned())
        } else {
            quote::on_page(action.quote.as_deref().unwrap_or_default(), page)
        };
        match passage {
            Ok(passage) => {
                self.trace.step("EXTRACT".to_owned(), page.hint());
                Next::Extracted(answered(self.goal, action.answer, passage))
            }
            Err(reason) => {
                self.trace.step("EXTRACT".to_owned(), reason);
                Next::GoOn
            }
        }
    }

    fn is_about_context(&self, page: &PageState) -> bool {
        let way = self.history.iter().map(|(page, link)| format!("{} {link}", page.place()));
        walk::holds_with(page, &way.collect::<Vec<_>>().join(" "), self.goal)
    }

    fn prompt(&self, page: &PageState) -> Result<String, PromptError> {
        let path = path_to(page, self.trace.last(self.settings.max_path_history));
        // Each thing once: the place usually names the manual, and ends with the title.
        let place = page.place();
        let manual = if place.starts_with(&self.home) { "" } else { &self.home };
        let place = if place.ends_with(&page.title) { place } else { format!("{}\n{place}", page.title) };
        let links = LinkTree::of(page, self.goal, self.settings.max_links_shown);
        let values = json!({
            "manual": manual,
            "goal": self.goal.text,
            "context": self.goal.context,
            "path": path.join("\n"),
            "place": place,
            "is_about_vehicle": self.goal.context.iter().any(|(name, _)| VEHICLE.contains(&name.as_str())),
            "wants_yes_or_no": wants_yes_or_no(&self.goal.text),
            "shown": links.shown,
            "left_out": links.left_out,
            "links": links.text,
            "has_data": page.has_data,
            "content": if page.has_data { excerpt(page, self.goal, self.settings.max_content_chars) } else { String::new() },
            "steps_left": self.trace.left(),
        });
        fill(PROMPT.0, PROMPT.1, values)
    }
}

/// The steps that led to a page. The first one opens the manual: its address says nothing about the goal, and differs where the same
/// files are in another folder.
fn path_to(page: &PageState, steps: &[PathStep]) -> Vec<String> {
    let here = page.hint();
    let last = steps.len().saturating_sub(1);
    let steps = steps.iter().enumerate().filter(|(_, step)| !step.action.starts_with("OPEN "));
    let line = |(place, step): (usize, &PathStep)| {
        let is_here = place == last && step.result_hint == here;
        let hint = if is_here { "the current page" } else { step.result_hint.as_str() };
        format!("{} -> {hint}", step.action)
    };
    steps.map(line).collect()
}

/// Returns a failed result, with an excerpt of the last page if it has content, which may help the user.
fn failed(reason: &str, page: Option<&PageState>, settings: &Settings, goal: &Goal) -> NavigationResult {
    let content = page.filter(|page| page.has_data).map(|page| excerpt(page, goal, settings.max_content_chars));
    NavigationResult {
        content: content.unwrap_or_default(),
        url: page.map(|page| page.url.to_string()).unwrap_or_default(),
        breadcrumb: page.map(PageState::place).unwrap_or_default(),
        error: reason.to_owned(),
        ..NavigationResult::default()
    }
}
