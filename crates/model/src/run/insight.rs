//! Insights: what the statistics of a Function suggest, in plain words. The store and the server gather them.

use serde::{Deserialize, Serialize};

use crate::phrase::cut;

/// Of fewer Runs nothing is said: one bad day is no habit.
pub const FEWEST_RUNS: u64 = 5;
/// A dependency is worth caching if a Run calls it so often …
pub const MANY_CALLS: f64 = 10.0;
/// … so large a share of these calls has an input that the Run had used before …
pub const SAME_INPUT_SHARE: f64 = 0.5;
/// … and they take so large a share of the time.
pub const CALLS_WORTH_SHARE: f64 = 0.05;
/// So large a share of the time for importing packages is too much.
pub const IMPORT_SHARE: f64 = 0.5;
/// The share of failing Runs from which on it is reported.
pub const FAILING_SHARE: f64 = 0.05;
/// One error makes up so large a share of the failures that the others need not be mentioned.
pub const MAIN_ERROR_SHARE: f64 = 0.8;
/// So large a share of the time in one dependency is where to look first.
pub const DEPENDENCY_SHARE: f64 = 0.7;
/// So large a share of Runs that wait for their environment is too much.
pub const COLD_SHARE: f64 = 0.2;
/// So large a share of Runs that end at a limit says that the limit is wrong.
pub const LIMIT_SHARE: f64 = 0.05;
/// Waiting in the queue is reported if it takes this many times longer than the work …
pub const QUEUE_FACTOR: u64 = 2;
/// The 99th percentile is reported if it is this many times the median …
pub const TAIL_FACTOR: u64 = 20;
/// … and either of them at least this long: nobody minds less.
pub const NOTICEABLE_US: u64 = 1_000_000;

/// Statistics of the Runs of one Function over some time. Times are in microseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Statistics {
    pub name: String,
    /// Those that ended.
    pub runs: u64,
    pub failed: u64,
    pub timed_out: u64,
    pub out_of_memory: u64,
    /// Their errors, such as `KeyError: 'x'`; most frequent first.
    pub errors: Vec<ErrorCount>,
    /// How long they took, without waiting.
    pub p50_us: u64,
    pub p95_us: u64,
    pub p99_us: u64,
    /// The 95th percentile of the time in the queue.
    pub queued_p95_us: u64,
    /// Runs for which an environment had to be built or started.
    pub cold: u64,
    /// All of them together.
    pub total_us: u64,
    /// Of that, importing packages.
    pub import_us: u64,
    pub dependencies: Vec<DependencyStatistics>,
    /// Whether it is marked warm.
    pub warm: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ErrorCount {
    pub error: String,
    pub runs: u64,
}

