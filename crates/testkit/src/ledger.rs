//! Accounts of language models that last as long as a test.

#![expect(clippy::missing_panics_doc, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use autoheal_engine::RunId;
use autoheal_engine::budget::{Exhausted, Usage};
use autoheal_engine::ledger::{Answered, CallLedger, CallRecord, Keeping, ModelUsage, Planned, Reservation};

/// Every call, in order, and who was refused because the day's budget was used up.
#[derive(Debug, Default)]
pub struct Accounts {
    calls: Mutex<Vec<CallRecord>>,
    /// The same calls, with their runs.
    settled: Mutex<Vec<(RunId, CallRecord)>>,
    /// The worst case of each request, or what it has used when it was settled; by the number of its reservation.
    entries: Mutex<Vec<(RunId, Usage)>>,
    refused: Mutex<Vec<Exhausted>>,
}

impl Accounts {
    /// Returns the calls that were recorded.
    pub fn calls(&self) -> MutexGuard<'_, Vec<CallRecord>> {
        self.calls.lock().unwrap()
    }

    /// Returns the reasons why requests were refused for the day.
    pub fn refused(&self) -> Vec<Exhausted> {
        self.refused.lock().unwrap().clone()
    }

    /// Returns the outcomes of the calls.
    pub fn outcomes(&self) -> Vec<String> {
        self.calls().iter().map(|call| call.outcome.clone()).collect()
    }
}

impl CallLedger for Accounts {
    fn reserve(&self, planned: Planned) -> Keeping<'_, Result<Reservation, Exhausted>> {
        let mut entries = self.entries.lock().unwrap();
        let by_run = planned.per_run.allow(sum(&entries, Some(planned.run)), planned.worst_case);
        let by_day = planned.per_day.allow(sum(&entries, None), planned.worst_case);
        let admitted = by_run.and_then(|()| by_day.inspect_err(|what| self.refused.lock().unwrap().push(*what)));
        let reservation = admitted.map(|()| {
            entries.push((planned.run, planned.worst_case));
            Reservation { number: i64::try_from(entries.len() - 1).unwrap(), run: planned.run }
        });
        Box::pin(async move { Ok(reservation) })
    }

    fn settle(&self, reservation: Reservation, call: CallRecord) -> Keeping<'_, ()> {
        self.entries.lock().unwrap()[usize::try_from(reservation.number).unwrap()].1 = Usage {
            tokens: call.input_tokens + call.output_tokens,
            micro_dollars: call.micro_dollars.unwrap_or(0),
            calls: 1,
            wall_time: Duration::ZERO,
        };
        self.settled.lock().unwrap().push((reservation.run, call.clone()));
        self.calls().push(call);
        Box::pin(async { Ok(()) })
    }

    fn answer_to<'call>(&'call self, question: &'call Answered) -> Keeping<'call, Option<String>> {
        let is_it = |call: &&CallRecord| {
            let same = Answered {
                target: call.target.clone(),
                purpose: call.purpose.clone(),
                model: call.model.clone(),
                prompt_hash: call.prompt_hash.clone(),
            };
            same == *question && call.outcome == "ANSWERED"
        };
        let answer = self.calls().iter().rev().find(is_it).and_then(|call| call.answer.clone());
        Box::pin(async move { Ok(answer) })
    }

    fn usage_of(&self, run: RunId) -> Keeping<'_, ModelUsage> {
        let settled = self.settled.lock().unwrap();
        let of_run = settled.iter().filter(|(of, _)| *of == run).map(|(_, call)| call);
        let usage = of_run.fold(ModelUsage::default(), |sum, call| ModelUsage {
            calls: sum.calls + 1,
            input_tokens: sum.input_tokens + call.input_tokens,
            output_tokens: sum.output_tokens + call.output_tokens,
            cached_tokens: sum.cached_tokens + call.cached_tokens,
            micro_dollars: sum.micro_dollars + call.micro_dollars.unwrap_or(0),
            unpriced_calls: sum.unpriced_calls + u64::from(call.micro_dollars.is_none()),
        });
        Box::pin(async move { Ok(usage) })
    }
}

/// Sums the usage and the reservations of one run, or of all of them.
fn sum(entries: &[(RunId, Usage)], run: Option<RunId>) -> Usage {
    let of_run = entries.iter().filter(|(of, _)| run.is_none_or(|run| run == *of));
    of_run.fold(Usage::default(), |sum, (_, usage)| sum.plus(*usage))
}
