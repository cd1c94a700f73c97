//! What may be stored, in which form, and what is said about the rest.

use selfmade_model::python::{SourceErrorKind, analyse, analyse_bytes};

fn refused(source: &str) -> String {
    match analyse(source) {
        Ok(analysis) => panic!("`{}` was accepted", analysis.name),
        Err(error) => crate::with_hint(&error),
    }
}

fn stored(source: &str) -> String {
    let analysis = analyse(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let again = analyse(&analysis.source).unwrap();
    assert_eq!(again.source, analysis.source);
    analysis.source
}

#[test]
fn a_function_is_stored_alone() {
    insta::assert_snapshot!(refused("LIMIT = 10\ndef fetch(): pass"), @"line 1, column 1: `LIMIT` is outside the function `fetch` (`fetch` does not use it: remove it)");
    insta::assert_snapshot!(refused("def fetch(): pass\n\nx: int = 3"), @"line 3, column 1: `x` is outside the function `fetch` (a function is stored alone: move `x` inside `fetch`, or pass it as a parameter)");
    insta::assert_snapshot!(refused("class Page:\n    pass\ndef fetch(): pass"), @"line 1, column 1: class `Page` is outside the function `fetch` (`fetch` does not use it: remove it)");
    insta::assert_snapshot!(refused("def fetch(): pass\ndef helper(): pass"), @"line 2, column 5: `helper` is a second function next to `fetch` (`helper` does not use `fetch`: store them as two functions, which call each other by their names)");
    insta::assert_snapshot!(refused("def fetch(): pass\n\ndef fetch(): pass"), @"line 3, column 5: `fetch` is already defined on line 1 (keep one of the two; the later one would silently replace the earlier)");
    insta::assert_snapshot!(refused("def fetch(): pass\nfetch()"), @"line 2, column 1: a call is outside the function `fetch` (a function is stored alone: move it inside `fetch`, or remove it)");
    insta::assert_snapshot!(refused("def fetch(): pass\nimport os"), @"line 2, column 1: an import is outside the function `fetch` (a function is stored alone: move it above or inside `fetch`)");
    insta::assert_snapshot!(refused("if True:\n    x = 1\ndef fetch(): pass"), @"line 1, column 1: an `if` statement is outside the function `fetch` (a function is stored alone: move it inside `fetch`, or remove it)");
    insta::assert_snapshot!(refused("import os\n'late docstring'\ndef fetch(): pass"), @"line 2, column 1: a string is outside the function `fetch` (a function is stored alone: move it inside `fetch`, or remove it)");
    insta::assert_snapshot!(refused("x = 1"), @"line 1, column 1: the source has no function (write one `def name(...):` at the top level)");
    insta::assert_snapshot!(refused(""), @"line 1, column 1: the source has no function (write one `def name(...):` at the top level)");
}

#[test]
fn imports_and_types_may_stand_above() {
    let source = "\"\"\"About this file.\"\"\"\nfrom __future__ import annotations\nimport os\nfrom typing import TypedDict\n\n\nclass Row(TypedDict):\n    id: int\n\n\nRows = list[Row]\ntype More = Rows | None\n\n\ndef f(x: More) -> Rows:\n    return x\n";
    assert_eq!(stored(source), source);
}

#[test]
fn the_main_block_and_everything_after_the_function_are_dropped() {
    assert_eq!(
        stored(
            "\n\ndef f():\n    return 1  # one\n\n    # inner\n\n# outer\nif __name__ == '__main__':\n    print(f())\n"
        ),
        "def f():\n    return 1  # one\n\n    # inner\n"
    );
}

#[test]
fn registering_decorators_are_not_stored() {
    for decorator in [
        "@selfmade.function",
        "@selfmade.function(description='x',\n    secrets=[KEY])",
        "@func.register_function(\n    metadata={'a': 1}, # why\n)",
        "@babyagi.register_function()",
        "@register_function(imports=[json])",
        "@function(tests=[])",
    ] {
        let source = format!("import os\n{decorator}\n# about it\ndef f(): pass\n");
        assert_eq!(stored(&source), "import os\n# about it\ndef f(): pass\n", "{decorator}");
        assert!(analyse(&source).unwrap().free_names.is_empty());
    }
    let source = "import selfmade as sm\n@sm.function()\ndef f(): pass\n";
    assert_eq!(stored(source), "import selfmade as sm\ndef f(): pass\n");
}

#[test]
fn other_decorators_must_come_from_an_import_above() {
    let source = "import functools\nfrom functools import cache\n\n@functools.lru_cache(maxsize=None)\n@cache\ndef f(): pass\n";
    assert_eq!(stored(source), source);
    insta::assert_snapshot!(refused("@app.route('/x')\ndef f(): pass"), @"line 1, column 1: the decorator `@app.route` is not defined by an import above the function (remove it, or import what it needs above the function)");
    insta::assert_snapshot!(refused("@staticmethod\ndef f(): pass"), @"line 1, column 1: the decorator `@staticmethod` is not defined by an import above the function (remove it, or import what it needs above the function)");
}

#[test]
fn names_that_hide_something_are_refused() {
    insta::assert_snapshot!(refused("def print(): pass"), @"line 1, column 5: a function cannot be named `print`: it is a Python builtin, which it would shadow in every function that calls it (name it after what it does, such as `print_value`)");
    insta::assert_snapshot!(refused("def selfmade(): pass"), @"line 1, column 5: a function cannot be named `selfmade`: it is a name that selfmade defines for functions (name it after what it does, such as `selfmade_value`)");
    insta::assert_snapshot!(refused("def func(): pass"), @"line 1, column 5: a function cannot be named `func`: it is a name that selfmade defines for functions (name it after what it does, such as `func_value`)");
    insta::assert_snapshot!(refused("def __init__(): pass"), @"line 1, column 5: a function cannot be named `__init__`: it has the form that Python reserves for itself (name it after what it does, such as `init_value`)");
    insta::assert_snapshot!(refused("def class(): pass"), @"line 1, column 5: expected an identifier, but found a keyword `class` that cannot be used here");
}

#[test]
fn imports_that_mean_nothing_in_a_stored_function_are_refused() {
    insta::assert_snapshot!(refused("def f():\n    from . import x"), @"line 2, column 5: a relative import means nothing in a stored function (call the stored function by its name, or import the package by its full name)");
    insta::assert_snapshot!(refused("from os import *\ndef f(): pass"), @"line 1, column 1: `import *` hides which names the function needs (import them by name)");
}

#[test]
fn a_syntax_error_tells_where_and_why() {
    insta::assert_snapshot!(refused("def f(:\n    pass"), @"line 1, column 7: expected a parameter or the end of the parameter list (`(` on line 1, column 6 is never closed)");
    insta::assert_snapshot!(refused("def f():\n    return (1,\n"), @"line 3, column 1: unexpected EOF while parsing (`(` on line 2, column 12 is never closed)");
    insta::assert_snapshot!(refused("def f(a, *, b, a=1): pass"), @r#"line 1, column 16: duplicate parameter "a""#);
    insta::assert_snapshot!(refused("def f():\nreturn 1"), @"line 2, column 1: expected an indented block after function definition");
    insta::assert_snapshot!(refused("def f():\n    x = 'abc\n"), @"line 2, column 9: missing closing quote in string literal");
    insta::assert_snapshot!(refused("def f():\n    print 'x'\n"), @"line 2, column 11: simple statements must be separated by newlines or semicolons");
}

#[test]
fn what_the_compiler_would_refuse_is_a_syntax_error_too() {
    insta::assert_snapshot!(refused("def f(a):\n    return await a"), @"line 2, column 12: `await` outside of an asynchronous function");
    insta::assert_snapshot!(refused("def f(a):\n    async with a: pass"), @"line 2, column 5: `async with` outside of an asynchronous function");
    insta::assert_snapshot!(refused("def f():\n    break"), @"line 2, column 5: `break` outside loop");
    insta::assert_snapshot!(refused("def f():\n    for x in y:\n        def g(): continue"), @"line 3, column 18: `continue` outside loop");
    insta::assert_snapshot!(refused("async def f():\n    yield 1\n    return 2"), @"line 3, column 5: `return` with value in async generator");
    insta::assert_snapshot!(refused("def f():\n    return [(yield x) for x in y]"), @"line 2, column 14: `yield` statement outside of a function");
    insta::assert_snapshot!(refused("def f():\n    class C:\n        return 1"), @"line 3, column 9: `return` statement outside of a function");
    insta::assert_snapshot!(refused("def f():\n    print(x)\n    global x"), @"line 2, column 11: name `x` is used prior to global declaration");
    insta::assert_snapshot!(refused("def f(x):\n    global x"), @"line 2, column 12: name `x` cannot refer to a parameter and a global variable");
    insta::assert_snapshot!(refused("def f(x):\n    *a, *b = x"), @"line 2, column 5: two starred expressions in assignment");
    insta::assert_snapshot!(refused("def f(x):\n    __debug__ = 1"), @"line 2, column 5: cannot assign to `__debug__`");
    insta::assert_snapshot!(refused("def f(x):\n    match x:\n        case a: pass\n        case b: pass"), @"line 3, column 14: name capture `a` makes remaining patterns unreachable");
    insta::assert_snapshot!(refused("def f(x):\n    return g(a=1, a=2)"), @"line 2, column 19: duplicate keyword argument `a`");
    insta::assert_snapshot!(refused("lazy import os\ndef f(): pass"), @"line 1, column 1: cannot use `lazy` import statement on Python 3.14 (syntax was added in Python 3.15)");
    for body in [
        "for x in y:\n        if x: break\n        else: continue",
        "while x:\n        try: break\n        finally: pass",
        "global x\n    x = 1",
        "g = lambda: (yield)",
        "return (await x for x in y)",
        "global a\n    def g(a): return a",
    ] {
        stored(&format!("def f():\n    {body}\n"));
    }
    stored("async def f():\n    return [await x async for x in y if await z], (await x for x in y)\n");
}

#[test]
fn an_indented_source_is_dedented_without_touching_its_strings() {
    let source = "    @selfmade.function\n    def f(a,\n  b):\n        '''Doc\n    kept\n        '''\n# left\n        return f'''\n  {a}\n  '''\n";
    let expected =
        "def f(a,\nb):\n    '''Doc\n    kept\n        '''\n# left\n    return f'''\n  {a}\n  '''\n";
    assert_eq!(stored(source), expected);
    assert_eq!(stored("\tdef f():\n\t\treturn 1\n"), "def f():\n\treturn 1\n");
    let error = analyse("    def f():\n        return (\n").unwrap_err();
    assert_eq!(error.line, 3);
    let free = &analyse("    def f():\n        return missing\n").unwrap().free_names[0];
    assert_eq!((free.line, free.column), (2, 16));
}

#[test]
fn line_ends_and_byte_order_marks_are_normalised() {
    assert_eq!(stored("\u{feff}def f():\r\n    return 1\r\n"), "def f():\n    return 1\n");
    assert_eq!(stored("def f():\r    return 1"), "def f():\n    return 1\n");
    assert_eq!(analyse_bytes(b"\xef\xbb\xbfdef f(): pass").unwrap().source, "def f(): pass\n");
}

#[test]
fn bytes_that_are_not_utf_8_are_refused() {
    let refused = |bytes: &[u8]| crate::with_hint(&analyse_bytes(bytes).unwrap_err());
    insta::assert_snapshot!(refused(b"def f():\n    return '\xff'"), @"line 2, column 13: the source is not valid UTF-8 here (save the file as UTF-8)");
    insta::assert_snapshot!(refused(b"# -*- coding: latin-1 -*-\ndef f(): return '\xe4'"), @"line 1, column 1: the source declares the encoding `latin-1`, but only UTF-8 is supported (save the file as UTF-8 and remove this comment)");
    insta::assert_snapshot!(refused(b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\ndef f(): pass"), @"line 2, column 1: the source declares the encoding `cp1252`, but only UTF-8 is supported (save the file as UTF-8 and remove this comment)");
    insta::assert_snapshot!(refused(b"def f(): return '\0'"), @r"line 1, column 18: the source contains a NUL byte (write it as `\0` inside a string)");
    analyse_bytes("# coding: utf-8\ndef f(): return 'ä'".as_bytes()).unwrap();
    analyse_bytes(b"def f(): pass\n# coding: latin-1").unwrap();
}

#[test]
fn the_line_of_the_def_is_reported() {
    assert_eq!(analyse("import os\n\n@selfmade.function()\ndef f(): pass").unwrap().line, 4);
}

#[test]
fn a_backslash_at_the_end_keeps_the_line_it_continues() {
    assert_eq!(stored("def f(): return 1 \\\n\n\n"), "def f(): return 1 \\\n\n");
}

#[test]
fn errors_are_data() {
    let error = analyse("x = 1").unwrap_err();
    assert_eq!(error.kind, SourceErrorKind::NoFunction);
    let json = serde_json::to_value(&error).unwrap();
    assert_eq!(json["kind"], "no_function");
    assert_eq!(serde_json::from_value::<selfmade_model::python::SourceError>(json).unwrap(), error);
}
