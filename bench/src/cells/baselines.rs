//! The ways other programs start Python: a plain fork without any sandbox, a new interpreter, a new one in bubblewrap.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::report::{PLAIN_FORK, Report};
use crate::load;
use crate::measure::Times;
use crate::python::Python;

/// What bubblewrap needs to do about as much as a cell has around it; its own seccomp filter would have to be passed in.
const BUBBLEWRAP: [&str; 14] = [
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    "--ro-bind",
    "/",
    "/",
    "--tmpfs",
    "/tmp",
    "--dev",
    "/dev",
    "--clearenv",
    "--",
];

pub(super) fn measure(
    report: &mut Report,
    python: &Python,
    bubblewrap: Option<&Path>,
    calls: usize,
) -> anyhow::Result<()> {
    let python = python.program.to_str().context("the path of the interpreter is not Unicode")?;
    load::tell("without a sandbox: `os.fork` of a warm interpreter")?;
    let forks = forks(python, calls)?;
    report.timed("plain fork, ahead of the call", forks.ahead_of_it);
    report.timed(PLAIN_FORK, forks.for_the_call);
    report.other("plain forks a second, on all processors", format!("{:.0}", forks_a_second(python, calls)?));
    load::tell("new interpreters")?;
    let calls = calls.min(1000);
    report.timed("cold `python3 -I -S -c pass`", started(&[python, "-I", "-S", "-c", "pass"], calls)?);
    report.timed("cold `python3 -c pass`", started(&[python, "-c", "pass"], calls)?);
    match bubblewrap {
        None => println!("bubblewrap: not compared, no `--bubblewrap` was given"),
        Some(path) => {
            let path = path.to_string_lossy();
            let mut words: Vec<&str> = vec![&path];
            words.extend(BUBBLEWRAP);
            words.extend([python, "-I", "-S", "-c", "pass"]);
            match started(&words, calls) {
                Ok(times) => report.timed("bubblewrap + cold `python3 -I -S -c pass`", times),
                Err(error) => report.other("bubblewrap", format!("cannot run here: {error:#}")),
            }
        }
    }
    Ok(())
}

struct Forks {
    for_the_call: Times,
    ahead_of_it: Times,
    /// Of forks for the call, from one to the next.
    a_second: f64,
}

fn forks(python: &str, calls: usize) -> anyhow::Result<Forks> {
    heard(begun_forks(python, calls)?)
}

/// How many calls a second as many processes answer as there are processors.
fn forks_a_second(python: &str, calls: usize) -> anyhow::Result<f64> {
    let at_once = std::thread::available_parallelism()?.get();
    let running: Vec<Child> =
        (0..at_once).map(|_| begun_forks(python, calls / at_once)).collect::<anyhow::Result<_>>()?;
    running.into_iter().map(|one| heard(one).map(|forks| forks.a_second)).sum()
}

fn begun_forks(python: &str, calls: usize) -> anyhow::Result<Child> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/fork.py");
    let mut command = Command::new(python);
    command.args(["-I", "-S"]).arg(script).arg(calls.to_string());
    Ok(command.stdout(Stdio::piped()).spawn()?)
}

fn heard(script: Child) -> anyhow::Result<Forks> {
    let text = String::from_utf8(script.wait_with_output()?.stdout)?;
    let json =
        text.lines().find_map(|line| line.strip_prefix("RESULT ")).context("the script gave no result")?;
    let result: serde_json::Value = serde_json::from_str(json)?;
    let times = |name: &str| {
        let nanos = result[name].as_array().into_iter().flatten().filter_map(serde_json::Value::as_u64);
        Times(nanos.map(Duration::from_nanos).collect())
    };
    let a_second = result["a_second"].as_f64().context("the script gave no rate")?;
    Ok(Forks { for_the_call: times("for_the_call"), ahead_of_it: times("ahead_of_it"), a_second })
}

/// From asking for a process to knowing that it has ended.
fn started(words: &[&str], calls: usize) -> anyhow::Result<Times> {
    let mut times = Times::default();
    for _ in 0..calls {
        let begun = Instant::now();
        let output = Command::new(words[0]).args(&words[1..]).stdin(Stdio::null()).output()?;
        times.0.push(begun.elapsed());
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(times)
}
