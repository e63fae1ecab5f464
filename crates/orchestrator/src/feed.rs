//! Events of the runs of this process, in one order.
//!
//! A watcher sees an event at once; the store gets it with the next checkpoint. Only the holder of a task's lease adds
//! events to its run, so the sequence number that is assigned here is the one that the store assigns.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use autoheal_engine::event::{Event, EventBody};
use autoheal_engine::task::{Task, TaskKind};
use autoheal_engine::{RunId, TaskId, Timestamp};
use tokio::sync::{broadcast, watch};

/// A task for whose end a caller of this process waits: its own, or another one of the same target, of which one is run at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Awaited {
    /// Number of the task.
    pub task: TaskId,
    /// Kind of the task.
    pub kind: TaskKind,
    /// The worker that runs it.
    pub worker: String,
}

/// Feed of the events of all runs in this process, for any number of watchers.
#[derive(Debug, Clone)]
pub struct EventFeed {
    sender: broadcast::Sender<Event>,
    awaited: watch::Sender<Option<Awaited>>,
    /// Latest events on their way to the store, for watchers that start before the store has them.
    latest: Arc<Mutex<VecDeque<Event>>>,
}

impl Default for EventFeed {
    fn default() -> Self {
        Self { sender: broadcast::channel(Self::CAPACITY).0, awaited: watch::Sender::new(None), latest: Arc::default() }
    }
}

impl EventFeed {
    /// Number of events that a slow watcher may be behind before it
    /// loses the oldest (the store still has them).
    pub const CAPACITY: usize = 1024;

    /// Every event from now on.
    pub fn watch(&self) -> broadcast::Receiver<Event> {
        self.sender.subscribe()
    }

    /// The task of another worker that is waited for; `None`: none was so far.
    pub fn awaited(&self) -> watch::Receiver<Option<Awaited>> {
        self.awaited.subscribe()
    }

    /// Tells that the task, which another worker runs, is waited for.
    pub(crate) fn await_end_of(&self, task: &Task) {
        let worker = task.lease_owner.clone().unwrap_or_default();
        let awaited = Some(Awaited { task: task.id, kind: task.kind, worker });
        self.awaited.send_if_modified(|known| {
            let is_new = *known != awaited;
            *known = awaited;
            is_new
        });
    }

    /// The latest events of a run in order, as far as they are remembered: those that the store does not have yet are among them.
    pub fn latest(&self, run: RunId) -> Vec<Event> {
        self.lock().iter().filter(|event| event.run == run).cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Event>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is(&self, other: &Self) -> bool {
        self.sender.same_channel(&other.sender)
    }

    fn announce(&self, event: Event) {
        if event.body.is_stored() {
            let mut latest = self.lock();
            // A resumed run counts from its stored events: later ones did not happen.
            latest.retain(|other| other.run != event.run || other.sequence < event.sequence);
            if latest.len() == Self::CAPACITY {
                latest.pop_front();
            }
            latest.push_back(event.clone());
        }
        // An error means that there is no subscriber.
        let _ = self.sender.send(event);
    }

    fn forget(&self, run: RunId) {
        self.lock().retain(|event| event.run != run);
    }
}

/// Feeds of callers in this process that wait for a target: they get the events of its runs, whichever clone
/// of the worker walks them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listeners(Arc<Mutex<Vec<(String, EventFeed)>>>);

impl Listeners {
    /// Sends `feed` the events of the runs for `target`, until the returned value is dropped.
    pub(crate) fn listen(&self, target: &str, feed: &EventFeed) -> Listening {
        let (target, feed) = (target.to_owned(), feed.clone());
        self.lock().push((target.clone(), feed.clone()));
        Listening { listeners: self.clone(), target, feed }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(String, EventFeed)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Registration of a listener; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Listening {
    listeners: Listeners,
    target: String,
    feed: EventFeed,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut all = self.listeners.lock();
        let mine = |(target, feed): &(String, EventFeed)| *target == self.target && feed.is(&self.feed);
        if let Some(index) = all.iter().position(mine) {
            all.swap_remove(index);
        }
    }
}

/// All receivers of a run's events.
#[derive(Debug, Clone)]
pub(crate) struct Audience {
    /// The feed of the worker that walks it.
    pub(crate) own: EventFeed,
    pub(crate) listeners: Listeners,
    /// Target of the run.
    pub(crate) target: String,
}

impl Audience {
    pub(crate) fn announce(&self, event: &Event) {
        self.feeds().iter().for_each(|feed| feed.announce(event.clone()));
    }

    pub(crate) fn forget(&self, run: RunId) {
        self.feeds().iter().for_each(|feed| feed.forget(run));
    }

    /// Each feed once, however often its owner listens.
    fn feeds(&self) -> Vec<EventFeed> {
        let mut feeds = vec![self.own.clone()];
        for (_, feed) in self.listeners.lock().iter().filter(|(target, _)| *target == self.target) {
            if !feeds.iter().any(|known| known.is(feed)) {
                feeds.push(feed.clone());
            }
        }
        feeds
    }
}

/// Tells when something happens.
pub(crate) type Clock = Box<dyn Fn() -> Timestamp + Send + Sync>;

/// The events of one run, on their way to the watchers and to the store.
pub(crate) struct RunFeed {
    run: RunId,
    audience: Audience,
    clock: Clock,
    pending: Mutex<Pending>,
}

struct Pending {
    last_sequence: i64,
    unstored: Vec<(Timestamp, EventBody)>,
}

impl RunFeed {
    /// The feed of a run whose stored events end with number `last_sequence`.
    pub(crate) fn new(run: RunId, audience: Audience, last_sequence: i64, clock: Clock) -> Self {
        Self { run, audience, clock, pending: Mutex::new(Pending { last_sequence, unstored: Vec::new() }) }
    }

