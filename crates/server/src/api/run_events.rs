//! Events of a run, live and from the beginning: server-sent events with replay.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use autoheal_engine::event::{Event, EventBody};
use autoheal_engine::{Outcome, RunId, StopReason};
use autoheal_orchestrator::EventFeed;
use autoheal_store::{Store, StoreError};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{self, KeepAlive, Sse};
use serde::{Deserialize, Serialize};
use tokio::sync::{broadcast, mpsc};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use utoipa::{IntoParams, ToSchema};

use super::error::{ApiError, ErrorResponse};
use super::request::{Path, Query};
use super::runs::find;
use super::schema::Time;
use super::{Shared, tag};

/// Polling interval for events that workers in other processes have stored.
const LOOK: Duration = Duration::from_millis(500);

/// Maximum number of events that a slow reader may lag behind before it is disconnected (it resumes with `Last-Event-ID`).
const BEHIND: usize = 256;

/// An event of a run, as clients receive it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunEvent {
    /// Position of the event in the run; 0 for an event that is only sent live.
    pub sequence: i64,
    /// Time of the event.
    pub at: Time,
    /// Type and data of the event.
    #[serde(flatten)]
    pub what: What,
}

/// An event on the connection (WHATWG HTML, "Server-sent events").
#[derive(Debug, Clone, ToSchema)]
pub struct ServerSentEvent {
    /// Position of the event in the run; absent for an event that is only sent live, and for `end`.
    pub id: Option<String>,
    /// Type of the event; `end` follows `run_finished`.
    pub event: String,
    /// The event: a `RunEvent` as JSON; for `end` an empty object.
    #[schema(content_media_type = "application/json")]
    pub data: String,
}

/// Type and data of an event.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum What {
    /// The run's first step is about to begin.
    RunStarted {
        /// Source or repository that the run is about.
        target: String,
    },
    /// A worker took over a run that another had begun.
    RunResumed {
        /// Node at which the run resumes.
        node: String,
    },
    /// A node was started.
    NodeStarted {
        /// Name of the node.
        node: String,
        /// Number of the attempt, from 1.
        attempt: u32,
    },
    /// An attempt at a node failed.
    NodeFailed {
        /// Name of the node.
        node: String,
        /// Number of the attempt, from 1.
        attempt: u32,
        /// Error of the attempt.
        error: String,
        /// True if the node is retried.
        retry: bool,
    },
    /// A node finished.
    NodeFinished {
        /// Name of the node.
        node: String,
        /// Running time of the node, in milliseconds.
        millis: u64,
    },
    /// Information about the run.
    Note {
        /// Node that reports it.
        node: String,
        /// Topic of the note.
        topic: String,
        /// Message, in one line.
        message: String,
    },
    /// Progress of a long step; sent live only.
    Progress {
        /// Node that reports it.
        node: String,
        /// Message, in one line.
        message: String,
    },
    /// The run finished.
    RunFinished {
        /// Outcome of the run.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(schema_with = super::schema::outcome)]
        outcome: Option<Outcome>,
        /// Reason the run ended.
        #[serde(rename = "stopReason")]
        stop_reason: String,
        /// Explanation of the reason: a clause.
        #[serde(skip_serializing_if = "Option::is_none")]
        explanation: Option<&'static str>,
    },
}

impl What {
    const fn name(&self) -> &'static str {
        match self {
            Self::RunStarted { .. } => "run_started",
            Self::RunResumed { .. } => "run_resumed",
            Self::NodeStarted { .. } => "node_started",
            Self::NodeFailed { .. } => "node_failed",
            Self::NodeFinished { .. } => "node_finished",
            Self::Note { .. } => "note",
            Self::Progress { .. } => "progress",
            Self::RunFinished { .. } => "run_finished",
        }
    }
}

