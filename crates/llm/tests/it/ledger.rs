//! Accounts in memory, and models that ask a scripted server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::budget::Usage;
use autoheal_engine::ledger::{CallLedger, CallRecord, Keeping};
use autoheal_llm::{ChatModel, Connection, Models, Session, Settings};
use autoheal_testkit::model_server::ModelServer;

#[derive(Default)]
pub(crate) struct Accounts(pub(crate) Mutex<Vec<CallRecord>>);

impl CallLedger for Accounts {
    fn used_since(&self, since: Timestamp) -> Keeping<'_, Usage> {
        let calls = self.0.lock().unwrap();
        let used = calls.iter().filter(|call| call.at >= since).fold(Usage::default(), |used, call| {
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
        self.0.lock().unwrap().push(call);
        Box::pin(async { Ok(()) })
    }
}

impl Accounts {
    pub(crate) fn outcomes(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().map(|call| call.outcome.clone()).collect()
    }
}

pub(crate) fn connection(model: &str, server: &ModelServer) -> Arc<dyn ChatModel> {
    Arc::new(Connection::new(model.parse().unwrap(), Some(server.url()), Some("a-secret-key".into())).unwrap())
}

/// Settings that wait for moments where others wait for seconds.
pub(crate) fn hasty() -> Settings {
    Settings { waits: [1, 2, 3].map(Duration::from_millis).to_vec(), ..Settings::default() }
}

pub(crate) fn session(chain: Vec<Arc<dyn ChatModel>>, settings: Settings) -> (Session, Arc<Accounts>) {
    let accounts = Arc::new(Accounts::default());
    let clock = || Timestamp::from_millis(1_000_000_000_000);
    let redact = |text: &str| text.replace("hunter2", "***");
    let models = Models::new(chain, Arc::<Accounts>::clone(&accounts), settings, clock, redact);
    (models.session(Some("news".to_owned()), Some("ada".to_owned()), Usage::default()), accounts)
}
