//! The ways other programs start Python: a plain fork without any sandbox, a new interpreter, a new one in bubblewrap.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::load;
use super::report::Report;
use crate::measure::Times;

/// What bubblewrap needs to do about as much as a cell has around it; its own seccomp filter would have to be handed in.
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
    python: &str,
    bubblewrap: Option<&Path>,
    calls: usize,
) -> anyhow::Result<()> {
    load::tell("without a sandbox: `os.fork` of a warm interpreter")?;
    let [for_the_call, ahead_of_it] = forks(python, calls)?;
    report.timed("plain fork, ahead of the call", ahead_of_it);
    report.timed("plain fork, for the call", for_the_call);
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

fn forks(python: &str, calls: usize) -> anyhow::Result<[Times; 2]> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/fork.py");
    let output = Command::new(python)
        .args(["-I", "-S"])
        .arg(script)
        .arg(calls.to_string())
        .stderr(Stdio::inherit())
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    let json =
        text.lines().find_map(|line| line.strip_prefix("RESULT ")).context("the script gave no result")?;
    let result: serde_json::Value = serde_json::from_str(json)?;
    let times = |name: &str| {
        let nanos = result[name].as_array().into_iter().flatten().filter_map(serde_json::Value::as_u64);
        Times(nanos.map(Duration::from_nanos).collect())
    };
    Ok([times("for_the_call"), times("ahead_of_it")])
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
