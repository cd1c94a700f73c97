//! Forks: cells are forked without what the standard library does around a fork, and functions that fork are not.

use std::sync::Arc;

use selfmade_sandbox::Environment;
use serde_json::json;

use crate::support::{World, config, environment};

async fn with_random() -> World {
    let mut preloaded: Environment = (*environment()).clone();
    preloaded.preload = vec!["random".to_owned(), "threading".to_owned(), "logging".to_owned()];
    World::with(config(), Arc::new(preloaded)).await
}

#[tokio::test]
async fn no_two_cells_draw_the_same_numbers() {
    let world = with_random().await;
    let source = "def f():\n    import random\n    return [random.random(), random.gauss(0, 1)]";
    let [one, other] = [world.returned(source).await, world.returned(source).await];
    assert!(one[0] != other[0] && one[1] != other[1], "{one} {other}");
}

#[tokio::test]
async fn a_function_that_forks_gets_what_the_standard_library_promises() {
    let world = with_random().await;
    let source = "def f():\n    import os, random, threading\n    read, write = os.pipe()\n    \
                  other = threading.Thread(target=threading.Event().wait, daemon=True); other.start()\n    \
                  if os.fork() == 0:\n        os.write(write, f'{random.random()} {threading.active_count()}'.encode())\n        os._exit(0)\n    \
                  os.wait()\n    drawn, threads = os.read(read, 100).decode().split()\n    \
                  return [drawn != str(random.random()), threads]";
    assert_eq!(world.returned(source).await, json!([true, "1"]));
}

#[tokio::test]
async fn what_a_function_wants_done_around_forks_is_done() {
    let world = World::new().await;
    let source = "def f():\n    import os\n    seen = []\n    \
                  os.register_at_fork(before=lambda: seen.append('before'), after_in_parent=lambda: seen.append('after'))\n    \
                  if os.fork() == 0: os._exit(0)\n    os.wait()\n    return seen";
    assert_eq!(world.returned(source).await, json!(["before", "after"]));
}

#[tokio::test]
async fn signals_to_the_own_group_reach_nobody_else() {
    let world = World::new().await;
    world.sandbox.prepare(&world.environment).await.unwrap();
    let before = world.sandbox.processes();
    let source = "def f():\n    import os, signal\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    os.kill(0, signal.SIGTERM)\n    \
                  return os.getpgid(0)";
    assert_eq!(world.returned(source).await, json!(1));
    assert_eq!(world.sandbox.processes().0, before.0);
    assert_eq!(world.returned("def f():\n    return 'still there'").await, json!("still there"));
}
