//! The gates of a Changeset that need only what is written.

use std::collections::HashSet;

use selfmade_model::changeset::check::{
    Check, Outcome, Surroundings, Verdict, check_names, check_types, nearest,
};
use selfmade_model::content::Content;
use selfmade_model::entry::{EntryKey, EntryKind};
use selfmade_model::function::FunctionDraft;
use selfmade_model::function::dependency::Role;
use selfmade_model::python::Dialect;
use selfmade_model::python::{Declared, DeclaredDependency};
use selfmade_model::schedule::ScheduleContent;
use selfmade_model::trigger::TriggerContent;
use selfmade_model::version::VersionNumber;
use serde_json::json;

fn key(name: &str) -> EntryKey {
    EntryKey::function(name.parse().unwrap())
}

fn function(source: &str) -> Content {
    Content::Function(Box::new(FunctionDraft::of_source(source).assemble(None, &|_| None).unwrap().content))
}

fn live(names: &[&str]) -> Surroundings {
    let known_names = names.iter().map(ToString::to_string).collect();
    Surroundings {
        live: names.iter().map(|name| key(name)).collect(),
        known_names,
        ..Surroundings::default()
    }
}

fn told(check: &Check) -> String {
    let lines = check.findings.iter().map(|finding| {
        let place =
            finding.line.map(|line| format!(" {line}:{}", finding.column.unwrap())).unwrap_or_default();
        let hint = finding.hint.as_deref().unwrap_or("-");
        format!("{:?} {}{place}: {} / {hint}", finding.severity, finding.entry.name, finding.message)
    });
    format!("{:?}\n{}", check.verdict, lines.collect::<Vec<_>>().join("\n"))
}

fn names_of(source: &str, around: &Surroundings) -> String {
    let content = function(source);
    told(&check_names(&[Outcome { key: &key("f"), after: Some(&content) }], around))
}

