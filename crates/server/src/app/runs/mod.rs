//! Runs: start and wait, queue, cancel, answer, run again.

pub mod answer;
pub mod breakpoints;
pub mod cancel;
pub mod code;
mod graph_options;
pub mod ids;
pub mod lists;
mod new_run;
pub mod nodes;
pub mod read;
pub mod records;
pub mod replay;
mod request;
pub mod rerun;
pub mod resume;
mod seen_steps;
pub mod start;
pub mod wait;
pub mod watch;

use std::time::Duration;

pub use self::answer::answer;
pub use self::cancel::cancel;
pub(crate) use self::new_run::{check_input, parameters, pretended};
pub use self::read::{get, list};
pub(crate) use self::read::{seen_run, touched};
pub(crate) use self::request::By;
pub use self::request::{Input, StartRun, Target};
pub use self::rerun::again;
pub(crate) use self::rerun::recorded_input;
pub use self::start::{Begun, begin, queue, start};
pub(crate) use self::start::{recorded, start_nested, start_node};
pub use self::wait::{wait, wait_past};
pub use crate::engine::RunProgress;

/// How long a caller that starts a Run or waits for one waits for an unavailable database.
const DATABASE_WAIT: Duration = Duration::from_secs(5);
