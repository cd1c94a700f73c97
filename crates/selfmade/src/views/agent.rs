//! What the agent reports while it works: JSON lines in what its run logs, as `docs/agent.md` describes them.

use model::phrase::list;
use serde_json::Value;

use crate::terminal::style::{BAD, DIM, GOOD, NAME, TITLE, counted, one_line, paint, printable};

/// Longer texts are in the record.
const SHOWN_CHARACTERS: usize = 300;

/// A line of what a run logs, if the agent reports with it.
pub(crate) fn report(line: &str) -> Option<Value> {
    // Most of what runs print is no JSON at all.
    let report: Value = line.starts_with('{').then(|| serde_json::from_str(line).ok())??;
    report["agent"].is_string().then_some(report)
}

/// The report for a person. None for what is shown elsewhere, and for kinds that newer agents may have.
pub(crate) fn text(report: &Value) -> Option<String> {
    let field = |name: &str| cut(report[name].as_str().unwrap_or_default());
    let name = || paint(NAME, field("name"));
    Some(match report["agent"].as_str()? {
        "search" => format!("{} {}", paint(DIM, "searched"), found(report)),
        "candidate" if report["twin"].is_string() => {
            format!("{} does the same as {}", name(), paint(NAME, field("twin")))
        }
        "candidate" if report["composed"].is_array() => {
            format!("{} composed {} of {}", paint(DIM, "tried"), name(), names(&report["composed"]))
        }
        "candidate" => format!(
            "{} {}: {} of {} examples",
            paint(DIM, "tried"),
            name(),
            report["passed"].as_u64().unwrap_or_default(),
            report["of"].as_u64().unwrap_or_default()
        ),
        "plan" if report["parts"].is_array() => {
            format!("{} {} parts: {}", paint(DIM, "planned"), name(), names(&report["parts"]))
        }
        "plan" => planned(report),
        "ask" => format!("{} {}", paint(DIM, "asks"), field("question")),
        "code" => format!("{} {}\n{}", paint(DIM, "wrote"), name(), indented(report["code"].as_str()?)),
        "test" => tested(report),
        "repair" => format!("{} {}: {}", paint(DIM, "corrects"), name(), field("problem")),
        "review" => format!("{} {}: {} {}", paint(DIM, "reviewed"), name(), field("verdict"), field("why")),
        "proposal" => proposed(report),
        _ => return None,
    })
}

/// What the models were asked so far: `4 model calls, 1100 tokens, $0.0012`.
pub(crate) fn cost(spent: &Value) -> String {
    let number = |name: &str| spent[name].as_u64().unwrap_or_default();
    let calls = counted(number("calls") as usize, "model call");
    let tokens = number("input") + number("output");
    let cached = match number("cached") {
        0 => String::new(),
        cached => format!(" ({cached} cached)"),
    };
    match number("cost") {
        0 => format!("{calls}, {tokens} tokens{cached}"),
        cost => format!("{calls}, {tokens} tokens{cached}, ${:.4}", cost as f64 / 1e6),
    }
}

fn found(report: &Value) -> String {
    match report["found"].as_array().map(Vec::as_slice) {
        None | Some([]) => "the brain: nothing fits".to_owned(),
        Some(_) => format!("the brain: {}", names(&report["found"])),
    }
}

fn planned(report: &Value) -> String {
    let field = |name: &str| cut(report[name].as_str().unwrap_or_default());
    let grants: Vec<String> = report["grants"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(grant, to)| grant_words(grant, to))
        .collect();
    let needs = if grants.is_empty() {
        String::new()
    } else {
        format!("\n  needs {}", printable(&grants.join(", ")))
    };
    format!("{} {}\n  {}{needs}", paint(DIM, "plans"), paint(TITLE, field("signature")), field("goal"))
}

fn grant_words(grant: &str, to: &Value) -> String {
    match to.as_array() {
        Some(values) => format!("{grant} {}", values.iter().map(plain).collect::<Vec<_>>().join(", ")),
        None => format!("{grant} {}", plain(to)),
    }
}

fn tested(report: &Value) -> String {
    let problem = cut(report["problem"].as_str().unwrap_or_default());
    let name = cut(report["name"].as_str().unwrap_or_default());
    let count = |name: &str| report[name].as_u64();
    let ran = match (count("exact"), count("generated"), count("agree")) {
        (Some(exact), Some(generated), Some(agree)) if agree < generated => {
            format!(" ({exact} exact tests, and {agree} of {generated} generated ones)")
        }
        (Some(exact), Some(generated), _) => format!(" ({exact} exact and {generated} generated tests)"),
        _ => String::new(),
    };
    match report["ok"].as_bool() {
        Some(true) => format!("{} {name}{ran}", paint(GOOD, "passed")),
        _ => format!("{} {name}{ran}: {problem}", paint(BAD, "failed")),
    }
}

