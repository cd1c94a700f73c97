//! Presets: they fit when they are stored, and a change that they no longer fit is told.

use model::run::RunState;
use sandbox::Value;
use secrecy::SecretBox;
use serde_json::{Map, Value as Json, json};
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::changesets::{self, Breakage};
use server::app::operations::attention;
use server::app::runs::{self, Input, StartRun, Target};
use server::app::{presets, secrets};
use store::testing::TestDatabase;

use crate::engine::graphs::{graph, put};
use crate::engine::script::Stage;
use crate::world::{ME, World, findings, name, source};

fn object(value: &Json) -> Map<String, Json> {
    value.as_object().unwrap().clone()
}

const NEWS: &str = "def news(topic: str, count: int = 3):\n    return topic\n";

store::on_both! {
    async fn a_preset_states_what_the_caller_does_not(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[NEWS]).await;
        stage.script.part("news", |work, _| async move { Ok(Value::Str(work.input.to_json().to_string())) });
        let view = presets::put(&stage.ctx, &ME, &name("news"), "daily", object(&json!({"count": 5}))).await.unwrap();
        assert_eq!((view.open, view.problem), (vec!["topic".to_owned()], None));
        let stated = object(&json!({"topic": "rust"}));
        let input = presets::input(&stage.ctx, &ME, &name("news"), "daily", stated).await.unwrap();
        let request = StartRun::of(Target::Live(name("news")), Input::from(input));
        let run = runs::start(&stage.ctx, &ME, request).await.unwrap();
        assert_eq!((run.state, run.input), (RunState::Succeeded, json!({"count": 5, "topic": "rust"})));
        let absent = presets::input(&stage.ctx, &ME, &name("news"), "weekly", Map::new()).await.unwrap_err();
        assert_eq!((absent.code(), absent.to_string()), ("not_found", "there is no preset named `weekly` of `news`".to_owned()));
    }

    async fn what_does_not_fit_is_not_stored(database: &TestDatabase) {
        let world = World::open(database).await;
        world.add(&[NEWS]).await;
        let put = async |preset: &str, input: Json| {
            presets::put(&world.ctx, &ME, &name("news"), preset, object(&input)).await.map_err(|error| error.to_string())
        };
        assert!(put("daily", json!({"count": "many"})).await.unwrap_err().contains("`count` must be an integer"));
        assert!(put("daily", json!({"topics": "x"})).await.unwrap_err().contains("did you mean `topic`?"));
        assert!(put("a/b", json!({})).await.unwrap_err().starts_with("`a/b` is not the name of a preset"));
        let value = SecretBox::new(Box::new(b"hunter2-hunter2".to_vec()));
        secrets::set(&world.ctx, &ME, "PASSWORD", &value).await.unwrap();
        let refused = put("daily", json!({"topic": "with hunter2-hunter2"})).await.unwrap_err();
        assert_eq!(refused, "the preset contains the value of a secret, and presets are stored");
        assert!(presets::list(&world.ctx, &ME, None, None, 10).await.unwrap().is_empty());
        let nobody = presets::put(&world.ctx, &ME, &name("newz"), "daily", Map::new()).await.unwrap_err();
        assert_eq!(nobody.code(), "not_found");
    }

    async fn a_change_that_a_preset_no_longer_fits_is_refused_and_told(database: &TestDatabase) {
        let world = World::open(database).await;
        world.add(&[NEWS]).await;
        presets::put(&world.ctx, &ME, &name("news"), "daily", object(&json!({"topic": "rust"}))).await.unwrap();
        let changed = "def news(subject: str):\n    return subject\n";
        let error = world.register(vec![source(changed)]).await.unwrap_err();
        let told = findings(&error).join("\n");
        assert!(told.contains("its preset `daily` no longer fits"), "{told}");
        let forced = Proposal { breakage: Breakage::Accepted, ..Proposal::of("", vec![source(changed)]) };
        let applied = changesets::register(&world.ctx, &ME, &forced).await.unwrap();
        assert_eq!(applied.warnings[0].hint.as_deref(), Some("change the preset with `selfmade preset set news \"daily\"` after that, or keep the parameters"));
        world.register(vec![source(NEWS)]).await.unwrap();
        let fitting = "def news(topic: str, more: bool = False):\n    return topic\n";
        world.register(vec![source(fitting)]).await.unwrap();
        assert!(attention::list(&world.ctx, &ME).await.unwrap().presets.is_empty());
        world.register(vec![crate::world::delete("news")]).await.unwrap();
        let unfit = attention::list(&world.ctx, &ME).await.unwrap().presets;
        assert_eq!(unfit.len(), 1, "{unfit:?}");
    }

    async fn presets_of_graphs_are_like_those_of_functions(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let content = |input: &str| graph(
            &[("in", "@input", json!({"name": input, "schema": {"type": "integer"}})), ("out", "@output", json!({"name": "out"}))],
            &["in.output -> out.value"],
        );
        put(&stage, "passes", content("n")).await;
        presets::put(&stage.ctx, &ME, &name("passes"), "one", object(&json!({"n": 1}))).await.unwrap();
        let wrong = presets::put(&stage.ctx, &ME, &name("passes"), "two", object(&json!({"n": "x"}))).await.unwrap_err();
        assert_eq!(wrong.code(), "bad_run_input");
        let changed = serde_json::from_value(content("m")).unwrap();
        let intent = Intent::Put(name("passes"), changed);
        let proposal = Proposal::of("", vec![intent]);
        let error = changesets::register(&stage.ctx, &ME, &proposal).await.unwrap_err();
        assert!(findings(&error).join("\n").contains("its preset `one` no longer fits"), "{error:?}");
    }
}
