//! Blocks written as classes, read without running them.

use std::collections::BTreeMap;
use std::path::Path;

use selfmade_model::changeset::document::python_file;
use selfmade_model::function::FunctionDraft;
use selfmade_model::graph::block::BlockSignature;
use selfmade_model::python::{PackFunction, analyse, read_pack};
use serde_json::{Value, json};

fn fixtures() -> BTreeMap<String, PackFunction> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/blocks");
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let source = std::fs::read_to_string(&path).unwrap();
        let file = read_pack(&source).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(!file.functions.is_empty(), "{}", path.display());
        found.extend(file.functions.into_iter().map(|function| (function.name.clone(), function)));
    }
    found
}

fn pins(function: &PackFunction) -> (Vec<String>, Vec<String>) {
    let signature = BlockSignature::of_function(&function.analysis.signature);
    let names = |pins: Vec<selfmade_model::graph::block::Pin>| pins.into_iter().map(|pin| pin.name).collect();
    (names(signature.inputs), names(signature.outputs))
}

#[test]
fn every_block_becomes_a_function_whose_source_is_read_the_same_again() {
    let functions = fixtures();
    assert!(functions.len() >= 12, "{:?}", functions.keys());
    for function in functions.values() {
        let again = analyse(&function.source).unwrap();
        assert_eq!(again.signature, function.analysis.signature, "{}", function.name);
        assert_eq!(function.unresolved, [], "{}", function.source);
        assert_eq!(function.declared.metadata.as_ref().unwrap()["block"]["id"].as_str().unwrap().len(), 36);
    }
}

#[test]
fn an_exported_block_is_read_as_the_same_again() {
    // A model that only an output pin names is not written out again: its pin is anything then.
    let exact = fixtures().into_iter().filter(|(name, _)| name != "read_posts" && name != "total_order");
    for (name, function) in exact {
        let (draft, analysis) = FunctionDraft::of_decorated(function.clone());
        let content = draft.assemble_analysed(analysis, None, &|_| None).unwrap().content;
        let text = python_file(&content);
        let again = read_pack(&text).unwrap_or_else(|error| panic!("{name}: {error}")).functions.remove(0);
        assert_eq!(again.source, function.source, "{name}");
        assert_eq!(again.declared.tests, function.declared.tests, "{name}");
    }
}

#[test]
fn fields_are_pins_with_types_defaults_and_descriptions() {
    let functions = fixtures();
    let traffic = &functions["traffic_light"];
    let signature = BlockSignature::of_function(&traffic.analysis.signature);
    let light = signature.input("light").unwrap();
    assert_eq!(light.schema, json!({"enum": ["red", "green"]}));
    assert_eq!(light.description.as_deref(), Some("Which light is on"));
    assert_eq!(signature.output("may_go").unwrap().schema, json!({"type": "boolean"}));
    let order = &functions["total_order"].analysis.signature;
    let items = &order.parameters[0].schema["properties"]["items"]["items"]["properties"];
    assert_eq!(items["price"], json!({"type": "number"}));
    assert!(order.parameters[0].required && !order.parameters[1].required);
    let (inputs, outputs) = pins(&functions["remember"]);
    assert_eq!(inputs, ["list", "input", "type"], "what a test needs is no pin");
    assert_eq!(outputs, ["last", "list", "error"]);
}

#[test]
fn secrets_and_credentials_are_no_pins_but_secrets_of_the_function() {
    let functions = fixtures();
    let weather = &functions["tell_weather"];
    assert_eq!(pins(weather).0, ["place"]);
    assert_eq!(weather.declared.secrets.as_ref().unwrap(), &["weather_api_key"]);
    assert_eq!(functions["add_note"].declared.secrets.as_ref().unwrap(), &["notes_api_key"]);
    assert_eq!(functions["log_in"].declared.secrets.as_ref().unwrap(), &["mail_password", "mail_username"]);
    assert_eq!(functions["read_posts"].declared.secrets.as_ref().unwrap(), &["forum_password", "forum_user"]);
}

#[test]
fn addresses_in_the_code_are_what_it_may_reach() {
    let weather = &fixtures()["tell_weather"];
    assert_eq!(weather.declared.options["network"], json!(["api.weather.example"]));
}

#[test]
fn the_package_pydantic_is_needed_only_by_what_it_alone_does() {
    let functions = fixtures();
    let needing =
        |function: &&PackFunction| function.analysis.imports.iter().any(|import| import.module == "pydantic");
    let names: Vec<_> = functions.values().filter(needing).map(|function| function.name.as_str()).collect();
    assert_eq!(names, ["rate"]);
}

