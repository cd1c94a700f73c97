//! BabyAGI's framework as verbs: what its `func` and its routes need, in its own shapes.
//!
//! Every change of the brain is a Proposal here; the caller decides whether it is applied at once, for a person, or goes
//! through the policy, for a Run.

pub mod functions;
pub mod logs;
mod shapes;
pub mod stating;
pub mod triggers;
