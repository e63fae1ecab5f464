//! Tests of model sessions with scripted responses, on pages without a network.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use autoheal_fetch::Conditions;
use autoheal_llm::recording::Replay;
use autoheal_llm::{ChatModel, Connection, Models, Session, Settings};
use autoheal_navigate::{Page, PageError, Pages};
use autoheal_testkit::ledger::Accounts;
use autoheal_testkit::manual::Manual;
use autoheal_testkit::model_server::ModelServer;
use url::Url;

/// A session with a server's model.
pub(crate) fn asking(server: &ModelServer, settings: Settings) -> Session {
    let name = "openai/gpt-4o-mini".parse().unwrap();
    session(Arc::new(Connection::new(name, Some(server.url()), Some("a-secret-key".into())).unwrap()), settings)
}

/// A session with what stands in a file.
pub(crate) fn replaying(file: &Path) -> Session {
    session(Arc::new(Replay::open(file).unwrap()), Settings::default())
}

fn session(model: Arc<dyn ChatModel>, settings: Settings) -> Session {
    let models = Models::new(vec![model], Arc::new(Accounts::default()), settings, str::to_owned);
    models.session(None, None, None)
}

/// A manual at `http://manual.example/`.
pub(crate) struct InMemory(pub(crate) Manual);

#[async_trait]
impl Pages for InMemory {
    async fn page(&self, url: &Url) -> Result<Page, PageError> {
        let missing = || PageError::Status { url: url.clone(), status: 404 };
        let text = self.0.pages().get(url.path()).ok_or_else(missing)?;
        Ok(Page { url: url.clone(), body: text.clone().into(), validators: Conditions::default() })
    }
}
