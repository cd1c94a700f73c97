//! Signals: what each batch changes is told once it is committed, in this process and on PostgreSQL in others.

use std::time::Duration;

use model::access::actor::Actor;
use model::access::scope::Scope;
use model::ids::RunId;
use model::run::{Concurrency, Lease, Run, Waiting};
use serde_json::json;
use store::testing::TestDatabase;
use store::{ChangedRuns, Changes, Durability, Finished, Store, Topic};
use tokio::sync::mpsc;

use crate::ending::succeeded;
use crate::runs::{node, queued, waited};
use crate::world::{World, at, event, put};

/// What a store tells.
struct Told(mpsc::UnboundedReceiver<Changes>);

impl Told {
    fn by(store: &Store) -> Told {
        let (tell, told) = mpsc::unbounded_channel();
        store.on_change(node(), move |changes| tell.send(changes.clone()).unwrap_or_default());
        Told(told)
    }

    /// Since the last time, one line for each batch.
    fn lines(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.0.try_recv().ok()).map(|changes| line(&changes)).collect()
    }

    async fn next(&mut self) -> Changes {
        let next = tokio::time::timeout(Duration::from_secs(20), self.0.recv()).await;
        next.expect("something is told").expect("the store is there")
    }

    /// Skips what counts as everything: somebody began to listen.
    async fn next_but_everything(&mut self) -> Changes {
        loop {
            match self.next().await {
                all if all == Changes::everything() => {}
                changes => return changes,
            }
        }
    }
}

fn line(changes: &Changes) -> String {
    let topics = Topic::ALL.into_iter().filter(|topic| changes.has(*topic));
    let mut words: Vec<String> = topics.map(|topic| format!("{topic:?}")).collect();
    match changes.changed_runs() {
        ChangedRuns::These(runs) if runs.is_empty() => {}
        ChangedRuns::These(runs) => words.push(format!("{} settled", runs.len())),
        ChangedRuns::Any => words.push("any settled".to_owned()),
    }
    words.join(", ")
}

/// A Run that this claim holds.
async fn claimed(world: &World) -> (Run, Lease) {
    let run = world.store.claim(node(), at(8), at(60), 1).await.unwrap().pop().unwrap();
    let lease = run.lease.unwrap();
    (run, lease)
}

store::on_both! {
    async fn each_batch_tells_what_it_changed(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut told = Told::by(&world.store);
        world.apply(vec![put("a", 1)]).await;
        assert_eq!(told.lines(), ["Events, Brain"]);
        world.store.append_events(&[event("e")]).await.unwrap();
        assert_eq!(told.lines(), ["Events"]);
        world.store.start_run(&queued("a"), &[]).await.unwrap();
        assert_eq!(told.lines(), ["Queue"]);
        let (run, lease) = claimed(&world).await;
        assert_eq!(told.lines(), [""; 0], "nobody waits for a claim");
        assert!(world.store.requeue_run(run.run_id, lease, at(5), 2, None).await.unwrap());
        assert_eq!(told.lines(), ["Queue"]);
        assert!(!world.store.requeue_run(run.run_id, lease, at(5), 2, None).await.unwrap());
        assert_eq!(told.lines(), [""; 0], "nothing was changed");
        let (run, lease) = claimed(&world).await;
        let waiting = Waiting::Time { step: 1, until: at(7) };
        assert!(world.store.suspend_run(run.run_id, lease, &waiting).await.unwrap());
        assert_eq!(told.lines(), ["Queue, 1 settled"]);
        world.store.wake_runs(at(8)).await.unwrap();
        assert_eq!(told.lines(), ["Queue"]);
        let (run, _) = claimed(&world).await;
        world.store.request_cancel(run.run_id, &Actor::CommandLine, at(9), &Scope::All).await.unwrap();
        assert_eq!(told.lines(), ["Cancels"], "its node ends it");
        assert!(world.store.finish_run(&succeeded(&run), Durability::Process).await.unwrap());
        assert_eq!(told.lines(), ["1 settled"]);
        let waiting = queued("a");
        world.store.start_run(&waiting, &[]).await.unwrap();
        world.store.request_cancel(waiting.run_id, &Actor::CommandLine, at(9), &Scope::All).await.unwrap();
        assert_eq!(told.lines(), ["Queue", "Events, 1 settled"], "it has ended");
    }

    async fn a_run_that_gives_its_concurrency_key_back_changes_the_queue(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut run = waited("a", node());
        run.how.concurrency = Some(Concurrency { key: "k".to_owned(), limit: 1 });
        world.store.start_run(&run, &[]).await.unwrap();
        let mut told = Told::by(&world.store);
        let finished = Finished { is_limited: true, ..succeeded(&run) };
        assert!(world.store.finish_run(&finished, Durability::Process).await.unwrap());
        assert_eq!(told.lines(), ["Queue, 1 settled"]);
    }

    async fn whoever_stops_waiting_for_a_batch_still_has_it_told(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut told = Told::by(&world.store);
        // Durable and many rows, so that it is handed over to others.
        let events: Vec<_> = (0..100).map(|number| event(&format!("e{number}"))).collect();
        let store = world.store.clone();
        {
            let mut writing = std::pin::pin!(store.append_events(&events));
            let polled = std::future::poll_fn(|context| {
                std::task::Poll::Ready(writing.as_mut().poll(context).is_ready())
            });
            polled.await;
        }
        loop {
            told.next().await;
            if world.store.newest_event().await.unwrap() == 100 {
                return;
            }
        }
    }
}

