//! A mixed load: runs with every kind of step, that may be resumed and that may not, what they trigger, and a schedule.

use model::content::Content;
use model::ids::RunId;
use model::run::{RunState, Waiting};
use model::schedule::{Missed, Overlap, ScheduleContent, Times};
use model::trigger::TriggerContent;
use serde_json::json;
use server::app::runs;
use store::RunFilter;

use crate::world::{ME, World, name};

/// What `leaf` makes of a number in its first version.
const LEAF: &str = "def leaf(n: int):\n    return n * 2\n";

/// All effects are steps. The second sleep is so long that the cell is given back.
const CHAIN: &str = r#"import selfmade

@selfmade.function(brain="read")
def chain(n: int):
    from selfmade import emit, log, now, random, run, sleep
    began, drawn = now(), random()
    emit("began", {"n": n, "drawn": drawn})
    first = run("leaf", n)
    sleep(0.05)
    second = run("leaf", first)
    log("half-way")
    emit("middle", {"drawn": drawn})
    sleep(2.2)
    emit("ended", {"drawn": drawn})
    return {"began": began, "drawn": drawn, "second": second}
"#;

/// It may reach the network, so not all its effects are steps.
const RISKY: &str = r#"import selfmade

@selfmade.function(network=["example.com"])
def risky(n: int):
    from selfmade import emit, sleep
    emit("began", {"n": n})
    sleep(1)
    emit("ended", {"n": n})
    return n
"#;

/// The same, but its author says that it may be run again.
const SAFE: &str = r#"import selfmade

@selfmade.function(network=["example.com"], idempotent=True)
def safe(n: int):
    from selfmade import emit, sleep
    emit("began", {"n": n})
    sleep(1)
    emit("ended", {"n": n})
    return n
"#;

const ASKER: &str = r#"def asker(n: int):
    from selfmade import ask, emit
    emit("began", {"n": n})
    answer = ask("go on?", ["yes", "no"])
    emit("ended", {"answer": answer})
    return answer
"#;

/// One after the other: it waits for a place of its own, which others wait for in a step.
const LIMITED: &str = r#"import selfmade

@selfmade.function(concurrency=1)
def limited(n: int):
    return n + 1

@selfmade.function(brain="read")
def waiter(n: int):
    from selfmade import emit, run
    emit("began", {"n": n})
    made = run("limited", n)
    emit("ended", {"n": n})
    return made
"#;

const SECOND: &str = "def second(x):\n    from selfmade import emit\n    emit('ended', x)\n    return x\n";
const THIRD: &str = "def third(x):\n    return x['drawn']\n";
const TICK: &str = "def tick():\n    from selfmade import emit\n    emit('ended')\n    return 1\n";

/// What was queued.
#[derive(Default)]
pub(crate) struct Load {
    pub(crate) queued: Vec<RunId>,
}

pub(crate) async fn prepare(world: &World) {
    let (limited, waiter) = LIMITED.split_once("@selfmade.function(brain").unwrap();
    let waiter = format!("import selfmade\n\n@selfmade.function(brain{waiter}");
    world.add(&[LEAF, CHAIN, RISKY, SAFE, ASKER, limited, &waiter, SECOND, THIRD, TICK]).await;
    for (upstream, target) in [("chain", "second"), ("second", "third")] {
        let content = Content::Trigger(TriggerContent::after(upstream, name(target)));
        world.put(&format!("{target}_after_{upstream}"), content).await;
    }
    let content = ScheduleContent {
        description: String::new(),
        times: Times::EverySeconds(1),
        zone: "UTC".to_owned(),
        target: name("tick"),
        input: serde_json::Map::new(),
        missed: Missed::All,
        overlap: Overlap::Allow,
        paused: false,
    };
    world.put("ticking", Content::Schedule(content)).await;
}

/// Ends the ticking, so that there is an end to wait for.
pub(crate) async fn pause(world: &World) {
    let mut ticking =
        world.ctx.store.live_versions(model::entry::EntryKind::Schedule, None, 1, ME.only()).await.unwrap();
    let Content::Schedule(content) = ticking.remove(0).content else { panic!("asked for schedules") };
    world.put("ticking", Content::Schedule(ScheduleContent { paused: true, ..content })).await;
}

/// From here on these functions do something else; what was queued before must not notice.
pub(crate) async fn move_on(world: &World) {
    let chain = CHAIN.replace("\"second\": second", "\"second\": -1");
    world.add(&["def leaf(n: int):\n    return -1000\n", &chain]).await;
}

impl Load {
    /// More work of every kind.
    pub(crate) async fn add(&mut self, world: &World, rounds: i64) {
        for n in 0..rounds {
            for function in ["chain", "risky", "waiter", "chain", "safe", "asker", "chain"] {
                self.queued.push(world.queue(function, json!({"n": n})).await);
            }
        }
    }
}

/// Answers whatever is asked.
pub(crate) async fn answer(world: &World) {
    let waiting = RunFilter { states: vec![RunState::Waiting], ..RunFilter::default() };
    for run in runs::list(&world.ctx, &ME, waiting, 1000).await.unwrap() {
        if matches!(run.waiting, Some(Waiting::Person { .. })) {
            // A server may be handling it at this moment.
            runs::answer(&world.ctx, &ME, run.run_id, json!("yes")).await.ok();
        }
    }
}
