//! Secrets that functions of a graph use, and pass on wherever they can.

use serde_json::{Value, json};
use store::testing::TestDatabase;

use super::{API, Autogpt, PRINT, STORE, graph, outputs};

const SECRET: &str = "key-planted-0123456789";

const TELLS: &str = r#"import selfmade


@selfmade.function(secrets=["shared_key"])
def tells(how: str) -> str:
    from selfmade import secrets

    print("printed", secrets.shared_key)
    if how == "raised":
        raise ValueError("it is " + secrets.shared_key)
    return "it is " + secrets.shared_key
"#;

store::on_both! {
    async fn secrets_are_in_no_result_event_export_or_log(database: &TestDatabase) {
        let autogpt = Autogpt::open(database).await;
        autogpt.post(&format!("{API}/settings"), &json!({ "secrets": { "shared_key": SECRET } }));
        autogpt.world.place.add(TELLS);
        let made = autogpt.create(graph(
            &[
                ("returns", "selfmade:tells", json!({ "how": "returned" })),
                ("raises", "selfmade:tells", json!({ "how": "raised" })),
                ("text", PRINT, json!({})),
                ("keep", STORE, json!({ "input": "nothing" })),
            ],
            &["returns.output -> text.text", "raises.error -> keep.data"],
        ));
        let run = autogpt.begin(&made, &json!({}));
        let record = autogpt.ended(&run);
        assert_eq!(record["state"], "succeeded", "{record}");
        let executions = autogpt.executions(&made, &run);
        assert_eq!(outputs(&executions, "keep").len(), 1, "{executions:#?}");
        let mut told = vec![record.to_string(), Value::from(executions).to_string()];
        for path in [
            format!("/api/v1/runs/{run}/nodes"),
            format!("/api/v1/runs/{run}/stream"),
            "/api/v1/runs?limit=100".to_owned(),
            "/api/v1/graphs/test_graph".to_owned(),
            "/api/v1/graphs/test_graph/export".to_owned(),
            "/api/v1/graphs/test_graph/drawing".to_owned(),
            format!("{API}/graphs/{}", made.0),
        ] {
            told.push(autogpt.get(&path).to_string());
        }
        told.push(format!("{:?}", autogpt.world.events().await));
        let place = &autogpt.world.place;
        told.push(place.run(&["runs", "show", &run]));
        told.push(place.run(&["export", "folder"]));
        autogpt.server.signal("TERM");
        told.push(autogpt.server.ended().1);
        for text in told {
            assert!(!text.contains("planted"), "{text}");
        }
        for entry in walk(&place.path("folder")) {
            assert!(!String::from_utf8_lossy(&std::fs::read(&entry).unwrap()).contains("key-planted"), "{}", entry.display());
        }
    }
}

/// The files of a folder, however deep.
fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let (folders, mut files): (Vec<_>, Vec<_>) =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).partition(|path| path.is_dir());
    files.extend(folders.iter().flat_map(|folder| walk(folder)));
    files
}
