//! The sandbox as its users see it: jobs in, outcomes out, on the real kernel with all layers on.

mod calls;
mod dialects;
mod doctor;
mod endings;
mod escapes;
mod ordinary_user;
mod output;
mod pool;
mod support;
mod values;
mod verbs;
mod warm;
