//! Calls between functions: by reference, recorded, with tracebacks that show the functions' own lines.

use selfmade_sandbox::{CallError, CallRecord, Ending, Value};
use serde_json::json;

use crate::support::{World, returned};

/// The record as lines, with functions by their places in the closure.
fn told(records: &[CallRecord]) -> Vec<String> {
    let mut lines = Vec::new();
    for record in records {
        match record {
            CallRecord::Begun { position, parent, function, arguments, .. } => lines.push(format!(
                "{position} from {} is {function}({})",
                parent.unwrap_or(0),
                arguments.to_json()
            )),
            CallRecord::Finished { position, result: Ok(output), .. } => {
                lines.push(format!("{position} gave {}", output.to_json()));
            }
            CallRecord::Finished { position, result: Err(CallError { type_name, message }), .. } => {
                lines.push(format!("{position} raised {type_name}: {message}"));
            }
        }
    }
    lines
}

#[tokio::test]
async fn calls_are_recorded_with_parents_arguments_and_results() {
    let world = World::new().await;
    let job = world.job_of(
        &[
            ("top", "def top(n):\n    return middle(n, scale=2) + leaf(1)"),
            ("middle", "def middle(x, scale):\n    return leaf(x) * scale"),
            ("leaf", "def leaf(v):\n    return v + 1"),
        ],
        json!({ "n": 4 }),
    );
    assert_eq!(returned(world.run(&job).await.ending), json!(12));
    let mut lines = told(&world.ear.calls.lock().unwrap());
    lines.sort();
    assert_eq!(
        lines,
        [
            r#"1 from 0 is 1({"x":4,"scale":2})"#,
            "1 gave 10",
            r#"2 from 1 is 2({"v":4})"#,
            "2 gave 5",
            r#"3 from 0 is 2({"v":1})"#,
            "3 gave 2",
        ]
    );
}

#[tokio::test]
async fn objects_go_by_reference_and_are_described_in_the_record() {
    let world = World::new().await;
    let job = world.job_of(
        &[
            ("top", "def top():\n    class Thing: pass\n    t = Thing()\n    t.seen = change(t, lambda: 1)\n    return t.seen is t"),
            ("change", "def change(thing, callback):\n    thing.value = callback()\n    return thing"),
        ],
        json!({}),
    );
    assert_eq!(returned(world.run(&job).await.ending), json!(true));
    let calls = world.ear.calls.lock().unwrap();
    let CallRecord::Begun { arguments, .. } = &calls[0] else { panic!("{calls:?}") };
    assert_eq!(
        arguments.get("thing"),
        Some(&Value::Described { type_name: "top.top.<locals>.Thing".to_owned(), text: String::new() })
    );
}

#[tokio::test]
async fn recording_runs_no_code_of_the_values() {
    let world = World::new().await;
    let job = world.job_of(
        &[
            (
                "top",
                "def top():\n    class Evil(list):\n        def __repr__(self): raise SystemExit(1)\n        __len__ = __iter__ = __str__ = __repr__\n    \
                 look(Evil(), [Evil()])\n    return 'fine'",
            ),
            ("look", "def look(a, b):\n    return a"),
        ],
        json!({}),
    );
    assert_eq!(returned(world.run(&job).await.ending), json!("fine"));
}

#[tokio::test]
async fn a_raised_error_shows_the_lines_of_the_stored_sources() {
    let world = World::new().await;
    let job = world.job_of(
        &[
            ("top", "def top():\n    '''Docs.'''\n    try:\n        return leaf([])\n    except IndexError as e:\n        raise ValueError('no luck') from e"),
            ("leaf", "def leaf(items):\n    # The first one.\n    return items[0]"),
        ],
        json!({}),
    );
    let Ending::Raised(error) = world.run(&job).await.ending else { panic!("it should have raised") };
    assert_eq!((error.type_name.as_str(), error.message.as_str()), ("ValueError", "no luck"));
    let cause = error.cause.unwrap();
    assert_eq!((cause.type_name.as_str(), cause.message.as_str()), ("IndexError", "list index out of range"));
    // Markers under the lines differ between versions of Python.
    let lines: Vec<&str> = error.traceback.lines().filter(|line| !line.contains('^')).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    Traceback (most recent call last):
      File "top@1", line 4, in top
        return leaf([])
      File "leaf@1", line 3, in leaf
        return items[0]
    IndexError: list index out of range

    The above exception was the direct cause of the following exception:

    Traceback (most recent call last):
      File "top@1", line 6, in top
        raise ValueError('no luck') from e
    ValueError: no luck
    "#);
    let lines = told(&world.ear.calls.lock().unwrap());
    assert_eq!(lines[1], "1 raised IndexError: list index out of range");
}

#[tokio::test]
async fn functions_may_call_each_other_in_circles() {
    let world = World::new().await;
    let job = world.job_of(
        &[
            ("even", "def even(n):\n    return True if n == 0 else odd(n - 1)"),
            ("odd", "def odd(n):\n    return False if n == 0 else even(n - 1)"),
        ],
        json!({ "n": 101 }),
    );
    assert_eq!(returned(world.run(&job).await.ending), json!(false));
    assert_eq!(world.ear.calls.lock().unwrap().len(), 202);
}

#[tokio::test]
async fn async_functions_and_generators_can_be_dependencies() {
    let world = World::new().await;
    let job = world.job_of(
        &[
            (
                "top",
                "async def top():\n    import asyncio\n    both = await asyncio.gather(slow(1), slow(2))\n    return both, list(count(3))",
            ),
            ("slow", "async def slow(n):\n    import asyncio\n    await asyncio.sleep(0)\n    return n * 10"),
            ("count", "def count(n):\n    yield from range(n)"),
        ],
        json!({}),
    );
    assert_eq!(returned(world.run(&job).await.ending), json!({ "$tuple": [[10, 20], [0, 1, 2]] }));
    let calls = world.ear.calls.lock().unwrap();
    assert_eq!(calls.iter().filter(|call| matches!(call, CallRecord::Finished { .. })).count(), 3);
}

