//! model

pub mod python;
pub mod requirement;
pub mod signature;
