//! Non-interference: two brains that differ only in the values of secrets that a function is not handed cannot be told apart by
//! it, whatever it does, nor by anybody who reads what was recorded or told of it.

use std::sync::{Arc, Mutex};

use model::run::RunState;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sandbox::Value;
use secrecy::SecretBox;
use serde_json::json;
use server::app::runs;
use server::app::secrets;
use server::engine::RunProgress;
use server::triggers;
use store::testing::TestDatabase;

use super::script::{Asking, Stage, empty, function, raised, request};
use crate::world::{ME, trigger};

/// The secrets themselves, what the key that seals them is checked by, when the tables were made, and how often the database was
/// flushed (`flushed`, in bytes), which depends on the load alone.
const OTHERWISE: [&str; 4] =
    ["secrets: ", "facts: ", "schema_version: ", "cursors: [Text([102, 108, 117, 115, 104, 101, 100])"];

/// One thing that a hostile function does.
#[derive(Clone, Debug)]
enum Act {
    Print(String),
    Complain(String),
    Verb(&'static str, Vec<String>),
    /// Runs another function with something that may be a secret.
    Run(&'static str, String),
    Call(String),
}

/// How it ends.
#[derive(Clone, Debug)]
enum End {
    Return(String),
    Raise(String),
}

/// What it does, and the values of the secrets in the two brains.
#[derive(Clone, Debug)]
struct Play {
    values: [String; 2],
    acts: Vec<Act>,
    end: End,
}

/// All that can be seen of a play.
#[derive(Debug, PartialEq)]
struct Seen {
    /// What came back into the cell.
    heard: Vec<String>,
    /// What whoever looks on is told, in order.
    told: Vec<String>,
    /// Every row of every other table.
    rows: Vec<String>,
}

/// Parts of either value, whole ones more often than by chance, with something before and behind.
fn guess(values: [String; 2]) -> impl Strategy<Value = String> {
    let part = (any::<bool>(), any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<bool>());
    let part = part.prop_map(move |(which, from, to, whole)| {
        let value = &values[usize::from(which)];
        let (from, to) = (from.index(value.len()), to.index(value.len()) + 1);
        if whole || from >= to { value.clone() } else { value[from..to].to_owned() }
    });
    let cut =
        prop::sample::select(vec!["", "", "\n", "!", "… (99 characters)", "\n… 9 characters left out …\n"]);
    prop::collection::vec((part, cut), 1..3)
        .prop_map(|parts| parts.into_iter().map(|(part, cut)| part + cut).collect())
}

fn act(values: [String; 2]) -> impl Strategy<Value = Act> {
    let verb = prop::sample::select(vec![
        ("emit", 2),
        ("log", 1),
        ("files.write", 2),
        ("files.read", 1),
        ("storage.set", 2),
        ("storage.get", 1),
        ("run", 2),
        ("babyagi.run", 1),
        ("babyagi.add_function", 2),
        ("brain.read", 1),
        ("brain.draft", 1),
        ("brain.search", 1),
        ("tools.call", 1),
        ("ask", 1),
        ("sleep", 1),
        ("no.such.verb", 1),
    ]);
    let texts = prop::collection::vec(guess(values.clone()), 2);
    let called = prop::sample::select(vec!["echo", "echo_in_turn", "handed"]);
    prop_oneof![
        3 => guess(values.clone()).prop_map(Act::Print),
        1 => guess(values.clone()).prop_map(Act::Complain),
        3 => (verb, texts).prop_map(|((verb, count), mut texts)| {
            texts.truncate(count);
            Act::Verb(verb, texts)
        }),
        2 => (called, guess(values.clone())).prop_map(|(name, text)| Act::Run(name, text)),
        1 => guess(values).prop_map(Act::Call),
    ]
}

fn play() -> impl Strategy<Value = Play> {
    // Alike at their beginnings, so that a guess may be right in one brain for a while.
    let values = ("[ab]{4,6}", "[ab]{4,8}", "[ab]{4,8}(\n[ab]{4,6})?");
    let values = values.prop_map(|(start, one, other)| [format!("{start}{one}"), format!("{start}{other}")]);
    values.prop_flat_map(|values| {
        let end = guess(values.clone())
            .prop_flat_map(|text| prop_oneof![Just(End::Return(text.clone())), Just(End::Raise(text))]);
        (Just(values.clone()), prop::collection::vec(act(values), 1..8), end)
            .prop_map(|(values, acts, end)| Play { values, acts, end })
    })
}

async fn act_out(
    play: &Play,
    asking: &Asking,
    heard: &Mutex<Vec<String>>,
) -> Result<Value, sandbox::Exception> {
    for (position, act) in play.acts.iter().enumerate() {
        let (verb, texts) = match act {
            Act::Print(text) => {
                asking.print(text);
                continue;
            }
            Act::Complain(text) => {
                asking.eprint(text);
                continue;
            }
            Act::Call(text) => {
                asking.call_with(u32::try_from(position).unwrap() + 1, text);
                continue;
            }
            Act::Verb(verb, texts) => (*verb, texts.clone()),
            Act::Run(name, text) => ("run", vec![(*name).to_owned(), text.clone()]),
        };
        let arguments = texts.iter().map(|text| Value::from(text.as_str())).collect();
        let answer = asking.verb(verb, arguments).await;
        heard.lock().unwrap().push(format!("{answer:?}"));
    }
    match &play.end {
        End::Return(text) => Ok(Value::from(text.as_str())),
        End::Raise(text) => Err(raised("ValueError", text)),
    }
}

/// Functions that a hostile one can run: one that answers what it gets, at once or when it is its turn, and one that has the secret.
async fn others(stage: &Stage) {
    let decorated = |options: &str, name: &str| {
        format!("import selfmade\n\n@selfmade.function({options})\ndef {name}(text=None):\n    pass\n")
    };
    stage.add(&[&function("echo", "text=None")]).await;
    stage.register(&decorated("concurrency=1", "echo_in_turn")).await;
    stage.register(&decorated("secrets=[\"open\", \"sealed\"]", "handed")).await;
    for name in ["echo", "echo_in_turn"] {
        stage.script.part(name, |work, asking: Asking| async move {
            let text = work.input.get("text").cloned().unwrap_or(Value::None);
            asking.print(&format!("{text:?}"));
            Ok(text)
        });
    }
    stage.script.part("handed", |work, asking: Asking| async move {
        // How many lines it has is no secret to those who see what it prints.
        asking.print(work.secrets["open"].lines().next().unwrap());
        Ok(Value::from("done"))
    });
}

async fn seen(database: &TestDatabase, value: &str, play: &Play) -> Seen {
    let stage = Stage::counting(database).await;
    let secret = |text: &str| SecretBox::new(Box::new(text.as_bytes().to_vec()));
    secrets::set(&stage.ctx, &ME, "open", &secret(value)).await.unwrap();
    let flat = value.replace('\n', "-");
    let hosts = ["api.example.com".to_owned()];
    secrets::set_for(&stage.ctx, &ME, "sealed", &secret(&flat), &hosts).await.unwrap();
    others(&stage).await;
    stage.add(&[&function("hostile", "")]).await;
    let applied =
        server::app::changesets::drafts::Proposal::of("", vec![trigger("after", "hostile", "echo")]);
    server::app::changesets::register(&stage.ctx, &ME, &applied).await.unwrap();

    let (heard, told) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
    let (hearing, own) = (Arc::clone(&heard), play.clone());
    stage.script.part("hostile", move |_, asking| {
        let (hearing, own) = (Arc::clone(&hearing), own.clone());
        async move { act_out(&own, &asking, &hearing).await }
    });
    let telling = Arc::clone(&told);
    let watched = request("hostile", empty()).watched(move |_, happened: RunProgress| {
        telling.lock().unwrap().push(format!("{happened:?}"));
    });
    let mut run = runs::start(&stage.ctx, &ME, watched).await.unwrap();
    while run.state == RunState::Waiting {
        if runs::answer(&stage.ctx, &ME, run.run_id, json!("yes")).await.is_err() {
            stage.ctx.clock.advance(std::time::Duration::from_secs(1_000_000));
        }
        triggers::drain(&stage.ctx).await.unwrap();
        run = runs::get(&stage.ctx, &ME, run.run_id).await.unwrap();
    }
    triggers::drain(&stage.ctx).await.unwrap();
    told.lock().unwrap().push(format!("{:?} {:?}", run.output, run.error));
    stage.close().await;
    let mut rows = database.dump().await;
    rows.retain(|row| !OTHERWISE.iter().any(|table| row.starts_with(table)));
    let (heard, told) = (heard.lock().unwrap().clone(), told.lock().unwrap().clone());
    Seen { heard, told, rows }
}

async fn assert_alike(database: &TestDatabase, play: &Play) {
    let left = seen(database, &play.values[0], play).await;
    let right = seen(&database.another().await, &play.values[1], play).await;
    assert_equal(&left, &right);
}

fn assert_equal(left: &Seen, right: &Seen) {
    assert_eq!(left.heard, right.heard, "in the cell");
    assert_eq!(left.told, right.told, "to whoever looks on");
    for (left, right) in left.rows.iter().zip(&right.rows) {
        assert_eq!(left, right, "in the records");
    }
    assert_eq!(left.rows.len(), right.rows.len());
}

fn check(cases: u32, database: impl AsyncFn() -> TestDatabase) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut runner = TestRunner::new(Config {
        cases,
        max_shrink_iters: 40,
        failure_persistence: None,
        ..Config::default()
    });
    let checked = runner.run(&play(), |play| {
        runtime.block_on(async { assert_alike(&database().await, &play).await });
        Ok(())
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
}

mod secrets_that_a_function_is_not_handed_change_nothing_that_can_be_seen {
    use store::testing::TestDatabase;

    #[test]
    fn sqlite() {
        super::check(24, async || TestDatabase::sqlite());
    }

    #[test]
    fn postgres() {
        super::check(6, TestDatabase::postgres);
    }
}
