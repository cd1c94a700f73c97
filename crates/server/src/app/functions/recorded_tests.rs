//! Makes tests of recorded Runs.

use std::collections::HashMap;

use model::access::Access;
use model::access::verb::Verb;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::function::recorded_test::test_of;
use model::ids::RunId;
use model::run::step::Step;

use super::Which;
use crate::app::changesets::drafts::{Expected, Intent, Proposal};
use crate::app::changesets::{Applied, register};
use crate::app::runs;
use crate::app::runs::ids::short;
use crate::ctx::Ctx;
use crate::error::Error;

/// Adds what a Run did as a test of its Function, by a Changeset: so the live Version has to do the same.
pub async fn add(ctx: &Ctx, access: &Access, id: RunId, name: Option<String>) -> Result<Applied, Error> {
    access.may(Verb::ApplyChangeset)?;
    let run = runs::touched(ctx, access, id).await?;
    access.may_touch(Verb::ApplyChangeset, run.key.name.as_str())?;
    if run.key.kind != EntryKind::Function {
        return Err(Error::Input {
            problem: format!("run {id} is one of a {}, and only functions carry tests", run.key.kind),
            hint: "take the run of one of its nodes; `selfmade runs nodes` lists them".to_owned(),
        });
    }
    let steps = ctx.store.steps(id).await.map_err(|error| Error::of_record(id, error))?;
    let test = test_of(&run, &steps, &callees(ctx, &steps).await?, name).map_err(|why| Error::Input {
        problem: format!("run {id} cannot become a test: {why}"),
        hint: "run the function with another input, or write the test by hand".to_owned(),
    })?;
    let key = EntryKey::function(run.key.name);
    let live = super::version(ctx, access, &key, Which::Live).await?;
    let mut content = live.content;
    if let Content::Function(function) = &mut content
        && !function.tests.iter().any(|known| known.input == test.input && known.expect == test.expect)
    {
        function.tests.push(test);
    }
    let title = format!("test {} as run {} did", key.name, short(id));
    let expected = vec![(key.clone(), Expected::Version(live.head.number))];
    let proposal = Proposal { expected, ..Proposal::of(title, vec![Intent::Put(key.name, content)]) };
    register(ctx, access, &proposal).await
}

/// The functions that were called in other cells, by their Runs.
async fn callees(ctx: &Ctx, steps: &[Step]) -> Result<HashMap<RunId, String>, Error> {
    let mut callees = HashMap::new();
    for child in steps.iter().filter_map(|step| step.child) {
        if let Some(run) = ctx.store.run(child).await.map_err(|error| Error::of_record(child, error))? {
            callees.insert(child, run.key.name.to_string());
        }
    }
    Ok(callees)
}
