//! How Runs are executed: how many at once, for how long, within which bounds, and with which model.

use std::num::{NonZero, NonZeroU32};
use std::thread;
use std::time::Duration;

use model::access::policy::ProposalPolicy;
use model::access::scope::Scope;
use model::budget::{DayLimits, Limits};
use model::run::bounds::RunBounds;
use store::Durability;

use super::Config;
use crate::llm::ModelConfig;
use crate::settings::{Chosen, ConfigError};

/// The most of anything that is counted in ones, so that no sum overflows.
const MANY: usize = 10_000;
const COUNT: &str = "an integer from 1 to 10000";

pub(super) const DURABILITIES: &[(&str, Durability)] =
    &[("process", Durability::Process), ("power", Durability::Power)];
pub(super) const POLICIES: &[(&str, ProposalPolicy)] =
    &[("auto", ProposalPolicy::Auto), ("ask", ProposalPolicy::Ask), ("never", ProposalPolicy::Never)];
const TRUTHS: &[(&str, bool)] = &[("true", true), ("false", false)];

/// More cells at once than this for each processor only wait for each other, unless they wait for the network.
const CELLS_PER_PROCESSOR: usize = 16;
/// What a cell takes that is not small, and not large either.
const CELL_BYTES: u64 = 64 << 20;

/// Runs that are executed at once while somebody waits for them, and as many again while other Runs wait for them: each has
/// half of the memory.
pub(super) fn cells_at_once(processors: usize, memory_bytes: u64) -> usize {
    let room = usize::try_from(memory_bytes / CELL_BYTES / 2).unwrap_or(usize::MAX);
    (processors * CELLS_PER_PROCESSOR).min(room).clamp(1, MANY)
}

pub(super) fn read(chosen: &Chosen, config: &mut Config) -> Result<(), ConfigError> {
    read_bounds(chosen, &mut config.engine.bounds)?;
    config.engine.model = read_model(chosen)?;
    config.engine.days = read_days(chosen)?;
    let (engine, cells) = (&mut config.engine, &mut config.cells.sandbox);
    if let Some(seconds) = chosen.read::<NonZeroU32>("lease_seconds", "a number of seconds, at least 1")? {
        engine.lease = Duration::from_secs(seconds.get().into());
    }
    if let Some(seconds) = chosen.read::<NonZeroU32>("poll_seconds", "a number of seconds, at least 1")? {
        engine.poll = Duration::from_secs(seconds.get().into());
    }
    if let Some(count) = count(chosen, "runs_at_once")? {
        engine.at_once = count;
    }
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let usual = cells_at_once(processors, sandbox::memory_bytes());
    engine.waited_at_once = count(chosen, "waited_at_once")?.unwrap_or(usual);
    engine.nested_at_once = count(chosen, "nested_at_once")?.unwrap_or(usual);
    if let Some(count) = count(chosen, "ready_cells")? {
        cells.ready_cells = count;
    }
    if let Some(count) = count(chosen, "warm_cells")? {
        cells.warm_cells = count;
    }
    if let Some(resolve) = chosen.word("resolve_on_add", TRUTHS, "`true` or `false`")? {
        engine.resolve_on_add = resolve;
    }
    if let Some(allowed) = chosen.word("allow_weaker_sandbox", TRUTHS, "`true` or `false`")? {
        cells.allow_weaker = allowed;
    }
    if let Some(durability) = chosen.word("durability", DURABILITIES, "`process` or `power`")? {
        engine.durability = durability;
    }
    if let Some(policy) = chosen.word("changesets", POLICIES, "`auto`, `ask` or `never`")? {
        engine.changesets = policy;
    }
    engine.changesets_replace = match chosen.list("changesets_replace") {
        patterns if patterns.is_empty() => Scope::none(),
        patterns => Scope::of_patterns(patterns),
    };
    Ok(())
}

fn read_bounds(chosen: &Chosen, bounds: &mut RunBounds) -> Result<(), ConfigError> {
    if let Some(steps) = chosen.read::<NonZeroU32>("run_steps", "a number of steps, at least 1")? {
        bounds.steps = steps.get();
    }
    let sizes = [
        ("run_journal_bytes", &mut bounds.journal_bytes),
        ("run_event_bytes", &mut bounds.events_bytes),
        ("event_bytes", &mut bounds.event_bytes),
    ];
    for (key, size) in sizes {
        if let Some(bytes) = chosen.read(key, "a number of bytes")? {
            *size = bytes;
        }
    }
    Ok(())
}

fn count(chosen: &Chosen, key: &'static str) -> Result<Option<usize>, ConfigError> {
    match chosen.read::<usize>(key, COUNT)? {
        Some(count) if count == 0 || count > MANY => Err(chosen.wrong(key, COUNT)),
        count => Ok(count),
    }
}

fn read_days(chosen: &Chosen) -> Result<DayLimits, ConfigError> {
    const DAY: &str = "limits such as `money=5 tokens=2000000`";
    const AGENTS: &str = "a list of limits by function, such as `[\"build: money=1 turns=200\"]`";
    let limits = |text: &str| text.parse::<Limits>().ok().filter(|limits| !limits.bounds_runs());
    let brain = match chosen.text("budget_day") {
        Some(text) => limits(text).ok_or_else(|| chosen.wrong("budget_day", DAY))?,
        None => Limits::default(),
    };
    let agent = |text: String| {
        let (name, text) = text.split_once(':')?;
        Some((name.trim().parse().ok()?, limits(text)?))
    };
    let agents = chosen.list("budget_agents").into_iter().map(agent).collect::<Option<Vec<_>>>();
    Ok(DayLimits { brain, agents: agents.ok_or_else(|| chosen.wrong("budget_agents", AGENTS))? })
}

fn read_model(chosen: &Chosen) -> Result<ModelConfig, ConfigError> {
    let text = |key: &str| chosen.text(key).map(str::to_owned);
    let key = text("model_key").unwrap_or(ModelConfig::default().key);
    let price =
        "dollars for a million tokens of input, of cached input and of output, such as `0.15/0.075/0.60`";
    let price =
        chosen.text("model_price").map(|text| text.parse().map_err(|()| chosen.wrong("model_price", price)));
    let (url, name, price) = (text("model_url"), text("model_name"), price.transpose()?);
    Ok(ModelConfig { url, name, key, price, ..ModelConfig::default() })
}
