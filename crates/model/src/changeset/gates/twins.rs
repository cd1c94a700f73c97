//! The gate `twins`: a new function that does what a stored one does is not needed.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::Judgement;
use super::answers::{Answer, is_same};
use crate::changeset::check::Finding;
use crate::entry::EntryKey;
use crate::function::signature::{Parameter, ParameterKind, Signature};
use crate::name::EntryName;

/// On fewer different inputs two functions are alike by chance.
pub const LEAST_INPUTS: usize = 3;

/// Whether inputs of one can be handed to the other: as many parameters, whose types are the same where both are stated.
pub fn is_same_shape(one: &Signature, other: &Signature) -> bool {
    let is_open = |parameter: &Parameter| {
        matches!(parameter.kind, ParameterKind::VarPositional | ParameterKind::VarKeyword)
    };
    let is_alike = |(one, other): (&Parameter, &Parameter)| {
        let stated = |schema: &Value| schema.as_object().is_some_and(|schema| !schema.is_empty());
        let differs = stated(&one.schema) && stated(&other.schema) && one.schema != other.schema;
        !differs && !is_open(one) && !is_open(other)
    };
    let (some, others) = (&one.parameters, &other.parameters);
    !some.is_empty()
        && some.len() == others.len()
        && one.kind.is_generator() == other.kind.is_generator()
        && some.iter().zip(others).all(is_alike)
}

/// The input under the other's names of the parameters; none if it has more than these.
pub fn renamed(input: &Map<String, Value>, from: &Signature, to: &Signature) -> Option<Map<String, Value>> {
    let to_name = |name: &String| {
        let place = from.parameters.iter().position(|parameter| parameter.name == *name)?;
        Some(to.parameters.get(place)?.name.clone())
    };
    input.iter().map(|(name, value)| Some((to_name(name)?, value.clone()))).collect()
}

/// On how many different inputs both gave the same, if that makes them the same function: never anything else, at least three values,
/// and not always one value, which any two conditions may share.
pub fn are_twins(answers: &[(Answer, Answer)]) -> Option<usize> {
    if !answers.iter().all(|(one, other)| is_same(one, other)) {
        return None;
    }
    let values: Vec<&Value> = answers.iter().filter_map(|(one, _)| one.as_ref().ok()).collect();
    let different: BTreeSet<String> = values.iter().map(ToString::to_string).collect();
    (values.len() >= LEAST_INPUTS && different.len() > 1).then_some(values.len())
}

/// What is said of twins that were found, and on how many inputs.
pub fn judge(key: &EntryKey, tried: usize, twins: &[(EntryName, usize)]) -> Judgement {
    let finding = |(twin, inputs): &(EntryName, usize)| {
        let text =
            format!("does what the stored function `{twin}` does, on all {inputs} inputs that were tried");
        let hint = format!("call `{twin}` instead; if it has to differ, add a test that shows where");
        Finding::error(key.clone(), text).hint(hint)
    };
    let note = format!("`{}` was compared with {tried} stored functions", key.name);
    let findings: Vec<Finding> = twins.iter().map(finding).collect();
    Judgement { note: findings.is_empty().then_some(note), findings, asks: false }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::python::analyse;
    use crate::run::RunError;

    fn signature(parameters: &str) -> Signature {
        analyse(&format!("def f({parameters}): return 1\n")).unwrap().signature
    }

    #[test]
    fn only_functions_that_take_the_same_are_compared() {
        let same = |one, other| is_same_shape(&signature(one), &signature(other));
        assert!(same("a: int, b", "x: int, y: str"));
        assert!(!same("a: int", "a: str"));
        assert!(!same("a", "a, b"));
        assert!(!same("*a", "*a"));
        assert!(!same("", ""), "without input there is nothing to compare on");
    }

    #[test]
    fn an_input_is_handed_over_by_place() {
        let (one, other) = (signature("a, b=1"), signature("x, y=2"));
        let input = |value: Value| value.as_object().unwrap().clone();
        assert_eq!(renamed(&input(json!({"a": 5})), &one, &other), Some(input(json!({"x": 5}))));
        assert_eq!(renamed(&input(json!({"c": 5})), &one, &other), None);
    }

    #[test]
    fn a_few_equal_values_are_not_enough_and_one_difference_is() {
        let same = |value: i32| (Ok(json!(value)), Ok(json!(value)));
        assert_eq!(are_twins(&[same(1), same(2), same(3)]), Some(3));
        assert_eq!(are_twins(&[same(1), same(2)]), None, "too few");
        assert_eq!(are_twins(&[same(1), same(1), same(1)]), None, "always the same");
        assert_eq!(are_twins(&[same(1), same(2), same(3), (Ok(json!(4)), Ok(json!(5)))]), None);
        let error = || Err(RunError::of("ValueError", ""));
        assert_eq!(are_twins(&[same(1), same(2), (error(), error())]), None, "an error is no value");
        assert_eq!(are_twins(&[same(1), same(2), same(3), (error(), Ok(json!(4)))]), None);
    }
}
