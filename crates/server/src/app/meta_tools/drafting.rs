//! `draft`, `check` and `propose`: the caller's own drafts, and what becomes of them.

use std::fmt::Write;

use model::access::Access;
use model::access::verb::Verb;
use model::changeset::ChangesetState;
use model::changeset::check::{Check, Finding, Severity, Verdict};
use model::content::Content;
use model::meta_tools::description::{in_words, signature_line};
use model::meta_tools::text::{MOST_SHOWN, fenced, one_line};
use model::name::EntryName;
use serde_json::{Value, json};

use super::{Caller, ToolAnswer};
use crate::app::changesets::workspace;
use crate::ctx::Ctx;
use crate::error::Error;

const NOTHING: &str = "nothing is drafted; call `draft` first";

pub(super) async fn draft(
    ctx: &Ctx,
    access: &Access,
    caller: &Caller<'_>,
    source: &str,
    name: Option<String>,
) -> Result<ToolAnswer, Error> {
    access.may(Verb::ProposeChangeset)?;
    let (name, content) = workspace::draft(ctx, access, caller.workspace, source, name).await?;
    Ok(drafted(&name, &content))
}

pub(super) fn drafted(name: &EntryName, content: &Content) -> ToolAnswer {
    let (grants, tests) = match content {
        Content::Function(function) => (in_words(&function.grants).join("; "), function.tests.len()),
        _ => (String::new(), 0),
    };
    let line = signature_line(name.as_str(), content);
    let tests = match tests {
        0 => "it has no tests: add some with `tests=`".to_owned(),
        1 => "it has 1 test".to_owned(),
        tests => format!("it has {tests} tests"),
    };
    let text = format!("drafted `{line}`; {tests}. It may: {grants}. Next: `check`, then `propose`.");
    ToolAnswer::of(text, json!({ "name": name, "signature": line }))
}

pub(super) async fn check(ctx: &Ctx, access: &Access, caller: &Caller<'_>) -> Result<ToolAnswer, Error> {
    access.may(Verb::ProposeChangeset)?;
    if caller.workspace.is_empty() {
        return Ok(ToolAnswer::refused(NOTHING));
    }
    let checks = workspace::check(ctx, access, caller.workspace).await?;
    let has_failed = checks.iter().any(|check| check.verdict == Verdict::Failed);
    let next = match has_failed {
        true => "Correct what failed with `draft`, and check again.",
        false => "Nothing failed. Next: `propose`.",
    };
    let text = format!("{}\n{next}", told(&checks));
    Ok(ToolAnswer { ok: !has_failed, text, data: json!({ "checks": checks }) })
}

pub(super) async fn propose(
    ctx: &Ctx,
    access: &Access,
    caller: &Caller<'_>,
    title: &str,
) -> Result<ToolAnswer, Error> {
    access.may(Verb::ProposeChangeset)?;
    if caller.workspace.is_empty() {
        return Ok(ToolAnswer::refused(NOTHING));
    }
    let title = one_line(title, 200);
    let proposed = workspace::propose(ctx, access, caller.workspace, &title, caller.once.clone()).await?;
    let number = proposed.number;
    let has_failed = proposed.checks.iter().any(|check| check.verdict == Verdict::Failed);
    let became = match proposed.state {
        ChangesetState::Applied => format!("changeset {number} is applied: the functions can be run now"),
        _ if has_failed => {
            format!("changeset {number} failed its checks and cannot be applied: draft it again")
        }
        _ => format!("changeset {number} is proposed; a person decides, and nothing is changed until then"),
    };
    let text = format!("{became}\n{}", told(&proposed.checks));
    let data = json!({ "changeset": number, "state": proposed.state, "checks": proposed.checks });
    Ok(ToolAnswer { ok: !has_failed, text, data })
}

/// A line for each gate, and what was found. Findings quote sources and values, so they are fenced.
fn told(checks: &[Check]) -> String {
    let mut out = String::new();
    for check in checks {
        let verdict = match check.verdict {
            Verdict::Passed => "passed",
            Verdict::Failed => "FAILED",
            Verdict::NotRun => "not run",
            Verdict::Forced => "failed, and was forced",
            Verdict::Asks => "asks a person",
        };
        let note = check.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
        let _ = writeln!(out, "- {}: {verdict}{note}", check.gate.as_str());
    }
    let findings: Vec<String> = checks.iter().flat_map(|check| &check.findings).map(finding).collect();
    if !findings.is_empty() {
        out.push_str(&fenced("", &findings.join("\n"), MOST_SHOWN));
    }
    out.trim_end().to_owned()
}

fn finding(finding: &Finding) -> String {
    let severity = if finding.severity == Severity::Error { "error" } else { "warning" };
    let place = finding.line.map(|line| format!(", line {line}")).unwrap_or_default();
    let hint = finding.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
    format!("{severity} in {}{place}: {}{hint}", finding.entry.name, finding.message)
}

/// What a promoted script was drafted from.
pub(super) fn with_source(answer: ToolAnswer, source: &str) -> ToolAnswer {
    let ToolAnswer { ok, text, mut data } = answer;
    data["source"] = Value::from(source);
    let text = format!("{text}\n{}", fenced("python", source, MOST_SHOWN));
    ToolAnswer { ok, text, data }
}
