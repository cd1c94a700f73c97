//! Guessing: an address that has sent too many wrong tokens waits before another is looked at.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use axum::http::StatusCode;
use jiff::{SignedDuration, Timestamp};

use super::problem::Problem;

const ALLOWED: u32 = 20;
const WINDOW: SignedDuration = SignedDuration::from_secs(60);
/// So many addresses are remembered; beyond them the oldest windows are forgotten.
const ADDRESSES: usize = 10_000;

/// Wrong tokens by address.
#[derive(Debug, Default)]
pub(super) struct Guesses(Mutex<HashMap<IpAddr, Window>>);

#[derive(Clone, Copy, Debug)]
struct Window {
    since: Timestamp,
    wrong: u32,
}

impl Guesses {
    /// Refuses an address that guesses.
    pub(super) fn check(&self, peer: Option<IpAddr>, now: Timestamp) -> Result<(), Problem> {
        let Some(peer) = peer else { return Ok(()) };
        let windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(window) = windows.get(&peer).filter(|window| window.wrong >= ALLOWED) else { return Ok(()) };
        let left = window.since + WINDOW - now;
        let Ok(left @ 1..) = u64::try_from(left.get_seconds()) else { return Ok(()) };
        Err(Problem::new(
            StatusCode::TOO_MANY_REQUESTS,
            "guessing",
            "too many wrong tokens came from this address",
        )
        .hint(format!("wait {left} seconds"))
        .retry_after(left))
    }

    pub(super) fn wrong(&self, peer: Option<IpAddr>, now: Timestamp) {
        let Some(peer) = peer else { return };
        let mut windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if windows.len() >= ADDRESSES {
            windows.retain(|_, window| now.duration_since(window.since) < WINDOW);
        }
        if windows.len() >= ADDRESSES {
            windows.clear();
        }
        let window = windows.entry(peer).or_insert(Window { since: now, wrong: 0 });
        if now.duration_since(window.since) >= WINDOW {
            *window = Window { since: now, wrong: 0 };
        }
        window.wrong += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEER: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn whoever_guesses_waits_until_the_minute_is_over() {
        let guesses = Guesses::default();
        for _ in 0..ALLOWED {
            assert!(guesses.check(PEER, at(0)).is_ok());
            guesses.wrong(PEER, at(0));
        }
        assert!(guesses.check(PEER, at(1)).is_err());
        assert!(guesses.check(None, at(1)).is_ok());
        assert!(guesses.check(PEER, at(60)).is_ok());
        guesses.wrong(PEER, at(61));
        assert!(guesses.check(PEER, at(61)).is_ok(), "a new minute begins");
    }
}
