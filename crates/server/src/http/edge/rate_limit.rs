//! How many requests one caller may send: a token bucket for each token, and for each address without one.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use secrecy::ExposeSecret;

use crate::http::problem::Problem;
use crate::http::request::caller::{Peer, shown_text};
use crate::http::state::Door;

/// A burst may have what comes in so many seconds.
const BURST_SECONDS: f64 = 10.0;
/// So many callers are remembered; beyond them all begin again with a full bucket.
const CALLERS: usize = 10_000;

pub(crate) async fn check(State(door): State<Door>, request: Request, next: Next) -> Response {
    match door.config().rate.map(|rate| taken(&door, rate, &request)) {
        Some(Err(problem)) => problem.into_response(),
        Some(Ok(())) | None => next.run(request).await,
    }
}

fn taken(door: &Door, rate: NonZeroU32, request: &Request) -> Result<(), Problem> {
    let rates = door.rates();
    let caller = match (shown_text(request.headers()), request.extensions().get::<Peer>()) {
        (Some(token), _) => Caller::Token(rates.hasher.hash_one(token.expose_secret())),
        (None, Some(Peer(address))) => Caller::Address(*address),
        // Nobody comes without an address but tests.
        (None, None) => return Ok(()),
    };
    rates.take(caller, rate, door.ctx().clock.now()).map_err(|seconds| {
        Problem::of("rate_limited", format!("you sent more than {rate} requests in one second"))
            .retry_after(seconds)
    })
}

/// Who sends. A token that is unknown gets a bucket, too; how many of those may come is the business of `guesses`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Caller {
    /// By a hash that nobody outside can foresee.
    Token(u64),
    Address(IpAddr),
}

#[derive(Debug, Default)]
pub(crate) struct Rates {
    hasher: RandomState,
    buckets: Mutex<HashMap<Caller, Bucket>>,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    /// How many requests it had at that time.
    left: f64,
    at: Timestamp,
}

impl Rates {
    /// Takes one request, or says after how many seconds there will be one.
    fn take(&self, caller: Caller, rate: NonZeroU32, now: Timestamp) -> Result<(), u64> {
        let rate = f64::from(rate.get());
        let most = rate * BURST_SECONDS;
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= CALLERS && !buckets.contains_key(&caller) {
            buckets.clear();
        }
        let bucket = buckets.entry(caller).or_insert(Bucket { left: most, at: now });
        let passed = now.duration_since(bucket.at).as_secs_f64().max(0.0);
        *bucket = Bucket { left: (bucket.left + passed * rate).min(most), at: now };
        if bucket.left < 1.0 {
            return Err(((1.0 - bucket.left) / rate).ceil().max(1.0) as u64);
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    const TWO: NonZeroU32 = NonZeroU32::new(2).unwrap();

    #[test]
    fn a_burst_is_let_through_and_then_so_many_in_a_second() {
        let (rates, start) = (Rates::default(), Timestamp::UNIX_EPOCH);
        let caller = Caller::Token(1);
        let taken = |now| (0..100).take_while(|_| rates.take(caller, TWO, now).is_ok()).count();
        assert_eq!(taken(start), 20);
        assert_eq!(rates.take(caller, TWO, start), Err(1));
        assert_eq!(rates.take(Caller::Token(2), TWO, start), Ok(()), "others have buckets of their own");
        assert_eq!(taken(start + SignedDuration::from_secs(1)), 2);
        assert_eq!(taken(start + SignedDuration::from_secs(1_000)), 20, "no more is saved up");
    }
}
