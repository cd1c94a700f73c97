//! Runs as people read them: by part of their ids, with names in place of ids, as a tree, as they end, and as long as they
//! are kept.

use std::time::Duration;

use model::access::Access;
use model::access::actor::Actor;
use model::event::{EventKind, NewEvent};
use model::ids::{EntryId, RunId};
use model::run::chain::Chain;
use model::run::{Run, RunState};
use sandbox::Value;
use serde_json::json;
use server::Error;
use server::app::functions::dependents;
use server::app::functions::names;
use server::app::operations::retention::{self, Retention};
use server::app::runs;
use server::app::runs::ids;
use server::app::runs::lists;
use server::app::runs::records;
use server::app::runs::watch::{EndedRun, Endings, Follower, What};
use store::testing::TestDatabase;
use store::{RunFilter, on_both};

use crate::engine::script::{Stage, empty, function};
use crate::world::{ME, World, answering, calling, name, schedule, schedule_key, trigger, trigger_key};

/// A stage with a function that answers 1.
async fn stage(database: &TestDatabase) -> Stage {
    let stage = Stage::open(database).await;
    stage.add(&[&function("one", "")]).await;
    stage.script.part("one", |_, _| async { Ok(Value::Int(1)) });
    stage
}

/// A copy of a Run under another id.
async fn another(stage: &Stage, run: &Run, id: u128) -> Run {
    let run = Run { run_id: RunId(uuid::Uuid::from_u128(id)), ..run.clone() };
    stage.ctx.store.record_runs(std::slice::from_ref(&run)).await.unwrap();
    run
}

