//! The Python side, carried in the binary, and what it is told when it boots.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::json;

use crate::config::Config;
use crate::doctor::Layers;
use crate::environment::Environment;
use crate::stage1::filter;
use crate::stage1::plan::PLACE;
use crate::verbs;

/// What the interpreter gets as `-c`: it receives the program from the control socket, which is its standard input, because the
/// sandbox shows no folder of ours. `ps` shows it until the zygote has a name, so it is short. The numbers are `AF_UNIX` and
/// `SOCK_SEQPACKET`.
pub(crate) const START: &str = "import _socket, json; control = _socket.socket(1, 5, 0, 0); \
    program = json.loads(control.recv(1 << 20)); exec(compile(program.pop('start'), '<boot>', 'exec'))";
const BOOT: &str = include_str!("../python/boot.py");

/// In the order they import each other.
const MODULES: [(&str, &str); 24] = [
    ("_cell_names", include_str!("../python/names.py")),
    ("_cell_forks", include_str!("../python/forks.py")),
    ("_cell_lanes", include_str!("../python/lanes.py")),
    ("_cell_kernel", include_str!("../python/kernel.py")),
    ("_cell_tags", include_str!("../python/tags.py")),
    ("_cell_frames", include_str!("../python/frames.py")),
    ("_cell_values", include_str!("../python/values.py")),
    ("_cell_describe", include_str!("../python/describe.py")),
    ("_cell_reach", include_str!("../python/reach.py")),
    ("_cell_errors", include_str!("../python/errors.py")),
    ("_cell_calls", include_str!("../python/calls.py")),
    ("_cell_babyagi", include_str!("../python/babyagi.py")),
    ("_cell_litellm", include_str!("../python/litellm.py")),
    ("_cell_process", include_str!("../python/process.py")),
    ("_cell_files", include_str!("../python/files.py")),
    ("_cell_settings", include_str!("../python/settings.py")),
    ("_cell_patches", include_str!("../python/patches.py")),
    ("_cell_baseline", include_str!("../python/baseline.py")),
    ("_cell_functions", include_str!("../python/functions.py")),
    ("_cell_host", include_str!("../python/host.py")),
    ("_cell_cell", include_str!("../python/cell.py")),
    ("_cell_stopwatch", include_str!("../python/stopwatch.py")),
    ("_cell_confine", include_str!("../python/confine.py")),
    ("_cell_networks", include_str!("../python/networks.py")),
];
const ZYGOTE: (&str, &str) = ("_cell_zygote", include_str!("../python/zygote.py"));

/// Modules every zygote has loaded. Few, because each page of a zygote's memory makes every fork slower; what functions of an
/// environment use besides, such as `asyncio`, belongs in its `preload`.
const COMMON: [&str; 13] = [
    "collections",
    "contextlib",
    "datetime",
    "decimal",
    "enum",
    "functools",
    "itertools",
    "json",
    "math",
    "re",
    "string",
    "textwrap",
    "typing",
];

#[derive(Serialize)]
pub(crate) struct Program {
    start: &'static str,
    modules: Vec<(&'static str, Cow<'static, str>)>,
    boot: serde_json::Value,
}

impl Program {
    pub(crate) fn new(config: &Config, layers: Layers, environment: &Environment) -> Program {
        let ours = MODULES.into_iter().chain([ZYGOTE]).map(|(name, source)| (name, Cow::Borrowed(source)));
        let verbs = ("_cell_verbs", Cow::Owned(verbs::module(&config.verbs)));
        let modules = std::iter::once(verbs).chain(ours).collect();
        let preload: Vec<&str> =
            COMMON.iter().copied().chain(environment.preload.iter().map(String::as_str)).collect();
        let boot = json!({
            "preload": preload,
            "sys_path": environment.site_packages,
            "layers": layers,
            "place": PLACE,
            "tmpfs": format!("size={},nr_inodes={},mode=0700", config.files_bytes, config.files_count),
            "numbers": numbers(),
            "rlimits": rlimits(config),
            "inner_filter": STANDARD.encode(filter::bytes(&filter::inner())),
            "frame_bytes": config.frame.bytes,
            "proxy_port": config.proxy_port,
            "rehearsal": rehearsal(),
            "time_births": config.time_births,
        });
        Program { start: BOOT, modules, boot }
    }
}

fn numbers() -> BTreeMap<&'static str, i64> {
    BTreeMap::from([
        ("landlock_restrict_self", libc::SYS_landlock_restrict_self),
        ("capset", libc::SYS_capset),
        ("seccomp", libc::SYS_seccomp),
    ])
}

/// What holds for every cell and not for the zygote, which needs more; a job's own limits are lower and set when it comes.
fn rlimits(config: &Config) -> BTreeMap<&'static str, u64> {
    BTreeMap::from([("RLIMIT_NOFILE", 256), ("RLIMIT_NPROC", u64::from(config.processes))])
}

/// Jobs that go the ways real ones go: one that succeeds, with a recorded dependency, and one that raises an error.
fn rehearsal() -> [serde_json::Value; 2] {
    let entry = "def entry(x, y='a'):\n    import json\n    return {'answer': [helper(json.loads(x)), y]}\n";
    let good = "def helper(value):\n    return len(value) + 0.5\n";
    let bad = "def helper(value):\n    try:\n        return value['k']\n    except TypeError as error:\n        \
               raise RuntimeError(value) from error\n";
    [rehearse(entry, good), rehearse(entry, bad)]
}

fn rehearse(entry: &str, helper: &str) -> serde_json::Value {
    let function = |name: &str, source: &str, dependencies: serde_json::Value| {
        json!({ "name": name, "file": "rehearsal", "source": source, "dialect": "selfmade",
                "dependencies": dependencies, "imports": [], "secrets": [] })
    };
    json!({
        "functions": [function("entry", entry, json!({ "helper": 1 })), function("helper", helper, json!({}))],
        "entry": 0, "input": { "x": "[1, 2.5, null, {\"a\": true}]" }, "secrets": {}, "verbs": ["run"],
        "variables": {}, "limits": {}, "is_warm": false, "anew": false,
    })
}
