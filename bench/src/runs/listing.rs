//! Pages of lists among a great many runs, by each filter.

use std::time::Instant;

use model::access::Access;
use model::entry::EntryKey;
use model::function::FunctionDraft;
use model::ids::VersionId;
use model::name::EntryName;
use model::run::RunState;
use server::app::functions::{self, Which};
use server::app::runs::lists;
use store::{Durability, RunFilter};

use super::past::{self, FUNCTIONS};
use super::report::Report;
use super::world::{Place, World};
use crate::functions::{name, source};
use crate::load;
use crate::measure::{Times, human};

const PORTION: usize = 20_000;
const PAGE: u32 = 50;
const PAGES: usize = 40;

pub(super) async fn measure(report: &mut Report, place: &Place, runs: usize) -> anyhow::Result<()> {
    load::tell(&format!("{runs} runs to list"))?;
    let world = place.brain("listing", Durability::Process).await?;
    let begun = Instant::now();
    record(&world, runs).await?;
    report.other(&format!("recording {runs} runs"), human(begun.elapsed()));
    for (what, filter) in filters(runs) {
        let (mut times, mut shown) = (Times::default(), 0);
        for n in 0..PAGES {
            let filter = filter(n * 7919);
            let begun = Instant::now();
            shown += lists::page(&world.ctx, &Access::of_command_line(), filter, PAGE).await?.runs.len();
            times.0.push(begun.elapsed());
        }
        report.timed(&format!("a page of runs, {what} ({} found)", shown / PAGES), times);
    }
    world.ctx.close().await;
    Ok(())
}

async fn record(world: &World, runs: usize) -> anyhow::Result<()> {
    let drafts = (0..FUNCTIONS).map(|n| FunctionDraft::of_source(source(n, None)));
    world.register(drafts.collect()).await?;
    let mut versions: Vec<VersionId> = Vec::with_capacity(FUNCTIONS);
    for n in 0..FUNCTIONS {
        let key = EntryKey::function(EntryName::new(&name(n))?);
        versions.push(
            functions::version(&world.ctx, &Access::of_command_line(), &key, Which::Live)
                .await?
                .head
                .version_id,
        );
    }
    for from in (0..runs).step_by(PORTION) {
        let numbers = from..(from + PORTION).min(runs);
        let portion: Vec<_> =
            numbers.map(|n| past::run(n, runs, &versions)).collect::<anyhow::Result<_>>()?;
        world.ctx.store.record_runs(&portion).await?;
    }
    Ok(())
}

type Filter = Box<dyn Fn(usize) -> RunFilter + Send + Sync>;

/// Each made for the n-th page, so that pages differ.
fn filters(runs: usize) -> Vec<(&'static str, Filter)> {
    let before = move |n: usize| Some(past::id(runs - n % runs, runs));
    let named = |n: usize| Some(name(past::function(n)));
    let day = move |n: usize| n % (runs - runs / 30);
    vec![
        ("the newest", Box::new(|_| RunFilter::default())),
        ("anywhere", Box::new(move |n| RunFilter { before: before(n), ..RunFilter::default() })),
        ("by name", Box::new(move |n| RunFilter { name: named(n), ..RunFilter::default() })),
        (
            "by the start of a name",
            Box::new(|n| RunFilter { name: Some(format!("{}*", &name(n)[..8])), ..RunFilter::default() }),
        ),
        ("failed", Box::new(move |n| of_state(RunState::Failed, before(n)))),
        ("cancelled", Box::new(move |n| of_state(RunState::Cancelled, before(n)))),
        (
            "failed, by name",
            Box::new(move |n| RunFilter { name: named(n), ..of_state(RunState::Failed, None) }),
        ),
        ("by trigger", Box::new(|n| RunFilter { actor: Some(past::trigger(n)), ..RunFilter::default() })),
        (
            "by parent",
            Box::new(move |n| RunFilter {
                parent: Some(past::id(n % runs / 20 * 20, runs)),
                ..RunFilter::default()
            }),
        ),
        (
            "of a day",
            Box::new(move |n| RunFilter {
                since: Some(past::time(day(n), runs)),
                until: Some(past::time(day(n) + runs / 30, runs)),
                ..RunFilter::default()
            }),
        ),
        (
            "by text in a common error",
            Box::new(|n| RunFilter { error: Some(format!("item {} is", n % 97)), ..RunFilter::default() }),
        ),
        (
            "by text in a rare error",
            Box::new(|_| RunFilter { error: Some("tank of".to_owned()), ..RunFilter::default() }),
        ),
    ]
}

fn of_state(state: RunState, before: Option<model::ids::RunId>) -> RunFilter {
    RunFilter { states: vec![state], before, ..RunFilter::default() }
}
