//! What an Access reaches: through runs it starts, triggers it applies, functions it writes and what they propose.

use std::sync::Arc;

use model::access::actor::Actor;
use model::access::grantable::{Grant, Grantable};
use model::access::policy::ProposalPolicy;
use model::access::scope::Scope;
use model::access::token::TokenRole;
use model::access::{Access, Authority};
use model::changeset::ChangesetState;
use model::changeset::check::{Gate, Verdict};
use model::content::Content;
use model::function::FunctionDraft;
use model::ids::TokenId;
use model::python::{Declared, DeclaredDependency, Dialect};
use model::run::RunState;
use model::trigger::TriggerContent;
use sandbox::Value;
use server::app::changesets::Breakage;
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::changesets::{self, propose_by_policy};
use server::app::runs;
use server::app::runs::records;
use server::triggers::drain;
use store::testing::TestDatabase;

use crate::engine::script::{Asking, Stage, empty, raised, request};
use crate::world::{ME, World, answering, calling, decorated, delete, findings, key, name, source, trigger};

pub(crate) fn narrow(role: TokenRole, only: &[&str], uses: &[&str], grants: &[Grant]) -> Access {
    let names = |patterns: &[&str]| Scope::Names(patterns.iter().map(ToString::to_string).collect());
    let holder = Actor::Token(TokenId(uuid::Uuid::from_u128(7)));
    let grants = Grantable(grants.to_vec());
    let authority = Authority { holder: holder.clone(), role, only: names(only), uses: names(uses), grants };
    Access { actor: holder, authority: Arc::new(authority) }
}

fn text(text: &str) -> Value {
    Value::Str(text.to_owned())
}

/// A function that does whatever its caller wants, with all that a brain grants.
const ANYTHING: &str =
    "import selfmade\n\n@selfmade.function(brain=\"propose\")\ndef anything():\n    return None\n";

/// What `anything` hears when it asks for this.
async fn heard(stage: &Stage, access: &Access, verb: &'static str, arguments: &[&str]) -> String {
    let arguments: Vec<Value> = arguments.iter().map(|one| text(one)).collect();
    stage.script.part("anything", move |_, asking: Asking| {
        let arguments = arguments.clone();
        async move {
            let heard = asking.verb(verb, arguments).await;
            Err(raised("Heard", &format!("{heard:?}")))
        }
    });
    let run = runs::start(&stage.ctx, access, request("anything", empty())).await.unwrap();
    run.error.unwrap().message
}

async fn register(world: &World, access: &Access, intents: Vec<Intent>) -> Result<(), server::Error> {
    changesets::register(&world.ctx, access, &Proposal::of("", intents)).await.map(drop)
}

