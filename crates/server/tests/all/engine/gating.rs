//! The gates of what Runs write: `mutants`, `twins` and `evidence`, and waiting for a decision.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use model::access::grantable::Grantable;
use model::access::policy::ProposalPolicy;
use model::access::scope::Scope;
use model::access::token::TokenRole;
use model::access::{Access, Authority};
use model::changeset::check::{Check, Gate, Verdict};
use model::changeset::{Changeset, ChangesetState};
use model::event::EventKind;
use model::function::test_case::TestKind;
use model::ids::RunId;
use model::run::{RunState, Waiting};
use sandbox::{Exception, Value};
use serde_json::{Value as Json, json};
use server::app::changesets::drafts::Proposal;
use server::app::changesets::{self, Breakage, propose_by_policy};
use server::app::functions::{Which, mutants, provenance, recorded_tests};
use server::engine::Work;
use store::on_both;
use store::testing::TestDatabase;

use super::script::{Stage, empty, raised};
use crate::world::{ME, decorated, key, name};

/// What the first `return` of the source says: a literal, a parameter, or two of them with an operator. Names that it does not know
/// are errors, like what a mutant makes of them.
#[allow(clippy::result_large_err, reason = "it is what a script returns")]
pub(super) fn first_return(work: &Work) -> Result<Value, Exception> {
    let source = &work.closure.functions[work.closure.entry].source;
    let said = source.lines().find_map(|line| line.trim().strip_prefix("return")).unwrap_or_default();
    let Value::Map(input) = &work.input else { panic!("an input is a map") };
    #[allow(clippy::result_large_err, reason = "as above")]
    let term = |word: &str| match word {
        "None" => Ok(Value::None),
        word => match (word.parse(), input.iter().find(|(name, _)| name == word)) {
            (Ok(number), _) => Ok(Value::Int(number)),
            (_, Some((_, value))) => Ok(value.clone()),
            _ => Err(raised("NameError", word)),
        },
    };
    let words: Vec<&str> = said.split_whitespace().collect();
    match words.as_slice() {
        [] => Ok(Value::None),
        [one] => term(one),
        [one, operator, other] => match (term(one)?, *operator, term(other)?) {
            (Value::Int(a), "+", Value::Int(b)) => Ok(Value::Int(a + b)),
            (Value::Int(a), "-", Value::Int(b)) => Ok(Value::Int(a - b)),
            (Value::Int(a), "*", Value::Int(b)) => Ok(Value::Int(a * b)),
            other => Err(raised("TypeError", &format!("{other:?}"))),
        },
        other => panic!("`{other:?}` is more than a script understands"),
    }
}

/// A stage whose functions do what their sources say, and how often each was executed.
async fn stage(
    database: &TestDatabase,
    policy: ProposalPolicy,
    names: &[&str],
) -> (Stage, Vec<Arc<AtomicUsize>>) {
    let stage = Stage::configured(database, |config| config.engine.changesets = policy).await;
    let counts = names.iter().map(|name| played(&stage, name)).collect();
    (stage, counts)
}

fn played(stage: &Stage, name: &str) -> Arc<AtomicUsize> {
    let count = Arc::<AtomicUsize>::default();
    let counted = Arc::clone(&count);
    stage.script.part(name, move |work, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        std::future::ready(first_return(&work))
    });
    count
}

/// A function of `n` with tests: inputs and what is expected.
fn tested(name: &str, returns: &str, tests: &[(i64, Json)]) -> String {
    let tests: Vec<Json> =
        tests.iter().map(|(n, expect)| json!({ "input": { "n": n }, "expect": expect })).collect();
    // What JSON and Python write alike.
    let tests = Json::from(tests).to_string();
    format!("@selfmade.function(tests={tests})\ndef {name}(n: int):\n    return {returns}\n")
}

fn gives(value: i64) -> Json {
    json!({ "output": value })
}

/// Two values that only the right function gives.
fn doubles() -> [(i64, Json); 2] {
    [(3, gives(6)), (5, gives(10))]
}

fn a_run() -> Access {
    Access::of_run(RunId(uuid::Uuid::from_u128(1)), &ME.authority)
}

/// A Run of somebody who may touch some names.
fn a_narrow_run(patterns: &[&str]) -> Access {
    let only = Scope::Names(patterns.iter().map(ToString::to_string).collect());
    let (role, grants) = (TokenRole::Builder, Grantable::none());
    let authority = Authority { role, only, uses: Scope::none(), grants, ..Authority::of_command_line() };
    Access::of_run(RunId(uuid::Uuid::from_u128(2)), &Arc::new(authority))
}

