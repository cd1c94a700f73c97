//! Insights: statistics of recent Runs of Functions, where their time goes, and what that suggests.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use model::access::Access;
use model::access::verb::Verb;
use model::entry::{EntryKey, EntryKind};
use model::function::run_options::Isolation;
use model::name::EntryName;
use model::run::call::Call;
use model::run::insight::{DependencyStatistics, ErrorCount, Statistics, Suggestion};
use model::run::{Ending, Run};
use serde::{Deserialize, Serialize};
use store::{Insights, RunFilter};

use super::functions::{self, Which};
use crate::ctx::Ctx;
use crate::error::Error;

/// Of so many of the newest Runs it is looked at what they called.
const LOOKED_INTO: u32 = 100;
/// The same where many Functions are looked at.
const GLANCED_AT: u32 = 10;
/// More Functions than these are not looked at together.
const MOST_FUNCTIONS: u32 = 1_000;

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Insight {
    #[serde(flatten)]
    pub statistics: Statistics,
    pub suggestions: Vec<Suggestion>,
    /// Whether there were more Runs than these figures cover.
    pub more: bool,
}

/// Of one Function.
pub async fn of(ctx: &Ctx, access: &Access, name: &EntryName, since: Timestamp) -> Result<Insight, Error> {
    access.may_touch(Verb::ReadInsights, name.as_str())?;
    let insight = gather(ctx, access, name.as_str(), since, LOOKED_INTO).await?;
    if insight.statistics.runs == 0 {
        // Nothing is known of it; perhaps it is not even there.
        exists(ctx, access, name).await?;
    }
    Ok(insight)
}

/// Whether it is a Function or a Graph.
async fn exists(ctx: &Ctx, access: &Access, name: &EntryName) -> Result<(), Error> {
    let graph = EntryKey::new(EntryKind::Graph, name.clone());
    if functions::version(ctx, access, &graph, Which::Live).await.is_err() {
        functions::version(ctx, access, &EntryKey::function(name.clone()), Which::Live).await?;
    }
    Ok(())
}

/// Of all that ran, those first that took the most time.
pub async fn all(ctx: &Ctx, access: &Access, since: Timestamp) -> Result<Vec<Insight>, Error> {
    access.may(Verb::ReadInsights)?;
    let mut insights = Vec::new();
    for name in ctx.store.run_names(MOST_FUNCTIONS, access.only()).await? {
        let insight = gather(ctx, access, &name, since, GLANCED_AT).await?;
        if insight.statistics.runs > 0 {
            insights.push(insight);
        }
    }
    insights.sort_by_key(|insight| std::cmp::Reverse(insight.statistics.total_us));
    Ok(insights)
}

/// Its dependencies are reported as far as they may be seen.
async fn gather(
    ctx: &Ctx,
    access: &Access,
    name: &str,
    since: Timestamp,
    looked_into: u32,
) -> Result<Insight, Error> {
    let found = ctx.store.insights(name, since).await?;
    let filter = RunFilter { name: Some(name.to_owned()), since: Some(since), ..RunFilter::default() };
    let mut sample = Sample::default();
    for run in ctx.store.runs(&filter, looked_into).await? {
        let mut calls = ctx.store.calls(run.run_id).await?;
        calls.retain(|call| access.covers(&call.function));
        let scope = access.only().clone();
        let below = RunFilter { parent: Some(run.run_id), scope, ..RunFilter::default() };
        sample.add(&run, &calls, &ctx.store.runs(&below, looked_into).await?);
    }
    let mut statistics = statistics(name, &found);
    statistics.dependencies = sample.dependencies(&statistics);
    statistics.warm = is_warm(ctx, name).await?;
    Ok(Insight { suggestions: statistics.suggestions(), statistics, more: found.more })
}

async fn is_warm(ctx: &Ctx, name: &str) -> Result<bool, Error> {
    let Ok(name) = EntryName::new(name) else { return Ok(false) };
    let live = ctx.store.live_version(&EntryKey::function(name)).await?;
    let content = live.as_ref().and_then(|version| version.content.as_function());
    Ok(content.is_some_and(|content| content.running.isolation == Isolation::Warm))
}

fn statistics(name: &str, found: &Insights) -> Statistics {
    let ended =
        |ending| found.endings.iter().find(|(kind, _)| *kind == ending).map_or(0, |(_, count)| *count);
    let durations = found.durations.as_ref();
    Statistics {
        name: name.to_owned(),
        runs: found.succeeded + found.failed + found.cancelled,
        failed: found.failed,
        timed_out: ended(Ending::TimedOut),
        out_of_memory: ended(Ending::OutOfMemory),
        errors: found.errors.iter().map(error).collect(),
        p50_us: durations.map_or(0, |times| times.p50),
        p95_us: durations.map_or(0, |times| times.p95),
        p99_us: durations.map_or(0, |times| times.p99),
        queued_p95_us: found.queued.as_ref().map_or(0, |times| times.p95),
        cold: found.cold,
        total_us: found.total_us,
        ..Statistics::default()
    }
}

