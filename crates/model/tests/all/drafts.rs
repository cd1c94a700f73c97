//! From what an author hands in to the content of a Version.

use selfmade_model::changeset::check::Severity;
use selfmade_model::function::dependency::Dependency;
use selfmade_model::function::{Assembled, DraftError, FunctionDraft};
use selfmade_model::python::Dialect;
use selfmade_model::python::{Declared, DeclaredDependency};
use serde_json::json;

fn stored(names: &'static [&'static str]) -> impl Fn(&str) -> Option<String> {
    move |name| names.contains(&name).then(|| name.to_owned())
}

fn assemble(source: &str, names: &'static [&'static str]) -> Assembled {
    FunctionDraft::of_source(source).assemble(None, &stored(names)).unwrap()
}

fn calls(assembled: &Assembled) -> Vec<String> {
    let text = |dependency: &Dependency| {
        let version = dependency.version.map(|version| format!("@{version}")).unwrap_or_default();
        format!("{}={}{version}", dependency.alias, dependency.function)
    };
    assembled.content.dependencies.iter().map(text).collect()
}

#[test]
fn a_free_name_is_a_dependency() {
    let assembled = assemble("def f(x):\n    return helper(x) + len(x)\n", &["helper"]);
    assert_eq!(calls(&assembled), ["helper=helper"]);
}

#[test]
fn a_free_name_that_nothing_answers_to_is_kept_for_the_check_to_report() {
    assert_eq!(calls(&assemble("def f(x):\n    return helpr(x)\n", &["helper"])), ["helpr=helpr"]);
}

#[test]
fn a_dotted_use_is_the_function_of_that_dotted_name() {
    let source = "def f(x):\n    return airtable.create_record(x)\n";
    assert_eq!(
        calls(&assemble(source, &["airtable.create_record"])),
        ["airtable.create_record=airtable.create_record"]
    );
}

#[test]
fn a_plain_name_wins_over_a_dotted_one() {
    let source = "def f(x):\n    return airtable.create_record(x)\n";
    assert_eq!(calls(&assemble(source, &["airtable", "airtable.create_record"])), ["airtable=airtable"]);
}

#[test]
fn what_is_declared_wins_over_what_is_derived() {
    let pinned =
        DeclaredDependency { alias: "helper".into(), function: "tools.helper".into(), version: Some(3) };
    let draft = FunctionDraft {
        declared: Declared { dependencies: Some(vec![pinned]), ..Declared::default() },
        ..FunctionDraft::of_source("def f(x):\n    return helper(x)\n")
    };
    let assembled = draft.assemble(None, &stored(&["helper"])).unwrap();
    assert_eq!(calls(&assembled), ["helper=tools.helper@3"]);
}

#[test]
fn imports_are_requirements_and_a_stated_version_replaces_the_derived_one() {
    let draft = FunctionDraft {
        declared: Declared {
            requirements: Some(vec![
                selfmade_model::function::requirement::Requirement::parse("beautifulsoup4>=4.12").unwrap(),
            ]),
            ..Declared::default()
        },
        ..FunctionDraft::of_source("import bs4, httpx, os\n\n\ndef f():\n    return bs4, httpx, os\n")
    };
    let content = draft.assemble(None, &stored(&[])).unwrap().content;
    let packages: Vec<&str> =
        content.requirements.iter().map(|requirement| requirement.package.as_str()).collect();
    assert_eq!(packages, ["beautifulsoup4>=4.12", "httpx"]);
}

#[test]
fn an_update_of_the_source_alone_keeps_what_was_stated() {
    let first = FunctionDraft {
        declared: Declared {
            description: Some("Stated.".into()),
            secrets: Some(vec!["api_key".into()]),
            options: [("network".to_owned(), json!(["example.com"])), ("timeout".to_owned(), json!(5))]
                .into(),
            tests: Some(vec![json!({"input": {"x": 1}, "expect": {"output": 1}})]),
            metadata: Some(json!({"owner": "ada"}).as_object().unwrap().clone()),
            ..Declared::default()
        },
        ..FunctionDraft::of_source("def f(x):\n    return x\n")
    };
    let live = first.assemble(None, &stored(&[])).unwrap().content;
    let update = FunctionDraft::of_source("def f(x, y=2):\n    return x\n");
    let Assembled { content, findings, .. } = update.assemble(Some(&live), &stored(&[])).unwrap();
    let told: Vec<_> = findings.iter().map(|finding| (finding.severity, finding.message.as_str())).collect();
    let kept = "it keeps what the version before may reach: network example.com, secret api_key";
    assert_eq!(told, [(Severity::Warning, kept)]);
    assert_eq!(content.description, "Stated.");
    assert_eq!(
        (&content.grants, &content.tests, &content.metadata),
        (&live.grants, &live.tests, &live.metadata)
    );
    assert_eq!(content.signature.parameters.len(), 2);
}

#[test]
fn a_parameter_that_is_gone_from_the_source_is_gone_from_the_signature() {
    let live = assemble("def f(x):\n    return 1\n", &[]).content;
    let update = FunctionDraft::of_source("def f():\n    return 1\n");
    let content = update.assemble(Some(&live), &stored(&[])).unwrap().content;
    assert!(content.signature.parameters.is_empty());
}

