//! What supervisor and cell say to each other: frames of bounded length that hold bounded JSON. Everything that comes from a
//! cell is read as if an enemy had written it.

mod frame;
mod message;

#[cfg(test)]
mod tests;

pub use frame::{Decoder, FrameError, FrameLimits, encode_frame};
pub(crate) use message::{Answer, Calls, End, FromCell, FunctionFrame, JobFrame, Raised, ToCell};
