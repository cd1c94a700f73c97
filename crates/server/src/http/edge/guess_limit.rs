//! Guessing: an address that has sent too many wrong tokens must wait before it may try again.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::http::problem::Problem;

const ALLOWED: u32 = 20;
const WINDOW: SignedDuration = SignedDuration::from_secs(60);
/// So many addresses are remembered; beyond them the oldest windows are forgotten.
const ADDRESSES: usize = 10_000;

/// Wrong tokens by address. Behind a proxy many share one, so whoever came in from there before with a right token is let in
/// though others guess.
#[derive(Debug, Default)]
pub(crate) struct Guesses {
    windows: Mutex<HashMap<IpAddr, Window>>,
    /// Tokens and sessions that were right, with the address they came from.
    right: Mutex<HashSet<(IpAddr, Uuid)>>,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    since: Timestamp,
    wrong: u32,
}

impl Guesses {
    /// Refuses an address that guesses.
    pub(crate) fn check(&self, peer: Option<IpAddr>, now: Timestamp) -> Result<(), Problem> {
        let Some(left) = peer.and_then(|peer| self.left(peer, now)) else { return Ok(()) };
        Err(Problem::of("guessing", "too many wrong tokens were sent from this address")
            .hint(format!("wait {left} seconds"))
            .retry_after(left))
    }

    /// Refuses an address that guesses, unless this token or session was right from there before.
    pub(crate) fn check_right(&self, peer: Option<IpAddr>, id: Uuid, now: Timestamp) -> Result<(), Problem> {
        let Some(address) = peer else { return Ok(()) };
        let mut right = lock(&self.right);
        if right.contains(&(address, id)) {
            return Ok(());
        }
        self.check(peer, now)?;
        if right.len() >= ADDRESSES {
            right.clear();
        }
        right.insert((address, id));
        Ok(())
    }

    /// How many seconds an address has to wait.
    fn left(&self, peer: IpAddr, now: Timestamp) -> Option<u64> {
        let windows = lock(&self.windows);
        let window = windows.get(&peer).filter(|window| window.wrong >= ALLOWED)?;
        let left = window.since + WINDOW - now;
        u64::try_from(left.get_seconds()).ok().filter(|left| *left > 0)
    }

    pub(crate) fn wrong(&self, peer: Option<IpAddr>, now: Timestamp) {
        let Some(peer) = peer else { return };
        let mut windows = lock(&self.windows);
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that holds these locks can panic half-way through a change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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

    #[test]
    fn whoever_came_in_before_is_not_locked_out_by_others_at_the_same_address() {
        let guesses = Guesses::default();
        let token = |number| Uuid::from_u128(number);
        assert!(guesses.check_right(PEER, token(1), at(0)).is_ok());
        (0..ALLOWED).for_each(|_| guesses.wrong(PEER, at(0)));
        assert!(guesses.check_right(PEER, token(1), at(1)).is_ok());
        assert!(guesses.check_right(PEER, token(2), at(1)).is_err());
        assert!(guesses.check_right(PEER, token(2), at(60)).is_ok());
    }
}
