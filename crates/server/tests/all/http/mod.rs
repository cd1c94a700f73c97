//! The HTTP door, asked as a client would, against a scripted executor.

mod access;
pub(crate) mod asking;
mod autogpt;
mod babyagi;
mod bodies;
mod changing;
mod commanding;
mod description;
mod following;
mod following_graphs;
mod graph_files;
mod graph_views;
mod hooks;
mod limits;
mod listening;
mod measuring;
mod nodes;
mod revoked;
mod running;
mod signing_in;
mod sockets;
pub(crate) mod streaming;
mod tracing;
mod wrong_fields;