/// Two processes of one database, both listening.
async fn two() -> (TestDatabase, [(Store, Told); 2]) {
    let database = TestDatabase::postgres().await;
    let mut both = Vec::new();
    for _ in 0..2 {
        let store = Store::open(database.location()).await.unwrap();
        let mut told = Told::by(&store);
        let listening = store.clone();
        tokio::spawn(async move { listening.listen().await });
        assert_eq!(told.next().await, Changes::everything(), "what was missed before nobody knows");
        assert!(store.receives_notifications());
        both.push((store, told));
    }
    let [first, second] = both.try_into().map_err(|_| "there are two").unwrap();
    (database, [first, second])
}

async fn finish(store: &Store) -> RunId {
    let run = waited("a", node());
    store.start_run(&run, &[]).await.unwrap();
    store.finish_run(&succeeded(&run), Durability::Process).await.unwrap();
    run.run_id
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_process_hears_what_was_changed_and_nobody_hears_themselves() {
    let (_database, [(first, mut by_first), (second, mut by_second)]) = two().await;
    let run = finish(&first).await;
    assert_eq!(by_first.next().await.changed_runs(), &ChangedRuns::These(vec![run]));
    assert_eq!(by_second.next().await.changed_runs(), &ChangedRuns::These(vec![run]));
    second.append_events(&[event("e")]).await.unwrap();
    assert_eq!(line(&by_first.next().await), "Events", "and not first what it told itself");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_changes_in_quick_succession_is_reported_together() {
    let (_database, [(first, _by_first), (_second, mut by_second)]) = two().await;
    let mut left: Vec<RunId> = Vec::new();
    for _ in 0..20 {
        left.push(finish(&first).await);
    }
    let mut notifications = 0;
    while !left.is_empty() {
        let ChangedRuns::These(runs) = by_second.next().await.changed_runs().clone() else {
            panic!("too many")
        };
        left.retain(|run| !runs.contains(run));
        notifications += 1;
    }
    assert!(notifications < 20, "{notifications} notifications");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_ends_tells_others_first() {
    let (_database, [(first, _by_first), (_second, mut by_second)]) = two().await;
    let mut runs = Vec::new();
    for _ in 0..3 {
        runs.push(finish(&first).await);
    }
    first.close().await;
    while let Some(run) = runs.last() {
        let ChangedRuns::These(settled) = by_second.next().await.changed_runs().clone() else {
            panic!("too many")
        };
        assert!(settled.contains(run) || runs.iter().any(|run| settled.contains(run)));
        runs.retain(|run| !settled.contains(run));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_connection_is_made_again_and_everything_counts_as_changed() {
    let (database, [(first, _by_first), (second, mut by_second)]) = two().await;
    for _ in 0..2 {
        database
            .execute("select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen selfmade'")
            .await;
        assert_eq!(by_second.next().await, Changes::everything());
        assert!(second.receives_notifications());
    }
    let run = waited("a", node());
    first.start_run(&run, &[]).await.unwrap();
    first.finish_run(&succeeded(&run), Durability::Process).await.unwrap();
    let settled = by_second.next_but_everything().await;
    assert_eq!(settled.changed_runs(), &ChangedRuns::These(vec![run.run_id]), "{}", json!(line(&settled)));
}

#[tokio::test]
async fn on_sqlite_there_is_nobody_to_listen_to() {
    let database = TestDatabase::sqlite();
    let store = Store::open(database.location()).await.unwrap();
    store.listen().await;
    assert!(!store.receives_notifications());
}
