//! Signatures and the schemas made from annotations.

use selfmade_model::function::signature::{DefaultValue, FunctionKind, ParameterKind, Signature};
use selfmade_model::python::analyse;
use serde_json::{Value, json};

fn signature(source: &str) -> Signature {
    analyse(source).unwrap_or_else(|error| panic!("{error}\n{source}")).signature
}

/// The schema of an annotation, with lines above the function.
fn schema_below(above: &str, annotation: &str) -> Value {
    signature(&format!("{above}\ndef f(x: {annotation}): pass\n")).parameters[0].schema.clone()
}

fn schema(annotation: &str) -> Value {
    schema_below("", annotation)
}

#[test]
fn every_kind_of_parameter_is_told_apart() {
    let signature = signature(
        "def f(a, /, b: int, c='x', *args: float, d, e: bool = False, **extra: str) -> list[int]:\n    return []\n",
    );
    let told: Vec<_> = signature.parameters.iter().map(|p| (p.name.as_str(), p.kind, p.required)).collect();
    assert_eq!(
        told,
        [
            ("a", ParameterKind::PositionalOnly, true),
            ("b", ParameterKind::Positional, true),
            ("c", ParameterKind::Positional, false),
            ("args", ParameterKind::VarPositional, false),
            ("d", ParameterKind::KeywordOnly, true),
            ("e", ParameterKind::KeywordOnly, false),
            ("extra", ParameterKind::VarKeyword, false),
        ]
    );
    assert_eq!(
        signature.input,
        json!({
            "type": "object",
            "properties": {
                "a": {},
                "b": {"type": "integer"},
                "c": {"default": "x"},
                "args": {"type": "array", "items": {"type": "number"}},
                "d": {},
                "e": {"type": "boolean", "default": false},
            },
            "required": ["a", "b", "d"],
            "additionalProperties": {"type": "string"},
        })
    );
    assert_eq!(signature.output, json!({"type": "array", "items": {"type": "integer"}}));
    assert_eq!(signature.returns.as_deref(), Some("list[int]"));
}

#[test]
fn a_function_without_parameters_takes_an_empty_object() {
    let signature = signature("def f(): pass");
    assert_eq!(signature.input, json!({"type": "object", "properties": {}, "additionalProperties": false}));
    assert_eq!(signature.output, json!({}));
}

#[test]
fn defaults_are_literals_or_the_text_of_an_expression() {
    let default =
        |text: &str| signature(&format!("def f(x={text}): pass")).parameters[0].default.clone().unwrap();
    for (text, value) in [
        ("None", json!(null)),
        ("-3", json!(-3)),
        ("+3", json!(3)),
        ("0xff", json!(255)),
        ("1_000", json!(1000)),
        ("18446744073709551615", json!(u64::MAX)),
        ("-9223372036854775808", json!(i64::MIN)),
        ("2.5", json!(2.5)),
        ("'a' \"b\"", json!("ab")),
        ("'\\u2603\\n'", json!("☃\n")),
        ("r'\\n'", json!("\\n")),
        ("[1, 'a', [None]]", json!([1, "a", [null]])),
        ("{'a': {'b': True}}", json!({"a": {"b": true}})),
    ] {
        assert_eq!(default(text), DefaultValue::Literal(value), "{text}");
    }
    for text in [
        "()",
        "(1, 2)",
        "{1}",
        "b'x'",
        "f'{1}'",
        "1j",
        "1e999",
        "LIMIT",
        "list()",
        "1 + 1",
        "{1: 2}",
        "{**{}}",
        "[x]",
        "99999999999999999999",
        "'\\ud800'",
        "lambda: 0",
        "...",
    ] {
        assert_eq!(default(text), DefaultValue::Expression(text.to_owned()), "{text}");
    }
}

#[test]
fn plain_types_become_schemas() {
    for (annotation, expected) in [
        ("int", json!({"type": "integer"})),
        ("float", json!({"type": "number"})),
        ("str", json!({"type": "string"})),
        ("bool", json!({"type": "boolean"})),
        ("None", json!({"type": "null"})),
        ("bytes", json!({"type": "string", "contentEncoding": "base64"})),
        ("datetime", json!({"type": "string", "format": "date-time"})),
        ("datetime.datetime", json!({"type": "string", "format": "date-time"})),
        ("date", json!({"type": "string", "format": "date"})),
        ("datetime.time", json!({"type": "string", "format": "time"})),
        ("UUID", json!({"type": "string", "format": "uuid"})),
        ("pathlib.Path", json!({"type": "string"})),
        ("list", json!({"type": "array"})),
        ("dict", json!({"type": "object"})),
        ("Decimal", json!({})),
        ("Any", json!({})),
        ("object", json!({})),
        ("Callable[[int], str]", json!({})),
        ("Unheard.Of", json!({})),
        ("T", json!({})),
        ("1 + 2", json!({})),
    ] {
        assert_eq!(schema(annotation), expected, "{annotation}");
    }
}

