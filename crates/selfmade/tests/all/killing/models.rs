//! A function that asks a language model again and again, on servers that are killed meanwhile: what was answered is not asked twice.

use std::collections::BTreeMap;

use model::llm::scripted::ScriptedReply;
use model::llm::{LlmName, Price, Role};
use model::run::RunState;
use serde_json::json;
use server::app::models::{self, NewModel};
use server::app::runs::watch::{Follower, What};
use server::llm::testing::{Behaviour, ScriptedModel};
use store::testing::TestDatabase;

use super::processes;
use crate::world::{ME, World};

const CHATS: &str = r#"
@selfmade.function(model=True)
def chats():
    from selfmade import model

    return [model.chat([{"role": "user", "content": f"turn {turn}."}])["text"] for turn in range(9)]
"#;
const TURNS: usize = 9;

/// Follows a run until so many of its steps were told, or until its end.
async fn follow(follower: &mut Follower, told: &mut usize, most: usize) {
    while *told < most {
        let news = follower.next().await.unwrap();
        if news.is_empty() {
            return;
        }
        *told += news.iter().filter(|one| matches!(one.what, What::Step(_))).count();
    }
}

async fn survives(database: &TestDatabase) {
    let world = World::open(database).await;
    let server =
        ScriptedModel::start(|_, before| Behaviour::Reply(ScriptedReply::text(&format!("answer {before}"))));
    let server = server.await.unwrap();
    let new = NewModel {
        base_url: server.base_url(),
        model_id: "m".to_owned(),
        protocol: None,
        key: None,
        roles: [Role::Strong].into(),
        price: Price::default(),
        profile: None,
    };
    models::put(&world.ctx, &ME, &LlmName::new("scripted").unwrap(), new).await.unwrap();
    world.add(&[CHATS.trim_start()]).await;
    let run = world.queue("chats", json!({})).await;
    let (mut follower, mut told) = (Follower::new(&world.ctx, &ME, run), 0);
    for most in [2, 5] {
        let process = world.serve();
        follow(&mut follower, &mut told, most).await;
        processes::kill(process).vanish();
        database.settle().await;
    }
    let process = world.serve();
    follow(&mut follower, &mut told, usize::MAX).await;
    let ended = world.ctx.store.run(run).await.unwrap().unwrap();
    assert_eq!(ended.state, RunState::Succeeded, "{:?}", ended.error);
    let mut asked = BTreeMap::new();
    for one in server.asked() {
        *asked.entry(one.body["messages"][0]["content"].to_string()).or_insert(0) += 1;
    }
    assert_eq!(asked.len(), TURNS, "{asked:?}");
    let count = server.asked().len();
    assert!(count <= TURNS + 2, "each death repeats at most the call that was under way: {asked:?}");
    let replayed = world.place.json(&["runs", "replay", &run.to_string()]);
    assert_eq!((&replayed["same"], server.asked().len()), (&json!(true), count), "{replayed}");
    processes::kill(process).vanish();
}

store::on_both! {
    async fn what_a_model_answered_is_not_asked_again(database: &TestDatabase) {
        survives(database).await;
    }
}
