//! The tools, described as operations for programs and models: in the API's description, and in a separate one.

use axum::Json;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::openapi::path::{HttpMethod, Operation, OperationBuilder};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::response::{ResponseBuilder, ResponsesBuilder};
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{Content, OpenApi as Document, Paths, Ref, RefOr, Required, Server};
use utoipa::{OpenApi, ToSchema};

use super::error::ErrorResponse;
use super::{describe_errors, security, tag};
use crate::tools::{Tool, tools};

/// Path of the tools.
pub(super) const ROOT: &str = "/api/tools";

/// Description of a tool.
#[derive(Debug, Serialize, ToSchema)]
pub struct ToolSummary {
    /// Name of the tool, which is the last segment of its address.
    pub name: &'static str,
    /// Description of the tool, for a model that chooses among tools.
    pub description: &'static str,
    /// JSON Schema of the tool's input.
    #[schema(value_type = Object)]
    pub input: Map<String, Value>,
}

/// List of the tools that an assistant can call.
#[derive(Debug, Serialize, ToSchema)]
pub struct ToolList {
    /// Tools with their descriptions.
    pub tools: Vec<ToolSummary>,
}

/// Response of a tool.
#[derive(Debug, Serialize, ToSchema)]
pub struct ToolAnswer {
    /// Text for a reader, as Markdown.
    pub text: String,
    /// Structured data for a program.
    pub data: Value,
}

/// List the tools
#[utoipa::path(get, path = "/api/tools", operation_id = "listTools", tag = tag::TOOLS, responses(
    (status = 200, description = "The tools", body = ToolList)))]
pub(super) async fn list() -> Json<ToolList> {
    let summary =
        |tool: &&dyn Tool| ToolSummary { name: tool.name(), description: tool.description(), input: tool.input() };
    Json(ToolList { tools: tools().iter().map(summary).collect() })
}

/// Returns the operation that calls a tool.
fn operation(tool: &dyn Tool) -> Operation {
    let json = |schema: RefOr<Schema>| Content::new(Some(schema));
    let named = |name| RefOr::Ref(Ref::from_schema_name(name));
    let answers = |what: &str, name| {
        ResponseBuilder::new().description(what).content("application/json", json(named(name))).build()
    };
    // Parts of a schema that this type does not support are lost; a test compares the two.
    let input = serde_json::from_value(Value::Object(tool.input())).unwrap_or_else(|_| named("Object"));
    let body =
        RequestBodyBuilder::new().content("application/json", json(input)).required(Some(Required::True)).build();
    let responses = ResponsesBuilder::new()
        .response("200", answers("The answer", "ToolAnswer"))
        .response("422", answers("It could not be done", "ErrorResponse"));
    OperationBuilder::new()
        .operation_id(Some(tool.name()))
        .tag(tag::TOOLS)
        .summary(Some(tool.title()))
        .description(Some(tool.description()))
        .request_body(Some(body))
        .responses(responses.build())
        .build()
}

/// Adds the operations of the tools to a description; `root` is the prefix of their paths.
pub(super) fn describe(paths: &mut Paths, root: &str) {
    for tool in tools() {
        paths.add_path_operation(format!("{root}/{}", tool.name()), vec![HttpMethod::Post], operation(*tool));
    }
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "autoheal tools",
        description = "Answers from manuals and pages, and repairs of scrapers and repositories. A tool that could not do it says so.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    components(schemas(ToolAnswer, ErrorResponse)),
    security(("token" = [])),
    tags((name = tag::TOOLS, description = "Tools for assistants."))
)]
struct Tools;

/// Returns the description of the tools alone, for assistants that import a description as a set of tools.
pub fn tools_description() -> Document {
    let mut description = Tools::openapi();
    description.servers = Some(vec![Server::new(ROOT)]);
    describe(&mut description.paths, "");
    describe_errors(&mut description.paths);
    security(description)
}

/// Serves the description of the tools.
pub(crate) async fn serve_tools_description() -> Json<Document> {
    Json(tools_description())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tool_is_given_is_described_to_the_last_word() {
        let described = serde_json::to_value(tools_description()).unwrap();
        for tool in tools() {
            let operation = &described["paths"][format!("/{}", tool.name())]["post"];
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            assert_eq!(*schema, Value::Object(tool.input()), "{}", tool.name());
            assert!(!schema.to_string().contains("$ref"), "models do not look elsewhere: {schema}");
        }
    }
}