    /// Tells the watchers now, and the store with the next checkpoint.
    pub(crate) fn emit(&self, body: EventBody) {
        let mut pending = self.lock();
        let event = self.number(&mut pending, (self.clock)(), body);
        if event.body.is_stored() {
            pending.unstored.push((event.at, event.body.clone()));
        }
        // Under the lock: two threads that emit must be seen in the order of their numbers.
        self.audience.announce(&event);
    }

    /// Tells the watchers about an event that the store has just taken after everything taken by [`RunFeed::take`].
    pub(crate) fn announce_stored(&self, at: Timestamp, body: EventBody) {
        let mut pending = self.lock();
        let event = self.number(&mut pending, at, body);
        self.audience.announce(&event);
    }

    /// Takes the events that the store does not have yet, for the transaction that is about to begin.
    pub(crate) fn take(&self) -> Vec<(Timestamp, EventBody)> {
        std::mem::take(&mut self.lock().unstored)
    }

    fn number(&self, pending: &mut Pending, at: Timestamp, body: EventBody) -> Event {
        let sequence = if body.is_stored() {
            pending.last_sequence += 1;
            pending.last_sequence
        } else {
            0
        };
        Event { run: self.run, sequence, at, body }
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RunFeed {
    /// By now the store has every event of the run that happened: any other belongs to a step that another worker repeats.
    fn drop(&mut self) {
        self.audience.forget(self.run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(message: &str) -> EventBody {
        EventBody::Note { node: "n".to_owned(), topic: "t".to_owned(), message: message.to_owned() }
    }

    fn clock() -> Clock {
        Box::new(Timestamp::default)
    }

    fn audience(own: EventFeed) -> Audience {
        Audience { own, listeners: Listeners::default(), target: "t".to_owned() }
    }

    fn progress() -> EventBody {
        EventBody::Progress { node: "n".to_owned(), message: "half".to_owned() }
    }

    #[test]
    fn watchers_see_everything_at_once_and_the_store_gets_all_but_progress() {
        let feed = EventFeed::default();
        let mut watcher = feed.watch();
        let run = RunFeed::new(RunId(uuid::Uuid::nil()), audience(feed), 7, clock());
        run.emit(note("a"));
        run.emit(progress());
        run.emit(note("b"));
        let seen: Vec<(i64, EventBody)> =
            std::iter::from_fn(|| watcher.try_recv().ok()).map(|event| (event.sequence, event.body)).collect();
        assert_eq!(seen, [(8, note("a")), (0, progress()), (9, note("b"))]);
        let stored: Vec<EventBody> = run.take().into_iter().map(|(_, body)| body).collect();
        assert_eq!(stored, [note("a"), note("b")]);
        assert!(run.take().is_empty());
        run.announce_stored(Timestamp::default(), note("c"));
        assert_eq!(watcher.try_recv().unwrap().sequence, 10);
        let sequences = |feed: &EventFeed| -> Vec<i64> {
            feed.latest(RunId(uuid::Uuid::nil())).iter().map(|event| event.sequence).collect()
        };
        assert_eq!(sequences(&run.audience.own), [8, 9, 10]);
        let resumed = RunFeed::new(RunId(uuid::Uuid::nil()), run.audience.clone(), 8, clock());
        resumed.emit(note("again"));
        assert_eq!(sequences(&run.audience.own), [8, 9], "what was not stored did not happen");
        assert!(run.take().is_empty(), "the store has it already");
        let audience = run.audience.clone();
        drop(run);
        assert_eq!(sequences(&audience.own), [0; 0], "the store is asked for what was");
    }

    #[test]
    fn whoever_waits_for_the_target_hears_of_its_run_once_and_while_they_wait() {
        let (own, waiting) = (EventFeed::default(), EventFeed::default());
        let mut watcher = waiting.watch();
        let audience = audience(own.clone());
        let listeners = audience.listeners.clone();
        let run = RunFeed::new(RunId(uuid::Uuid::nil()), audience, 0, clock());
        let mut heard = move || std::iter::from_fn(|| watcher.try_recv().ok()).count();
        let first = listeners.listen("t", &waiting);
        let _other_target = listeners.listen("u", &waiting);
        run.emit(note("a"));
        assert_eq!(heard(), 1);
        let second = listeners.listen("t", &waiting);
        run.emit(note("b"));
        assert_eq!(heard(), 1, "once, however often they ask");
        drop(first);
        run.emit(note("c"));
        assert_eq!(heard(), 1);
        drop(second);
        run.emit(note("d"));
        assert_eq!(heard(), 0);
    }

    #[test]
    fn threads_that_emit_at_once_are_seen_in_the_order_of_their_numbers() {
        let feed = EventFeed::default();
        let mut watcher = feed.watch();
        let run = RunFeed::new(RunId(uuid::Uuid::nil()), audience(feed), 0, clock());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..100).for_each(|_| run.emit(note("x"))));
            }
        });
        let seen: Vec<i64> = std::iter::from_fn(|| watcher.try_recv().ok()).map(|event| event.sequence).collect();
        assert_eq!(seen, (1..=400).collect::<Vec<i64>>());
    }
}
