//! The brain that is simulated: functions that do each of the things that make a Run interesting, a Trigger and a Schedule.
//!
//! Each function draws first, then does what it is called after, then tells what it drew, then returns it. So a Step that was done
//! again, or forgotten, shows in the Events and in the output.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use model::content::Content;
use model::schedule::{Missed, Overlap, ScheduleContent, Times};
use model::trigger::TriggerContent;
use sandbox::{Exception, HostError, Value};
use serde_json::{Map, Value as Json, json};
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::{changesets, schedules, triggers};
use store::testing::TestDatabase;

use crate::engine::graphs::graph;
use crate::engine::script::{Asking, Script, Stage, raised};
use crate::world::{ME, name};

/// What people start. `calls` is given what it calls.
pub(super) const STARTED: [&str; 14] = [
    "plain", "sleeps", "asks", "flaky", "fails", "busy", "limited", "calls", "once", "once", ENDLESS,
    "joins", "waits", "catches",
];
/// What few may execute at once.
pub(super) const LIMITED: [&str; 2] = ["busy", "limited"];
/// Runs of these have a Step for each node. A node has the name of the output that it gives.
pub(super) const GRAPHS: [&str; 3] = ["joins", "waits", "catches"];
/// Ends only when it is cancelled.
pub(super) const ENDLESS: &str = "endless";
pub(super) const CALLED: [&str; 7] = ["plain", "sleeps", "flaky", "fails", "busy", "limited", "joins"];
pub(super) const TRIGGER: &str = "heard_after_plain";
pub(super) const SCHEDULE: &str = "minutely";
/// Tries of `flaky`, of which the last succeeds.
const TRIES: u32 = 3;

const SOURCES: [&str; 12] = [
    "@selfmade.function()\ndef endless():\n    return None\n",
    "@selfmade.function()\ndef plain():\n    return None\n",
    "@selfmade.function()\ndef sleeps():\n    return None\n",
    "@selfmade.function()\ndef asks():\n    return None\n",
    "@selfmade.function(retries={\"attempts\": 3, \"first\": 4, \"most\": 60})\ndef flaky():\n    return None\n",
    "@selfmade.function()\ndef fails():\n    return None\n",
    "@selfmade.function(concurrency=1)\ndef busy():\n    return None\n",
    "@selfmade.function(concurrency=1)\ndef limited():\n    return None\n",
    "@selfmade.function(brain=\"read\")\ndef calls(callee: str):\n    return None\n",
    // What it does may be other than Steps, so it is never executed twice.
    "@selfmade.function(brain=\"read\", network=[\"example.com\"])\ndef once():\n    return None\n",
    "@selfmade.function()\ndef heard(drawn: float):\n    return None\n",
    "@selfmade.function()\ndef ticked():\n    return None\n",
];

/// Functions after and beside each other.
fn joins() -> Json {
    graph(
        &[
            ("drawn", "plain", json!({})),
            ("passed", "heard", json!({})),
            ("tried", "flaky", json!({})),
            ("one", "busy", json!({})),
            ("out_drawn", "@output", json!({"name": "drawn"})),
            ("out_passed", "@output", json!({"name": "passed"})),
            ("out_tried", "@output", json!({"name": "tried"})),
        ],
        &[
            "drawn.output -> passed.drawn",
            "drawn.output -> out_drawn.value",
            "passed.output -> out_passed.value",
            "tried.output -> out_tried.value",
        ],
    )
}

/// All that a Graph can wait for: a time, a person, and Runs of nodes that wait for theirs.
fn waits() -> Json {
    graph(
        &[
            ("drawn", "plain", json!({})),
            ("rest", "@wait", json!({"seconds": 30})),
            ("question", "@ask", json!({"question": "go on?"})),
            ("asked", "asks", json!({})),
            ("slept", "sleeps", json!({})),
            ("out_drawn", "@output", json!({"name": "drawn"})),
            ("out_answer", "@output", json!({"name": "question"})),
            ("out_asked", "@output", json!({"name": "asked"})),
            ("out_slept", "@output", json!({"name": "slept"})),
        ],
        &[
            "drawn.output -> rest.value",
            "rest.output -> out_drawn.value",
            "question.answer -> out_answer.value",
            "asked.output -> out_asked.value",
            "slept.output -> out_slept.value",
        ],
    )
}

/// A failure that goes on, and a Graph in a Graph.
fn catches() -> Json {
    graph(
        &[
            ("failed", "fails", json!({})),
            ("template", "@template", json!({"template": "caught {{ error }}"})),
            ("inner", "joins", json!({})),
            ("out_error", "@output", json!({"name": "error"})),
            ("out_inner", "@output", json!({"name": "passed"})),
        ],
        &[
            "failed.error -> template.values.error",
            "template.output -> out_error.value",
            "inner.passed -> out_inner.value",
        ],
    )
}

