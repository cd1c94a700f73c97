//! Every ending from its own cause.

use std::sync::Arc;
use std::time::Duration;

use selfmade_sandbox::{CancellationToken, Crash, Ending, Host, Killer, Limit, NoHost};
use serde_json::json;

use crate::support::{World, family_is_gone, returned};

#[tokio::test]
async fn a_function_returns() {
    let world = World::new().await;
    let job = world.job("def f(x, y=2):\n    return {'sum': x + y}", json!({ "x": 40 }));
    let outcome = world.run(&job).await;
    assert_eq!(returned(outcome.ending), json!({ "sum": 42 }));
    assert!(outcome.usage.wall_us > 0 && outcome.usage.cpu_us > 0);
    assert!(outcome.usage.peak_memory_bytes > 1 << 20);
}

#[tokio::test]
async fn a_function_raises() {
    let world = World::new().await;
    assert_eq!(world.raised("def f():\n    {}['k']").await, "KeyError: 'k'");
    assert_eq!(world.raised("def f():\n    import sys; sys.exit(3)").await, "SystemExit: 3");
    assert_eq!(world.raised("def f(:\n").await, "SyntaxError: invalid syntax (f@1, line 1)");
    assert_eq!(
        world.raised("def g(): pass").await,
        "NameError: the source of `f` defines no function of that name"
    );
}

#[tokio::test]
async fn standard_input_is_not_there_and_says_so() {
    let world = World::new().await;
    assert_eq!(
        world.raised("def f():\n    return input('name? ')").await,
        "EOFError: a cell has no standard input; give the function a parameter instead of calling `input()`"
    );
}

