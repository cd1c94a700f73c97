//! One server after another, each killed while it works.

use std::collections::HashSet;

use model::ids::RunId;
use model::run::RunState;
use store::RunFilter;
use store::testing::TestDatabase;

use super::invariants::{self, Record};
use super::load::{self, Load};
use super::processes;
use crate::command::Place;
use crate::world::{ME, World};

/// Enough for kills in every part of a run; each costs a start of the program.
const KILLS: u64 = 4;

/// Chance that is the same each time: a failure can be repeated.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        // Knuth's multiplier for 64 bits.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// How far everything is, as one number: events so far, and steps of what has not ended.
async fn progress(world: &World) -> u64 {
    let events = world.events().await;
    let states = vec![RunState::Queued, RunState::Running, RunState::Waiting];
    let unended = RunFilter { states, ..RunFilter::default() };
    let mut steps = 0;
    for run in server::app::runs::list(&world.ctx, &ME, unended, 1000).await.unwrap() {
        steps += world.ctx.store.steps(run.run_id).await.unwrap().len();
    }
    events.last().map_or(0, |event| event.seq) + steps as u64
}

/// Returns when so much more has happened.
async fn go_on(world: &World, more: u64) {
    let goal = progress(world).await + more;
    while progress(world).await < goal {
        load::answer(world).await;
    }
}

async fn drain(world: &World) {
    while world.runs().await.iter().any(|run| !run.state.is_final()) {
        load::answer(world).await;
    }
}

/// What runs when the server is killed.
async fn running(world: &World) -> Vec<RunId> {
    let running = RunFilter { states: vec![RunState::Running], ..RunFilter::default() };
    let runs = server::app::runs::list(&world.ctx, &ME, running, 1000).await.unwrap();
    runs.into_iter().map(|run| run.run_id).collect()
}

async fn survives(database: &TestDatabase, seed: u64) {
    let world = World::open(database).await;
    load::prepare(&world).await;
    let mut load = Load::default();
    load.add(&world, 3).await;
    let before = load.queued.clone();
    let (mut chance, mut interrupted, mut cells) = (Chance(seed), HashSet::new(), 0);
    for kill in 0..KILLS {
        let server = world.serve();
        go_on(&world, 4 + chance.below(25)).await;
        let crowd = processes::kill(server);
        // A server that only took up what others had left may have had none yet.
        cells += crowd.size();
        crowd.vanish();
        database.settle().await;
        interrupted.extend(running(&world).await);
        if kill == 1 {
            load::move_on(&world).await;
            load.add(&world, 1).await;
        }
    }
    assert!(!interrupted.is_empty(), "nothing was under way when the servers were killed");
    assert!(cells > 0, "no cell was there to be killed");
    let server = world.serve();
    load::pause(&world).await;
    drain(&world).await;
    // What the last runs trigger is queued by then, or soon.
    while Record::read(&world).await.of("third").count() < load.queued.len() / 7 * 3 {
        drain(&world).await;
    }
    drain(&world).await;
    let record = Record::read(&world).await;
    invariants::one_ending_each(&record, &load.queued);
    invariants::no_step_twice(&record);
    invariants::answers_stay(&record);
    invariants::versions_stay(&record, &before);
    invariants::triggered_once(&record, "chain", "second");
    invariants::triggered_once(&record, "second", "third");
    invariants::ticked_once(&record, database).await;
    let lost = record.runs.values().filter(|run| run.state == RunState::Failed);
    assert!(
        lost.map(|run| run.run_id).all(|id| interrupted.contains(&id)),
        "a run is lost that nobody killed"
    );
    processes::kill(server).vanish();
}

/// Nobody waits for a lease here: it is longer than any test.
#[test]
fn what_a_killed_server_left_goes_on_with_the_next_one() {
    let place = Place::new();
    place.file("home/config.toml", "lease_seconds = 3600\n");
    place.add(
        "def waits():\n    import time\n    from selfmade import random\n    random()\n    time.sleep(20)\n",
    );
    place.add("import selfmade\n\n@selfmade.function(network=[\"localhost\"])\ndef reaches():\n    import time\n    time.sleep(20)\n");
    let [resumed, lost] =
        ["waits", "reaches"].map(|name| place.data(&["run", name, "--queue"]).trim().to_owned());
    let shown = |id: &str| place.json(&["runs", "show", id]);
    let mut server = place.start(&["serve"]);
    server.says("serving");
    let has_drawn = || !shown(&resumed)["steps"].as_array().unwrap().is_empty();
    while !has_drawn() || shown(&lost)["state"] != "running" {}
    let before = shown(&resumed);
    processes::kill(server).vanish();
    let mut server = place.start(&["serve"]);
    server.says("serving");
    while shown(&lost)["state"] == "running" {}
    assert_eq!(shown(&lost)["ending"], "lost");
    let is_claimed = |run: &serde_json::Value| run["lease"]["node"] != before["lease"]["node"];
    while !(shown(&resumed)["state"] == "running" && is_claimed(&shown(&resumed))) {}
    let after = shown(&resumed);
    assert_eq!((&after["attempt"], &after["steps"][0]), (&1.into(), &before["steps"][0]));
    processes::kill(server).vanish();
}

store::on_both! {
    async fn a_server_may_be_killed_at_any_instant(database: &TestDatabase) {
        survives(database, 1).await;
    }

    async fn another_seed_kills_at_other_instants(database: &TestDatabase) {
        survives(database, 20_261).await;
    }
}
