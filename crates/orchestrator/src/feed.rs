//! What happens in the runs of this process, in one order.
//!
//! Whoever watches sees an event at once; the store gets it with the next checkpoint. Only the holder of a task's lease
//! adds events to its run, so the sequence number that is given here is the one that the store gives.

use std::sync::{Mutex, MutexGuard, PoisonError};

use autoheal_engine::event::{Event, EventBody};
use autoheal_engine::{RunId, Timestamp};
use tokio::sync::broadcast;

use crate::clock::now;

/// The events of every run in this process, for whoever watches.
#[derive(Debug, Clone)]
pub struct EventFeed {
    sender: broadcast::Sender<Event>,
}

impl Default for EventFeed {
    fn default() -> Self {
        Self { sender: broadcast::channel(Self::CAPACITY).0 }
    }
}

impl EventFeed {
    /// How many events a slow watcher may be behind before it loses the oldest (the store still has them).
    pub const CAPACITY: usize = 1024;

    /// Every event from now on.
    pub fn watch(&self) -> broadcast::Receiver<Event> {
        self.sender.subscribe()
    }

    fn announce(&self, event: Event) {
        // An error says that nobody watches.
        let _ = self.sender.send(event);
    }
}

/// The events of one run, on their way to the watchers and to the store.
pub(crate) struct RunFeed {
    run: RunId,
    feed: EventFeed,
    pending: Mutex<Pending>,
}

struct Pending {
    last_sequence: i64,
    unstored: Vec<(Timestamp, EventBody)>,
}

impl RunFeed {
    /// The feed of a run whose stored events end with number `last_sequence`.
    pub(crate) fn new(run: RunId, feed: EventFeed, last_sequence: i64) -> Self {
        Self { run, feed, pending: Mutex::new(Pending { last_sequence, unstored: Vec::new() }) }
    }

    /// Tells the watchers now, and the store with the next checkpoint.
    pub(crate) fn emit(&self, body: EventBody) {
        let mut pending = self.lock();
        let event = self.number(&mut pending, now(), body);
        if event.body.is_stored() {
            pending.unstored.push((event.at, event.body.clone()));
        }
        // Under the lock: two threads that emit must be seen in the order of their numbers.
        self.feed.announce(event);
    }

    /// Tells the watchers about an event that the store has just taken after everything taken by [`RunFeed::take`].
    pub(crate) fn announce_stored(&self, at: Timestamp, body: EventBody) {
        let mut pending = self.lock();
        let event = self.number(&mut pending, at, body);
        self.feed.announce(event);
    }

    /// What the store does not have yet, for the transaction that is about to begin.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn note(message: &str) -> EventBody {
        EventBody::Note { node: "n".to_owned(), topic: "t".to_owned(), message: message.to_owned() }
    }

    fn progress() -> EventBody {
        EventBody::Progress { node: "n".to_owned(), message: "half".to_owned() }
    }

    #[test]
    fn watchers_see_everything_at_once_and_the_store_gets_all_but_progress() {
        let feed = EventFeed::default();
        let mut watcher = feed.watch();
        let run = RunFeed::new(RunId(uuid::Uuid::nil()), feed, 7);
        run.emit(note("a"));
        run.emit(progress());
        run.emit(note("b"));
        let seen: Vec<(i64, EventBody)> =
            std::iter::from_fn(|| watcher.try_recv().ok()).map(|event| (event.sequence, event.body)).collect();
        assert_eq!(seen, [(8, note("a")), (0, progress()), (9, note("b"))]);
        let stored: Vec<EventBody> = run.take().into_iter().map(|(_, body)| body).collect();
        assert_eq!(stored, [note("a"), note("b")]);
        assert!(run.take().is_empty());
        run.announce_stored(now(), note("c"));
        assert_eq!(watcher.try_recv().unwrap().sequence, 10);
        assert!(run.take().is_empty(), "the store has it already");
    }

    #[test]
    fn threads_that_emit_at_once_are_seen_in_the_order_of_their_numbers() {
        let feed = EventFeed::default();
        let mut watcher = feed.watch();
        let run = RunFeed::new(RunId(uuid::Uuid::nil()), feed, 0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..100).for_each(|_| run.emit(note("x"))));
            }
        });
        let seen: Vec<i64> = std::iter::from_fn(|| watcher.try_recv().ok()).map(|event| event.sequence).collect();
        assert_eq!(seen, (1..=400).collect::<Vec<i64>>());
    }
}
