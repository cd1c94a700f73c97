//! BabyAGI's framework as verbs: what its `func` and its routes ask for, answered in its own shapes.
//!
//! Whatever changes the brain is a Proposal here; the door decides whether it is applied at once, for a person, or goes
//! through the policy, for a Run.

pub mod functions;
pub mod logs;
mod shapes;
pub mod stating;
pub mod triggers;