on_both! {
    async fn a_run_sees_the_brain_as_it_was_when_it_started(database: &TestDatabase) {
        let stage = stage(database).await;
        let first = stage.start("one", empty()).await.unwrap();
        stage.add(&[&function("other", "")]).await;
        let second = stage.start("one", empty()).await.unwrap();
        assert_eq!(second.revision, first.revision.next(), "nothing that it loads has changed, but the brain has");
        assert_eq!((first.version_id, first.closure), (second.version_id, second.closure));
    }

    async fn a_run_is_found_by_a_part_of_its_id_that_fits_no_other(database: &TestDatabase) {
        let stage = stage(database).await;
        let run = stage.start("one", empty()).await.unwrap();
        let first = another(&stage, &run, 0x1111_0000_0000_7000_8000_0000_1234_abcd).await;
        let second = another(&stage, &run, 0x2222_0000_0000_7000_8000_0000_5678_abcd).await;
        let find = async |text: &str| ids::find(&stage.ctx, &ME, text).await;
        assert_eq!(ids::short(first.run_id), "1234abcd");
        assert_eq!(find("1234abcd").await.unwrap(), first.run_id);
        assert_eq!(find("2222-0000").await.unwrap(), second.run_id);
        let ambiguous = find("abcd").await.unwrap_err();
        let Error::RunAmbiguous { fitting, .. } = &ambiguous else { panic!("{ambiguous}") };
        assert_eq!(*fitting, [second.run_id, first.run_id]);
        assert!(matches!(find("dcba").await, Err(Error::RunNotFound { .. })));
        assert!(matches!(find("abc").await, Err(Error::Input { .. })), "too short to be meant");
    }

    async fn who_started_a_run_is_reported_by_name(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("one", 1), answering("two", 2)]).await.unwrap();
        world.register(vec![trigger("after_one", "one", "two"), schedule("nightly", "one")]).await.unwrap();
        let ctx = &world.ctx;
        let entry = async |key| ctx.store.versions(&key).await.unwrap()[0].entry_id;
        let by_trigger = Actor::Trigger(entry(trigger_key("after_one")).await);
        let by_schedule = Actor::Schedule(entry(schedule_key("nightly")).await);
        assert_eq!(names::actor(ctx, &ME, "trigger:after_one").await.unwrap(), by_trigger);
        assert_eq!(names::actor(ctx, &ME, "schedule:nightly").await.unwrap(), by_schedule);
        assert_eq!(names::actor(ctx, &ME, "command_line").await.unwrap(), ME.actor);
        assert!(matches!(names::actor(ctx, &ME, "token:none").await, Err(Error::Absent { .. })));
        assert!(matches!(names::actor(ctx, &ME, "trigger:none").await, Err(Error::NotFound { .. })));

        let gone = Actor::Trigger(EntryId(ctx.ids.uuid()));
        for actor in [by_trigger.clone(), by_schedule, gone.clone()] {
            let access = Access { actor: actor.clone(), ..ME.clone() };
            let run = runs::queue(ctx, &access, crate::engine::script::request("one", empty())).await.unwrap();
            assert_eq!(run.actor, actor);
        }
        let page = lists::page(ctx, &ME, RunFilter::default(), 2).await.unwrap();
        let who: Vec<String> = page.runs.iter().map(|line| line.who.clone()).collect();
        let id = gone.to_string();
        // Its name is gone, and the end of an id tells it from others.
        assert_eq!(who, [format!("trigger {}", &id[id.len() - 8..]), "schedule nightly".to_owned()]);
        let rest = RunFilter { before: page.next, ..RunFilter::default() };
        let rest = lists::page(ctx, &ME, rest, 2).await.unwrap();
        assert_eq!(rest.runs[0].who, "trigger after_one");
        assert_eq!(rest.runs[0].version.map(|version| version.0), Some(1));
        assert_eq!(rest.next, None);
    }

    async fn what_a_run_led_to_stands_below_the_run_it_came_from(database: &TestDatabase) {
        let stage = stage(database).await;
        let root = stage.start("one", empty()).await.unwrap();
        let child = another(&stage, &Run { parent: Some(root.run_id), ..root.clone() }, 8).await;
        // What a trigger starts names the root of its chain, and the event it answers names the run that ended.
        let ended = |run: &Run| NewEvent {
            kind: EventKind::RunFinished,
            source: "one".to_owned(),
            data: json!({ "run_id": run.run_id }),
            actor: ME.actor.clone(),
            at: stage.ctx.clock.now(),
        };
        stage.ctx.store.append_events(&[ended(&child)]).await.unwrap();
        let seq = stage.ctx.store.last_event(&EventKind::RunFinished).await.unwrap();
        let chain = Chain { root: Some(root.run_id), fired: Vec::new() };
        let fired = Run { chain, event_seq: Some(seq), parent: None, ..child.clone() };
        let fired = another(&stage, &fired, 9).await;

        let record = records::show(&stage.ctx, &ME, root.run_id).await.unwrap();
        let below: Vec<(RunId, RunId)> =
            record.below.iter().map(|below| (below.line.run_id, below.above)).collect();
        assert_eq!(below, [(child.run_id, root.run_id), (fired.run_id, child.run_id)]);
        assert_eq!(record.loaded.len(), 1);
        assert_eq!((record.loaded[0].name.as_str(), record.loaded[0].version.0), ("one", 1));
    }

    async fn a_run_is_followed_from_the_queue_to_its_end(database: &TestDatabase) {
        let stage = stage(database).await;
        stage.add(&[&function("emits", "")]).await;
        stage.script.part("emits", |_, asking| async move {
            asking.verb("emit", vec![Value::Str("a".to_owned())]).await.unwrap();
            Ok(Value::Int(1))
        });
        let run = stage.queue("emits", empty()).await;
        let mut follower = Follower::new(&stage.ctx, &ME, run.run_id);
        let news = follower.next().await.unwrap();
        assert!(matches!(&news[0].what, What::State(run) if run.state == RunState::Queued), "{news:?}");
        stage.work();
        stage.until(run.run_id, RunState::Succeeded).await;
        let news = follower.next().await.unwrap();
        let [What::Step(step), What::State(ended)] = [&news[0].what, &news[1].what] else { panic!("{news:?}") };
        assert_eq!((step.verb.as_str(), ended.state), ("emit", RunState::Succeeded));
        assert!(follower.next().await.unwrap().is_empty(), "nothing comes after its end");
    }

    async fn runs_are_reported_in_the_order_in_which_they_end(database: &TestDatabase) {
        let stage = stage(database).await;
        stage.start("one", empty()).await.unwrap();
        let mut endings = Endings::from_now(&stage.ctx, &ME).await.unwrap();
        let queued = stage.queue("one", empty()).await;
        let second = stage.start("one", empty()).await.unwrap();
        let ids = |ended: &[EndedRun]| ended.iter().map(|ended| ended.line.run_id).collect::<Vec<_>>();
        let first = endings.next().await.unwrap();
        assert_eq!(ids(&first), [second.run_id], "those before do not count");
        runs::cancel(&stage.ctx, &ME, queued.run_id).await.unwrap();
        let ended = endings.next().await.unwrap();
        assert_eq!(ended[0].line.state, RunState::Cancelled);
        assert_eq!(ids(&ended), [queued.run_id]);
        let resumed = Endings::from_now(&stage.ctx, &ME).await.unwrap().resumed_after(first[0].seq);
        assert_eq!(ids(&{ resumed }.next().await.unwrap()), [queued.run_id]);
    }

    async fn the_newest_and_what_has_not_ended_are_kept(database: &TestDatabase) {
        let stage = stage(database).await;
        let queued = stage.queue("one", empty()).await;
        let mut ended = Vec::new();
        for _ in 0..3 {
            ended.push(stage.start("one", empty()).await.unwrap().run_id);
            stage.ctx.clock.advance(Duration::from_secs(3_600));
        }
        let prune = async |keep| retention::prune(&stage.ctx, &ME, keep, false, |_| ()).await.unwrap().runs;
        let left = async || {
            let runs = stage.ctx.store.runs(&RunFilter::default(), 10).await.unwrap();
            runs.iter().map(|run| run.run_id).collect::<Vec<_>>()
        };
        let since = Some(stage.ctx.clock.now() - Duration::from_secs(9_000));
        assert_eq!(prune(Retention { since, newest: Some(4), ..Retention::default() }).await, 0);
        assert_eq!(prune(Retention { since, ..Retention::default() }).await, 1);
        assert_eq!(left().await, [ended[2], ended[1], queued.run_id]);
        assert_eq!(prune(Retention::default()).await, 0, "nothing is said, so all stay");
        assert_eq!(prune(Retention { newest: Some(1), ..Retention::default() }).await, 1);
        assert_eq!(left().await, [ended[2], queued.run_id]);
    }

    async fn everything_that_a_change_may_break_is_found(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("base", 1), calling("middle", "base"), calling("top", "middle")]).await.unwrap();
        world.register(vec![answering("other", 1), trigger("after_top", "top", "other"), schedule("nightly", "middle")]).await.unwrap();
        let impact = dependents::of(&world.ctx, &ME, &name("base")).await.unwrap();
        let found: Vec<String> = impact
            .dependents
            .iter()
            .map(|one| format!("{} {} {} {}", one.distance, one.key.name, one.role.as_str(), one.on.name))
            .collect();
        assert_eq!(
            found,
            ["1 middle calls base", "2 nightly starts middle", "2 top calls middle", "3 after_top watches top"]
        );
        assert_eq!(impact.dependents[0].tests, Some(0));
        assert_eq!(dependents::of(&world.ctx, &ME, &name("other")).await.unwrap().dependents.len(), 1);
        assert!(matches!(dependents::of(&world.ctx, &ME, &name("none")).await, Err(Error::NotFound { .. })));
    }
}
