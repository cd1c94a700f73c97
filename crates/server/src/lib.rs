//! server

pub mod search;
