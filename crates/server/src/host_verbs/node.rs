//! A node of a Graph whose block is a Function or Graph: a Run, as the brain was when the Run of the Graph started.

use model::run::Run;
use model::run::retry::Retry;

use crate::app::runs::{self, By, Input, StartRun, Target};
use crate::engine::NodeStart;
use crate::engine::execution::host::Inner;
use crate::error::Error;

pub(super) async fn run(host: &Inner, node: NodeStart) -> Result<Run, Error> {
    let (run, target) = (&host.run, node.target);
    let by = if target.is_written { By::Dependency } else { By::Name };
    let target = match target.version {
        Some(version) => Target::Number(target.name, version),
        None => Target::AsOf(target.name, run.revision),
    };
    let request = StartRun {
        run_id: Some(node.child),
        parent: Some(run.run_id),
        depth: run.how.depth + 1,
        is_node: true,
        chain: run.chain.clone(),
        // Asked for again after a crash, it is the same Run.
        idempotency_key: Some(format!("step:{}", node.child)),
        retry: node.retries.map(Retry::of),
        timeout_ms: node.timeout_ms,
        watch: Some(node.watch),
        ..StartRun::of(target, Input::from(node.input))
    };
    runs::start_node(&host.ctx, &host.access(), request, by, &host.redaction, node.on_wait).await
}