#[test]
fn a_description_can_change_without_the_source() {
    let live = assemble("def f(x):\n    return helper(x)\n", &["helper"]).content;
    let update = FunctionDraft {
        source: None,
        declared: Declared { description: Some("New.".into()), ..Declared::default() },
        ..FunctionDraft::of_source("")
    };
    let content = update.assemble(Some(&live), &stored(&["helper"])).unwrap().content;
    assert_eq!((content.description.as_str(), content.source == live.source), ("New.", true));
    assert_eq!(content.dependencies, live.dependencies);
}

#[test]
fn a_decorator_states_everything() {
    let granted = FunctionDraft {
        declared: Declared {
            options: [("network".to_owned(), json!(["example.com"]))].into(),
            ..Declared::default()
        },
        ..FunctionDraft::of_source("def f(x):\n    return x\n")
    };
    let live = granted.assemble(None, &stored(&[])).unwrap().content;
    let update = FunctionDraft { keep: false, ..FunctionDraft::of_source("def f(x):\n    return x\n") };
    let Assembled { content, findings, .. } = update.assemble(Some(&live), &stored(&[])).unwrap();
    assert!(content.grants.network.is_empty() && findings.is_empty());
}

#[test]
fn the_name_it_is_stored_under_is_the_name_it_defines() {
    let draft = FunctionDraft {
        name: Some("g".parse().unwrap()),
        ..FunctionDraft::of_source("def f():\n    pass\n")
    };
    let error = draft.assemble(None, &stored(&[])).unwrap_err();
    insta::assert_snapshot!(error, @"the source defines `f`, but it would be stored as `g`; make the two names the same");
    let dotted = FunctionDraft {
        name: Some("pack.f".parse().unwrap()),
        ..FunctionDraft::of_source("def f():\n    pass\n")
    };
    assert_eq!(dotted.assemble(None, &stored(&[])).unwrap().name.as_str(), "pack.f");
}

#[test]
fn an_annotation_that_means_nothing_is_found_with_its_place() {
    let assembled = assemble("def f(x: List) -> Thing:\n    return x\n", &[]);
    let findings: Vec<String> = assembled
        .findings
        .iter()
        .map(|f| {
            format!(
                "{}:{} {} / {}",
                f.line.unwrap(),
                f.column.unwrap(),
                f.message,
                f.hint.as_deref().unwrap()
            )
        })
        .collect();
    insta::assert_snapshot!(findings.join("\n"), @r"
    1:10 the annotation uses `List`, which is not defined / put `from typing import List` above the function
    1:19 the annotation uses `Thing`, which is not defined / import `Thing` above the function, or leave the annotation out
    ");
}

#[test]
fn a_babyagi_function_calls_only_what_it_declares_and_reaches_the_brain_through_func() {
    let declared =
        |name: &str| DeclaredDependency { alias: name.into(), function: name.into(), version: None };
    let draft = FunctionDraft {
        dialect: Dialect::Babyagi,
        keep: false,
        declared: Declared {
            dependencies: Some(vec![declared("gpt_call"), declared("litellm.completion")]),
            imports: Some(vec!["json".into()]),
            secrets: Some(vec!["openai_api_key".into()]),
            ..Declared::default()
        },
        ..FunctionDraft::of_source(
            "def f(prompt):\n    func.display()\n    missing()\n    return gpt_call(json.dumps(datetime.now()))\n",
        )
    };
    let assembled = draft.assemble(None, &stored(&["gpt_call"])).unwrap();
    assert_eq!(calls(&assembled), ["gpt_call=gpt_call", "litellm.completion=litellm.completion"]);
    assert_eq!(assembled.content.grants.lines(), ["secret openai_api_key", "brain propose"]);
    let findings: Vec<_> = assembled.findings.iter().map(|f| (f.severity, f.message.as_str())).collect();
    assert_eq!(
        findings,
        [(
            Severity::Warning,
            "`missing` is neither declared nor defined, so using it will raise `NameError`"
        )]
    );
}

#[test]
fn a_wrong_grant_or_test_names_the_function() {
    let with = |declared: Declared| {
        let draft = FunctionDraft { declared, ..FunctionDraft::of_source("def f():\n    pass\n") };
        draft.assemble(None, &stored(&[])).unwrap_err()
    };
    let grant = Declared { options: [("network".to_owned(), json!("all"))].into(), ..Declared::default() };
    insta::assert_snapshot!(with(grant), @r#"function `f`: `network` must be a list of hosts, not `"all"`"#);
    let test = Declared { tests: Some(vec![json!({"expect": 1})]), ..Declared::default() };
    assert!(matches!(with(test), DraftError::Test { .. }));
}

#[test]
fn without_source_there_must_be_one_to_keep() {
    let draft = FunctionDraft { source: None, keep: true, ..FunctionDraft::default() };
    assert!(matches!(draft.assemble(None, &stored(&[])), Err(DraftError::NoSource)));
}
