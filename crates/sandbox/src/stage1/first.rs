//! The first process of a zygote's pid namespace. It only waits for the zygote, so that the zygote is the second.
//!
//! Every cell is the first process of a namespace of its own, so all cells have the number 1. OpenSSL, and other libraries
//! with random state in memory, notice that they were forked by the change of that number, and draw new randomness then. A
//! zygote with the number 1 too would hand the same state, and with it the same TLS keys, to all its cells.

use std::io;

use rustix::process::{Pid, Signal, WaitOptions, set_parent_process_death_signal, waitpid};

use crate::stage1::{Step, StepError};
use crate::sys;

/// Returns in the zygote. The first process ends here, and all that is left in the namespace with it, when the zygote has.
pub(super) fn run_init() -> Result<(), StepError> {
    set_parent_process_death_signal(Some(Signal::KILL)).step("ask to die with the parent")?;
    let Some(pid) = sys::fork().step("fork the zygote")? else { return Ok(()) };
    let pid = Pid::from_raw(pid).ok_or(io::ErrorKind::InvalidInput).step("name the zygote")?;
    loop {
        match waitpid(Some(pid), WaitOptions::empty()) {
            Err(rustix::io::Errno::INTR) => {}
            ended => {
                let status = ended.step("wait for the zygote")?.and_then(|(_, status)| status.exit_status());
                std::process::exit(status.unwrap_or(1));
            }
        }
    }
}
