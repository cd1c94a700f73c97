//! Free names, by CPython's scoping rules.

use selfmade_model::python::{SourceErrorKind, analyse};

/// The free names of a function with this body, with their chains.
fn free(body: &str) -> String {
    let indented: String = body.lines().map(|line| format!("    {line}\n")).collect();
    free_in(&format!("def f(parameter):\n{indented}"))
}

fn free_in(source: &str) -> String {
    let analysis = analyse(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let mut words = Vec::new();
    for name in &analysis.free_names {
        let mark = if name.in_annotation { ":" } else { "" };
        match name.attributes.as_slice() {
            [] => words.push(format!("{mark}{}", name.name)),
            chains => words.push(format!("{mark}{}({})", name.name, chains.join(" "))),
        }
    }
    words.join(" ")
}

#[test]
fn what_the_function_binds_itself_is_not_free() {
    for body in [
        "return parameter",
        "x = 1\nreturn x",
        "(a, [b, *c]) = parameter\nreturn a, b, c",
        "x: int = 1\nreturn x",
        "x: int\nreturn x",
        "x = 0\nx += 1\nreturn x",
        "for i, (j, k) in parameter:\n    i, j, k",
        "with parameter as (a, b):\n    a, b",
        "try:\n    pass\nexcept Exception as e:\n    e",
        "try:\n    pass\nexcept* ValueError as group:\n    group",
        "import os.path\nreturn os",
        "import os.path as p, sys\nreturn p, sys",
        "from a.b import c as d, e\nreturn d, e",
        "if (n := 1):\n    return n",
        "del x",
        "def g(): return g\nreturn g",
        "class C: pass\nreturn C",
        "async def g():\n    async with parameter as y:\n        async for z in y:\n            z\nreturn g",
        "return f",
        "return __name__, __file__, __doc__, __debug__, __builtins__",
        "return print, ExceptionGroup, aiter, PythonFinalizationError, exit",
        "type Alias[T] = list[T]\nreturn Alias",
    ] {
        assert_eq!(free(body), "", "{body}");
    }
}

#[test]
fn what_it_does_not_bind_is_free_in_the_order_of_appearance() {
    assert_eq!(free("return second(first(parameter), third)"), "second first third");
    assert_eq!(free("x = fetch(parameter)\ny = fetch(x)"), "fetch");
    assert_eq!(free("items[key].name = value"), "items key value");
    assert_eq!(free("count += 1"), "");
    assert_eq!(free("del box[key]"), "box key");
    assert_eq!(free("(parenthesised): int\nreturn parenthesised"), "parenthesised");
    assert_eq!(free("raise Problem(1) from cause"), "Problem cause");
    assert_eq!(free("assert check, message"), "check message");
    assert_eq!(
        free("return [*spread, {**more, key: 1}, a[lower:upper:step]]"),
        "spread more key a lower upper step"
    );
    assert_eq!(free("return not a or -b + c ** d if e else (yield g)"), "a b c d e g");
}

#[test]
fn chains_of_attributes_are_reported_whole() {
    assert_eq!(
        free("airtable.create_record(parameter)\nairtable.tables.list()\nairtable.create_record()"),
        "airtable(airtable.create_record airtable.tables.list)"
    );
    assert_eq!(free("return call(x).y.z, helper"), "call x helper");
}

#[test]
fn line_and_column_point_at_the_first_use() {
    let analysis = analyse("def f(a):\n    é = 'ü'; return fetch(a) + fetch(é)\n").unwrap();
    let free = &analysis.free_names[0];
    assert_eq!((free.name.as_str(), free.line, free.column), ("fetch", 2, 21));
}

#[test]
fn comprehensions_have_their_own_scope_but_evaluate_the_first_iterable_outside() {
    assert_eq!(free("return [x for x in parameter if x], x"), "x");
    assert_eq!(free("return [x for x in x]"), "x");
    assert_eq!(free("return [y for x in parameter for y in x]"), "");
    assert_eq!(free("return {k: v for k, v in items.items()}"), "items(items.items)");
    assert_eq!(free("return (x for x in parameter for y in z)"), "z");
    assert_eq!(free("any((last := x) for x in parameter)\nreturn last"), "");
    assert_eq!(free("return [[(deep := y) for y in x] for x in parameter], deep"), "");
}

#[test]
fn a_class_body_is_not_seen_from_its_methods() {
    assert_eq!(free("class C:\n    x = 1\n    def m(self): return x\nreturn C"), "x");
    assert_eq!(free("class C:\n    x = 1\n    y = x\nreturn C"), "");
    assert_eq!(free("class C:\n    xs = [1]\n    ys = [x for x in xs]\nreturn C"), "");
    assert_eq!(free("class C:\n    n = 1\n    ys = [n for _ in [0]]\nreturn C"), "n");
    assert_eq!(free("class C(Base, metaclass=Meta):\n    pass"), "Base Meta");
    assert_eq!(free("class C:\n    fetch = fetch\nreturn C"), "fetch");
    assert_eq!(free("class C:\n    def m(self): return __class__, super()\nreturn C"), "");
    assert_eq!(free("class C:\n    def m(self):\n        nonlocal __class__\nreturn C"), "");
    assert_eq!(free("class C:\n    x: x = 1\nreturn C"), "");
    assert_eq!(free("class C:\n    x: x\nreturn C"), ":x");
}

#[test]
fn private_names_are_written_out_with_their_class() {
    assert_eq!(free("class C:\n    def m(self): return __secret\nreturn C"), "_C__secret");
    assert_eq!(free("class C:\n    def m(self):\n        __x = 1\n        return __x\nreturn C"), "");
    assert_eq!(free("class C[__T]:\n    x = __T\nreturn C"), "");
}

#[test]
fn global_and_nonlocal_reach_past_the_scopes_between() {
    assert_eq!(free("global counter\nreturn counter"), "counter");
    assert_eq!(free("global counter\ncounter = 1\nreturn counter"), "");
    assert_eq!(free("x = 1\ndef g():\n    global x\n    return x\nreturn g"), "x");
    assert_eq!(free("x = 1\ndef g():\n    nonlocal x\n    x = 2\nreturn g"), "");
    let error = analyse("def f():\n    def g():\n        nonlocal lost\n").unwrap_err();
    assert_eq!(error.kind, SourceErrorKind::Syntax);
    insta::assert_snapshot!(error, @"line 3, column 18: `nonlocal lost` has no binding in a function around it");
}

#[test]
fn defaults_and_decorators_belong_to_the_scope_around() {
    assert_eq!(free("def g(x=outer, *, y=inner): return x, y\nreturn g"), "outer inner");
    assert_eq!(free("x = 1\nreturn lambda y=x, *a, z=w, **k: (y, a, z, k, v)"), "w v");
    assert_eq!(free("@wrap\ndef g(): pass\nreturn g"), "wrap");
    assert_eq!(free_in("def f(x=LIMIT): return x"), "LIMIT");
    assert_eq!(free_in("def f(f2=lambda x: x): return x"), "x");
}

#[test]
fn match_captures_bind_and_values_are_used() {
    let body = "match parameter:\n    case {'a': a, **rest}: return a, rest\n    case [first, *others]: return first, others\n    case Point(x=px) as whole: return px, whole\n    case Colour.RED | 1 | -1: pass\n    case str() if guard: pass\n    case other: return other";
    assert_eq!(free(body), "Point Colour(Colour.RED) guard");
}

#[test]
fn interpolated_strings_are_code() {
    assert_eq!(free("return f'{a!r:>{width}} {b + 1=} {{no}}' 'plain' f'{c}'"), "a width b c");
    assert_eq!(free("return t'{a} {f\"{b}\"}'"), "a b");
    assert_eq!(free("return f'{[x for x in xs]}'"), "xs");
}

#[test]
fn type_parameters_are_seen_by_annotations_and_body() {
    assert_eq!(free_in("def f[T: Bound, *Ts, **P](x: T) -> T:\n    y: T = x\n    return T, Ts, P"), ":Bound");
    assert_eq!(free("class Box[T]:\n    def get(self) -> T: return T\nreturn Box"), "");
}

#[test]
fn names_only_in_annotations_are_marked() {
    assert_eq!(
        free_in("def f(x: List[Thing], *a: Any, **k: 'Quoted') -> Dict: return x"),
        ":List :Thing :Any :Dict"
    );
    assert_eq!(free_in("def f(x: Thing): return Thing(x)"), "Thing");
    assert_eq!(free_in("from __future__ import annotations\ndef f(x: List): return x"), "");
    assert_eq!(free_in("from typing import List\ndef f(x: List): return x"), "");
    assert_eq!(free("local: Missing = 1\nreturn local"), "");
    assert_eq!(free("def g(x: Missing): pass\nreturn g"), ":Missing");
}

#[test]
fn literal_reads_of_globals_are_reported() {
    let analysis = analyse(
        "def f():\n    a = globals()['api_key']\n    b = globals().get('other_key', None)\n    globals()[a]\n    return globals()['api_key'], globals\n",
    )
    .unwrap();
    assert_eq!(analysis.globals_read, ["api_key", "other_key"]);
    let shadowed = analyse("def f(globals):\n    return globals()['key']\n").unwrap();
    assert!(shadowed.globals_read.is_empty());
}

#[test]
fn imports_are_reported_with_their_place_and_host_verbs_apart() {
    let analysis = analyse(
        "import selfmade as host\nfrom selfmade import brain, run as start\nfrom google.cloud import storage\n\ndef f():\n    import json, bs4.element as e\n    from requests import get\n    host.ask('?')\n    return brain, start, storage, json, e, get\n",
    )
    .unwrap();
    let imports: Vec<_> = analysis.imports.iter().map(|i| (i.path.as_str(), i.line, i.column)).collect();
    assert_eq!(
        imports,
        [("google.cloud.storage", 3, 26), ("json", 6, 12), ("bs4.element", 6, 18), ("requests.get", 7, 26)]
    );
    assert_eq!(analysis.verbs, ["brain", "run", "ask"]);
    assert!(analysis.free_names.is_empty());
}
