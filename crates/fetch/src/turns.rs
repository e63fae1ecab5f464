//! Limits on the requests to a host: permits for concurrent requests, and reserved turns.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::politeness::{HostReservations, Pace, ReservationError, Reserving};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use url::Url;

use crate::FetchError;
use crate::settings::HostLimits;
use crate::waiting;

/// From this many hosts on, those that are idle are forgotten now and then.
const MANY_HOSTS: usize = 4_096;

/// Returns the key of a host's limits: its name or address, with the port if it is not the default.
pub(crate) fn host_of(url: &Url) -> String {
    let name = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"))
}

/// The turns of hosts in this process's memory: for one process that shares nothing.
#[derive(Debug)]
pub struct LocalReservations {
    started: Instant,
    idle_at: Mutex<HashMap<String, Timestamp>>,
}

impl Default for LocalReservations {
    fn default() -> Self {
        Self { started: Instant::now(), idle_at: Mutex::default() }
    }
}

impl LocalReservations {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(0).plus(self.started.elapsed())
    }

    fn take(&self, host: &str, pace: Pace, patience: Duration) -> Duration {
        let now = self.now();
        let mut hosts = self.idle_at.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MANY_HOSTS {
            hosts.retain(|_, idle_at| *idle_at > now);
        }
        let turn = pace.reserve(hosts.get(host).copied(), now);
        if turn.wait <= patience {
            hosts.insert(host.to_owned(), turn.idle_at);
        }
        turn.wait
    }
}

impl HostReservations for LocalReservations {
    fn reserve<'call>(&'call self, host: &'call str, pace: Pace, patience: Duration) -> Reserving<'call> {
        Box::pin(async move { Ok::<_, ReservationError>(self.take(host, pace, patience)) })
    }
}

/// Lets requests through, host by host.
pub(crate) struct Turns {
    reservations: Arc<dyn HostReservations>,
    permits: Mutex<HashMap<String, Arc<Semaphore>>>,
    patience: Duration,
}

impl Turns {
    pub(crate) fn new(reservations: Arc<dyn HostReservations>, patience: Duration) -> Self {
        Self { reservations, permits: Mutex::default(), patience }
    }

    /// Waits until the host may receive a request. The request may run as long as the permit lives.
    ///
    /// The permit is acquired first, so that a reserved slot is used at once and does not pass while the request waits in a
    /// queue.
    pub(crate) async fn wait(&self, url: &Url, limits: HostLimits) -> Result<OwnedSemaphorePermit, FetchError> {
        let host = host_of(url);
        let postponed = |wait| FetchError::Postponed { host: host.clone(), wait };
        let queue = self.permits_of(&host, limits.at_once);
        // The semaphore is never closed; a queue that does not move is reported like a distant slot.
        let Ok(Ok(permit)) = tokio::time::timeout(self.patience, queue.acquire_owned()).await else {
            return Err(postponed(self.patience));
        };
        let reserved = self.reservations.reserve(&host, limits.pace, self.patience).await;
        let wait = reserved.map_err(|source| FetchError::Reservation { host: host.clone(), source })?;
        if wait > self.patience {
            return Err(postponed(wait));
        }
        if !wait.is_zero() {
            waiting::sleep(wait, || format!("requests to {host} are spread; next one")).await;
        }
        Ok(permit)
    }

    fn permits_of(&self, host: &str, at_once: usize) -> Arc<Semaphore> {
        let mut hosts = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MANY_HOSTS {
            hosts.retain(|_, queue| Arc::strong_count(queue) > 1);
        }
        Arc::clone(hosts.entry(host.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(at_once.max(1)))))
    }
}

impl std::fmt::Debug for Turns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turns").field("patience", &self.patience).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(interval: u64, burst: u32, at_once: usize) -> HostLimits {
        HostLimits { pace: Pace { interval: Duration::from_secs(interval), burst }, at_once }
    }

    fn turns(patience: u64) -> Turns {
        Turns::new(Arc::new(LocalReservations::default()), Duration::from_secs(patience))
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_is_asked_once_a_second_and_others_do_not_wait_for_it() {
        let turns = turns(60);
        let (one, other) = (Url::parse("http://one.test/").unwrap(), Url::parse("http://other.test/").unwrap());
        let started = Instant::now();
        for _ in 0..5 {
            drop(turns.wait(&one, limits(1, 2, 9)).await.unwrap());
        }
        assert_eq!(started.elapsed().as_secs(), 3);
        drop(turns.wait(&other, limits(1, 2, 9)).await.unwrap());
        assert_eq!(started.elapsed().as_secs(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_are_on_their_way_than_allowed() {
        let turns = turns(5);
        let url = Url::parse("http://one.test/").unwrap();
        let _held =
            [turns.wait(&url, limits(0, 1, 2)).await.unwrap(), turns.wait(&url, limits(0, 1, 2)).await.unwrap()];
        let third = turns.wait(&url, limits(0, 1, 2)).await;
        assert!(matches!(third, Err(FetchError::Postponed { .. })));
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_that_is_too_far_away_is_not_taken() {
        let turns = turns(10);
        let url = Url::parse("http://slow.test/").unwrap();
        drop(turns.wait(&url, limits(3_600, 1, 1)).await.unwrap());
        for _ in 0..2 {
            let Err(FetchError::Postponed { wait, .. }) = turns.wait(&url, limits(3_600, 1, 1)).await else {
                panic!("expected to be sent away");
            };
            assert_eq!(wait.as_secs(), 3_600, "being sent away costs no turn");
        }
    }

    #[test]
    fn a_port_makes_another_host() {
        let host = |text: &str| host_of(&Url::parse(text).unwrap());
        assert_eq!(host("https://Example.com:443/a"), "example.com");
        assert_eq!(host("http://example.com:8080/a"), "example.com:8080");
        assert_eq!(host("http://[::1]:81/"), "[::1]:81");
    }
}
