//! The engine against a scripted executor, a clock that the test moves and a store that fails on demand.

mod applying;
mod bounding;
mod cancelling;
mod clocks;
mod faults;
mod forgetting;
mod func;
pub(crate) mod graphs;
mod interference;
mod isolation;
mod lanes;
mod nesting;
mod outages;
mod power;
mod recording;
mod recovering;
mod retrying;
mod returning;
pub(crate) mod script;
mod sealing;
mod secrecy;
mod signals;
mod stepping;
mod stopping;
mod triggering;
mod waiting;