#[test]
fn what_is_called_must_be_stored() {
    insta::assert_snapshot!(names_of("def f(x):\n    return helpr(x)\n", &live(&["helper", "other"])), @r"
    Failed
    Error f 2:12: `helpr` is not defined, imported or stored / did you mean `helper`?
    ");
    insta::assert_snapshot!(names_of("def f(x):\n    return zzz(x)\n", &live(&["helper"])), @r"
    Failed
    Error f 2:12: `zzz` is not defined, imported or stored / define it inside the function, import it, or add a function named `zzz` in the same changeset
    ");
    assert!(names_of("def f(x):\n    return helper(x)\n", &live(&["helper"])).starts_with("Passed"));
}

#[test]
fn what_the_same_changeset_adds_is_there_in_any_order() {
    let (f, g) = (function("def f(x):\n    return g(x)\n"), function("def g(x):\n    return f(x)\n"));
    let outcomes = [Outcome { key: &key("f"), after: Some(&f) }, Outcome { key: &key("g"), after: Some(&g) }];
    assert_eq!(check_names(&outcomes, &Surroundings::default()).verdict, Verdict::Passed);
}

#[test]
fn what_the_same_changeset_deletes_is_not_there() {
    let f = function("def f(x):\n    return g(x)\n");
    let outcomes = [Outcome { key: &key("f"), after: Some(&f) }, Outcome { key: &key("g"), after: None }];
    assert_eq!(check_names(&outcomes, &live(&["g"])).verdict, Verdict::Failed);
}

#[test]
fn a_function_that_others_call_is_not_deleted_under_them() {
    let around = Surroundings {
        referrers: vec![
            (key("g"), Role::Calls, key("a")),
            (key("g"), Role::Calls, key("b")),
            (key("g"), Role::Calls, key("g")),
            (key("g"), Role::Watches, EntryKey::new(EntryKind::Trigger, "t".parse().unwrap())),
        ],
        ..live(&["g", "a", "b"])
    };
    let gone = key("g");
    insta::assert_snapshot!(told(&check_names(&[Outcome { key: &gone, after: None }], &around)), @r"
    Failed
    Error g: cannot be deleted: `a`, `b` depend on it / delete or change them in the same changeset
    ");
    let (a, b) = (key("a"), key("b"));
    let changed = function("def b(x):\n    return x\n");
    let together = [
        Outcome { key: &gone, after: None },
        Outcome { key: &a, after: None },
        Outcome { key: &b, after: Some(&changed) },
    ];
    assert_eq!(check_names(&together, &around).verdict, Verdict::Passed);
}

#[test]
fn a_pin_must_exist() {
    let draft = FunctionDraft {
        declared: Declared {
            dependencies: Some(vec![DeclaredDependency {
                alias: "g".into(),
                function: "g".into(),
                version: Some(3),
            }]),
            ..Declared::default()
        },
        ..FunctionDraft::of_source("def f(x):\n    return g(x)\n")
    };
    let content = Content::Function(Box::new(draft.assemble(None, &|_| None).unwrap().content));
    let check =
        |around: &Surroundings| check_names(&[Outcome { key: &key("f"), after: Some(&content) }], around);
    insta::assert_snapshot!(told(&check(&live(&["g"]))), @r"
    Failed
    Error f: `g@3` is pinned, but `g` has no version 3 / list its versions with `selfmade fn versions g`, or leave the pin out
    ");
    let pinned = HashSet::from([(key("g"), VersionNumber(3))]);
    assert_eq!(check(&Surroundings { pinned, ..Surroundings::default() }).verdict, Verdict::Passed);
}

#[test]
fn a_babyagi_function_may_name_what_is_not_there_and_that_is_said() {
    let draft = FunctionDraft {
        dialect: Dialect::Babyagi,
        keep: false,
        declared: Declared {
            dependencies: Some(vec![DeclaredDependency {
                alias: "litellm.completion".into(),
                function: "litellm.completion".into(),
                version: None,
            }]),
            ..Declared::default()
        },
        ..FunctionDraft::of_source("def f(x):\n    return x\n")
    };
    let content = Content::Function(Box::new(draft.assemble(None, &|_| None).unwrap().content));
    let check = check_names(&[Outcome { key: &key("f"), after: Some(&content) }], &Surroundings::default());
    insta::assert_snapshot!(told(&check), @r"
    Passed
    Warning f: depends on `litellm.completion`, which is not a stored function / the name is kept, and resolves once a function with that name is stored
    ");
}

#[test]
fn a_trigger_must_start_something_but_may_wait_for_anything() {
    let trigger = Content::Trigger(TriggerContent::after("upstream", "target".parse().unwrap()));
    let name = EntryKey::new(EntryKind::Trigger, "t".parse().unwrap());
    let outcomes = [Outcome { key: &name, after: Some(&trigger) }];
    insta::assert_snapshot!(told(&check_names(&outcomes, &live(&["targets"]))), @r"
    Failed
    Error t: it starts `target`, which is not stored / did you mean `targets`?
    Warning t: it listens to `upstream`, which is not stored yet / -
    ");
    assert_eq!(check_names(&outcomes, &live(&["target"])).verdict, Verdict::Passed);
}

#[test]
fn a_schedule_may_start_a_graph() {
    let schedule: ScheduleContent =
        serde_json::from_value(json!({"times": {"cron": "0 9 * * *"}, "target": "daily"})).unwrap();
    let content = Content::Schedule(schedule);
    let name = EntryKey::new(EntryKind::Schedule, "s".parse().unwrap());
    let graph = EntryKey::new(EntryKind::Graph, "daily".parse().unwrap());
    let around = Surroundings { live: HashSet::from([graph]), ..Surroundings::default() };
    assert_eq!(
        check_names(&[Outcome { key: &name, after: Some(&content) }], &around).verdict,
        Verdict::Passed
    );
}

#[test]
fn the_input_of_a_test_fits_the_signature() {
    let draft = FunctionDraft {
        declared: Declared {
            tests: Some(vec![
                json!({"input": {"n": 3}, "expect": {"output": 6}}),
                json!({"input": {"n": "three"}, "expect": {"output": 6}}),
                json!({"input": {}, "expect": {"output": 6}}),
            ]),
            ..Declared::default()
        },
        ..FunctionDraft::of_source("def f(n: int) -> int:\n    return n * 2\n")
    };
    let content = Content::Function(Box::new(draft.assemble(None, &|_| None).unwrap().content));
    let check = check_types(&[Outcome { key: &key("f"), after: Some(&content) }]);
    insta::assert_snapshot!(told(&check), @r"
    Failed
    Error f: test 2: `n` must be an integer, not the string `three` / -
    Error f: test 3: `n` is required / -
    ");
}

#[test]
fn a_trigger_and_a_schedule_must_mean_something() {
    let mut trigger = TriggerContent::after("upstream", "target".parse().unwrap());
    trigger.debounce_ms = Some(0);
    let schedule: ScheduleContent =
        serde_json::from_value(json!({"times": {"cron": "0 25 * * *"}, "target": "target"})).unwrap();
    let (trigger, schedule) = (Content::Trigger(trigger), Content::Schedule(schedule));
    let check = check_types(&[
        Outcome { key: &EntryKey::new(EntryKind::Trigger, "t".parse().unwrap()), after: Some(&trigger) },
        Outcome { key: &EntryKey::new(EntryKind::Schedule, "s".parse().unwrap()), after: Some(&schedule) },
    ]);
    insta::assert_snapshot!(told(&check), @r"
    Failed
    Error t: its debounce is 0 ms; it must be between 1 and 86400000 / -
    Error s: hour `25` is out of range; allowed is 0 to 23, for example `9-17` / -
    ");
}

#[test]
fn concurrency_is_counted_by_a_parameter_that_there_is() {
    let options = [("concurrency".to_owned(), json!({"limit": 1, "key": "usr"}))].into();
    let draft = FunctionDraft {
        declared: Declared { options, ..Declared::default() },
        ..FunctionDraft::of_source("def f(user):\n    return user\n")
    };
    let content = Content::Function(Box::new(draft.assemble(None, &|_| None).unwrap().content));
    let check = check_types(&[Outcome { key: &key("f"), after: Some(&content) }]);
    insta::assert_snapshot!(told(&check), @r"
    Failed
    Error f: `concurrency` is counted by `usr`, which is not a parameter / did you mean `user`?
    ");
}

#[test]
fn a_trigger_on_a_pattern_of_names_waits_for_none_of_them() {
    let trigger = TriggerContent::after("report.*", "target".parse().unwrap());
    let names: Vec<String> = Content::Trigger(trigger).references().into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["target"]);
}

#[test]
fn the_nearest_name_is_suggested_only_if_it_is_near() {
    let known: Vec<String> = ["fetch_page", "fetch_pages", "parse"].map(str::to_owned).to_vec();
    assert_eq!(nearest("fetch_pge", &known), Some("fetch_page"));
    assert_eq!(nearest("quux", &known), None);
}
