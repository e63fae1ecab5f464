//! The tools that an assistant can call. A new one is a file here and a line in [`tools`].

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use autoheal_engine::event::{Event, EventBody};
use autoheal_engine::{Outcome, with_causes};
use autoheal_fetch::Fetcher;
use autoheal_llm::Models;
use autoheal_orchestrator::{Crew, EventFeed, Notifier, PerformError, Worker};
use autoheal_store::{RunRow, Store};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

mod extract;
mod heal;
mod healing;
mod navigate;
pub mod remote;
mod source_list;
mod source_run;

pub(crate) use healing::new_task;
pub use healing::{AllowedRepository, AllowedRepositoryError, Healing, Repositories, Webhook};

/// Services that the tools use. Cheap to clone.
#[derive(Clone)]
pub struct Services {
    /// The database with tasks, runs and sources.
    pub store: Store,
    /// Fetcher of web pages.
    pub fetcher: Arc<Fetcher>,
    /// The language models; `None`: none.
    pub models: Option<Models>,
    /// Settings for extraction with language models.
    pub extraction: autoheal_extract::ModelSettings,
    /// The limits of a navigation.
    pub navigation: autoheal_navigate::Settings,
    /// Folder with the indexes of manuals that were built on this machine; `None`: none are used.
    pub manuals: Option<PathBuf>,
    /// Worker that runs tasks; its concurrency limits apply to all calls together.
    pub worker: Worker,
    /// The worker processes that read pages for calls; `None`: this process reads them.
    pub crew: Option<Crew>,
    /// Repositories that may be healed, and the settings for healing them.
    pub healing: Healing,
    /// Notifier that delivers the alerts and changes that runs leave behind.
    pub notifier: Arc<Notifier>,
    /// Settings of the webhook through which GitHub reports failing CI.
    pub webhook: Webhook,
}

/// Context of a call: the user, cancellation, and progress reports.
pub struct Call<'a> {
    /// User on whose behalf the assistant makes the call, for the usage statistics.
    pub user: Option<String>,
    /// Cancelled when the caller stops waiting for the response.
    pub stop: CancellationToken,
    /// Receives the progress of the call, one line each time.
    pub progress: &'a (dyn Fn(String) + Send + Sync),
}

/// Response of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Text for a reader, as Markdown.
    pub text: String,
    /// Structured data for a program.
    pub data: Value,
}

/// Reason a tool call failed.
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolError {
    /// The input is invalid.
    #[error("{0}")]
    InvalidInput(String),
    /// The tool could not do its work.
    #[error("{0}")]
    Failed(String),
    /// The caller stopped waiting for the response.
    #[error("stopped: the caller no longer waits for the answer")]
    Stopped,
}

impl ToolError {
    /// Returns an error for invalid input.
    pub fn invalid(why: impl Display) -> Self {
        Self::InvalidInput(why.to_string())
    }

    /// Returns an error for any other cause, with the chain of its sources.
    pub fn failed(error: &(dyn std::error::Error + 'static)) -> Self {
        Self::Failed(with_causes(error))
    }
}

impl From<PerformError> for ToolError {
    fn from(error: PerformError) -> Self {
        match error {
            PerformError::Stopped(_) | PerformError::Cancelled(_) => Self::Stopped,
            error => Self::failed(&error),
        }
    }
}

/// A tool that an assistant can call.
#[async_trait]
pub trait Tool: Send + Sync {
    /// Returns the name: letters and `_`.
    fn name(&self) -> &'static str;

    /// Returns the title: the purpose of the tool, in a few words.
    fn title(&self) -> &'static str;

    /// Returns the description of the tool, for a model that chooses among tools.
    fn description(&self) -> &'static str;

    /// Returns the JSON Schema of the input: an object.
    fn input(&self) -> Map<String, Value>;

    /// Returns whether the tool changes nothing.
    fn is_read_only(&self) -> bool;

