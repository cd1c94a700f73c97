//! Limits that are the same for the zygote and all cells, set once because cells inherit them. Those that hold for cells alone
//! are in `python.rs`.

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::stage1::plan::Plan;
use crate::stage1::{Step, StepError};

/// What most systems have.
const STACK_BYTES: u64 = 8 << 20;

pub(super) fn set(plan: &Plan) -> Result<(), StepError> {
    // A limit of 0 keeps dumps off the disk, but not from a program that the machine hands them to; 1 means neither. Whoever
    // started us may have forbidden to go above 0.
    let core = setrlimit(Resource::Core, exactly(1)).or_else(|_| setrlimit(Resource::Core, exactly(0)));
    core.step("forbid core dumps")?;
    // Some machines let ordinary users have more of the processor than others.
    setrlimit(Resource::Nice, exactly(0)).step("forbid higher priorities")?;
    setrlimit(Resource::Rtprio, exactly(0)).step("forbid real-time priorities")?;
    setrlimit(Resource::Memlock, exactly(0)).step("forbid locked memory")?;
    setrlimit(Resource::Msgqueue, exactly(0)).step("forbid message queues")?;
    setrlimit(Resource::Stack, exactly(STACK_BYTES)).step("limit the stack")?;
    setrlimit(Resource::Fsize, exactly(plan.files_bytes)).step("limit the size of files")
}

fn exactly(value: u64) -> Rlimit {
    Rlimit { current: Some(value), maximum: Some(value) }
}
