//! A node finds Runs of its own that it does not have in progress, and knows of each whether it had begun it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model::run::{Ending, RunState};
use server::app::runs::{self, StartRun};
use store::on_both;
use store::testing::{AtGate, Gate, Passage, TestDatabase};
use tokio::sync::Notify;

use super::script::{Stage, empty, function, request};
use crate::world::ME;

/// What it does may be other than Steps, so it must not be executed twice.
const ONCE: &str = "@selfmade.function(network=[\"example.com\"])\ndef once():\n    return None\n";

fn asks_what_is_held(call: &AtGate) -> bool {
    call.statements
        .iter()
        .any(|sql| sql.starts_with("select run_id, fence, cancelled_at is not null from runs"))
}

/// Lets everything through up to the look at what is recorded as held, which is left at the gate.
async fn next_look(gate: &Gate) -> AtGate {
    loop {
        for call in gate.waiting() {
            if asks_what_is_held(&call) {
                return call;
            }
            gate.let_through(call.number, Passage::Pass);
        }
        tokio::task::yield_now().await;
    }
}

/// Lets everything through, except for one, for as long as it is polled.
async fn let_through(gate: &Gate, except: u64) {
    loop {
        let waiting = gate.waiting();
        for call in waiting.iter().filter(|call| call.number != except) {
            gate.let_through(call.number, Passage::Pass);
        }
        tokio::task::yield_now().await;
    }
}

/// The answer to the claim of a Run that another one waits for.
async fn claim_answered(gate: &Gate) -> u64 {
    let is_claim = |call: &&AtGate| {
        call.statements.iter().any(|sql| sql.starts_with("update runs set state = 'running', node_id"))
    };
    loop {
        let waiting = gate.waiting();
        if let Some(answer) = waiting.iter().filter(is_claim).find(|call| call.is_answer) {
            return answer.number;
        }
        for call in &waiting {
            let passage = if is_claim(&call) { Passage::HoldAnswer } else { Passage::Pass };
            gate.let_through(call.number, passage);
        }
        tokio::task::yield_now().await;
    }
}

on_both! {
    on one thread;

    async fn a_run_is_in_hand_though_whoever_claimed_it_was_interrupted(database: &TestDatabase) {
        // Without places, the queue leaves it to the Run that waits for it.
        let stage = Stage::configured(database, |config| config.engine.at_once = 0).await;
        stage.register("@selfmade.function(concurrency=1)\ndef limited():\n    return None\n").await;
        stage.register("@selfmade.function(brain=\"read\")\ndef calls():\n    return None\n").await;
        stage.script.part("limited", |_, _| std::future::pending());
        stage.script.part("calls", |_, host| async move {
            host.verb("run", vec!["limited".into()]).await.ok();
            Ok(sandbox::Value::Int(1))
        });
        stage.work();
        stage.ctx.store.quiet().await;
        let gate = Gate::default();
        stage.ctx.store.pass_through(&gate, 1);
        let ctx = stage.ctx.clone();
        let started = tokio::spawn(async move { runs::start(&ctx, &ME, request("calls", empty())).await });
        let answer = claim_answered(&gate).await;
        let cancelled = async {
            let all = runs::list(&stage.ctx, &ME, Default::default(), 9).await.unwrap();
            let calls = all.iter().find(|run| run.parent.is_none()).unwrap();
            runs::cancel(&stage.ctx, &ME, calls.run_id).await.unwrap();
            started.await.unwrap().unwrap()
        };
        let calls = tokio::select! {
            calls = cancelled => calls,
            () = let_through(&gate, answer) => unreachable!("it never ends"),
        };
        assert_eq!(calls.state, RunState::Cancelled);
        let all_ended = async {
            loop {
                stage.ctx.clock.advance(Duration::from_secs(1));
                let all = runs::list(&stage.ctx, &ME, Default::default(), 9).await.unwrap();
                if all.iter().all(|run| run.state.is_final()) {
                    return all.len();
                }
            }
        };
        let count = tokio::select! {
            count = all_ended => count,
            () = let_through(&gate, 0) => unreachable!("it never ends"),
        };
        assert_eq!((count, server::engine::recovered(&stage.ctx)), (2, 0));
    }

    async fn a_run_that_is_abandoned_during_a_look_is_known_to_have_begun(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.register(ONCE).await;
        stage.add(&[&function("other", "")]).await;
        let (executed, fails) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
        let (counted, failing) = (Arc::clone(&executed), Arc::clone(&fails));
        stage.script.part("once", move |_, _| {
            counted.fetch_add(1, Ordering::SeqCst);
            let failing = Arc::clone(&failing);
            async move {
                failing.notified().await;
                panic!("what executes it is gone")
            }
        });
        stage.script.part("other", |_, _| async { Ok(sandbox::Value::Int(1)) });
        let once = stage.queue("once", empty()).await.run_id;
        stage.work();
        while executed.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        // A claim of which this node never heard makes it look twice.
        let (now, node) = (stage.ctx.clock.now(), stage.ctx.engine.node());
        let due = now + Duration::from_secs(3600);
        let later = StartRun { due_at: Some(due), ..request("other", empty()) };
        let other = runs::queue(&stage.ctx, &ME, later).await.unwrap().run_id;
        stage.ctx.store.claim_run(other, node, due, now + Duration::from_secs(15)).await.unwrap().unwrap();
        stage.ctx.store.quiet().await;
        let gate = Gate::default();
        stage.ctx.store.pass_through(&gate, 1);
        stage.ctx.clock.advance(Duration::from_secs(5));
        let first = next_look(&gate).await;
        gate.let_through(first.number, Passage::Pass);
        let second = next_look(&gate).await;
        assert_ne!(first, second);
        // The second look has noted that the Run is in progress, and has not asked the database yet.
        fails.notify_one();
        while server::engine::under_way(&stage.ctx) > 0 {
            tokio::task::yield_now().await;
        }
        gate.let_through(second.number, Passage::Pass);
        let letting = tokio::spawn(async move { let_through(&gate, 0).await });
        let ended = loop {
            stage.ctx.clock.advance(Duration::from_secs(1));
            let found = stage.ctx.store.run(once).await.unwrap().unwrap();
            if found.state.is_final() {
                break found;
            }
        };
        letting.abort();
        assert_eq!((ended.state, ended.ending), (RunState::Failed, Some(Ending::Lost)), "{:?}", ended.error);
        assert_eq!(executed.load(Ordering::SeqCst), 1);
    }
}
