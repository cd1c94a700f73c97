//! What supervisor and cell say to each other: frames of bounded length that hold bounded JSON. Everything that comes from a
//! cell is read as if an enemy had written it.

mod calls;
mod frame;
mod message;

#[cfg(test)]
mod tests;

pub(crate) use calls::{CallArguments, CallEnd, CallEntry, Calls};
pub use frame::{Decoder, FrameError, FrameLimits, encode_frame};
pub(crate) use message::{
    Answer, CompileFrame, End, FromCell, FunctionFrame, JobFrame, Raised, TimedStep, ToCell,
};
