//! Changesets whose tests take their time: they hold up nobody, and what is applied was tested against what it is applied to.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sandbox::Value;
use server::app::changesets::drafts::Proposal;
use server::app::changesets::{self, Applied};
use server::{Ctx, Error};
use store::on_both;
use store::testing::TestDatabase;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::script::{Stage, function};
use crate::world::{ME, key};

/// A function with a test, which calls another.
const CALLER: &str = "@selfmade.function(tests=[{\"input\": {}, \"expect\": {\"output\": None}}])
def caller():
    return callee()
";

async fn register(ctx: &Ctx, text: &str) -> Result<Applied, Error> {
    let intent = server::app::functions::read_function(text, "test.py", None).unwrap();
    changesets::register(ctx, &ME, &Proposal::of("", vec![intent])).await
}

fn callee(answer: usize) -> String {
    format!("@selfmade.function()\ndef callee():\n    return {answer}\n")
}

fn spawned(stage: &Stage, text: &'static str) -> JoinHandle<Result<Applied, Error>> {
    let ctx = stage.ctx.clone();
    tokio::spawn(async move { register(&ctx, text).await })
}

/// The test of `caller` begins and waits until it may end, each time it is run.
struct Slow {
    begun: Arc<Semaphore>,
    may_end: Arc<Semaphore>,
}

impl Slow {
    async fn on(stage: &Stage) -> Slow {
        register(&stage.ctx, &callee(0)).await.unwrap();
        let slow = Slow { begun: Arc::new(Semaphore::new(0)), may_end: Arc::new(Semaphore::new(0)) };
        let (begun, may_end) = (Arc::clone(&slow.begun), Arc::clone(&slow.may_end));
        stage.script.part("caller", move |_, _| {
            let (begun, may_end) = (Arc::clone(&begun), Arc::clone(&may_end));
            async move {
                begun.add_permits(1);
                may_end.acquire().await.unwrap().forget();
                Ok(Value::None)
            }
        });
        slow
    }

    async fn begins(&self) {
        self.begun.acquire().await.unwrap().forget();
    }

    fn end(&self) {
        self.may_end.add_permits(1);
    }
}

on_both! {
    async fn a_slow_test_holds_up_no_other_changeset_and_is_run_once(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let slow = Slow::on(&stage).await;
        let caller = spawned(&stage, CALLER);
        slow.begins().await;
        stage.add(&[&function("other", "")]).await;
        assert!(!caller.is_finished());
        slow.end();
        // The brain moved meanwhile, but nothing that the test executes.
        assert_eq!(caller.await.unwrap().unwrap().revision.0, 3);
        assert_eq!(stage.executions(), 1);
    }

    async fn a_test_is_run_again_if_what_it_executes_has_changed(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let slow = Slow::on(&stage).await;
        let caller = spawned(&stage, CALLER);
        slow.begins().await;
        register(&stage.ctx, &callee(1)).await.unwrap();
        slow.end();
        slow.begins().await;
        slow.end();
        assert_eq!(caller.await.unwrap().unwrap().revision.0, 3);
        assert_eq!(stage.executions(), 2);
    }

    async fn two_that_change_the_same_function_are_applied_one_after_the_other(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let slow = Slow::on(&stage).await;
        let first = spawned(&stage, CALLER);
        slow.begins().await;
        let second = spawned(
            &stage,
            "@selfmade.function(tests=[{\"input\": {}, \"expect\": {\"output\": None}}])\ndef caller():\n    return [callee()]\n",
        );
        slow.begins().await;
        slow.end();
        slow.end();
        let applied = [first.await.unwrap().unwrap(), second.await.unwrap().unwrap()];
        let mut revisions = applied.map(|applied| applied.revision.0);
        revisions.sort_unstable();
        assert_eq!(revisions, [2, 3]);
        assert_eq!(stage.ctx.store.versions(&key("caller")).await.unwrap().len(), 2);
        assert_eq!(stage.executions(), 2);
    }

    async fn a_changeset_that_loses_again_and_again_is_applied_in_the_end(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        register(&stage.ctx, &callee(0)).await.unwrap();
        let tries = Arc::new(AtomicUsize::new(0));
        let (ctx, counted) = (stage.ctx.clone(), Arc::clone(&tries));
        stage.script.part("caller", move |_, _| {
            let (ctx, n) = (ctx.clone(), counted.fetch_add(1, Ordering::SeqCst) + 1);
            async move {
                // Somebody changes what it executes each time it is run, for as long as they get a turn.
                if n <= 5 {
                    let other = tokio::spawn(async move { register(&ctx, &callee(n)).await.unwrap() });
                    if n <= 4 {
                        other.await.unwrap();
                    }
                }
                Ok(Value::None)
            }
        });
        let applied = register(&stage.ctx, CALLER).await.unwrap();
        assert_eq!(applied.moves.len(), 1);
        // The last of the others may have its turn by now, and runs the test of what calls it.
        assert!((5..=6).contains(&tries.load(Ordering::SeqCst)));
    }
}
