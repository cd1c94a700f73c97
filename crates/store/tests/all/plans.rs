//! Plans: SQLite chooses them without knowing how values are spread, so every statement about runs is asked for its plan,
//! and none may walk all of them.

use model::access::actor::Actor;
use model::access::scope::Scope;
use model::function::closure::{ClosureHash, Member};
use model::ids::{EntryId, RunId, TokenId, VersionId};
use model::run::call::Call;
use model::run::lane::Lane;
use model::run::{Concurrency, How, Run, RunState, Waiting};
use rusqlite::Connection;
use serde_json::json;
use store::testing::TestDatabase;
use store::{Durability, Finished, Firings, Prune, RunFilter, Store, WithdrawnRun};

use crate::calls::call;
use crate::ending::succeeded;
use crate::runs::{node, queued, run, waited};
use crate::steps::step;
use crate::world::{World, at, id, key, names};

/// The lines of a statement's plan.
fn plan(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(&format!("explain query plan {sql}")).unwrap();
    // Not all numbers need be there, and values do not matter.
    let lines = statement.raw_query().mapped(|row| row.get(3)).collect::<Result<_, _>>();
    lines.unwrap()
}

/// Whether a line walks all of a table, or all of an index that holds every run, or all runs of a state: only those
/// that run are few.
fn walks(sql: &str, line: &str) -> bool {
    if line.contains("runs_state (state=?)") {
        return !sql.contains("where state = 'running'");
    }
    const WHOLE: [&str; 4] = ["runs_name", "runs_state", "runs_actor", "sqlite_autoindex_runs_1"];
    let Some(scanned) = line.strip_prefix("SCAN ") else { return false };
    let mut words = scanned.split(' ');
    let table = words.next().unwrap_or_default();
    let by_index = scanned.contains(" USING ") && !WHOLE.iter().any(|index| scanned.ends_with(index));
    TABLES.contains(&table) && !by_index
}

const TABLES: [&str; 9] =
    ["runs", "queued", "busy", "child", "steps", "call_chunks", "run_output", "firings", "ticks"];

/// How those begin that have to walk: all they read is the ids of the newest or oldest.
const ALLOWED: [&str; 3] = [
    "select run_id from runs order by run_id desc limit 1 offset $1",
    "select run_id from (select run_id from runs order by run_id desc limit $3) as newest",
    "select run_id from (select run_id from runs where (cast($4 as text) is null or ",
];

fn check(database: &TestDatabase, statements: &[&str]) {
    let connection = Connection::open(database.path()).unwrap();
    let mut checked = 0;
    let may_walk = |sql: &&&str| ALLOWED.iter().any(|allowed| sql.starts_with(allowed));
    for sql in statements.iter().filter(|sql| !may_walk(sql)) {
        let plan = plan(&connection, sql);
        let walking: Vec<&String> = plan.iter().filter(|line| walks(sql, line)).collect();
        assert!(walking.is_empty(), "{sql}\n{plan:#?}");
        checked += 1;
    }
    assert!(checked >= 30, "only {checked} statements were seen");
}

/// Sorted by an index, so that the first few are found without reading the rest.
fn sorts(database: &TestDatabase, sql: &str) -> bool {
    let connection = Connection::open(database.path()).unwrap();
    plan(&connection, sql).iter().any(|line| line.contains("TEMP B-TREE FOR ORDER BY"))
}

#[tokio::test]
async fn no_statement_about_runs_walks_all_of_them() {
    let database = TestDatabase::sqlite();
    let world = World::open(&database).await;
    execute(&world.store).await;
    trigger_and_schedule(&world.store).await;
    list(&world.store).await;
    let statements = world.store.statements();
    let about_runs: Vec<&str> = statements.into_iter().filter(|sql| sql.contains("runs")).collect();
    check(&database, &about_runs);
}

