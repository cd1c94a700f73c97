//! What BabyAGI's `func` asks of the host inside a cell.

use model::run::RunState;
use sandbox::Value;
use secrecy::SecretBox;
use serde_json::{Value as Json, json};
use server::app::changesets::Breakage;
use server::app::{changesets, secrets};
use store::on_both;
use store::testing::TestDatabase;

use crate::engine::script::{Asking, Stage, raised};
use crate::world::ME;

/// A brain with a function `asks` whose part asks for one verb and returns the answer.
async fn asking(database: &TestDatabase, verb: &'static str, arguments: Json) -> Stage {
    let stage = Stage::open(database).await;
    stage.add(&["def asks():\n    pass\n", "def there(n: int = 1):\n    return n\n"]).await;
    stage.script.part("there", |_, _| async { Ok(7.into()) });
    stage.script.part("asks", move |_, asking: Asking| {
        let arguments = arguments.clone();
        async move {
            let positional = arguments.as_array().unwrap().iter().map(|one| Value::from_json(one).unwrap());
            asking
                .verb(verb, positional.collect())
                .await
                .map_err(|error| raised("Refused", &format!("{error:?}")))
        }
    });
    stage
}

async fn answer(stage: &Stage) -> Result<Json, String> {
    let run = stage.start("asks", json!({})).await.unwrap();
    match run.state {
        RunState::Succeeded => Ok(run.output.unwrap()),
        _ => Err(run.error.unwrap().message),
    }
}

on_both! {
    async fn functions_are_shown_as_they_are_now(database: &TestDatabase) {
        let stage = asking(database, "babyagi.get_function", json!(["there"])).await;
        let shown = answer(&stage).await.unwrap();
        assert_eq!((&shown["name"], &shown["input_parameters"][0]["default"]), (&json!("there"), &json!(1)));
        let stage = asking(database, "babyagi.get_function", json!(["no name"])).await;
        assert_eq!(answer(&stage).await.unwrap(), Json::Null);
    }

    async fn functions_are_listed_a_page_at_a_time(database: &TestDatabase) {
        let stage = asking(database, "babyagi.get_functions", json!(["asks"])).await;
        let listed = answer(&stage).await.unwrap();
        assert_eq!((listed.as_array().unwrap().len(), &listed[0]["name"]), (1, &json!("there")));
    }

    async fn another_function_is_a_run_below(database: &TestDatabase) {
        let stage = asking(database, "babyagi.run", json!(["there", 3])).await;
        assert_eq!(answer(&stage).await.unwrap(), json!(7));
        let stage = asking(database, "babyagi.run", json!([])).await;
        assert!(answer(&stage).await.unwrap_err().contains("needs the name of a function first"));
    }

    async fn what_is_added_waits_for_a_person_unless_configured_otherwise(database: &TestDatabase) {
        let stated = json!({ "code": "def new():\n    return there()", "dependencies": ["there"], "triggers": ["there"] });
        let stage = asking(database, "babyagi.add_function", json!(["new", stated])).await;
        let made = answer(&stage).await.unwrap();
        assert_eq!(made, json!({ "applied": false, "changeset": made["changeset"], "problems": [] }));
        changesets::apply(&stage.ctx, &ME, made["changeset"].as_u64().unwrap(), Breakage::Refused).await.unwrap();
        // Once it is there, adding the same again has nothing to do.
        assert_eq!(answer(&stage).await.unwrap(), json!({ "applied": true }));
        stage.close().await;
    }

    async fn what_would_be_stored_holds_no_secret(database: &TestDatabase) {
        let stated = json!({ "code": "def new():\n    return 'value-of-a-secret'" });
        let stage = asking(database, "babyagi.add_function", json!(["new", stated])).await;
        let value = SecretBox::new(Box::new(b"value-of-a-secret".to_vec()));
        secrets::set(&stage.ctx, &ME, "k", &value).await.unwrap();
        stage.register("import selfmade\n\n@selfmade.function(secrets=[\"k\"])\ndef asks():\n    pass\n").await;
        assert!(answer(&stage).await.unwrap_err().contains("contains the value of a secret"));
        stage.close().await;
    }

    async fn without_a_model_it_says_how_to_have_one(database: &TestDatabase) {
        let stage = asking(database, "model.complete", json!([{ "model": "m", "messages": [] }])).await;
        let told = answer(&stage).await.unwrap_err();
        assert!(told.contains("selfmade secret set openai_api_key") && told.contains("selfmade model add"), "{told}");
    }
}
