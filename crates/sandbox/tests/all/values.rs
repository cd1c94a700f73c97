//! Values go in and come out as they were, or say why not.

use selfmade_sandbox::{Ending, Value};
use serde_json::json;

use crate::support::{World, returned};

#[tokio::test]
async fn odd_values_come_back_as_they_went_in() {
    let world = World::new().await;
    let odd = json!([
        null, true, 0, -1, 1.5, 9_007_199_254_740_993_i64, "text ☃ 💥", "",
        { "$int": "-0x1ffffffffffffffffffffff" },
        { "$float": "nan" }, { "$float": "inf" }, { "$float": "-inf" },
        { "$bytes": "AP8H" }, { "$tuple": [1, { "$tuple": [] }] }, { "$set": [1] }, { "$frozenset": ["a"] },
        { "$dict": [[1, "one"], [{ "$tuple": [1, 2] }, null]] }, { "$dict": [["$bytes", 1]] },
        { "$datetime": "2026-11-15T23:45:57.000001+02:00" }, { "$date": "2026-02-28" }, { "$time": "23:59:59" },
        { "$timedelta": [-1, 86399, 999_999] }, { "$decimal": "1.10" }, { "$decimal": "NaN" },
        { "b": [1, [2, [3, {}]]], "a": {} }, [], {}
    ]);
    let job = world.job("def f(x):\n    return x", json!({ "x": odd.clone() }));
    assert_eq!(returned(world.run(&job).await.ending), odd);
}

#[tokio::test]
async fn python_sees_the_real_types() {
    let world = World::new().await;
    let input = json!({ "x": [{ "$bytes": "AA==" }, { "$tuple": [] }, { "$set": [] }, { "$decimal": "1" },
                              { "$datetime": "2026-01-01T00:00:00" }, { "$int": "0xffffffffffffffffff" }] });
    let job = world.job("def f(x):\n    return [type(v).__name__ for v in x]", input);
    assert_eq!(
        returned(world.run(&job).await.ending),
        json!(["bytes", "tuple", "set", "Decimal", "datetime", "int"])
    );
}

#[tokio::test]
async fn the_order_of_a_dict_is_kept() {
    let world = World::new().await;
    let Ending::Returned(Value::Map(pairs)) = world.ending("def f():\n    return {'b': 1, 'a': 2}").await
    else {
        panic!("it should have returned a dict")
    };
    assert_eq!(pairs.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), ["b", "a"]);
}

#[tokio::test]
async fn subclasses_travel_as_what_they_extend() {
    let world = World::new().await;
    let source = "def f():\n    import collections, enum\n    P = collections.namedtuple('P', 'x y')\n    \
                  class C(str, enum.Enum): RED = 'red'\n    return [P(1, 2), C.RED, collections.Counter('aa'), True]";
    assert_eq!(world.returned(source).await, json!([{ "$tuple": [1, 2] }, "red", { "a": 2 }, true]));
}

#[tokio::test]
async fn a_result_that_cannot_be_carried_is_an_error_that_names_it_and_a_description() {
    let world = World::new().await;
    let ending = world.ending("def f():\n    return {'a': [1, open('/dev/null')], 'b': 2}").await;
    let Ending::Raised(error) = ending else { panic!("{ending:?}") };
    assert_eq!(error.type_name, "selfmade.NotCarried");
    assert!(error.cause.is_none() && !error.traceback.contains("During handling"), "{}", error.traceback);
    assert_eq!(
        error.message,
        "the result['a'][1] is a `_io.TextIOWrapper`, which cannot leave the cell; use plain data"
    );
    let described =
        json!({ "a": [1, { "$described": { "type": "_io.TextIOWrapper", "text": "" } }], "b": 2 });
    assert_eq!(error.value.unwrap().to_json(), described);
}

#[tokio::test]
async fn results_without_end_are_refused() {
    let world = World::new().await;
    let refused = world.raised("def f():\n    x = []\n    x.append(x)\n    return x").await;
    assert!(refused.ends_with("is nested more than 48 levels deep"), "{refused}");
    let refused = world.raised("def f():\n    return [0] * 300_000").await;
    assert_eq!(refused, "selfmade.NotCarried: the result has more than 200000 items in all");
    let refused = world.raised("def f():\n    return 'x' * (9 << 20)").await;
    assert!(refused.contains("at most 8388608 can leave the cell at once"), "{refused}");
    let refused = world.raised("def f():\n    return '\\ud800'").await;
    assert!(refused.contains("lone surrogates"), "{refused}");
}

#[tokio::test]
async fn every_kind_of_parameter_is_filled_from_the_input() {
    let world = World::new().await;
    let source = "def f(a, b=5, /, c=6, *rest, d, e=8, **more):\n    return [a, b, c, rest, d, e, more]";
    let run = async |input| returned(world.run(&world.job(source, input)).await.ending);
    assert_eq!(run(json!({ "a": 1, "d": 7 })).await, json!([1, 5, 6, { "$tuple": [] }, 7, 8, {}]));
    assert_eq!(
        run(json!({ "a": 1, "b": 2, "c": 3, "rest": [4, 5], "d": 7, "z": 9 })).await,
        json!([1, 2, 3, { "$tuple": [4, 5] }, 7, 8, { "z": 9 }])
    );
    let ending = world.run(&world.job(source, json!({ "d": 1 }))).await.ending;
    let Ending::Raised(error) = ending else { panic!("{ending:?}") };
    assert_eq!(error.message, "f() missing 1 required positional argument: 'a'");
}

#[tokio::test]
async fn a_large_input_and_result_get_through() {
    let world = World::new().await;
    let text = "ä".repeat(1 << 20);
    let job = world.job("def f(x):\n    return x", json!({ "x": text }));
    assert_eq!(returned(world.run(&job).await.ending), json!(text));
}
