//! Navigation by a language model (spec `navigator.md`, "Navigator"): the model sees one page and its previous actions, and chooses
//! the next action. It remembers nothing, and its words are never the answer: the answer is text of the page where it stops.

use std::collections::HashSet;
use std::sync::Arc;

use autoheal_llm::prompt::{cut, fill};
use autoheal_llm::structured::structured;
use autoheal_llm::{ChatError, ChatRequest, Message, Session};
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use crate::cache::Cache;
use crate::goal::Goal;
use crate::page_state::PageState;
use crate::relevance::Relevance;
use crate::result::{NavigationResult, TokensUsed, UNAVAILABLE};
use crate::settings::Settings;
use crate::tools::{Click, click, full_name};
use crate::trace::Trace;
use crate::walk;

/// The name of the prompt, and the prompt.
const PROMPT: (&str, &str) = ("navigate", include_str!("../prompts/navigate.md"));

/// The longest answer, in tokens: an action is a line.
const LONGEST_ANSWER: u32 = 1024;

/// Maximum length of the part of a model's response that is repeated to it, in characters.
const LONGEST_ECHO: usize = 200;

/// Response of a model.
#[derive(Debug, Deserialize)]
struct Answer {
    tool: Tool,
    link_text: Option<String>,
}

/// Actions of a model.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Tool {
    Click,
    Extract,
    GoBack,
    NotFound,
}

/// Result of an action.
enum Next {
    /// Continue at the page that is now the last of the history.
    GoOn,
    /// The page that the model stopped at.
    Extracted,
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
    /// Tokens of questions and answers, as the providers counted them.
    tokens: TokensUsed,
}

/// Navigates by a language model. If the page of the vehicle can be found without the model, navigation starts there.
pub(crate) async fn navigate<'b>(
    start: &Url,
    goal: &Goal,
    session: &Session,
    settings: &Settings,
    cache: &mut Cache<'b>,
    trace: &mut Trace<'b>,
) -> NavigationResult {
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
    let before = session.usage().await.unwrap_or_default();
    let mut journey = Journey {
        goal,
        settings,
        cache,
        trace,
        tokens: TokensUsed::default(),
        home: home.title.clone(),
        history: vec![(first, String::new())],
        dead_ends: HashSet::new(),
    };
    let mut result = journey.go(session).await;
    let used = session.usage().await.unwrap_or_default();
    result.tokens_used = TokensUsed {
        total: used.tokens().saturating_sub(before.tokens()),
        calls: used.calls.saturating_sub(before.calls),
        ..journey.tokens
    };
    result
}