fn error(count: &store::ErrorCount) -> ErrorCount {
    let error = match count.message.as_deref() {
        Some(message) if !message.is_empty() => format!("{}: {message}", count.type_name),
        _ => count.type_name.clone(),
    };
    ErrorCount { error, runs: count.count }
}

/// What some of the Runs called, in their own cells and in others.
#[derive(Default)]
struct Sample {
    runs: u64,
    total_us: u64,
    dependencies: HashMap<String, DependencyStatistics>,
}

impl Sample {
    fn add(&mut self, run: &Run, calls: &[Call], children: &[Run]) {
        self.runs += 1;
        self.total_us +=
            run.usage.as_ref().map(|usage| usage.wall_us).or_else(|| run.duration_us()).unwrap_or_default();
        let mut seen: HashSet<(&str, String)> = HashSet::new();
        for call in outermost(calls) {
            let input = call.input.to_string();
            let repeated = !seen.insert((&call.function, input));
            self.count(&call.function, repeated, call.duration_us.unwrap_or_default());
        }
        for child in children {
            let repeated = !seen.insert((child.key.name.as_str(), child.input.to_string()));
            self.count(child.key.name.as_str(), repeated, child.duration_us().unwrap_or_default());
        }
    }

    fn count(&mut self, name: &str, repeated: bool, took_us: u64) {
        let known = self.dependencies.entry(name.to_owned()).or_default();
        known.calls += 1;
        known.repeated += u64::from(repeated);
        known.total_us += took_us;
    }

    /// As if all Runs had been looked into; what takes the most time first.
    fn dependencies(self, all: &Statistics) -> Vec<DependencyStatistics> {
        let scaled = |count: u64, whole: u64, part: u64| match part {
            0 => count,
            _ => u64::try_from(u128::from(count) * u128::from(whole) / u128::from(part)).unwrap_or(u64::MAX),
        };
        let (runs, total_us) = (self.runs, self.total_us);
        let scale = |(name, one): (String, DependencyStatistics)| DependencyStatistics {
            name,
            calls: scaled(one.calls, all.runs.max(runs), runs),
            repeated: scaled(one.repeated, all.runs.max(runs), runs),
            total_us: scaled(one.total_us, all.total_us.max(total_us), total_us),
        };
        let mut dependencies: Vec<DependencyStatistics> = self.dependencies.into_iter().map(scale).collect();
        dependencies.sort_by(|a, b| (b.total_us, &a.name).cmp(&(a.total_us, &b.name)));
        dependencies
    }
}

/// Without Calls that a function makes of itself, whose time is in the outer one already.
fn outermost(calls: &[Call]) -> impl Iterator<Item = &Call> {
    let by_position: HashMap<u32, &Call> = calls.iter().map(|call| (call.position, call)).collect();
    calls.iter().filter(move |call| {
        let mut above = call.parent;
        while let Some(parent) = above.and_then(|position| by_position.get(&position)) {
            if parent.function == call.function {
                return false;
            }
            // A Call begins after the one that makes it.
            above = parent.parent.filter(|next| *next < parent.position);
        }
        true
    })
}

#[cfg(test)]
mod tests {
    use model::ids::RunId;
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::*;

    fn call(position: u32, parent: Option<u32>, function: &str, input: Value) -> Call {
        Call {
            run_id: RunId(Uuid::nil()),
            position,
            parent,
            function: function.to_owned(),
            version_id: None,
            input,
            output: None,
            error: None,
            started_at: Timestamp::UNIX_EPOCH,
            duration_us: Some(10),
        }
    }

    #[test]
    fn a_function_that_calls_itself_counts_once() {
        let calls = [
            call(1, None, "walk", json!(3)),
            call(2, Some(1), "read", json!(1)),
            call(3, Some(2), "walk", json!(2)),
            call(4, None, "walk", json!(3)),
        ];
        let positions: Vec<u32> = outermost(&calls).map(|call| call.position).collect();
        assert_eq!(positions, [1, 2, 4]);
    }

    #[test]
    fn a_sample_stands_for_all_runs() {
        let mut sample = Sample { runs: 2, total_us: 100, ..Sample::default() };
        for repeated in [false, true, true] {
            sample.count("load", repeated, 20);
        }
        sample.count("save", false, 5);
        let all = Statistics { runs: 20, total_us: 1_000, ..Statistics::default() };
        let one = |name: &str, calls, repeated, total_us| DependencyStatistics {
            name: name.to_owned(),
            calls,
            repeated,
            total_us,
        };
        assert_eq!(sample.dependencies(&all), [one("load", 30, 20, 600), one("save", 10, 0, 50)]);
    }
}
