//! xtask as a program, seen from outside.

#![allow(clippy::disallowed_methods, reason = "these tests are about processes")]
#![allow(clippy::unwrap_used, reason = "a test may fail, and says where")]

mod postgres_guard;
