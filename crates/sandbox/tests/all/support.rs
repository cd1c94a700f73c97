//! What the tests share: an environment around the Python that is there, a sandbox, and a host that remembers.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};

use rustix::process::Signal;
use selfmade_sandbox::{
    Arguments, BoxFuture, CallRecord, CancellationToken, Closure, Config, Ending, Environment, Function,
    Host, HostError, Job, JobLimits, Outcome, Sandbox, Stream, Value,
};
use serde_json::json;

const FIND: &str = "import sys, os, sysconfig
executable = os.path.realpath(sys.executable)
prefix = os.path.realpath(sys.base_prefix)
print(executable)
if prefix in ('/usr', '/usr/local'):
    print(executable)
    print(os.path.realpath(sysconfig.get_path('stdlib')))
else:
    print(prefix)";

/// The Python found by name, as an environment without packages.
pub(crate) fn environment_of(python: &str) -> Arc<Environment> {
    #[allow(clippy::disallowed_methods, reason = "finds the interpreter the tests run on")]
    let output = Command::new(python).args(["-I", "-c", FIND]).output().expect("the tests need Python");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines().map(PathBuf::from);
    let python = lines.next().expect("the tests need Python");
    Arc::new(Environment {
        id: "bare".to_owned(),
        python,
        shown: lines.collect(),
        site_packages: Vec::new(),
        preload: Vec::new(),
    })
}

pub(crate) fn environment() -> Arc<Environment> {
    static FOUND: OnceLock<Arc<Environment>> = OnceLock::new();
    Arc::clone(FOUND.get_or_init(|| environment_of("python3")))
}

pub(crate) fn config() -> Config {
    // Beside a copy of this program lies a copy of stage 1, where another user can reach both.
    let beside = std::env::current_exe().unwrap().with_file_name("selfmade-stage1");
    let stage1 = if beside.exists() { beside } else { PathBuf::from(env!("CARGO_BIN_EXE_selfmade-stage1")) };
    Config { stage1: Some(stage1), ready_cells: 1, ..Config::default() }
}

/// A host that keeps all it hears and answers a few verbs.
#[derive(Default)]
pub(crate) struct Ear {
    pub(crate) stdout: Mutex<Vec<u8>>,
    pub(crate) stderr: Mutex<Vec<u8>>,
    pub(crate) calls: Mutex<Vec<CallRecord>>,
    pub(crate) yielded: Mutex<Vec<Value>>,
    pub(crate) verbs: Mutex<Vec<(String, Arguments)>>,
    /// Of each verb, with its first argument.
    pub(crate) lanes: Mutex<Vec<(String, Value)>>,
    pub(crate) heard: tokio::sync::Notify,
    /// Lets go of whoever asks for `hold`.
    pub(crate) release: Arc<tokio::sync::Notify>,
}

impl Host for Ear {
    fn verb(&self, lane: &str, verb: &str, arguments: Arguments) -> BoxFuture<Result<Value, HostError>> {
        let first = arguments.positional.first().cloned().unwrap_or(Value::None);
        self.lanes.lock().unwrap().push((lane.to_owned(), first));
        self.verbs.lock().unwrap().push((verb.to_owned(), arguments.clone()));
        let answer = match verb {
            "echo" => Ok(arguments.positional.first().cloned().unwrap_or(Value::None)),
            "costly" => Err(HostError::Exhausted("of $0.50, all is spent".to_owned())),
            "forbidden" => Err(HostError::Refused("not on a Sunday".to_owned())),
            "never" => return Box::pin(std::future::pending()),
            "hold" => {
                let release = Arc::clone(&self.release);
                return Box::pin(async move {
                    release.notified().await;
                    Ok(Value::None)
                });
            }
            _ => Err(HostError::Failed("the model did not answer".to_owned())),
        };
        Box::pin(std::future::ready(answer))
    }

    fn output(&self, stream: Stream, bytes: &[u8]) {
        let to = if stream == Stream::Stdout { &self.stdout } else { &self.stderr };
        to.lock().unwrap().extend_from_slice(bytes);
        self.heard.notify_one();
    }

    fn calls(&self, calls: Vec<CallRecord>) {
        self.calls.lock().unwrap().extend(calls);
    }

    fn yielded(&self, value: &Value) {
        self.yielded.lock().unwrap().push(value.clone());
    }
}

impl Ear {
    pub(crate) fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.stdout.lock().unwrap()).into_owned()
    }

    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.stderr.lock().unwrap()).into_owned()
    }
}

/// One sandbox and one host for a test.
pub(crate) struct World {
    pub(crate) sandbox: Sandbox,
    pub(crate) ear: Arc<Ear>,
    pub(crate) environment: Arc<Environment>,
}

impl World {
    pub(crate) async fn new() -> World {
        World::with(config(), environment()).await
    }