store::on_both! {
    async fn a_run_reaches_no_further_than_whoever_started_it(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.register(ANYTHING).await;
        stage.add(&["def other():\n    return 1\n"]).await;
        stage.script.part("other", |_, _| async { Ok(1.into()) });
        let runner = narrow(TokenRole::Runner, &["anything"], &[], &[]);
        for (verb, arguments) in [("run", ["other"]), ("babyagi.run", ["other"]), ("brain.read", ["other"])] {
            let refused = heard(&stage, &runner, verb, &arguments).await;
            assert!(refused.contains("this token may touch only `anything`, not `other`"), "{verb}: {refused}");
            let answered = heard(&stage, &ME, verb, &arguments).await;
            assert!(answered.starts_with("Ok("), "{verb}: {answered}");
        }
        assert_eq!(heard(&stage, &runner, "brain.search", &["other"]).await, "Ok(List([]))");
        let drafted = heard(&stage, &runner, "brain.draft", &["def more():\n    return 1\n"]).await;
        assert!(drafted.contains("it requires the role `builder`"), "{drafted}");
        stage.close().await;
    }

    async fn a_draft_calls_nothing_that_its_author_may_not_call(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.register(ANYTHING).await;
        stage.add(&["def other():\n    return 1\n"]).await;
        let builder = narrow(TokenRole::Builder, &["anything", "more"], &[], &[Grant::All]);
        for draft in [
            "def more():\n    return other()\n",
            "import selfmade\n\n@selfmade.function(dependencies=[\"other\"])\ndef more():\n    return 1\n",
        ] {
            stage.script.part("anything", move |_, asking: Asking| async move {
                asking.verb("brain.draft", vec![text(draft)]).await.unwrap();
                let heard = asking.verb("run", vec![text("more")]).await;
                Err(raised("Heard", &format!("{heard:?}")))
            });
            let run = runs::start(&stage.ctx, &builder, request("anything", empty())).await.unwrap();
            let heard = run.error.unwrap().message;
            assert!(heard.contains(", not `other`"), "{heard}");
        }
        stage.close().await;
    }

    async fn whoever_looks_on_sees_nothing_of_functions_outside(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        // It has a network, so it runs in a cell of its own.
        stage.register("import selfmade\n\n@selfmade.function(network=[\"a.example\"])\ndef other():\n    return 1\n").await;
        stage.add(&["def front():\n    return other()\n"]).await;
        let other = stage.ctx.store.live_version(&key("other")).await.unwrap().unwrap().head.version_id;
        stage.script.part("other", |_, asking| async move {
            asking.print("printed outside\n");
            Ok(1.into())
        });
        stage.script.part("front", move |_, asking: Asking| async move {
            asking.print("printed inside\n");
            let called = vec![text(&other.to_string()), Value::List(Vec::new()), Value::Map(Vec::new())];
            Ok(asking.verb("call", called).await.unwrap())
        });
        let seen_by = async |access: &Access| {
            let told = Arc::new(std::sync::Mutex::new(Vec::new()));
            let hears = Arc::clone(&told);
            let watch = move |_, happened| hears.lock().unwrap().push(format!("{happened:?}"));
            let run = runs::start(&stage.ctx, access, request("front", empty()).watched(watch)).await.unwrap();
            assert_eq!(run.output, Some(serde_json::json!(1)), "what its source calls stays callable");
            let told = told.lock().unwrap().join("\n");
            assert!(told.contains("printed inside"), "{told}");
            (told.contains("printed outside"), run.run_id)
        };
        assert!(seen_by(&ME).await.0);
        let runner = narrow(TokenRole::Runner, &["front"], &[], &[]);
        let (sees, run) = seen_by(&runner).await;
        assert!(!sees);
        let record = records::show(&stage.ctx, &runner, run).await.unwrap();
        let step = &record.steps[0];
        assert!(step.verb == "call" && step.request.is_null() && step.result.is_none() && step.child.is_none(), "{step:?}");
        assert!(records::show(&stage.ctx, &ME, run).await.unwrap().steps[0].child.is_some());
        stage.close().await;
    }

    async fn what_a_narrow_author_proposed_is_not_lent_the_reach_of_whoever_applies_it(database: &TestDatabase) {
        let world = World::open(database).await;
        let builder = narrow(TokenRole::Builder, &["web_*"], &[], &[]);
        let get = "@selfmade.function(network=[\"api.example.com\"])\ndef web_get(x=None):\n    return 1\n";
        let asked = register(&world, &builder, vec![decorated(get), trigger("web_t", "mail", "web_get")]).await;
        assert_eq!(asked.unwrap_err().code(), "needs_approval");
        changesets::apply(&world.ctx, &ME, 1, Breakage::Refused).await.unwrap();
        let head = world.ctx.store.versions(&crate::world::trigger_key("web_t")).await.unwrap().pop().unwrap();
        let appliers = world.ctx.store.appliers(&[head.entry_id]).await.unwrap();
        assert_eq!(appliers[&head.entry_id], *builder.authority);
    }

    async fn a_narrow_builder_speaks_for_no_webhook_of_others(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&["def inside(x=None):\n    pass\n"]).await;
        let builder = narrow(TokenRole::Builder, &["inside*"], &[], &[]);
        let waits = |senders| TriggerContent {
            on: model::trigger::on::On::Kind(model::event::EventKind::WebhookReceived),
            source: Some("*".to_owned()),
            senders,
            ..TriggerContent::after("", name("inside"))
        };
        server::app::triggers::put(&stage.ctx, &builder, name("inside_t"), waits(None)).await.unwrap();
        assert!(server::app::triggers::webhooks::find(&stage.ctx, "payments").await.is_err(), "it is not theirs");
        assert!(server::app::triggers::webhooks::find(&stage.ctx, "inside.payments").await.is_ok());
        let signed = waits(Some(model::trigger::senders::Senders::Secret("pay_key".to_owned())));
        let asked = server::app::triggers::put(&stage.ctx, &builder, name("inside_s"), signed).await.unwrap_err();
        assert!(asked.to_string().ends_with("needs what its author may not grant: secret pay_key"), "{asked}");
        stage.close().await;
    }

    async fn a_trigger_that_is_switched_keeps_whose_it_is(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&["def inside(x=None):\n    pass\n"]).await;
        let builder = narrow(TokenRole::Builder, &["inside*"], &[], &[]);
        let content = TriggerContent::after("inside", name("inside"));
        server::app::triggers::put(&stage.ctx, &builder, name("inside_t"), content).await.unwrap();
        for enabled in [false, true] {
            server::app::triggers::switch(&stage.ctx, &ME, name("inside_t"), enabled).await.unwrap();
        }
        let head = stage.ctx.store.versions(&crate::world::trigger_key("inside_t")).await.unwrap().pop().unwrap();
        let appliers = stage.ctx.store.appliers(&[head.entry_id]).await.unwrap();
        assert_eq!(appliers[&head.entry_id], *builder.authority);
        stage.close().await;
    }

    async fn whoever_changes_what_runs_in_the_cells_of_others_has_to_hold_their_grants(database: &TestDatabase) {
        let world = World::open(database).await;
        world.add(&["def web_util():\n    return 1\n"]).await;
        let mailer = "@selfmade.function(secrets=[\"mailkey\"])\ndef web_mailer():\n    return web_util()\n";
        world.register(vec![decorated(mailer)]).await.unwrap();
        let told = "needs what its author may not grant: secret mailkey";
        let builder = narrow(TokenRole::Builder, &["web_*"], &[], &[]);
        let asked = register(&world, &builder, vec![answering("web_util", 2)]).await.unwrap_err();
        assert!(asked.to_string().ends_with(told), "{asked}");
        let limited = Arc::new(Authority { grants: Grantable::none(), ..Authority::of_command_line() });
        let limited = Access { actor: Actor::CommandLine, authority: limited };
        let asked = register(&world, &limited, vec![answering("web_util", 3)]).await.unwrap_err();
        assert!(asked.to_string().ends_with(told), "{asked}");
        register(&world, &ME, vec![answering("web_util", 4)]).await.unwrap();
        // Named before it was there, by functions in BabyAGI's form.
        let later = narrow(TokenRole::Builder, &["later"], &[], &[]);
        let outside = FunctionDraft {
            dialect: Dialect::Babyagi,
            declared: Declared {
                dependencies: Some(vec![DeclaredDependency::parse("later").unwrap()]),
                ..Declared::default()
            },
            ..FunctionDraft::of_source("def pay():\n    return later()\n")
        };
        world.register(vec![Intent::function(outside)]).await.unwrap();
        let asked = register(&world, &later, vec![answering("later", 1)]).await.unwrap_err();
        assert!(asked.to_string().ends_with("is used by an entry that its author may not touch"), "{asked}");
    }

    async fn a_narrow_token_ends_nothing_that_others_triggers_started(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&["def inside(x=None):\n    pass\n", "def outside(x=None):\n    pass\n"]).await;
        let root = stage.queue("inside", empty()).await;
        let chained = stage.queue("outside", empty()).await;
        let chained = model::run::Run {
            run_id: stage.ctx.ids.run(),
            chain: model::run::chain::Chain { root: Some(root.run_id), fired: Vec::new() },
            ..chained
        };
        stage.ctx.store.record_runs(std::slice::from_ref(&chained)).await.unwrap();
        let runner = narrow(TokenRole::Runner, &["inside"], &[], &[]);
        assert_eq!(runs::cancel(&stage.ctx, &runner, root.run_id).await.unwrap(), [root.run_id]);
        let state = stage.ctx.store.run(chained.run_id).await.unwrap().unwrap().state;
        assert_eq!(state, RunState::Queued);
        stage.close().await;
    }

    async fn a_record_says_by_whose_authority_it_ran(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&["def one():\n    return 1\n"]).await;
        stage.script.part("one", |_, _| async { Ok(1.into()) });
        let runner = narrow(TokenRole::Runner, &["one"], &[], &[]);
        let run = runs::start(&stage.ctx, &runner, request("one", empty())).await.unwrap();
        let record = records::show(&stage.ctx, &ME, run.run_id).await.unwrap();
        assert!(record.under.ends_with("(runner, only one)"), "{}", record.under);
        assert_eq!(*record.run.authority, *runner.authority);
        stage.close().await;
    }

    async fn a_trigger_hears_what_its_applier_may_see_and_starts_what_they_may(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&["def inside(x=None):\n    pass\n", "def outside(x=None):\n    pass\n", "def inside_sink(x=None):\n    pass\n"]).await;
        for function in ["inside", "outside", "inside_sink"] {
            stage.script.part(function, |_, _| async { Ok(1.into()) });
        }
        let builder = narrow(TokenRole::Builder, &["inside*"], &[], &[]);
        for upstream in ["inside", "outside"] {
            let content = Content::Trigger(TriggerContent::after(upstream, name("inside_sink")));
            let intent = Intent::Put(name(&format!("inside_after_{upstream}")), content);
            changesets::register(&stage.ctx, &builder, &Proposal::of("", vec![intent])).await.unwrap();
        }
        stage.start("outside", empty()).await.unwrap();
        assert_eq!(drain(&stage.ctx).await.unwrap(), 0, "what runs outside is not heard");
        stage.start("inside", empty()).await.unwrap();
        assert_eq!(drain(&stage.ctx).await.unwrap(), 1);
        let all = runs::list(&stage.ctx, &ME, Default::default(), 10).await.unwrap();
        let started = all.iter().find(|run| run.key.name.as_str() == "inside_sink").unwrap();
        assert_eq!((&*started.authority, started.state), (&*builder.authority, RunState::Succeeded));
        let outside = TriggerContent::after("inside", name("outside"));
        let refused = server::app::triggers::put(&stage.ctx, &builder, name("inside_t"), outside).await.unwrap_err();
        assert_eq!(refused.code(), "forbidden");
        stage.close().await;
    }

    async fn a_narrow_builder_writes_only_its_names_out_of_what_it_may_use(database: &TestDatabase) {
        let world = World::open(database).await;
        world.add(&["def outside():\n    return 1\n", "def useful():\n    return 1\n"]).await;
        let builder = narrow(TokenRole::Builder, &["web_*"], &["useful"], &[]);
        register(&world, &builder, vec![calling("web_a", "useful")]).await.unwrap();
        let other = register(&world, &builder, vec![answering("outside", 2)]).await.unwrap_err();
        assert_eq!(other.code(), "forbidden");
        // Whether it is stored outside or nowhere makes no difference.
        let mut told = Vec::new();
        for callee in ["outside", "outsidf"] {
            let refused = register(&world, &builder, vec![calling("web_b", callee)]).await.unwrap_err();
            told.push(findings(&refused).join("\n").replace(callee, "X"));
        }
        assert_eq!(told[0], told[1]);
        assert!(told[0].contains("`X` is not defined, imported or stored"), "{}", told[0]);
    }

    /// BabyAGI's functions may name what is not stored, and find it once it is. So whether it is there changes nothing.
    async fn a_narrow_builder_calls_nothing_outside_in_babyagis_form_either(database: &TestDatabase) {
        let world = World::open(database).await;
        register(&world, &ME, vec![source("def outside():\n    return 1\n")]).await.unwrap();
        let builder = narrow(TokenRole::Builder, &["web_*"], &["text_*"], &[]);
        let calling = |called: &str| {
            let dependencies = Some(vec![DeclaredDependency::parse(called).unwrap()]);
            let declared = Declared { dependencies, ..Declared::default() };
            let text = format!("def web_f():\n    return {called}()\n");
            Intent::function(FunctionDraft {
                dialect: Dialect::Babyagi,
                declared,
                ..FunctionDraft::of_source(text)
            })
        };
        let mut told = Vec::new();
        for called in ["outside", "nowhere"] {
            let asked = register(&world, &builder, vec![calling(called)]).await.unwrap_err();
            assert_eq!(asked.code(), "needs_approval", "{called}: {asked}");
            told.push(asked.to_string().replace(called, "…"));
        }
        let numberless = |text: &String| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
        assert_eq!(numberless(&told[0]), numberless(&told[1]), "it does not tell which of them is there");
        for called in ["web_later", "text_later"] {
            register(&world, &builder, vec![calling(called)]).await.unwrap();
        }
    }

    async fn what_a_narrow_builder_may_not_give_is_proposed(database: &TestDatabase) {
        let world = World::open(database).await;
        let web = "@selfmade.function(secrets=[\"k\"], network=[\"api.example.com\"])\ndef web_get():\n    return 1\n";
        let builder = narrow(TokenRole::Builder, &["web_*"], &[], &[Grant::Secret("k".to_owned())]);
        let asked = register(&world, &builder, vec![decorated(web)]).await.unwrap_err();
        assert_eq!(asked.to_string(), "changeset 1 was proposed, not applied: `web_get` needs what its author may not grant: network api.example.com");
        assert_eq!(world.live_number(&key("web_get")).await, None);
        let again = changesets::apply(&world.ctx, &builder, 1, Breakage::Refused).await.unwrap_err();
        assert_eq!(again.code(), "needs_approval", "its author cannot apply it either");
        changesets::apply(&world.ctx, &ME, 1, Breakage::Refused).await.unwrap();
        assert_eq!(world.live_number(&key("web_get")).await, Some(1));
        // The code is the builder's now, and the grants are not theirs to give.
        let changed = web.replace("return 1", "return 2");
        let asked = register(&world, &builder, vec![decorated(&changed)]).await.unwrap_err();
        assert_eq!(asked.code(), "needs_approval");
        let enough = narrow(TokenRole::Builder, &["web_*"], &[], &[Grant::All]);
        register(&world, &enough, vec![decorated(&changed)]).await.unwrap();
    }

    async fn a_change_that_reaches_outside_is_proposed(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("web_util", 1), calling("web_mid", "web_util"), answering("web_own", 1)]).await.unwrap();
        world.register(vec![calling("report", "web_mid"), trigger("nightly", "report", "web_own")]).await.unwrap();
        let builder = narrow(TokenRole::Builder, &["web_*"], &[], &[]);
        let asked = register(&world, &builder, vec![answering("web_util", 2)]).await.unwrap_err();
        assert!(asked.to_string().ends_with("`web_util` is used by an entry that its author may not touch"), "{asked}");
        let asked = register(&world, &builder, vec![delete("web_own")]).await.unwrap_err();
        assert_eq!(asked.code(), "needs_approval");
        assert_eq!(world.live_number(&key("web_own")).await, Some(1));
        assert_eq!(world.live_number(&crate::world::trigger_key("nightly")).await, Some(1), "deleting does not reach outside");
        changesets::apply(&world.ctx, &ME, 4, Breakage::Refused).await.unwrap();
        assert_eq!(world.live_number(&crate::world::trigger_key("nightly")).await, None, "whoever covers it takes it along");
    }

    async fn a_narrow_token_sees_the_changesets_of_its_names_alone(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("web_a", 1)]).await.unwrap();
        world.register(vec![answering("mail", 1)]).await.unwrap();
        world.register(vec![answering("web_b", 1), answering("mail_b", 1)]).await.unwrap();
        let viewer = narrow(TokenRole::Viewer, &["web_*"], &[], &[]);
        let listed = changesets::list(&world.ctx, &viewer, Default::default(), 10).await.unwrap();
        assert_eq!(listed.iter().map(|line| line.summary.number).collect::<Vec<_>>(), [1]);
        assert!(changesets::show(&world.ctx, &viewer, 1).await.is_ok());
        for number in [2, 3, 4] {
            assert_eq!(changesets::show(&world.ctx, &viewer, number).await.unwrap_err().code(), "changeset_not_found");
        }
    }

    async fn what_a_run_proposes_asks_a_person_where_rights_grow_or_others_wrote(database: &TestDatabase) {
        let allowed = Scope::Names(vec!["allowed*".to_owned()]);
        let world = World::configured(database, |config| config.engine.changesets_replace = allowed).await;
        let run = |n: u128| Access::of_run(model::ids::RunId(uuid::Uuid::from_u128(n)), &ME.authority);
        let propose = async |world: &World, n: u128, intent: Intent| {
            let changeset = propose_by_policy(&world.ctx, &run(n), &Proposal::of("", vec![intent]), ProposalPolicy::Auto).await.unwrap();
            let policy = changeset.checks.iter().find(|check| check.gate == Gate::Policy).unwrap();
            let told: Vec<String> = policy.findings.iter().map(|finding| finding.message.clone()).collect();
            // It has no tests, so somebody has to apply it even where the policy has nothing to ask.
            if policy.verdict == Verdict::Passed {
                changesets::apply(&world.ctx, &ME, changeset.number, Breakage::Refused).await.unwrap();
            }
            (changeset.state, policy.verdict, told.join("; "))
        };
        let applied = |told: (ChangesetState, Verdict, String)| assert_eq!(told.1, Verdict::Passed, "{}", told.2);
        let asks = |told: (ChangesetState, Verdict, String), why: &str| assert_eq!(told, (ChangesetState::Checked, Verdict::Asks, why.to_owned()));
        applied(propose(&world, 1, answering("own", 1)).await);
        applied(propose(&world, 2, answering("own", 2)).await);
        let network = "@selfmade.function(network=[\"a.example\"], model=True)\ndef own():\n    return 3\n";
        asks(propose(&world, 3, decorated(network)).await, "gains network a.example, model");
        world.add(&["def handmade():\n    return 1\n"]).await;
        asks(propose(&world, 4, answering("handmade", 2)).await, "replaces someone else's work");
        asks(propose(&world, 5, delete("handmade")).await, "deletes someone else's work");
        world.add(&["def allowed_one():\n    return 1\n"]).await;
        applied(propose(&world, 6, answering("allowed_one", 2)).await);
    }

    async fn a_run_of_somebody_else_is_another_author(database: &TestDatabase) {
        let world = World::open(database).await;
        let proposal = Proposal::of("", vec![source("def own():\n    return 1\n")]);
        let mine = Access::of_run(model::ids::RunId(uuid::Uuid::from_u128(1)), &ME.authority);
        let own = propose_by_policy(&world.ctx, &mine, &proposal, ProposalPolicy::Auto).await.unwrap();
        changesets::apply(&world.ctx, &ME, own.number, Breakage::Refused).await.unwrap();
        let other = Arc::new(Authority { holder: Actor::Token(TokenId(uuid::Uuid::from_u128(9))), ..Authority::of_command_line() });
        let theirs = Access::of_run(model::ids::RunId(uuid::Uuid::from_u128(2)), &other);
        let proposal = Proposal::of("", vec![source("def own():\n    return 2\n")]);
        let asked = propose_by_policy(&world.ctx, &theirs, &proposal, ProposalPolicy::Auto).await.unwrap();
        assert_eq!(asked.state, ChangesetState::Checked);
        assert_eq!(world.live("own").await.unwrap().source, "def own():\n    return 1\n");
    }
}