#[test]
fn a_static_output_is_kept_in_graphs() {
    let functions = fixtures();
    assert_eq!(
        functions["remember"].declared.metadata.as_ref().unwrap()["block"],
        json!({
            "id": "5d0f5a52-0c55-4ba1-8d51-3a6b4d1f0a09", "class": "RememberBlock", "categories": ["BASIC"], "static": true
        })
    );
}

#[test]
fn a_disabled_block_is_passed_over() {
    let source = include_str!("../blocks/shapes.py");
    let skipped = read_pack(source).unwrap().skipped;
    assert_eq!(skipped.len(), 1);
    assert_eq!(
        (skipped[0].name.as_str(), skipped[0].reason.as_str()),
        ("HexagonAreaBlock", "it is disabled")
    );
}

#[test]
fn the_class_stands_in_the_function_as_it_was_written() {
    let function = &fixtures()["reverse_text"];
    let source = &function.source;
    let head = &source[..source.find("    def _framework").unwrap()];
    let tail = &source[source.find("    def _load").unwrap()..];
    insta::assert_snapshot!(format!("{head}    …\n\n{tail}"), @r#"
    from collections.abc import Iterator
    from typing import Any


    def reverse_text(
        text: str,
    ) -> Iterator[tuple[str, Any]]:
        """Writes a text backwards.

        Args:
            text: What to write backwards
        """
        …

        def _load(framework):
            Block = framework["Block"]
            BlockCategory = framework["BlockCategory"]
            BlockOutput = framework["BlockOutput"]
            BlockSchema = framework["BlockSchema"]
            SchemaField = framework["SchemaField"]

            class ReverseTextBlock(Block):
                class Input(BlockSchema):
                    text: str = SchemaField(description="What to write backwards")

                class Output(BlockSchema):
                    reversed_text: str = SchemaField(description="The text, backwards")

                def __init__(self):
                    super().__init__(
                        id="5d0f5a52-0c55-4ba1-8d51-3a6b4d1f0a01",
                        description="Writes a text backwards.",
                        categories={BlockCategory.TEXT},
                        input_schema=ReverseTextBlock.Input,
                        output_schema=ReverseTextBlock.Output,
                        test_input={"text": "abc"},
                        test_output=("reversed_text", "cba"),
                    )

                def run(self, input_data: Input, **kwargs) -> BlockOutput:
                    yield "reversed_text", input_data.text[::-1]

            framework["KNOWN"].update(locals())
            return ReverseTextBlock()

        _kit = _framework(None)
        for _run in _kit["started"](_load(_kit), {"text": text}, {}, None):
            for _pin, _value in _run:
                _value = _kit["plain"](_value)
                if _pin == "reversed_text":
                    _reversed_text: str = _value
                    yield "reversed_text", _reversed_text
                else:
                    raise ValueError(f"`{_pin}` is not a pin of `reverse_text`")
    "#);
    assert_eq!(
        Value::from(function.declared.tests.clone().unwrap()),
        json!([{"input": {"text": "abc"}, "expect": {"pins": [["reversed_text", "cba"]]}}])
    );
}

#[test]
fn constants_and_types_that_name_each_other_end() {
    let mut doubling = String::from("V0 = 1\nT0 = int\n");
    for n in 1..40 {
        doubling += &format!("V{n} = [V{0}, V{0}]\nT{n} = dict[T{0}, T{0}]\n", n - 1);
    }
    let source = format!("{HEAD}{doubling}{}", block("a: T39", "", RUN));
    assert_eq!(read_pack(&source).unwrap().functions.len(), 1);
    let source = block("a: str", "test_input={'a': V39}, test_output=[]", RUN);
    let refused = refusal(&format!("{doubling}{source}"));
    assert!(refused.contains("`test_input` must be written out"), "{refused}");
    assert!(
        refusal(&format!("W = [W]\n{}", block("a: list = W", "", RUN)))
            .contains("a default must be written out")
    );
    let shared = "class A(C, C, B, B): ...\nclass B(A, A, C, C): ...\nclass C(A, B, B, A): ...\n";
    assert_eq!(read_pack(&format!("{HEAD}{shared}")).unwrap().functions.len(), 0);
}

const HEAD: &str = "from backend.data.block import Block, BlockSchema
from backend.data.model import SchemaField
";

fn refusal(source: &str) -> String {
    super::with_hint(&read_pack(&format!("{HEAD}{source}")).unwrap_err())
}

fn block(fields: &str, stated: &str, rest: &str) -> String {
    format!(
        "class XBlock(Block):
    class Input(BlockSchema):
        {fields}
    class Output(BlockSchema):
        b: str
    def __init__(self):
        super().__init__(id='1', {stated})
    {rest}
"
    )
}

const RUN: &str = "def run(self, input_data):\n        yield 'b', input_data.a\n";

#[test]
fn what_cannot_be_read_is_refused_with_its_line_and_a_reason() {
    let elsewhere = "def run(self, input_data):\n        yield 'b', fetch(input_data.a)\n";
    let wanting = "def run(self, input_data, *, user_id):\n        yield 'b', user_id\n";
    let refused = [
        "class XBlock(Block):\n    pass\n".to_owned(),
        block("a: str", "", "pass"),
        block("a: str = make()", "", RUN),
        block("a: str = SchemaField(alias='c')", "", RUN),
        format!("from backend.data.model import SecretField\n{}", block("a: str = SecretField()", "", RUN)),
        block("a: str", "test_input={'a': now()}, test_output=[]", RUN),
        block("a: str", "test_input={'a': ''}, test_output=[('b', lambda b: b)]", RUN),
        block("a: str", "disabled=not KEY", RUN),
        block("a: str", "**stated", RUN),
        block("a: str", "input_schema=Elsewhere", RUN),
        block("a: str", "", wanting),
        format!("from backend.util import fetch\n{}", block("a: str", "", elsewhere)),
        format!("{}for _ in []: pass\n", block("a: str", "", RUN)),
        block("a: str", "", "def run(self, input_data):\n        global b\n        yield 'b', b\n"),
    ];
    insta::assert_snapshot!(refused.map(|source| refusal(&source)).join("\n"), @r#"
    line 3, column 7: `XBlock` has no constructor that says what it is (write `def __init__(self): super().__init__(id=…, input_schema=…, output_schema=…)`)
    line 3, column 7: `XBlock` has no method `run` (write one)
    line 5, column 18: a default must be written out, and `make()` is not known without running the file (write a literal, a constant of the file or a member of one of its enums)
    line 5, column 36: `a` has an alias, and a pin has one name (name the field as the pin is to be called)
    line 6, column 18: `a` does not say which secret it is (write `SecretField(key="the_name")`)
    line 9, column 51: `test_input` must be written out, and `now()` is not known without running the file (write a literal, a constant of the file or a member of one of its enums)
    line 9, column 75: an expected value is a function, which could say anything (write the value, or its type)
    line 9, column 43: `disabled` must be written out, and `not KEY` is not known without running the file (write a literal, a constant of the file or a member of one of its enums)
    line 9, column 36: an argument of `super().__init__(…)` must be written out, and `stated` is not known without running the file (write a literal, a constant of the file or a member of one of its enums)
    line 8, column 5: the `input_schema` of `XBlock` is not known (define it as a class of the file, such as `class Input(BlockSchema)` inside of the block)
    line 10, column 34: `run` wants `user_id`, which is not known here (remove it, or give it a default)
    line 3, column 26: `fetch` of `backend.util` is not stored with `XBlock`, which uses it (write what it does into the file, or take it from a package)
    line 13, column 1: this is done when the file is imported, and is not stored with its blocks (move it inside of the class or a function, or remove it)
    line 11, column 9: `global` changes the file, and each run has its own (keep what lasts elsewhere, or hand it on as a parameter)
    "#);
}

/// Files that try to be read as something else than what Python would make of them.
#[test]
fn what_only_running_the_file_would_show_is_refused() {
    let plain = block("a: str", "", RUN);
    let stated = |id: &str| plain.replace("id='1'", id);
    let refused = [
        plain.replace("XBlock(Block)", "XBlock(Block, metaclass=Meta)"),
        format!("@renamed\n{plain}"),
        stated("id=str(uuid4())"),
        stated("id=f'{KEY}'"),
        stated("id=5"),
        stated("id=''"),
        format!("from backend.data.block import *\n{plain}"),
        format!("from os.path import *\n{plain}"),
        plain.replace("Input(BlockSchema)", "Input(create_model('Input', a=(str, ...)))"),
        plain.replace("Input(BlockSchema)", "Input(BlockSchema, extra='allow')"),
        block("a: str", "input_schema=schema_of('a')", RUN),
        block("a: str\n        if KEY: c: str", "", RUN),
        block("a: str\n        __annotations__['c'] = str", "", RUN),
        block("a: str\n        locals().update(c=str)", "", RUN),
        format!("{plain}XBlock.Input = str\n"),
        format!("{plain}{}", plain.replace("XBlock", "X")),
        format!("K = 1\nK += 1\n{}", block("a: int = K", "", RUN)),
    ];
    insta::assert_snapshot!(refused.map(|source| refusal(&source)).join("\n"), @"
    line 3, column 21: `XBlock` is made with a keyword, and what that does to it is not known (remove the metaclass or the keyword)
    line 3, column 1: `XBlock` is decorated, and what that makes of it is not known (remove the decorator)
    line 9, column 29: `id` must be written out, and `str(uuid4())` is not known without running the file (write a literal, a constant of the file or a member of one of its enums)
    line 9, column 29: `id` must be written out, and `f'{KEY}'` is not known without running the file (write a literal, a constant of the file or a member of one of its enums)
    line 8, column 5: `XBlock` has no `id` (every block has an id that never changes, such as a new UUID)
    line 8, column 5: `XBlock` has no `id` (every block has an id that never changes, such as a new UUID)
    line 3, column 32: `from backend.data.block import *` does not say which names it is about (import each name that is used)
    line 3, column 21: `from os.path import *` does not say which names it is about (import each name that is used)
    line 4, column 17: the fields of `create_model('Input', a=(str, ...))` are not known, as it is no class of this file (define it in the file)
    line 4, column 30: `Input` is made with a keyword, and what that does to it is not known (remove the metaclass or the keyword)
    line 8, column 5: the `input_schema` of `XBlock` is not known (define it as a class of the file, such as `class Input(BlockSchema)` inside of the block)
    line 6, column 9: the fields of `Input` are not known without running this (state each field as `name: type = SchemaField(…)`)
    line 6, column 9: the fields of `Input` are not known without running this (state each field as `name: type = SchemaField(…)`)
    line 6, column 9: the fields of `Input` are not known without running this (state each field as `name: type = SchemaField(…)`)
    line 13, column 1: this is done when the file is imported, and is not stored with its blocks (move it inside of the class or a function, or remove it)
    line 13, column 1: the blocks on lines 3 and 13 would both be `x` (rename one of the classes)
    line 7, column 18: a default must be written out, and `K` is not known without running the file (write a literal, a constant of the file or a member of one of its enums)
    ");
}

#[test]
fn of_two_definitions_the_last_one_counts_as_in_python() {
    let fields = "a: str\n    class Input(BlockSchema):\n        z: int";
    let read = read_pack(&format!("{HEAD}{}", block(fields, "", RUN))).unwrap();
    assert_eq!(pins(&read.functions[0]).0, ["z"]);
}

#[test]
fn texts_of_a_block_stay_texts() {
    let head = "from typing import Literal\nfrom backend.data.model import CredentialsMetaInput\n";
    let provider = "x, y=__import__(\"os\").abort()#";
    let field = format!("a: CredentialsMetaInput[Literal['{provider}'], Literal['api_key']]");
    let described = r#"description='\x00 """ + boom() \\'"#;
    let source = format!("{HEAD}{head}{}", block(&field, described, RUN));
    let function = read_pack(&source).unwrap().functions.remove(0);
    let above_class = function.source.split("def _load").next().unwrap();
    assert!(
        !function.source.contains('\0') && above_class.contains(r#"\"\"\" + boom() \\"#),
        "{above_class}"
    );
    let secrets = function.declared.secrets.unwrap();
    assert!(secrets.iter().all(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_')), "{secrets:?}");
    assert!(!function.source.split("_kit =").nth(1).unwrap().contains("__import__(\"os\")"));
}

#[test]
fn a_file_of_classes_is_read_in_time_or_refused() {
    let blocks: String =
        (0..300).map(|n| block("a: str", "", RUN).replace("XBlock", &format!("X{n}"))).collect();
    let refused = refusal(&blocks);
    assert!(refused.contains("this is block 257 of the file, which may have 256"), "{refused}");
    let chain: String = (1..30_000).map(|n| format!("class A{n}(A{}): ...\n", n - 1)).collect();
    assert_eq!(read_pack(&format!("{HEAD}class A0: ...\n{chain}")).unwrap().functions.len(), 0);
    let deep = format!("test_input={{'a': {}{}}}, test_output=[]", "[".repeat(5_000), "]".repeat(5_000));
    assert!(refusal(&block("a: list", &deep, RUN)).contains("line "));
}
