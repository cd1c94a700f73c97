//! Budgets: what runs spend on models is within the limits above them, whatever happens at once or is lost.

use std::sync::Arc;
use std::time::Duration;

use model::access::actor::Actor;
use model::access::grantable::Grantable;
use model::access::scope::Scope;
use model::access::token::TokenRole;
use model::access::{Access, Authority};
use model::budget::{DayLimits, Limits, Money};
use model::event::{Event, EventKind};
use model::ids::{RunId, TokenId};
use model::run::{Ending, Run, RunState};
use sandbox::{HostError, Value};
use serde_json::{Value as Json, json};
use server::app::budgets::{self, RunSpending};
use server::app::runs::{self, StartRun, replay};
use store::testing::{Fault, TestDatabase};
use store::{Location, on_both};

use super::model_server::{ModelServer, READ};
use super::script::{Asking, Stage, empty, raised, request};
use crate::world::{ME, name};

/// What a request of `asked` reserves at most: its bytes, and what it may write.
const WRITTEN: i64 = 30;

fn chat(most: Option<i64>) -> Value {
    // Longer than what the model says that it has read.
    let message =
        Value::Map(vec![("role".to_owned(), "user".into()), ("content".to_owned(), "Say yes or no.".into())]);
    let mut request = vec![("messages".to_owned(), Value::List(vec![message]))];
    request.extend(most.map(|most| ("max_tokens".to_owned(), Value::Int(most))));
    Value::Map(request)
}

async fn asked(host: &Asking) -> Result<Value, HostError> {
    host.verb("model.complete", vec![chat(Some(WRITTEN))]).await
}

fn error(error: &HostError) -> sandbox::Exception {
    match error {
        HostError::Exhausted(message) => raised("selfmade.BudgetExhausted", message),
        other => raised("Unexpected", &format!("{other:?}")),
    }
}

fn tokens(tokens: u64) -> Limits {
    Limits { tokens: Some(tokens), ..Limits::default() }
}

fn turns(turns: u64) -> Limits {
    Limits { turns: Some(turns), ..Limits::default() }
}

/// A stage with a model. `helper` asks it once; `build` does what the test says.
async fn stage(database: &TestDatabase, days: DayLimits) -> (Stage, ModelServer) {
    let model = ModelServer::start().await;
    let url = model.url.clone();
    let stage = Stage::configured(database, |config| {
        config.engine.model.url = Some(url);
        config.engine.model.price = Some("1/1/1".parse().unwrap());
        config.engine.days = days;
    })
    .await;
    stage.register("@selfmade.function(model=True)\ndef helper():\n    return None\n").await;
    stage
        .register("@selfmade.function(model=True, brain=\"propose\")\ndef build():\n    return None\n")
        .await;
    stage.script.part("helper", |_, host| async move { asked(&host).await.map_err(|why| error(&why)) });
    (stage, model)
}

fn within(function: &str, budget: Limits) -> StartRun {
    StartRun { budget, ..request(function, empty()) }
}

async fn start(stage: &Stage, function: &str, budget: Limits) -> Run {
    runs::start(&stage.ctx, &ME, within(function, budget)).await.unwrap()
}

async fn spending(stage: &Stage, run: RunId) -> RunSpending {
    budgets::of_run(&stage.ctx, &ME, run).await.unwrap().expect("something was spent")
}

async fn told(stage: &Stage) -> Vec<Event> {
    let events = stage.ctx.store.events_after(0, 1_000).await.unwrap();
    events.into_iter().filter(|event| event.fact.kind == EventKind::BudgetExhausted).collect()
}

/// A token that may do everything with these functions.
fn narrow(patterns: &[&str]) -> Access {
    let holder = Actor::Token(TokenId(uuid::Uuid::from_u128(7)));
    let authority = Authority {
        holder: holder.clone(),
        role: TokenRole::Builder,
        only: Scope::of_patterns(patterns.iter().map(ToString::to_string).collect()),
        uses: Scope::none(),
        grants: Grantable::none(),
    };
    Access { actor: holder, authority: Arc::new(authority) }
}

