//! The HTTP API, one file for each resource. `openapi.json` describes its requests and responses; it is generated from the types
//! of these modules.

pub mod alerts;
pub mod decisions;
pub mod error;
pub mod heal;
pub mod needs;
pub mod overview;
#[cfg(test)]
mod page;
mod progress;
pub mod recipe_edits;
pub mod records;
mod request;
pub mod results;
pub mod run_events;
pub mod run_standing;
pub mod runs;
pub mod schema;
pub mod source_records;
pub mod source_trouble;
pub mod sources;
pub mod tasks;
pub mod tools;
pub mod trends;
pub mod usage;
pub mod webhook;
pub mod workflows;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use utoipa::OpenApi;
use utoipa::openapi::path::Paths;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{Content, Ref, ResponseBuilder};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) use request::{User, user_said};
pub(crate) use run_events::Followers;

use crate::tools::Services;

/// State that all operations share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) services: Arc<Services>,
    pub(crate) stop: CancellationToken,
    pub(crate) followers: Followers,
}

/// The tags of operations.
pub(crate) mod tag {
    pub(crate) const HEAL: &str = "Healing";
    pub(crate) const RUNS: &str = "Runs";
    pub(crate) const TASKS: &str = "Queue";
    pub(crate) const SOURCES: &str = "Sources";
    pub(crate) const ALERTS: &str = "Alerts";
    pub(crate) const USAGE: &str = "Usage";
    pub(crate) const TOOLS: &str = "Tools";
    pub(crate) const SERVER: &str = "Server";
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "autoheal",
        description = "Repairs scrapers when websites change, and repositories when their CI goes red. \
                       An error is `{\"error\": {\"code\", \"message\", \"details\", \"timestamp\"}}`.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    components(schemas(error::ErrorResponse, run_events::RunEvent, tools::ToolAnswer)),
    security(("token" = [])),
    tags(
        (name = tag::HEAL, description = "Heal a repository, and see how far that is."),
        (name = tag::RUNS, description = "Runs: the work that was done or is being done, and its results."),
        (name = tag::TASKS, description = "Tasks: work to be done."),
        (name = tag::SOURCES, description = "Sources: pages that are scraped."),
        (name = tag::ALERTS, description = "Alerts that were raised."),
        (name = tag::USAGE, description = "Usage and cost of language models."),
        (name = tag::TOOLS, description = "Tools for assistants: answers from pages and manuals, repairs."),
        (name = tag::SERVER, description = "The server itself.")
    )
)]
struct Description;

/// Returns the router of all operations of the API, with their descriptions.
pub(crate) fn operations() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(heal::start))
        .routes(routes!(heal::status))
        .routes(routes!(heal::job))
        .routes(routes!(runs::list))
        .routes(routes!(runs::show))
        .routes(routes!(runs::cancel))
        .routes(routes!(heal::again))
        .routes(routes!(run_events::watch))
        .routes(routes!(records::diagnostics))
        .routes(routes!(records::fixes))
        .routes(routes!(records::outputs))
        .routes(routes!(workflows::show))
        .routes(routes!(tasks::list))
        .routes(routes!(tasks::show))
        .routes(routes!(tasks::cancel))
        .routes(routes!(tasks::retry))
        .routes(routes!(sources::list, sources::add))
        .routes(routes!(sources::statistics))
        .routes(routes!(sources::show, sources::change, sources::remove))
        .routes(routes!(decisions::run))
        .routes(routes!(decisions::heal))
        .routes(routes!(decisions::release))
        .routes(routes!(decisions::approve))
        .routes(routes!(decisions::reject))
        .routes(routes!(decisions::reconsider))
        .routes(routes!(decisions::accept))
        .routes(routes!(decisions::rollback))
        .routes(routes!(recipe_edits::propose))
        .routes(routes!(recipe_edits::trial))
        .routes(routes!(recipe_edits::replace))
        .routes(routes!(source_records::recipes))
        .routes(routes!(source_records::values))
        .routes(routes!(source_records::fixes))
        .routes(routes!(source_records::decisions))
        .routes(routes!(source_trouble::diagnostics))
        .routes(routes!(source_trouble::timeline))
        .routes(routes!(source_records::snapshots))
        .routes(routes!(source_records::page))
        .routes(routes!(alerts::list))
        .routes(routes!(needs::list))
        .routes(routes!(usage::sums))
        .routes(routes!(overview::overview))
        .routes(routes!(trends::trends))
        .routes(routes!(tools::list))
}

/// Returns the routes for load balancers, which need no token.
pub(crate) fn probes() -> OpenApiRouter<Shared> {
    OpenApiRouter::new().routes(routes!(overview::alive)).routes(routes!(overview::ready))
}

/// Returns the routes for webhooks, whose senders sign their requests and have no token.
pub(crate) fn webhooks() -> OpenApiRouter<Shared> {
    OpenApiRouter::new().routes(routes!(webhook::receive))
}

/// The description of the whole API: `OpenAPI` 3.1.
pub fn description() -> utoipa::openapi::OpenApi {
    let mut description = operations().merge(webhooks()).into_openapi();
    tools::describe(&mut description.paths, tools::ROOT);
    describe_errors(&mut description.paths);
    description.merge(probes().into_openapi());
    security(description)
}

/// Adds the response for errors to every operation.
fn describe_errors(paths: &mut Paths) {
    let content = Content::new(Some(Ref::from_schema_name("ErrorResponse")));
    let error = ResponseBuilder::new().description("An error").content("application/json", content).build();
    for path in paths.paths.values_mut() {
        let operations = [&mut path.get, &mut path.put, &mut path.post, &mut path.patch, &mut path.delete];
        for operation in operations.into_iter().flatten() {
            operation.responses.responses.insert("default".to_owned(), error.clone().into());
        }
    }
}

/// Adds the security scheme (a bearer token) to the API description.
fn security(mut description: utoipa::openapi::OpenApi) -> utoipa::openapi::OpenApi {
    let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    description.components.get_or_insert_default().add_security_scheme("token", token);
    description
}
