//! Mutants: which mistakes are made in a source, and what holds for all of them.

use proptest::prelude::*;
use selfmade_model::python::{Mutant, Mutation, analyse, mutants};

const MANY: usize = 1000;

/// The mutants, a line each.
fn listed(source: &str) -> String {
    let line = |mutant: &Mutant| format!("{} {:?}: {}\n", mutant.line, mutant.mutation, mutant.after);
    mutants(source, MANY).unwrap().iter().map(line).collect()
}

#[test]
fn comparisons_are_turned_around_and_limits_shifted() {
    insta::assert_snapshot!(listed("def f(a, b):\n    return a < b\n"), @r"
    2 ReturnsNone: return None
    2 ReturnsNone: return None
    2 Comparison: return a >= b
    2 Boundary: return a <= b
    ");
    insta::assert_snapshot!(listed("def f(a, b):\n    return (a) is not (b)\n"), @r"
    2 ReturnsNone: return None
    2 ReturnsNone: return None
    2 Comparison: return (a) is (b)
    ");
    insta::assert_snapshot!(listed("def f(a, b):\n    return 1 == a not in b\n"), @r"
    2 ReturnsNone: return None
    2 ReturnsNone: return None
    2 Comparison: return 1 != a not in b
    2 Constant: return 2 == a not in b
    2 Comparison: return 1 == a in b
    ");
}

#[test]
fn arithmetic_booleans_and_constants_change() {
    insta::assert_snapshot!(listed("def f(a, b):\n    a += 'x'\n    return a * b and not (b - 1.5) or True\n"), @r"
    2 ReturnsNone: return None
    3 ReturnsNone: return None
    2 Arithmetic: a -= 'x'
    3 Boolean: return a * b or not (b - 1.5) or True
    2 Constant: a += ''
    2 Dropped: pass
    3 Arithmetic: return a * b and not (b + 1.5) or True
    3 Boolean: return a * b and not (b - 1.5) or False
    3 Constant: return a * b and not (b - 2.5) or True
    3 Arithmetic: return a + b and not (b - 1.5) or True
    3 Boolean: return a * b and not (b - 1.5) and True
    3 Boolean: return a * b and  (b - 1.5) or True
    ");
}

#[test]
fn statements_that_have_an_effect_are_dropped() {
    insta::assert_snapshot!(listed("def f(a):\n    b = []\n    for x in a:\n        b.append(x)\n    b[0] = a\n    if not b:\n        raise ValueError(a)\n    return b\n"), @r"
    2 ReturnsNone: return None
    8 ReturnsNone: return None
    6 Boolean: if  b:
    5 Constant: b[1] = a
    4 Dropped: pass
    7 Dropped: pass
    5 Dropped: pass
    ");
}

#[test]
fn what_describes_a_function_is_left_as_it_is() {
    insta::assert_snapshot!(listed("def f(a: 'int' = 1, *, b=True) -> 'str':\n    \"\"\"Doc.\"\"\"\n    x: 'int' = a\n    return f'{x + 1}'\n"), @r"
    3 ReturnsNone: return None
    4 ReturnsNone: return None
    ");
}

#[test]
fn a_function_that_does_nothing_has_no_mutants() {
    for body in ["pass", "return", "return None", "\"\"\"Doc.\"\"\"", "..."] {
        assert_eq!(mutants(&format!("def f():\n    {body}\n"), MANY).unwrap(), [], "{body}");
    }
}

#[test]
fn the_first_mutant_answers_nothing_at_once() {
    let stub = |source: &str| mutants(source, 1).unwrap().remove(0);
    for (source, mutated) in [
        ("def f(a): return a\n", "def f(a): return None; return a\n"),
        (
            "def f(a):\n    'Doc.'\n    if a:\n        return 1\n",
            "def f(a):\n    'Doc.'\n    return None\n    if a:\n        return 1\n",
        ),
        ("async def f(a):\n\tyield a\n", "async def f(a):\n\treturn\n\tyield a\n"),
    ] {
        let stub = stub(source);
        assert_eq!((stub.source.as_str(), stub.mutation), (mutated, Mutation::ReturnsNone));
    }
}

#[test]
fn a_few_mutants_are_of_all_kinds_and_from_everywhere() {
    let line = |n: usize| format!("    if a < {n} and a != {n}:\n        a += {n}\n");
    let source = format!("def f(a):\n{}    return a\n", (1..50).map(line).collect::<String>());
    let few = mutants(&source, 10).unwrap();
    assert_eq!(few.len(), 10);
    let kinds: std::collections::BTreeSet<Mutation> = few.iter().map(|mutant| mutant.mutation).collect();
    assert_eq!(kinds.len(), 7, "{few:#?}");
    assert!(few.iter().any(|mutant| mutant.line < 10) && few.iter().any(|mutant| mutant.line > 90));
}

#[test]
fn functions_above_the_function_are_changed_as_well() {
    let source = "def helper(x):\n    return x + 1\n\ndef f(a):\n    return helper(a)\n";
    assert!(mutants(source, MANY).unwrap().iter().any(|mutant| mutant.after == "return x - 1"));
}

#[test]
fn what_cannot_be_read_is_an_error() {
    assert!(mutants("def f(:\n", MANY).is_err());
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a",
        "b",
        "0",
        "7",
        "1.5",
        "'x'",
        "''",
        "True",
        "None",
        "f'{a!r:>{b}}'",
        "[a, b]",
        "{'k': a}",
        "1_000",
        "0x1f",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 3, |inner| {
        let operator = prop::sample::select(vec![
            "+", "-", "*", "//", "%", "**", "<", "<=", "==", "is not", "not in", "and", "or", "|", "<<",
        ]);
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(a, o, b)| format!("({a}) {o} ({b})")),
            inner.clone().prop_map(|a| format!("not ({a})")),
            inner.clone().prop_map(|a| format!("-({a})")),
            inner.clone().prop_map(|a| format!("(lambda x: {a})(0)")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[x for x in ({a}) if {b}]")),
            (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| format!("({a} if {b} else {c})")),
        ]
    })
}

fn statement() -> impl Strategy<Value = String> {
    let simple = prop_oneof![
        expression().prop_map(|e| format!("a = {e}")),
        expression().prop_map(|e| format!("a += {e}")),
        expression().prop_map(|e| format!("a[0] = {e}")),
        expression().prop_map(|e| format!("print({e})")),
        expression().prop_map(|e| format!("return {e}")),
        expression().prop_map(|e| format!("a: 'int' = {e}")),
        expression().prop_map(|e| format!("raise ValueError({e})")),
        expression().prop_map(|e| format!("a = 1; b = {e}")),
    ];
    prop_oneof![
        simple.clone(),
        (expression(), simple.clone()).prop_map(|(e, s)| format!("if {e}:\n        {s}")),
        (expression(), simple.clone()).prop_map(|(e, s)| format!("for a in {e}:\n        {s}")),
        (expression(), simple.clone()).prop_map(|(e, s)| format!("while {e}: {s}")),
        simple.prop_map(|s| format!("def g(x=1):\n        {s}")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_mutant_parses_differs_and_is_the_same_function(statements in prop::collection::vec(statement(), 1..6)) {
        let source = format!("def f(a, b=2):\n    '''Doc.'''\n    {}\n", statements.join("\n    "));
        let Ok(before) = analyse(&source) else { return Ok(()) };
        let all = mutants(&before.source, MANY).unwrap();
        prop_assert_eq!(&all, &mutants(&before.source, MANY).unwrap());
        for mutant in &all {
            prop_assert_ne!(&mutant.source, &before.source);
            let after = analyse(&mutant.source);
            prop_assert!(after.is_ok(), "{:?}\n{}", after, mutant.source);
            let after = after.unwrap();
            prop_assert_eq!(&after.name, &before.name);
            prop_assert_eq!(&after.signature.parameters, &before.signature.parameters);
            let changed = before.source.lines().zip(mutant.source.lines()).position(|(a, b)| a != b).unwrap();
            prop_assert_eq!(mutant.line as usize, changed + 1);
        }
        let sources: std::collections::HashSet<&str> = all.iter().map(|mutant| mutant.source.as_str()).collect();
        prop_assert_eq!(sources.len(), all.len(), "no mutant comes twice");
    }
}
