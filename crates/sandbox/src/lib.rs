//! Runs Python in cells. This crate is where the product's child processes will live; nothing runs Python yet, so it is
//! empty.
