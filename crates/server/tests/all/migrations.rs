//! Brains of older releases: what they hold is theirs by the authority of whoever made it.

use std::collections::BTreeMap;
use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use model::access::actor::Actor;
use model::access::grantable::Grantable;
use model::access::scope::Scope;
use model::access::token::TokenRole;
use model::access::{Access, Authority};
use model::function::FunctionDraft;
use model::ids::RunId;
use model::run::RunState;
use model::schedule::{Missed, Overlap, ScheduleContent, Times};
use model::trigger::TriggerContent;
use sandbox::Value;
use serde_json::{Map, json};
use server::app::changesets::Breakage;
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::functions::read_function;
use server::app::schedules::agenda::Agenda;
use server::app::tokens::{self, NewToken};
use server::app::{changesets, runs, schedules, triggers};
use store::RunFilter;
use store::testing::TestDatabase;
use tracing::field::{Field, Visit};

use crate::engine::script::{Asking, Stage, empty, raised, request};
use crate::world::{ME, name};

/// The last migration before records had an authority.
const BEFORE: &str = "0008_sealed_hosts";
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Collects what is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl tracing::Subscriber for Log {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() <= tracing::Level::WARN
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        struct Fields<'a>(&'a mut String);
        impl Visit for Fields<'_> {
            fn record_debug(&mut self, _: &Field, value: &dyn Debug) {
                writeln!(self.0, "{value:?}").unwrap();
            }
        }
        event.record(&mut Fields(&mut self.0.lock().unwrap()));
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

async fn token(stage: &Stage, name: &str, patterns: &[&str]) -> Access {
    let new = NewToken {
        name: name.to_owned(),
        role: TokenRole::Builder,
        patterns: patterns.iter().map(ToString::to_string).collect(),
        uses: Vec::new(),
        grants: None,
        expires_at: None,
    };
    Access::of_token(tokens::add(&stage.ctx, &ME, new).await.unwrap().0)
}

fn daily(target: &str) -> ScheduleContent {
    ScheduleContent {
        description: String::new(),
        times: Times::Cron("0 3 * * *".to_owned()),
        zone: "UTC".to_owned(),
        target: name(target),
        input: Map::new(),
        missed: Missed::Once,
        overlap: Overlap::Allow,
        paused: false,
    }
}

/// The functions `web.start` and `web.follow`, and `web.asks`, which waits for an answer and then runs what lies outside of `web`.
async fn filled(database: &TestDatabase) -> Stage {
    let stage = Stage::open(database).await;
    let bare = |of: &str| {
        let last = of.rsplit('.').next().unwrap();
        let draft = FunctionDraft::of_source(format!("def {last}():\n    return None\n"));
        Intent::function(FunctionDraft { name: Some(name(of)), ..draft })
    };
    let asks = "import selfmade\n\n@selfmade.function(brain=\"read\")\ndef asks():\n    return None\n";
    let asks = read_function(asks, "asks.py", Some(&name("web.asks"))).unwrap();
    let intents = vec![bare("web.start"), bare("web.follow"), bare("other"), asks];
    changesets::register(&stage.ctx, &ME, &Proposal::of("", intents)).await.unwrap();
    for last in ["start", "follow", "other"] {
        stage.script.part(last, |_, _| async { Ok(Value::Int(1)) });
    }
    stage.script.part("asks", |_, host: Asking| async move {
        host.verb("ask", vec!["go on?".into()]).await.unwrap();
        host.verb("run", vec!["other".into()]).await.map_err(|error| raised("Refused", &error.to_string()))
    });
    stage
}

/// A trigger and a schedule that somebody applied, and a run that they started, which waits.
async fn acts(stage: &Stage, access: &Access, who: &str) -> RunId {
    let content = TriggerContent::after("web.start", name("web.follow"));
    triggers::put(&stage.ctx, access, name(&format!("web.after_{who}")), content).await.unwrap();
    schedules::put(&stage.ctx, access, name(&format!("web.daily_{who}")), daily("web.follow")).await.unwrap();
    let run = runs::queue(&stage.ctx, access, request("web.asks", empty())).await.unwrap();
    server::triggers::drain(&stage.ctx).await.unwrap();
    stage.until(run.run_id, RunState::Waiting).await;
    run.run_id
}

/// Under whose authority `web.follow` ran, and how often.
async fn ran(stage: &Stage) -> BTreeMap<String, usize> {
    let filter = RunFilter { name: Some("web.follow".to_owned()), ..RunFilter::default() };
    let mut counts = BTreeMap::new();
    for run in runs::list(&stage.ctx, &ME, filter, 100).await.unwrap() {
        *counts.entry(serde_json::to_string(&*run.authority).unwrap()).or_default() += 1;
    }
    counts
}

