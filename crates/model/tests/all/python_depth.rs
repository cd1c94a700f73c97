//! Sources that are too large or too deep are refused, on a small stack, without overflowing it.

use selfmade_model::python::{Analysis, MAX_SOURCE_BYTES, SourceError, SourceErrorKind, analyse, read_pack};

/// Analyses on the stack that a worker thread of the server has.
fn on_a_small_stack(source: String) -> Result<Analysis, SourceError> {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(move || analyse(&source)).unwrap();
    thread.join().unwrap()
}

fn body(expression: &str) -> String {
    format!("def f(a):\n    return {expression}\n")
}

#[test]
fn a_hundred_thousand_levels_are_refused_whatever_nests() {
    let n = 100_000;
    for (what, source) in [
        ("parentheses", body(&format!("{}1{}", "(".repeat(n), ")".repeat(n)))),
        ("lists", body(&format!("{}{}", "[".repeat(n), "]".repeat(n)))),
        ("dicts", body(&format!("{}1{}", "{1:".repeat(n), "}".repeat(n)))),
        ("open brackets", body(&"(".repeat(n))),
        ("not", body(&format!("{}a", "not ".repeat(n)))),
        ("minus", body(&format!("{}a", "-".repeat(n)))),
        ("await", body(&format!("{}a", "await ".repeat(n)))),
        ("attributes", body(&format!("a{}", ".b".repeat(n)))),
        ("calls", body(&format!("a{}", "()".repeat(n)))),
        ("subscripts", body(&format!("a{}", "[0]".repeat(n)))),
        ("sums", body(&format!("a{}", "+a".repeat(n)))),
        ("powers", body(&format!("a{}", "**a".repeat(n)))),
        ("lambdas", body(&format!("{}a", "lambda x, y: ".repeat(60_000)))),
        ("conditionals", body(&format!("{}a", "a if a else ".repeat(60_000)))),
        ("yields", body(&format!("{}a", "yield ".repeat(n)))),
        ("stars", body(&format!("{}a", "*".repeat(n)))),
        ("f-strings", body(&format!("{}a{}", "f'{".repeat(n), "}'".repeat(n)))),
        ("format specifiers", body(&format!("f'{}a{}'", "{a:".repeat(n), "}".repeat(n)))),
        ("patterns", format!("def f(a):\n    match a:\n        case {}: pass\n", "[".repeat(n))),
        ("unions", format!("def f(a: int{}): pass\n", "|int".repeat(n))),
        ("quoted unions", format!("def f(a: 'list{}'): pass\n", "[list".repeat(n))),
    ] {
        match on_a_small_stack(source) {
            Err(error) => assert_eq!(error.kind, SourceErrorKind::TooDeep, "{what}: {error}"),
            Ok(analysis) => assert_eq!(what, "quoted unions", "{}", analysis.name),
        }
    }
}

#[test]
fn what_python_does_not_nest_may_be_long() {
    let n = 20_000;
    for source in [
        body(&format!("a{}", " and a.b".repeat(n))),
        body(&format!("a{}", " == a.b".repeat(n))),
        body(&format!("[{}]", "a.b, -1, ".repeat(n))),
        body(&format!("'x'{}", " 'y'".repeat(n))),
        format!("def f(a):\n    if a: pass\n{}", "    elif a.b: pass\n".repeat(n)),
        format!("def f(a):\n{}", "    a = a.b + 1\n".repeat(n)),
        format!("def f(a):\n    a{}\n", " = a".repeat(n)),
    ] {
        on_a_small_stack(source).unwrap();
    }
}

#[test]
fn as_deep_as_is_allowed_fits_a_small_stack() {
    for source in [
        body(&format!("{}a{}", "(".repeat(199), ")".repeat(199))),
        body(&format!("{}{}", "[".repeat(199), "]".repeat(199))),
        body(&format!("{}a{}", "f(x,".repeat(199), ")".repeat(199))),
        body(&format!("{}a", "not ".repeat(490))),
        body(&format!("{}a", "-".repeat(490))),
        body(&format!("a{}", ".b".repeat(490))),
        body(&format!("a{}", "()".repeat(490))),
        body(&format!("a{}", "+a".repeat(490))),
        body(&format!("a{}", "**a".repeat(490))),
        body(&format!("{}a", "lambda: ".repeat(490))),
        body(&format!("{}a", "lambda x=a: ".repeat(490))),
        body(&format!("{}a", "a if a else ".repeat(240))),
        body(&format!("{}a{}", "[a for a in ".repeat(199), "]".repeat(199))),
        format!("def f(a: int{}): pass\n", "|int".repeat(490)),
        format!("def f(a=a{}): pass\n", "+a".repeat(490)),
    ] {
        on_a_small_stack(source).unwrap();
    }
    let blocks: String = (1..100).map(|depth| format!("{}if a:\n", " ".repeat(depth))).collect();
    on_a_small_stack(format!("def f(a):\n{blocks}{}pass\n", " ".repeat(100))).unwrap();
    let deeper: String = (1..400).map(|depth| format!("{}if a:\n", " ".repeat(depth))).collect();
    let error = on_a_small_stack(format!("def f(a):\n{deeper}{}pass\n", " ".repeat(400))).unwrap_err();
    insta::assert_snapshot!(crate::with_hint(&error), @"line 102, column 102: blocks are nested more than 100 deep (assign parts of it to variables in separate statements)");
}

