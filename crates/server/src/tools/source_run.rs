use async_trait::async_trait;
use autoheal_orchestrator::WhenStopped;
use autoheal_source::SourceName;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Answer, Call, Services, Tool, ToolError, answer_of, parse, schema_of, told};

/// Tool that runs a source now.
pub(super) struct SourceRun;

/// Name of the source to run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The name of the source, as `source_list` gives it.
    name: String,
}

#[async_trait]
impl Tool for SourceRun {
    fn name(&self) -> &'static str {
        "source_run"
    }

    fn title(&self) -> &'static str {
        "Scrape a page now"
    }

    fn description(&self) -> &'static str {
        "Fetches one of the regularly scraped pages now and answers with the values it gives. When the page has changed its layout, the \
         scraper is healed first, or the answer says that it could not be healed."
    }

    fn input(&self) -> Map<String, Value> {
        schema_of::<Input>()
    }

    fn is_read_only(&self) -> bool {
        false
    }

    async fn call(&self, services: &Services, input: Value, call: &Call<'_>) -> Result<Answer, ToolError> {
        let Input { name } = parse(input)?;
        let name = existing(services, &name).await?;
        let worker = services.worker.with_own_feed();
        let running = worker.refresh(name.as_str(), &call.stop, WhenStopped::IsCancelled);
        let row = told(worker.feed(), call, running).await?;
        deliver(services).await;
        Ok(answer_of(&row))
    }
}

/// Sends the notifications that runs have left. Failed deliveries are retried by the maintenance of the server.
pub(super) async fn deliver(services: &Services) {
    if let Err(error) = services.notifier.deliver_due(|| services.store.now()).await {
        tracing::warn!(%error, "what is to be posted could not be read");
    }
}

/// Returns the name of an existing source.
pub(super) async fn existing(services: &Services, name: &str) -> Result<SourceName, ToolError> {
    let name: SourceName = name.parse().map_err(ToolError::invalid)?;
    let source = services.store.source(name.as_str()).await.map_err(|error| ToolError::failed(&error))?;
    let there = source.is_some().then_some(name.clone());
    there.ok_or_else(|| ToolError::InvalidInput(format!("there is no source `{name}`: source_list lists them")))
}
