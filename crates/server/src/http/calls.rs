//! Tool calls in progress. A call runs independently of its connection, and is cancelled when the client stops waiting.

use std::convert::Infallible;
use std::sync::Arc;

use autoheal_engine::ErrorCode;
use axum::Json;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt as _};
use tokio_util::sync::DropGuard;

use super::ServerState;
use crate::api::error::{ApiCode, ApiError};
use crate::api::tools::ToolAnswer;
use crate::tools::{self, Answer, Call, Tool, ToolError};

/// Maximum number of progress lines that a slow client may lag behind.
const BEHIND: usize = 256;

/// Message about a running call.
enum Said {
    Progress(String),
    Ended(Result<Answer, ToolError>),
}

/// Maximum number of pages read for tools at once, and of callers waiting; a page takes a processor and hundreds of megabytes.
const READ_AT_ONCE: usize = 2;
const WAITING: usize = 16;

/// Limits the number of concurrent tool calls that read pages.
#[derive(Clone)]
pub(super) struct Reading {
    admitted: Arc<Semaphore>,
    reading: Arc<Semaphore>,
}

impl Default for Reading {
    fn default() -> Self {
        let semaphore = |permits| Arc::new(Semaphore::new(permits));
        Self { admitted: semaphore(READ_AT_ONCE + WAITING), reading: semaphore(READ_AT_ONCE) }
    }
}

impl Reading {
    /// Returns a place in the queue for one more call.
    ///
    /// # Errors
    ///
    /// [`ApiCode::RateLimited`] when too many calls are waiting.
    pub(super) fn turn_for(&self, tool: &dyn Tool) -> Result<Turn, ApiError> {
        if !tool.reads_pages() {
            return Ok(Turn(None));
        }
        let admitted = Arc::clone(&self.admitted).try_acquire_owned().map_err(|_| {
            ApiError::new(ApiCode::RateLimited, "too many pages are waiting to be read: ask again later").after(5)
        })?;
        Ok(Turn(Some((admitted, Arc::clone(&self.reading)))))
    }
}

/// Place of a call in the queue; `None` when the tool reads no pages.
pub(super) struct Turn(Option<(OwnedSemaphorePermit, Arc<Semaphore>)>);

impl Turn {
    /// Waits until the call may start. The permits are held until the returned value is dropped.
    async fn come(self) -> Option<(OwnedSemaphorePermit, OwnedSemaphorePermit)> {
        let (admitted, reading) = self.0?;
        // It is never closed.
        reading.acquire_owned().await.ok().map(|reading| (admitted, reading))
    }
}

/// A call in progress. Dropping it stops the call.
pub(super) struct UnderWay {
    said: mpsc::Receiver<Said>,
    stop: DropGuard,
}

/// Starts a tool call, as soon as its turn in the queue comes.
pub(super) fn begin(
    tool: &'static dyn Tool,
    state: &ServerState,
    input: Value,
    user: Option<String>,
    turn: Turn,
) -> UnderWay {
    let (sender, said) = mpsc::channel(BEHIND);
    let (services, stop) = (state.api.services.clone(), state.api.stop.child_token());
    let guard = stop.clone().drop_guard();
    state.calls.spawn(async move {
        let telling = sender.clone();
        // A reader who is slow, or gone, hears less of how far it is.
        let progress = move |line: String| drop(telling.try_send(Said::Progress(line)));
        let _turn = turn.come().await;
        let call = Call { user, stop, progress: &progress };
        let outcome = tools::call(tool, &services, input, &call).await;
        // An error means that the client no longer waits for it.
        drop(sender.send(Said::Ended(outcome)).await);
    });
    UnderWay { said, stop: guard }
}

impl UnderWay {
    /// Returns the response, when the call has ended.
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
            // Kept as long as the client reads.
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

#[cfg(test)]
mod tests {
    use std::pin::Pin;

    use futures_util::FutureExt as _;

    use super::*;
    use crate::tools;

    #[tokio::test]
    async fn a_crowd_that_wants_pages_read_is_asked_to_come_again() {
        let reading = Reading::default();
        let turn = |name: &str| reading.turn_for(tools::find(name).unwrap());
        let mut turns: Vec<Turn> = (0..READ_AT_ONCE + WAITING).map(|_| turn("extract").ok().unwrap()).collect();
        let refused = turn("navigate").err().unwrap().into_response();
        assert_eq!((refused.status().as_u16(), refused.headers()["retry-after"].to_str().unwrap()), (429, "5"));
        assert!(turn("source_list").is_ok(), "what reads no page waits for nobody");

        let mut running = Vec::new();
        for _ in 0..READ_AT_ONCE {
            running.push(turns.pop().unwrap().come().await);
        }
        let mut next = waiting(turns.pop().unwrap());
        assert!(next.as_mut().now_or_never().is_none(), "no more at once");
        running.pop();
        assert!(next.now_or_never().flatten().is_some());
        assert!(turn("navigate").is_ok(), "and one more may wait");
    }

    type Permits = (OwnedSemaphorePermit, OwnedSemaphorePermit);

    fn waiting(turn: Turn) -> Pin<Box<dyn Future<Output = Option<Permits>>>> {
        Box::pin(turn.come())
    }
}