#[test]
fn types_that_grow_without_end_are_cut() {
    let doubling: String = (0..60).map(|n| format!("A{} = tuple[A{n}, A{n}]\n", n + 1)).collect();
    let analysis = on_a_small_stack(format!("A0 = list[int]\n{doubling}def f(x: A60): pass\n")).unwrap();
    assert!(analysis.signature.input.to_string().len() < 200_000);
    let classes: String =
        (0..5_000).map(|n| format!("class C{}(C{n}, C{n}):\n    x{n}: int\n", n + 1)).collect();
    on_a_small_stack(format!(
        "from typing import TypedDict\nclass C0(TypedDict): pass\n{classes}def f(x: C5000): pass\n"
    ))
    .unwrap();
    let itself = "from typing import TypedDict\nclass Node(TypedDict):\n    children: list['Node']\ndef f(x: Node): pass\n";
    let analysis = analyse(itself).unwrap();
    assert_eq!(analysis.signature.input["properties"]["x"]["properties"]["children"]["type"], "array");
}

#[test]
fn a_large_source_is_refused_before_it_is_read() {
    let error = analyse(&"(".repeat(10_000_000)).unwrap_err();
    insta::assert_snapshot!(crate::with_hint(&error), @"line 1, column 1: the source has 10000000 bytes; the limit is 1048576 (read large data at run time instead of writing it into the source)");
    let largest = format!("def f(): return '{}'\n", "x".repeat(MAX_SOURCE_BYTES - 19));
    assert_eq!(largest.len(), MAX_SOURCE_BYTES);
    analyse(&largest).unwrap();
}

#[test]
fn many_names_on_one_long_line_are_quick_to_place() {
    let names: String = (0..60_000).map(|n| format!("n{n}.ü;")).collect();
    let analysis = analyse(&format!("def f(): {names}\n")).unwrap();
    assert_eq!(analysis.free_names.len(), 60_000);
    assert_eq!(analysis.free_names[2].column, 10 + 5 + 5);
}

#[test]
fn sources_made_to_be_slow_are_not() {
    let n = 12_000;
    let many = |part: &dyn Fn(usize) -> String| (0..n).map(part).collect::<String>();
    for source in [
        format!("def f():\n{}", many(&|i| format!("    v{i}: C{i} = 1\n    yield 'p', v{i}\n"))),
        format!(
            "def f({}):\n{}",
            many(&|i| format!("p{i}, ")),
            many(&|i| format!("    yield 'p{i}', p{i}\n"))
        ),
        format!("{}def f():\n    a0.run\n", many(&|i| format!("import selfmade as a{i}\n"))),
        format!("def f():\n{}", many(&|i| format!("    globals()['k{i}'].x{i}\n    a.b{i}\n"))),
        format!("def f(x: Union[{}]): pass\n", many(&|i| format!("Literal[{i}], "))),
        format!("def f(x: TypedDict): pass\n{}", "\n".repeat(n)),
    ] {
        analyse(&source).unwrap();
    }
    let decorated = format!(
        "@func.register_function(imports=[{0}], dependencies=[{0}])\n{1}def f():\n    return [{2}]\n",
        many(&|i| format!("'m{i}', ")),
        many(&|i| format!("@d{i}\n")),
        many(&|i| format!("m{i}, n{i}, "))
    );
    assert_eq!(read_pack(&decorated).unwrap().functions[0].unresolved.len(), n);
    let functions = format!("import os\n{}", many(&|i| format!("@selfmade.function\ndef f{i}(): os\n")));
    assert_eq!(read_pack(&functions).unwrap().functions.len(), n);
    let apart = format!(
        "{}{}",
        many(&|i| format!("C{i} = {i}\n")),
        many(&|i| format!("@selfmade.function\ndef f{i}(): C{i}\n"))
    );
    assert_eq!(read_pack(&apart).unwrap().functions.len(), n);
    let aliases = format!(
        "C0 = []\n{}C{n}.append(1)\n@selfmade.function\ndef f(): C0\n",
        many(&|i| format!("C{} = C{i}\n", i + 1))
    );
    assert!(read_pack(&aliases).unwrap_err().to_string().contains("changes it after"));
    // Each of these functions takes most of the file with it.
    let text = "much of it ".repeat(60);
    let chain: String = (1..1200).map(|i| format!("C{i} = [C{}, '{text}']\n", i - 1)).collect();
    let functions: String = (0..150).map(|i| format!("@selfmade.function\ndef f{i}(): C1199\n")).collect();
    let together = format!("C0 = 0\n{chain}{functions}");
    let refused = read_pack(&together).unwrap_err();
    assert!(refused.to_string().contains("take more than 8388608 bytes"), "{refused}");
}
