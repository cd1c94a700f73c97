//! How one run of a graph differs from others: where it stops, and what need not be executed.

use model::graph::patch::LinkKey;
use model::graph::run_options::{BreakAt, GraphOptions};

use super::graph::pins::{link, pin};
use super::run::value_of;
use crate::error::Error;

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options for graphs")]
pub(crate) struct GraphArguments {
    /// Stop before this node is executed
    #[arg(long = "break", value_name = "NODE")]
    break_at: Vec<String>,
    /// Stop where this link delivers a value
    #[arg(long, value_name = "FROM.PIN=TO.PIN", value_parser = link)]
    break_link: Vec<LinkKey>,
    /// Stop at every node
    #[arg(long)]
    step: bool,
    /// Do not execute this node; it gives this value instead, as JSON or text. Repeated, it gives several
    #[arg(long, value_name = "NODE.PIN=VALUE")]
    pin: Vec<String>,
    /// Estimate how long it takes, and do not run it
    #[arg(long, conflicts_with_all = ["break_at", "break_link", "step", "pin"])]
    pub(super) estimate: bool,
}

impl GraphArguments {
    pub(super) fn read(self) -> Result<GraphOptions, Error> {
        let mut options = GraphOptions {
            breakpoints: BreakAt {
                everywhere: self.step,
                nodes: self.break_at.into_iter().collect(),
                links: self.break_link,
            },
            ..GraphOptions::default()
        };
        for text in &self.pin {
            let read = text.split_once('=').and_then(|(target, value)| Some((pin(target)?, value)));
            let ((node, pin), value) = read.ok_or_else(|| Error::Input {
                problem: format!("`{text}` is not a pinned value"),
                hint: "write `--pin NODE.PIN=VALUE`".to_owned(),
            })?;
            let values = options.pinned.entry(node).or_default().entry(pin).or_default();
            values.push(value_of(value, None));
        }
        Ok(options)
    }
}