impl Journey<'_, '_> {
    async fn go(&mut self, session: &Session) -> NavigationResult {
        while self.trace.may_go_on() {
            let Some(page) = self.history.last().map(|(page, _)| Arc::clone(page)) else { break };
            let prompt = match self.prompt(&page) {
                Ok(prompt) => prompt,
                Err(error) => return failed(&error.to_string(), Some(&page), self.settings, self.goal),
            };
            let mut request = ChatRequest::new(vec![Message::user(prompt)]).in_form("action", schema());
            request.max_tokens = LONGEST_ANSWER;
            let answer = match session.ask(PROMPT.0, &request).await {
                Ok(answer) => answer,
                Err(error) => return failed(&told(&error), Some(&page), self.settings, self.goal),
            };
            self.tokens.input += answer.usage.input;
            self.tokens.output += answer.usage.output;
            let action = structured(&answer, &schema()).map_err(|fault| fault.to_string());
            let action =
                action.and_then(|value| serde_json::from_value::<Answer>(value).map_err(|error| error.to_string()));
            let next = match action {
                Ok(action) => self.act(&page, &action).await,
                Err(fault) => {
                    let echo = cut(&answer.text, LONGEST_ECHO);
                    self.trace.step(format!("ANSWER '{echo}'"), format!("no action: {fault}. Respond with JSON only"));
                    Next::GoOn
                }
            };
            match next {
                Next::GoOn => {}
                Next::Extracted => {
                    return NavigationResult {
                        success: true,
                        content: excerpt(&page, self.goal, self.settings.max_content_chars),
                        url: page.url.to_string(),
                        breadcrumb: page.place(),
                        ..NavigationResult::default()
                    };
                }
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

    async fn act(&mut self, page: &PageState, action: &Answer) -> Next {
        match action.tool {
            Tool::Click => {
                self.click(page, action.link_text.as_deref().unwrap_or_default()).await;
                Next::GoOn
            }
            Tool::Extract => self.extract(page),
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

    /// A sanity check, and no forced behaviour: a page of links holds no answer, and a page about another vehicle holds a wrong one.
    fn extract(&mut self, page: &PageState) -> Next {
        let refused = if !page.has_data {
            Some("this page has only links and no data: click deeper")
        } else if !self.is_about_context(page) {
            Some("neither this page nor the way to it names every value of the goal: find the right part of the manual")
        } else {
            None
        };
        self.trace.step("EXTRACT".to_owned(), refused.map_or_else(|| page.hint(), str::to_owned));
        if refused.is_none() { Next::Extracted } else { Next::GoOn }
    }

    fn is_about_context(&self, page: &PageState) -> bool {
        let way = self.history.iter().map(|(page, link)| format!("{} {link}", page.place()));
        walk::holds_with(page, &way.collect::<Vec<_>>().join(" "), self.goal)
    }

    fn prompt(&self, page: &PageState) -> Result<String, autoheal_llm::prompt::PromptError> {
        let path = self.trace.last(self.settings.max_path_history);
        let path: Vec<String> = path.iter().map(|step| format!("{} -> {}", step.action, step.result_hint)).collect();
        let links = links_shown(page, self.goal, self.settings.max_links_shown);
        let values = json!({
            "manual": self.home,
            "goal": self.goal.text,
            "context": self.goal.context,
            "path": path.join("\n"),
            "place": format!("{}\n{}", page.title, page.place()),
            "shown": links.len(),
            "left_out": page.links.len() - links.len(),
            "links": links.join("\n"),
            "has_data": page.has_data,
            "content": if page.has_data { excerpt(page, self.goal, self.settings.max_content_chars) } else { String::new() },
            "steps_left": self.trace.left(),
        });
        fill(PROMPT.0, PROMPT.1, values)
    }
}

/// The form of an action: a closed object, which every provider can enforce.
fn schema() -> Value {
    json!({
        "type": "object", "required": ["tool", "link_text"], "additionalProperties": false,
        "properties": {
            "tool": { "type": "string", "enum": ["click", "extract", "go_back", "not_found"] },
            "link_text": { "type": ["string", "null"] },
        },
    })
}

/// Returns the links of a page as a model sees them. If there are more than `most`, those that match the goal, in the order of the
/// page.
fn links_shown(page: &PageState, goal: &Goal, most: usize) -> Vec<String> {
    let names: Vec<String> = page.links.iter().map(full_name).collect();
    if names.len() <= most {
        return names;
    }
    let kept = nearest(&names, goal, |_| 1, most);
    kept.into_iter().filter_map(|place| names.get(place).cloned()).collect()
}

/// Returns the text of a page, in at most `most` characters: of a longer one, the passages that are most relevant to the goal,
/// in the order of the page.
fn excerpt(page: &PageState, goal: &Goal, most: usize) -> String {
    if page.content_text.chars().count() <= most {
        return page.content_text.clone();
    }
    let texts: Vec<String> = page.passages.iter().map(|passage| passage.text.clone()).collect();
    let kept = nearest(&texts, goal, |text| text.chars().count() + 2, most);
    let kept: Vec<&str> = kept.into_iter().filter_map(|place| texts.get(place).map(String::as_str)).collect();
    cut(&kept.join("\n\n"), most)
}

/// The places of the texts that are most relevant to the goal, as many as fit, in their order.
fn nearest(texts: &[String], goal: &Goal, size: impl Fn(&str) -> usize, most: usize) -> Vec<usize> {
    let context: Vec<&str> = goal.context.iter().map(|(_, value)| value.as_str()).collect();
    let mut relevance = Relevance::of(&format!("{} {}", goal.text, context.join(" ")));
    let read: Vec<_> = texts.iter().map(|text| relevance.read(text)).collect();
    for text in &read {
        relevance.learn(*text);
    }
    let mut ranked: Vec<(f64, usize)> = read
        .iter()
        .enumerate()
        .map(|(place, text)| (relevance.weight(text.found) * relevance.by_length(text.length), place))
        .collect();
    // A stable sort: of equals the first.
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut left = most;
    let mut kept = Vec::new();
    for (_, place) in ranked {
        let size = texts.get(place).map_or(0, |text| size(text));
        if size > left && !kept.is_empty() {
            break;
        }
        left = left.saturating_sub(size);
        kept.push(place);
        if left == 0 {
            break;
        }
    }
    kept.sort_unstable();
    kept
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

fn told(error: &ChatError) -> String {
    format!("the model cannot be asked: {error}")
}
