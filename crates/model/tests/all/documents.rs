//! The text in which a Function is exported says everything that was stated.

use proptest::prelude::*;
use selfmade_model::changeset::document::python_file;
use selfmade_model::content::{Content, Snapshot};
use selfmade_model::function::{FunctionContent, FunctionDraft};
use selfmade_model::python::{Declared, DeclaredDependency, read_pack};
use serde_json::{Value, json};

fn full() -> FunctionContent {
    let dependency = DeclaredDependency {
        alias: "create".into(),
        function: "airtable.create_record".into(),
        version: Some(2),
    };
    let draft = FunctionDraft {
        keep: false,
        declared: Declared {
            description: Some("Says \"hi\"\n\tand more.".into()),
            dependencies: Some(vec![dependency]),
            requirements: Some(vec![
                selfmade_model::function::requirement::Requirement::parse("httpx>=0.27").unwrap(),
            ]),
            secrets: Some(vec!["api_key".into()]),
            options: [
                ("network".to_owned(), json!(["api.example.com"])),
                ("model".to_owned(), json!(true)),
                ("brain".to_owned(), json!("read")),
                ("files".to_owned(), json!(true)),
                ("storage".to_owned(), json!("write")),
                ("timeout".to_owned(), json!(2.5)),
                ("memory".to_owned(), json!("64MB")),
                ("processes".to_owned(), json!(3)),
                ("retries".to_owned(), json!({"attempts": 4, "first": 0.5, "most": 30})),
                ("idempotent".to_owned(), json!(true)),
                ("isolation".to_owned(), json!("warm")),
                ("concurrency".to_owned(), json!({"limit": 2, "key": "x"})),
                ("record".to_owned(), json!("errors")),
                ("returns".to_owned(), json!("error")),
                ("priority".to_owned(), json!(-3)),
                ("budget".to_owned(), json!({"money": 0.5, "turns": 20})),
            ]
            .into(),
            tests: Some(vec![
                json!({"name": "one", "input": {"x": null}, "expect": {"pins": [["a", [1, -2.5, true]]]}}),
            ]),
            metadata: Some(
                json!({"owner": "ada", "nested": {"deep": [{"x": "é\u{1f600}\\"}]}})
                    .as_object()
                    .unwrap()
                    .clone(),
            ),
            ..Declared::default()
        },
        ..FunctionDraft::of_source(
            "import httpx\n\n\ndef f(x=None):\n    \"\"\"Doc.\"\"\"\n    return create(httpx, x)\n",
        )
    };
    draft.assemble(None, &|_| None).unwrap().content
}

fn read_back(text: &str) -> FunctionContent {
    let function = read_pack(text).unwrap().functions.remove(0);
    let (draft, analysis) = FunctionDraft::of_decorated(function);
    draft.assemble_analysed(analysis, None, &|_| None).unwrap().content
}

fn same(a: &FunctionContent, b: &FunctionContent) -> bool {
    let hash = |content: &FunctionContent| Snapshot::of(Content::Function(Box::new(content.clone()))).hash;
    hash(a) == hash(b)
}

#[test]
fn everything_that_was_stated_is_in_the_decorator() {
    insta::assert_snapshot!(python_file(&full()), @r#"
    import selfmade
    import httpx


    @selfmade.function(
        description="Says \"hi\"\n\tand more.",
        dependencies=["airtable.create_record@2 as create"],
        requirements=["httpx>=0.27"],
        network=["api.example.com"],
        secrets=["api_key"],
        model=True,
        brain="read",
        files=True,
        storage="write",
        timeout=2.5,
        memory=64000000,
        processes=3,
        retries={"attempts": 4, "first": 0.5, "most": 30.0},
        idempotent=True,
        isolation="warm",
        concurrency={"limit": 2, "key": "x"},
        record="errors",
        returns="error",
        priority=-3,
        budget={"money": 0.5, "turns": 20},
        tests=[{"name": "one", "input": {"x": None}, "expect": {"pins": [["a", [1, -2.5, True]]]}}],
        metadata={"owner": "ada", "nested": {"deep": [{"x": "é😀\\"}]}},
    )
    def f(x=None):
        """Doc."""
        return create(httpx, x)
    "#);
}

#[test]
fn what_a_decorator_can_state_is_what_an_export_states() {
    let file = python_file(&full());
    let stated: Vec<&str> = file
        .lines()
        .filter_map(|line| line.strip_prefix("    ")?.split_once('='))
        .map(|(name, _)| name)
        .filter(|name| !name.contains(' '))
        .collect();
    assert_eq!(stated, selfmade_model::function::options::STATEABLE);
}

#[test]
fn a_file_reads_back_as_the_content_it_was_written_from() {
    let content = full();
    let again = read_back(&python_file(&content));
    assert!(same(&content, &again), "{again:#?}");
}

#[test]
fn imports_from_the_future_stay_first() {
    let source = "from __future__ import annotations\nimport json\n\n\ndef f(x: int) -> str:\n    return json.dumps(x)\n";
    let content = FunctionDraft::of_source(source).assemble(None, &|_| None).unwrap().content;
    let text = python_file(&content);
    assert!(text.starts_with("from __future__ import annotations\nimport selfmade\nimport json\n"), "{text}");
    assert_eq!(read_back(&text).source, source);
}

#[test]
fn a_function_that_states_nothing_has_a_bare_decorator() {
    let content =
        FunctionDraft::of_source("def f():\n    return 1\n").assemble(None, &|_| None).unwrap().content;
    insta::assert_snapshot!(python_file(&content), @r"
    import selfmade


    @selfmade.function
    def f():
        return 1
    ");
    assert!(same(&content, &read_back(&python_file(&content))));
}

#[test]
fn a_function_that_says_nothing_of_running_has_the_hash_it_always_had() {
    let content =
        FunctionDraft::of_source("def f():\n    return 1\n").assemble(None, &|_| None).unwrap().content;
    let snapshot = Snapshot::of(Content::Function(Box::new(content)));
    assert_eq!(
        snapshot.hash.to_string(),
        "3f25476bbc24c6b5b0bcf7c025ae476b70f250362b22b194e1a5d487bfa3975b",
        "{}",
        snapshot.body
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9_f64).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_metadata_and_description_survive_the_way_through_a_file(value in any_json(), description in any::<String>()) {
        let mut content =
            FunctionDraft::of_source("def f():\n    return 1\n").assemble(None, &|_| None).unwrap().content;
        content.metadata.insert("value".to_owned(), value);
        content.description = description.clone();
        content.stated.description = Some(description);
        let again = read_back(&python_file(&content));
        prop_assert!(same(&content, &again), "{}", python_file(&content));
    }
}
