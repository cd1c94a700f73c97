//! What a caller passes in is checked against the signature, and every problem is told with its place.

use proptest::prelude::*;
use selfmade_model::function::signature::Signature;
use selfmade_model::input::InputSchema;
use selfmade_model::python::analyse;
use serde_json::{Map, Value, json};

fn signature(source: &str) -> Signature {
    let source = if source.contains("def ") { source.to_owned() } else { format!("def f({source}): ...\n") };
    analyse(&source).unwrap().signature
}

fn check(source: &str, input: Value) -> String {
    let input: Map<String, Value> = serde_json::from_value(input).unwrap();
    match InputSchema::compile(&signature(source)).check(&input) {
        Ok(()) => "fits".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn fits(source: &str, input: Value) {
    assert_eq!(check(source, input), "fits");
}

#[test]
fn a_value_of_the_right_type_fits() {
    fits(
        "a: int, b: float, c: str, d: bool, e: None",
        json!({"a": 1, "b": 1, "c": "", "d": false, "e": null}),
    );
    fits("a, *rest: int, k=3, **more", json!({"a": {"any": []}, "rest": [1, 2], "other": 1}));
    fits("a: int", json!({"a": 3.0}));
    fits("a: dict[str, list[int]]", json!({"a": {"x": [1], "y": []}}));
    fits("", json!({}));
}

#[test]
fn a_wrong_type_is_reported_with_place_expectation_and_what_came() {
    insta::assert_snapshot!(check("a: float", json!({"a": "x"})), @"`a` must be a number, not the string `x`");
    insta::assert_snapshot!(check("a: int", json!({"a": 1.5})), @"`a` must be an integer, not the number 1.5");
    insta::assert_snapshot!(check("a: int", json!({"a": true})), @"`a` must be an integer, not true");
    insta::assert_snapshot!(check("a: str", json!({"a": [1, 2]})), @"`a` must be a string, not a list of length 2");
    insta::assert_snapshot!(check("a: list[dict[str, int]]", json!({"a": [{}, {"x": 1}, {"price": null}]})), @"`a[2].price` must be an integer, not null");
    insta::assert_snapshot!(check("*rest: int", json!({"rest": [1, "2"]})), @"`rest[1]` must be an integer, not the string `2`");
    insta::assert_snapshot!(check("**more: int", json!({"x": "2"})), @"`x` must be an integer, not the string `2`");
}

#[test]
fn every_problem_is_reported_at_once() {
    insta::assert_snapshot!(check("name: str, count: int, flag: bool = False", json!({"nmae": "x", "flag": "yes"})), @"`name` is required; `count` is required; `nmae` is not a parameter; did you mean `name`?; `flag` must be true or false, not the string `yes`");
    let many: Map<String, Value> = (0..30).map(|n| (format!("x{n:02}"), json!(n))).collect();
    let told = check("**more: str", Value::Object(many));
    assert!(told.ends_with("; and 10 more"), "{told}");
}

#[test]
fn a_name_that_is_no_parameter_is_reported_with_those_that_are() {
    insta::assert_snapshot!(check("left: int, right: int = 0", json!({"left": 1, "zzz": 1})), @"`zzz` is not a parameter; the parameters are `left`, `right`");
    insta::assert_snapshot!(check("", json!({"zzz": 1})), @"`zzz` is not a parameter; there are no parameters");
}

#[test]
fn alternatives_are_reported_in_words() {
    let literal = "from typing import Literal\ndef f(mode: Literal['fast', 'slow', 3]): ...\n";
    insta::assert_snapshot!(check(literal, json!({"mode": "quick"})), @"`mode` must be one of `fast`, `slow`, `3`, not the string `quick`");
    fits(literal, json!({"mode": 3.0}));
    insta::assert_snapshot!(check("a: int | str | None", json!({"a": []})), @"`a` must be an integer, a string or null, not a list of length 0");
    insta::assert_snapshot!(check("a: list[int] | None", json!({"a": [1, "x"]})), @"`a[1]` must be an integer, not the string `x`");
    insta::assert_snapshot!(check("a: list[int] | list[str]", json!({"a": [1, "x"]})), @"`a` must be a list, not a list of length 2");
}

#[test]
fn keys_of_a_typed_dict_are_told_where_they_are() {
    let source = "from typing import TypedDict\n\nclass Item(TypedDict):\n    name: str\n    price: float\n\n\ndef f(items: list[Item]): ...\n";
    fits(source, json!({"items": [{"name": "a", "price": 1, "more": true}]}));
    insta::assert_snapshot!(check(source, json!({"items": [{"name": "a"}, {"name": 1, "price": "x"}]})), @"`items[0].price` is required; `items[1].name` must be a string, not the number 1; `items[1].price` must be a number, not the string `x`");
}

#[test]
fn the_default_may_be_given_whatever_the_type_is() {
    fits("a: str = None, b: int = ''", json!({"a": null, "b": ""}));
    insta::assert_snapshot!(check("a: str = None", json!({"a": 1})), @"`a` must be a string, not the number 1");
}

#[test]
fn times_and_bytes_are_texts_of_a_certain_form() {
    let source = "import datetime, uuid\ndef f(at: datetime.datetime = None, day: datetime.date = None, time: datetime.time = None, data: bytes = None, id: uuid.UUID = None): ...\n";
    fits(source, json!({"at": "2026-01-31T09:00:00Z", "day": "2026-01-31", "time": "09:00", "data": "aGk="}));
    fits(source, json!({"at": "2026-01-31 09:00:00", "id": "0190a0a0-0000-7000-8000-000000000000"}));
    fits(
        source,
        json!({"at": {"$datetime": "2026-01-31T09:00:00"}, "day": {"$date": "2026-01-31"}, "data": {"$bytes": "aGk="}}),
    );
    insta::assert_snapshot!(check(source, json!({"at": "tomorrow", "data": "?", "id": "x"})), @"`at` must be a date and time such as `2026-01-31T09:00:00Z`, not the string `tomorrow`; `data` must be bytes in base64, not the string `?`; `id` must be a UUID, not the string `x`");
    insta::assert_snapshot!(check("a: str", json!({"a": {"$datetime": "2026-01-31T09:00:00"}})), @"`a` must be a string, not a date and time");
}

#[test]
fn values_that_json_lacks_fit_where_python_would_take_them() {
    fits("a", json!({"a": {"$bytes": "aGk="}}));
    fits("a: list[int]", json!({"a": {"$tuple": [1, 2]}}));
    fits("a: tuple[int, str]", json!({"a": [1, "x"]}));
    fits("a: set[int]", json!({"a": {"$set": [1, 2]}}));
    fits("a: dict[int, str]", json!({"a": {"$dict": [[1, "x"]]}}));
    fits("a: int, b: float", json!({"a": {"$int": "0xffffffffffffffffffff"}, "b": {"$float": "nan"}}));
    fits("a: float", json!({"a": {"$decimal": "1.5"}}));
    fits("from decimal import Decimal\ndef f(a: Decimal): ...\n", json!({"a": {"$decimal": "1.5"}}));
    insta::assert_snapshot!(check("a: dict", json!({"a": {"$tuple": [1, 2]}})), @"`a` must be an object, not a tuple of length 2");
    insta::assert_snapshot!(check("a: dict[int, str]", json!({"a": {"$dict": [[1, 2]]}})), @"`a.1` must be a string, not the number 2");
    insta::assert_snapshot!(check("a: tuple[int, str]", json!({"a": {"$tuple": [1]}})), @"`a` must be a list of length 2, not a tuple of length 1");
    insta::assert_snapshot!(check("a: set[int]", json!({"a": [1, 1]})), @"`a` must be a list of unique values, not one with duplicates");
}

#[test]
fn a_tag_that_stands_for_nothing_is_refused_even_where_anything_fits() {
    insta::assert_snapshot!(check("a", json!({"a": [{"$ref": "#/x"}]})), @r#"`a[0]` has the single key `$ref`; such keys mark special values, and this one is unknown; write `{"$dict": [["$ref", …]]}` for an object with that key"#);
    insta::assert_snapshot!(check("a", json!({"a": {"x": {"$bytes": 1}}})), @"`a.x.$bytes` must be a string, not the number 1");
    fits("a", json!({"a": {"$dict": [["$ref", {"$tuple": [{"$timedelta": [1, 0, 0]}]}]]}}));
    fits("a", json!({"a": {"$ref": 1, "more": 2}}));
}

#[test]
fn a_schema_from_elsewhere_is_kept_too() {
    let mut signature = signature("n, items=None");
    signature.input = json!({
        "type": "object", "required": ["n"],
        "properties": {"n": {"type": "integer", "minimum": 1}, "items": {"type": "array", "items": {"pattern": "^a"}}},
    });
    let schema = InputSchema::compile(&signature);
    let told = |input: Value| schema.check(input.as_object().unwrap()).map_err(|error| error.to_string());
    assert_eq!(told(json!({"n": 1, "items": {"$tuple": ["ab"]}})), Ok(()));
    insta::assert_snapshot!(told(json!({"n": 0, "items": ["ab", "b"]})).unwrap_err(), @r#"`n` does not match its schema: 0 is less than the minimum of 1; `items[1]` does not match its schema: "b" does not match "^a""#);
    signature.input = json!({"$ref": "https://example.com/schema.json"});
    assert!(InputSchema::compile(&signature).check(&Map::new()).is_ok(), "nothing is fetched");
}

#[test]
fn an_error_stays_small_however_large_the_input_is() {
    let told = check("a: int, b: int", json!({"a": "x".repeat(1_000_000), "b": vec![0; 100_000]}));
    assert!(told.len() < 250, "{}", told.len());
    let long = "k".repeat(1_000_000);
    for source in ["a=1", "**more: int", "a: dict[str, int] = {}"] {
        let told = check(source, json!({long.as_str(): "x", "a": {long.as_str(): "x"}}));
        assert!(told.len() < 400, "{source}: {}", told.len());
    }
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        prop::sample::select(vec!["null", "boolean", "integer", "number", "string"])
            .prop_map(|kind| json!({ "type": kind })),
        Just(json!({"enum": [1, "a", null]})),
        Just(json!({"type": "integer", "minimum": 2})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let object = (prop::collection::btree_map("[abc]", inner.clone(), 0..3), inner.clone(), 0..3_u8)
            .prop_map(|(properties, other, open)| {
                let required: Vec<String> = properties.keys().take(1).cloned().collect();
                let others = [json!(false), json!(true), other][usize::from(open)].clone();
                json!({"type": "object", "properties": properties, "required": required, "additionalProperties": others})
            });
        prop_oneof![
            object,
            prop::collection::vec(inner.clone(), 1..3).prop_map(|all| json!({ "anyOf": all })),
            inner.clone().prop_map(|items| json!({"type": "array", "items": items, "uniqueItems": true})),
            prop::collection::vec(inner, 1..3).prop_map(
                |all| json!({"type": "array", "prefixItems": all, "minItems": all.len(), "maxItems": all.len()})
            ),
        ]
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..4_i64).prop_map(Value::from),
        Just(json!(1.5)),
        "[ab]".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[abc]", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn tupled(value: &Value) -> Value {
    match value {
        Value::Array(items) => json!({"$tuple": items.iter().map(tupled).collect::<Vec<_>>()}),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), tupled(value))).collect(),
        other => other.clone(),
    }
}

fn whether_fits(schema: &Value, value: Value) -> bool {
    let mut signature = signature("a");
    signature.input = json!({"type": "object", "properties": {"a": schema}});
    InputSchema::compile(&signature).check(&Map::from_iter([("a".to_owned(), value)])).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn what_fits_is_what_json_schema_says(schema in schema(), value in value()) {
        let expected = jsonschema::validator_for(&schema).unwrap().is_valid(&value);
        prop_assert_eq!(whether_fits(&schema, value), expected);
    }

    #[test]
    fn a_tuple_fits_wherever_a_list_of_different_values_does(schema in schema(), value in value()) {
        // A list with twins is no set; a tuple may have them.
        if whether_fits(&schema, value.clone()) {
            prop_assert!(whether_fits(&schema, tupled(&value)));
        }
    }
}
