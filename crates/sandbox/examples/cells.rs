//! Measures cells on this machine: `cargo run --release -p selfmade-sandbox --example cells [calls]`. Prints one line each
//! for a fresh cell, a warm one, sustained throughput and the cost of a recorded Call.

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use selfmade_sandbox::{
    CancellationToken, Closure, Config, Environment, Error, Function, Isolation, Job, JobLimits, NoHost,
    Sandbox, Value,
};

const SMALL: &str = "def f(x, y=2):\n    import math\n    return {'sum': x + y, 'root': math.sqrt(x)}";
const PLACES: &str = "import sys, os, sysconfig\nprint(os.path.realpath(sys.executable))\n\
                      print(os.path.realpath(sys.base_prefix))\nprint(os.path.realpath(sysconfig.get_path('stdlib')))";

fn main() -> Result<(), Error> {
    selfmade_sandbox::stage1::enter_if_asked();
    let calls = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(2000);
    tokio::runtime::Builder::new_multi_thread().enable_all().worker_threads(2).build()?.block_on(async {
        // On a worker, where a server's jobs are too; the thread that blocks would be woken through one.
        tokio::spawn(measure(calls)).await.map_err(std::io::Error::other)?
    })
}

async fn measure(calls: usize) -> Result<(), Error> {
    let environment = environment()?;
    let config = Config { ready_cells: 8, ..Config::default() };
    let sandbox = Arc::new(Sandbox::start(config).await?);
    let begun = Instant::now();
    sandbox.prepare(&environment).await?;
    println!("zygote and 8 cells from nothing: {:.1} ms", millis(begun.elapsed()));
    let fresh = job(&environment, &[SMALL], Isolation::Fresh);
    let warm = job(&environment, &[SMALL], Isolation::Warm { key: "small".to_owned() });
    one_at_a_time("fresh cell", &sandbox, &environment, &fresh, calls, true).await?;
    one_at_a_time("fresh cell, back to back", &sandbox, &environment, &fresh, calls, false).await?;
    one_at_a_time("warm cell", &sandbox, &environment, &warm, calls, false).await?;
    sustained(&sandbox, &fresh, calls).await?;
    per_call(&sandbox, &environment).await?;
    sandbox.stop().await;
    Ok(())
}

async fn one_at_a_time(
    what: &str,
    sandbox: &Sandbox,
    environment: &Arc<Environment>,
    job: &Job,
    calls: usize,
    rested: bool,
) -> Result<(), Error> {
    let mut times = Vec::with_capacity(calls);
    for _ in 0..calls {
        if rested {
            // Filling up first keeps the making of cells out of what is measured.
            sandbox.prepare(environment).await?;
        }
        let begun = Instant::now();
        sandbox.run(job, Arc::new(NoHost), &CancellationToken::new()).await?;
        times.push(begun.elapsed());
    }
    times.sort();
    let at = |share: usize| millis(times[(times.len() * share / 1000).min(times.len() - 1)]);
    println!("{what}: p50 {:.3} ms, p90 {:.3} ms, p99 {:.3} ms, of {calls}", at(500), at(900), at(990));
    Ok(())
}

async fn sustained(sandbox: &Arc<Sandbox>, job: &Job, calls: usize) -> Result<(), Error> {
    let begun = Instant::now();
    let mut workers = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let (sandbox, job) = (Arc::clone(sandbox), job.clone());
        workers.spawn(async move {
            for _ in 0..calls / 4 {
                sandbox.run(&job, Arc::new(NoHost), &CancellationToken::new()).await?;
            }
            Ok::<(), Error>(())
        });
    }
    while let Some(done) = workers.join_next().await {
        done.map_err(std::io::Error::other)??;
    }
    println!("sustained: {:.0} fresh cells a second", (calls / 4 * 4) as f64 / begun.elapsed().as_secs_f64());
    Ok(())
}

/// The difference between a loop with recorded Calls and the same loop without.
async fn per_call(sandbox: &Sandbox, environment: &Arc<Environment>) -> Result<(), Error> {
    let timed = "def f():\n    import time\n    t = time.perf_counter()\n    for n in range(20000): g(n)\n    \
                 return (time.perf_counter() - t) / 20000 * 1e6";
    let plain = format!("def g(n):\n    return n\n{timed}");
    let calls = [
        job(environment, &[timed, "def g(n):\n    return n"], Isolation::Fresh),
        job(environment, &[&plain], Isolation::Fresh),
    ];
    let mut micros = Vec::new();
    for job in &calls {
        let outcome = sandbox.run(job, Arc::new(NoHost), &CancellationToken::new()).await?;
        micros.push(format!("{:?}", outcome.ending));
    }
    println!("a recorded Call, in µs: {}; a plain one: {}", micros[0], micros[1]);
    Ok(())
}

fn job(environment: &Arc<Environment>, sources: &[&str], isolation: Isolation) -> Job {
    let names = ["f", "g"];
    let mut functions: Vec<Function> =
        sources.iter().zip(names).map(|(source, name)| Function::new(name, "1", source)).collect();
    if functions.len() > 1 {
        functions[0].dependencies = [("g".to_owned(), 1)].into();
    }
    let takes_input = sources[0].contains("x, y");
    let input = if takes_input { vec![("x".to_owned(), Value::Int(16))] } else { Vec::new() };
    let closure = Arc::new(Closure { functions, entry: 0 });
    let mut job = Job::new(Arc::clone(environment), closure, Value::Map(input), JobLimits::default());
    job.isolation = isolation;
    job
}

fn environment() -> Result<Arc<Environment>, Error> {
    #[allow(clippy::disallowed_methods, reason = "finds the interpreter to measure")]
    let output = Command::new("python3").args(["-I", "-c", PLACES]).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = text.lines();
    let python = lines.next().unwrap_or("/usr/bin/python3");
    let shown = lines.filter(|path| *path != "/usr").chain([python]).map(Into::into).collect();
    Ok(Arc::new(Environment {
        id: "bare".to_owned(),
        python: python.into(),
        shown,
        site_packages: Vec::new(),
        preload: Vec::new(),
    }))
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
