//! How records are shown to a person.

pub(crate) mod agent;
pub(crate) mod applied;
pub(crate) mod attention;
pub(crate) mod diff;
pub(crate) mod estimate;
pub(crate) mod fields;
pub(crate) mod findings;
pub(crate) mod graph;
pub(crate) mod graph_diff;
pub(crate) mod graph_problems;
pub(crate) mod held;
pub(crate) mod node_executions;
pub(crate) mod run;
pub(crate) mod run_lines;
pub(crate) mod run_record;
pub(crate) mod trace;
pub(crate) mod upgrades;
