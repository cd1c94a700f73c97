//! The gate `mutants`: tests that no mutant of their function fails would pass for wrong code too.

use serde::{Deserialize, Serialize};

use super::Judgement;
use super::answers::short;
use crate::changeset::check::Finding;
use crate::entry::EntryKey;
use crate::function::FunctionContent;
use crate::function::test_case::Expect;
use crate::python::{Dialect, Mutation};

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MutantFate {
    /// A test failed because something else came than was expected.
    Caught,
    /// A test failed because the mutant raised an error or took too long: any call of it would have failed.
    Crashed,
    /// It passed all tests.
    Survived,
    /// There was no time left.
    NotTried,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct TriedMutant {
    pub mutation: Mutation,
    /// Where it differs from the stored source.
    pub line: u32,
    pub before: String,
    pub after: String,
    pub fate: MutantFate,
    /// The first test that failed, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<usize>,
}

/// What the fates of mutants say about the tests of a Function.
pub fn judge(key: &EntryKey, function: &FunctionContent, mutants: &[TriedMutant]) -> Judgement {
    // Its form has no place for them, and whoever lets runs change the brain without being asked has said so for all of them.
    if function.tests.is_empty() && function.dialect == Dialect::Babyagi {
        return Judgement::none(format!("`{}` is in BabyAGI's form, which has no tests", key.name));
    }
    if function.tests.is_empty() {
        let text = "has no tests, so nothing shows that it does what it should";
        let hint = "give it tests: `tests=[{\"input\": {…}, \"expect\": {\"output\": …}}]`; without them a person must apply it";
        return Judgement::asking(Finding::warning(key.clone(), text).hint(hint));
    }
    let survivors: Vec<&TriedMutant> =
        mutants.iter().filter(|mutant| mutant.fate == MutantFate::Survived).collect();
    let is_caught = mutants.iter().any(|mutant| mutant.fate == MutantFate::Caught);
    let tried = mutants.iter().filter(|mutant| mutant.fate != MutantFate::NotTried).count();
    match survivors.first() {
        None if tried == 0 => Judgement::none(format!("`{}` has no mutants that could be tried", key.name)),
        None => Judgement::none(format!("the tests of `{}` notice all {tried} mutants", key.name)),
        Some(survivor) if is_caught => {
            let text = format!(
                "its tests do not notice {} of {tried} mutants: {}",
                survivors.len(),
                described(survivor)
            );
            let hint = "add a test whose result differs there, unless both mean the same";
            let finding = Finding::warning(key.clone(), text).at(survivor.line, 1).hint(hint);
            Judgement { findings: vec![finding], ..Judgement::default() }
        }
        Some(_)
            if function.tests.iter().all(|test| test.expect == Expect::Output(serde_json::Value::Null)) =>
        {
            let text =
                "its tests expect that it returns nothing, so they would pass for code that does nothing";
            let hint =
                "return something that says what was done, and expect that; otherwise a person must apply it";
            Judgement::asking(Finding::warning(key.clone(), text).hint(hint))
        }
        Some(survivor) => {
            let text = format!("its tests would pass for wrong code too: {}", described(survivor));
            let hint = "add a test that expects a result which only the right code gives";
            let finding = Finding::error(key.clone(), text).at(survivor.line, 1).hint(hint);
            Judgement { findings: vec![finding], ..Judgement::default() }
        }
    }
}

/// `line 3 as `return a <= b` instead of `return a < b``
fn described(mutant: &TriedMutant) -> String {
    let (before, after) = (short(&mutant.before), short(&mutant.after));
    if mutant.mutation == Mutation::ReturnsNone && !before.starts_with("return") {
        return format!("with `{after}` before line {}, `{before}`", mutant.line);
    }
    format!("with `{after}` instead of `{before}` in line {}", mutant.line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changeset::check::Severity;
    use crate::function::FunctionDraft;
    use crate::function::test_case::TestCase;
    use serde_json::json;

    fn judged(
        expected: &[serde_json::Value],
        fates: &[MutantFate],
    ) -> (Vec<(Severity, String)>, bool, Option<String>) {
        let draft = FunctionDraft::of_source("def f(a, b):\n    return a < b\n");
        let mut function = draft.assemble(None, &|_| None).unwrap().content;
        let tests: Vec<_> = expected.iter().map(|output| json!({"expect": {"output": output}})).collect();
        function.tests = TestCase::list(&tests).unwrap();
        let mutant = |fate: &MutantFate| TriedMutant {
            mutation: Mutation::Boundary,
            line: 2,
            before: "return a < b".to_owned(),
            after: "return a <= b".to_owned(),
            fate: *fate,
            test: None,
        };
        let mutants: Vec<TriedMutant> = fates.iter().map(mutant).collect();
        let judged = judge(&EntryKey::function("f".parse().unwrap()), &function, &mutants);
        let findings = judged.findings.into_iter().map(|finding| (finding.severity, finding.message));
        (findings.collect(), judged.asks, judged.note)
    }

    #[test]
    fn tests_that_notice_no_wrong_result_are_an_error_that_names_a_survivor() {
        let wrong = "its tests would pass for wrong code too: with `return a <= b` instead of `return a < b` in line 2";
        for fates in [
            &[MutantFate::Survived][..],
            &[MutantFate::Crashed, MutantFate::Survived],
            &[MutantFate::NotTried, MutantFate::Survived],
        ] {
            let told = judged(&[json!(true)], fates);
            assert_eq!(told, (vec![(Severity::Error, wrong.to_owned())], false, None));
        }
    }

    #[test]
    fn tests_that_notice_some_are_told_of_the_others() {
        let (findings, asks, _) =
            judged(&[json!(true)], &[MutantFate::Caught, MutantFate::Survived, MutantFate::Survived]);
        assert_eq!(findings[0].0, Severity::Warning);
        assert!(findings[0].1.starts_with("its tests do not notice 2 of 3 mutants: with"), "{findings:?}");
        assert!(!asks);
    }

    #[test]
    fn nobody_is_asked_about_a_form_that_has_no_tests() {
        let draft = FunctionDraft {
            dialect: Dialect::Babyagi,
            ..FunctionDraft::of_source("def f():\n    return 1\n")
        };
        let function = draft.assemble(None, &|_| None).unwrap().content;
        let judged = judge(&EntryKey::function("f".parse().unwrap()), &function, &[]);
        assert_eq!((judged.asks, judged.findings), (false, vec![]));
    }

    #[test]
    fn what_returns_nothing_and_what_has_no_tests_is_for_a_person_to_judge() {
        for (expected, fates) in [(vec![json!(null)], vec![MutantFate::Survived]), (vec![], vec![])] {
            let (findings, asks, _) = judged(&expected, &fates);
            assert!(asks && findings[0].0 == Severity::Warning, "{findings:?}");
        }
    }

    #[test]
    fn tests_that_notice_everything_pass() {
        let note = Some("the tests of `f` notice all 2 mutants".to_owned());
        assert_eq!(
            judged(&[json!(true)], &[MutantFate::Caught, MutantFate::Crashed]),
            (Vec::new(), false, note)
        );
        let note = Some("`f` has no mutants that could be tried".to_owned());
        assert_eq!(judged(&[json!(true)], &[MutantFate::NotTried]), (Vec::new(), false, note));
    }
}
