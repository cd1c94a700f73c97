//! Pack files in both dialects.

use selfmade_model::python::{
    DeclaredDependency, Dialect, PackFile, PackFunction, analyse, read_bare, read_pack,
};
use serde_json::json;

fn pack(source: &str) -> PackFile {
    read_pack(source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

fn only(source: &str) -> PackFunction {
    let mut functions = pack(source).functions;
    assert_eq!(functions.len(), 1);
    functions.remove(0)
}

fn refused(source: &str) -> String {
    match read_pack(source) {
        Ok(pack) => panic!("{} functions were read", pack.functions.len()),
        Err(error) => crate::with_hint(&error),
    }
}

fn unresolved(function: &PackFunction) -> Vec<&str> {
    function.unresolved.iter().map(|free| free.name.as_str()).collect()
}

#[test]
fn every_spelling_of_the_decorators_is_known() {
    for (head, dialect) in [
        ("import selfmade\n@selfmade.function", Dialect::Selfmade),
        ("import selfmade\n@selfmade.function()", Dialect::Selfmade),
        ("import selfmade as sm\n@sm.function(description='x')", Dialect::Selfmade),
        ("from selfmade import function\n@function()", Dialect::Selfmade),
        ("from selfmade import function as stored\n@stored", Dialect::Selfmade),
        ("@func.register_function()", Dialect::Babyagi),
        ("from functionz.core.framework import func\n@func.register_function(metadata={})", Dialect::Babyagi),
        ("import babyagi\n@babyagi.register_function()", Dialect::Babyagi),
        ("import selfmade.babyagi as babyagi\n@babyagi.register_function()", Dialect::Babyagi),
        ("from babyagi import register_function\n@register_function", Dialect::Babyagi),
    ] {
        let function = only(&format!("{head}\ndef f(a):\n    return a\n"));
        assert_eq!(function.dialect, dialect, "{head}");
        assert_eq!(function.source, "def f(a):\n    return a\n", "{head}");
    }
    let foreign = pack("from elsewhere import function\n@function()\ndef f(): pass\n");
    assert!(foreign.functions.is_empty());
}

#[test]
fn what_an_author_states_is_read() {
    let function = only(
        "@selfmade.function(\n    description='Fetches ' + \"a \" 'page',\n    dependencies=['parse', 'clean@3', 'airtable.create_record as create', 'a.b@2 as c'],\n    requirements=['httpx>=0.27', 'beautifulsoup4'],\n    secrets=('api_key',),\n    triggers='parse',\n    tests=[{'input': {'url': 'x'}, 'expect': {'output': -1.5}}],\n    metadata={'owner': None},\n    network={'example.com'},\n    timeout=-3,\n    model=True,\n    files=None,\n)\ndef fetch(url): return url\n",
    );
    let declared = function.declared;
    assert_eq!(declared.description.as_deref(), Some("Fetches a page"));
    let dependency = |alias: &str, function: &str, version| DeclaredDependency {
        alias: alias.to_owned(),
        function: function.to_owned(),
        version,
    };
    assert_eq!(
        declared.dependencies.unwrap(),
        [
            dependency("parse", "parse", None),
            dependency("clean", "clean", Some(3)),
            dependency("create", "airtable.create_record", None),
            dependency("c", "a.b", Some(2)),
        ]
    );
    let packages: Vec<_> =
        declared.requirements.unwrap().into_iter().map(|r| (r.import, r.package)).collect();
    assert_eq!(packages, [("httpx".into(), "httpx>=0.27".into()), ("bs4".into(), "beautifulsoup4".into())]);
    assert_eq!(declared.secrets.unwrap(), ["api_key"]);
    assert_eq!(declared.triggers.unwrap(), ["parse"]);
    assert_eq!(declared.tests.unwrap(), [json!({"input": {"url": "x"}, "expect": {"output": -1.5}})]);
    assert_eq!(declared.metadata.unwrap()["owner"], json!(null));
    assert_eq!(
        serde_json::to_value(&declared.options).unwrap(),
        json!({"network": ["example.com"], "timeout": -3, "model": true})
    );
    assert_eq!(only("@selfmade.function\ndef f(): pass").declared, Default::default());
}

#[test]
fn requirements_may_be_a_dict_and_triggers_may_be_rules() {
    let declared =
        only("@selfmade.function(requirements={'cv2': 'opencv-python-headless>=4'}, triggers=[{'event': 'run.finished'}])\ndef f(): pass")
            .declared;
    assert_eq!(declared.requirements.unwrap()[0].package, "opencv-python-headless>=4");
    assert_eq!(declared.triggers, None);
    assert_eq!(declared.options["triggers"], json!([{"event": "run.finished"}]));
}

#[test]
fn arguments_that_are_not_literal_or_not_right_are_refused() {
    insta::assert_snapshot!(refused("@selfmade.function(description=TEXT)\ndef f(): pass"), @"line 1, column 32: argument `description` of `@selfmade.function` is not a literal: `TEXT` (the file is read without running it: write strings, numbers, True, False, None, lists, tuples, sets and dicts only)");
    insta::assert_snapshot!(refused("@selfmade.function(tests=[{'input': [1, now()]}])\ndef f(): pass"), @"line 1, column 41: argument `tests` of `@selfmade.function` is not a literal: `now()` (the file is read without running it: write strings, numbers, True, False, None, lists, tuples, sets and dicts only)");
    insta::assert_snapshot!(refused("@func.register_function(\n    metadata={**base})\ndef f(): pass"), @"line 2, column 14: argument `metadata` of `@func.register_function` is not a literal: `{**base}` (the file is read without running it: write strings, numbers, True, False, None, lists, tuples, sets and dicts only)");
    insta::assert_snapshot!(refused("@selfmade.function(**options)\ndef f(): pass"), @"line 1, column 22: argument `**` of `@selfmade.function` is not a literal: `options` (the file is read without running it: write strings, numbers, True, False, None, lists, tuples, sets and dicts only)");
    insta::assert_snapshot!(refused("@selfmade.function('text')\ndef f(): pass"), @"line 1, column 20: `@selfmade.function` takes its arguments by name");
    insta::assert_snapshot!(refused("@selfmade.function(description=3)\ndef f(): pass"), @"line 1, column 32: argument `description` of `@selfmade.function` must be a string");
    insta::assert_snapshot!(refused("@selfmade.function(secrets=[1])\ndef f(): pass"), @"line 1, column 28: argument `secrets` of `@selfmade.function` must be a list of strings");
    insta::assert_snapshot!(refused("@selfmade.function(dependencies=['a@0'])\ndef f(): pass"), @"line 1, column 33: argument `dependencies` of `@selfmade.function` has `a@0`, which is not a function (write `name`, `name@3` or `name as alias`)");
    insta::assert_snapshot!(refused("@selfmade.function(requirements=['--pre'])\ndef f(): pass"), @"line 1, column 33: argument `requirements` of `@selfmade.function` is refused: `--pre` is an option of pip; name packages only, and set indexes in the server's configuration");
    insta::assert_snapshot!(refused("@selfmade.function(tests={})\ndef f(): pass"), @"line 1, column 26: argument `tests` of `@selfmade.function` must be a list");
    insta::assert_snapshot!(refused("@func.register_function(imports=[3])\ndef f(): pass"), @"line 1, column 33: argument `imports` of `@func.register_function` must be a list of import names and of dicts with `name` and `lib`");
    insta::assert_snapshot!(refused("@selfmade.function\n@func.register_function()\ndef f(): pass"), @"line 2, column 1: `f` is registered by two decorators (keep one of them)");
}

#[test]
fn a_function_of_babyagis_may_be_named_and_its_keys_may_be_called_secrets() {
    let source = "from functionz import register_function\n@register_function(name='f', secrets=['a'], key_dependencies=['b'])\ndef f(): pass";
    let declared = only(source).declared;
    assert_eq!(
        (declared.secrets.unwrap(), declared.options.len()),
        (vec!["a".to_owned(), "b".to_owned()], 0)
    );
    insta::assert_snapshot!(refused("@func.register_function(name='g')\ndef f(): pass"), @"line 1, column 30: argument `name` of `@func.register_function` must be `f`, the name of the function below it");
}

#[test]
fn only_what_a_function_uses_travels_with_it() {
    let source = "\"\"\"The pack.\"\"\"\nfrom __future__ import annotations\nimport os, sys, a.b, a.c\nimport numpy as np\nfrom typing import (\n    List,\n    TypedDict as TD,\n)\nimport selfmade\n\nLIMIT = 3\n\n\nclass Row(TD):\n    ids: 'Ids'\n\n\nIds = List[int]\ntype Unused = Row\n\n\n@selfmade.function\ndef f(row: 'Row') -> list[int]:\n    # why\n    return np.sort(a.b.pick(row), sys.argv)\n    # after\n\n\n@selfmade.function\ndef g(): return f({})\n";
    let pack = pack(source);
    let [f, g] = pack.functions.as_slice() else { panic!() };
    assert_eq!(
        f.source,
        "from __future__ import annotations\nimport sys, a.b, a.c\nimport numpy as np\nfrom typing import List, TypedDict as TD\nclass Row(TD):\n    ids: 'Ids'\nIds = List[int]\n\n\ndef f(row: 'Row') -> list[int]:\n    # why\n    return np.sort(a.b.pick(row), sys.argv)\n    # after\n"
    );
    assert_eq!(f.analysis.signature.parameters[0].schema["properties"]["ids"]["items"]["type"], "integer");
    assert_eq!(g.source, "from __future__ import annotations\n\n\ndef g(): return f({})\n");
    assert_eq!(unresolved(g), ["f"]);
    assert_eq!((f.line, g.line), (23, 30));
}

#[test]
fn what_does_not_travel_is_told_where_it_is_used() {
    let using = |lines: &str| refused(&format!("{lines}\n@selfmade.function\ndef f():\n    return LIMIT\n"));
    insta::assert_snapshot!(using("LIMIT = open('limit').read()"), @"line 4, column 12: `LIMIT`, defined on line 1, is not stored with `f`, which uses it, because its value is worked out by a call when the file is executed (move `LIMIT` inside `f`, pass it as a parameter, or decorate it if it is a function)");
    insta::assert_snapshot!(using("LIMIT = 1 if DEBUG else 2"), @"line 4, column 12: `LIMIT`, defined on line 1, is not stored with `f`, which uses it, because its value is worked out when the file is executed (move `LIMIT` inside `f`, pass it as a parameter, or decorate it if it is a function)");
    insta::assert_snapshot!(using("LIMIT = 1\nLIMIT = 2"), @"line 5, column 12: `LIMIT`, defined on line 1, is not stored with `f`, which uses it, because it is assigned in more than one place (move `LIMIT` inside `f`, pass it as a parameter, or decorate it if it is a function)");
    insta::assert_snapshot!(using("LIMIT = 1\ndef more():\n    global LIMIT\n    LIMIT += 1"), @"line 7, column 12: `LIMIT`, defined on line 1, is not stored with `f`, which uses it, because `more` assigns to it (move `LIMIT` inside `f`, pass it as a parameter, or decorate it if it is a function)");
    insta::assert_snapshot!(using("@cached\ndef LIMIT(): pass"), @"line 5, column 12: `LIMIT`, defined on line 1, is not stored with `f`, which uses it, because its decorator does not come from an import (move `LIMIT` inside `f`, pass it as a parameter, or decorate it if it is a function)");
    insta::assert_snapshot!(using("class LIMIT(metaclass=Meta): pass"), @"line 4, column 12: `LIMIT`, defined on line 1, is not stored with `f`, which uses it, because it has a metaclass (move `LIMIT` inside `f`, pass it as a parameter, or decorate it if it is a function)");
    insta::assert_snapshot!(using("class LIMIT:\n    print('made')"), @"line 5, column 12: `LIMIT`, defined on line 1, is not stored with `f`, which uses it, because its body does more than define (move `LIMIT` inside `f`, pass it as a parameter, or decorate it if it is a function)");
    insta::assert_snapshot!(using("for LIMIT in range(3): pass"), @"line 4, column 12: `LIMIT`, defined on line 1, is not stored with `f`, which uses it, because no `def`, `class` or assignment to it alone defines it at the top level (move `LIMIT` inside `f`, pass it as a parameter, or decorate it if it is a function)");
    insta::assert_snapshot!(using("import os\nHOME = os.environ['HOME']\nLIMIT = [HOME]"), @"line 3, column 10: `HOME`, defined on line 2, is not stored with `f`, which uses it, because its value is worked out when the file is executed (move `HOME` inside `f`, pass it as a parameter, or decorate it if it is a function)");
    let because = |lines: &str| {
        let told = using(lines);
        let (_, reason) = told.split_once("because ").unwrap_or(("", &told));
        reason.split(" (move").next().unwrap_or(reason).to_owned()
    };
    insta::assert_snapshot!(because("import sys\nLIMIT = sys.argv"), @"`sys.argv` is another value where it is executed");
    insta::assert_snapshot!(because("from os import environ as e\nLIMIT = [e]"), @"`os.environ` is another value where it is executed");
    insta::assert_snapshot!(because("LIMIT = __file__"), @"`__file__` is another value where it is executed");
    insta::assert_snapshot!(because("LIMIT = {}\nfor key in 'ab':\n    LIMIT[key] = 1"), @"the file changes it after its definition");
    insta::assert_snapshot!(because("LIMIT = []\nif True:\n    LIMIT.append(1)"), @"the file changes it after its definition");
    insta::assert_snapshot!(because("LIMIT = []\nclass Other:\n    LIMIT.append(1)"), @"the file changes it after its definition");
    insta::assert_snapshot!(because("class LIMIT:\n    most = 1\nsetattr(LIMIT, 'most', 2)"), @"the file changes it after its definition");
    insta::assert_snapshot!(because("LIMIT = []\nlimits = LIMIT\nlimits.append(1)"), @"the file changes it after its definition");
    insta::assert_snapshot!(because("LIMIT = []\nassert LIMIT.append(1) is None"), @"the file changes it after its definition");
    insta::assert_snapshot!(because("LIMIT = []\ndef more():\n    LIMIT.append(1)\ndef main():\n    more()\nmain()"), @"the file changes it after its definition");
    insta::assert_snapshot!(because("LIMIT = 1\nfrom limits import *"), @"an `import *` after it may replace it");
    insta::assert_snapshot!(because("from limits import LIMIT\ndef LIMIT(): pass"), @"it is assigned in more than one place");
    insta::assert_snapshot!(because("LIMIT, other = 1, 2"), @"no `def`, `class` or assignment to it alone defines it at the top level");
    insta::assert_snapshot!(because("class LIMIT(make()): pass"), @"one of its bases is worked out when the file is executed");
    insta::assert_snapshot!(because("class LIMIT:\n    class Inner(metaclass=Meta): pass"), @"it has a metaclass");
    insta::assert_snapshot!(because("class LIMIT(Base, limit=open('x')): pass"), @"its value is worked out by a call when the file is executed");
    insta::assert_snapshot!(because("def int(x): return open(x)\nLIMIT = int('x')"), @"its value is worked out by a call when the file is executed");
    insta::assert_snapshot!(because("N = 0\ndef LIMIT():\n    global N\n    N += 1"), @"it assigns to the global `N`");
    insta::assert_snapshot!(because("N = 0\nclass LIMIT:\n    def more(self):\n        global N\n        N += 1"), @"it assigns to the global `N`");
    let declared = only(
        "def helper(): pass\n@selfmade.function(dependencies=['helper'])\ndef f():\n    return helper()\n",
    );
    assert!(declared.unresolved.is_empty());
}

#[test]
fn plain_definitions_travel_with_what_uses_them() {
    let source = "import selfmade\nimport re, os\nfrom dataclasses import dataclass, field\n\nDAY = 24 * 60 * 60\nWEEK = 7 * DAY  # seven of them\nUNUSED = 1\nWORD = re.compile(r'\\w+')\n\n\n@dataclass(frozen=True)\nclass Row:\n    # of a table\n    name: str = ''\n    tags: list = field(default_factory=list)\n\n    def title(self):\n        return _title(self.name)\n\n\n@selfmade.function\ndef rows(names: list[str]) -> int:\n    made = [Row(name) for name in names]\n    return len(made) * WEEK + other(1)\n\n\ndef _title(name):\n    return ' '.join(WORD.findall(name)).title()\n    # after\n\n\n@selfmade.function\ndef other(n): return n\n\n\ndef main():\n    print(rows(['a']))\n\n\ndef forgotten(): pass\n\n\nif __name__ == '__main__':\n    main()\n";
    let pack = pack(source);
    let [rows, other] = pack.functions.as_slice() else { panic!() };
    insta::assert_snapshot!(rows.source);
    assert_eq!(unresolved(rows), ["other"]);
    assert_eq!(other.source, "def other(n): return n\n");
    let left: Vec<&str> = pack.skipped.iter().map(|notice| notice.name.as_str()).collect();
    assert_eq!(left, ["forgotten"]);
    // What is stored is read again as the same.
    let again = analyse(&rows.source).unwrap();
    assert_eq!((again.source.as_str(), again.name.as_str()), (rows.source.as_str(), "rows"));
    assert_eq!(again.signature, rows.analysis.signature);
}

#[test]
fn what_only_looks_like_a_change_travels() {
    for lines in [
        "LIMIT = []\ndef main():\n    LIMIT = {}\n    LIMIT['a'] = 1\nmain()",
        "LIMIT = [1]\nprint(LIMIT.index(1))",
        "LIMIT = []\nlater = lambda: LIMIT.append(1)",
        "LIMIT = 0\ndef never():\n    other.append(LIMIT)",
        "def LIMIT(x): return x\nfrom json import loads",
        "from limits import *\nLIMIT = 1",
    ] {
        let source = format!("{lines}\n@selfmade.function\ndef f():\n    return LIMIT\n");
        assert!(only(&source).source.contains("LIMIT"), "{lines}");
    }
}

#[test]
fn constants_may_be_made_of_others_and_of_texts() {
    for value in
        ["f'{BASE}/v1'", "'a b'.split()", "Counter('ab')", "[*BASE, -1, {'k': (1, 2)}]", "lambda: open(BASE)"]
    {
        let source = format!(
            "from collections import Counter\nBASE = 'x'\nLIMIT = {value}\n@selfmade.function\ndef f(): return LIMIT\n"
        );
        assert!(only(&source).source.contains(&format!("LIMIT = {value}\n")), "{value}");
    }
}

#[test]
fn what_a_function_assigns_to_by_global_is_its_own() {
    let counting =
        "COUNT = 0\n@selfmade.function\ndef f():\n    global COUNT\n    COUNT += 1\n    return COUNT\n";
    assert_eq!(
        only(counting).source,
        "COUNT = 0\n\n\ndef f():\n    global COUNT\n    COUNT += 1\n    return COUNT\n"
    );
    assert_eq!(bare(&counting.replace("@selfmade.function\n", ""), false).len(), 1);
    let shared = format!("{counting}@selfmade.function\ndef g(): return COUNT\n");
    insta::assert_snapshot!(refused(&shared), @"line 8, column 17: `COUNT`, defined on line 1, is not stored with `g`, which uses it, because `f` assigns to it (move `COUNT` inside `g`, pass it as a parameter, or decorate it if it is a function)");
    // Nothing defines it where it could be read before it is assigned to.
    insta::assert_snapshot!(refused(&counting.replace("COUNT = 0", "COUNT = len(input())")), @"line 2, column 1: `COUNT`, defined on line 1, is not stored with `f`, which uses it, because its value is worked out by a call when the file is executed (move `COUNT` inside `f`, pass it as a parameter, or decorate it if it is a function)");
    assert_eq!(only("@selfmade.function\ndef f():\n    global MADE\n    MADE = 1\n").name, "f");
}

#[test]
fn imports_may_be_left_to_the_cell() {
    let source = "import selfmade as sm\n\nwith sm.imports():\n    import pandas as pd\n    from numpy import array\n\n@sm.function\ndef f(n): return pd.DataFrame(array([n]))\n";
    assert_eq!(
        only(source).source,
        "import pandas as pd\nfrom numpy import array\n\n\ndef f(n): return pd.DataFrame(array([n]))\n"
    );
}

fn bare(source: &str, one: bool) -> Vec<String> {
    let read = read_bare(source, one).unwrap_or_else(|error| panic!("{error}\n{source}"));
    read.into_iter().map(|analysis| analysis.source).collect()
}

#[test]
fn a_file_without_decorators_defines_each_of_its_public_functions() {
    let source = "RATE = 2\n\ndef one(a): return two(a)\n\ndef two(a): return _times(a)\n\ndef _times(a): return a * RATE\n\nif __name__ == '__main__':\n    one(1)\n";
    assert_eq!(
        bare(source, false),
        [
            "def one(a): return two(a)\n",
            "RATE = 2\n\n\ndef _times(a): return a * RATE\n\n\ndef two(a): return _times(a)\n"
        ]
    );
    let whole = "def helper(): return 1\n\n\ndef f(): return helper()\n";
    assert_eq!(bare(whole, false).len(), 2);
    assert_eq!(bare(whole, true), [whole]);
    let refused = |source| crate::with_hint(&read_bare(source, false).unwrap_err());
    insta::assert_snapshot!(refused("def a(): pass\ndef b(): pass\nprint(a())"), @"line 3, column 1: a call is outside the function `a` (a function is stored alone: move it inside `a`, or remove it)");
    insta::assert_snapshot!(refused("def a(): pass\ndef b(): return KEY\nKEY = input()"), @"line 3, column 1: `KEY` is outside the function `a` (only what is plain is stored with it, and its value is worked out by a call when the file is executed: move `KEY` inside `a`, or pass it as a parameter)");
    insta::assert_snapshot!(refused("def a(): pass\ndef a(): pass"), @"line 2, column 5: `a` is already defined on line 1 (a file defines each name once: rename or remove one of the two)");
}

#[test]
fn other_decorators_travel_with_their_import() {
    let source = "import functools\n\n@selfmade.function()\n@functools.cache\ndef f(): pass\n";
    assert_eq!(only(source).source, "import functools\n\n\n@functools.cache\ndef f(): pass\n");
    insta::assert_snapshot!(refused("@selfmade.function\n@local\ndef f(): pass"), @"line 2, column 1: the decorator `@local` is not defined by an import above the function (remove it, or import what it needs above the function)");
}

#[test]
fn in_babyagis_dialect_nothing_travels_and_its_scope_is_known() {
    let source = "import requests\nfrom typing import List\nKEY = 1\n\n@func.register_function(\n    metadata={'description': 'Does it.', 'x': [1]},\n    imports=['json', {'name': 'bs4', 'lib': 'beautifulsoup4'}, {'name': 'PIL'}, 'os.path'],\n    dependencies=['gpt_call', 'litellm.completion', 'func'],\n    triggers=['up'],\n    key_dependencies=['api_key'],\n)\n@other\ndef f(x: List[int]):\n    \"\"\"Doc.\"\"\"\n    json, bs4, PIL, os, gpt_call, litellm, func, datetime, parent_log_id, api_key\n    return requests, KEY, globals()['api_key']\n";
    let function = only(source);
    assert!(function.source.starts_with("def f(x: List[int]):\n"));
    assert_eq!(unresolved(&function), ["List", "requests", "KEY"]);
    let declared = function.declared;
    assert_eq!(declared.description.as_deref(), Some("Does it."));
    assert_eq!(declared.imports.unwrap(), ["json", "bs4", "PIL", "os.path"]);
    let packages: Vec<_> = declared.requirements.unwrap().into_iter().map(|r| r.package).collect();
    assert_eq!(packages, ["beautifulsoup4", "pillow"]);
    assert_eq!(declared.secrets.unwrap(), ["api_key"]);
    assert_eq!(function.analysis.globals_read, ["api_key"]);
    assert_eq!(function.line, 13);
    assert_eq!(function.unresolved[1].line, 16);
}

#[test]
fn all_shapes_of_babyagis_imports_are_read() {
    for (imports, names, packages) in [
        ("'requests'", vec!["requests"], vec!["requests"]),
        ("{'name': 'firecrawl', 'lib': 'firecrawl-py'}", vec!["firecrawl"], vec!["firecrawl-py"]),
        ("['os', 'time']", vec!["os", "time"], vec![]),
        ("[{'name': 'time', 'lib': 'time'}, 'yaml', 'yaml']", vec!["time", "yaml"], vec!["PyYAML"]),
        ("[]", vec![], vec![]),
    ] {
        let declared = only(&format!("@func.register_function(imports={imports})\ndef f(): pass")).declared;
        assert_eq!(declared.imports.unwrap(), names, "{imports}");
        let told: Vec<_> = declared.requirements.unwrap().into_iter().map(|r| r.package).collect();
        assert_eq!(told, packages, "{imports}");
    }
    let declared = only("@func.register_function({'description': 'x'}, ['os'])\ndef f(): pass").declared;
    assert_eq!((declared.description.as_deref(), declared.imports), (Some("x"), Some(vec!["os".to_owned()])));
}

#[test]
fn babyagis_functions_may_stand_in_blocks_and_ours_may_not() {
    let source = "try:\n    if True:\n        @func.register_function()\n        def f():\n            '''Doc\n  left'''\n            return missing\n            # inner\n        # outer\nexcept ImportError:\n    @selfmade.function\n    def g(): pass\n";
    let pack = pack(source);
    assert_eq!(
        pack.functions[0].source,
        "def f():\n    '''Doc\n  left'''\n    return missing\n    # inner\n"
    );
    let free = &pack.functions[0].unresolved[0];
    assert_eq!((free.line, free.column), (7, 20));
    assert_eq!(pack.skipped.len(), 1);
    insta::assert_snapshot!(format!("{} line {}: {}", pack.skipped[0].name, pack.skipped[0].line, pack.skipped[0].reason), @"g line 12: `@selfmade.function` is read at the top level only, not inside `if`, `try` or `with`");
}

#[test]
fn undecorated_functions_are_told_and_passed_over() {
    let pack = pack("def helper(): pass\n\n@func.register_function()\ndef f(): pass\n");
    assert_eq!(pack.functions.len(), 1);
    let notice = &pack.skipped[0];
    insta::assert_snapshot!(format!("{} line {}: {}", notice.name, notice.line, notice.reason), @"helper line 1: it has no decorator that registers it");
}

#[test]
fn two_functions_of_one_name_are_refused_with_both_lines() {
    insta::assert_snapshot!(refused("@func.register_function()\ndef f(): pass\n\n@func.register_function()\ndef f(): pass\n"), @"line 5, column 5: `f` is already defined on line 2 (a file defines each name once: rename or remove one of the two)");
}

#[test]
fn errors_inside_a_function_point_into_the_file() {
    insta::assert_snapshot!(refused("import os\n\n\n@selfmade.function\ndef f():\n    from . import x\n"), @"line 6, column 5: a relative import means nothing in a stored function (call the stored function by its name, or import the package by its full name)");
    insta::assert_snapshot!(refused("if True:\n    @func.register_function()\n    def print(): pass\n"), @"line 3, column 9: a function cannot be named `print`: it is a Python builtin, which it would shadow in every function that calls it (name it after what it does, such as `print_value`)");
    insta::assert_snapshot!(refused("@func.register_function()\ndef f(:\n"), @"line 2, column 7: expected a parameter or the end of the parameter list (`(` on line 2, column 6 is never closed)");
}
