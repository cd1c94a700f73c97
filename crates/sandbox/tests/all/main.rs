//! The sandbox as its users see it: jobs in, outcomes out, on the real kernel with all layers on.

mod calls;
mod endings;
mod support;
