use async_trait::async_trait;
use autoheal_engine::task::{NewTask, TaskKind};
use autoheal_orchestrator::WhenStopped;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::healing::new_task;
use super::source_run::{deliver, existing};
use super::{Answer, Call, Services, Tool, ToolError, answer_of, parse, schema_of, told};

/// Heals a repository or a source.
pub(super) struct Heal;

/// Target to heal: either a repository or a source.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// A repository whose checks fail: a path on this machine, or `https://github.com/OWNER/REPOSITORY`.
    repository: Option<String>,
    /// The name of a source that gives no data, as `source_list` gives it.
    source: Option<String>,
    /// Push the branch with the fixes, where the server allows it. Without it, a repository gets no branch: the answer holds the patch.
    #[serde(default)]
    push: bool,
}

#[async_trait]
impl Tool for Heal {
    fn name(&self) -> &'static str {
        "heal"
    }

    fn title(&self) -> &'static str {
        "Repair a repository or a scraper"
    }

    fn description(&self) -> &'static str {
        "Repairs a repository whose tests fail (small edits that the tests confirm, on a separate branch; never the main branch, never \
         the tests), or a scraper whose page has changed. Answers with a report of what was wrong, what was changed and why, or that it \
         could not be healed. Takes minutes."
    }

    fn input(&self) -> Map<String, Value> {
        schema_of::<Input>()
    }

    fn is_read_only(&self) -> bool {
        false
    }

    async fn call(&self, services: &Services, input: Value, call: &Call<'_>) -> Result<Answer, ToolError> {
        let input: Input = parse(input)?;
        let task = match (input.repository, input.source) {
            (Some(repository), None) => of_repository(services, &repository, input.push)?,
            (None, Some(source)) => {
                let name = existing(services, &source).await?;
                NewTask::new(TaskKind::FixSource, name.to_string(), services.store.now())
            }
            _ => return Err(ToolError::InvalidInput("name either a repository or a source".to_owned())),
        };
        let worker = services.worker.with_own_feed();
        let healing = worker.perform(&task, &call.stop, WhenStopped::IsCancelled);
        let row = told(worker.feed(), call, healing).await?;
        deliver(services).await;
        Ok(answer_of(&row))
    }
}

fn of_repository(services: &Services, repository: &str, push: bool) -> Result<NewTask, ToolError> {
    let address = services.healing.parse(repository).map_err(ToolError::invalid)?;
    let request = services.healing.of(&address, push)?;
    new_task(&services.worker, &address, request).map_err(ToolError::invalid)
}
