//! The server is killed with SIGKILL, for real, again and again: cells, databases and the program are those that people
//! use. Afterwards every promise about runs is checked.

mod invariants;
mod lanes;
pub(crate) mod load;
mod models;
pub(crate) mod processes;
mod sharing;
mod survival;
