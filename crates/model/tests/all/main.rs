//! The tests of `model` from outside.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod babyagi_packs;
mod python_depth;
mod python_pack;
mod python_properties;
mod python_requirements;
mod python_scope;
mod python_signature;
mod python_source;
