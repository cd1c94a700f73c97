//! The HTTP door, asked as a client would, against a scripted executor.

mod access;
mod asking;
mod changing;
mod description;
mod listening;
mod running;
mod streaming;
