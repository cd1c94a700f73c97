//! Non-interference: what lies outside a token's patterns changes nothing that the token can observe, and nothing that it does
//! reaches outside. Both are stated as properties over random brains and random requests to every route.

mod answers;
mod brains;
mod requests;

use model::access::token::TokenRole;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use store::testing::TestDatabase;

use self::brains::{Brain, Outside};
use self::requests::Request;

/// How many pairs of brains, and how many requests each of them gets. More find more: set `SELFMADE_TEST_CASES` when the tests are built.
const CASES: usize = 4;
const REQUESTS: usize = 120;

fn cases() -> usize {
    option_env!("SELFMADE_TEST_CASES").and_then(|text| text.parse().ok()).unwrap_or(CASES)
}

fn some<S: Strategy>(runner: &mut TestRunner, strategy: &S) -> S::Value {
    strategy.new_tree(runner).expect("the strategy makes values").current()
}

store::on_both! {
    async fn what_lies_outside_its_patterns_changes_nothing_a_token_sees(database: &TestDatabase) {
        let mut runner = TestRunner::deterministic();
        for case in 0..cases() {
            let role = TokenRole::ALL[case % TokenRole::ALL.len()];
            let (left, right) = (some(&mut runner, &Outside::any()), some(&mut runner, &Outside::any()));
            let (one, other) = (database.another().await, database.another().await);
            let (left, right) = (Brain::open(&one, role, &left).await, Brain::open(&other, role, &right).await);
            for n in 0..REQUESTS {
                let request = some(&mut runner, &Request::any());
                let (one, other) = (left.ask(&request).await, right.ask(&request).await);
                assert_eq!(one, other, "case {case}, request {n} by a {role}: {request:?}");
            }
            left.close().await;
            right.close().await;
        }
    }

    async fn nothing_that_a_token_does_reaches_outside(database: &TestDatabase) {
        let mut runner = TestRunner::deterministic();
        for case in 0..cases() {
            let role = TokenRole::ALL[case % TokenRole::ALL.len()];
            let outside = some(&mut runner, &Outside::any());
            let database = database.another().await;
            let brain = Brain::open(&database, role, &outside).await;
            let before = brain.outside().await;
            for n in 0..REQUESTS {
                let request = some(&mut runner, &Request::any());
                brain.ask(&request).await;
                let after = brain.outside().await;
                assert_eq!(before, after, "case {case}, request {n} by a {role}: {request:?}");
            }
            brain.close().await;
        }
    }

    async fn without_patterns_a_role_changes_only_what_it_is_for(database: &TestDatabase) {
        let mut runner = TestRunner::deterministic();
        for role in [TokenRole::Viewer, TokenRole::Runner] {
            let outside = some(&mut runner, &Outside::any());
            let database = database.another().await;
            let brain = Brain::open_wide(&database, role, &outside).await;
            let (entries, runs) = (brain.entries().await, brain.runs().await);
            for _ in 0..REQUESTS {
                let request = some(&mut runner, &Request::any());
                brain.ask(&request).await;
            }
            assert_eq!(entries, brain.entries().await, "a {role} changed the brain");
            if role == TokenRole::Viewer {
                assert_eq!(runs, brain.runs().await, "a viewer started or ended a run");
            }
            brain.close().await;
        }
    }

    async fn what_graphs_call_outside_changes_nothing_that_a_token_sees_of_their_runs(database: &TestDatabase) {
        let mut runner = TestRunner::deterministic();
        for role in TokenRole::ALL {
            let outside = some(&mut runner, &Outside::any());
            let (one, other) = (database.another().await, database.another().await);
            let mut left = Brain::open(&one, role, &outside).await;
            let mut right = Brain::open(&other, role, &outside).await;
            left.fill_graphs(1_001).await;
            right.fill_graphs(2_002).await;
            for request in (0..left.runs_inside()).flat_map(Request::of_run) {
                let (one, other) = (left.ask(&request).await, right.ask(&request).await);
                assert_eq!(one, other, "by a {role}: {request:?}");
                assert!(!one.1.to_string().contains("1001"), "by a {role}: {request:?} tells {}", one.1);
            }
            left.close().await;
            right.close().await;
        }
    }

    async fn nothing_that_a_token_does_with_runs_of_graphs_runs_anything_outside(database: &TestDatabase) {
        let mut runner = TestRunner::deterministic();
        for role in TokenRole::ALL {
            let outside = some(&mut runner, &Outside::any());
            let database = database.another().await;
            let mut brain = Brain::open(&database, role, &outside).await;
            brain.fill_graphs(1_001).await;
            brain.work();
            let before = brain.outside().await;
            for request in (0..brain.runs_inside()).flat_map(Request::of_run) {
                brain.ask(&request).await;
                brain.idle().await;
                assert_eq!(before, brain.outside().await, "by a {role}: {request:?}");
            }
            brain.close().await;
        }
    }
}
