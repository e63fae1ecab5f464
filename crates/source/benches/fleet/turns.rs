//! Reservations of hosts on a simulated clock: waiting for a turn advances the clock.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::politeness::{HostReservations, Pace, ReservationError, Reserving};
use autoheal_engine::workflow::StepServices as _;

use crate::walk::Clock;

/// The turns of every host.
pub(crate) struct Turns {
    clock: Arc<Clock>,
    idle_at: Mutex<HashMap<String, Timestamp>>,
}

impl Turns {
    pub(crate) fn new(clock: Arc<Clock>) -> Self {
        Self { clock, idle_at: Mutex::default() }
    }

    fn take(&self, host: &str, pace: Pace, patience: Duration) -> Duration {
        let now = self.clock.now();
        let mut hosts = self.idle_at.lock().unwrap();
        let turn = pace.reserve(hosts.get(host).copied(), now);
        if turn.wait > patience {
            return turn.wait;
        }
        hosts.insert(host.to_owned(), turn.idle_at);
        self.clock.go_to(now.plus(turn.wait));
        Duration::ZERO
    }
}

impl HostReservations for Turns {
    fn reserve<'call>(&'call self, host: &'call str, pace: Pace, patience: Duration) -> Reserving<'call> {
        Box::pin(async move { Ok::<_, ReservationError>(self.take(host, pace, patience)) })
    }
}
