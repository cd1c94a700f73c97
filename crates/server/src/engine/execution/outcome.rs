//! Converts how a cell ended to how its Run ends.

use model::access::grants::Grants;
use model::name::EntryName;
use model::run::reach;
use model::run::{End, Ending, RunError, RunState, Usage};
use sandbox::{Crash, Exception, Killer, Limit};

use crate::engine::cells::executor::Executed;

/// How the cell ended, in one word.
pub(crate) fn kind(ending: &sandbox::Ending) -> Ending {
    match ending {
        sandbox::Ending::Returned(_) => Ending::Returned,
        sandbox::Ending::Raised(_) => Ending::Raised,
        sandbox::Ending::TimedOut { .. } => Ending::TimedOut,
        sandbox::Ending::OutOfMemory => Ending::OutOfMemory,
        sandbox::Ending::Killed { .. } => Ending::Killed,
        sandbox::Ending::Crashed { .. } => Ending::Crashed,
        sandbox::Ending::BrokeProtocol { .. } => Ending::BrokeProtocol,
    }
}

pub(crate) fn usage(executed: &Executed) -> Usage {
    let outcome = &executed.outcome;
    Usage {
        wall_us: outcome.usage.wall_us,
        cpu_us: outcome.usage.cpu_us,
        peak_memory_bytes: outcome.usage.peak_memory_bytes,
        cold: executed.cold,
        output_dropped_bytes: outcome.output_dropped_bytes,
        calls_dropped: outcome.calls_dropped,
    }
}

/// With whatever secrets there are in it, and what the function would have needed.
pub(crate) fn end_of(executed: Executed, function: &EntryName, grants: &Grants) -> End {
    let host = match &executed.outcome.ending {
        sandbox::Ending::Raised(exception) => exception.host.clone(),
        _ => None,
    };
    let mut end = end(executed);
    if let Some(error) = &mut end.error {
        error.hint = reach::hint(error, host.as_deref(), function.as_str(), grants);
    }
    end
}

/// With whatever secrets there are in it.
pub(crate) fn end(executed: Executed) -> End {
    let usage = usage(&executed);
    let (ending, error) = match executed.outcome.ending {
        sandbox::Ending::Returned(value) => {
            return End::succeeded(value.to_json(), usage);
        }
        sandbox::Ending::Raised(exception) => (Ending::Raised, raised(exception)),
        sandbox::Ending::TimedOut { limit, stood_at } => (Ending::TimedOut, timed_out(limit, stood_at)),
        sandbox::Ending::OutOfMemory => (
            Ending::OutOfMemory,
            error("OutOfMemory", "the function exceeded its memory limit; grant it more with `memory`"),
        ),
        sandbox::Ending::Killed { by } => (Ending::Killed, killed(by)),
        sandbox::Ending::Crashed { how } => (Ending::Crashed, crashed(how)),
        sandbox::Ending::BrokeProtocol { why } => (Ending::BrokeProtocol, error("BrokeProtocol", &why)),
    };
    End {
        state: RunState::Failed,
        ending: Some(ending),
        output: None,
        error: Some(error),
        usage: Some(usage),
    }
}

fn error(type_name: &str, message: &str) -> RunError {
    RunError::of(type_name, message)
}

fn raised(exception: Exception) -> RunError {
    RunError { traceback: Some(exception.traceback), ..RunError::of(exception.type_name, exception.message) }
}

fn timed_out(limit: Limit, stood_at: Option<String>) -> RunError {
    let what = match limit {
        Limit::Wall => "time",
        Limit::Cpu => "processor time",
    };
    let message = format!("the function used up its {what}; grant it more with `timeout`");
    RunError { traceback: stood_at, ..RunError::of("TimedOut", message) }
}

fn killed(by: Killer) -> RunError {
    error(
        "Killed",
        match by {
            Killer::Cancel => "it was cancelled",
            Killer::ProcessLimit => {
                "it exceeded its limit of processes and threads; grant more with `processes`"
            }
            Killer::Outside => "something outside selfmade killed it",
        },
    )
}

fn crashed(how: Crash) -> RunError {
    match how {
        Crash::Signal(signal) => error("Crashed", &format!("the process was killed by signal {signal}")),
        Crash::Exit(code) => error("Crashed", &format!("the process exited with code {code}")),
    }
}
