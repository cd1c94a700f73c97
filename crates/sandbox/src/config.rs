//! Sizes and limits of the sandbox. Values are passed in; nothing is read from the environment here.

use std::path::PathBuf;
use std::time::Duration;

use crate::protocol::FrameLimits;
use crate::verbs::VerbSignature;

#[derive(Clone, Debug)]
pub struct Config {
    /// The binary whose `main` begins with [`crate::stage1::enter_if_asked`]; absent is the running one.
    pub stage1: Option<PathBuf>,
    /// Run without the layers this machine does not offer, instead of refusing.
    pub allow_weaker: bool,
    /// The user that cells of a root supervisor run as.
    pub user: u32,
    /// Cells kept ready for each environment.
    pub ready_cells: usize,
    /// Zygotes kept; beyond that the one used longest ago is retired.
    pub environments: usize,
    /// An environment that nobody used for so long is retired, with all it has ready.
    pub environment_idle: Duration,
    /// Cells kept for warm jobs, over all environments.
    pub warm_cells: usize,
    /// How long a warm cell may wait for its next job.
    pub warm_idle: Duration,
    /// How long a warm cell may live; what a function leaves behind in its memory does not grow for ever.
    pub warm_age: Duration,
    /// Memory for compiled functions, for each environment.
    pub code_bytes: usize,
    /// Room in a cell's own files, which are in memory.
    pub files_bytes: u64,
    pub files_count: u64,
    /// The most processes and threads any job may ask for.
    pub processes: u32,
    pub frame: FrameLimits,
    /// How the verbs are called that jobs may be granted. One that is not here takes any arguments.
    pub verbs: Vec<VerbSignature>,
    /// How long a zygote may take to load its packages.
    pub boot: Duration,
    /// Where inside a cell the proxy is found.
    pub proxy_port: u16,
    /// A cgroup v2 folder that is ours to make children in; absent is the one we are in, where that is possible.
    pub cgroup: Option<PathBuf>,
    /// Keep how long each step of making a cell takes, for [`crate::Sandbox::take_births`].
    pub time_births: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            stage1: None,
            allow_weaker: false,
            // `nobody`, on every Linux.
            user: 65534,
            ready_cells: 4,
            environments: 8,
            environment_idle: Duration::from_secs(15 * 60),
            warm_cells: 16,
            warm_idle: Duration::from_secs(2 * 60),
            warm_age: Duration::from_secs(30 * 60),
            code_bytes: 4 << 20,
            files_bytes: 64 << 20,
            files_count: 4096,
            processes: 256,
            frame: FrameLimits::default(),
            verbs: Vec::new(),
            boot: Duration::from_secs(30),
            proxy_port: 3128,
            cgroup: None,
            time_births: false,
        }
    }
}
