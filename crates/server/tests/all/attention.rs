//! What is said to need a person: what keeps failing and what waits, and no longer once it is handled.

use std::time::Duration;

use model::content::Content;
use model::run::RunState;
use model::schedule::{Overlap, ScheduleContent};
use serde_json::{Map, json};
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::changesets::{self, Breakage};
use server::app::operations::attention::{self, Attention};
use server::app::schedules::agenda::Agenda;
use server::app::{runs, triggers};
use store::on_both;
use store::testing::TestDatabase;

use crate::engine::script::{Stage, function, raised};
use crate::triggers::{after_first, pair, put};
use crate::world::{ME, name, schedule, source};

const DAY: Duration = Duration::from_secs(24 * 3600);

async fn attention(stage: &Stage) -> Attention {
    attention::list(&stage.ctx, &ME).await.unwrap()
}

async fn days_pass(stage: &Stage, agenda: &mut Agenda, days: u32) {
    for _ in 0..days {
        stage.ctx.clock.advance(DAY);
        agenda.round(&stage.ctx).await.unwrap();
    }
}

on_both! {
    async fn a_schedule_that_keeps_being_skipped_is_named_until_it_is_written_again(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("tick", "")]).await;
        let put = |input: Map<String, serde_json::Value>| match schedule("nightly", "tick") {
            Intent::Put(name, Content::Schedule(content)) => {
                Intent::Put(name, Content::Schedule(ScheduleContent { input, overlap: Overlap::Allow, ..content }))
            }
            other => other,
        };
        let register = async |intent| {
            let proposal = Proposal { breakage: Breakage::Accepted, ..Proposal::of("", vec![intent]) };
            changesets::register(&stage.ctx, &ME, &proposal).await.unwrap();
        };
        register(put(Map::new())).await;
        let mut agenda = Agenda::default();
        days_pass(&stage, &mut agenda, 1).await;
        register(source("def tick(a):\n    return a\n")).await;
        days_pass(&stage, &mut agenda, 1).await;
        assert!(attention(&stage).await.is_empty(), "once can happen");
        days_pass(&stage, &mut agenda, 2).await;
        let failing = attention(&stage).await.schedules;
        let [failing] = failing.as_slice() else { panic!("{failing:?}") };
        assert_eq!((failing.name.as_str(), failing.target.as_str(), failing.times), ("nightly", "tick", 3));
        assert!(failing.why.contains("`a`") && failing.run_id.is_none(), "{failing:?}");
        register(put(json!({ "a": 1 }).as_object().cloned().unwrap())).await;
        assert!(attention(&stage).await.is_empty(), "it is another schedule now");
    }

    async fn a_trigger_whose_runs_keep_failing_is_named_until_one_succeeds(database: &TestDatabase) {
        let stage = pair(database).await;
        put(&stage, "t", after_first()).await;
        stage.script.part("second", |_, _| async { Err(raised("ValueError", "no good")) });
        let round = async || {
            stage.start("first", json!({})).await.unwrap();
            server::triggers::drain(&stage.ctx).await.unwrap();
            stage.settle().await;
        };
        for _ in 0..2 {
            assert!(attention(&stage).await.is_empty());
            round().await;
        }
        let failing = attention(&stage).await.triggers;
        let [failing] = failing.as_slice() else { panic!("{failing:?}") };
        assert_eq!((failing.name.as_str(), failing.why.as_str(), failing.times), ("t", "ValueError: no good", 2));
        assert!(failing.run_id.is_some());
        triggers::switch(&stage.ctx, &ME, name("t"), false).await.unwrap();
        assert!(attention(&stage).await.is_empty(), "one that is off breaks nothing");
    }

    async fn questions_and_changesets_wait_until_someone_decides(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("asks", "")]).await;
        stage.script.part("asks", |_, host| async move { Ok(host.verb("ask", vec!["Really?".into()]).await.unwrap()) });
        let run = stage.start("asks", json!({})).await.unwrap();
        assert_eq!(run.state, RunState::Waiting);
        let proposal = Proposal::of("something new", vec![source("def new():\n    return 1\n")]);
        let number = changesets::propose(&stage.ctx, &ME, &proposal).await.unwrap().number;
        let waiting = attention(&stage).await;
        assert_eq!((waiting.questions[0].run_id, &waiting.questions[0].question["question"]), (run.run_id, &json!("Really?")));
        assert_eq!((waiting.changesets[0].number, waiting.changesets[0].title.as_str()), (number, "something new"));
        assert_eq!(waiting.count(), 2);
        runs::answer(&stage.ctx, &ME, run.run_id, json!("yes")).await.unwrap();
        changesets::reject(&stage.ctx, &ME, number, None).await.unwrap();
        assert!(attention(&stage).await.is_empty());
    }
}
