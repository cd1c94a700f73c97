//! A brain with real cells, as a server has it, and the bare cells it is compared with.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use model::access::Access;
use model::function::FunctionDraft;
use model::name::EntryName;
use model::run::{Run, RunState};
use sandbox::{
    CancellationToken, Closure, Environment, Function, Isolation, Job, JobLimits, NoHost, Sandbox,
};
use serde_json::{Map, Value, json};
use server::app::changesets;
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::functions::warming;
use server::app::runs::{self, StartRun, Target};
use server::{Config, Ctx};
use store::Durability;

use super::functions::ADD;
use crate::functions::source;
use crate::measure::Times;
use crate::python::Python;

/// Ready cells, as a server that expects bursts would keep them.
const READY: usize = 8;
/// The size that BabyAGI has with its own functions and one more.
pub(crate) const SMALL: usize = 25;

/// Where brains are made, and of what.
pub(crate) struct Place {
    pub(crate) folder: PathBuf,
    pub(crate) python: Python,
    pub(crate) postgres: Option<String>,
}

impl Place {
    /// A brain in a folder of its own, on SQLite.
    pub(crate) async fn brain(&self, name: &str, durability: Durability) -> anyhow::Result<World> {
        self.open(name, None, durability).await
    }

    pub(crate) async fn open(
        &self,
        name: &str,
        database: Option<String>,
        durability: Durability,
    ) -> anyhow::Result<World> {
        let home = self.folder.join(name);
        std::fs::create_dir_all(&home)?;
        let mut config = Config::of(home, database, None)?;
        config.engine.durability = durability;
        config.cells.sandbox.ready_cells = READY;
        config.cells.environments.python = Some(self.python.program.clone());
        Ok(World { ctx: Ctx::open(config).await? })
    }

    /// The same cells without an engine.
    pub(crate) async fn bare(&self) -> anyhow::Result<Bare> {
        let config = sandbox::Config { ready_cells: READY, ..sandbox::Config::default() };
        let sandbox = Sandbox::start(config).await?;
        let environment = self.python.environment("bare", &[]);
        sandbox.prepare(&environment).await?;
        Ok(Bare { sandbox, environment })
    }
}

pub(crate) struct World {
    pub(crate) ctx: Ctx,
}

impl World {
    pub(crate) async fn register(&self, drafts: Vec<FunctionDraft>) -> anyhow::Result<()> {
        let intents = drafts.into_iter().map(Intent::function).collect();
        self.propose(intents).await
    }

    pub(crate) async fn propose(&self, intents: Vec<Intent>) -> anyhow::Result<()> {
        changesets::register(&self.ctx, &Access::of_command_line(), &Proposal::of("bench", intents)).await?;
        Ok(())
    }

    /// Made-up functions, until there are so many with those that are there.
    pub(crate) async fn fill(&self, there: usize, stored: usize) -> anyhow::Result<()> {
        const PORTION: usize = 10_000;
        for from in (there..stored).step_by(PORTION) {
            let numbers = from..(from + PORTION).min(stored);
            self.register(numbers.map(|n| FunctionDraft::of_source(source(n, None))).collect()).await?;
        }
        Ok(())
    }

    pub(crate) async fn run(&self, name: &str, input: Value) -> anyhow::Result<Run> {
        let input = match input {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        let request = StartRun::of(Target::Live(EntryName::new(name)?), input);
        let run = runs::start(&self.ctx, &Access::of_command_line(), request).await?;
        ensure!(run.state == RunState::Succeeded, "`{name}` ended as {:?}: {:?}", run.ending, run.error);
        Ok(run)
    }

    pub(crate) async fn time(&self, name: &str, input: Value) -> anyhow::Result<Duration> {
        let begun = Instant::now();
        self.run(name, input).await?;
        Ok(begun.elapsed())
    }

    pub(crate) async fn add(&self) -> anyhow::Result<Duration> {
        self.time("add", json!({ "a": 16, "b": 2 })).await
    }

    /// Waits until all ready cells are there.
    pub(crate) async fn rest(&self) -> anyhow::Result<()> {
        warming::warm(&self.ctx, &Access::of_command_line(), &[EntryName::new("add")?], Arc::new(drop))
            .await?;
        Ok(())
    }

    pub(crate) async fn back_to_back(
        &self,
        name: &str,
        input: &Value,
        calls: usize,
    ) -> anyhow::Result<Times> {
        let mut times = Times::default();
        // The first ones start the sandbox, or make the cell that is used again.
        for _ in 0..3 {
            self.run(name, input.clone()).await?;
        }
        for _ in 0..calls {
            times.0.push(self.time(name, input.clone()).await?);
        }
        Ok(times)
    }
}

pub(crate) struct Bare {
    pub(crate) sandbox: Sandbox,
    environment: Arc<Environment>,
}

impl Bare {
    /// `add`, with the verbs and limits that the engine gives it.
    pub(crate) fn job(&self, isolation: Isolation) -> Job {
        let closure = Closure { functions: vec![Function::new("add", "1", ADD)], entry: 0 };
        let input =
            [("a", 16), ("b", 2)].map(|(name, number)| (name.to_owned(), sandbox::Value::Int(number)));
        let limits = JobLimits {
            wall: Duration::from_secs(60),
            cpu: Duration::from_secs(60),
            memory_bytes: 512 << 20,
            ..JobLimits::default()
        };
        let verbs = ["now", "random", "sleep", "log", "emit", "ask"].map(str::to_owned).to_vec();
        let input = sandbox::Value::Map(input.to_vec());
        let job = Job::new(Arc::clone(&self.environment), Arc::new(closure), input, limits);
        Job { verbs, isolation, ..job }
    }

    pub(crate) async fn time(&self, job: &Job) -> anyhow::Result<Duration> {
        let begun = Instant::now();
        self.sandbox.run(job, Arc::new(NoHost), &CancellationToken::new()).await?;
        Ok(begun.elapsed())
    }

    pub(crate) async fn rest(&self) -> anyhow::Result<()> {
        Ok(self.sandbox.prepare(&self.environment).await?)
    }
}
