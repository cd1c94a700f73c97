//! The egress proxy as a cell meets it: over a listener on loopback, with local servers as the world outside.

mod hosts;
mod limits;
mod python;
mod requests;
mod secrets;
mod world;
