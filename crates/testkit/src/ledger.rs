//! Accounts of language models that last as long as a test.

#![expect(clippy::missing_panics_doc, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::budget::{Exhausted, Usage};
use autoheal_engine::ledger::{CallLedger, CallRecord, Keeping};

/// Every call, in order, and who was refused because the day's budget was used up.
#[derive(Debug, Default)]
pub struct Accounts {
    calls: Mutex<Vec<CallRecord>>,
    refused: Mutex<Vec<Exhausted>>,
}

impl Accounts {
    /// What was written down.
    pub fn calls(&self) -> MutexGuard<'_, Vec<CallRecord>> {
        self.calls.lock().unwrap()
    }

    /// Why questions were refused for the day.
    pub fn refused(&self) -> Vec<Exhausted> {
        self.refused.lock().unwrap().clone()
    }

    /// How the calls ended.
    pub fn outcomes(&self) -> Vec<String> {
        self.calls().iter().map(|call| call.outcome.clone()).collect()
    }
}

impl CallLedger for Accounts {
    fn used_since(&self, since: Timestamp) -> Keeping<'_, Usage> {
        let used = self.calls().iter().filter(|call| call.at >= since).fold(Usage::default(), |used, call| {
            used.plus(Usage {
                tokens: call.input_tokens + call.output_tokens,
                micro_dollars: call.micro_dollars.unwrap_or(0),
                calls: 1,
                wall_time: Duration::ZERO,
            })
        });
        Box::pin(async move { Ok(used) })
    }

    fn record(&self, call: CallRecord) -> Keeping<'_, ()> {
        self.calls().push(call);
        Box::pin(async { Ok(()) })
    }

    fn day_exhausted(&self, _at: Timestamp, what: Exhausted) -> Keeping<'_, ()> {
        self.refused.lock().unwrap().push(what);
        Box::pin(async { Ok(()) })
    }
}
