//! Arguments find their parameters as in Python.

use proptest::prelude::*;
use selfmade_model::input::bind;
use selfmade_model::python::analyse;
use serde_json::{Map, Value, json};

fn call(signature: &str, positional: Value, named: Value) -> Result<Value, String> {
    let signature = analyse(&format!("def f({signature}): ...\n")).unwrap().signature;
    let (positional, named) =
        (serde_json::from_value(positional).unwrap(), serde_json::from_value(named).unwrap());
    bind(&signature, positional, named).map(Value::Object).map_err(|error| error.to_string())
}

fn refused(signature: &str, positional: Value, named: Value) -> String {
    call(signature, positional, named).unwrap_err()
}

#[test]
fn arguments_by_position_and_by_name_meet_their_parameters() {
    assert_eq!(call("a, b, c=3", json!([1]), json!({"b": 2})), Ok(json!({"a": 1, "b": 2})));
    assert_eq!(
        call("a, *rest, k", json!([1, 2, 3]), json!({"k": 4})),
        Ok(json!({"a": 1, "rest": [2, 3], "k": 4}))
    );
    assert_eq!(call("a, /, b, **more", json!([1, 2]), json!({"x": 3})), Ok(json!({"a": 1, "b": 2, "x": 3})));
    assert_eq!(call("a=1, *rest", json!([]), json!({})), Ok(json!({})), "Python fills in the rest");
}

#[test]
fn too_many_by_position_are_counted() {
    insta::assert_snapshot!(refused("a, b", json!([1, 2, 3]), json!({})), @"takes 2 positional arguments but 3 were given");
    insta::assert_snapshot!(refused("a, b=1", json!([1, 2, 3]), json!({})), @"takes from 1 to 2 positional arguments but 3 were given");
    insta::assert_snapshot!(refused("", json!([1]), json!({})), @"takes 0 positional arguments but 1 was given");
    insta::assert_snapshot!(refused("*, k=1", json!([1]), json!({})), @"takes 0 positional arguments but 1 was given");
}

#[test]
fn the_same_parameter_twice_is_refused() {
    insta::assert_snapshot!(refused("a, b=0", json!([1]), json!({"a": 2})), @"got multiple values for argument `a`");
}

#[test]
fn what_no_parameter_takes_is_refused_with_the_nearest() {
    insta::assert_snapshot!(refused("name", json!(["x"]), json!({"nmae": 2})), @"got an unexpected keyword argument `nmae`; did you mean `name`?");
    insta::assert_snapshot!(refused("*args", json!([]), json!({"args": [1]})), @"got an unexpected keyword argument `args`");
    insta::assert_snapshot!(refused("a, /", json!([]), json!({"a": 1})), @"got the positional-only argument `a` by name; missing 1 required positional argument: `a`");
}

#[test]
fn what_is_missing_is_named() {
    insta::assert_snapshot!(refused("a, b, c, d=1", json!([]), json!({})), @"missing 3 required positional arguments: `a`, `b` and `c`");
    insta::assert_snapshot!(refused("a, *, k, l", json!([1]), json!({"l": 1})), @"missing 1 required keyword-only argument: `k`");
}

proptest! {
    #[test]
    fn giving_by_position_is_naming_the_first(count in 0_usize..5, split in 0_usize..5) {
        let names = ["a", "b", "c", "d"];
        let (count, split) = (count.min(4), split.min(count.min(4)));
        let positional: Vec<usize> = (0..split).collect();
        let named: Map<String, Value> = (split..count).map(|n| (names[n].to_owned(), json!(n))).collect();
        let all: Map<String, Value> = (0..count).map(|n| (names[n].to_owned(), json!(n))).collect();
        let bound = call("a=9, b=9, c=9, d=9", json!(positional), Value::Object(named));
        prop_assert_eq!(bound, Ok(Value::Object(all)));
    }
}