#[test]
fn collections_and_unions_become_schemas() {
    let integer = json!({"type": "integer"});
    let string = json!({"type": "string"});
    for (annotation, expected) in [
        ("list[int]", json!({"type": "array", "items": integer})),
        ("List[int]", json!({"type": "array", "items": integer})),
        ("typing.Sequence[int]", json!({"type": "array", "items": integer})),
        ("collections.abc.Iterable[int]", json!({"type": "array", "items": integer})),
        ("t.List[t.Any]", json!({"type": "array"})),
        ("set[int]", json!({"type": "array", "uniqueItems": true, "items": integer})),
        ("FrozenSet[str]", json!({"type": "array", "uniqueItems": true, "items": string})),
        (
            "tuple[int, str]",
            json!({"type": "array", "prefixItems": [integer, string], "minItems": 2, "maxItems": 2}),
        ),
        ("tuple[int, ...]", json!({"type": "array", "items": integer})),
        ("tuple[()]", json!({"type": "array", "maxItems": 0})),
        ("dict[str, int]", json!({"type": "object", "additionalProperties": integer})),
        ("Mapping[str, Any]", json!({"type": "object"})),
        ("Counter[str]", json!({"type": "object", "additionalProperties": integer})),
        ("Optional[int]", json!({"anyOf": [integer, {"type": "null"}]})),
        ("int | None", json!({"anyOf": [integer, {"type": "null"}]})),
        ("Union[int, Union[str, int], None]", json!({"anyOf": [integer, string, {"type": "null"}]})),
        ("int | (str | int)", json!({"anyOf": [integer, string]})),
        ("Union[int]", integer.clone()),
        ("int | Any", json!({})),
        ("Literal['a', 1, None, True]", json!({"enum": ["a", 1, null, true]})),
        ("Literal[b'x']", json!({})),
        ("Annotated[int, 'how many']", json!({"type": "integer", "description": "how many"})),
        (
            "Annotated[int, Field(gt=0, description='how many')]",
            json!({"type": "integer", "description": "how many"}),
        ),
        ("Annotated[int, 3]", integer.clone()),
        ("Final[int]", integer.clone()),
        ("'list[int]'", json!({"type": "array", "items": integer})),
        ("list['int | None']", json!({"type": "array", "items": {"anyOf": [integer, {"type": "null"}]}})),
        ("'not valid['", json!({})),
        ("Awaitable[int]", integer.clone()),
        ("Coroutine[Any, Any, int]", integer.clone()),
    ] {
        assert_eq!(schema(annotation), expected, "{annotation}");
    }
}

#[test]
fn imports_decide_what_a_name_means() {
    assert_eq!(schema_below("import typing as ty", "ty.List[int]")["items"], json!({"type": "integer"}));
    assert_eq!(schema_below("from typing import List as L", "L[int]")["items"], json!({"type": "integer"}));
    assert_eq!(schema_below("import datetime as dt", "dt.date"), json!({"type": "string", "format": "date"}));
    assert_eq!(schema_below("from elsewhere import List", "List[int]"), json!({}));
}

#[test]
fn aliases_are_followed() {
    assert_eq!(
        schema_below("Rows = list[int]\nTable = dict[str, Rows]", "Table")["additionalProperties"]["items"],
        json!({"type": "integer"})
    );
    assert_eq!(schema_below("type Rows = list[int]", "Rows")["items"], json!({"type": "integer"}));
    assert_eq!(
        schema_below("from typing import TypeAlias\nRows: TypeAlias = 'list[int]'", "Rows")["items"],
        json!({"type": "integer"})
    );
    assert_eq!(
        schema_below("from typing import NewType\nUser = NewType('User', int)", "User"),
        json!({"type": "integer"})
    );
    assert_eq!(schema_below("from typing import TypeVar\nT = TypeVar('T')", "T"), json!({}));
    assert_eq!(schema_below("type Deep = list[Deep]", "Deep"), json!({"type": "array"}));
}

#[test]
fn typed_dicts_become_objects_in_both_syntaxes() {
    let class = "from typing import TypedDict, Required, NotRequired, Annotated\nclass Base(TypedDict):\n    id: int\nclass Point(Base, total=False):\n    \"\"\"Where it is.\n\n    More.\"\"\"\n    x: Required[int]\n    y: 'float'\n    z: Annotated[NotRequired[str], 'up']\n";
    assert_eq!(
        schema_below(class, "Point"),
        json!({
            "type": "object",
            "title": "Point",
            "description": "Where it is.",
            "properties": {
                "id": {"type": "integer"},
                "x": {"type": "integer"},
                "y": {"type": "number"},
                "z": {"type": "string", "description": "up"},
            },
            "required": ["id", "x"],
        })
    );
    let call = "import typing\nPoint = typing.TypedDict('Point', {'x': int, 'in': typing.NotRequired[str]})";
    assert_eq!(
        schema_below(call, "list[Point]")["items"],
        json!({
            "type": "object", "title": "Point",
            "properties": {"x": {"type": "integer"}, "in": {"type": "string"}},
            "required": ["x"],
        })
    );
}

