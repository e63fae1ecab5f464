//! The graphs that runs walk, to be drawn.

use autoheal_engine::graph::{Graph, GraphError, Next, Node};
use autoheal_engine::task::TaskKind;
use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

use super::error::{ApiCode, ApiError, ErrorResponse};
use super::request::{Path, not_found};
use super::{schema, tag};

/// Graph of a workflow.
#[derive(Debug, Serialize, ToSchema)]
pub struct Workflow {
    /// Kind of the tasks that run the workflow.
    #[schema(schema_with = schema::task_kind)]
    pub kind: TaskKind,
    /// Nodes; a run starts at the first.
    pub nodes: Vec<&'static str>,
    /// Edges between the nodes.
    pub edges: Vec<Edge>,
}

/// Edge from one node to the next.
#[derive(Debug, Serialize, ToSchema)]
pub struct Edge {
    /// Node at which the edge starts.
    pub from: &'static str,
    /// Node at which the edge ends; absent when the run ends there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<&'static str>,
    /// Condition of the edge, if the node has others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<&'static str>,
}

impl Workflow {
    fn of<N: Node, S>(kind: TaskKind, graph: &Graph<N, S>) -> Self {
        let mut nodes = vec![graph.entry()];
        nodes.extend(N::ALL.iter().copied().filter(|node| *node != graph.entry()));
        let edges = nodes.iter().flat_map(|node| {
            graph.targets(*node).into_iter().map(|(label, next)| Edge {
                from: node.name(),
                to: match next {
                    Next::To(next) => Some(next.name()),
                    Next::End => None,
                },
                label: (!label.is_empty()).then_some(label),
            })
        });
        let edges = edges.collect();
        Self { kind, nodes: nodes.iter().map(|node| node.name()).collect(), edges }
    }

    /// Returns a workflow that consists of a single node.
    fn single(kind: TaskKind, node: &'static str) -> Self {
        Self { kind, nodes: vec![node], edges: vec![Edge { from: node, to: None, label: None }] }
    }
}

/// Get the graph that the runs of a kind walk
#[utoipa::path(get, path = "/api/workflows/{kind}", operation_id = "getWorkflow", tag = tag::RUNS,
    params(("kind" = String, Path, description = "HEAL_REPO, FIX_SOURCE, REFRESH_SOURCE or ADD_SOURCE")), responses(
    (status = 200, description = "The graph", body = Workflow),
    (status = 404, description = "There is no such kind", body = ErrorResponse)))]
pub(super) async fn show(Path(kind): Path<String>) -> Result<Json<Workflow>, ApiError> {
    let Some(kind) = TaskKind::from_name(&kind) else {
        return Err(not_found(ApiCode::NotFound, "kind", &kind));
    };
    let fault = |error: GraphError| ApiError::internal(&error);
    Ok(Json(match kind {
        TaskKind::HealRepo => Workflow::of(kind, &autoheal_repo::graph().map_err(fault)?),
        TaskKind::FixSource => Workflow::of(kind, &autoheal_source::doctor::graph().map_err(fault)?),
        TaskKind::AddSource => Workflow::single(kind, autoheal_source::add::AddNode::Scout.name()),
        TaskKind::RefreshSource => Workflow::single(kind, autoheal_source::refresh::RefreshNode::Refresh.name()),
    }))
}
