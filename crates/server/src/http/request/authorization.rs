//! What a route requires of its caller. A handler declares it by the type of its [`Allowed`] argument, and it is checked on
//! the head of the request: an unauthorized caller is refused before a byte of the body is read. The verbs of `app` check
//! again, by the same rule and with what only the body says.

use std::future::Future;
use std::marker::PhantomData;
use std::ops::Deref;

use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::response::IntoResponse;
use model::access::Access;
use model::access::actor::Actor;
use model::access::verb::Verb;

use super::caller::Caller;
use super::run_path::RunPath;
use crate::app::{changesets, runs};
use crate::http::problem::Problem;
use crate::http::state::Door;

/// An authorized caller. `R` is the type of a refusal.
pub(crate) struct Allowed<N, R = Problem> {
    caller: Caller,
    need: PhantomData<fn() -> (N, R)>,
}

impl<N, R> Deref for Allowed<N, R> {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.caller
    }
}

impl<N: Need, R: From<Problem> + IntoResponse> FromRequestParts<Door> for Allowed<N, R> {
    type Rejection = R;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, R> {
        let caller = Caller::of(parts, door).await?;
        N::judge(caller.access(), parts, door).await?;
        parts.extensions.insert(Judged(caller.access().actor.clone()));
        Ok(Allowed { caller, need: PhantomData })
    }
}

/// Says of a request that its head was judged, and whose it is.
#[derive(Clone, Debug)]
struct Judged(Actor);

/// Bodies are read only of requests whose head was judged, so a handler that takes a body and forgets [`Allowed`] never works.
pub(crate) fn is_judged(request: &Request) -> Result<&Actor, Problem> {
    if let Some(Judged(caller)) = request.extensions().get() {
        return Ok(caller);
    }
    tracing::error!("a route takes a body without saying what it needs of its caller");
    Err(Problem::internal())
}

/// Something that the head of a request tells about its caller.
pub(crate) trait Need: 'static {
    fn judge(
        access: &Access,
        parts: &mut Parts,
        door: &Door,
    ) -> impl Future<Output = Result<(), Problem>> + Send;
}

/// A verb, as a type.
pub(crate) trait RouteVerb: 'static {
    const VERB: Verb;
}

/// The verbs that routes do.
pub(crate) mod to {
    use super::{RouteVerb, Verb};

    macro_rules! verbs {
        ($($verb:ident)*) => {$(
            pub(in crate::http) struct $verb;

            impl RouteVerb for $verb {
                const VERB: Verb = Verb::$verb;
            }
        )*};
    }

    verbs! {
        ReadBrain ReadFunctions SearchFunctions ReadTriggers ReadSchedules ReadChangesets ReadPacks ReadPresets ReadRuns ReadEvents
        ReadInsights ReadMetrics ReadNodes ReadModels ExportBrain StartRun CancelRun AnswerRun ExtendRun ReplayRun RunTests PrepareEnvironments
        ProposeChangeset ApplyChangeset RejectChangeset RevertChangeset ChangePresets ManageSecrets ManageModels ManageTokens ManageSessions PruneRuns
        RebuildSearch ExamineServer
    }
}

/// Any valid token or session.
pub(crate) struct Known;

impl Need for Known {
    async fn judge(_: &Access, _: &mut Parts, _: &Door) -> Result<(), Problem> {
        Ok(())
    }
}

/// A role that may do it; to what it is done, the verb judges.
pub(crate) struct Role<V>(PhantomData<V>);

impl<V: RouteVerb> Need for Role<V> {
    async fn judge(access: &Access, _: &mut Parts, _: &Door) -> Result<(), Problem> {
        Ok(access.may(V::VERB)?)
    }
}

/// That it may be done to the entry whose name is in the address.
pub(crate) struct Named<V>(PhantomData<V>);

impl<V: RouteVerb> Need for Named<V> {
    async fn judge(access: &Access, parts: &mut Parts, _: &Door) -> Result<(), Problem> {
        // Patterns need not be asked for what the role may not do to anything.
        access.may(V::VERB)?;
        match parameter(parts, "name").await {
            Some(name) => Ok(access.may_touch(V::VERB, &name)?),
            None => Err(Problem::internal()),
        }
    }
}

/// That it may be done to the brain as a whole.
pub(crate) struct Whole<V>(PhantomData<V>);

impl<V: RouteVerb> Need for Whole<V> {
    async fn judge(access: &Access, _: &mut Parts, _: &Door) -> Result<(), Problem> {
        Ok(access.may_touch_all(V::VERB)?)
    }
}

/// That it may be done to the Run whose id is in the address.
pub(crate) struct OfRun<V>(PhantomData<V>);

impl<V: RouteVerb> Need for OfRun<V> {
    async fn judge(access: &Access, parts: &mut Parts, door: &Door) -> Result<(), Problem> {
        access.may(V::VERB)?;
        let RunPath(id) = RunPath::find(parts, access, door).await?;
        Ok(runs::get(door.ctx(), access, id).await.map(drop)?)
    }
}

/// About the Changeset whose number is in the path, which has to be one that the caller may see.
pub(crate) struct OfChangeset<V>(PhantomData<V>);

impl<V: RouteVerb> Need for OfChangeset<V> {
    async fn judge(access: &Access, parts: &mut Parts, door: &Door) -> Result<(), Problem> {
        access.may(V::VERB)?;
        let number = parameter(parts, "number").await.and_then(|number| number.parse::<u64>().ok());
        // What is not a number, or larger than any database has, is refused where it is read, which is before the body.
        let Some(number) = number.filter(|number| i64::try_from(*number).is_ok()) else { return Ok(()) };
        Ok(changesets::find(door.ctx(), access, number).await.map(drop)?)
    }
}

pub(crate) async fn parameter(parts: &mut Parts, name: &str) -> Option<String> {
    let stated = RawPathParams::from_request_parts(parts, &()).await.ok()?;
    stated.iter().find(|(stated, _)| *stated == name).map(|(_, value)| value.to_owned())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[test]
    fn a_body_is_read_only_of_a_request_whose_head_was_judged() {
        let mut request = Request::new(Body::empty());
        assert!(is_judged(&request).is_err());
        request.extensions_mut().insert(Judged(Actor::CommandLine));
        assert!(is_judged(&request).is_ok());
    }
}
