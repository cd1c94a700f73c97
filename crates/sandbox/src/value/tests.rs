use serde_json::json;

use super::Value;

fn round_trip(value: &Value) {
    let text = serde_json::to_string(value).unwrap();
    let back: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(format!("{back:?}"), format!("{value:?}"), "through {text}");
}

#[test]
fn odd_values_come_back_as_they_were() {
    round_trip(&Value::Float(f64::NAN));
    round_trip(&Value::Float(f64::NEG_INFINITY));
    round_trip(&Value::Float(-0.0));
    round_trip(&Value::BigInt("-0x1ffffffffffffffffff".into()));
    round_trip(&Value::Tuple(vec![Value::Set(vec![Value::Int(1)]), Value::FrozenSet(vec![])]));
    round_trip(&Value::Dict(vec![(Value::Int(1), Value::None), (Value::Tuple(vec![]), Value::Bool(true))]));
    round_trip(&Value::Bytes(vec![0, 255, 7]));
    round_trip(&Value::TimeDelta([-1, 86399, 5]));
    round_trip(&Value::Described { type_name: "socket.socket".into(), text: String::new() });
}

#[test]
fn a_dict_whose_key_looks_like_a_tag_stays_a_dict() {
    let value = Value::Map(vec![("$bytes".into(), "not base64!".into())]);
    assert_eq!(value.to_json(), json!({ "$dict": [["$bytes", "not base64!"]] }));
    round_trip(&value);
}

#[test]
fn the_order_of_keys_is_kept() {
    let value: Value = serde_json::from_str(r#"{"b":1,"a":2}"#).unwrap();
    assert_eq!(serde_json::to_string(&value).unwrap(), r#"{"b":1,"a":2}"#);
}

#[test]
fn a_tag_that_holds_something_else_is_refused() {
    for text in [
        r#"{"$bytes":"%"}"#,
        r#"{"$int":"0x"}"#,
        r#"{"$int":"12"}"#,
        r#"{"$dict":[[1]]}"#,
        r#"{"$dict":{}}"#,
        r#"{"$float":"1e5"}"#,
        r#"{"$decimal":"1;drop"}"#,
        r#"{"$datetime":"<b>"}"#,
        r#"{"$timedelta":[1,2]}"#,
        r#"{"$unknown":1}"#,
    ] {
        assert!(serde_json::from_str::<Value>(text).is_err(), "{text}");
    }
}

#[test]
fn a_key_that_is_there_twice_is_refused() {
    let many = |last: &str| {
        let pairs: Vec<String> = (0..40).map(|n| format!(r#""k{n}":0"#)).collect();
        format!(r#"{{{},"{last}":1}}"#, pairs.join(","))
    };
    for text in [r#"{"a":1,"b":2,"a":3}"#, r#"[{"a":1,"a":1}]"#, &many("k7")] {
        let error = serde_json::from_str::<Value>(text).unwrap_err().to_string();
        assert!(error.contains("is there twice"), "{text}: {error}");
    }
    assert!(serde_json::from_str::<Value>(&many("new")).is_ok());
}

#[test]
fn values_inside_of_values_are_counted() {
    let value: Value =
        serde_json::from_str(r#"{"a":[1,{"$tuple":[2,3]}],"b":{"$dict":[[1,2],[3,4]]}}"#).unwrap();
    assert_eq!(value.count(), 11);
}

#[test]
fn a_description_is_noticed_at_any_depth() {
    let inner = Value::Described { type_name: "x".into(), text: String::new() };
    assert!(Value::List(vec![Value::Map(vec![("k".into(), inner)])]).is_described());
    assert!(!Value::List(vec![Value::Int(1)]).is_described());
}
