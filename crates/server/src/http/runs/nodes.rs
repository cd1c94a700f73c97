//! `/runs/{run_id}/nodes`: what the nodes of a graph did in a run.

use axum::Json as Body;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::runs::nodes::{self, NodeExecution, NodeFilter};
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, OfRun, to};
use crate::http::request::extract::Query;
use crate::http::request::paging::{List, Page};
use crate::http::request::query::Limit;
use crate::http::request::run_path::{RunInPath, RunPath};
use crate::http::state::Door;

pub(crate) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(list))
}

/// Which executions are listed.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct NodesQuery {
    /// Only those of this node.
    node: Option<String>,
    /// `next` of the previous page.
    cursor: Option<String>,
    /// The maximum number of items, up to 1,000. A page with large values has fewer.
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000, default = 100)]
    limit: Limit,
    /// How many output values of an execution are listed, up to 1,000; `more_outputs` says that there are more. The run's stream has all.
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000, default = 100)]
    outputs: Limit,
}

/// Lists the node executions of a run of a graph, in the order in which they began
#[utoipa::path(get, path = "/runs/{run_id}/nodes", tag = "runs", params(RunInPath, NodesQuery),
    responses((status = 200, body = Page<NodeExecution>), Refused))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<OfRun<to::ReadRuns>>,
    RunPath(id): RunPath,
    Query(query): Query<NodesQuery>,
) -> Result<Body<Page<NodeExecution>>, Problem> {
    let filter = NodeFilter {
        node: query.node,
        after: List::Nodes.begin(query.cursor.as_deref(), None)?.unwrap_or(0),
        limit: query.limit.get(),
        outputs: Some(query.outputs.get()),
    };
    let (items, is_more) = nodes::list(door.ctx(), caller.access(), id, &filter).await?;
    let last = items.last().filter(|_| is_more).map(|last| last.position);
    Ok(Body(List::Nodes.page(items, last)))
}
