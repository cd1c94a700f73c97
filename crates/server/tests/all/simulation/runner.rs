//! Tries many seeds, on as many threads as there are processors. A seed that fails is told with what to type to see it again.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use store::testing::TestDatabase;

use super::calls::Call;
use super::{Simulated, brain, simulate};

/// Seeds of an ordinary test run: about a minute without optimisation on two processors.
const SEEDS: u64 = 1_500;
/// Seeds that fail are listed up to here.
const MOST_FAILURES: usize = 5;

#[allow(clippy::disallowed_methods, reason = "tests are told what to do by whoever starts them")]
fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is a number, not `{text}`")))
}

/// A database with the brain, to be copied for each seed.
fn template() -> TestDatabase {
    let database = TestDatabase::sqlite_in_memory();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(brain::write(&database));
    database
}

/// The first violation of each seed that has one, of a range of seeds.
fn try_seeds(from: u64, count: u64) -> Vec<(u64, String)> {
    let template = template();
    let (next, failures) = (AtomicU64::new(from), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= from + count || failures.lock().unwrap().len() >= MOST_FAILURES {
                        return;
                    }
                    let Simulated { violations, .. } = simulate(seed, &template.copied());
                    if let Some(first) = violations.into_iter().next() {
                        failures.lock().unwrap().push((seed, first));
                    }
                }
            });
        }
    });
    failures.into_inner().unwrap()
}

fn fail_with(failures: &[(u64, String)]) {
    let lines: Vec<String> = failures
        .iter()
        .map(|(seed, first)| {
            format!("seed {seed}: {first}\n    cargo xtask simulate --seeds 1 --from {seed}")
        })
        .collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}

#[test]
fn every_run_comes_to_one_end_whatever_fails() {
    let from = setting("SELFMADE_SIMULATE_FROM").unwrap_or(0);
    let count = setting("SELFMADE_SIMULATE_SEEDS").unwrap_or(SEEDS);
    if count == 1 {
        let Simulated { trace, violations, .. } = simulate(from, &template().copied());
        trace.iter().enumerate().for_each(|(line, what)| println!("{line:5} {what}"));
        assert!(violations.is_empty(), "seed {from}:\n{}", violations.join("\n"));
        return;
    }
    let begun = Instant::now();
    let failures = try_seeds(from, count);
    let took: Duration = begun.elapsed();
    println!("{count} seeds from {from} took {took:.1?}");
    fail_with(&failures);
}

#[test]
fn everything_that_faults_are_aimed_at_is_asked() {
    let template = template();
    let mut asked = BTreeSet::new();
    for seed in 0..100 {
        asked.extend(simulate(seed, &template.copied()).calls);
        if asked.len() == Call::ALL.len() {
            return;
        }
    }
    let missing: Vec<Call> = Call::ALL.into_iter().filter(|call| !asked.contains(call)).collect();
    panic!("no statement was recognised as {missing:?}");
}

#[test]
fn the_same_seed_gives_the_same_order() {
    let template = template();
    for seed in 0..20 {
        let [first, second] = [(); 2].map(|()| simulate(seed, &template.copied()).trace);
        let differs = first.iter().zip(&second).position(|(one, other)| one != other);
        assert_eq!((seed, differs, first.len()), (seed, None, second.len()));
    }
}

#[test]
fn every_run_comes_to_one_end_on_postgres() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for seed in 0..8 {
        let database = runtime.block_on(async {
            let database = TestDatabase::postgres().await;
            brain::write(&database).await;
            database
        });
        let Simulated { violations, .. } = simulate(seed, &database);
        assert!(violations.is_empty(), "seed {seed}:\n{}", violations.join("\n"));
    }
}