async fn proposed(stage: &Stage, access: &Access, source: &str) -> Changeset {
    let policy = stage.ctx.engine.config().changesets;
    let proposal = Proposal::of("", vec![decorated(source)]);
    propose_by_policy(&stage.ctx, access, &proposal, policy).await.unwrap()
}

fn check(changeset: &Changeset, gate: Gate) -> &Check {
    changeset.checks.iter().find(|check| check.gate == gate).unwrap()
}

fn messages(check: &Check) -> Vec<&str> {
    check.findings.iter().map(|finding| finding.message.as_str()).collect()
}

/// Proposes a change of itself, waits for the decision, and answers with it.
const BUILDER: &str =
    "import selfmade\n\n@selfmade.function(brain=\"propose\")\ndef build():\n    return None\n";

async fn a_builder(stage: &Stage) {
    stage.register(BUILDER).await;
    stage.script.part("build", |_, host| async move {
        let source = tested("double", "n * 2", &doubles());
        let asked = async |verb: &str, arguments: Vec<Value>| {
            host.verb(verb, arguments).await.map_err(|error| raised("Failed", &error.to_string()))
        };
        asked("brain.draft", vec![source.as_str().into()]).await?;
        asked("brain.propose", vec!["double numbers".into(), Value::Bool(true)]).await
    });
}

/// A run that waits for somebody to decide, and about which changeset.
async fn waiting(stage: &Stage) -> (RunId, u64) {
    let run = stage.queue("build", empty()).await;
    stage.work();
    let run = stage.until(run.run_id, RunState::Waiting).await;
    let Some(Waiting::Decision { changeset }) = run.waiting else { panic!("{:?}", run.waiting) };
    assert_eq!(run.lease, None, "it holds no cell");
    (run.run_id, changeset)
}