#[tokio::test]
async fn out_of_time_says_where_it_stood() {
    let world = World::new().await;
    let mut job = world.job("def f():\n    import time\n    while True:\n        time.sleep(5)", json!({}));
    job.limits.wall = Duration::from_millis(200);
    let Ending::TimedOut { limit: Limit::Wall, stood_at } = world.run(&job).await.ending else {
        panic!("it should have timed out")
    };
    insta::assert_snapshot!(stood_at.unwrap(), @r#"
      File "f@1", line 4, in f
        time.sleep(5)
    "#);
}

#[tokio::test]
async fn a_function_that_ignores_signals_times_out_all_the_same() {
    let world = World::new().await;
    let source = "def f():\n    import signal\n    for n in range(1, 32):\n        try: signal.signal(n, signal.SIG_IGN)\n        \
                  except OSError: pass\n    while True: pass";
    let mut job = world.job(source, json!({}));
    job.limits.wall = Duration::from_millis(200);
    assert_eq!(world.run(&job).await.ending, Ending::TimedOut { limit: Limit::Wall, stood_at: None });
}

#[tokio::test]
async fn processor_time_is_limited_over_all_processes() {
    let world = World::new().await;
    let source = "def f():\n    import os\n    os.fork()\n    while True: pass";
    let mut job = world.job(source, json!({}));
    job.limits.cpu = Duration::from_millis(200);
    let ending = world.run(&job).await.ending;
    assert!(matches!(ending, Ending::TimedOut { limit: Limit::Cpu, .. }), "{ending:?}");
}

#[tokio::test]
async fn memory_is_limited_in_one_process() {
    let world = World::new().await;
    let mut job = world.job("def f():\n    return len(bytearray(1 << 30))", json!({}));
    job.limits.memory_bytes = 64 << 20;
    assert_eq!(world.run(&job).await.ending, Ending::OutOfMemory);
}

#[tokio::test]
async fn a_memory_error_that_is_caught_is_the_functions_own_business() {
    let world = World::new().await;
    let source = "def f():\n    try: bytearray(1 << 30)\n    except MemoryError: return 'saved'";
    let mut job = world.job(source, json!({}));
    job.limits.memory_bytes = 64 << 20;
    assert_eq!(returned(world.run(&job).await.ending), json!("saved"));
}

#[tokio::test]
async fn memory_is_limited_over_all_processes() {
    let world = World::new().await;
    let source = "def f():\n    import os, time\n    for _ in range(8):\n        if os.fork() == 0:\n            \
                  x = bytearray(30 << 20)\n            time.sleep(60)\n    time.sleep(60)";
    let mut job = world.job(source, json!({}));
    job.limits.memory_bytes = 128 << 20;
    assert_eq!(world.run(&job).await.ending, Ending::OutOfMemory);
}

#[tokio::test]
async fn shared_mappings_count_as_memory() {
    let world = World::new().await;
    let source = "def f():\n    import mmap, time\n    m = mmap.mmap(-1, 256 << 20)\n    \
                  for at in range(0, 256 << 20, 4096): m[at] = 1\n    time.sleep(60)";
    let mut job = world.job(source, json!({}));
    job.limits.memory_bytes = 64 << 20;
    assert_eq!(world.run(&job).await.ending, Ending::OutOfMemory);
}

#[tokio::test]
async fn a_process_that_leaves_has_crashed() {
    let world = World::new().await;
    let ending = world.ending("def f():\n    import os; os._exit(7)").await;
    assert_eq!(ending, Ending::Crashed { how: Crash::Exit(7) });
    let ending = world.ending("def f():\n    import ctypes; ctypes.string_at(0)").await;
    assert_eq!(ending, Ending::Crashed { how: Crash::Signal(11) });
}

#[tokio::test]
async fn garbage_on_the_socket_breaks_the_protocol() {
    let world = World::new().await;
    for (frame, why) in [
        ("b'\\xff\\xff\\xff\\xff'", "a frame of 4294967295 bytes is longer than the 8388608 allowed"),
        ("framed(b'{]')", "a frame is not valid: key must be a string"),
        ("framed(b'\\xff\\xfe')", "a frame is not valid"),
        ("framed(b'{\"yield\":\"\\xff\"}')", "a frame is not valid: invalid unicode code point"),
        ("framed(b'{\"ready\":[]}')", "it reported twice that it is ready"),
        ("framed(b'{\"compiled\":\"4wAA\"}')", "it sent a code that nobody asked for"),
        ("framed(b'{\"hello\":null}')", "a frame is not valid: unknown variant `hello`"),
        ("framed(b'{\"yield\":{\"$bytes\":\"%\"}}')", "`$bytes` is not well formed"),
        ("framed(b'[' * 1000)", "a frame is nested more than 120 levels deep"),
        ("framed(b'{\"yield\":[' + b'0,' * 600_000 + b'0]}')", "a frame holds more than 500000 values"),
        ("framed(b'{\"end\":{}}')", "a frame is not valid: missing field"),
        (
            "framed(b'{\"end\":{\"dropped_calls\":0,\"reusable\":false,\"peak_bytes\":0,\"children_cpu_us\":0}}')",
            "it ended in two ways at once, or in none",
        ),
    ] {
        let source = format!(
            "def f():\n    import os, time\n    framed = lambda b: len(b).to_bytes(4, 'big') + b\n    \
             b = {frame}\n    while b: b = b[os.write(4, b):]\n    time.sleep(60)"
        );
        match world.ending(&source).await {
            Ending::BrokeProtocol { why: told } => assert!(told.contains(why), "{frame}: {told}"),
            other => panic!("{frame}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_forged_record_of_calls_breaks_the_protocol() {
    let world = World::new().await;
    let known = r#""parameters":[[0,["x"]]]"#;
    for (calls, why) in [
        (format!(r#"{{"begun":[[0,0,0,0,[]]],"finished":[],{known}}}"#), "there can be no call 0"),
        (
            format!(r#"{{"begun":[[4000000000,0,0,0,[]]],"finished":[],{known}}}"#),
            "there can be no call 4000000000",
        ),
        (
            format!(r#"{{"begun":[[1,1,0,0,[]]],"finished":[],{known}}}"#),
            "call 1 comes from call 1, which has not begun",
        ),
        (format!(r#"{{"begun":[[1,0,9,0,[]]],"finished":[],{known}}}"#), "call 1 is of no known function"),
        (format!(r#"{{"begun":[[1,0,0,0]],"finished":[],{known}}}"#), "a call is cut short"),
        (format!(r#"{{"begun":[[1,0,0,0,{{"x":1}}]],"finished":[],{known}}}"#), "unknown field `x`"),
        (format!(r#"{{"begun":[[1,0,0,0,[]],[1,0,0,0,[]]],"finished":[],{known}}}"#), "call 1 began twice"),
        (format!(r#"{{"begun":[],"finished":[[1,5,null]],{known}}}"#), "call 1 finished without being open"),
        (
            format!(r#"{{"begun":[[1,0,0,0,[],5,null]],"finished":[[1,5,null]],{known}}}"#),
            "call 1 finished without being open",
        ),
        (
            format!(r#"{{"begun":[[1,0,0,18446744073709551615,[]]],"finished":[],{known}}}"#),
            "call 1 tells of 18446744073709551615 microseconds",
        ),
        (
            format!(r#"{{"begun":[[1,0,0,0,[],18446744073709551615,null]],"finished":[],{known}}}"#),
            "call 1 tells of 18446744073709551615 microseconds",
        ),
        (
            r#"{"begun":[[1,0,0,0,[]]],"finished":[],"parameters":[]}"#.to_owned(),
            "call 1 is of no known function",
        ),
        (
            r#"{"begun":[],"finished":[],"parameters":[[7,[]]]}"#.to_owned(),
            "function 7 is not known or was introduced before",
        ),
    ] {
        let source = format!(
            "def f():\n    import os, time\n    b = b'{{\"calls\":{calls}}}'\n    os.write(4, len(b).to_bytes(4, 'big') + b)\n    time.sleep(60)"
        );
        match world.ending(&source).await {
            Ending::BrokeProtocol { why: told } => assert!(told.contains(why), "{calls}: {told}"),
            other => panic!("{calls}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn closing_the_socket_and_going_on_breaks_the_protocol() {
    let world = World::new().await;
    let ending = world.ending("def f():\n    import os, time\n    os.close(4)\n    time.sleep(60)").await;
    assert_eq!(ending, Ending::BrokeProtocol { why: "it closed its socket and went on".to_owned() });
}

#[tokio::test]
async fn cancelling_kills_the_cell_and_all_it_started() {
    let world = World::new().await;
    let source = "def f():\n    import os, time\n    for _ in range(3):\n        if os.fork() == 0:\n            \
                  os.setsid()\n            if os.fork() == 0: print('child', flush=True)\n            time.sleep(60)\n    \
                  time.sleep(60)";
    let job = world.job(source, json!({}));
    let cancel = CancellationToken::new();
    let host: Arc<dyn Host> = Arc::clone(&world.ear) as Arc<dyn Host>;
    let running = world.sandbox.run(&job, host, &cancel);
    let cancelling = async {
        while world.ear.stdout().lines().count() < 3 {
            world.ear.heard.notified().await;
        }
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(running, cancelling);
    assert_eq!(outcome.unwrap().ending, Ending::Killed { by: Killer::Cancel });
    assert!(family_is_gone(&world).await);
}

#[tokio::test]
async fn a_job_cancelled_before_it_has_a_cell_is_killed() {
    let world = World::new().await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let outcome = world.sandbox.run(&world.job("def f(): pass", json!({})), Arc::new(NoHost), &cancel).await;
    assert_eq!(outcome.unwrap().ending, Ending::Killed { by: Killer::Cancel });
}

#[tokio::test]
async fn a_cell_that_boasts_about_what_it_used_is_not_believed() {
    let world = World::new().await;
    let source = "def f():\n    import os, time\n    b = b'{\"end\":{\"returned\":1,\"dropped_calls\":18446744073709551615,\"reusable\":true,\"peak_bytes\":18446744073709551615,\"children_cpu_us\":18446744073709551615}}'\n    \
                  os.write(4, len(b).to_bytes(4, 'big') + b)\n    time.sleep(60)";
    let outcome = world.run(&world.job(source, json!({}))).await;
    assert!(outcome.usage.peak_memory_bytes <= 1 << 30 && outcome.usage.cpu_us < 1 << 40, "{outcome:?}");
    assert!(outcome.calls_dropped <= u64::from(u32::MAX));
}

#[tokio::test]
async fn dropping_the_future_kills_the_cell() {
    let world = World::new().await;
    let job =
        world.job("def f():\n    import time\n    print('up', flush=True)\n    time.sleep(60)", json!({}));
    let host: Arc<dyn Host> = Arc::clone(&world.ear) as Arc<dyn Host>;
    let cancel = CancellationToken::new();
    tokio::select! {
        outcome = world.sandbox.run(&job, host, &cancel) => panic!("it should not have ended: {outcome:?}"),
        () = world.ear.heard.notified() => {}
    }
    assert!(family_is_gone(&world).await);
}

#[tokio::test]
async fn what_is_killed_from_outside_says_so() {
    let world = World::new().await;
    let job =
        world.job("def f():\n    import time\n    print('up', flush=True)\n    time.sleep(60)", json!({}));
    let host: Arc<dyn Host> = Arc::clone(&world.ear) as Arc<dyn Host>;
    let cancel = CancellationToken::new();
    let (zygotes, _) = {
        world.sandbox.prepare(&world.environment).await.unwrap();
        world.sandbox.processes()
    };
    let killing = async {
        world.ear.heard.notified().await;
        crate::support::kill(i32::try_from(zygotes[0]).unwrap());
    };
    let (outcome, ()) = tokio::join!(world.sandbox.run(&job, host, &cancel), killing);
    assert_eq!(outcome.unwrap().ending, Ending::Killed { by: Killer::Outside });
}

#[tokio::test]
async fn a_stopped_sandbox_runs_nothing_and_leaves_nothing() {
    let world = World::new().await;
    world.sandbox.prepare(&world.environment).await.unwrap();
    let (zygotes, cells) = world.sandbox.processes();
    assert_eq!((zygotes.len(), cells.len()), (1, 1));
    world.sandbox.stop().await;
    let job = world.job("def f(): pass", json!({}));
    let refused = world.sandbox.run(&job, Arc::new(NoHost), &CancellationToken::new()).await;
    assert_eq!(refused.unwrap_err().to_string(), "the sandbox is stopped");
    assert!(!crate::support::is_there(cells[0]));
}
