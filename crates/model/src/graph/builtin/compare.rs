//! Comparing two values. Nothing is converted: `"5"` is not 5.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use crate::input::tagged::describe;

pub(super) fn holds(left: &Value, operator: &str, right: &Value) -> Result<bool, String> {
    let ordered = || {
        let refused = || {
            let (left, right) = (describe(left), describe(right));
            format!("`{operator}` cannot compare {left} with {right}; both must be numbers or both texts")
        };
        order(left, right).ok_or_else(refused)
    };
    match operator {
        "==" => Ok(is_equal(left, right)),
        "!=" => Ok(!is_equal(left, right)),
        "<" => ordered().map(Ordering::is_lt),
        "<=" => ordered().map(Ordering::is_le),
        ">" => ordered().map(Ordering::is_gt),
        ">=" => ordered().map(Ordering::is_ge),
        other => Err(format!("`{other}` is not a comparison; use `==`, `!=`, `<`, `<=`, `>` or `>=`")),
    }
}

/// As in Python, 1 and 1.0 are equal, also inside of lists and objects.
fn is_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => order_numbers(left, right) == Some(Ordering::Equal),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            let same =
                |(key, value): (&String, &Value)| right.get(key).is_some_and(|other| is_equal(value, other));
            left.len() == right.len() && left.iter().all(same)
        }
        _ => left == right,
    }
}

fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => order_numbers(left, right),
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

/// Whole numbers exactly; a float would make neighbours of large ones the same.
fn order_numbers(left: &Number, right: &Number) -> Option<Ordering> {
    let whole = |number: &Number| number.as_i128();
    match (whole(left), whole(right)) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_and_texts_are_compared_without_conversion() {
        let yes = [
            (json!(1), "==", json!(1.0)),
            (json!("5"), "!=", json!(5)),
            (json!("10"), "<", json!("9")),
            (json!(10), ">", json!(9.5)),
            (json!(u64::MAX), ">", json!(u64::MAX - 1)),
            (json!(null), "==", json!(null)),
            (json!(false), "!=", json!(0)),
            (json!([1, {"a": 2.0}]), "==", json!([1.0, {"a": 2}])),
        ];
        for (left, operator, right) in yes {
            assert_eq!(holds(&left, operator, &right), Ok(true), "{left} {operator} {right}");
        }
        assert_eq!(holds(&json!(2), "<=", &json!(1)), Ok(false));
    }

    #[test]
    fn what_has_no_order_is_an_error_and_not_false() {
        insta::assert_snapshot!(holds(&json!("5"), ">", &json!(3)).unwrap_err(), @"`>` cannot compare the string `5` with the number 3; both must be numbers or both texts");
        insta::assert_snapshot!(holds(&json!(null), "<", &json!(null)).unwrap_err(), @"`<` cannot compare null with null; both must be numbers or both texts");
    }
}
