//! The sandbox as its users see it: jobs in, outcomes out, on the real kernel with all layers on.

#![allow(clippy::unwrap_used, clippy::needless_pass_by_value, reason = "helpers of tests may fail them")]

mod calls;
mod census;
mod codes;
mod dialects;
mod doctor;
mod egress;
mod egress_proxy;
mod endings;
mod environments;
mod escapes;
mod expressions;
mod forks;
mod gone;
mod lanes;
mod leaks;
mod ordinary_user;
mod output;
mod packages;
mod pool;
mod process_names;
mod shared;
mod support;
mod umask;
mod values;
mod verbs;
mod warm;
mod weaker;
