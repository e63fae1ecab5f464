use std::fmt::Write as _;

use async_trait::async_trait;
use autoheal_navigate::{FetchedPages, Goal, Guide, NavigationResult, Navigator, PathStep, Progress};
use autoheal_store::ManualIndex;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use url::Url;

use super::{Answer, Call, Services, Tool, ToolError, parse, schema_of};

/// Finds an answer in a manual.
pub(super) struct Navigate;

/// The question and the manual.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Goal: a few words such as "oil capacity", or a question.
    goal: String,
    /// The address of the manual's home page, or of any page of it.
    start: Url,
    /// The make of the vehicle that it is about, such as Jeep.
    make: Option<String>,
    /// Its year, such as 2012.
    year: Option<String>,
    /// Its model, such as Liberty.
    model: Option<String>,
    /// Engine of the vehicle.
    engine: Option<String>,
    /// Further divisions of the manual, in that order: pairs of a name and a value.
    #[serde(default)]
    context: Vec<[String; 2]>,
    /// Let a language model choose the links, when the server has one; otherwise a search does. Default: true.
    #[serde(default = "default_ask_model")]
    ask_model: bool,
    /// Pages looked at, at most. Never more than the server allows.
    #[schemars(range(min = 1))]
    max_steps: Option<u32>,
}

const fn default_ask_model() -> bool {
    true
}

#[async_trait]
impl Tool for Navigate {
    fn name(&self) -> &'static str {
        "navigate"
    }

    fn title(&self) -> &'static str {
        "Find an answer in a manual"
    }

    fn description(&self) -> &'static str {
        "Finds the answer to a question in an online manual of many pages by following its links. Answers with the passage or the row of \
         a table as written on the page, with the page's address, or says that it was not found."
    }

    fn input(&self) -> Map<String, Value> {
        schema_of::<Input>()
    }

    fn is_read_only(&self) -> bool {
        true
    }

    fn reads_pages(&self) -> bool {
        true
    }

    async fn call(&self, services: &Services, input: Value, call: &Call<'_>) -> Result<Answer, ToolError> {
        let input: Input = parse(input)?;
        if input.goal.trim().is_empty() {
            return Err(ToolError::InvalidInput("the goal is empty: say what to find".to_owned()));
        }
        if !matches!(input.start.scheme(), "http" | "https") {
            return Err(ToolError::InvalidInput("start is not the address of a web page".to_owned()));
        }
        let vehicle = [("make", input.make), ("year", input.year), ("model", input.model), ("engine", input.engine)];
        let vehicle = vehicle.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let others = input.context.into_iter().map(|[name, value]| (name, value));
        let known = vehicle.chain(others).filter(|(_, value)| !value.trim().is_empty());
        let goal = Goal { text: input.goal, context: known.collect() };
        let mut settings = services.navigation;
        settings.max_steps = input.max_steps.map_or(settings.max_steps, |steps| steps.max(1).min(settings.max_steps));
        let session = services
            .models
            .as_ref()
            .filter(|_| input.ask_model)
            .map(|models| models.session(Some(input.start.to_string()), call.user.clone(), None));
        let pages = FetchedPages::new(&services.fetcher, settings.http_timeout);
        let told = Told(call.progress);
        let index = index(services, &input.start, call).await;
        let navigator = Navigator::new(&pages, settings).telling(&told).with_index(index.as_ref());
        let guide = match (&session, &index) {
            (Some(session), _) => Guide::Model(session),
            (None, Some(index)) => Guide::Index(index),
            (None, None) => Guide::Search,
        };
        let result = tokio::select! {
            result = navigator.navigate(&input.start, &goal, guide) => result,
            () = call.stop.cancelled() => return Err(ToolError::Stopped),
        };
        if let Some(cause) = unreached(&result) {
            return Err(ToolError::Failed(format!("{} cannot be read: {cause}", input.start)));
        }
        let data = serde_json::to_value(&result).map_err(|error| ToolError::failed(&error))?;
        Ok(Answer { text: text(&result), data })
    }
}

/// Returns the index of a manual, if one was built; one that cannot be read is not used.
async fn index(services: &Services, start: &Url, call: &Call<'_>) -> Option<ManualIndex> {
    let path = services.manuals.as_ref()?.join(ManualIndex::file_name(start));
    match ManualIndex::open(&path).await {
        Ok(index) => index,
        Err(error) => {
            (call.progress)(format!("the index cannot be read: {error}"));
            None
        }
    }
}

struct Told<'a>(&'a (dyn Fn(String) + Send + Sync));

impl Progress for Told<'_> {
    fn step(&self, number: u32, step: &PathStep) {
        (self.0)(format!("{number}. {} -> {}", step.action, step.result_hint));
    }
}

/// Returns the reason not even the first page could be fetched, in which case nothing is known about the contents of the manual.
fn unreached(result: &NavigationResult) -> Option<&str> {
    if result.success || !result.url.is_empty() {
        return None;
    }
    let hint = result.path_taken.last().map_or(result.error.as_str(), |step| step.result_hint.as_str());
    Some(hint.strip_prefix("no page: ").unwrap_or(hint))
}

fn text(result: &NavigationResult) -> String {
    if result.success {
        return format!("{}\n\nsource: {}\nin: {}", result.content, result.url, result.breadcrumb);
    }
    let mut text = result.error.clone();
    if !result.content.is_empty() {
        let _ = write!(text, "\n\nthe last page, which is not an answer: {}\n{}", result.url, result.content);
    }
    text
}