fn proposed(report: &Value) -> String {
    let problems: Vec<String> = report["problems"].as_array().into_iter().flatten().map(plain).collect();
    let state = report["state"].as_str().unwrap_or_default();
    let state = if state == "checked" { "waits for a decision" } else { state };
    let what = match report["changeset"].as_u64() {
        Some(number) => format!("changeset {number} {state}"),
        None => state.to_owned(),
    };
    match problems.is_empty() {
        true => paint(GOOD, what),
        false => format!("{}: {}", paint(BAD, what), cut(&problems.join("; "))),
    }
}

/// Names, or objects with names.
fn names(values: &Value) -> String {
    let name = |value: &Value| value["name"].as_str().map_or_else(|| plain(value), str::to_owned);
    let names: Vec<String> =
        values.as_array().into_iter().flatten().map(|value| paint(NAME, name(value))).collect();
    list(&names, "and")
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn cut(text: &str) -> String {
    let line = one_line(text);
    if line.chars().count() <= SHOWN_CHARACTERS {
        return line;
    }
    line.chars().take(SHOWN_CHARACTERS).chain(['…']).collect()
}

fn indented(code: &str) -> String {
    let lines: Vec<String> = code.trim_end().lines().map(|line| format!("  {}", printable(line))).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use serde_json::json;

    #[allow(clippy::needless_pass_by_value, reason = "each caller makes one")]
    fn shown(report: Value) -> String {
        anstream::adapter::strip_str(&text(&report).unwrap()).to_string()
    }

    #[test]
    fn what_is_no_report_is_printed_as_it_is() {
        for line in ["hello", "{}", "{\"agent\": 1}", "[1]", "{\"agent\": \"plan\""] {
            assert_eq!(report(line), None, "{line}");
        }
        assert!(report("{\"agent\": \"plan\"}").is_some());
        assert_eq!(text(&json!({ "agent": "telepathy" })), None);
    }

    #[test]
    fn each_kind_is_a_sentence() {
        assert_snapshot!(shown(json!({"agent": "search", "goal": "g", "found": ["a", {"name": "b"}]})), @"searched the brain: a and b");
        assert_snapshot!(shown(json!({"agent": "search", "goal": "g", "found": []})), @"searched the brain: nothing fits");
        assert_snapshot!(shown(json!({"agent": "candidate", "name": "a", "passed": 2, "of": 3})), @"tried a: 2 of 3 examples");
        assert_snapshot!(shown(json!({"agent": "plan", "name": "f", "signature": "f(n: int) -> int", "goal": "Doubles.", "grants": {"network": ["a.example"]}})), @"
        plans f(n: int) -> int
          Doubles.
          needs network a.example
        ");
        assert_snapshot!(shown(json!({"agent": "code", "name": "f", "candidate": 1, "code": "def f():\n    return 1\n"})), @"
        wrote f
          def f():
              return 1
        ");
        assert_snapshot!(shown(json!({"agent": "test", "name": "f", "ok": true, "exact": 2, "generated": 5})), @"passed f (2 exact and 5 generated tests)");
        assert_snapshot!(shown(json!({"agent": "test", "name": "f", "ok": true, "exact": 2, "generated": 6, "agree": 4})), @"passed f (2 exact tests, and 4 of 6 generated ones)");
        assert_snapshot!(shown(json!({"agent": "test", "name": "f", "ok": false, "problem": "f(1)\n is 2", "kind": "code"})), @"failed f: f(1) is 2");
        assert_snapshot!(shown(json!({"agent": "proposal", "changeset": 7, "state": "checked", "problems": []})), @"changeset 7 waits for a decision");
        assert_snapshot!(shown(json!({"agent": "proposal", "changeset": null, "state": "refused", "problems": ["tests: no"]})), @"refused: tests: no");
    }

    #[test]
    fn a_report_cannot_steer_the_terminal() {
        let report = json!({"agent": "code", "name": "f\u{1b}[31m", "code": "x = '\u{1b}]0;title\u{7}'"});
        assert!(!shown(report).contains('\u{1b}'));
    }

    #[test]
    fn costs_are_summed_up() {
        assert_eq!(
            cost(&json!({"calls": 1, "input": 900, "cached": 0, "output": 200, "cost": 0})),
            "1 model call, 1100 tokens"
        );
        assert_eq!(
            cost(&json!({"calls": 4, "input": 900, "cached": 512, "output": 200, "cost": 1200})),
            "4 model calls, 1100 tokens (512 cached), $0.0012"
        );
    }
}
