//! The scheduler of a Graph: a pure state machine. The engine tells it what happened and executes what it answers.
//!
//! * [`Plan`] is a Graph made ready; [`State`] is one run of it.
//! * [`State::start`] and [`State::apply`] answer with [`Action`]s. Applying the same [`Happened`]s in the same order
//!   makes the same state, so a run is recovered from its journal: start, apply all of them, and repeat what is
//!   [`State::under_way`]. Outputs that were applied before are passed over by their index.
//!
//! # What it promises
//! * Each linked pin is a FIFO; the n-th values of all linked pins make the n-th execution. Several links may lead to one pin.
//!   A constant on a linked pin is ignored; one on a part of it is written into what arrives.
//! * A value of a static link is taken in turn like any other, and the last one taken is used again where there is no newer
//!   one. At least one value of an execution is new. Links from `@input`, `@output` and `@store` are static.
//! * Executions of one node come one after the other, in order. No node waits for another that it has no link from.
//! * What leaves is delivered at once, so downstream nodes start while the producer goes on.
//! * Types are checked on both sides. A value that does not fit its output pin ends the execution that gave it as failed; one
//!   that does not fit the input pin, or a path that is not in it, fails the execution it was meant for, which is not started.
//! * A failure leaves on the pin `error` if that is linked. Otherwise the run will end as failed, naming the node; what does
//!   not depend on it goes on, as in the 2024 server, so that a resumed run has the less to do.
//! * At the end of the budget nothing more is started; what is under way may finish, and the run ends as failed.
//! * `@collect` executes once, when nothing upstream of it can give any more, with all that came; not if something upstream failed.
//!
//! A run of only some nodes has a plan of its own, in which the others take no part ([`Plan::only`]); what these would give is
//! supplied at its start, see `partial`.
//!
//! Pinned outputs need no help here: the engine answers [`Action::Execute`] with recorded values. Retries do not either: an
//! execution may be repeated by the engine until it reports one end.

mod assemble;
mod collect;
mod deliver;
mod happened;
mod outcome;
mod partial;
mod plan;
mod recorded;
mod start;
mod state;
mod turn;
mod upstream;

pub use self::happened::{Action, Breakpoints, ExecutionId, Happened, Impossible};
pub use self::outcome::{EndState, Failure, MAX_FAILURES, NeverRan, Outcome, Unused};
pub use self::partial::{NodeOutputs, PartialError};
pub use self::plan::{LinkIndex, NodeIndex, Plan};
pub use self::recorded::RecordedOutputs;
pub use self::state::{NotLinked, Start, State, SuppliedValue};
