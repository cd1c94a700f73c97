//! The engine against a scripted executor, a clock that the test moves and a store that fails on demand.

mod cancelling;
mod faults;
mod recording;
mod retrying;
mod script;
mod stepping;
mod triggering;
mod waiting;
