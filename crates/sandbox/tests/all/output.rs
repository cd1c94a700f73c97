//! What a function prints, and what it yields.

use std::sync::{Arc, Mutex};

use selfmade_sandbox::{
    Arguments, BoxFuture, CancellationToken, Ending, Host, HostError, Isolation, Stream, Value,
};
use serde_json::json;

use crate::support::{World, returned};

#[tokio::test]
async fn prints_logs_and_warnings_arrive_on_their_streams() {
    let world = World::new().await;
    let source = "def f():\n    import logging, os, sys, warnings\n    print('hello')\n    os.write(1, b'raw\\n')\n    \
                  logging.warning('careful')\n    warnings.warn('old')\n    print('no end', end='')\n    print('err', file=sys.stderr)";
    world.ending(source).await;
    assert_eq!(world.ear.stdout(), "hello\nraw\nno end");
    let stderr = world.ear.stderr();
    assert!(stderr.starts_with("WARNING:root:careful\nf@1:6: UserWarning: old\n"), "{stderr}");
    assert!(stderr.ends_with("err\n"), "{stderr}");
}

#[tokio::test]
async fn output_is_streamed_while_the_function_runs() {
    let world = World::new().await;
    let mut job =
        world.job("def f():\n    from selfmade import never\n    print('first')\n    never()", json!({}));
    job.verbs = vec!["never".to_owned()];
    let host: Arc<dyn Host> = Arc::clone(&world.ear) as Arc<dyn Host>;
    let cancel = CancellationToken::new();
    let cancelling = async {
        world.ear.heard.notified().await;
        assert_eq!(world.ear.stdout(), "first\n");
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(world.sandbox.run(&job, host, &cancel), cancelling);
    assert!(matches!(outcome.unwrap().ending, Ending::Killed { .. }));
}

/// Remembers what it hears in the order in which it does.
#[derive(Default)]
struct Listener(Mutex<Vec<String>>);

impl Listener {
    fn heard(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }
}

impl Host for Listener {
    fn verb(&self, _lane: &str, verb: &str, _arguments: Arguments) -> BoxFuture<Result<Value, HostError>> {
        self.heard(verb);
        Box::pin(std::future::ready(Ok(Value::None)))
    }

    fn output(&self, _stream: Stream, bytes: &[u8]) {
        self.heard(String::from_utf8_lossy(bytes));
    }
}

#[tokio::test]
async fn what_is_printed_and_what_is_asked_is_heard_in_the_order_in_which_it_happened() {
    let world = World::new().await;
    let source = "def f(rest):\n    import sys, time\n    from selfmade import log\n    for n in range(3):\n        \
                  print('out', n)\n        log(n)\n        print('err', n, file=sys.stderr)\n        log(n)\n        time.sleep(rest)";
    let in_order: Vec<String> = (0..3)
        .flat_map(|n| [format!("out {n}\n"), "log".to_owned(), format!("err {n}\n"), "log".to_owned()])
        .collect();
    // Pipes are watched only for a job that goes on, and a warm cell has had another before.
    for rest in [0.0, 0.01, 0.0] {
        let mut job = world.job(source, json!({ "rest": rest }));
        job.verbs = vec!["log".to_owned()];
        job.isolation = Isolation::Warm { key: "same".to_owned() };
        let listener = Arc::new(Listener::default());
        let host = Arc::clone(&listener) as Arc<dyn Host>;
        world.sandbox.run(&job, host, &CancellationToken::new()).await.unwrap();
        assert_eq!(*listener.0.lock().unwrap(), in_order);
    }
}

#[tokio::test]
async fn output_beyond_the_limit_is_dropped_and_counted() {
    let world = World::new().await;
    let mut job = world.job("def f():\n    print('x' * (5 << 20), end='')\n    return 'done'", json!({}));
    job.limits.output_bytes = 1000;
    let outcome = world.run(&job).await;
    assert_eq!(returned(outcome.ending), json!("done"));
    assert_eq!(world.ear.stdout().len(), 1000);
    assert_eq!(outcome.output_dropped_bytes, (5 << 20) - 1000);
}

#[tokio::test]
async fn a_generator_streams_its_pins_and_returns_them_all() {
    let world = World::new().await;
    let source = "def f(n):\n    for i in range(n):\n        yield ('item', i)\n    yield ('done', True)";
    let outcome = world.run(&world.job(source, json!({ "n": 2 }))).await;
    let all = json!([{ "$tuple": ["item", 0] }, { "$tuple": ["item", 1] }, { "$tuple": ["done", true] }]);
    assert_eq!(returned(outcome.ending), all);
    assert_eq!(world.ear.yielded.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn a_generator_that_fails_half_way_has_yielded_what_came_before() {
    let world = World::new().await;
    let ending = world.ending("def f():\n    yield 1\n    raise ValueError('half')").await;
    assert!(matches!(ending, Ending::Raised(error) if error.message == "half"));
    assert_eq!(world.ear.yielded.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn async_functions_and_async_generators_run() {
    let world = World::new().await;
    let source = "async def f():\n    import asyncio\n    await asyncio.sleep(0)\n    return 'awaited'";
    assert_eq!(world.returned(source).await, json!("awaited"));
    let source = "async def f():\n    import asyncio\n    for i in range(2):\n        await asyncio.sleep(0)\n        yield i";
    assert_eq!(world.returned(source).await, json!([0, 1]));
}

#[tokio::test]
async fn threads_and_daemons_left_behind_do_not_hold_the_answer() {
    let world = World::new().await;
    let source = "def f():\n    import os, threading, time\n    threading.Thread(target=time.sleep, args=(60,)).start()\n    \
                  if os.fork() == 0:\n        os.setsid(); time.sleep(60)\n    return 'gone'";
    assert_eq!(world.returned(source).await, json!("gone"));
    assert!(crate::support::family_is_gone(&world).await);
}