/// What the Runs of a Function did with one of its dependencies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DependencyStatistics {
    pub name: String,
    pub calls: u64,
    /// Calls with an input that the same Run had used before.
    pub repeated: u64,
    pub total_us: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Suggestion {
    pub about: About,
    pub text: String,
    /// How much it matters, as the share of Runs or of time that it concerns.
    pub weight: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum About {
    Failures,
    Timeouts,
    Memory,
    Caching,
    Imports,
    Dependency,
    ColdStarts,
    Queue,
    Tail,
}

impl Statistics {
    /// What to do about it, what matters most first.
    pub fn suggestions(&self) -> Vec<Suggestion> {
        if self.runs < FEWEST_RUNS {
            return Vec::new();
        }
        let mut all: Vec<Suggestion> = [
            self.failures(),
            self.timeouts(),
            self.memory(),
            self.imports(),
            self.cold_starts(),
            self.queue(),
            self.tail(),
        ]
        .into_iter()
        .flatten()
        .collect();
        all.extend(
            self.dependencies.iter().filter_map(|one| self.caching(one).or_else(|| self.dependency(one))),
        );
        all.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        all
    }

    fn failures(&self) -> Option<Suggestion> {
        let weight = share(self.failed, self.runs);
        let main = self.errors.first()?;
        let verb = if is_plural(self.failed, self.runs) { "fail" } else { "fails" };
        let how = if share(main.runs, self.failed) >= MAIN_ERROR_SHARE {
            format!("{verb} with `{}`", cut(&main.error, 120))
        } else {
            format!("{verb}, most often with `{}`", cut(&main.error, 120))
        };
        let text = format!("{} {how}", runs(self.failed, self.runs));
        (weight >= FAILING_SHARE).then_some(Suggestion { about: About::Failures, text, weight })
    }

    fn timeouts(&self) -> Option<Suggestion> {
        let weight = share(self.timed_out, self.runs);
        let text = format!(
            "{} at the time limit: raise `timeout`, or split the function",
            ending(self.timed_out, self.runs)
        );
        (weight >= LIMIT_SHARE).then_some(Suggestion { about: About::Timeouts, text, weight })
    }

    fn memory(&self) -> Option<Suggestion> {
        let weight = share(self.out_of_memory, self.runs);
        let text = format!(
            "{} at the memory limit: raise `memory`, or process less at once",
            ending(self.out_of_memory, self.runs)
        );
        (weight >= LIMIT_SHARE).then_some(Suggestion { about: About::Memory, text, weight })
    }

    fn imports(&self) -> Option<Suggestion> {
        let weight = share(self.import_us, self.total_us);
        let advice = if self.warm { "import inside the branch that needs it" } else { "mark it warm" };
        let text = format!("{} of the time is package import: {advice}", percent(weight));
        (weight >= IMPORT_SHARE).then_some(Suggestion { about: About::Imports, text, weight })
    }

    fn cold_starts(&self) -> Option<Suggestion> {
        let weight = share(self.cold, self.runs);
        let verb = if is_plural(self.cold, self.runs) { "wait" } else { "waits" };
        let text = format!(
            "{} {verb} for its environment to be built or started: keep it ready with `selfmade warm {}`",
            runs(self.cold, self.runs),
            self.name
        );
        (weight >= COLD_SHARE).then_some(Suggestion { about: About::ColdStarts, text, weight })
    }

    fn queue(&self) -> Option<Suggestion> {
        let slow = self.queued_p95_us >= self.p50_us.saturating_mul(QUEUE_FACTOR);
        let weight = share(self.queued_p95_us, self.queued_p95_us.saturating_add(self.p50_us));
        let text = format!(
            "runs wait up to {} in the queue for {} of work: raise its `concurrency`, or start more engines",
            time(self.queued_p95_us),
            time(self.p50_us)
        );
        (slow && self.queued_p95_us >= NOTICEABLE_US).then_some(Suggestion {
            about: About::Queue,
            text,
            weight,
        })
    }

    fn tail(&self) -> Option<Suggestion> {
        let slow = self.p99_us >= self.p50_us.saturating_mul(TAIL_FACTOR);
        let text = format!(
            "1 in 100 runs takes {} or longer, half take {} or less: look at the slow ones, or set a `timeout`",
            time(self.p99_us),
            time(self.p50_us)
        );
        (slow && self.p99_us >= NOTICEABLE_US).then_some(Suggestion {
            about: About::Tail,
            text,
            weight: 0.01,
        })
    }

    fn caching(&self, dependency: &DependencyStatistics) -> Option<Suggestion> {
        let per_run = dependency.calls as f64 / self.runs as f64;
        let repeated = share(dependency.repeated, dependency.calls);
        let weight = share(dependency.total_us, self.total_us) * repeated;
        // The first call of each Run can never be a repetition.
        let all_same = dependency.repeated.saturating_add(self.runs) >= dependency.calls;
        let inputs = if all_same {
            "with the same input".to_owned()
        } else {
            format!("{} of them with an input seen before", percent(repeated))
        };
        let comma = if all_same { "" } else { "," };
        let text =
            format!("`{}` is called {per_run:.0} times per run{comma} {inputs}: cache it", dependency.name);
        let worth = share(dependency.total_us, self.total_us) >= CALLS_WORTH_SHARE;
        (per_run >= MANY_CALLS && repeated >= SAME_INPUT_SHARE && worth).then_some(Suggestion {
            about: About::Caching,
            text,
            weight,
        })
    }

    fn dependency(&self, dependency: &DependencyStatistics) -> Option<Suggestion> {
        let weight = share(dependency.total_us, self.total_us);
        let text =
            format!("{} of the time is spent in `{}`: look there first", percent(weight), dependency.name);
        (weight >= DEPENDENCY_SHARE).then_some(Suggestion { about: About::Dependency, text, weight })
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// "every run", "1 in 3 runs" where that is about right, "42 % of the runs" otherwise.
fn runs(part: u64, whole: u64) -> String {
    if part == whole {
        return "every run".to_owned();
    }
    match one_of(part, whole) {
        Some(number) => format!("1 in {number} runs"),
        None => format!("{} of the runs", percent(share(part, whole))),
    }
}

fn ending(part: u64, whole: u64) -> String {
    let verb = if is_plural(part, whole) { "end" } else { "ends" };
    format!("{} {verb}", runs(part, whole))
}

fn is_plural(part: u64, whole: u64) -> bool {
    part < whole && one_of(part, whole).is_none()
}

/// The number of Runs of which about one is meant.
fn one_of(part: u64, whole: u64) -> Option<u64> {
    /// How far the truth may be from what is said.
    const ROUGHLY: f64 = 0.1;
    if part == 0 {
        return None;
    }
    let number = (whole as f64 / part as f64).round();
    let said = 1.0 / number;
    let far = (said - share(part, whole)).abs() / share(part, whole);
    (number >= 2.0 && far <= ROUGHLY).then_some(number as u64)
}

/// A time as people say it.
fn time(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..1_000_000 => format!("{:.0} ms", us as f64 / 1e3),
        1_000_000..120_000_000 => format!("{:.1} s", us as f64 / 1e6),
        _ => format!("{:.0} min", us as f64 / 60e6),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn quiet() -> Statistics {
        Statistics {
            name: "report".to_owned(),
            runs: 100,
            p50_us: 100_000,
            p95_us: 150_000,
            p99_us: 200_000,
            total_us: 10_000_000,
            ..Statistics::default()
        }
    }

    fn advice_on(change: impl FnOnce(&mut Statistics)) -> String {
        let mut statistics = quiet();
        change(&mut statistics);
        let texts: Vec<String> = statistics.suggestions().into_iter().map(|one| one.text).collect();
        texts.join("\n")
    }

    fn error(text: &str, runs: u64) -> ErrorCount {
        ErrorCount { error: text.to_owned(), runs }
    }

    fn load(calls: u64, repeated: u64, total_us: u64) -> DependencyStatistics {
        DependencyStatistics { name: "load".to_owned(), calls, repeated, total_us }
    }

    #[test]
    fn a_function_that_works_needs_no_advice() {
        assert_eq!(advice_on(|_| {}), "");
    }

    #[test]
    fn little_is_known_of_few_runs() {
        let failing = |runs| {
            advice_on(|it| (it.runs, it.failed, it.errors) = (runs, runs, vec![error("KeyError", runs)]))
        };
        assert_eq!(failing(FEWEST_RUNS - 1), "");
        assert_eq!(failing(FEWEST_RUNS), "every run fails with `KeyError`");
    }

    #[test]
    fn failures_are_reported_with_their_error() {
        let one =
            |failed| advice_on(|it| (it.failed, it.errors) = (failed, vec![error("KeyError: 'x'", failed)]));
        assert_eq!(one(33), "1 in 3 runs fails with `KeyError: 'x'`");
        assert_eq!(one(70), "70 % of the runs fail with `KeyError: 'x'`");
        assert_eq!(one(5), "1 in 20 runs fails with `KeyError: 'x'`");
        assert_eq!(one(4), "");
        let mixed =
            advice_on(|it| (it.failed, it.errors) = (50, vec![error("KeyError", 39), error("OSError", 11)]));
        assert_eq!(mixed, "1 in 2 runs fails, most often with `KeyError`");
    }

    #[test]
    fn runs_that_end_at_a_limit_are_reported_with_the_limit() {
        assert_eq!(
            advice_on(|it| it.timed_out = 10),
            "1 in 10 runs ends at the time limit: raise `timeout`, or split the function"
        );
        assert_eq!(
            advice_on(|it| it.out_of_memory = 60),
            "60 % of the runs end at the memory limit: raise `memory`, or process less at once"
        );
        assert_eq!(advice_on(|it| (it.timed_out, it.out_of_memory) = (4, 4)), "");
    }

    #[test]
    fn a_call_that_is_repeated_within_a_run_is_to_be_cached() {
        let cached = |calls, repeated, us| advice_on(|it| it.dependencies = vec![load(calls, repeated, us)]);
        assert_eq!(
            cached(31_200, 31_100, 9_000_000),
            "`load` is called 312 times per run with the same input: cache it"
        );
        assert_eq!(
            cached(31_200, 24_960, 9_000_000),
            "`load` is called 312 times per run, 80 % of them with an input seen before: cache it"
        );
        assert_eq!(
            cached(1_000, 500, 500_000),
            "`load` is called 10 times per run, 50 % of them with an input seen before: cache it"
        );
        assert_eq!(cached(999, 900, 500_000), "", "too few calls");
        assert_eq!(cached(1_000, 499, 500_000), "", "too few the same");
        assert_eq!(cached(1_000, 500, 499_999), "", "too little time");
    }

    #[test]
    fn a_dependency_that_takes_the_time_is_where_to_look() {
        let slow = |us| advice_on(|it| it.dependencies = vec![load(100, 0, us)]);
        assert_eq!(slow(7_000_000), "70 % of the time is spent in `load`: look there first");
        assert_eq!(slow(6_900_000), "");
    }

    #[test]
    fn importing_for_most_of_the_time_asks_for_a_warm_cell() {
        assert_eq!(
            advice_on(|it| it.import_us = 8_000_000),
            "80 % of the time is package import: mark it warm"
        );
        assert_eq!(
            advice_on(|it| (it.import_us, it.warm) = (8_000_000, true)),
            "80 % of the time is package import: import inside the branch that needs it"
        );
        assert_eq!(advice_on(|it| it.import_us = 4_900_000), "");
    }

    #[test]
    fn cold_starts_ask_for_a_ready_environment() {
        assert_eq!(
            advice_on(|it| it.cold = 25),
            "1 in 4 runs waits for its environment to be built or started: keep it ready with `selfmade warm report`"
        );
        assert_eq!(advice_on(|it| it.cold = 19), "");
    }

    #[test]
    fn waiting_longer_than_working_is_reported() {
        let queued = |us| advice_on(|it| it.queued_p95_us = us);
        assert_eq!(
            queued(12_000_000),
            "runs wait up to 12.0 s in the queue for 100 ms of work: raise its `concurrency`, or start more engines"
        );
        assert_eq!(queued(999_999), "", "nobody notices");
        assert_eq!(
            advice_on(|it| (it.queued_p95_us, it.p50_us, it.p99_us) = (3_000_000, 1_600_000, 2_000_000)),
            ""
        );
    }

    #[test]
    fn a_long_tail_is_reported() {
        assert_eq!(
            advice_on(|it| it.p99_us = 240_000_000),
            "1 in 100 runs takes 4 min or longer, half take 100 ms or less: look at the slow ones, or set a `timeout`"
        );
        assert_eq!(advice_on(|it| it.p99_us = 1_999_999), "");
        assert_eq!(advice_on(|it| (it.p50_us, it.p99_us) = (10, 999_999)), "", "nobody notices");
    }

    #[test]
    fn what_concerns_most_comes_first() {
        let both = advice_on(|it| (it.import_us, it.timed_out, it.cold) = (6_000_000, 10, 90));
        let firsts: Vec<&str> = both.lines().map(|line| &line[..4]).collect();
        assert_eq!(firsts, ["90 %", "60 %", "1 in"]);
    }

    proptest! {
        #[test]
        fn whatever_the_numbers_the_advice_is_finite_and_ordered(
            numbers in prop::collection::vec(any::<u64>(), 14),
        ) {
            let n = |place: usize| numbers[place] >> (numbers[place] % 50);
            let statistics = Statistics {
                runs: n(0), failed: n(1), timed_out: n(2), out_of_memory: n(3), errors: vec![error("E", n(4))],
                p50_us: n(5), p95_us: n(6), p99_us: n(7), queued_p95_us: n(8) / 2, cold: n(9), total_us: n(10),
                import_us: n(11), dependencies: vec![load(n(12), n(13) / 2, n(5))], ..quiet()
            };
            let all = statistics.suggestions();
            prop_assert!(all.iter().all(|one| one.weight.is_finite() && one.text.len() < 400));
            prop_assert!(all.windows(2).all(|pair| pair[0].weight >= pair[1].weight));
        }
    }
}
