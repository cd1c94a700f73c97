//! What is known of secrets from outside: nothing to a function that is not handed them, and of those that it is, no value.

use std::sync::{Arc, Mutex};

use model::access::grantable::Grantable;
use model::access::{Access, Authority};
use model::graph::run_options::{BreakAt, GraphOptions};
use model::run::output::OutputStream;
use model::run::{Run, RunState};
use sandbox::{Stream, Value};
use secrecy::SecretBox;
use serde_json::{Value as Json, json};
use server::app::runs::{self, StartRun};
use server::app::secrets;
use server::engine::RunProgress;
use store::on_both;
use store::testing::TestDatabase;

use super::graphs::{graph, put};
use super::script::{Asking, Stage, empty, function, raised, request};
use crate::secrets::database_contains;
use crate::world::ME;

const KEY: &str = "s3cret-of-sixteen";

async fn set(stage: &Stage, name: &str, value: &str) {
    let value = SecretBox::new(Box::new(value.as_bytes().to_vec()));
    secrets::set(&stage.ctx, &ME, name, &value).await.unwrap();
}

/// A brain with the secret `KEY`, `plain`, which is not handed it, and `handed`, which is.
async fn stage(database: &TestDatabase) -> Stage {
    let stage = Stage::open(database).await;
    set(&stage, "KEY", KEY).await;
    stage.add(&[&function("plain", "text=None")]).await;
    stage
        .register(
            "import selfmade\n\n@selfmade.function(secrets=[\"KEY\"])\ndef handed(text=None):\n    pass\n",
        )
        .await;
    stage
}

/// Somebody who may run functions, and may use these secrets.
fn runner(grants: &[&str]) -> Access {
    let grants = Grantable(grants.iter().map(|grant| grant.parse().unwrap()).collect());
    Access { authority: Arc::new(Authority { grants, ..Authority::of_command_line() }), ..ME.clone() }
}

/// Runs it to its end, and says what was told meanwhile.
async fn watched(stage: &Stage, name: &str) -> (Run, Vec<String>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let hearing = Arc::clone(&told);
    let request = request(name, empty()).watched(move |_, happened| {
        if let RunProgress::Output(Stream::Stdout, text) = happened {
            hearing.lock().unwrap().push(text);
        }
    });
    let run = runs::start(&stage.ctx, &ME, request).await.unwrap();
    let told = told.lock().unwrap().clone();
    (run, told)
}

/// Plays a function that asks for one verb and returns what it hears.
fn asks(stage: &Stage, name: &str, verb: &'static str, given: &[&str]) {
    let given: Vec<Value> = given.iter().map(|text| Value::from(*text)).collect();
    stage.script.part(name, move |_, asking: Asking| {
        let given = given.clone();
        async move { Ok(Value::from(format!("{:?}", asking.verb(verb, given).await).as_str())) }
    });
}

async fn said(stage: &Stage, name: &str) -> String {
    let run = stage.start(name, empty()).await.unwrap();
    run.output.unwrap().as_str().unwrap().to_owned()
}

