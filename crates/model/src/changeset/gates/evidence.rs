//! The gate `evidence`: what a changed function gives for recorded inputs, beside what it gave.

use serde_json::Value;

use super::Judgement;
use super::answers::{Answer, is_same, short, shown};
use crate::changeset::check::Finding;
use crate::entry::EntryKey;
use crate::ids::RunId;

/// So many differences are shown one by one.
const SHOWN: usize = 5;

/// What came of a recorded input.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    pub run: RunId,
    pub input: Value,
    pub recorded: Answer,
    pub now: Now,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Now {
    Answered(Answer),
    /// The new version does not take this input.
    Refused(String),
    /// It asked for something that the recorded Run did not ask for, so nobody knows what it would have got.
    Unknown(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Difference {
    Same,
    Different,
    Failed,
    Unknown,
}

impl Compared {
    fn difference(&self) -> Difference {
        match &self.now {
            Now::Answered(now) if is_same(&self.recorded, now) => Difference::Same,
            Now::Answered(Err(_)) if self.recorded.is_ok() => Difference::Failed,
            Now::Answered(_) => Difference::Different,
            Now::Refused(_) => Difference::Failed,
            Now::Unknown(_) => Difference::Unknown,
        }
    }

    fn line(&self) -> String {
        let id = self.run.to_string();
        let end = id.len().saturating_sub(8);
        let now = match &self.now {
            Now::Answered(now) => format!("now {}", shown(now)),
            Now::Refused(why) => format!("now the input is refused: {}", short(why)),
            Now::Unknown(why) => short(why),
        };
        let (input, recorded) = (short(&self.input.to_string()), shown(&self.recorded));
        format!("run …{}: {input} gave {recorded}, {now}", &id[end..])
    }
}

/// What a person should know who replaces a Function. It is no error: what is wrong is mended by giving something else.
pub fn judge(key: &EntryKey, compared: &[Compared]) -> Judgement {
    let count = |difference| compared.iter().filter(|one| one.difference() == difference).count();
    let (same, different) = (count(Difference::Same), count(Difference::Different));
    let (failed, unknown) = (count(Difference::Failed), count(Difference::Unknown));
    if compared.is_empty() {
        return Judgement::none(format!("no recorded run of `{}` can be compared", key.name));
    }
    let told: Vec<String> =
        [(same, "same"), (different, "different"), (failed, "failed"), (unknown, "unknown")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
    let note = format!("of the last {} recorded runs of `{}`: {}", compared.len(), key.name, told.join(", "));
    let changed = compared.iter().filter(|one| one.difference() != Difference::Same);
    let findings: Vec<Finding> = changed
        .take(SHOWN)
        .map(|one| {
            let hint = format!("see it with `selfmade runs show {}`", one.run);
            Finding::warning(key.clone(), one.line()).hint(hint)
        })
        .collect();
    Judgement { asks: !findings.is_empty(), findings, note: Some(note) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::run::RunError;

    fn compared(recorded: Answer, now: Now) -> Compared {
        Compared { run: RunId(uuid::Uuid::nil()), input: json!({"n": 1}), recorded, now }
    }

    fn judged(compared: &[Compared]) -> Judgement {
        judge(&EntryKey::function("f".parse().unwrap()), compared)
    }

    #[test]
    fn what_gives_the_same_is_counted_and_what_differs_is_shown() {
        let error = || Err(RunError::of("ValueError", "no"));
        let same = compared(Ok(json!(1)), Now::Answered(Ok(json!(1.0))));
        let told = judged(std::slice::from_ref(&same));
        assert_eq!((told.asks, told.findings.len()), (false, 0));
        assert_eq!(told.note.unwrap(), "of the last 1 recorded runs of `f`: 1 same");
        let told = judged(&[
            same,
            compared(Ok(json!(1)), Now::Answered(Ok(json!(2)))),
            compared(Ok(json!(1)), Now::Answered(error())),
            compared(error(), Now::Answered(Ok(json!(3)))),
            compared(Ok(json!(1)), Now::Refused("`m` is required".to_owned())),
        ]);
        assert!(told.asks);
        assert_eq!(told.note.unwrap(), "of the last 5 recorded runs of `f`: 1 same, 2 different, 2 failed");
        let lines: Vec<&str> = told.findings.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(
            lines,
            [
                r#"run …00000000: {"n":1} gave 1, now 2"#,
                r#"run …00000000: {"n":1} gave 1, now ValueError: no"#,
                r#"run …00000000: {"n":1} gave ValueError: no, now 3"#,
                r#"run …00000000: {"n":1} gave 1, now the input is refused: `m` is required"#,
            ]
        );
    }

    #[test]
    fn only_a_few_differences_and_a_part_of_each_are_shown() {
        let long = compared(Ok(json!("x".repeat(1000))), Now::Answered(Ok(json!("y".repeat(1000)))));
        let told = judged(&vec![long; 30]);
        assert_eq!(told.findings.len(), SHOWN);
        assert!(told.findings.iter().all(|finding| finding.message.len() < 400));
    }
}