#[tokio::test]
async fn the_first_of_a_list_are_found_without_sorting_the_rest() {
    let database = TestDatabase::sqlite();
    let world = World::open(&database).await;
    list(&world.store).await;
    world.store.wake_runs(at(9)).await.unwrap();
    world.store.prune_runs(&Prune { before: Some(at(9)), limit: 9, ..Prune::default() }).await.unwrap();
    let statements = world.store.statements();
    let limited: Vec<&&str> =
        statements.iter().filter(|sql| sql.contains(" limit $") && !by_parent(sql)).collect();
    assert!(limited.len() >= 8, "{limited:?}");
    for sql in limited {
        assert!(!sorts(&database, sql), "{sql}");
    }
}

/// A run of a graph may have a hundred thousand executions, and one of them may give as many values.
#[tokio::test]
async fn a_page_of_node_executions_reads_no_others() {
    let database = TestDatabase::sqlite();
    let world = World::open(&database).await;
    let (store, run) = (&world.store, RunId(id()));
    store.graph_steps(run, None, 0, 9).await.unwrap();
    store.graph_steps(run, Some(&Lane::new("node/1").unwrap()), 0, 9).await.unwrap();
    store.graph_steps_at(run, &[1]).await.unwrap();
    store.graph_outputs(run, &[1]).await.unwrap();
    store.first_graph_outputs(run, &[1], 9).await.unwrap();
    let connection = Connection::open(database.path()).unwrap();
    let is_read = |line: &String| line.contains(" steps ") || line.contains(" graph_journal ");
    let mut read = 0;
    for sql in store.statements().iter().filter(|sql| sql.contains("position")) {
        for line in plan(&connection, sql).iter().filter(|line| is_read(line)) {
            assert!(line.starts_with("SEARCH") && line.contains("position"), "{sql}\n{line}");
            read += 1;
        }
    }
    assert_eq!(read, 6);
}

/// The children of one Run are few enough to be sorted.
fn by_parent(sql: &str) -> bool {
    sql.contains("where parent_run_id = $15")
}

#[test]
fn a_walk_over_runs_is_noticed() {
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch("create table runs (a, b); create index runs_some on runs (a) where b = 1")
        .unwrap();
    let walking = |sql: &str| plan(&connection, sql).iter().any(|line| walks(sql, line));
    assert!(walking("select * from runs where b = $1"));
    assert!(!walking("select a from runs where b = 1"));
    assert!(!walking("select * from runs where a = $1 and b = 1"));
}

/// Everything that happens to a run.
async fn execute(store: &Store) {
    let mine = node();
    store.node_started(mine, "n", "engine", at(1)).await.unwrap();
    store.nodes().await.unwrap();
    let members = [Member { version_id: VersionId(id()), live: true }];
    let how = How { idempotency_key: Some("k".to_owned()), ..How::default() };
    let first = Run { how, closure: Some(ClosureHash::of(&members)), ..queued("a") };
    store.start_run(&first, &members).await.unwrap();
    let concurrency = Some(Concurrency { key: "k".to_owned(), limit: 1 });
    let limited = Run { how: How { concurrency, ..How::default() }, ..queued("a") };
    store.start_run(&limited, &[]).await.unwrap();
    let claimed = store.claim(mine, at(9), at(60), 9).await.unwrap();
    let (one, two) = (&claimed[0], &claimed[1]);
    store.extend_leases(mine, &[one.run_id], at(9), at(70)).await.unwrap();
    store.lost_runs(at(99), &[node()]).await.unwrap();
    store.held_by(mine).await.unwrap();
    store.requeue_run(one.run_id, one.lease.unwrap(), at(9), 2, None).await.unwrap();
    store
        .suspend_run(two.run_id, two.lease.unwrap(), &Waiting::Time { step: 1, until: at(9) })
        .await
        .unwrap();
    store.wake_runs(at(10)).await.unwrap();
    let asks = waited("a", mine);
    store.start_run(&asks, &[]).await.unwrap();
    store.record_step(&step(asks.run_id, 1, json!(1)), asks.lease.unwrap()).await.unwrap();
    let question = Waiting::Person { step: 2, question: json!(1), until: None };
    store.suspend_run(asks.run_id, asks.lease.unwrap(), &question).await.unwrap();
    store.answer_run(asks.run_id, 2, &json!(1), &Actor::CommandLine, at(9)).await.unwrap();
    let ends = waited("a", mine);
    store.start_run(&ends, &[]).await.unwrap();
    let calls: Vec<Call> = vec![call(ends.run_id, 1, json!(1))];
    store.finish_run(&Finished { calls, ..succeeded(&ends) }, Durability::Process).await.unwrap();
    store.request_cancel(asks.run_id, &Actor::CommandLine, at(9), &Scope::All).await.unwrap();
    store.record_calls(&[call(ends.run_id, 9, json!(1))]).await.unwrap();
    store.calls(ends.run_id).await.unwrap();
    store.output(ends.run_id).await.unwrap();
    store.steps(ends.run_id).await.unwrap();
    store.run_tree(ends.run_id, &Scope::All).await.unwrap();
    store.chain_runs(ends.run_id).await.unwrap();
    let prune = Prune { before: Some(at(99)), max_bytes: Some(0), keep_newest: 1, limit: 1 };
    store.prune_runs(&prune).await.unwrap();
    store.prune_runs(&Prune { keep_newest: 0, ..prune }).await.unwrap();
}