async fn put_graphs(stage: &Stage) {
    for (graph, content) in [("joins", joins()), ("waits", waits()), ("catches", catches())] {
        let content: Content = serde_json::from_value(content).unwrap();
        let proposal = Proposal::of("", vec![Intent::Put(name(graph), content)]);
        changesets::register(&stage.ctx, &ME, &proposal).await.unwrap();
    }
}

/// Writes the brain into an empty database.
pub(super) async fn write(database: &TestDatabase) {
    let stage = Stage::open(database).await;
    for source in SOURCES {
        stage.register(source).await;
    }
    put_graphs(&stage).await;
    let trigger = TriggerContent::after("plain", name("heard"));
    triggers::put(&stage.ctx, &ME, name(TRIGGER), trigger).await.unwrap();
    let schedule = ScheduleContent {
        description: String::new(),
        times: Times::Cron("* * * * *".to_owned()),
        zone: "UTC".to_owned(),
        target: name("ticked"),
        input: Map::new(),
        missed: Missed::All,
        overlap: Overlap::Allow,
        paused: false,
    };
    schedules::put(&stage.ctx, &ME, name(SCHEDULE), schedule).await.unwrap();
    stage.close().await;
}

/// What was executed, by what only one execution can know.
#[derive(Default)]
pub(super) struct Played {
    /// How often each Run of `once` was executed, by its id.
    pub(super) once: Mutex<BTreeMap<String, u32>>,
    /// How often each Run of `flaky` failed, by what it drew.
    failed: Mutex<BTreeMap<String, u32>>,
}

pub(super) fn script(played: &Arc<Played>) -> Arc<Script> {
    let script = Arc::<Script>::default();
    for function in ["plain", "heard", "ticked"] {
        script.part(function, |_, host| async move { told(&host, drawn(&host).await?).await });
    }
    for (function, seconds) in [("sleeps", 60), ("busy", 1), ("limited", 5)] {
        script.part(function, move |_, host| async move {
            let drawn = drawn(&host).await?;
            host.verb("sleep", vec![Value::Int(seconds)]).await.map_err(|error| unexpected(&error))?;
            told(&host, drawn).await
        });
    }
    script.part("asks", |_, host| async move {
        let drawn = drawn(&host).await?;
        host.verb("ask", vec!["go on?".into()]).await.map_err(|error| unexpected(&error))?;
        told(&host, drawn).await
    });
    script.part(ENDLESS, |_, host| async move {
        drawn(&host).await?;
        std::future::pending().await
    });
    script.part("fails", |_, host| async move {
        told(&host, drawn(&host).await?).await?;
        Err(raised("ValueError", "as it always does"))
    });
    let kept = Arc::clone(played);
    script.part("flaky", move |_, host| {
        let played = Arc::clone(&kept);
        async move {
            let drawn = drawn(&host).await?;
            let failed = {
                let mut failed = played.failed.lock().unwrap();
                let failed = failed.entry(format!("{drawn:?}")).or_default();
                *failed += 1;
                *failed
            };
            // What cancels or loses a Run may keep the engine from hearing of a try.
            if failed < TRIES { Err(raised("OSError", "busy")) } else { told(&host, drawn).await }
        }
    });
    script.part("calls", |work, host| async move {
        let callee = work.input.get("callee").cloned().unwrap_or(Value::None);
        let drawn = drawn(&host).await?;
        // What it calls may fail or be cancelled, which is no fault of its own.
        host.verb("run", vec![callee]).await.ok();
        told(&host, drawn).await
    });
    let kept = Arc::clone(played);
    script.part("once", move |work, host| {
        let run = work.egress.map(|egress| egress.label).unwrap_or_default();
        *kept.once.lock().unwrap().entry(run).or_default() += 1;
        async move {
            let drawn = drawn(&host).await?;
            host.verb("run", vec!["plain".into()]).await.ok();
            told(&host, drawn).await
        }
    });
    script
}

async fn drawn(host: &Asking) -> Result<Value, Exception> {
    host.verb("random", vec![]).await.map_err(|error| unexpected(&error))
}

async fn told(host: &Asking, drawn: Value) -> Result<Value, Exception> {
    host.verb("emit", vec!["told".into(), drawn.clone()]).await.map_err(|error| unexpected(&error))?;
    Ok(drawn)
}

fn unexpected(error: &HostError) -> Exception {
    raised("Unexpected", &format!("{error:?}"))
}
