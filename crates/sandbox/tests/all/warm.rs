//! Warm jobs: one cell, one key, used again.

mod leftovers;

use std::sync::Arc;
use std::time::Duration;

use rustix::process::Signal;
use selfmade_sandbox::{Config, Isolation, Job, Value};
use serde_json::json;
use tokio::task::JoinSet;

use crate::support::{World, config, environment, is_there, kill, returned, signal, until, zygote};

const COUNT: &str = "n = 0\ndef f():\n    global n\n    n += 1\n    return n";

fn warm(world: &World, source: &str, key: &str) -> Job {
    let mut job = world.job(source, json!({}));
    job.isolation = Isolation::Warm { key: key.to_owned() };
    job
}

#[tokio::test]
async fn a_warm_cell_is_used_again_by_the_same_key_only() {
    let world = World::new().await;
    for expected in [1, 2, 3] {
        assert_eq!(returned(world.run(&warm(&world, COUNT, "a")).await.ending), json!(expected));
    }
    assert_eq!(returned(world.run(&warm(&world, COUNT, "b")).await.ending), json!(1));
    assert_eq!(returned(world.run(&world.job(COUNT, json!({}))).await.ending), json!(1));
}

#[tokio::test]
async fn a_raised_error_leaves_a_warm_cell_usable() {
    let world = World::new().await;
    let source = "n = 0\ndef f():\n    global n\n    n += 1\n    if n == 1: raise ValueError\n    return n";
    world.run(&warm(&world, source, "a")).await;
    assert_eq!(returned(world.run(&warm(&world, source, "a")).await.ending), json!(2));
}

#[tokio::test]
async fn a_cell_with_a_thread_left_in_it_is_not_used_again() {
    let world = World::new().await;
    let source = "n = 0\ndef f():\n    import threading, time\n    global n\n    n += 1\n    \
                  threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n    return n";
    for _ in 0..2 {
        assert_eq!(returned(world.run(&warm(&world, source, "a")).await.ending), json!(1));
    }
}

#[tokio::test]
async fn a_cell_that_hides_a_thread_is_not_used_again() {
    let world = World::new().await;
    let hide = "    import threading\n    threading.Thread(target=time.sleep, args=(60,)).start()\n    os.write(4, b)\n    time.sleep(60)";
    for _ in 0..2 {
        let outcome = world.run(&warm(&world, &format!("{LIE}{hide}"), "a")).await;
        assert_eq!(returned(outcome.ending), json!(1));
    }
}

#[tokio::test]
async fn what_is_written_between_two_jobs_is_in_neither() {
    let world = World::new().await;
    let source = "import os\ndef f():\n    os.write(1, b'x')";
    let job = warm(&world, source, "a");
    world.run(&job).await;
    // As something would that was left behind in the cell.
    for pid in world.sandbox.processes().1 {
        std::fs::write(format!("/proc/{pid}/fd/1"), "between").unwrap();
    }
    world.run(&job).await;
    assert_eq!(world.ear.stdout(), "xx");
}

#[tokio::test]
async fn a_dependency_that_is_loaded_in_the_middle_of_a_run_keeps_what_it_sets() {
    let world = World::new().await;
    let top = "runs = 0\ndef top():\n    global runs\n    runs += 1\n    return [runs, *leaf()]";
    let leaf = "import decimal, json, os, warnings\nos.environ['A'] = 'set'\ndecimal.getcontext().prec = 5\n\
                json.dumps = str\nwarnings.simplefilter('ignore')\ndef leaf():\n    \
                return os.environ.get('A'), str(decimal.Decimal(1) / 3), json.dumps('x'), warnings.filters[0][0]";
    let mut job = world.job_of(&[("top", top), ("leaf", leaf)], json!({}));
    job.isolation = Isolation::Warm { key: "a".to_owned() };
    for run in 1..=3 {
        let outcome = world.run(&job).await;
        assert_eq!(returned(outcome.ending), json!([run, "set", "0.33333", "x", "ignore"]));
    }
}

#[tokio::test]
async fn secrets_of_a_warm_cell_are_those_of_the_job() {
    let world = World::new().await;
    let source = "def f():\n    from selfmade import secrets\n    return secrets.K";
    for value in ["one", "two"] {
        let mut job = warm(&world, source, "a");
        job.secrets = [("K".to_owned(), value.to_owned())].into();
        assert_eq!(returned(world.run(&job).await.ending), json!(value));
    }
}

