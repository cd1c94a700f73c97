//! Graphs and schedules by their ids. Whether one may be touched is judged on the head of the request; one that may not be seen is
//! not there.

use std::marker::PhantomData;

use axum::http::request::Parts;
use model::access::Access;
use model::entry::EntryKind;
use model::name::EntryName;

use crate::app::autogpt::find;
use crate::http::problem::Problem;
use crate::http::request::authorization::{Need, RouteVerb, parameter};
use crate::http::state::Door;

/// The name behind the id in the address.
#[derive(Clone, Debug)]
pub(super) struct Found(pub(super) EntryName);

/// That it may be done to the graph whose id is in the address.
pub(super) struct OfGraph<V>(PhantomData<V>);

impl<V: RouteVerb> Need for OfGraph<V> {
    async fn judge(access: &Access, parts: &mut Parts, door: &Door) -> Result<(), Problem> {
        of_entry::<V>(access, parts, door, EntryKind::Graph, "graph_id").await
    }
}

/// The same of a schedule.
pub(super) struct OfSchedule<V>(PhantomData<V>);

impl<V: RouteVerb> Need for OfSchedule<V> {
    async fn judge(access: &Access, parts: &mut Parts, door: &Door) -> Result<(), Problem> {
        of_entry::<V>(access, parts, door, EntryKind::Schedule, "schedule_id").await
    }
}

async fn of_entry<V: RouteVerb>(
    access: &Access,
    parts: &mut Parts,
    door: &Door,
    kind: EntryKind,
    name: &str,
) -> Result<(), Problem> {
    access.may(V::VERB)?;
    let Some(id) = parameter(parts, name).await else { return Err(Problem::internal()) };
    let Some(name) = find(door.ctx(), access, V::VERB, kind, &id).await? else {
        return Err(Problem::of("not_found", format!("there is no {kind} with the id `{id}`")));
    };
    access.may_touch(V::VERB, name.as_str())?;
    parts.extensions.insert(Found(name));
    Ok(())
}
