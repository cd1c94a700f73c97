//! The arguments of a host verb, by name, checked against the table of verbs.

use indexmap::IndexMap;
use model::run::host_verb::{HostVerb, VerbParameter, VerbType};
use sandbox::{Arguments, Value};
use serde_json::Value as Json;

use super::{Host, Refusal};

pub(super) struct VerbArguments {
    pub(super) verb: HostVerb,
    values: IndexMap<String, Value>,
}

impl VerbArguments {
    /// Positional arguments take the names of the parameters in order. All that are required are there afterwards, and what is
    /// there is of the type it has to be.
    pub(super) fn new(verb: HostVerb, arguments: Arguments) -> Result<VerbArguments, Refusal> {
        let (name, parameters) = (verb.name(), verb.row().parameters);
        let mut values = arguments.named;
        if arguments.positional.len() > parameters.len() {
            let (most, given) = (parameters.len(), arguments.positional.len());
            return Err(Refusal::Refused(format!("`{name}` takes {most} arguments, not {given}")));
        }
        for (parameter, value) in parameters.iter().zip(arguments.positional) {
            if values.insert(parameter.name.to_owned(), value).is_some() {
                return Err(Refusal::Refused(format!("`{name}` got `{}` twice", parameter.name)));
            }
        }
        if let Some(unknown) = values.keys().find(|given| parameters.iter().all(|one| one.name != *given)) {
            let text = format!("`{name}` has no argument `{unknown}`; write `{}`", verb.row().usage());
            return Err(Refusal::Refused(text));
        }
        values.retain(|_, value| *value != Value::None);
        for parameter in parameters {
            check(name, parameter, values.get(parameter.name))?;
        }
        Ok(VerbArguments { verb, values })
    }

    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        match self.take(name) {
            Some(Value::Str(text)) => Some(text),
            _ => None,
        }
    }

    /// Without taking it.
    pub(super) fn peek_text(&self, name: &str) -> Option<&str> {
        match self.values.get(name) {
            Some(Value::Str(text)) => Some(text),
            _ => None,
        }
    }

    /// How long an argument is as JSON; zero if it is absent.
    pub(super) fn bytes(&self, name: &str) -> u64 {
        self.values.get(name).map_or(0, |value| value.to_json().to_string().len() as u64)
    }

    /// Of one that is required.
    pub(super) fn required_text(&mut self, name: &str) -> String {
        self.text(name).unwrap_or_default()
    }

    /// A required text that is kept as it is, so no secret may be in it.
    pub(super) fn open_text(&mut self, name: &str, host: &Host<'_>) -> Result<String, Refusal> {
        let text = self.required_text(name);
        if host.redaction.is_in(&text) {
            let verb = self.verb.name();
            let text = format!("`{name}` of `{verb}` contains the value of a secret, and it would be stored");
            return Err(Refusal::Refused(text));
        }
        Ok(text)
    }

    pub(super) fn number(&mut self, name: &str) -> Option<f64> {
        match self.take(name) {
            Some(Value::Int(number)) => Some(number as f64),
            Some(Value::Float(number)) => Some(number),
            _ => None,
        }
    }

    pub(super) fn value(&mut self, name: &str) -> Option<Json> {
        self.take(name).map(|value| value.to_json())
    }

    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        let is_known = self.verb.row().parameters.iter().any(|parameter| parameter.name == name);
        debug_assert!(is_known, "the table of verbs has no `{name}` for `{}`", self.verb.name());
        self.values.shift_remove(name)
    }
}

fn check(verb: &str, parameter: &VerbParameter, value: Option<&Value>) -> Result<(), Refusal> {
    let name = parameter.name;
    let Some(value) = value else {
        return match parameter.default {
            Some(_) => Ok(()),
            None => Err(Refusal::Refused(format!("`{verb}` needs `{name}`"))),
        };
    };
    let (fits, expected) = match parameter.takes {
        VerbType::Text => (matches!(value, Value::Str(_)), "a string"),
        VerbType::Number => (matches!(value, Value::Int(_) | Value::Float(_)), "a number"),
        VerbType::List => (matches!(value, Value::List(_) | Value::Tuple(_)), "a list"),
        VerbType::Object => (matches!(value, Value::Map(_)), "a dict with string keys"),
        VerbType::TextOrBytes => (matches!(value, Value::Str(_) | Value::Bytes(_)), "a string or bytes"),
        VerbType::Any | VerbType::Rest => (true, ""),
    };
    if fits { Ok(()) } else { Err(Refusal::Refused(format!("`{name}` of `{verb}` must be {expected}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(
        verb: HostVerb,
        positional: Vec<Value>,
        named: &[(&str, Value)],
    ) -> Result<VerbArguments, String> {
        let named = named.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        VerbArguments::new(verb, Arguments { positional, named })
            .map_err(|refusal| refusal.into_error().message)
    }

    fn refused(verb: HostVerb, positional: Vec<Value>, named: &[(&str, Value)]) -> String {
        given(verb, positional, named).err().unwrap()
    }

    #[test]
    fn arguments_are_taken_by_position_and_by_name() {
        let mut search =
            given(HostVerb::BrainSearch, vec!["add".into()], &[("limit", Value::Int(3))]).unwrap();
        assert_eq!((search.required_text("query").as_str(), search.number("limit")), ("add", Some(3.0)));
        let mut search =
            given(HostVerb::BrainSearch, vec![], &[("query", "add".into()), ("limit", Value::None)]).unwrap();
        assert_eq!((search.required_text("query").as_str(), search.number("limit")), ("add", None));
    }

    #[test]
    fn arguments_that_do_not_fit_are_refused_and_the_refusal_says_why() {
        use HostVerb as V;
        assert_eq!(refused(V::BrainSearch, vec![], &[]), "`brain.search` needs `query`");
        assert_eq!(
            refused(V::BrainSearch, vec![1.into()], &[]),
            "`query` of `brain.search` must be a string"
        );
        assert_eq!(refused(V::BrainCheck, vec![1.into()], &[]), "`brain.check` takes 0 arguments, not 1");
        assert_eq!(
            refused(V::Emit, vec!["a".into()], &[("dta", 1.into())]),
            "`emit` has no argument `dta`; write `emit(name, data=None)`"
        );
        assert_eq!(refused(V::Emit, vec!["a".into()], &[("name", 1.into())]), "`emit` got `name` twice");
        assert_eq!(
            refused(V::FilesWrite, vec!["a".into(), 1.into()], &[]),
            "`content` of `files.write` must be a string or bytes"
        );
    }
}
