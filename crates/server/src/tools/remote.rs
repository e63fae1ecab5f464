//! Work that a worker process does for the server: calls of tools, and work on stored pages.

use std::fmt::Display;

use async_trait::async_trait;
use autoheal_orchestrator::Crew;
use autoheal_orchestrator::crew::CallError;
use autoheal_orchestrator::crew::performer::Callee;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{Answer, Call, Services, Tool, ToolError, find};
use crate::pages;

/// The name of the call for a tool.
const TOOL: &str = "tool";

/// A call of a tool, on its way to a worker process.
#[derive(Debug, Serialize, Deserialize)]
struct ToolCall {
    tool: String,
    input: Value,
    user: Option<String>,
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
        if name == TOOL {
            return match self.tool(input, progress, stop).await {
                Ok(answer) => serde_json::to_value(answer).map_err(|error| plain(&error)),
                Err(error) => Err(serde_json::to_value(&error).unwrap_or_else(|error| plain(&error))),
            };
        }
        let performed = pages::perform(name, &input, &self.0.store).await;
        performed.unwrap_or_else(|| Err(format!("there is no call `{name}`"))).map_err(Value::String)
    }
}
