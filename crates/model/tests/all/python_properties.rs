//! What holds for every source.

use proptest::prelude::*;
use selfmade_model::function::signature::{DefaultValue, ParameterKind};
use selfmade_model::python::{SourceError, analyse, analyse_bytes, read_pack};
use serde_json::{Value, json};

fn lies_within(error: &SourceError, source: &str) -> bool {
    let source = source.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines = source.split('\n');
    let Some(line) = lines.nth(error.line as usize - 1) else { return false };
    error.column >= 1 && error.column as usize <= line.chars().count() + 1
}

/// Text that is made of what Python is made of, so that much of it parses.
fn pythonish() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "def f(a, b=1, *c, **d):",
        "async def g():",
        "class C:",
        "@x",
        "return ",
        "yield ",
        "await ",
        "lambda x: ",
        "if a:",
        "else:",
        "for x in y:",
        "with a as b:",
        "try:",
        "except E as e:",
        "import os",
        "from a import b",
        "match x:",
        "case [a, *b]:",
        "global g",
        "nonlocal n",
        "del x",
        "x = 1",
        "x: int",
        "f(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "'",
        "\"\"\"",
        "f'{",
        "}'",
        "a.b",
        "a",
        " + ",
        ", ",
        ": ",
        "\n",
        "\n    ",
        "\n        ",
        "\t",
        "\\\n",
        "# c",
        "é",
        "\u{feff}",
        "\r\n",
        "\r",
        ";",
        "type X = int",
        "[T]",
        " -> ",
        "*",
        "**",
        " := ",
        "0x1f",
        "1e9",
    ]);
    prop::collection::vec(words, 0..40).prop_map(|words| words.concat())
}

fn decorator() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "@selfmade.function",
        "@selfmade.function(tests=[{'input': {}}])",
        "@func.register_function(metadata={})",
        "",
        "import os\nA = list[int]\n@selfmade.function()",
        "if x:\n  @func.register_function()\n  def g(): pass\n",
    ])
}

fn identifier() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9_]{0,8}".prop_map(|word| format!("v_{word}"))
}

fn literal() -> impl Strategy<Value = (String, Value)> {
    prop_oneof![
        any::<i64>().prop_map(|n| (n.to_string(), json!(n))),
        any::<bool>().prop_map(|b| (if b { "True" } else { "False" }.to_owned(), json!(b))),
        Just(("None".to_owned(), Value::Null)),
        "[ a-zA-Z0-9éß☃]{0,12}".prop_map(|s| (format!("'{s}'"), json!(s))),
        (-1.0e9..1.0e9_f64).prop_map(|x| (format!("{x:?}"), json!(x))),
        Just(("[1, {'a': [None]}]".to_owned(), json!([1, {"a": [null]}]))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic_and_errors_point_into_the_text(source in any::<String>()) {
        if let Err(error) = analyse(&source) {
            prop_assert!(lies_within(&error, &source), "{error} in {source:?}");
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in any::<Vec<u8>>()) {
        let _ = analyse_bytes(&bytes);
    }

    #[test]
    fn what_looks_like_python_makes_no_panic_either(source in pythonish(), in_function in any::<bool>()) {
        let source = if in_function { format!("def f():\n    {source}\n    pass\n") } else { source };
        match analyse(&source) {
            Err(error) => prop_assert!(lies_within(&error, &source), "{error} in {source:?}"),
            Ok(first) => {
                let second = analyse(&first.source);
                prop_assert!(second.is_ok(), "{:?} of {:?}", second, first.source);
                let second = second.unwrap();
                prop_assert_eq!(&first.source, &second.source);
                prop_assert_eq!(&first.signature, &second.signature);
                prop_assert_eq!(first.name, second.name);
            }
        }
    }

    #[test]
    fn a_pack_file_is_read_or_refused_and_what_is_read_can_be_stored(
        parts in prop::collection::vec((decorator(), pythonish()), 0..4),
    ) {
        let define = |(index, (decorator, body)): (usize, &(&str, String))| format!("{decorator}\ndef f{index}(a):\n    {body}\n\n");
        let source: String = parts.iter().enumerate().map(define).collect();
        match read_pack(&source) {
            Err(error) => prop_assert!(lies_within(&error, &source), "{error} in {source:?}"),
            Ok(pack) => {
                for function in pack.functions {
                    let stored = analyse(&function.source);
                    prop_assert!(stored.is_ok(), "{:?} of {:?}", stored, function.source);
                    prop_assert_eq!(stored.unwrap().source, function.source);
                }
            }
        }
    }

    #[test]
    fn a_generated_function_is_read_as_it_was_made(
        name in identifier(),
        parameters in prop::collection::btree_map(identifier(), prop::option::of(literal()), 0..8),
        keyword_only in any::<bool>(),
    ) {
        let mut written: Vec<String> = if keyword_only && !parameters.is_empty() { vec!["*".to_owned()] } else { vec![] };
        let mut ordered: Vec<_> = parameters.iter().collect();
        ordered.sort_by_key(|(_, default)| default.is_some());
        for (parameter, default) in &ordered {
            written.push(match default {
                Some((text, _)) => format!("{parameter}={text}"),
                None => (*parameter).clone(),
            });
        }
        let source = format!("def {name}({}):\n    return None\n", written.join(", "));
        let analysis = analyse(&source).unwrap();
        prop_assert_eq!(&analysis.name, &name);
        prop_assert_eq!(&analysis.source, &source);
        prop_assert_eq!(analysis.signature.parameters.len(), ordered.len());
        for (parameter, (name, default)) in analysis.signature.parameters.iter().zip(ordered) {
            prop_assert_eq!(&parameter.name, name);
            prop_assert_eq!(parameter.required, default.is_none());
            let kind = if keyword_only { ParameterKind::KeywordOnly } else { ParameterKind::Positional };
            prop_assert_eq!(parameter.kind, kind);
            let expected = default.as_ref().map(|(_, value)| DefaultValue::Literal(value.clone()));
            prop_assert_eq!(&parameter.default, &expected);
        }
    }
}