impl From<EventBody> for What {
    fn from(body: EventBody) -> Self {
        match body {
            EventBody::RunStarted { target } => Self::RunStarted { target },
            EventBody::RunResumed { node } => Self::RunResumed { node },
            EventBody::NodeStarted { node, attempt } => Self::NodeStarted { node, attempt },
            EventBody::NodeFailed { node, attempt, error, retry } => Self::NodeFailed { node, attempt, error, retry },
            EventBody::NodeFinished { node, millis } => Self::NodeFinished { node, millis },
            EventBody::Note { node, topic, message } => Self::Note { node, topic, message },
            EventBody::Progress { node, message } => Self::Progress { node, message },
            EventBody::RunFinished { outcome, stop_reason } => {
                let explanation = StopReason::from_name(&stop_reason).map(StopReason::explanation);
                Self::RunFinished { outcome, stop_reason, explanation }
            }
        }
    }
}

/// An event, written once for all who read.
#[derive(Debug, Clone)]
struct Told {
    sequence: i64,
    resumes: bool,
    ends: bool,
    line: sse::Event,
}

impl Told {
    fn of(event: Event) -> Self {
        let sequence = event.sequence;
        let event = RunEvent { sequence, at: Time(event.at), what: event.body.into() };
        let (resumes, ends) = match event.what {
            What::RunResumed { .. } => (true, false),
            What::RunFinished { .. } => (false, true),
            _ => (false, false),
        };
        // Names and texts are data of JSON: the line cannot be broken by them.
        let data = serde_json::to_string(&event).unwrap_or_default();
        let line = sse::Event::default().event(event.what.name()).data(data);
        let line = if sequence > 0 { line.id(sequence.to_string()) } else { line };
        Self { sequence, resumes, ends, line }
    }
}

/// Position of a reader in the events of a run. When a run is resumed, events from the number of `run_resumed` on that were sent
/// but not stored are void, and their numbers are assigned again.
#[derive(Debug, Clone, Copy)]
struct Cursor {
    last: i64,
    resumed: i64,
}

impl Cursor {
    const fn at(last: i64) -> Self {
        Self { last, resumed: 0 }
    }

    /// Returns whether the event is new to the reader; a new event becomes the reader's position.
    const fn advance(&mut self, told: &Told) -> bool {
        let is_news = if told.resumes { told.sequence != self.resumed } else { told.sequence > self.last };
        if is_news {
            self.last = told.sequence;
            if told.resumes {
                self.resumed = told.sequence;
            }
        }
        is_news || told.sequence == 0
    }
}

/// Followers of runs. Each run with at least one reader has a single task that polls the database, for all its readers together.
#[derive(Clone)]
pub(crate) struct Followers {
    store: Store,
    feed: EventFeed,
    stop: CancellationToken,
    followed: Arc<Mutex<HashMap<RunId, broadcast::Sender<Told>>>>,
}

impl Followers {
    pub(crate) fn new(store: Store, feed: EventFeed, stop: CancellationToken) -> Self {
        Self { store, feed, stop, followed: Arc::default() }
    }

    /// The events of a run with numbers above `after`, and those to come until it ends.
    async fn read(&self, run: RunId, after: i64) -> Result<mpsc::Receiver<Result<sse::Event, Infallible>>, StoreError> {
        // Subscribe first, then read the past events: no event is lost in between.
        let live = self.follow(run, self.store.last_event(run).await?);
        // Read before the events: a run that has ended by now has stored all of them.
        let was_over = self.is_over(run).await?;
        let mut past: Vec<Event> = self.store.events(run, 0).await?;
        // A reader that is ahead may have read events that were never stored.
        let resumed = past.iter().find(|event| matches!(event.body, EventBody::RunResumed { .. }));
        let after = resumed.map_or(after, |event| after.min(event.sequence - 1));
        past.retain(|event| event.sequence > after);
        let stored = past.last().map_or(after, |event| event.sequence);
        past.extend(self.feed.latest(run).into_iter().filter(|event| event.sequence > stored));
        // If a run was closed with its task and then resumed with it, its events contain an end that did not last.
        let ends = past.last().is_some_and(|event| matches!(event.body, EventBody::RunFinished { .. }));
        let is_over = was_over || (ends && self.is_over(run).await?);
        let (sender, receiver) = mpsc::channel(16);
        tokio::spawn(tell(past, live, after, is_over, sender, self.stop.clone()));
        Ok(receiver)
    }

