use std::fmt::Write as _;

use async_trait::async_trait;
use autoheal_engine::{Timestamp, counted};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Answer, Call, Services, Tool, ToolError, parse, schema_of};

/// Every source with its health.
pub(super) struct SourceList;

/// The tool has no parameters.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {}

#[async_trait]
impl Tool for SourceList {
    fn name(&self) -> &'static str {
        "source_list"
    }

    fn title(&self) -> &'static str {
        "List the scraped pages"
    }

    fn description(&self) -> &'static str {
        "Lists the web pages that are scraped regularly, with their health: ACTIVE, DEGRADED, QUARANTINED or DEAD, when each last \
         gave data, and how many of its runs failed."
    }

    fn input(&self) -> Map<String, Value> {
        schema_of::<Input>()
    }

    fn is_read_only(&self) -> bool {
        true
    }

    async fn call(&self, services: &Services, input: Value, _call: &Call<'_>) -> Result<Answer, ToolError> {
        let Input {} = parse(input)?;
        let rows = services.store.sources().await.map_err(|error| ToolError::failed(&error))?;
        let mut text = format!("{}\n", counted(rows.len(), "source"));
        let mut sources = Vec::new();
        for row in rows {
            let (url, health) = (&row.definition["url"], &row.health);
            let last = health.last_success_at.map(Timestamp::to_rfc3339);
            let state = health.state.name();
            let _ = writeln!(
                text,
                "{}: {state}, last success {}, failed {} in all, {}",
                row.source,
                last.as_deref().unwrap_or("never"),
                counted(health.failure_count, "time"),
                url.as_str().unwrap_or_default()
            );
            sources.push(json!({
                "source": row.source,
                "url": url,
                "state": state,
                "last_success_at": last,
                "failure_count": health.failure_count,
            }));
        }
        Ok(Answer { text, data: json!({ "sources": sources }) })
    }
}
