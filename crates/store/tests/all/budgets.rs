//! Budgets: reserved in a whole chain of accounts or in none, settled once, whatever is lost on the way.

use model::access::actor::Actor;
use model::access::audit::AuditRecord;
use model::budget::{
    Account, AccountId, Amounts, Chain, DayLimits, Limits, Money, Price, Spending, TokenUsage,
};
use model::event::{EventKind, NewEvent};
use model::ids::{AuditId, RunId};
use model::run::{How, Lease, Run, RunState, Waiting};
use serde_json::json;
use store::testing::TestDatabase;
use store::{Durability, Error, Finished, Prune, Reservation, Store};

use crate::ending::succeeded;
use crate::runs::{node, queued, waited};
use crate::steps::step;
use crate::world::{World, at, id};

fn tokens(tokens: u64) -> Amounts {
    Amounts { tokens, money: Money(tokens * 2), turns: 1, functions: 0 }
}

fn limit(tokens: u64) -> Limits {
    Limits { tokens: Some(tokens), ..Limits::default() }
}

fn under(parent: &Run, text: &str, budget: Limits) -> Run {
    let run = waited(text, node());
    Run {
        parent: Some(parent.run_id),
        how: How { budget, depth: parent.how.depth + 1, ..run.how.clone() },
        ..run
    }
}

fn with(budget: Limits) -> Run {
    let run = waited("parent", node());
    Run { how: How { budget, ..run.how.clone() }, ..run }
}

/// A chain as the server reads it.
async fn chain(store: &Store, run: RunId, days: &DayLimits) -> Chain {
    let links = store.budget_links(run).await.unwrap();
    let chain = Chain::new(links, days, at(5));
    let ids: Vec<AccountId> = chain.accounts.iter().map(|account| account.id.clone()).collect();
    chain.with(store.budget_accounts(&ids).await.unwrap())
}

async fn account(store: &Store, run: &Run) -> Account {
    let id = AccountId::Run(run.run_id);
    store.budget_accounts(&[id]).await.unwrap().pop().expect("the account is there")
}

async fn reserve(store: &Store, run: &Run, number: u32, amounts: Amounts) -> Result<bool, Error> {
    let chain = chain(store, run.run_id, &DayLimits::default()).await;
    let reservation = Reservation::of(&step(run.run_id, number, json!(null)), id(), amounts);
    store.reserve(&reservation, &chain.accounts, run.lease.unwrap(), at(5)).await
}

async fn settle(store: &Store, run: &Run, number: u32, spending: &Spending) -> Result<(), Error> {
    let step = step(run.run_id, number, json!(number));
    store.record_step_spending(&step, run.lease.unwrap(), spending).await
}

async fn started(world: &World, run: Run) -> Run {
    world.store.start_run(&run, &[]).await.unwrap();
    run
}

fn audit() -> AuditRecord {
    AuditRecord {
        audit_id: AuditId(id()),
        at: at(6),
        actor: Actor::CommandLine,
        verb: "run.extend".to_owned(),
        subject: "run".to_owned(),
        details: json!({}),
    }
}

fn told() -> NewEvent {
    NewEvent {
        kind: EventKind::BudgetExhausted,
        source: "parent".to_owned(),
        data: json!({}),
        actor: Actor::CommandLine,
        at: at(6),
    }
}