    async fn is_over(&self, run: RunId) -> Result<bool, StoreError> {
        Ok(self.store.run(run).await?.is_none_or(|row| row.finished_at.is_some()))
    }

    /// Joins the followers of a run. For the first one, events after `stored`, the last stored event, are published from now on.
    fn follow(&self, run: RunId, stored: i64) -> broadcast::Receiver<Told> {
        let mut followed = self.lock();
        if let Some(sender) = followed.get(&run) {
            return sender.subscribe();
        }
        let (sender, receiver) = broadcast::channel(BEHIND);
        followed.insert(run, sender.clone());
        drop(followed);
        let (followers, feed) = (self.clone(), self.feed.watch());
        tokio::spawn(async move {
            if let Err(error) = followers.publish(run, stored, feed, &sender).await {
                tracing::warn!(%run, %error, "the events of a run cannot be read");
                followers.lock().remove(&run);
            }
        });
        receiver
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RunId, broadcast::Sender<Told>>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes the events of a run until it ends or the last reader disconnects.
    async fn publish(
        &self,
        run: RunId,
        mut stored: i64,
        mut feed: broadcast::Receiver<Event>,
        sender: &broadcast::Sender<Told>,
    ) -> Result<(), StoreError> {
        // Events of the running node are not stored yet; readers get them from the feed's memory.
        let said = self.feed.latest(run).last().map_or(0, |event| event.sequence);
        let mut cursor = Cursor::at(stored.max(said));
        let mut look = tokio::time::interval(LOOK);
        loop {
            let mut is_live = false;
            let news = tokio::select! {
                () = self.stop.cancelled() => Vec::new(),
                _ = look.tick() => self.store.events(run, stored).await?,
                event = feed.recv() => match event {
                    Ok(event) if event.run == run => {
                        is_live = true;
                        vec![event]
                    }
                    // Who was too slow for the feed finds the same in the database.
                    Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => continue,
                    Err(broadcast::error::RecvError::Closed) => self.store.events(run, stored).await?,
                },
            };
            let mut ends = self.stop.is_cancelled();
            for event in news {
                let told = Told::of(event);
                if !is_live {
                    stored = told.sequence;
                } else if told.sequence > cursor.last + 1 {
                    // Events after a gap come from the database when the gap is filled.
                    continue;
                }
                if cursor.advance(&told) {
                    ends |= told.ends;
                    // An error means that there is no reader.
                    let _ = sender.send(told);
                }
            }
            let mut followed = self.lock();
            // Under the lock: no reader can subscribe between the check and the end.
            if ends || sender.receiver_count() == 0 {
                followed.remove(&run);
                return Ok(());
            }
        }
    }
}

/// Sends the past events to a reader, and then the new ones as they happen.
async fn tell(
    past: Vec<Event>,
    mut live: broadcast::Receiver<Told>,
    after: i64,
    is_over: bool,
    reader: mpsc::Sender<Result<sse::Event, Infallible>>,
    stop: CancellationToken,
) {
    let mut cursor = Cursor::at(after);
    for event in past {
        let told = Told::of(event);
        cursor.advance(&told);
        if reader.send(Ok(told.line)).await.is_err() {
            return;
        }
    }
    // Who has read the last event already hears that it was the last.
    if is_over {
        return end(&reader).await;
    }
    loop {
        let told = tokio::select! {
            () = stop.cancelled() => return,
            () = reader.closed() => return,
            told = live.recv() => match told {
                Ok(told) => told,
                // Without an end: the reader asks again, and misses nothing.
                Err(_) => return,
            },
        };
        if !cursor.advance(&told) {
            continue;
        }
        let ends = told.ends;
        if reader.send(Ok(told.line)).await.is_err() {
            return;
        }
        if ends {
            return end(&reader).await;
        }
    }
}

async fn end(reader: &mpsc::Sender<Result<sse::Event, Infallible>>) {
    // An error means that there is no reader.
    let _ = reader.send(Ok(sse::Event::default().event("end").data("{}"))).await;
}

/// Position in the run from which events are sent.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct EventQuery {
    /// Only events with a higher number; the header `Last-Event-ID` takes precedence.
    #[param(minimum = 0)]
    after: Option<i64>,
}

