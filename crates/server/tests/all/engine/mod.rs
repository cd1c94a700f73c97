//! The engine against a scripted executor, a clock that the test moves and a store that fails on demand.

mod bounding;
mod cancelling;
mod faults;
mod forgetting;
mod func;
mod interference;
mod isolation;
mod outages;
mod power;
mod recording;
mod retrying;
pub(crate) mod script;
mod sealing;
mod secrecy;
mod stepping;
mod stopping;
mod triggering;
mod waiting;
