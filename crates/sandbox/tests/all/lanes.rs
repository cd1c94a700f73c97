//! Lanes: what asks for verbs is named by who started it, never by how threads were scheduled.

use selfmade_sandbox::{Ending, Isolation, Job, Value};
use serde_json::json;

use crate::support::World;

/// What a function asks with, each with the lane it was asked in; sorted, because that lanes overtake each other is no news.
async fn asked(world: &World, body: &str) -> Vec<String> {
    asked_by(world, granted(world, body)).await
}

async fn asked_by(world: &World, job: Job) -> Vec<String> {
    world.ear.lanes.lock().unwrap().clear();
    let ending = world.run(&job).await.ending;
    assert!(matches!(ending, Ending::Returned(_)), "{ending:?}");
    let told = world.ear.lanes.lock().unwrap();
    let mut told: Vec<String> = told.iter().map(|(lane, what)| format!("{lane} {}", text(what))).collect();
    told.sort();
    told
}

fn text(what: &Value) -> String {
    match what {
        Value::Str(text) => text.clone(),
        other => other.to_json().to_string(),
    }
}

fn granted(world: &World, body: &str) -> Job {
    let body = body.trim_matches('\n').replace('\n', "\n    ");
    let source = format!("def f():\n    from selfmade import echo\n    {body}\n");
    Job { verbs: vec!["echo".to_owned()], ..world.job(&source, json!({})) }
}

#[tokio::test]
async fn threads_are_named_by_who_started_them_and_in_which_order() {
    let world = World::new().await;
    let body = r#"
from threading import Barrier, Thread
import _thread
together = Barrier(3)
def inner(name):
    echo(f"{name} inside")
def outer(name):
    together.wait()
    echo(name)
    threads = [Thread(target=inner, args=(name,)) for _ in range(2)]
    for thread in reversed(threads): thread.start()
    for thread in threads: thread.join()
    echo(f"{name} again")
echo("first")
threads = [Thread(target=outer, args=(name,)) for name in "abc"]
for thread in threads: thread.start()
for thread in threads: thread.join()
done = _thread.allocate_lock()
done.acquire()
_thread.start_new_thread(lambda text, end: (echo(text + end), done.release()), ("bare",), {"end": "!"})
done.acquire()
echo("last")
"#;
    let expected = [
        "main first",
        "main last",
        "main/1 a",
        "main/1 a again",
        "main/1/1 a inside",
        "main/1/2 a inside",
        "main/2 b",
        "main/2 b again",
        "main/2/1 b inside",
        "main/2/2 b inside",
        "main/3 c",
        "main/3 c again",
        "main/3/1 c inside",
        "main/3/2 c inside",
        "main/4 bare!",
    ];
    assert_eq!(asked(&world, body).await, expected);
}

#[tokio::test]
async fn a_task_of_a_pool_has_the_same_lane_whichever_thread_takes_it() {
    let world = World::new().await;
    let body = r#"
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
def task(n):
    echo(n)
    thread = Thread(target=echo, args=(f"{n} below",))
    thread.start()
    thread.join()
with ThreadPoolExecutor(3, initializer=lambda: None) as pool:
    list(pool.map(task, "abcd"))
    pool.submit(lambda: pool.submit(echo, "inner").result()).result()
thread = Thread(target=echo, args=("after",))
thread.start()
thread.join()
"#;
    let expected = [
        "main/1 a",
        "main/1/1 a below",
        "main/2 b",
        "main/2/1 b below",
        "main/3 c",
        "main/3/1 c below",
        "main/4 d",
        "main/4/1 d below",
        "main/5/1 inner",
        "main/6 after",
    ];
    for _ in 0..3 {
        assert_eq!(asked(&world, body).await, expected);
    }
}

#[tokio::test]
async fn tasks_of_asyncio_have_lanes_and_the_first_has_that_of_the_code_that_waits_for_it() {
    let world = World::new().await;
    let body = r#"
import asyncio, threading
async def work(name, turns):
    for _ in range(turns):
        await asyncio.sleep(0)
    echo(name)
    await asyncio.gather(*(asyncio.to_thread(echo, f"{name} {n}") for n in range(2)))
async def main():
    echo("async")
    await asyncio.gather(work("slow", 5), work("quick", 0))
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, echo, "executor")
    echo("done")
echo("before")
asyncio.run(main())
echo("after")
loop = asyncio.new_event_loop()
thread = threading.Thread(target=loop.run_forever)
thread.start()
async def ordered(): echo("ordered")
asyncio.run_coroutine_threadsafe(ordered(), loop).result()
loop.call_soon_threadsafe(loop.stop)
thread.join()
"#;
    let expected = [
        "main after",
        "main async",
        "main before",
        "main done",
        "main/1 slow",
        "main/1/1/1 slow 0",
        "main/1/2/1 slow 1",
        "main/2 quick",
        "main/2/1/1 quick 0",
        "main/2/2/1 quick 1",
        "main/3 executor",
        "main/6 ordered",
    ];
    assert_eq!(asked(&world, body).await, expected);
}

#[tokio::test]
async fn an_asynchronous_function_is_the_main_lane() {
    let world = World::new().await;
    let source = "async def f():\n    from selfmade import echo\n    echo('main')\n";
    let job = Job { verbs: vec!["echo".to_owned()], ..world.job(source, json!({})) };
    assert_eq!(asked_by(&world, job).await, ["main main"]);
}

#[tokio::test]
async fn where_chance_decides_who_asks_nothing_is_asked() {
    let world = World::new().await;
    let body = r#"
import asyncio
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
from selfmade import Refused
def refused(*args):
    try:
        echo("never")
    except Refused as error:
        assert "`echo` is asked for where a run that is executed again" in str(error), error
        return echo and 1
    raise AssertionError("it was asked")
with ThreadPool(2) as pool:
    assert pool.map(refused, range(4)) == [1] * 4
async def main():
    loop, called = asyncio.get_running_loop(), asyncio.Event()
    loop.call_soon(lambda: (refused(), called.set()))
    await called.wait()
    async def bare(): return refused()
    assert await asyncio.Task(bare()) == 1
asyncio.run(main())
echo("asked")
"#;
    assert_eq!(asked(&world, body).await, ["main asked"]);
}

#[tokio::test]
async fn lanes_however_deep_have_names_of_their_own_that_are_not_long() {
    let world = World::new().await;
    let body = r#"
from threading import Event, Thread
done = Event()
def deeper(left):
    echo(left)
    if left == 5: Thread(target=echo, args=("beside",)).start()
    if left: Thread(target=deeper, args=(left - 1,)).start()
    else: done.set()
deeper(120)
done.wait()
"#;
    let asked = asked(&world, body).await;
    let lanes: std::collections::BTreeSet<&str> =
        asked.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!((asked.len(), lanes.len()), (122, 122));
    assert!(
        lanes.iter().all(|lane| lane.len() <= 100) && lanes.iter().any(|lane| lane.starts_with('~')),
        "{lanes:?}"
    );
    assert_eq!(self::asked(&world, body).await, asked);
}

#[tokio::test]
async fn a_warm_cell_counts_again_for_each_job() {
    let world = World::new().await;
    let body = "from threading import Thread\nthread = Thread(target=echo, args=(1,))\nthread.start()\nthread.join()\nreturn id(echo) and 1";
    for _ in 0..3 {
        let job = Job { isolation: Isolation::Warm { key: "k".to_owned() }, ..granted(&world, body) };
        assert_eq!(asked_by(&world, job).await, ["main/1 1"]);
    }
}