async fn trigger_and_schedule(store: &Store) {
    let entry = EntryId(id());
    let firings =
        Firings { cursor: "c".to_owned(), to_seq: 1, runs: vec![queued("a")], ..Firings::default() };
    store.fire(&firings).await.unwrap();
    let taken = WithdrawnRun { entry_id: entry, seq: 1, run_id: RunId(id()), why: "later".to_owned() };
    let firings = Firings { from_seq: 1, to_seq: 2, runs: vec![], withdrawn: vec![taken], ..firings };
    store.fire(&firings).await.unwrap();
    store.firings_before(entry, Some(9), 9).await.unwrap();
    store.firing_counts(&[entry]).await.unwrap();
    store.firings(entry, at(0)).await.unwrap();
    store.last_firing(entry).await.unwrap();
    store.tick(entry, at(0), Some(&queued("a")), None, None).await.unwrap_err();
    store.ticks(entry, None, 9).await.unwrap();
    store.tick_counts(&[entry]).await.unwrap();
    store.last_tick(entry).await.unwrap();
    store.running_of_schedule(entry).await.unwrap();
}

/// Every way to look for runs.
async fn list(store: &Store) {
    store.record_runs(&[run(key("a")), run(key("ab"))]).await.unwrap();
    let none = RunFilter::default;
    let name = |text: &str| Some(text.to_owned());
    for filter in [
        none(),
        RunFilter { name: name("a"), ..none() },
        RunFilter { name: name("a"), states: vec![RunState::Failed], ..none() },
        RunFilter { name: name("a*"), ..none() },
        RunFilter { states: vec![RunState::Failed, RunState::Queued], ..none() },
        RunFilter { actor: Some(Actor::Token(TokenId(id()))), ..none() },
        RunFilter { actor: Some(Actor::Trigger(EntryId(id()))), ..none() },
        RunFilter { parent: Some(RunId(id())), ..none() },
        RunFilter { error: name("x"), since: Some(at(1)), ..none() },
    ] {
        for scope in [Scope::All, names(&["a", "b.*", "*c"])] {
            store.runs(&RunFilter { scope, ..filter.clone() }, 10).await.unwrap();
        }
    }
    store.run(RunId(id())).await.unwrap();
    for scope in [Scope::All, names(&["a", "b.*", "*c"])] {
        store.run_ids("0190", 5, &scope).await.unwrap();
        store.run_names(5, &scope).await.unwrap();
    }
    store.insights("a", at(0)).await.unwrap();
    store.run_durations("a").await.unwrap();
}
