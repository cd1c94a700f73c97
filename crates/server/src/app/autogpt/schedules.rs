//! Schedules of a graph.

use model::access::Access;
use model::access::verb::Verb;
use model::content::Content;
use model::entry::EntryKind;
use model::graph::block::BlockSignature;
use model::ids::EntryId;
use model::input::{InputSchema, bind};
use model::name::EntryName;
use model::schedule::{Missed, Overlap, ScheduleContent, Times};
use serde_json::{Map, Value, json};

use super::graphs::{Purpose, key as graph_key, live};
use crate::app::changesets::drafts::Expected;
use crate::app::functions::{Which, version};
use crate::app::schedules::{key, put_if, switch, unreadable};
use crate::ctx::Ctx;
use crate::error::Error;

const PAGE: u32 = 500;
/// A graph has so many schedules through this door.
const MOST: u32 = 1_000;

/// Starts the graph at these times, and says under which id.
pub(crate) async fn add(
    ctx: &Ctx,
    access: &Access,
    graph: &EntryName,
    cron: &str,
    zone: &str,
    input: Map<String, Value>,
) -> Result<EntryId, Error> {
    access.may_touch(Verb::ApplyChangeset, graph.as_str())?;
    let (_, target) = live(ctx, access, graph, Purpose::ToRun).await?;
    let signature = BlockSignature::of_graph(&target).to_signature();
    let fits = bind(&signature, Vec::new(), input.clone());
    let fits = fits.and_then(|input| InputSchema::compile(&signature).check(&input).map(drop));
    fits.map_err(|source| Error::RunInput { key: graph_key(graph), source })?;
    let content = ScheduleContent {
        description: String::new(),
        times: Times::parse(cron, zone).map_err(|error| unreadable(&error))?,
        zone: zone.to_owned(),
        target: graph.clone(),
        input,
        missed: Missed::default(),
        overlap: Overlap::default(),
        paused: false,
    };
    for number in 1..=MOST {
        let name = EntryName::new(&format!("{graph}.schedule_{number}"))?;
        access.may_touch(Verb::ApplyChangeset, name.as_str())?;
        // An id is never used again, so neither is a name.
        if !ctx.store.versions(&key(name.clone())).await?.is_empty() {
            continue;
        }
        match put_if(ctx, access, name.clone(), content.clone(), Some(Expected::Absent)).await {
            Err(Error::Stale { .. }) => {}
            put => {
                put?;
                return Ok(version(ctx, access, &key(name), Which::Live).await?.head.entry_id);
            }
        }
    }
    Err(Error::Input {
        problem: format!("graph `{graph}` has had {MOST} schedules"),
        hint: "add more with `selfmade schedule add`, under names of your own".to_owned(),
    })
}

/// Those that are enabled: their times by their ids.
pub(crate) async fn list(ctx: &Ctx, access: &Access, graph: &EntryName) -> Result<Map<String, Value>, Error> {
    access.may_touch(Verb::ReadSchedules, graph.as_str())?;
    live(ctx, access, graph, Purpose::ToRun).await?;
    let (mut found, mut after) = (Map::new(), None::<String>);
    loop {
        let kind = EntryKind::Schedule;
        let page = ctx.store.live_versions(kind, after.as_deref(), PAGE, access.only()).await?;
        for version in &page {
            if let Content::Schedule(schedule) = &version.content
                && schedule.target == *graph
                && !schedule.paused
            {
                found.insert(version.head.entry_id.to_string(), json!(schedule.times.to_string()));
            }
        }
        let Some(last) = page.last().filter(|_| page.len() >= PAGE as usize) else { return Ok(found) };
        after = Some(last.head.key.name.to_string());
    }
}

pub(crate) async fn enable(
    ctx: &Ctx,
    access: &Access,
    name: EntryName,
    is_enabled: bool,
) -> Result<(), Error> {
    access.may_touch(Verb::ApplyChangeset, name.as_str())?;
    switch(ctx, access, name, !is_enabled).await.map(drop)
}