    /// Returns whether the call itself reads pages, which a worker process does; over HTTP, only a few such calls run at once.
    fn reads_pages(&self) -> bool {
        false
    }

    /// Runs the tool.
    ///
    /// # Errors
    ///
    /// [`ToolError`].
    async fn call(&self, services: &Services, input: Value, call: &Call<'_>) -> Result<Answer, ToolError>;
}

/// Returns all tools.
pub fn tools() -> &'static [&'static dyn Tool] {
    &[&navigate::Navigate, &extract::Extract, &source_list::SourceList, &source_run::SourceRun, &heal::Heal]
}

/// The tool of that name.
pub fn find(name: &str) -> Option<&'static dyn Tool> {
    tools().iter().find(|tool| tool.name() == name).copied()
}

/// Calls a tool, in a worker process when it reads pages.
///
/// # Errors
///
/// [`ToolError`].
pub async fn call(tool: &dyn Tool, services: &Services, input: Value, call: &Call<'_>) -> Result<Answer, ToolError> {
    match &services.crew {
        Some(crew) if tool.reads_pages() => remote::call(crew, tool, input, call).await,
        Some(_) | None => tool.call(services, input, call).await,
    }
}

/// The schema of an input.
fn schema_of<T: JsonSchema>() -> Map<String, Value> {
    // Models do not resolve references.
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let Value::Object(mut schema) = schema.to_value() else { return Map::new() };
    schema.remove("$schema");
    schema.remove("title");
    // The tool's own description replaces that of the type.
    schema.remove("description");
    schema
}

/// The input of a tool; unknown settings are refused.
fn parse<T: DeserializeOwned>(input: Value) -> Result<T, ToolError> {
    serde_json::from_value(input).map_err(ToolError::invalid)
}

/// Waits for the work, and reports the events of its feed as progress.
async fn told<T>(feed: &EventFeed, call: &Call<'_>, work: impl Future<Output = T>) -> T {
    let mut feed = feed.watch();
    let tell = |event: &Event| line_of(&event.body).into_iter().for_each(|line| (call.progress)(line));
    tokio::pin!(work);
    let done = loop {
        tokio::select! {
            done = &mut work => break done,
            event = feed.recv() => match event {
                Ok(event) => tell(&event),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => break work.await,
            },
        }
    };
    while let Ok(event) = feed.try_recv() {
        tell(&event);
    }
    done
}

/// Returns the progress line for an event; `None` if the event is not worth a line.
fn line_of(event: &EventBody) -> Option<String> {
    match event {
        EventBody::RunStarted { target } => Some(format!("begins: {target}")),
        EventBody::RunResumed { node } => Some(format!("resumes at {node}")),
        EventBody::NodeStarted { node, .. } => Some(node.clone()),
        EventBody::NodeFailed { node, error, .. } => Some(format!("{node} failed: {error}")),
        EventBody::Note { topic, message, .. } => Some(format!("{topic}: {message}")),
        EventBody::Progress { message, .. } => Some(message.clone()),
        EventBody::RunFinished { outcome, stop_reason } => {
            Some(outcome.map_or_else(|| format!("ended: {stop_reason}"), |outcome| format!("{outcome}: {stop_reason}")))
        }
        EventBody::NodeFinished { .. } => None,
    }
}

/// An ended run as an answer.
fn answer_of(row: &RunRow) -> Answer {
    let outcome = row.outcome.map_or("unknown", Outcome::name);
    let stop_reason = row.stop_reason.as_deref().unwrap_or("unknown");
    let text = match &row.report {
        Some(report) => report.clone(),
        None => format!("{}: {outcome} ({stop_reason})", row.target),
    };
    let data = json!({
        "run": row.run.to_string(),
        "target": row.target,
        "is_well": row.is_well(),
        "outcome": outcome,
        "stop_reason": stop_reason,
        "results": row.results,
    });
    Answer { text, data }
}
