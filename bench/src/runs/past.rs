//! Records of runs that never were, but look like those of a busy month.

use std::sync::Arc;

use jiff::Timestamp;
use model::access::Authority;
use model::access::actor::Actor;
use model::entry::EntryKey;
use model::ids::{EntryId, RunId, VersionId};
use model::name::EntryName;
use model::revision::Revision;
use model::run::chain::Chain;
use model::run::{Ending, How, Run, RunError, RunState, Usage};
use serde_json::json;
use uuid::{Builder, Uuid};

use crate::functions::name;

/// So many functions share the runs, some of them having many more than others.
pub(super) const FUNCTIONS: usize = 1_000;
const TRIGGERS: usize = 50;
const MONTH_MS: u64 = 30 * 86_400_000;
const BEGINNING_MS: u64 = 1_760_000_000_000;
/// One in so many is a child of the one before the last multiple of it.
const FAMILY: usize = 20;

/// When the n-th of so many was created.
pub(super) fn time(n: usize, of: usize) -> Timestamp {
    let millis = BEGINNING_MS + MONTH_MS / of as u64 * n as u64;
    Timestamp::from_millisecond(millis.cast_signed()).unwrap_or_default()
}

pub(super) fn id(n: usize, of: usize) -> RunId {
    let mut random = [0; 10];
    random[..8].copy_from_slice(&scattered(n).to_le_bytes());
    let millis = time(n, of).as_millisecond().cast_unsigned();
    RunId(Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
}

pub(super) fn trigger(n: usize) -> Actor {
    Actor::Trigger(EntryId(Uuid::from_u128((n % TRIGGERS + 1) as u128)))
}

pub(super) fn function(n: usize) -> usize {
    // The smaller of two, so that the first ones are run more often.
    let chance = scattered(n);
    (chance as usize % FUNCTIONS).min((chance >> 32) as usize % FUNCTIONS)
}

pub(super) fn run(n: usize, of: usize, versions: &[VersionId]) -> anyhow::Result<Run> {
    let function = function(n);
    let created_at = time(n, of);
    let (state, ending, error) = end(n);
    let actor = if n.is_multiple_of(3) { trigger(n / 3) } else { Actor::CommandLine };
    Ok(Run {
        run_id: id(n, of),
        key: EntryKey::function(EntryName::new(&name(function))?),
        version_id: versions.get(function).copied(),
        revision: Revision(1),
        state,
        ending: Some(ending),
        input: json!({ "items": ["a", "b", "c"], "limit": n % 10 }),
        output: (state == RunState::Succeeded).then(|| json!(["a", "b", format!("{n}")])),
        error,
        actor,
        authority: Arc::new(Authority::of_command_line()),
        parent: (n % FAMILY > FAMILY / 2).then(|| id(n - n % FAMILY, of)),
        created_at,
        started_at: Some(created_at),
        finished_at: Some(created_at + std::time::Duration::from_micros(3_000 + scattered(n) % 50_000)),
        attempt: 1,
        how: How { waited: true, ..How::default() },
        closure: None,
        event_seq: None,
        chain: Chain::default(),
        waiting: None,
        usage: Some(Usage { wall_us: 3_000, cpu_us: 1_500, peak_memory_bytes: 12 << 20, ..Usage::default() }),
        cancelled: None,
        lease: None,
    })
}

/// Most succeed; one in ten fails, and one in a hundred thousand in a way of its own.
fn end(n: usize) -> (RunState, Ending, Option<RunError>) {
    let error = |type_name: &str, message: String| {
        Some(RunError { type_name: type_name.to_owned(), message, traceback: None, hint: None })
    };
    match n {
        _ if n % 100_000 == 77_777 => {
            (RunState::Failed, Ending::Raised, error("OverflowError", format!("the tank of {n} is full")))
        }
        _ if n % 10 == 3 => {
            (RunState::Failed, Ending::Raised, error("ValueError", format!("item {} is not text", n % 97)))
        }
        _ if n % 50 == 9 => (RunState::Cancelled, Ending::Killed, None),
        _ => (RunState::Succeeded, Ending::Returned, None),
    }
}

/// The same number each time, and far from that of its neighbours.
fn scattered(n: usize) -> u64 {
    let mut x = (n as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
