//! Work on pages that a worker process does for the server: calls of tools, and the drawing of stored pages.

use std::fmt::Display;

use async_trait::async_trait;
use autoheal_orchestrator::Crew;
use autoheal_orchestrator::crew::CallError;
use autoheal_orchestrator::crew::performer::Callee;
use autoheal_page::document::Document;
use autoheal_page::recipe::Recipe;
use autoheal_store::{Store, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::{Answer, Call, Services, Tool, ToolError, find};
use crate::marked;

/// The name of the call for a tool.
const TOOL: &str = "tool";

/// The name of the call for the drawing of a page.
const MARKED: &str = "marked";

/// A call of a tool, on its way to a worker process.
#[derive(Debug, Serialize, Deserialize)]
struct ToolCall {
    tool: String,
    input: Value,
    user: Option<String>,
}

/// A stored page to display.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DrawnPage {
    /// The source that it is a page of.
    pub(crate) source: String,
    /// Number of the stored page.
    pub(crate) snapshot: i64,
    /// The recipe whose fields are marked on it.
    pub(crate) recipe: Option<Recipe>,
}

impl DrawnPage {
    /// Returns the page as safe HTML; `None` when it is not kept.
    ///
    /// # Errors
    ///
    /// The reason why the worker process has no answer.
    pub(crate) async fn marked(self, services: &Services) -> Result<Option<String>, CallError> {
        let failed = |error: &dyn Display| CallError::Process(error.to_string());
        let Some(crew) = &services.crew else {
            return self.draw(&services.store).await.map_err(|error| failed(&error));
        };
        let input = serde_json::to_value(&self).map_err(|error| failed(&error))?;
        let html = crew.call(MARKED, &input, &|_| (), &CancellationToken::new()).await?;
        serde_json::from_value(html).map_err(|error| failed(&error))
    }

    async fn draw(self, store: &Store) -> Result<Option<String>, StoreError> {
        let Some((kept, content)) = store.kept_page(&self.source, self.snapshot).await? else { return Ok(None) };
        let document = Document::parse_bytes(&content);
        Ok(Some(marked::marked(&document, self.recipe.as_ref(), Url::parse(&kept.url).ok().as_ref())))
    }
}

/// Calls a tool in a worker process.
pub(super) async fn call(crew: &Crew, tool: &dyn Tool, input: Value, call: &Call<'_>) -> Result<Answer, ToolError> {
    let order = ToolCall { tool: tool.name().to_owned(), input, user: call.user.clone() };
    let order = serde_json::to_value(order).map_err(|error| ToolError::failed(&error))?;
    match crew.call(TOOL, &order, call.progress, &call.stop).await {
        Ok(answer) => serde_json::from_value(answer).map_err(|error| ToolError::failed(&error)),
        Err(CallError::Answered(error)) => {
            Err(serde_json::from_value(error).unwrap_or_else(|error| ToolError::failed(&error)))
        }
        Err(CallError::Stopped) => Err(ToolError::Stopped),
        Err(error @ CallError::Process(_)) => Err(ToolError::failed(&error)),
    }
}

/// Handler in a worker process for the tool calls that the server delegates.
pub struct RemoteTools(Services);

impl RemoteTools {
    /// Returns the tools with these services, which must not have worker processes themselves.
    pub fn new(services: Services) -> Self {
        Self(Services { crew: None, ..services })
    }

    async fn tool(
        &self,
        input: Value,
        progress: &(dyn Fn(String) + Send + Sync),
        stop: CancellationToken,
    ) -> Result<Answer, ToolError> {
        let ToolCall { tool, input, user } = super::parse(input)?;
        let tool = find(&tool).ok_or_else(|| ToolError::Failed(format!("there is no tool `{tool}`")))?;
        tool.call(&self.0, input, &Call { user, stop, progress }).await
    }
}

#[async_trait]
impl Callee for RemoteTools {
    async fn call(
        &self,
        name: &str,
        input: Value,
        progress: &(dyn Fn(String) + Send + Sync),
        stop: CancellationToken,
    ) -> Result<Value, Value> {
        let plain = |error: &dyn Display| Value::String(error.to_string());
        match name {
            TOOL => match self.tool(input, progress, stop).await {
                Ok(answer) => serde_json::to_value(answer).map_err(|error| plain(&error)),
                Err(error) => Err(serde_json::to_value(&error).unwrap_or_else(|error| plain(&error))),
            },
            MARKED => {
                let page: DrawnPage = serde_json::from_value(input).map_err(|error| plain(&error))?;
                page.draw(&self.0.store).await.map(|html| json!(html)).map_err(|error| plain(&error))
            }
            unknown => Err(plain(&format!("there is no call `{unknown}`"))),
        }
    }
}