fn authority(access: &Access, only: Scope, uses: Scope, grants: Grantable) -> Authority {
    Authority { holder: access.actor.clone(), role: TokenRole::Builder, only, uses, grants }
}

store::on_both! {
    async fn what_was_there_before_authority_goes_on_by_that_of_whoever_made_it(database: &TestDatabase) {
        let stage = filled(database).await;
        // Before, a token for all names might say so with a star.
        let wide = token(&stage, "wide", &["*"]).await;
        let narrow = token(&stage, "narrow", &["web.*"]).await;
        let gone = token(&stage, "gone", &[]).await;
        let browser = format!("browser-{}", "0".repeat(32));
        token(&stage, &browser, &[]).await;
        let waiting = [
            acts(&stage, &wide, "wide").await,
            acts(&stage, &narrow, "narrow").await,
            acts(&stage, &gone, "gone").await,
        ];
        tokens::remove(&stage.ctx, &ME, "gone").await.unwrap();
        let older = database.as_of(BEFORE).await;
        let again = stage.another(&older).await;
        stage.close().await;

        let known = tokens::list(&again.ctx, &ME).await.unwrap();
        let known: Vec<_> = known.iter().map(|token| (token.name.as_str(), &token.patterns, &token.uses, &token.grants)).collect();
        let patterns = vec!["web.*".to_owned()];
        assert_eq!(
            known,
            [("narrow", &patterns, &vec![], &Grantable::none()), ("wide", &vec![], &vec![], &Grantable::all())],
            "what a browser had instead of a session is gone"
        );
        let wide = authority(&wide, Scope::All, Scope::All, Grantable::all());
        let narrow = authority(&narrow, Scope::Names(patterns), Scope::none(), Grantable::none());
        let unknown = Authority::unknown(gone.actor.clone());

        let log = Log::default();
        let _logging = tracing::subscriber::set_default(log.clone());
        for run in waiting {
            runs::answer(&again.ctx, &ME, run, json!("yes")).await.unwrap();
        }
        server::triggers::drain(&again.ctx).await.unwrap();
        let due = [(&wide, ""), (&narrow, ", not `other`"), (&unknown, "a viewer may not do this")];
        for (run, (authority, refused)) in waiting.into_iter().zip(due) {
            let run = runs::get(&again.ctx, &ME, run).await.unwrap();
            assert_eq!(*run.authority, *authority);
            let expected = if authority.only.is_all() { RunState::Succeeded } else { RunState::Failed };
            assert_eq!(run.state, expected, "{:?}", run.error);
            let told = run.error.map(|error| error.message).unwrap_or_default();
            assert!(told.contains(refused), "{told} does not say: {refused}");
        }

        let actor = |authority: &Authority| serde_json::to_string(authority).unwrap();
        assert_eq!(ran(&again).await, BTreeMap::new());
        again.start("web.start", empty()).await.unwrap();
        server::triggers::drain(&again.ctx).await.unwrap();
        assert_eq!(ran(&again).await, BTreeMap::from([(actor(&wide), 1), (actor(&narrow), 1)]));
        let mut agenda = Agenda::default();
        agenda.round(&again.ctx).await.unwrap();
        again.ctx.clock.advance(DAY);
        agenda.round(&again.ctx).await.unwrap();
        assert_eq!(ran(&again).await, BTreeMap::from([(actor(&wide), 2), (actor(&narrow), 2)]));
        let log = log.0.lock().unwrap().clone();
        for entry in ["trigger `web.after_gone`", "schedule `web.daily_gone`"] {
            let told = format!("it is unknown who applied {entry}, so it starts nothing");
            assert!(log.contains(&told), "{told} is not in: {log}");
        }
        assert!(!log.contains("_wide") && !log.contains("_narrow"), "{log}");
        again.close().await;
    }

    async fn what_was_proposed_before_is_its_authors_and_is_applied_by_whoever_may(database: &TestDatabase) {
        let stage = filled(database).await;
        let narrow = token(&stage, "narrow", &["web.*"]).await;
        let draft = FunctionDraft::of_source("def added():\n    return 1\n");
        let draft = FunctionDraft { name: Some(name("web.added")), ..draft };
        let proposal = Proposal::of("", vec![Intent::function(draft)]);
        let number = changesets::propose(&stage.ctx, &narrow, &proposal).await.unwrap().number;
        let older = database.as_of(BEFORE).await;
        let again = stage.another(&older).await;
        stage.close().await;
        let found = changesets::find(&again.ctx, &ME, number).await.unwrap();
        assert_eq!((found.actor.clone(), found.authority.only.clone()), (narrow.actor.clone(), narrow.only().clone()));
        changesets::apply(&again.ctx, &narrow, number, Breakage::Refused).await.unwrap();
        assert!(matches!(found.actor, Actor::Token(_)));
        again.close().await;
    }
}
