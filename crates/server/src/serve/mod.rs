//! A server as a process: what it does, where it announces itself, and how it is controlled.

pub mod announcement;
pub mod control;
pub mod roles;
mod server;

pub use self::server::{BoundServer, Server, serve};
