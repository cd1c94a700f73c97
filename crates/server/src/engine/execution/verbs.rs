//! The interface by which the engine executes the host verbs that the code of a Run requests. Their implementation calls the verbs of `app`,
//! which is above the engine, so the engine defines the trait, and the composition root passes the implementation in.

use std::pin::Pin;

use model::run::step::Step;
use model::run::{Run, Waiting};
use sandbox::{Arguments, HostError};

use super::host::Inner;
use crate::engine::graph::NodeStart;
use crate::error::Error;

/// The type of an error by which the host says no.
pub(crate) const REFUSED: &str = "selfmade.Refused";

/// What became of a Step.
pub(crate) enum StepReply {
    /// Journaled, with its result or error.
    Finished(Box<Step>),
    /// The Run waits; the Step is journaled as begun.
    Suspended(Waiting),
    /// The database could not be used. Nothing is journaled, or only that it has begun.
    Unavailable(String),
    /// The end of the Run was asked for, or another node has it.
    Ending,
}

pub(crate) type Replying<'a> = Pin<Box<dyn Future<Output = Result<StepReply, Error>> + Send + 'a>>;

pub(crate) type Running<'a> = Pin<Box<dyn Future<Output = Result<Run, Error>> + Send + 'a>>;

/// Answers the verbs of one Run.
pub(crate) trait HostVerbs: Send + Sync {
    /// Executes a Step that is new, or was begun and not finished. An error means that it could not be journaled.
    fn execute<'a>(&'a self, host: &'a Inner, step: Step, arguments: Arguments) -> Replying<'a>;

    /// Runs what a node of a Graph calls, to its end.
    fn run_node<'a>(&'a self, host: &'a Inner, node: NodeStart) -> Running<'a>;

    /// Does what a Step that was answered before still has to do in this process.
    fn again(&self, step: &Step, arguments: Arguments) -> Result<(), HostError>;
}

/// Makes the verbs of a Run that is about to be executed.
pub(crate) type MakeHostVerbs = fn() -> Box<dyn HostVerbs>;
