//! The keys of an object stay in the order in which they were written, wherever the object goes.

use serde_json::{Map, Value, json};
use store::testing::TestDatabase;

use crate::world::World;

const FUNCTIONS: &str = r#"
import selfmade


@selfmade.function()
def same(x, **more):
    return {"x": x, "more": more}


@selfmade.function(brain="read")
def journaled(x, **more):
    import selfmade

    # In a cell of its own: the answer comes out of the journal.
    first = selfmade.run("same", x, **more)
    selfmade.ask("Go on?")
    return [first, list(more)]

"#;

/// Objects with the same keys in every order, one inside the other.
fn every_order() -> Value {
    fn orders(keys: &[&str]) -> Vec<Vec<String>> {
        if keys.is_empty() {
            return vec![Vec::new()];
        }
        let mut all = Vec::new();
        for key in keys {
            let rest: Vec<&str> = keys.iter().copied().filter(|other| other != key).collect();
            for mut order in orders(&rest) {
                order.insert(0, (*key).to_owned());
                all.push(order);
            }
        }
        all
    }
    let object = |order: &Vec<String>, value: &Value| -> Value {
        Value::Object(order.iter().map(|key| (key.clone(), value.clone())).collect::<Map<_, _>>())
    };
    let inner: Vec<Value> = orders(&["b", "a", "c"]).iter().map(|order| object(order, &json!(1))).collect();
    orders(&["name", "age", "city", "Z"]).iter().map(|order| object(order, &json!(inner))).collect()
}

/// As text, because objects are equal whatever the order of their keys.
fn assert_same(found: &Value, expected: &Value) {
    assert_eq!(found.to_string(), expected.to_string());
}

store::on_both! {
    async fn objects_keep_the_order_of_their_keys(database: &TestDatabase) {
        let world = World::open(database).await;
        world.place.file("order.py", FUNCTIONS);
        world.place.data(&["pack", "load", "order.py"]);
        let objects = every_order();
        world.place.file("input.json", json!({"zeta": 1, "x": objects, "alpha": 2}).to_string());
        let input = world.place.path("input.json").display().to_string();
        let output = json!({"x": objects, "more": {"zeta": 1, "alpha": 2}});

        let run = world.place.json(&["run", "same", "--input", &input]);
        assert_same(&run["output"], &output);
        let id = run["run_id"].as_str().unwrap();
        let shown = world.place.json(&["runs", "show", id]);
        assert_same(&shown["output"], &output);
        assert_same(&shown["input"]["x"], &objects);

        // What was journaled is fed back when the run goes on, and when it is replayed.
        world.place.run(&["run", "journaled", "--input", &input]);
        let page = world.place.json(&["runs", "list", "--state", "waiting"]);
        let id = page["runs"][0]["run_id"].as_str().unwrap();
        world.place.data(&["runs", "answer", id, "yes"]);
        let server = world.serve();
        world.place.data(&["runs", "tail", id]);
        let output = json!([output, ["zeta", "alpha"]]);
        assert_same(&world.place.json(&["runs", "show", id])["output"], &output);
        assert_same(&world.place.json(&["runs", "replay", id])["replayed"]["output"], &output);
        drop(server);
    }
}
