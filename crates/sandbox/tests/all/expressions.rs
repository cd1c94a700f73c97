//! Expressions and templates in a process of their own: what they take is limited, and the next one is evaluated all the same.

use selfmade_sandbox::Expressions;
use selfmade_sandbox::expressions::{Kind, Question};
use serde_json::{Value, json};

fn expressions() -> Expressions {
    Expressions::new(Some(env!("CARGO_BIN_EXE_selfmade-stage1").into()))
}

async fn ask(
    expressions: &Expressions,
    kind: Kind,
    text: &str,
    scope: Value,
) -> Result<Option<Value>, String> {
    let scope = scope.as_object().cloned().unwrap_or_default();
    expressions.evaluate(&Question { kind, text: text.to_owned(), scope }).await
}

#[tokio::test]
async fn values_keep_their_types_and_what_is_missing_is_undefined() {
    let expressions = expressions();
    let scope = json!({ "event": { "b": 1, "a": [1, { "z": null, "y": "x" }] } });
    for (text, value) in [
        ("event.a + [2]", Some(json!([1, { "z": null, "y": "x" }, 2]))),
        ("event.lost", None),
        ("(event.lost, 1) | first", None),
        ("range(3) | sum", Some(json!(3))),
    ] {
        assert_eq!(ask(&expressions, Kind::Expression, text, scope.clone()).await, Ok(value), "{text}");
    }
    let template = "{% for item in event.a %}{{ loop.index }}{% endfor %}";
    assert_eq!(ask(&expressions, Kind::Template, template, scope).await, Ok(Some(json!("12"))));
}

#[tokio::test]
async fn what_grows_without_bound_is_ended_and_the_next_one_is_evaluated() {
    let expressions = expressions();
    for text in [
        "{% set ns = namespace(a='x') %}{% for i in range(32) %}{% set ns.a = ns.a ~ ns.a %}{% endfor %}{{ ns.a|length }}",
        "{{ 'a\nb'|indent(3000000000)|length }}",
        "{{ range(60000)|join('y'*60000)|length }}",
        "{% set a = 'x' * 100000 %}{{ (a|replace('x', a))|length }}",
        "{% for a in range(9999) %}{% for b in range(9999) %}{{ 'x' * 99 }}{% endfor %}{% endfor %}",
    ] {
        let problem = ask(&expressions, Kind::StrictTemplate, text, json!({})).await.unwrap_err();
        assert!(problem.contains("256 MB") || problem.contains("fuel"), "{text}: {problem}");
        let next = ask(&expressions, Kind::StrictTemplate, "{{ 1 + a }}", json!({ "a": 1 })).await;
        assert_eq!(next, Ok(Some(json!("2"))));
    }
}

#[tokio::test]
async fn what_takes_too_long_is_ended() {
    let text = "{% set l = range(100000)|list %}{% for i in range(20000) %}{% set x = l|sort(reverse=true)|length %}{% endfor %}";
    let problem = ask(&expressions(), Kind::StrictTemplate, text, json!({})).await.unwrap_err();
    assert_eq!(problem, "it takes more than a second");
}

#[tokio::test]
async fn an_answer_is_bounded() {
    let text = "{% for i in range(200) %}{{ 'x' * 90000 }}{% endfor %}";
    let problem = ask(&expressions(), Kind::StrictTemplate, text, json!({})).await.unwrap_err();
    assert_eq!(problem, "it makes more than 8 MB");
}