/// Says that it has returned and can be used again, and goes on.
const LIE: &str = "def f():\n    import os, time\n    \
                   b = b'{\"end\":{\"returned\":1,\"dropped_calls\":0,\"reusable\":true,\"peak_bytes\":0,\"children_cpu_us\":0}}'\n    \
                   b = len(b).to_bytes(4, 'big') + b\n";

async fn is_ended(source: &str) {
    let world = World::new().await;
    world.sandbox.prepare(&world.environment).await.unwrap();
    let pid = world.sandbox.processes().1[0];
    assert_eq!(returned(world.run(&warm(&world, source, "a")).await.ending), json!(1));
    while is_there(pid) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_warm_cell_that_works_between_jobs_is_ended() {
    is_ended(&format!("{LIE}    os.write(4, b)\n    while True: pass")).await;
}

#[tokio::test]
async fn a_warm_cell_is_watched_again_when_none_was_there_to_watch() {
    let world = World::new().await;
    world.sandbox.prepare(&world.environment).await.unwrap();
    let pid = world.sandbox.processes().1[0];
    // The second run is long enough for a look at what waits.
    let source = format!(
        "n = 0\n{LIE}    global n\n    n += 1\n    if n == 2: time.sleep(0.6)\n    if n < 3: return n\n    \
         os.write(4, b)\n    while True: pass"
    );
    for result in [1, 2, 1] {
        assert_eq!(returned(world.run(&warm(&world, &source, "a")).await.ending), json!(result));
    }
    while is_there(pid) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_warm_cell_that_left_a_process_behind_is_ended() {
    is_ended(&format!("{LIE}    if os.fork(): os.write(4, b)\n    time.sleep(60)")).await;
}

#[tokio::test]
async fn a_warm_cell_that_grows_between_jobs_is_ended() {
    let grow = "    os.write(4, b)\n    import mmap\n    kept = []\n    while len(kept) < 200:\n        \
                kept.append(mmap.mmap(-1, 4 << 20))\n        kept[-1][:] = bytes(4 << 20)\n    time.sleep(60)";
    is_ended(&format!("{LIE}{grow}")).await;
}

#[tokio::test]
async fn a_warm_cell_that_waited_too_long_is_let_go() {
    let world = World::with(Config { warm_idle: Duration::from_millis(20), ..config() }, environment()).await;
    world.run(&warm(&world, COUNT, "a")).await;
    world.sandbox.prepare(&world.environment).await.unwrap();
    until(|| world.sandbox.processes().1.len() == 1).await;
    assert_eq!(returned(world.run(&warm(&world, COUNT, "a")).await.ending), json!(1));
}

#[tokio::test]
async fn a_warm_cell_does_not_live_for_ever() {
    let world = World::with(Config { warm_age: Duration::from_millis(50), ..config() }, environment()).await;
    let mut most = 0;
    loop {
        let count = returned(world.run(&warm(&world, COUNT, "a")).await.ending).as_u64().unwrap();
        if count < most {
            assert_eq!(count, 1);
            break;
        }
        most = count;
    }
}

#[tokio::test]
async fn a_warm_cell_that_died_while_it_waited_is_not_used() {
    let world = World::with(Config { ready_cells: 0, ..config() }, environment()).await;
    assert_eq!(returned(world.run(&warm(&world, COUNT, "a")).await.ending), json!(1));
    let (_, cells) = world.sandbox.processes();
    assert_eq!(cells.len(), 1);
    kill(cells[0]);
    until(|| world.sandbox.processes().1.is_empty()).await;
    assert_eq!(returned(world.run(&warm(&world, COUNT, "a")).await.ending), json!(1));
}

/// Two jobs of one key, the second of which ends when it is released.
fn short_and_long(world: &World) -> (Job, Job) {
    let source = "n = 0\ndef f(wait=False):\n    global n\n    n += 1\n    if wait:\n        print('here', flush=True)\n        \
                  import selfmade\n        selfmade.hold()\n    return n";
    let mut long = warm(world, source, "a");
    long.input = Value::from_json(&json!({ "wait": true })).unwrap();
    long.verbs = vec!["hold".to_owned()];
    (warm(world, source, "a"), long)
}

#[tokio::test]
async fn whoever_finds_no_free_warm_cell_gets_the_next_that_is_done_if_that_is_sooner() {
    let world = World::with(Config { ready_cells: 0, ..config() }, environment()).await;
    let (short, holds) = short_and_long(&world);
    assert_eq!(returned(world.run(&short).await.ending), json!(1));
    // From here on no cell can be made.
    let zygote = zygote(&world);
    signal(zygote, Signal::STOP);
    let (first, others) = tokio::join!(world.run(&holds), async {
        world.ear.heard.notified().await;
        let gives_up = tokio::time::timeout(Duration::from_millis(1), world.run(&short)).await;
        assert!(gives_up.is_err(), "there was a cell for it");
        tokio::join!(world.run(&short), world.run(&short), async { world.ear.release.notify_one() })
    });
    signal(zygote, Signal::CONT);
    let counts = [first, others.0, others.1].map(|outcome| returned(outcome.ending));
    assert_eq!(
        counts,
        [json!(2), json!(3), json!(4)],
        "one after the other, in the order in which they came"
    );
}

#[tokio::test]
async fn a_warm_cell_for_a_caller_who_has_gone_away_is_for_the_next() {
    let world = World::with(Config { ready_cells: 0, ..config() }, environment()).await;
    let (short, long) = short_and_long(&world);
    assert_eq!(returned(world.run(&short).await.ending), json!(1));
    let zygote = zygote(&world);
    signal(zygote, Signal::STOP);
    let mut goes_away = Box::pin(world.run(&short));
    let (held, ()) = tokio::join!(world.run(&long), async {
        world.ear.heard.notified().await;
        // It waits from now on, and is not asked again: the cell is given to it and not taken.
        assert!(tokio::time::timeout(Duration::from_millis(1), &mut goes_away).await.is_err());
        world.ear.release.notify_one();
    });
    assert_eq!(returned(held.ending), json!(2));
    drop(goes_away);
    let next = returned(world.run(&short).await.ending);
    signal(zygote, Signal::CONT);
    assert_eq!(next, json!(3));
}

#[tokio::test]
async fn slow_jobs_do_not_keep_others_of_their_key_from_a_cell() {
    let world = World::new().await;
    let (_, long) = short_and_long(&world);
    let many = std::thread::available_parallelism().map_or(1, usize::from) + 2;
    let (mut running, world) = (JoinSet::new(), Arc::new(world));
    for _ in 0..many {
        let (world, long) = (Arc::clone(&world), long.clone());
        running.spawn(async move { returned(world.run(&long).await.ending) });
    }
    until(|| world.ear.stdout().matches("here").count() == many).await;
    until(|| {
        // Some may have printed and not asked yet.
        world.ear.release.notify_waiters();
        while let Some(count) = running.try_join_next() {
            assert_eq!(count.unwrap(), json!(1), "each has a cell of its own");
        }
        running.is_empty()
    })
    .await;
}

#[tokio::test]
async fn calls_are_recorded_in_every_job_of_a_warm_cell() {
    let world = World::new().await;
    let mut job = world.job_of(
        &[("top", "def top(n):\n    return leaf(n)"), ("leaf", "def leaf(v):\n    return v + 1")],
        json!({ "n": 1 }),
    );
    job.isolation = Isolation::Warm { key: "a".to_owned() };
    for jobs in 1..=3 {
        assert_eq!(returned(world.run(&job).await.ending), json!(2));
        assert_eq!(world.ear.calls.lock().unwrap().len(), 2 * jobs);
    }
}

#[tokio::test]
async fn a_call_left_open_by_an_earlier_job_is_in_nobodys_record() {
    let world = World::new().await;
    let source = "kept = []\ndef top():\n    if not kept:\n        kept.append(count()); next(kept[0])\n    else:\n        \
                  one(); list(kept[0]); one()\n    return len(kept)";
    let mut job = world.job_of(
        &[
            ("top", source),
            ("count", "def count():\n    yield from range(3)"),
            ("one", "def one():\n    pass"),
        ],
        json!({}),
    );
    job.isolation = Isolation::Warm { key: "a".to_owned() };
    for records in [1, 5] {
        assert_eq!(returned(world.run(&job).await.ending), json!(1));
        assert_eq!(world.ear.calls.lock().unwrap().len(), records);
    }
}
