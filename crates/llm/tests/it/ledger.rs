//! Tests of models that send requests to a scripted server.

use std::sync::Arc;
use std::time::Duration;

use autoheal_llm::{ChatModel, Connection, Models, Session, Settings};
use autoheal_testkit::ledger::Accounts;
use autoheal_testkit::model_server::ModelServer;

pub(crate) fn connection(model: &str, server: &ModelServer) -> Arc<dyn ChatModel> {
    Arc::new(Connection::new(model.parse().unwrap(), Some(server.url()), Some("a-secret-key".into())).unwrap())
}

/// Settings that wait for moments where others wait for seconds.
pub(crate) fn hasty() -> Settings {
    Settings { waits: [1, 2, 3].map(Duration::from_millis).to_vec(), ..Settings::default() }
}

pub(crate) fn models(chain: Vec<Arc<dyn ChatModel>>, settings: Settings) -> (Models, Arc<Accounts>) {
    let accounts = Arc::new(Accounts::default());
    let redact = |text: &str| text.replace("hunter2", "***");
    (Models::new(chain, Arc::<Accounts>::clone(&accounts), settings, redact), accounts)
}

pub(crate) fn session(chain: Vec<Arc<dyn ChatModel>>, settings: Settings) -> (Session, Arc<Accounts>) {
    let (models, accounts) = models(chain, settings);
    (models.session(Some("news".to_owned()), Some("ada".to_owned()), None), accounts)
}
