//! How many large bodies of one caller are in memory at once. The names that a verb checks are often inside the body, so it
//! is read first; this limits the cost.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use axum::body::HttpBody;
use axum::extract::Request;
use model::access::actor::Actor;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Of one caller, at once; with bodies of 8 MB that are 32 MB.
const AT_ONCE: usize = 4;
/// Those that are not larger need no place: all connections together hold few of them.
const SMALL: u64 = 64 << 10;

/// The places of callers that have a large body under way.
#[derive(Default)]
pub(crate) struct BodyPlaces(Mutex<HashMap<Actor, Weak<Semaphore>>>);

impl BodyPlaces {
    /// A place for the body of this request, as soon as there is one; none if it is small.
    pub(crate) fn take(
        &self,
        caller: &Actor,
        request: &Request,
    ) -> impl Future<Output = Option<OwnedSemaphorePermit>> + Send + use<> {
        let is_small = request.body().size_hint().upper().is_some_and(|bytes| bytes <= SMALL);
        let places = (!is_small).then(|| self.of(caller));
        async move { places?.acquire_owned().await.ok() }
    }

    fn of(&self, caller: &Actor) -> Arc<Semaphore> {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        places.retain(|_, places| places.strong_count() > 0);
        let known = places.get(caller).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let made = Arc::new(Semaphore::new(AT_ONCE));
            places.insert(caller.clone(), Arc::downgrade(&made));
            made
        })
    }
}