on_both! {
    async fn tests_that_would_pass_for_wrong_code_keep_a_run_from_applying(database: &TestDatabase) {
        let (stage, _) = stage(database, ProposalPolicy::Auto, &["double"]).await;
        let anything = [(3, json!({ "schema": {} })), (5, json!({ "schema": {} }))];
        let changeset = proposed(&stage, &a_run(), &tested("double", "n * 2", &anything)).await;
        let mutants = check(&changeset, Gate::Mutants);
        assert_eq!((changeset.state, mutants.verdict), (ChangesetState::Checked, Verdict::Failed));
        assert_eq!(messages(mutants), ["its tests would pass for wrong code too: with `return None` instead of `return n * 2` in line 2"]);
        let refused = changesets::apply(&stage.ctx, &ME, changeset.number, Breakage::Refused).await.unwrap_err();
        assert_eq!(refused.code(), "checks_failed", "nor does a person apply it as it is");

        let changeset = proposed(&stage, &a_run(), &tested("double", "n * 2", &doubles())).await;
        assert_eq!(changeset.state, ChangesetState::Applied, "{:#?}", changeset.checks);
        assert_eq!(check(&changeset, Gate::Mutants).note.as_deref(), Some("the tests of `double` notice all 4 mutants"));
    }

    async fn without_tests_a_run_asks_a_person(database: &TestDatabase) {
        let (stage, _) = stage(database, ProposalPolicy::Auto, &["double"]).await;
        let changeset = proposed(&stage, &a_run(), &tested("double", "n * 2", &[])).await;
        assert_eq!((changeset.state, check(&changeset, Gate::Mutants).verdict), (ChangesetState::Checked, Verdict::Asks));
        changesets::apply(&stage.ctx, &ME, changeset.number, Breakage::Refused).await.unwrap();
    }

    async fn what_a_person_writes_is_not_gated_unless_asked(database: &TestDatabase) {
        let (stage, counts) = stage(database, ProposalPolicy::Auto, &["double"]).await;
        let anything = [(3, json!({ "schema": {} }))];
        stage.register(&tested("double", "n * 2", &anything)).await;
        assert_eq!(counts[0].load(Ordering::SeqCst), 1, "its test");
        let reports = mutants::run(&stage.ctx, &ME, &[name("double")]).await.unwrap();
        let survived: Vec<&str> = reports[0].mutants.iter().filter(|mutant| mutant.test.is_none()).map(|mutant| mutant.after.as_str()).collect();
        assert_eq!(survived, ["return None", "return None", "return n + 2", "return n * 3"]);
    }

    async fn a_function_that_does_what_a_stored_one_does_is_named(database: &TestDatabase) {
        let (stage, _) = stage(database, ProposalPolicy::Auto, &["double_number", "twice_number", "triple_number"]).await;
        stage.register(&tested("double_number", "n * 2", &doubles())).await;
        let more = [(3, gives(6)), (5, gives(10)), (7, gives(14))];
        let changeset = proposed(&stage, &a_run(), &tested("twice_number", "n + n", &more)).await;
        let twins = check(&changeset, Gate::Twins);
        assert_eq!((changeset.state, twins.verdict), (ChangesetState::Checked, Verdict::Failed), "{twins:?}");
        assert_eq!(messages(twins), ["does what the stored function `double_number` does, on all 3 inputs that were tried"]);

        let more = [(3, gives(9)), (5, gives(15)), (7, gives(21))];
        let changeset = proposed(&stage, &a_run(), &tested("triple_number", "n * 3", &more)).await;
        assert_eq!(changeset.state, ChangesetState::Applied, "{:#?}", changeset.checks);
    }

    async fn what_an_author_may_not_see_is_neither_named_nor_executed(database: &TestDatabase) {
        let (stage, counts) = stage(database, ProposalPolicy::Ask, &["double_number", "web_number"]).await;
        stage.register(&tested("double_number", "n * 2", &doubles())).await;
        let more = [(3, gives(6)), (5, gives(10)), (7, gives(14))];
        let before = counts[0].load(Ordering::SeqCst);
        let narrow = a_narrow_run(&["web_*"]);
        let changeset = proposed(&stage, &narrow, &tested("web_number", "n + n", &more)).await;
        assert_eq!(check(&changeset, Gate::Twins).verdict, Verdict::Passed);
        assert!(!format!("{:?}", changeset.checks).contains("double_number"));
        assert_eq!(counts[0].load(Ordering::SeqCst), before);

        changesets::apply(&stage.ctx, &ME, changeset.number, Breakage::Refused).await.unwrap();
        let shown = changesets::show(&stage.ctx, &narrow, changeset.number).await.unwrap();
        assert!(!format!("{shown:?}").contains("double_number"), "nor is it after somebody who sees it applied it");
    }

    async fn a_change_is_tried_on_recorded_runs_and_differences_ask_a_person(database: &TestDatabase) {
        let (stage, _) = stage(database, ProposalPolicy::Auto, &["count"]).await;
        let own = proposed(&stage, &a_run(), &tested("count", "n * 2", &doubles())).await;
        assert_eq!(own.state, ChangesetState::Applied);
        for n in [3, 4, 5] {
            stage.start("count", json!({ "n": n })).await.unwrap();
        }
        let same = proposed(&stage, &a_run(), &tested("count", "n + n", &doubles())).await;
        assert_eq!(same.state, ChangesetState::Applied, "{:#?}", same.checks);
        let note = check(&same, Gate::Evidence).note.clone().unwrap();
        assert_eq!(note, "of the last 3 recorded runs of `count`: 3 same");

        stage.start("count", json!({ "n": 4 })).await.unwrap();
        let other = proposed(&stage, &a_run(), &tested("count", "n * 3", &[(3, gives(9)), (5, gives(15))])).await;
        let evidence = check(&other, Gate::Evidence);
        assert_eq!((other.state, evidence.verdict), (ChangesetState::Checked, Verdict::Asks));
        assert_eq!(evidence.note.as_deref(), Some("of the last 1 recorded runs of `count`: 1 different"));
        assert!(messages(evidence)[0].ends_with(r#"{"n":4} gave 8, now 12"#), "{evidence:?}");
        changesets::apply(&stage.ctx, &ME, other.number, Breakage::Refused).await.unwrap();
    }

    async fn what_a_changed_function_asks_for_is_answered_from_the_journal(database: &TestDatabase) {
        let (stage, _) = stage(database, ProposalPolicy::Ask, &[]).await;
        stage.script.part("draw", |work, host| async move {
            let source = &work.closure.functions[work.closure.entry].source;
            let verb = if source.contains("now") { "now" } else { "random" };
            host.verb(verb, vec![]).await.map_err(|error| raised("Refused", &error.to_string()))
        });
        stage.add(&["def draw():\n    import selfmade\n    return selfmade.random()\n"]).await;
        stage.start("draw", empty()).await.unwrap();
        let same = "@selfmade.function\ndef draw():\n    import selfmade\n    x = selfmade.random()\n    return x\n";
        let changeset = proposed(&stage, &a_run(), same).await;
        let note = check(&changeset, Gate::Evidence).note.clone().unwrap();
        assert_eq!(note, "of the last 1 recorded runs of `draw`: 1 same");
        let other = "@selfmade.function\ndef draw():\n    import selfmade\n    return selfmade.now()\n";
        let changeset = proposed(&stage, &a_run(), other).await;
        let note = check(&changeset, Gate::Evidence).note.clone().unwrap();
        assert_eq!(note, "of the last 1 recorded runs of `draw`: 1 unknown");
    }

    async fn a_run_waits_without_a_cell_until_its_proposal_is_rejected_and_hears_why(database: &TestDatabase) {
        let (stage, _) = stage(database, ProposalPolicy::Ask, &["double"]).await;
        a_builder(&stage).await;
        let (run, number) = waiting(&stage).await;
        changesets::reject(&stage.ctx, &ME, number, Some(" an empty list must give 0 ")).await.unwrap();
        let run = stage.until(run, RunState::Succeeded).await;
        let output = run.output.unwrap();
        assert_eq!((&output["state"], &output["comment"], &output["changeset"]), (&json!("rejected"), &json!("an empty list must give 0"), &json!(number)));
        let shown = changesets::show(&stage.ctx, &ME, number).await.unwrap();
        assert_eq!(shown.comment.as_deref(), Some("an empty list must give 0"));
        let events = stage.ctx.store.events_after(0, 1000).await.unwrap();
        let event = events.iter().find(|event| event.fact.kind == EventKind::ChangesetRejected).unwrap();
        assert_eq!(event.fact.data["comment"], json!("an empty list must give 0"));
        assert_eq!(changesets::list(&stage.ctx, &ME, Default::default(), 9).await.unwrap().len(), 2, "it proposed once");
    }

    async fn a_run_hears_that_its_proposal_was_applied_on_another_server(database: &TestDatabase) {
        let (stage, _) = stage(database, ProposalPolicy::Ask, &["double"]).await;
        a_builder(&stage).await;
        let (run, number) = waiting(&stage).await;
        stage.stop();
        let other = stage.another(database).await;
        changesets::apply(&other.ctx, &ME, number, Breakage::Refused).await.unwrap();
        other.work();
        let run = other.until(run, RunState::Succeeded).await;
        let output = run.output.unwrap();
        assert_eq!((&output["state"], &output["comment"]), (&json!("applied"), &json!(null)));
    }

    async fn what_does_not_pass_its_checks_is_nothing_to_wait_for(database: &TestDatabase) {
        let (stage, _) = stage(database, ProposalPolicy::Ask, &[]).await;
        a_builder(&stage).await;
        // Not what its tests expect.
        stage.script.part("double", |_, _| std::future::ready(Ok(Value::Int(0))));
        let run = stage.start("build", empty()).await.unwrap();
        assert_eq!(run.output.unwrap()["state"], json!("checked"));
    }

    async fn drafts_that_were_proposed_are_not_proposed_again_after_a_wait(database: &TestDatabase) {
        let (stage, _) = stage(database, ProposalPolicy::Ask, &["double", "triple"]).await;
        stage.register(BUILDER).await;
        stage.script.part("build", |_, host| async move {
            let asked = async |verb: &str, arguments: Vec<Value>| {
                host.verb(verb, arguments).await.map_err(|error| raised("Failed", &error.to_string()))
            };
            asked("brain.draft", vec![tested("double", "n * 2", &doubles()).as_str().into()]).await?;
            asked("brain.propose", vec![]).await?;
            asked("sleep", vec![3600.into()]).await?;
            let tests = [(3, gives(9)), (5, gives(15))];
            asked("brain.draft", vec![tested("triple", "n * 3", &tests).as_str().into()]).await?;
            asked("brain.propose", vec![]).await
        });
        let run = stage.queue("build", empty()).await;
        stage.work();
        stage.until(run.run_id, RunState::Waiting).await;
        stage.ctx.clock.advance(std::time::Duration::from_secs(3601));
        let run = stage.until(run.run_id, RunState::Succeeded).await;
        let number = run.output.unwrap()["changeset"].as_u64().unwrap();
        let shown = changesets::show(&stage.ctx, &ME, number).await.unwrap();
        let names: Vec<&str> = shown.changes.iter().map(|change| change.key.name.as_str()).collect();
        assert_eq!(names, ["triple"]);
    }

    async fn a_proposal_whose_base_moved_goes_through_all_checks_again(database: &TestDatabase) {
        let (stage, _) = stage(database, ProposalPolicy::Ask, &["double"]).await;
        let changeset = proposed(&stage, &a_run(), &tested("double", "n * 2", &doubles())).await;
        assert_eq!(check(&changeset, Gate::Mutants).verdict, Verdict::Passed);
        stage.register(&tested("double", "n + 1", &[(3, gives(4))])).await;
        let refused = changesets::apply(&stage.ctx, &ME, changeset.number, Breakage::Refused).await.unwrap_err();
        assert_eq!(refused.code(), "conflicted");
        stage.start("double", json!({ "n": 3 })).await.unwrap();
        let based = changesets::rebase(&stage.ctx, &ME, changeset.number).await.unwrap();
        let gates: Vec<Gate> = based.checks.iter().map(|check| check.gate).collect();
        assert_eq!(gates, [Gate::Parses, Gate::Names, Gate::Types, Gate::Tests, Gate::Mutants, Gate::Twins, Gate::Evidence, Gate::Policy]);
        let evidence = check(&based, Gate::Evidence);
        assert!(messages(evidence)[0].ends_with(r#"{"n":3} gave 4, now 6"#), "{evidence:?}");
    }

    async fn a_recorded_run_becomes_a_test_of_its_function(database: &TestDatabase) {
        let (stage, _) = stage(database, ProposalPolicy::Ask, &["double"]).await;
        stage.register(&tested("double", "n * 2", &[])).await;
        let run = stage.start("double", json!({ "n": 4 })).await.unwrap();
        let add = async || recorded_tests::add(&stage.ctx, &ME, run.run_id, Some("four".to_owned())).await;
        add().await.unwrap();
        let live = stage.ctx.store.live_version(&key("double")).await.unwrap().unwrap();
        let tests = &live.content.as_function().unwrap().tests;
        assert_eq!(serde_json::to_value(tests).unwrap(), json!([{ "name": "four", "kind": "regression", "input": { "n": 4 }, "expect": { "output": 8 } }]));
        assert_eq!(add().await.unwrap().changeset, None, "it is there already");
    }

    async fn a_run_whose_answer_the_live_version_does_not_give_is_no_test_of_it(database: &TestDatabase) {
        let (stage, _) = stage(database, ProposalPolicy::Ask, &["double"]).await;
        stage.register(&tested("double", "n * 2", &[])).await;
        let run = stage.start("double", json!({ "n": 4 })).await.unwrap();
        stage.register(&tested("double", "n * 3", &[])).await;
        let refused = recorded_tests::add(&stage.ctx, &ME, run.run_id, None).await.unwrap_err();
        assert_eq!(refused.code(), "checks_failed");
    }

    async fn provenance_says_who_asked_what_wrote_it_and_what_it_did(database: &TestDatabase) {
        let (stage, _) = stage(database, ProposalPolicy::Ask, &["double"]).await;
        a_builder(&stage).await;
        let (run, number) = waiting(&stage).await;
        changesets::apply(&stage.ctx, &ME, number, Breakage::Refused).await.unwrap();
        stage.until(run, RunState::Succeeded).await;
        let used = stage.start("double", json!({ "n": 4 })).await.unwrap();
        let told = provenance::show(&stage.ctx, &ME, &name("double"), Which::Live).await.unwrap();
        assert_eq!((told.live, told.run.unwrap().run_id, told.request.unwrap().run.run_id), (true, run, run));
        let changeset = told.changeset.unwrap();
        assert_eq!((changeset.number, changeset.state), (number, ChangesetState::Applied));
        assert_eq!(told.tests.get(TestKind::Exact.as_str()), Some(&2));
        assert_eq!(told.runs.iter().map(|line| line.run_id).collect::<Vec<_>>(), [used.run_id]);

        let narrow = a_narrow_run(&["double"]);
        let told = provenance::show(&stage.ctx, &narrow, &name("double"), Which::Live).await.unwrap();
        assert!(told.run.is_none() && told.request.is_none(), "`build` is outside");
    }
}