/// Watch a run
///
/// Server-sent events: `id` is the event's number, `event` its type, `data` a `RunEvent`. `end` follows `run_finished`, and the
/// connection is closed. A client that was disconnected resumes with `Last-Event-ID`. The events after `run_resumed` reuse the numbers
/// from its own on: discard the earlier events with these numbers. A client that reconnects receives all events from there on again.
#[utoipa::path(get, path = "/api/runs/{run_id}/events", operation_id = "watchRun", tag = tag::RUNS,
    params(
        ("run_id" = String, Path, format = Uuid, description = "The run's name"),
        ("Last-Event-ID" = Option<i64>, Header, description = "The number of the last event that was read", minimum = 0),
        EventQuery
    ), responses(
    (status = 200, description = "The events", body = ServerSentEvent, content_type = "text/event-stream"),
    (status = 404, description = "There is no such run", body = ErrorResponse)))]
pub(super) async fn watch(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    Query(query): Query<EventQuery>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<sse::Event, Infallible>>>, ApiError> {
    let row = find(&shared, &run).await?;
    let header = headers.get("last-event-id").map(|value| value.to_str().ok().and_then(|text| text.parse().ok()));
    let read: Option<i64> = header.flatten();
    if (header.is_some() && read.is_none()) || [read, query.after].into_iter().flatten().any(i64::is_negative) {
        return Err(ApiError::invalid("Last-Event-ID and `after` are numbers of events: 0 or more"));
    }
    // The position that a reconnecting browser sends overrides the initial one of the page.
    let after = read.or(query.after).unwrap_or(0);
    let events = shared.followers.read(row.run, after).await?;
    Ok(Sse::new(ReceiverStream::new(events)).keep_alive(KeepAlive::default()))
}

#[cfg(test)]
mod tests {
    use autoheal_engine::Timestamp;
    use uuid::Uuid;

    use super::*;

    fn told(sequence: i64, resumes: bool) -> Told {
        let node = "fix".to_owned();
        let body = if resumes { EventBody::RunResumed { node } } else { EventBody::NodeStarted { node, attempt: 1 } };
        Told::of(Event { run: RunId(Uuid::nil()), sequence, at: Timestamp::from_millis(0), body })
    }

    #[test]
    fn what_is_told_twice_is_news_once() {
        let mut cursor = Cursor::at(3);
        let heard = [3, 4, 4, 0, 0, 5, 2].map(|sequence| cursor.advance(&told(sequence, false)));
        assert_eq!(heard, [false, true, false, true, true, true, false]);
    }

    #[test]
    fn numbers_that_a_lost_worker_gave_are_given_again() {
        let mut cursor = Cursor::at(0);
        let heard = |cursor: &mut Cursor, events: &[(i64, bool)]| -> Vec<i64> {
            let news = events.iter().filter(|(sequence, resumes)| cursor.advance(&told(*sequence, *resumes)));
            news.map(|(sequence, _)| *sequence).collect()
        };
        // Told live; the last two were never stored.
        assert_eq!(heard(&mut cursor, &[(1, false), (2, false), (3, false), (4, false)]), [1, 2, 3, 4]);
        // What the database says of the other worker, twice.
        assert_eq!(heard(&mut cursor, &[(2, false), (3, true), (4, false), (5, false)]), [3, 4, 5]);
        assert_eq!(heard(&mut cursor, &[(3, true), (4, false), (5, false), (6, false)]), [6]);
    }
}
