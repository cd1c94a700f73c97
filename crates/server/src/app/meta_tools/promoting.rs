//! Promotes a script that worked to a draft: reads its run, and finds out what of it gives the same every time.

use std::collections::{BTreeMap, BTreeSet};

use model::access::Access;
use model::access::verb::Verb;
use model::content::Content;
use model::function::FunctionContent;
use model::meta_tools::promotion::{PromotionError, Recorded, promote as promoted};
use model::name::EntryName;
use model::python::analyse;
use model::run::Run;
use model::run::draft::{Code, DraftContent};

use super::{Caller, ToolAnswer, drafting};
use crate::app::changesets::workspace;
use crate::app::runs;
use crate::app::runs::ids;
use crate::ctx::Ctx;
use crate::error::Error;

pub(super) async fn promote(
    ctx: &Ctx,
    access: &Access,
    caller: &Caller<'_>,
    run: &str,
    name: &str,
) -> Result<ToolAnswer, Error> {
    access.may(Verb::ProposeChangeset)?;
    let source = source(ctx, access, run, &name.parse()?).await?;
    let name = Some(name.to_owned());
    let (name, content) = workspace::draft(ctx, access, caller.workspace, &source, name).await?;
    Ok(drafting::with_source(drafting::drafted(&name, &content), &source))
}

/// The file of the function that a script becomes.
async fn source(ctx: &Ctx, access: &Access, run: &str, name: &EntryName) -> Result<String, Error> {
    access.may_touch(Verb::ProposeChangeset, name.as_str())?;
    let id = ids::find(ctx, access, run).await?;
    let run = runs::recorded_input(runs::touched(ctx, access, id).await?)?;
    // What it was answered is in the function, as if its author had read it.
    access.may_continue(id, &run.authority)?;
    let code = code(ctx, &run).await?;
    let called = called(ctx, &run).await?;
    let (calls, steps) = (ctx.store.calls(id).await?, ctx.store.steps(id).await?);
    let pure: BTreeSet<String> = called.keys().filter(|name| is_pure(&called, name)).cloned().collect();
    let verbs_of_others =
        called.iter().filter(|(name, _)| !pure.contains(*name)).flat_map(|(_, content)| verbs(content));
    let verbs_of_others = verbs_of_others.collect();
    let recorded = Recorded {
        run: &run,
        code: &code,
        calls: &calls,
        steps: &steps,
        pure: &pure,
        verbs_of_others: &verbs_of_others,
    };
    promoted(recorded, name).map_err(|error| refused(&error))
}

async fn code(ctx: &Ctx, run: &Run) -> Result<Code, Error> {
    match ctx.store.run_draft(run.run_id, run.key.kind).await? {
        Some(DraftContent::Code(code)) => Ok(code),
        _ => Err(Error::Input {
            problem: format!("run {} is of `{}`, and not of a script", run.run_id, run.key.name),
            hint: "name a run that `run_code` made".to_owned(),
        }),
    }
}

/// The functions that were loaded for it; none for a graph.
async fn called(ctx: &Ctx, run: &Run) -> Result<BTreeMap<String, Option<FunctionContent>>, Error> {
    let Some(hash) = run.closure else { return Ok(BTreeMap::new()) };
    let versions = ctx.store.closure_versions(hash).await?;
    let named = versions.into_iter().map(|(version, _)| {
        let content = match version.content {
            Content::Function(content) => Some(*content),
            _ => None,
        };
        (version.head.key.name.to_string(), content)
    });
    Ok(named.collect())
}

/// With everything that it calls.
fn is_pure(called: &BTreeMap<String, Option<FunctionContent>>, name: &str) -> bool {
    let (mut seen, mut next) = (BTreeSet::new(), vec![name.to_owned()]);
    while let Some(name) = next.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        match called.get(&name) {
            Some(Some(content)) if content.is_pure() => {
                next.extend(content.dependencies.iter().map(|one| one.function.clone()));
            }
            _ => return false,
        }
    }
    true
}

fn verbs(content: &Option<FunctionContent>) -> Vec<String> {
    let analysis = content.as_ref().and_then(|content| analyse(&content.source).ok());
    analysis.map(|analysis| analysis.verbs).unwrap_or_default()
}

fn refused(error: &PromotionError) -> Error {
    Error::Input { problem: error.to_string(), hint: error.hint().to_owned() }
}