#[tokio::test]
async fn calls_from_threads_are_recorded() {
    let world = World::new().await;
    let source = "def top():\n    import threading\n    out = []\n    ts = [threading.Thread(target=lambda n=n: out.append(leaf(n))) for n in range(8)]\n    \
                  [t.start() for t in ts]; [t.join() for t in ts]\n    return sorted(out)";
    let job = world.job_of(&[("top", source), ("leaf", "def leaf(n):\n    return n * n")], json!({}));
    assert_eq!(returned(world.run(&job).await.ending), json!([0, 1, 4, 9, 16, 25, 36, 49]));
    assert_eq!(world.ear.calls.lock().unwrap().len(), 16);
}

#[tokio::test]
async fn thousands_of_calls_come_in_batches() {
    let world = World::new().await;
    let job = world.job_of(
        &[
            ("top", "def top():\n    return sum(leaf(n) for n in range(5000))"),
            ("leaf", "def leaf(n):\n    return n"),
        ],
        json!({}),
    );
    assert_eq!(returned(world.run(&job).await.ending), json!(12_497_500));
    assert_eq!(world.ear.calls.lock().unwrap().len(), 10_000);
}

#[tokio::test]
async fn a_dotted_alias_is_a_namespace() {
    let world = World::new().await;
    let mut job = world.job_of(
        &[
            ("top", "def top():\n    return text.clean('  a ')"),
            ("clean", "def clean(s):\n    return s.strip()"),
        ],
        json!({}),
    );
    let mut closure = (*job.closure).clone();
    closure.functions[0].dependencies = [("text.clean".to_owned(), 1)].into();
    job.closure = closure.into();
    assert_eq!(returned(world.run(&job).await.ending), json!("a"));
}

#[tokio::test]
async fn calls_of_many_threads_at_once_are_all_recorded() {
    let world = World::new().await;
    let source = "def top():\n    import sys, threading\n    sys.setswitchinterval(1e-6)\n    \
                  work = lambda: [leaf(n) for n in range(500)]\n    \
                  ts = [threading.Thread(target=work) for _ in range(8)]\n    [t.start() for t in ts]; [t.join() for t in ts]";
    let job = world.job_of(&[("top", source), ("leaf", "def leaf(n):\n    return [n]")], json!({}));
    assert_eq!(returned(world.run(&job).await.ending), json!(null));
    assert_eq!(world.ear.calls.lock().unwrap().len(), 8_000);
}

#[tokio::test]
async fn many_large_arguments_do_not_break_the_record() {
    let world = World::new().await;
    let source =
        "def top():\n    rows = ['x' * 2000] * 64\n    for _ in range(100): leaf(rows)\n    return 'fine'";
    let job = world.job_of(&[("top", source), ("leaf", "def leaf(rows):\n    return rows")], json!({}));
    assert_eq!(returned(world.run(&job).await.ending), json!("fine"));
    let calls = world.ear.calls.lock().unwrap();
    assert_eq!(calls.len(), 200);
    let CallRecord::Finished { result: Ok(Value::List(rows)), .. } = &calls[199] else { panic!("{calls:?}") };
    assert_eq!(rows.len(), 64);
}

#[tokio::test]
async fn a_call_that_is_too_long_for_the_record_is_reported_without_its_values() {
    let world = World::new().await;
    let source =
        "def top():\n    leaf(1)\n    leaf(*[['x' * 2000] * 64] * 30)\n    leaf(2)\n    return 'fine'";
    let job = world.job_of(&[("top", source), ("leaf", "def leaf(*rows):\n    return len(rows)")], json!({}));
    assert_eq!(returned(world.run(&job).await.ending), json!("fine"));
    let told = told(&world.ear.calls.lock().unwrap());
    let long = r#"2 from 0 is 1({"…":{"$described":{"type":"object","text":"too long to be recorded"}}})"#;
    assert!(told.contains(&long.to_owned()), "{told:?}");
    assert!(told.contains(&r#"3 from 0 is 1({"*":[2]})"#.to_owned()), "{told:?}");
}

#[tokio::test]
async fn names_of_arguments_can_be_any_text() {
    let world = World::new().await;
    let source =
        "def top():\n    leaf(**{'$bytes': 1})\n    leaf(**{'\\ud800': 2})\n    leaf(0, 1, *range(2), k=3)";
    let job =
        world.job_of(&[("top", source), ("leaf", "def leaf(a=0, *rest, **named):\n    pass")], json!({}));
    assert_eq!(returned(world.run(&job).await.ending), json!(null));
    let calls = world.ear.calls.lock().unwrap();
    let arguments: Vec<&Value> = calls
        .iter()
        .filter_map(|call| match call {
            CallRecord::Begun { arguments, .. } => Some(arguments),
            CallRecord::Finished { .. } => None,
        })
        .collect();
    let pairs = |pairs: &[(&str, Value)]| {
        Value::Map(pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
    };
    let rest = Value::List(vec![1.into(), 0.into(), 1.into()]);
    assert_eq!(
        arguments,
        [
            &pairs(&[("$bytes", 1.into())]),
            &pairs(&[("?", 2.into())]),
            &pairs(&[("a", 0.into()), ("*", rest), ("k", 3.into())]),
        ]
    );
}
