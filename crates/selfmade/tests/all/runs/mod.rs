//! `selfmade runs …`: what is known of Runs, and what can be done with them.

mod budgets;
mod deciding;
mod listing;
mod pruning;
mod repeating;
mod showing;
mod tailing;