on_both! {
    async fn what_is_printed_is_not_held_back_because_it_begins_like_a_secret(database: &TestDatabase) {
        let stage = stage(database).await;
        stage.script.part("plain", |_, asking| async move {
            for length in 1..=KEY.len() {
                asking.print(&KEY[..length]);
                asking.eprint("|");
            }
            Ok(Value::None)
        });
        let (run, told) = watched(&stage, "plain").await;
        let expected: Vec<&str> = (1..=KEY.len()).map(|length| &KEY[..length]).collect();
        assert_eq!(told, expected);
        let printed = stage.ctx.store.output(run.run_id).await.unwrap();
        let printed = printed.iter().filter(|chunk| chunk.stream == OutputStream::Stdout);
        assert_eq!(printed.map(|chunk| chunk.text.as_str()).collect::<Vec<_>>(), expected);
    }

    async fn what_is_cut_ends_the_same_whether_it_is_half_a_secret_or_not(database: &TestDatabase) {
        let stage = stage(database).await;
        for half in [&KEY[..12], "something-el"] {
            stage.script.part("plain", move |_, _| async move {
                Err(raised("ValueError", &format!("it was {half}… (99 characters)")))
            });
            let error = stage.start("plain", empty()).await.unwrap().error.unwrap();
            assert_eq!(error.message, format!("it was {half}… (99 characters)"));
        }
    }

    async fn a_refusal_does_not_tell_a_secret_from_anything_else(database: &TestDatabase) {
        let stage = stage(database).await;
        for (verb, odd) in [("emit", " !"), ("files.write", "/!"), ("run", " !"), ("brain.read", " !")] {
            let mut heard = Vec::new();
            for text in [KEY, "s4cret-of-sixteen"] {
                asks(&stage, "plain", verb, &[&format!("{text}{odd}"), "data"]);
                heard.push(said(&stage, "plain").await.replace("s4cret", "s3cret"));
            }
            assert_eq!(heard[0], heard[1], "{verb}");
            assert!(heard[0].contains("Err"), "{verb}: {}", heard[0]);
        }
        asks(&stage, "plain", "emit", &["what, this", "data"]);
        assert!(!said(&stage, "plain").await.contains("what, this"));
    }

    async fn what_a_function_was_handed_is_redacted_in_all_it_says(database: &TestDatabase) {
        let stage = stage(database).await;
        stage.script.part("handed", |work, asking: Asking| async move {
            let key = work.secrets["KEY"].clone();
            asking.print(&format!("first\n{}", &key[..3]));
            asking.print(&format!("{}\nlast", &key[3..]));
            asking.verb("log", vec![key.as_str().into()]).await.unwrap();
            asking.verb("emit", vec!["told".into(), key.as_str().into()]).await.unwrap();
            Ok(Value::from(format!("it is {key}").as_str()))
        });
        let (run, told) = watched(&stage, "handed").await;
        assert_eq!(told, ["first\n", "[secret KEY]\n", "last"]);
        // The caller, too.
        assert_eq!(run.output, Some(json!("it is [secret KEY]")));
        assert!(!database_contains(database, KEY.as_bytes()).await);
    }

    async fn what_a_function_answers_another_is_redacted_by_what_it_was_handed(database: &TestDatabase) {
        let stage = stage(database).await;
        stage.script.part("handed", |work, _| async move {
            match work.input.get("text") {
                Some(_) => Err(raised("ValueError", &work.secrets["KEY"])),
                None => Ok(Value::from(work.secrets["KEY"].as_str())),
            }
        });
        asks(&stage, "plain", "run", &["handed"]);
        assert_eq!(said(&stage, "plain").await, r#"Ok(Str("[secret KEY]"))"#);
        asks(&stage, "plain", "run", &["handed", "raise"]);
        let heard = said(&stage, "plain").await;
        assert!(heard.contains("ValueError: [secret KEY]"), "{heard}");
    }

    async fn an_input_is_compared_with_secrets_that_its_starter_may_use(database: &TestDatabase) {
        let stage = stage(database).await;
        stage.script.part("plain", |work, asking| async move {
            let text = format!("{:?}", work.input.get("text"));
            assert!(text.contains(KEY), "the function gets what it is given");
            asking.print(&text);
            Ok(Value::None)
        });
        let given = || request("plain", json!({ "text": KEY }));
        for (grants, recorded) in [(&["secret:KEY"][..], "[secret KEY]"), (&["secret:OTHER"], KEY), (&[], KEY)] {
            let access = runner(grants);
            let run = runs::start(&stage.ctx, &access, given()).await.unwrap();
            let run = runs::get(&stage.ctx, &access, run.run_id).await.unwrap();
            assert_eq!(run.input, json!({ "text": recorded }), "{grants:?}");
            let printed = stage.ctx.store.output(run.run_id).await.unwrap();
            assert!(printed[0].text.contains(recorded), "what it was handed that way is struck out, too");
            let queued = runs::queue(&stage.ctx, &access, given()).await;
            assert_eq!(queued.is_err(), recorded != KEY, "{grants:?}");
        }
    }

    async fn a_run_that_is_given_a_secret_cannot_stop_at_breakpoints(database: &TestDatabase) {
        let stage = stage(database).await;
        let nodes = [("in", "@input", json!({ "name": "v" })), ("out", "@output", json!({ "name": "out" }))];
        put(&stage, "passes", graph(&nodes, &["in.output -> out.value"])).await;
        let breakpoints = BreakAt { everywhere: true, ..BreakAt::default() };
        let started = |value: &str| StartRun {
            graph: GraphOptions { breakpoints: breakpoints.clone(), ..GraphOptions::default() },
            ..request("passes", json!({ "v": value }))
        };
        let error = runs::start(&stage.ctx, &ME, started(KEY)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the input of `passes` holds a secret, which is not recorded, so the run cannot stop at breakpoints"
        );
        let run = runs::start(&stage.ctx, &ME, started("nothing secret")).await.unwrap();
        assert_eq!(run.state, RunState::Waiting);
        let run = stage.start("passes", json!({ "v": KEY })).await.unwrap();
        assert_eq!(run.state, RunState::Succeeded, "{:?}", run.error);
    }

    async fn what_a_run_hands_on_is_compared_with_what_it_was_handed(database: &TestDatabase) {
        let stage = stage(database).await;
        stage.register("import selfmade\n\n@selfmade.function(concurrency=1)\ndef queued(text=None):\n    pass\n").await;
        for name in ["queued", "echo"] {
            stage.script.part(name, |work, _| async move { Ok(work.input.get("text").cloned().unwrap()) });
        }
        stage.add(&[&function("echo", "text=None")]).await;
        for name in ["queued", "echo"] {
            asks(&stage, "plain", "run", &[name, KEY]);
            assert_eq!(said(&stage, "plain").await, format!("Ok(Str({KEY:?}))"), "{name}");
        }
        asks(&stage, "handed", "run", &["queued", KEY]);
        assert!(said(&stage, "handed").await.contains("contains the value of a secret"));
        asks(&stage, "handed", "run", &["echo", KEY]);
        assert_eq!(said(&stage, "handed").await, r#"Ok(Str("[secret KEY]"))"#);
    }

    async fn an_answer_is_compared_with_secrets_that_whoever_answers_may_use(database: &TestDatabase) {
        let stage = stage(database).await;
        asks(&stage, "plain", "ask", &["which?"]);
        stage.work();
        for (grants, heard) in [(&["secret:KEY"][..], "[secret KEY]"), (&[], KEY)] {
            let run = stage.start("plain", empty()).await.unwrap();
            assert_eq!(run.state, RunState::Waiting);
            runs::answer(&stage.ctx, &runner(grants), run.run_id, json!(KEY)).await.unwrap();
            let run = stage.until(run.run_id, RunState::Succeeded).await;
            assert_eq!(run.output, Some(json!(format!("Ok(Str({heard:?}))"))));
        }
    }

    async fn a_sealed_secret_is_not_looked_for_in_what_a_run_says(database: &TestDatabase) {
        let stage = stage(database).await;
        let value = SecretBox::new(Box::new(KEY.as_bytes().to_vec()));
        let hosts = ["api.example.com".to_owned()];
        secrets::set_for(&stage.ctx, &ME, "KEY", &value, &hosts).await.unwrap();
        stage.script.part("handed", |work, _| async move {
            assert_ne!(work.secrets["KEY"], KEY);
            Ok(Value::from(KEY))
        });
        let run = stage.start("handed", empty()).await.unwrap();
        assert_eq!(run.output, Some(Json::from(KEY)));
    }
}
