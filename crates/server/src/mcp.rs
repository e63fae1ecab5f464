//! The tools over the Model Context Protocol (specification 2025-06-18 and later, `tools`), as `rmcp` speaks it.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt as _};
use rmcp::{ErrorData, ServerHandler};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::tools::{self, Call, Services, Tool, ToolError};

/// Instructions for the assistant, about all tools together.
const INSTRUCTIONS: &str = "autoheal reads web pages and manuals, keeps scrapers going, and repairs repositories whose tests fail. It \
                            says when it could not: then do not make an answer up.";

/// The server failed to start, or stopped on its own.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client's initialization violates the protocol.
    #[error("the client does not speak the Model Context Protocol: {0}")]
    Beginning(String),
    /// The connection to the client broke.
    #[error("the connection to the client ended: {0}")]
    Connection(#[from] tokio::task::JoinError),
}

/// Serves a client until it leaves or `stop`.
///
/// # Errors
///
/// [`ServeError`].
pub async fn serve<R, W>(services: Services, input: R, output: W, stop: CancellationToken) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let calls = TaskTracker::new();
    let handler = Handler { services: Arc::new(services), calls: calls.clone() };
    let begun = tokio::select! {
        begun = handler.serve((input, output)) => begun,
        () = stop.cancelled() => return Ok(()),
    };
    let running = begun.map_err(|error| ServeError::Beginning(error.to_string()))?;
    let ending = running.cancellation_token();
    tokio::select! {
        ended = running.waiting() => {
            ended?;
        }
        () = stop.cancelled() => ending.cancel(),
    }
    // Every call has to stop now: it may have a task to cancel.
    calls.close();
    calls.wait().await;
    Ok(())
}

#[derive(Clone)]
struct Handler {
    services: Arc<Services>,
    /// The calls under way.
    calls: TaskTracker,
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("autoheal", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(INSTRUCTIONS.to_owned());
        info
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::tools().iter().map(|tool| described(*tool)).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = tools::find(&request.name)
            .ok_or_else(|| ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None))?;
        let _under_way = self.calls.token();
        let (sender, receiver) = mpsc::unbounded_channel::<String>();
        let telling = tell(receiver, context.clone());
        let input = Value::Object(request.arguments.unwrap_or_default());
        let calling = async move {
            // An error means that the client no longer listens.
            let progress = |line: String| drop(sender.send(line));
            let call = Call { user: None, stop: context.ct.clone(), progress: &progress };
            tools::call(tool, &self.services, input, &call).await
        };
        let (outcome, ()) = tokio::join!(calling, telling);
        let result = match outcome {
            Ok(answer) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
                result.structured_content = Some(answer.data);
                result
            }
            // The assistant is to read it: an error of the protocol would not be shown to it.
            Err(error @ (ToolError::InvalidInput(_) | ToolError::Failed(_) | ToolError::Stopped)) => {
                CallToolResult::error(vec![ContentBlock::text(error.to_string())])
            }
        };
        Ok(result.into())
    }
}

fn described(tool: &dyn Tool) -> rmcp::model::Tool {
    let annotations = ToolAnnotations::new().read_only(tool.is_read_only()).destructive(false);
    rmcp::model::Tool::new(tool.name(), tool.description(), Arc::new(tool.input()))
        .with_title(tool.title())
        .with_annotations(annotations)
}

/// Forwards lines as progress notifications, for clients that requested them.
async fn tell(mut lines: mpsc::UnboundedReceiver<String>, context: RequestContext<RoleServer>) {
    let token = context.meta.get_progress_token();
    let mut count = 0_u32;
    while let Some(line) = lines.recv().await {
        let Some(token) = &token else { continue };
        count = count.saturating_add(1);
        let progress = ProgressNotificationParam::new(token.clone(), f64::from(count)).with_message(line);
        if context.peer.notify_progress(progress).await.is_err() {
            tracing::debug!("the client no longer receives progress");
        }
    }
}