#[test]
fn the_kind_follows_from_async_and_the_functions_own_yields() {
    for (source, kind) in [
        ("def f(): pass", FunctionKind::Sync),
        ("async def f(): pass", FunctionKind::Async),
        ("def f(): yield", FunctionKind::Generator),
        ("def f(): x = yield from y", FunctionKind::Generator),
        ("async def f():\n    async for x in y:\n        yield x", FunctionKind::AsyncGenerator),
        ("def f():\n    def g(): yield 1\n    return lambda: (yield)", FunctionKind::Sync),
        ("def f():\n    class C:\n        def m(self): yield\n    return C", FunctionKind::Sync),
    ] {
        assert_eq!(signature(source).kind, kind, "{source}");
    }
}

#[test]
fn the_output_of_a_generator_is_what_it_yields() {
    for annotation in ["Iterator[int]", "Generator[int, None, str]", "Iterable[int]", "'Iterator[int]'"] {
        let signature = signature(&format!("def f() -> {annotation}:\n    yield 1\n"));
        assert_eq!(signature.output, json!({"type": "integer"}), "{annotation}");
    }
    assert_eq!(signature("async def f() -> AsyncIterator[str]: yield 'a'").output, json!({"type": "string"}));
    assert_eq!(signature("def f(): yield 1").output, json!({}));
    assert_eq!(signature("def f() -> Iterator[int]: return iter([])").output["type"], "array");
}

#[test]
fn pins_are_named_in_order_with_the_type_where_it_is_obvious() {
    let signature = signature(
        "def f(n: int, other):\n    ratio: float = n / 2\n    yield 'count', n\n    yield ('ratio', ratio)\n    yield 'text', f'{n}'\n    yield 'text', None\n    yield 'thing', other\n    yield 'items', [n]\n    yield other, 3\n",
    );
    let pins: Vec<_> = signature.pins.iter().map(|pin| (pin.name.as_str(), pin.schema.clone())).collect();
    assert_eq!(
        pins,
        [
            ("count", json!({"type": "integer"})),
            ("ratio", json!({"type": "number"})),
            ("text", json!({"anyOf": [{"type": "string"}, {"type": "null"}]})),
            ("thing", json!({})),
            ("items", json!({"type": "array"})),
        ]
    );
}

#[test]
fn a_generator_of_anything_but_pairs_has_no_pins() {
    for body in [
        "yield 'a', 1\n    yield 2",
        "yield 'a', 1, 2",
        "yield 'a', 1\n    yield from x",
        "yield 'a'",
        "yield",
    ] {
        assert!(signature(&format!("def f(x):\n    {body}\n")).pins.is_empty(), "{body}");
    }
    assert!(signature("def f(x):\n    def g():\n        yield 'a', 1\n    return g").pins.is_empty());
}

#[test]
fn docstrings_describe_parameters_in_three_styles() {
    let google = "Args:\n        a (int): The first\n            of them.\n        b: The second (of: two).\n        *rest: Others.\n\n    Returns:\n        c: Not a parameter.";
    let numpy = "Parameters\n    ----------\n    a : int\n        The first\n        of them.\n    b, other : str, optional\n        The second (of: two).\n    rest\n        Others.\n\n    Returns\n    -------\n    c : int";
    let sphinx = ":param a: The first\n        of them.\n    :param str b: The second (of: two).\n    :param *rest: Others.\n    :returns: nothing";
    let dashes =
        "Parameters:\n    - a: The first of them.\n    - b: The second (of: two).\n    - rest: Others.";
    for style in [google, numpy, sphinx, dashes] {
        let source = format!("def f(a, b, *rest, c=1):\n    \"\"\"Does it.\n\n    {style}\n    \"\"\"\n");
        let signature = signature(&source);
        let told: Vec<_> = signature.parameters.iter().map(|p| p.description.as_deref()).collect();
        assert_eq!(
            told,
            [Some("The first of them."), Some("The second (of: two)."), Some("Others."), None],
            "{source}"
        );
        assert_eq!(signature.input["properties"]["a"]["description"], "The first of them.");
    }
}

#[test]
fn the_description_is_the_first_line_of_the_docstring() {
    let analysis =
        analyse("def f():\n    \"\"\"\n    Fetches a page.\n\n      Slowly.\n    \"\"\"\n").unwrap();
    assert_eq!(analysis.description, "Fetches a page.");
    assert_eq!(analysis.docstring, "Fetches a page.\n\n  Slowly.");
    assert_eq!(analyse("def f(): return 'no docstring'").unwrap().docstring, "");
}

#[test]
fn the_json_leaves_out_what_says_nothing_and_reads_back() {
    let signature = signature("def f(a, b: int = 1, *, c=x): pass");
    let written = serde_json::to_value(&signature).unwrap();
    assert_eq!(
        written,
        json!({
            "parameters": [
                {"name": "a", "required": true},
                {"name": "b", "annotation": "int", "default": {"literal": 1}, "schema": {"type": "integer"}},
                {"name": "c", "kind": "keyword_only", "default": {"expression": "x"}},
            ],
            "input": signature.input,
        })
    );
    assert_eq!(serde_json::from_value::<Signature>(written).unwrap(), signature);
}