on_both! {
    async fn what_a_model_costs_is_recorded_for_the_run_and_all_above_it(database: &TestDatabase) {
        let (stage, model) = stage(database, DayLimits::default()).await;
        stage.script.part("build", |_, host| async move {
            asked(&host).await.map_err(|why| error(&why))?;
            host.verb("run", vec!["helper".into()]).await.map_err(|why| error(&why))
        });
        let run = start(&stage, "build", Limits::default()).await;
        assert_eq!(run.state, RunState::Succeeded, "{:?}", run.error);
        let spending = spending(&stage, run.run_id).await;
        let each = READ + WRITTEN as u64;
        assert_eq!((spending.own.amounts.tokens, spending.total.amounts.tokens), (each, 2 * each));
        assert_eq!((spending.total.usage.input, spending.total.usage.output), (2 * READ, 60));
        assert_eq!((spending.total.amounts.money, spending.total.amounts.turns), (Money(2 * each), 2));
        assert_eq!(model.asked().len(), 2);
        assert_eq!(stage.ctx.store.open_reservations().await.unwrap(), []);
        stage.close().await;
    }

    async fn twenty_children_in_parallel_never_exceed_what_their_parent_has(database: &TestDatabase) {
        const CAP: u64 = 700;
        let (stage, model) = stage(database, DayLimits::default()).await;
        stage.script.part("build", |_, host| async move {
            let children = (1..=20).map(|lane| {
                let host = host.clone();
                async move {
                    let lane = format!("main/{lane}");
                    host.verb_in(&lane, "run", vec!["helper".into()]).await.is_ok()
                }
            });
            let answered = futures_all(children).await;
            Ok(Value::Int(answered.into_iter().filter(|answered| *answered).count() as i64))
        });
        let run = start(&stage, "build", tokens(CAP)).await;
        assert_eq!(run.state, RunState::Succeeded, "{:?}", run.error);
        let answered = run.output.unwrap().as_u64().unwrap();
        let each = READ + WRITTEN as u64;
        assert_eq!(model.asked().len() as u64, answered, "what was refused was not asked");
        assert!(answered > 0 && answered * each <= CAP, "{answered} of 20 were answered");
        let spending = spending(&stage, run.run_id).await;
        assert_eq!((spending.total.amounts.tokens, spending.reserved.tokens), (answered * each, 0));
        assert!((5..20).contains(&answered), "{answered}: the rest had no room");
        assert_eq!(told(&stage).await.len(), 1, "people are told once");
        assert_eq!(stage.ctx.store.open_reservations().await.unwrap(), []);
        stage.close().await;
    }

    async fn what_the_code_hears_is_typed_and_says_whose_budget_it_is(database: &TestDatabase) {
        let (stage, _model) = stage(database, DayLimits::default()).await;
        stage.script.part("build", |_, host| async move {
            asked(&host).await.map_err(|why| error(&why))?;
            asked(&host).await.map_err(|why| error(&why))
        });
        let run = start(&stage, "build", turns(1)).await;
        let failed = run.error.unwrap();
        assert_eq!(failed.type_name, "selfmade.BudgetExhausted");
        let says = format!("the budget of run {} of `build` has no room for 1 turn: of 1 turn, 1 turn is spent or reserved", run.run_id);
        assert!(failed.message.starts_with(&says), "{}", failed.message);
        let told = told(&stage).await;
        assert_eq!((told[0].fact.source.as_str(), &told[0].fact.data["dimension"]), ("build", &json!("turns")));
        // It is replayed as it was recorded.
        let replayed = replay::replay(&stage.ctx, &ME, run.run_id, |_, _| ()).await.unwrap();
        assert!(replayed.same, "{replayed:?}");
        stage.close().await;
    }

    async fn a_run_that_is_resumed_or_replayed_spends_nothing_again(database: &TestDatabase) {
        let (stage, model) = stage(database, DayLimits::default()).await;
        stage.script.part("build", |_, host| async move {
            let answer = asked(&host).await.map_err(|why| error(&why))?;
            host.verb("sleep", vec![Value::Int(60)]).await.unwrap();
            Ok(answer)
        });
        let run = start(&stage, "build", turns(1)).await;
        assert_eq!(run.state, RunState::Waiting);
        stage.work();
        stage.ctx.clock.advance(Duration::from_secs(61));
        let run = stage.until(run.run_id, RunState::Succeeded).await;
        assert!(replay::replay(&stage.ctx, &ME, run.run_id, |_, _| ()).await.unwrap().same);
        assert_eq!((stage.executions(), model.asked().len()), (3, 1));
        assert_eq!(spending(&stage, run.run_id).await.total.amounts.turns, 1);
        stage.close().await;
    }

    async fn a_server_that_dies_before_the_answer_leaves_what_was_reserved_as_spent(database: &TestDatabase) {
        let (stage, model) = stage(database, DayLimits::default()).await;
        stage.script.part("build", |_, host| async move { asked(&host).await.map_err(|why| error(&why)) });
        model.keep_silent(1);
        let run = runs::queue(&stage.ctx, &ME, within("build", turns(2))).await.unwrap();
        stage.work();
        model.is_asked().await;
        let lost = stage.ctx.store.open_reservations().await.unwrap();
        assert!(lost.iter().any(|(reserved, _)| *reserved == run.run_id));
        // Another server finds that the first one says nothing any more.
        let url = model.url.clone();
        let other = Stage::configured(database, |config| {
            config.engine.model.url = Some(url);
            config.engine.model.price = Some("1/1/1".parse().unwrap());
        }).await;
        other.script.part("build", |_, host| async move { asked(&host).await.map_err(|why| error(&why)) });
        server::engine::give_up(&stage.ctx);
        drop(stage);
        other.ctx.clock.advance(Duration::from_secs(120));
        other.work();
        // It hears of the first one only by looking, from time to time.
        let run = loop {
            let found = runs::get(&other.ctx, &ME, run.run_id).await.unwrap();
            if found.state.is_final() {
                break found;
            }
            pass(&other).await;
        };
        assert_eq!(run.state, RunState::Succeeded, "{:?}", run.error);
        let spending = spending(&other, run.run_id).await;
        assert_eq!((model.asked().len(), spending.total.amounts.turns), (2, 2), "the lost one counts");
        assert_eq!(spending.total.usage.output, WRITTEN as u64, "and was not measured");
        assert_eq!(other.ctx.store.open_reservations().await.unwrap(), []);
        other.close().await;
    }

    async fn a_person_grants_more_and_the_run_goes_on(database: &TestDatabase) {
        let (stage, model) = stage(database, DayLimits::default()).await;
        stage.script.part("build", |_, host| async move {
            asked(&host).await.map_err(|why| error(&why))?;
            assert!(asked(&host).await.is_err());
            let more = vec!["One more.".into(), Value::None, Value::None, Value::Int(3)];
            let granted = host.verb("ask_budget", more).await.map_err(|why| error(&why))?;
            asked(&host).await.map_err(|why| error(&why))?;
            Ok(granted)
        });
        let run = start(&stage, "build", turns(1)).await;
        assert_eq!(run.state, RunState::Waiting, "{:?}", run.error);
        let answer = async |access: &Access, value: Json| {
            runs::answer(&stage.ctx, access, run.run_id, value).await
        };
        assert_eq!(answer(&ME, json!("maybe")).await.unwrap_err().code(), "bad_input");
        assert_eq!(answer(&narrow(&["other"]), json!("yes")).await.unwrap_err().code(), "run_not_found");
        answer(&ME, json!({"turns": 1})).await.unwrap();
        stage.work();
        let run = stage.until(run.run_id, RunState::Succeeded).await;
        assert_eq!((run.output, model.asked().len()), (Some(json!({"turns": 1})), 2));
        assert_eq!(spending(&stage, run.run_id).await.limits, turns(2));
        let audit = stage.ctx.store.audit(None, 1).await.unwrap();
        assert_eq!(audit[0].verb, "run.extend");
        stage.close().await;
    }

    async fn a_run_is_extended_with_those_above_it(database: &TestDatabase) {
        let (stage, _model) = stage(database, DayLimits::default()).await;
        stage.script.part("build", |_, host| async move {
            host.verb("run", vec!["helper".into()]).await.map_err(|why| error(&why))
        });
        stage.script.part("helper", |_, host| async move {
            assert!(asked(&host).await.is_err());
            let more = vec!["I have nothing.".into(), Value::None, Value::None, Value::Int(1)];
            host.verb("ask_budget", more).await.map_err(|why| error(&why))?;
            asked(&host).await.map_err(|why| error(&why))
        });
        let run = runs::queue(&stage.ctx, &ME, within("build", turns(0))).await.unwrap();
        stage.work();
        let child = loop {
            let waiting = store::RunFilter { states: vec![RunState::Waiting], ..Default::default() };
            if let Some(child) = runs::list(&stage.ctx, &ME, waiting, 1).await.unwrap().pop() {
                break child;
            }
            tokio::task::yield_now().await;
        };
        let nothing = budgets::extend(&stage.ctx, &ME, child.run_id, tokens(5)).await.unwrap_err();
        assert!(nothing.to_string().contains("has no limit of what is to be added"), "{nothing}");
        let hidden = budgets::extend(&stage.ctx, &narrow(&["x"]), child.run_id, turns(1)).await.unwrap_err();
        assert_eq!(hidden.code(), "run_not_found");
        // Whoever may touch the child alone raises nothing above it.
        let narrowly = budgets::extend(&stage.ctx, &narrow(&["helper"]), child.run_id, turns(1)).await;
        assert!(narrowly.is_err(), "{narrowly:?}");
        budgets::extend(&stage.ctx, &ME, child.run_id, turns(1)).await.unwrap();
        runs::answer(&stage.ctx, &ME, child.run_id, json!("no")).await.unwrap();
        stage.until(run.run_id, RunState::Succeeded).await;
        assert_eq!(spending(&stage, run.run_id).await.limits, turns(1));
        let ended = budgets::extend(&stage.ctx, &ME, run.run_id, turns(1)).await.unwrap_err();
        assert_eq!(ended.code(), "run_ended");
        stage.close().await;
    }

    async fn a_day_has_an_end(database: &TestDatabase) {
        let days = DayLimits { brain: turns(3), agents: vec![(name("build"), turns(1))] };
        let (stage, _model) = stage(database, days).await;
        stage.script.part("build", |_, host| async move {
            host.verb("run", vec!["helper".into()]).await.map_err(|why| error(&why))
        });
        let message = async |function: &str| {
            let run = start(&stage, function, Limits::default()).await;
            run.error.map(|error| error.message).unwrap_or_default()
        };
        assert_eq!(message("build").await, "");
        let says = message("build").await;
        assert!(says.contains("the budget of `build` for 2026-03-01 has no room for 1 turn"), "{says}");
        assert_eq!((message("helper").await, message("helper").await), (String::new(), String::new()));
        let says = message("helper").await;
        assert!(says.contains("the brain's budget for 2026-03-01 has no room"), "{says}");
        stage.ctx.clock.advance(Duration::from_secs(86_400));
        assert_eq!(message("helper").await, "");
        stage.close().await;
    }

    async fn a_narrow_token_learns_nothing_of_what_others_spend(database: &TestDatabase) {
        let days = DayLimits { brain: turns(1), ..DayLimits::default() };
        let (stage, _model) = stage(database, days).await;
        start(&stage, "helper", Limits::default()).await;
        let run = runs::start(&stage.ctx, &narrow(&["helper"]), request("helper", empty())).await.unwrap();
        assert_eq!(run.error.unwrap().message, "a budget that this run shares has no room for 1 turn");
        let told = told(&stage).await;
        let shown = told[0].fact.data.to_string();
        assert!(!shown.contains("limit") && !shown.contains("spent"), "{shown}");
        stage.close().await;
    }

    async fn what_is_left_open_is_stated_where_a_budget_limits_it(database: &TestDatabase) {
        let (stage, model) = stage(database, DayLimits::default()).await;
        stage.script.part("build", |_, host| async move {
            host.verb("model.complete", vec![chat(None)]).await.map_err(|why| error(&why))
        });
        start(&stage, "build", Limits::default()).await;
        let run = start(&stage, "build", Limits { money: Some(Money(200)), ..Limits::default() }).await;
        assert_eq!(run.state, RunState::Succeeded, "{:?}", run.error);
        let asked = model.asked();
        assert_eq!(asked[0].get("max_tokens"), None);
        let stated = asked[1]["max_tokens"].as_u64().unwrap();
        assert!((50..180).contains(&stated), "{stated}");
        assert!(spending(&stage, run.run_id).await.total.amounts.money <= Money(200));
        stage.close().await;
    }

    async fn money_is_limited_only_where_the_price_is_known(database: &TestDatabase) {
        let model = ModelServer::start().await;
        let url = model.url.clone();
        let stage = Stage::configured(database, |config| config.engine.model.url = Some(url)).await;
        stage.register("@selfmade.function(model=True)\ndef helper():\n    return None\n").await;
        stage.script.part("helper", |_, host| async move { asked(&host).await.map_err(|why| error(&why)) });
        let run = start(&stage, "helper", Limits { money: Some(Money(1_000_000)), ..Limits::default() }).await;
        assert!(run.error.unwrap().message.contains("`[model] price`"));
        assert_eq!(start(&stage, "helper", turns(1)).await.state, RunState::Succeeded);
        stage.close().await;
    }

    async fn depth_and_new_functions_are_counted(database: &TestDatabase) {
        let (stage, _model) = stage(database, DayLimits::default()).await;
        stage.register("@selfmade.function(brain=\"read\")\ndef outer():\n    return None\n").await;
        stage.script.part("outer", |_, host| async move {
            host.verb("run", vec!["build".into()]).await.map_err(|why| error(&why))
        });
        stage.script.part("build", |_, host| async move {
            host.verb("run", vec!["helper".into()]).await.map_err(|why| error(&why))
        });
        let deep = |depth| Limits { depth: Some(depth), ..Limits::default() };
        assert_eq!(start(&stage, "outer", deep(2)).await.state, RunState::Succeeded);
        let refused = start(&stage, "outer", deep(1)).await.error.unwrap().message;
        assert!(refused.contains("allows 1 level of runs below it"), "{refused}");
        stage.script.part("build", |_, host| async move {
            for function in ["one", "two"] {
                let source = format!("def {function}():\n    return 1\n");
                host.verb("brain.draft", vec![source.as_str().into()]).await.map_err(|why| error(&why))?;
            }
            host.verb("brain.propose", vec![]).await.map_err(|why| error(&why))
        });
        let new = |functions| Limits { functions: Some(functions), ..Limits::default() };
        let refused = start(&stage, "build", new(1)).await.error.unwrap();
        assert_eq!(refused.type_name, "selfmade.BudgetExhausted");
        let run = start(&stage, "build", new(2)).await;
        assert_eq!(run.state, RunState::Succeeded, "{:?}", run.error);
        assert_eq!(spending(&stage, run.run_id).await.total.amounts.functions, 2);
        stage.close().await;
    }

    async fn a_deadline_is_shared_downward(database: &TestDatabase) {
        let (stage, _model) = stage(database, DayLimits::default()).await;
        let seen: Arc<std::sync::Mutex<Vec<Duration>>> = Arc::default();
        let kept = Arc::clone(&seen);
        stage.script.part("helper", move |work, _| {
            kept.lock().unwrap().push(work.limits.wall);
            async { Ok(Value::None) }
        });
        let clock = stage.ctx.clock.clone();
        stage.script.part("build", move |_, host| {
            let clock = clock.clone();
            async move {
                clock.advance(Duration::from_secs(10));
                host.verb("run", vec!["helper".into()]).await.map_err(|why| error(&why))?;
                host.verb("sleep", vec![Value::Int(600)]).await.map_err(|why| error(&why))
            }
        });
        let seconds = Limits { seconds: Some(30), ..Limits::default() };
        let run = start(&stage, "build", seconds).await;
        assert_eq!((run.state, seen.lock().unwrap().clone()), (RunState::Waiting, vec![Duration::from_secs(20)]));
        stage.work();
        stage.ctx.clock.advance(Duration::from_secs(600));
        let run = loop {
            let found = runs::get(&stage.ctx, &ME, run.run_id).await.unwrap();
            if found.state.is_final() {
                break found;
            }
            tokio::task::yield_now().await;
        };
        let failed = run.error.unwrap();
        assert_eq!((run.state, failed.type_name.as_str()), (RunState::Failed, "selfmade.BudgetExhausted"));
        assert!(failed.message.contains("has no time left: its limit of 30 seconds was reached"), "{}", failed.message);
        assert_eq!(run.ending, None::<Ending>);
        stage.close().await;
    }
}

