//! Ten thousand cells in a row leave nothing behind: no descriptor, no process, no mount, no namespace, no memory. Most of
//! them return; some crash, run out of time or memory, are cancelled, break the protocol or leave something lying around.
//!
//! They live where there is room for a few hundred namespaces of each kind, which the kernel keeps count of: a namespace that
//! stays, and with it the files or the network in it, is missing soon.

mod held;

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use selfmade_sandbox::{CancellationToken, Config, Ending, Host, Isolation, Job, Killer};
use serde_json::json;

use self::held::Held;
use crate::support::{Ear, World, config, environment};

const CELLS: usize = 10_000;
const READY: usize = 4;
/// Until then caches fill and warm cells gather.
const WARM_UP: usize = 2_000;
/// The kernel takes namespaces apart when it has time to, so there are always some that nobody is in any more.
const ROOM: &str = "400";

#[test]
fn ten_thousand_cells_leave_nothing_behind() {
    let script = "for kind in user mnt pid net; do echo $2 > /proc/sys/user/max_${kind}_namespaces || exit 1; done; \
                  exec unshare --user --map-user=65534 --map-group=65534 \"$0\" --ignored --exact --nocapture \"$1\"";
    #[allow(clippy::disallowed_methods, reason = "the suite itself, in a smaller world")]
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "sh", "-c", script])
        .arg(std::env::current_exe().unwrap())
        .args(["leaks::ten_thousand", ROOM])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    println!("{told}");
    assert!(told.contains("1 passed"), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
#[ignore = "runs where there is little room"]
async fn ten_thousand() {
    let world = World::with(Config { ready_cells: READY, ..config() }, environment()).await;
    for n in 0..WARM_UP {
        one(&world, n).await;
    }
    let before = Held::now(&world).await;
    for n in WARM_UP..CELLS {
        one(&world, n).await;
    }
    let after = Held::now(&world).await;
    println!("before: {before:?}\nafter: {after:?}");
    after.is_no_more_than(&before);
    world.sandbox.stop().await;
}

/// One of ten is of a kind that ends badly or leaves something.
async fn one(world: &World, n: usize) {
    match n % 100 {
        0 => ends(world, CRASH, "Crashed").await,
        10 => ends(world, EXIT, "Crashed").await,
        20 => ends(world, GARBAGE, "BrokeProtocol").await,
        30 => ends(world, SLEEP, "TimedOut").await,
        40 => ends(world, GROW, "OutOfMemory").await,
        50 => cancelled(world).await,
        60 => dropped(world).await,
        70 => ends(world, DAEMONS, "Returned").await,
        80 => ends(world, FILES, "Returned").await,
        90 => ends(world, DESCRIPTORS, "Returned").await,
        5 | 55 => warm(world, n).await,
        _ => ends(world, RETURN, "Returned").await,
    }
}

const RETURN: &str = "def f():\n    return 'done'";
const CRASH: &str = "def f():\n    import ctypes; ctypes.string_at(0)";
const EXIT: &str = "def f():\n    import os; os._exit(3)";
const GARBAGE: &str = "def f():\n    import os, time; os.write(4, b'\\xff' * 8); time.sleep(60)";
const SLEEP: &str = "def f():\n    import os, time; os.fork(); time.sleep(60)";
const GROW: &str = "def f():\n    return bytearray(1 << 30)";
const WAIT: &str = "def f():\n    import time; print('up', flush=True); time.sleep(60)";
const DAEMONS: &str = "def f():\n    import os, signal\n    if os.fork() == 0:\n        os.setsid()\n        \
                       if os.fork() == 0: signal.pause()\n        os._exit(0)\n    os.wait()";
const FILES: &str = "def f():\n    for n in range(20):\n        with open(f'/tmp/{n}', 'wb') as file: file.write(bytes(1 << 18))";
const DESCRIPTORS: &str = "def f():\n    import os, socket\n    b = b'{\"where\":\"here\"}'\n    \
                           channel = socket.socket(fileno=os.dup(4))\n    \
                           socket.send_fds(channel, [len(b).to_bytes(4, 'big') + b], [0, 1, 2, 4, *os.pipe()])";

fn job(world: &World, source: &str) -> Job {
    let mut job = world.job(source, json!({}));
    job.limits.memory_bytes = 64 << 20;
    if source == SLEEP {
        job.limits.wall = Duration::from_millis(15);
    }
    job
}

async fn ends(world: &World, source: &str, how: &str) {
    let ending = world.run(&job(world, source)).await.ending;
    assert!(format!("{ending:?}").starts_with(how), "{source}: {ending:?}");
}

async fn cancelled(world: &World) {
    let (ear, cancel) = (Arc::new(Ear::default()), CancellationToken::new());
    let job = world.job(WAIT, json!({}));
    let cancelling = async {
        ear.heard.notified().await;
        cancel.cancel();
    };
    let running = world.sandbox.run(&job, Arc::clone(&ear) as Arc<dyn Host>, &cancel);
    let (outcome, ()) = tokio::join!(running, cancelling);
    assert_eq!(outcome.unwrap().ending, Ending::Killed { by: Killer::Cancel });
}

async fn dropped(world: &World) {
    let (ear, cancel) = (Arc::new(Ear::default()), CancellationToken::new());
    let job = world.job(WAIT, json!({}));
    tokio::select! {
        outcome = world.sandbox.run(&job, Arc::clone(&ear) as Arc<dyn Host>, &cancel) => panic!("{outcome:?}"),
        () = ear.heard.notified() => {}
    }
}

async fn warm(world: &World, n: usize) {
    let mut job = job(world, RETURN);
    job.isolation = Isolation::Warm { key: (n / 100).to_string() };
    assert!(matches!(world.run(&job).await.ending, Ending::Returned(_)));
}
