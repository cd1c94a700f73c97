//! Binding: which parameter each argument of a call is for, by Python's own rules and in its own words.

use serde_json::{Map, Value};

use super::shape::Problems;
use super::tagged::describe;
use crate::changeset::check::nearest;
use crate::function::signature::{Parameter, ParameterKind, Signature};
use crate::input::{InputError, MOST_PROBLEMS, Problem};
use crate::phrase::cut;

/// The input that a call with these arguments stands for. What is not given is left out, so that Python fills it in.
pub fn bind(
    signature: &Signature,
    positional: Vec<Value>,
    named: Map<String, Value>,
) -> Result<Map<String, Value>, InputError> {
    let mut call = Call { signature, input: Map::new(), problems: Problems::up_to(MOST_PROBLEMS) };
    call.bind_positional(positional);
    call.bind_named(named);
    call.check_missing();
    InputError::of(call.problems)?;
    Ok(call.input)
}

struct Call<'a> {
    signature: &'a Signature,
    input: Map<String, Value>,
    problems: Problems,
}

impl<'a> Call<'a> {
    fn of_kinds(&self, kinds: &'a [ParameterKind]) -> impl Iterator<Item = &'a Parameter> + use<'a> {
        self.signature.parameters.iter().filter(|parameter| kinds.contains(&parameter.kind))
    }

    fn by_position(&self) -> Vec<&'a Parameter> {
        self.of_kinds(&[ParameterKind::PositionalOnly, ParameterKind::Positional]).collect()
    }

    fn bind_positional(&mut self, values: Vec<Value>) {
        let parameters = self.by_position();
        let given = values.len();
        let mut values = values.into_iter();
        for (parameter, value) in parameters.iter().zip(values.by_ref()) {
            self.input.insert(parameter.name.clone(), value);
        }
        if given <= parameters.len() {
            return;
        }
        match self.of_kinds(&[ParameterKind::VarPositional]).next() {
            Some(rest) => {
                self.input.insert(rest.name.clone(), values.collect());
            }
            None => self.say(too_many(&parameters, given)),
        }
    }

    fn bind_named(&mut self, named: Map<String, Value>) {
        let open = self.of_kinds(&[ParameterKind::VarKeyword]).next().is_some();
        for (name, value) in named {
            let parameter = self.signature.parameters.iter().find(|parameter| parameter.name == name);
            match parameter.map(|parameter| parameter.kind) {
                Some(ParameterKind::Positional | ParameterKind::KeywordOnly) => {
                    if self.input.contains_key(&name) {
                        self.say(about(&name, &value, format!("got multiple values for argument `{name}`")));
                    } else {
                        self.input.insert(name, value);
                    }
                }
                Some(ParameterKind::PositionalOnly) => {
                    let message = format!("got the positional-only argument `{name}` by name");
                    self.say(about(&name, &value, message));
                }
                // A name of `*args` or `**kwargs` is not a parameter to a caller, and cannot be one of the others.
                None if open => {
                    self.input.insert(name, value);
                }
                _ => {
                    let message = self.unexpected(&name);
                    self.say(about(&name, &value, message));
                }
            }
        }
    }

    fn unexpected(&self, name: &str) -> String {
        let by_name = [ParameterKind::Positional, ParameterKind::KeywordOnly];
        let parameters = self.signature.parameters.iter();
        let known: Vec<String> = parameters
            .filter(|parameter| by_name.contains(&parameter.kind))
            .map(|parameter| parameter.name.clone())
            .collect();
        let hint = nearest(name, &known).map(|near| format!("; did you mean `{near}`?"));
        format!("got an unexpected keyword argument `{}`{}", shown(name), hint.unwrap_or_default())
    }

    fn check_missing(&mut self) {
        let is_missing =
            |parameter: &&Parameter| parameter.required && !self.input.contains_key(&parameter.name);
        let positional: Vec<&Parameter> = self.by_position().into_iter().filter(is_missing).collect();
        let named: Vec<&Parameter> =
            self.of_kinds(&[ParameterKind::KeywordOnly]).filter(is_missing).collect();
        for (parameters, kind) in [(positional, "positional"), (named, "keyword-only")] {
            if !parameters.is_empty() {
                self.say(missing(&parameters, kind));
            }
        }
    }

    fn say(&mut self, problem: Problem) {
        self.problems.add(|| problem);
    }
}

fn about(name: &str, value: &Value, message: String) -> Problem {
    Problem { path: shown(name), expected: String::new(), given: describe(value), message }
}

/// As much of a caller's name as a reader wants to see.
fn shown(name: &str) -> String {
    cut(name, 60)
}

/// `takes from 1 to 2 positional arguments but 3 were given`.
fn too_many(parameters: &[&Parameter], given: usize) -> Problem {
    let most = parameters.len();
    let least = parameters.iter().filter(|parameter| parameter.required).count();
    let takes = if least == most { most.to_string() } else { format!("from {least} to {most}") };
    let plural = if most == 1 { "" } else { "s" };
    let were = if given == 1 { "was" } else { "were" };
    let expected = format!("{takes} positional argument{plural}");
    let message = format!("takes {expected} but {given} {were} given");
    Problem { path: String::new(), expected, given: given.to_string(), message }
}

/// `missing 2 required positional arguments: 'a' and 'b'`.
fn missing(parameters: &[&Parameter], kind: &str) -> Problem {
    let names: Vec<String> = parameters.iter().map(|parameter| format!("`{}`", parameter.name)).collect();
    let plural = if names.len() == 1 { "" } else { "s" };
    let list = crate::phrase::list(&names, "and");
    let message = format!("missing {} required {kind} argument{plural}: {list}", names.len());
    let path = parameters.first().map(|parameter| parameter.name.clone()).unwrap_or_default();
    Problem { path, expected: "is required".to_owned(), given: String::new(), message }
}