store::on_both! {
    async fn what_is_reserved_and_spent_counts_in_the_whole_chain(database: &TestDatabase) {
        let world = World::open(database).await;
        let parent = started(&world, with(limit(100))).await;
        let child = started(&world, under(&parent, "child", Limits::default())).await;
        let links = world.store.budget_links(child.run_id).await.unwrap();
        assert_eq!(links.iter().map(|link| link.run_id).collect::<Vec<_>>(), [child.run_id, parent.run_id]);
        assert_eq!((links[1].limits, links[0].depth), (limit(100), 1));
        assert!(reserve(&world.store, &child, 1, tokens(60)).await.unwrap());
        assert_eq!(account(&world.store, &parent).await.reserved, tokens(60));
        assert!(!reserve(&world.store, &parent, 1, tokens(41)).await.unwrap(), "60 of 100 are reserved");
        assert!(reserve(&world.store, &parent, 1, tokens(40)).await.unwrap());
        let price: Price = "1/1/1".parse().unwrap();
        let used = TokenUsage { input: 20, cached: 5, output: 10 };
        let cost = Amounts { tokens: 30, money: price.cost(used), turns: 1, functions: 0 };
        settle(&world.store, &child, 1, &Spending { amounts: cost, tokens: used }).await.unwrap();
        let found = account(&world.store, &parent).await;
        assert_eq!((found.spent, found.reserved, found.tokens), (cost, tokens(40), used));
        let day = AccountId::Brain(at(5).to_zoned(jiff::tz::TimeZone::UTC).date());
        let of_day = world.store.budget_accounts(&[day]).await.unwrap().pop().unwrap();
        assert_eq!((of_day.spent, of_day.reserved), (cost, tokens(40)));
        let own = world.store.budget_accounts(&[AccountId::Own(child.run_id)]).await.unwrap().pop().unwrap();
        assert_eq!(own.spent, cost);
        assert_eq!(world.store.steps(child.run_id).await.unwrap().len(), 1, "it was settled with its step");
        assert!(reserve(&world.store, &parent, 2, tokens(30)).await.unwrap(), "what was not spent is free");
    }

    async fn twenty_children_at_once_never_exceed_what_their_parent_has(database: &TestDatabase) {
        let world = World::open(database).await;
        let parent = started(&world, with(limit(100))).await;
        let mut asking = tokio::task::JoinSet::new();
        for number in 0..20_u64 {
            let child = started(&world, under(&parent, "child", limit(1_000))).await;
            let store = world.store.clone();
            asking.spawn(async move {
                let mut granted = 0;
                for step in 1..=3 {
                    if reserve(&store, &child, step, tokens(7)).await.unwrap() {
                        granted += 7;
                        // Some are measured, and others lost.
                        if number % 2 == 0 {
                            settle(&store, &child, step, &Spending::unmeasured(tokens(7))).await.unwrap();
                        }
                    }
                }
                store.finish_run(&succeeded(&child), Durability::Process).await.unwrap();
                granted
            });
        }
        let granted: u64 = asking.join_all().await.into_iter().sum();
        let found = account(&world.store, &parent).await;
        assert_eq!((granted, found.spent.tokens, found.reserved), (98, 98, Amounts::default()));
        assert_eq!(world.store.open_reservations().await.unwrap(), []);
    }

    async fn an_account_of_a_day_has_the_limit_that_is_configured_now(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = started(&world, with(Limits::default())).await;
        let days = |tokens| DayLimits {
            brain: limit(1_000),
            agents: vec![("parent".parse().unwrap(), limit(tokens)), ("other".parse().unwrap(), limit(0))],
        };
        let mut number = 0;
        let mut asked = async |days: DayLimits, amount: u64| {
            number += 1;
            let chain = chain(&world.store, run.run_id, &days).await;
            let reservation = Reservation::of(&step(run.run_id, number, json!(null)), id(), tokens(amount));
            world.store.reserve(&reservation, &chain.accounts, run.lease.unwrap(), at(5)).await.unwrap()
        };
        assert!(asked(days(50), 50).await);
        assert!(!asked(days(50), 1).await);
        assert!(asked(days(60), 10).await);
        assert!(!asked(days(60), 1).await);
    }

    async fn a_claim_that_was_lost_reserves_and_settles_nothing(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = started(&world, with(limit(100))).await;
        assert!(reserve(&world.store, &run, 1, tokens(10)).await.unwrap());
        let lease = Some(Lease { fence: 9, ..run.lease.unwrap() });
        let lost = Run { lease, ..run.clone() };
        let refused = reserve(&world.store, &lost, 2, tokens(10)).await.unwrap_err();
        assert!(matches!(refused, Error::GuardFailed { .. }), "{refused}");
        settle(&world.store, &lost, 1, &Spending::default()).await.unwrap_err();
        assert_eq!(account(&world.store, &run).await.reserved, tokens(10));
    }

    async fn a_step_that_is_executed_again_reserves_anew_and_the_first_counts_as_spent(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = started(&world, with(limit(100))).await;
        assert!(reserve(&world.store, &run, 1, tokens(30)).await.unwrap());
        let main = step(run.run_id, 1, json!(null)).lane;
        let first = world.store.reservation(run.run_id, &main, 1).await.unwrap().unwrap();
        assert!(reserve(&world.store, &run, 1, tokens(30)).await.unwrap());
        let found = account(&world.store, &run).await;
        assert_eq!((found.spent, found.reserved), (tokens(30), tokens(30)));
        let second = world.store.reservation(run.run_id, &main, 1).await.unwrap().unwrap();
        assert!(first.id != second.id && second.amounts == tokens(30));
        // One that does not fit leaves the first as it is.
        assert!(!reserve(&world.store, &run, 1, tokens(60)).await.unwrap());
        assert_eq!(account(&world.store, &run).await, found);
        settle(&world.store, &run, 1, &Spending::default()).await.unwrap();
        assert_eq!(account(&world.store, &run).await.used(), tokens(30));
        assert_eq!(world.store.reservation(run.run_id, &main, 1).await.unwrap(), None);
    }

    async fn what_a_run_leaves_reserved_is_spent_when_it_ends(database: &TestDatabase) {
        let world = World::open(database).await;
        let parent = started(&world, with(limit(100))).await;
        for (lost, ends) in [(false, "finished"), (true, "executed before and asked nothing"), (false, "cancelled")] {
            let child = started(&world, under(&parent, "child", Limits::default())).await;
            assert!(reserve(&world.store, &child, 1, tokens(10)).await.unwrap());
            let lease = child.lease.unwrap();
            if ends == "cancelled" {
                let waiting = Waiting::Time { step: 1, until: at(99) };
                assert!(world.store.suspend_run(child.run_id, lease, &waiting).await.unwrap());
                world.store.request_cancel(child.run_id, &Actor::CommandLine, at(7), &model::access::scope::Scope::All).await.unwrap();
            } else if lost {
                assert!(world.store.requeue_run(child.run_id, lease, at(6), 1, None).await.unwrap());
                let claimed = world.store.claim_run(child.run_id, lease.node, at(7), at(60)).await.unwrap().unwrap();
                let finished = Finished { may_be_journaled: false, ..succeeded(&claimed) };
                assert!(world.store.finish_run(&finished, Durability::Process).await.unwrap());
            } else {
                assert!(world.store.finish_run(&succeeded(&child), Durability::Process).await.unwrap());
            }
            assert_eq!(world.store.open_reservations().await.unwrap(), [], "{ends}");
        }
        let found = account(&world.store, &parent).await;
        assert_eq!((found.spent.tokens, found.reserved), (30, Amounts::default()));
        assert_eq!(found.tokens, TokenUsage::default(), "nobody measured it");
    }

    async fn people_are_told_once_until_the_limit_is_raised(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = started(&world, with(limit(10))).await;
        let events = async || world.store.events_after(0, 100).await.unwrap().len();
        let before = events().await;
        let accounts = [AccountId::Run(run.run_id)];
        for number in 1..=3 {
            let found = chain(&world.store, run.run_id, &DayLimits::default()).await;
            let account = found.run_account(run.run_id).unwrap();
            assert_eq!(account.is_told, number > 1);
            let step = step(run.run_id, number, json!(null));
            world.store.record_step_refused(&step, run.lease.unwrap(), account, &told()).await.unwrap();
        }
        assert_eq!((events().await - before, world.store.steps(run.run_id).await.unwrap().len()), (1, 3));
        let found = world.store.budget_accounts(&accounts).await.unwrap();
        let more = Limits { tokens: Some(5), money: Some(Money(9)), ..Limits::default() };
        world.store.extend_budgets(&found, &more, at(6), &audit()).await.unwrap();
        let found = account(&world.store, &run).await;
        assert_eq!((found.limits, found.is_told), (limit(15), false));
        let step = step(run.run_id, 4, json!(null));
        world.store.record_step_refused(&step, run.lease.unwrap(), &found, &told()).await.unwrap();
        assert_eq!(events().await - before, 2);
    }

    async fn a_deadline_refuses_and_more_time_counts_from_now(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = started(&world, with(Limits { seconds: Some(1), ..Limits::default() })).await;
        assert_eq!(run.created_at, at(2));
        assert!(!reserve(&world.store, &run, 1, tokens(1)).await.unwrap(), "the second is over");
        let found = chain(&world.store, run.run_id, &DayLimits::default()).await;
        let account_now = found.run_account(run.run_id).unwrap().clone();
        assert_eq!(account_now.deadline, Some(at(3)));
        let more = Limits { seconds: Some(10), depth: Some(1), ..Limits::default() };
        world.store.extend_budgets(std::slice::from_ref(&account_now), &more, at(5), &audit()).await.unwrap();
        let extended = account(&world.store, &run).await;
        let mut expected = account_now;
        expected.extend(&more, at(5));
        assert_eq!((extended.deadline, extended.limits), (Some(at(15)), expected.limits));
        assert_eq!(extended.deadline, expected.deadline);
        assert!(reserve(&world.store, &run, 1, tokens(1)).await.unwrap());
    }

    async fn an_answer_raises_the_limit_or_neither_happens(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = started(&world, with(limit(10))).await;
        let lease = run.lease.unwrap();
        let open = model::run::step::Step { finished_at: None, result: None, ..step(run.run_id, 1, json!(null)) };
        world.store.begin_step(&open, lease).await.unwrap();
        let waiting = Waiting::Person { step: 1, question: json!({}), until: None };
        world.store.suspend_run(run.run_id, lease, &waiting).await.unwrap();
        let found = chain(&world.store, run.run_id, &DayLimits::default()).await;
        let accounts = [found.run_account(run.run_id).unwrap().clone()];
        let granted = (accounts.as_slice(), &limit(5));
        let answer = async |position: u32| {
            let (answer, actor) = (json!({"tokens": 5}), Actor::CommandLine);
            world.store.answer_run_extending(run.run_id, position, &answer, &actor, at(6), granted, &audit()).await
        };
        assert!(!answer(2).await.unwrap());
        assert!(answer(1).await.unwrap());
        assert!(!answer(1).await.unwrap(), "it was answered");
        assert_eq!(account(&world.store, &run).await.limits, limit(15));
        let answered = world.store.step(run.run_id, 1).await.unwrap().unwrap();
        assert_eq!(answered.result, Some(json!({"tokens": 5})));
        assert_eq!(world.store.audit(None, 10).await.unwrap().len(), 1);
    }

    async fn accounts_of_a_run_go_with_it_and_those_of_a_day_stay(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = started(&world, with(limit(10))).await;
        assert!(reserve(&world.store, &run, 1, tokens(3)).await.unwrap());
        world.store.finish_run(&succeeded(&run), Durability::Process).await.unwrap();
        let prune = Prune { before: Some(at(999)), limit: 9, ..Prune::default() };
        assert_eq!(world.store.prune_runs(&prune).await.unwrap().runs, 1);
        let day = AccountId::Brain(at(5).to_zoned(jiff::tz::TimeZone::UTC).date());
        let ids = [AccountId::Run(run.run_id), AccountId::Own(run.run_id), day.clone()];
        let left: Vec<AccountId> =
            world.store.budget_accounts(&ids).await.unwrap().into_iter().map(|account| account.id).collect();
        assert_eq!(left, [day]);
    }

    async fn the_budget_of_a_run_is_part_of_its_record(database: &TestDatabase) {
        let world = World::open(database).await;
        let how = How { budget: Limits { money: Some(Money(500_000)), ..limit(7) }, is_bounded_above: true, ..How::default() };
        let run = Run { how, state: RunState::Queued, ..queued("a") };
        world.store.start_run(&run, &[]).await.unwrap();
        assert_eq!(world.store.run(run.run_id).await.unwrap().unwrap().how, run.how);
    }
}