    pub(crate) async fn with(config: Config, environment: Arc<Environment>) -> World {
        let sandbox = Sandbox::start(config).await.expect("the sandbox starts");
        World { sandbox, ear: Arc::default(), environment }
    }

    pub(crate) fn job(&self, source: &str, input: serde_json::Value) -> Job {
        let closure = Closure { functions: vec![Function::new("f", "1", source)], entry: 0 };
        Job::new(
            Arc::clone(&self.environment),
            Arc::new(closure),
            Value::from_json(&input).unwrap(),
            JobLimits::default(),
        )
    }

    /// Functions by name, the first being the entry; each is bound in all others under its name.
    pub(crate) fn job_of(&self, sources: &[(&str, &str)], input: serde_json::Value) -> Job {
        let places: BTreeMap<String, usize> =
            sources.iter().enumerate().map(|(place, (name, _))| ((*name).to_owned(), place)).collect();
        let functions = sources
            .iter()
            .map(|(name, source)| {
                let mut function = Function::new(name, "1", source);
                function.dependencies = places.clone();
                function.dependencies.remove(*name);
                function
            })
            .collect();
        let mut job = self.job("", input);
        job.closure = Arc::new(Closure { functions, entry: 0 });
        job
    }

    pub(crate) async fn run(&self, job: &Job) -> Outcome {
        let host: Arc<dyn Host> = Arc::clone(&self.ear) as Arc<dyn Host>;
        self.sandbox.run(job, host, &CancellationToken::new()).await.expect("the job runs")
    }

    pub(crate) async fn ending(&self, source: &str) -> Ending {
        self.run(&self.job(source, json!({}))).await.ending
    }

    /// What `f` returns, as JSON.
    pub(crate) async fn returned(&self, source: &str) -> serde_json::Value {
        returned(self.ending(source).await)
    }

    /// The type and message `f` raises.
    pub(crate) async fn raised(&self, source: &str) -> String {
        match self.ending(source).await {
            Ending::Raised(error) => format!("{}: {}", error.type_name, error.message),
            other => panic!("it should have raised, but {other:?}"),
        }
    }
}

pub(crate) fn returned(ending: Ending) -> serde_json::Value {
    match ending {
        Ending::Returned(value) => value.to_json(),
        other => panic!("it should have returned, but {other:?}"),
    }
}

/// The memory of this process, which is the supervisor of all cells of a test.
pub(crate) mod memory {
    /// Forgets the peak until now, and tells what is resident.
    pub(crate) fn since_now() -> u64 {
        std::fs::write("/proc/self/clear_refs", "5").unwrap();
        read("self", "VmRSS:")
    }

    /// The most that was resident since then.
    pub(crate) fn peak() -> u64 {
        read("self", "VmHWM:")
    }

    /// One line of what the kernel tells about a process, in bytes.
    pub(crate) fn read(process: &str, line: &str) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let found = text.lines().find_map(|one| one.strip_prefix(line)).unwrap();
        found.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
    }
}

/// Waits until something holds that will hold by itself.
pub(crate) async fn until(mut holds: impl FnMut() -> bool) {
    let patience = std::time::Duration::from_secs(30);
    let waited = tokio::time::timeout(patience, async {
        while !holds() {
            a_moment().await;
        }
    });
    waited.await.expect("it should have come to hold");
}

/// Whether a process exists.
pub(crate) fn is_there(pid: i32) -> bool {
    // A zombie has ended; its parent only has not heard of it.
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z')))
}

pub(crate) fn kill(pid: i32) {
    signal(pid, Signal::KILL);
}

pub(crate) fn signal(pid: i32, signal: Signal) {
    rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), signal).unwrap();
}

/// The process that forks cells: its watcher's child is the first process of the namespace, and it is the second.
pub(crate) fn zygote(world: &World) -> i32 {
    let watcher = i32::try_from(world.sandbox.processes().0[0]).unwrap();
    children(watcher).into_iter().flat_map(children).next().unwrap()
}

/// Whether nothing is left but the zygote and its ready cells.
pub(crate) async fn family_is_gone(world: &World) -> bool {
    let zygote = zygote(world);
    for _ in 0..500 {
        let (_, ready) = world.sandbox.processes();
        let cells: Vec<i32> = children(zygote).into_iter().filter(|pid| is_there(*pid)).collect();
        if cells.iter().all(|pid| ready.contains(pid)) {
            return true;
        }
        a_moment().await;
    }
    false
}

/// Between two looks at what the kernel does in its own time.
pub(crate) async fn a_moment() {
    tokio::time::timeout(std::time::Duration::from_millis(1), std::future::pending::<()>())
        .await
        .unwrap_err();
}

pub(crate) fn children(pid: i32) -> Vec<i32> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|id| id.parse().ok()).collect()
}
