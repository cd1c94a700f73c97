//! Whether a call that stands in a source fits the function that it calls, as far as that is known without running it.

use super::signature::{Parameter, ParameterKind, Signature};
use crate::python::FreeCall;

/// Why Python would refuse the call, if that is certain: arguments that are spread may be anything.
pub fn misfit(call: &FreeCall, signature: &Signature) -> Option<String> {
    too_many(call, signature).or_else(|| unknown(call, signature)).or_else(|| missing(call, signature))
}

fn by_position(signature: &Signature) -> impl Iterator<Item = &Parameter> {
    let kinds = [ParameterKind::PositionalOnly, ParameterKind::Positional];
    signature.parameters.iter().filter(move |parameter| kinds.contains(&parameter.kind))
}

fn has(signature: &Signature, kind: ParameterKind) -> bool {
    signature.parameters.iter().any(|parameter| parameter.kind == kind)
}

fn too_many(call: &FreeCall, signature: &Signature) -> Option<String> {
    let most = by_position(signature).count();
    let is_refused = call.positional > most && !has(signature, ParameterKind::VarPositional);
    is_refused.then(|| format!("passes {} by position, but it takes {most}", arguments(call.positional)))
}

fn arguments(count: usize) -> String {
    if count == 1 { "1 argument".to_owned() } else { format!("{count} arguments") }
}

fn unknown(call: &FreeCall, signature: &Signature) -> Option<String> {
    if has(signature, ParameterKind::VarKeyword) {
        return None;
    }
    let takes = |name: &str| {
        let kinds = [ParameterKind::Positional, ParameterKind::KeywordOnly];
        signature.parameters.iter().any(|known| known.name == name && kinds.contains(&known.kind))
    };
    let name = call.keywords.iter().find(|name| !takes(name))?;
    Some(format!("passes `{name}`, which it does not take"))
}

fn missing(call: &FreeCall, signature: &Signature) -> Option<String> {
    let passed = by_position(signature).take(call.positional);
    let passed: Vec<&str> = passed.map(|parameter| parameter.name.as_str()).collect();
    let is_missing = |parameter: &&Parameter| {
        let may_be_spread = match parameter.kind {
            ParameterKind::PositionalOnly => call.spreads_positional,
            ParameterKind::KeywordOnly => call.spreads_keywords,
            _ => call.spreads_positional || call.spreads_keywords,
        };
        let is_passed = passed.contains(&parameter.name.as_str()) || call.keywords.contains(&parameter.name);
        parameter.required && !may_be_spread && !is_passed
    };
    let parameter = signature.parameters.iter().find(is_missing)?;
    Some(format!("does not pass `{}`, which it requires", parameter.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::{analyse, free_calls};

    /// How the only call of `f` in this source fits this signature.
    fn fit(call: &str, parameters: &str) -> String {
        let signature = analyse(&format!("def f({parameters}): ...")).unwrap().signature;
        let calls = free_calls(&format!("def g(x, y, z):\n    return {call}")).unwrap();
        let [call] = calls.as_slice() else { panic!("{calls:?}") };
        assert_eq!(call.callee, "f");
        misfit(call, &signature).unwrap_or_else(|| "fits".to_owned())
    }

    #[test]
    fn a_call_that_python_would_accept_fits() {
        for (call, parameters) in [
            ("f(x)", "where"),
            ("f(where=x)", "where"),
            ("f(x, b=y)", "a, b, c=1"),
            ("f(x, y, z)", "a, *more"),
            ("f(x, other=y)", "a, **more"),
            ("f(x, b=y)", "a, /, *, b"),
            ("f()", "a=1"),
        ] {
            assert_eq!(fit(call, parameters), "fits", "{call} of f({parameters})");
        }
    }

    #[test]
    fn a_call_that_python_would_refuse_does_not_fit() {
        assert_eq!(fit("f(x)", "a, b"), "does not pass `b`, which it requires");
        assert_eq!(fit("f(where=x)", "a"), "passes `where`, which it does not take");
        assert_eq!(fit("f(x, y)", "a"), "passes 2 arguments by position, but it takes 1");
        assert_eq!(fit("f(a=x)", "a, /"), "passes `a`, which it does not take");
        assert_eq!(fit("f(x)", "a, *, b"), "does not pass `b`, which it requires");
    }

    #[test]
    fn what_is_spread_may_be_anything() {
        for (call, parameters) in
            [("f(*x)", "a, b"), ("f(**x)", "a, *, b"), ("f(*x, **y)", "a, /, b, *, c"), ("f(x, *y)", "a, b")]
        {
            assert_eq!(fit(call, parameters), "fits", "{call} of f({parameters})");
        }
        assert_eq!(fit("f(**x)", "a, /"), "does not pass `a`, which it requires");
    }

    #[test]
    fn a_name_that_the_source_binds_is_not_a_call_of_a_stored_function() {
        let calls =
            free_calls("def g(f):\n    a.b(1)(2)\n    return f(1), h().i(), [k for k in j(2)]").unwrap();
        let callees: Vec<_> = calls.iter().map(|call| (call.callee.as_str(), call.line)).collect();
        assert_eq!(callees, [("a.b", 2), ("h", 3), ("j", 3)]);
    }
}
