//! A call that is under way: it goes on beside the connection, and is told to stop when nobody waits for it any more.

use std::convert::Infallible;

use autoheal_engine::ErrorCode;
use axum::Json;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt as _};
use tokio_util::sync::DropGuard;

use super::Shared;
use crate::api::error::{ApiCode, ApiError};
use crate::api::tools::ToolAnswer;
use crate::tools::{self, Answer, Call, Tool, ToolError};

/// So many lines of progress a reader may be behind.
const BEHIND: usize = 256;

/// What is said of a call.
enum Said {
    Progress(String),
    Ended(Result<Answer, ToolError>),
}

/// A call under way. Dropping it stops the call.
pub(super) struct UnderWay {
    said: mpsc::Receiver<Said>,
    stop: DropGuard,
}

/// Begins a call.
pub(super) fn begin(tool: &'static dyn Tool, shared: &Shared, input: Value, user: Option<String>) -> UnderWay {
    let (sender, said) = mpsc::channel(BEHIND);
    let (services, stop) = (shared.services.clone(), shared.stop.child_token());
    let guard = stop.clone().drop_guard();
    shared.calls.spawn(async move {
        let telling = sender.clone();
        // A reader who is slow, or gone, hears less of how far it is.
        let progress = move |line: String| drop(telling.try_send(Said::Progress(line)));
        let call = Call { user, stop, progress: &progress };
        let outcome = tools::call(tool, &services, input, &call).await;
        // An error says that nobody waits for it any more.
        drop(sender.send(Said::Ended(outcome)).await);
    });
    UnderWay { said, stop: guard }
}

impl UnderWay {
    /// The answer, when it is there.
    pub(super) async fn into_answer(mut self) -> Response {
        while let Some(said) = self.said.recv().await {
            if let Said::Ended(outcome) = said {
                return match outcome {
                    Ok(answer) => Json(document(answer)).into_response(),
                    Err(failure) => ApiError::new(code_of(&failure), failure.to_string()).into_response(),
                };
            }
        }
        ApiError::new(ApiCode::Internal, "the tool broke off: see the server's log").into_response()
    }

    /// Progress and the answer as server-sent events.
    pub(super) fn into_events(self) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
        let Self { said, stop } = self;
        let events = ReceiverStream::new(said).map(move |said| {
            // Kept as long as somebody reads.
            let _reading = &stop;
            Ok(event(said))
        });
        Sse::new(events).keep_alive(KeepAlive::default())
    }
}

fn event(said: Said) -> Event {
    let (name, data) = match said {
        Said::Progress(line) => ("progress", json!({ "message": line })),
        Said::Ended(Ok(answer)) => ("answer", json!(document(answer))),
        Said::Ended(Err(failure)) => {
            ("error", json!({ "code": code_of(&failure).name(), "message": failure.to_string() }))
        }
    };
    Event::default().event(name).data(data.to_string())
}

fn document(answer: Answer) -> ToolAnswer {
    ToolAnswer { text: answer.text, data: answer.data }
}

const fn code_of(failure: &ToolError) -> ApiCode {
    match failure {
        ToolError::InvalidInput(_) => ApiCode::Spec(ErrorCode::InvalidInput),
        ToolError::Failed(_) => ApiCode::ToolFailed,
        ToolError::Stopped => ApiCode::Stopped,
    }
}