/// All of them, at once.
async fn futures_all<F: Future<Output = bool> + Send + 'static>(all: impl Iterator<Item = F>) -> Vec<bool> {
    let mut tasks = tokio::task::JoinSet::new();
    for one in all {
        tasks.spawn(one);
    }
    tasks.join_all().await
}

/// By this one the Runs have ended. There is no last one, because the queue is looked at after that, too.
const CALLS: u64 = 60;
/// A copy of a PostgreSQL database takes long, and which call fails is the same to both.
const STRIDE: usize = 5;

/// Each call to the database fails once, before it happens or so that its answer is lost: nothing stays reserved, and no limit is exceeded.
async fn faulty(database: &TestDatabase, fault: fn(u64) -> Fault) {
    let template = database.another().await;
    stage(&template, DayLimits::default()).await.0.close().await;
    let stride = if matches!(database.location(), Location::Sqlite(_)) { 1 } else { STRIDE };
    for n in (0..CALLS).step_by(stride) {
        let database = template.another_copied().await;
        let model = ModelServer::start().await;
        let url = model.url.clone();
        let stage = Stage::configured(&database, |config| config.engine.model.url = Some(url)).await;
        for function in ["build", "helper"] {
            stage.script.part(function, move |_, host| async move {
                for _ in 0..3 {
                    // The third has no room, or the second where a lost one counts.
                    asked(&host).await.ok();
                }
                if function == "build" {
                    host.verb("run", vec!["helper".into()]).await.map_err(|why| error(&why))?;
                }
                Ok(Value::None)
            });
        }
        stage.work();
        stage.ctx.store.fail_at(fault(n));
        let (ctx, budget) = (stage.ctx.clone(), turns(4));
        let started = tokio::spawn(async move { runs::queue(&ctx, &ME, within("build", budget)).await });
        while !started.is_finished() {
            pass(&stage).await;
        }
        let is_queued = started.await.unwrap().is_ok();
        let all = loop {
            let all = stage.ctx.store.runs(&Default::default(), 9).await.unwrap_or_default();
            if (!is_queued && all.is_empty())
                || (!all.is_empty() && all.iter().all(|run| run.state.is_final()))
            {
                break all;
            }
            pass(&stage).await;
        };
        stage.ctx.store.fail_at(None);
        assert_eq!(stage.ctx.store.open_reservations().await.unwrap(), [], "fault {n}");
        if let Some(parent) = all.iter().find(|run| run.parent.is_none()) {
            let spent = spending(&stage, parent.run_id).await.total.amounts.turns;
            let asked = model.asked().len() as u64;
            assert!(asked <= spent && spent <= 4, "fault {n}: {asked} were asked, and {spent} counted");
        }
        stage.close().await;
    }
}

async fn pass(stage: &Stage) {
    for _ in 0..8 {
        stage.ctx.store.quiet().await;
        tokio::task::yield_now().await;
    }
    stage.ctx.clock.advance(Duration::from_millis(100));
}

on_both! {
    on one thread;

    async fn a_call_that_fails_leaves_nothing_reserved(database: &TestDatabase) {
        faulty(database, Fault::Before).await;
    }

    async fn an_answer_that_is_lost_leaves_nothing_reserved(database: &TestDatabase) {
        faulty(database, Fault::After).await;
    }
}
