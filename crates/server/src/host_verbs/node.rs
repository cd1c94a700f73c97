//! A node of a Graph whose block is a Function or Graph: a Run, as the brain was when the Run of the Graph started.

use model::access::Denied;
use model::name::EntryName;
use model::run::Run;
use model::run::retry::Retry;

use crate::app::budgets::spending;
use crate::app::runs::{self, By, Input, StartRun, Target};
use crate::engine::execution::host::Inner;
use crate::engine::{NamedBy, NodeStart, NodeTarget};
use crate::error::Error;

pub(super) async fn run(host: &Inner, node: NodeStart) -> Result<Run, Error> {
    let (run, target) = (&host.run, node.target);
    let by = judge(host, &target).await?;
    if let Some(refused) = spending::refuses_nested(&host.ctx, run).await? {
        return Err(Error::Exhausted(Box::new(refused.exhausted.seen_by(&run.authority))));
    }
    let target = match target.version {
        Some(version) => Target::Number(target.name, version),
        None => Target::AsOf(target.name, run.revision),
    };
    let request = StartRun {
        run_id: Some(node.child),
        parent: Some(run.run_id),
        depth: run.how.depth + 1,
        is_bounded_above: run.how.is_bounded(),
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

/// What is written in the Graph was judged when that was applied. Once its values were changed, its starter has to be someone who could
/// have written it; and where the name is a value, the Graph lends its starter nothing that its author may not call.
async fn judge(host: &Inner, target: &NodeTarget) -> Result<By, Error> {
    match target.by {
        NamedBy::Graph => Ok(By::Dependency),
        NamedBy::ChangedGraph => {
            host.access().may_call(target.name.as_str())?;
            Ok(By::Dependency)
        }
        NamedBy::Value => {
            judge_author(host, &target.name).await?;
            Ok(By::Name)
        }
    }
}

async fn judge_author(host: &Inner, name: &EntryName) -> Result<(), Error> {
    let (store, run) = (&host.ctx.store, &host.run);
    if run.how.draft.is_some() {
        return Err(Error::Input {
            problem: format!("the draft names `{name}` by a value, and nobody has answered for that yet"),
            hint: "write the name as a constant, or apply the draft before running it".to_owned(),
        });
    }
    let heads = store.version_heads(&Vec::from_iter(run.version_id)).await?;
    let author = match heads.first() {
        Some(head) => store.changeset_authority(head.changeset_id).await?,
        None => None,
    };
    if author.is_some_and(|author| author.may_call(name.as_str())) {
        return Ok(());
    }
    Err(Denied::Author { graph: run.key.name.to_string(), name: name.to_string() }.into())
}
