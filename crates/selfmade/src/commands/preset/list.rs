//! `selfmade preset list`: which presets there are.

use model::name::EntryName;
use model::phrase::cut;
use serde_json::{Value, json};
use server::app::presets::PresetView;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{DIM, NAME};
use crate::terminal::table::{Cell, Table};

/// Longer inputs are cut.
const SHOWN: usize = 80;

/// List presets: of a function or graph, or all
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade preset list
  selfmade preset list news")]
pub(crate) struct Arguments {
    /// The function or graph
    function: Option<EntryName>,
    /// How many to show
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    limit: u32,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let mut presets = brain.presets(arguments.function.as_ref(), arguments.limit.saturating_add(1)).await?;
    let has_more = presets.len() > arguments.limit as usize;
    presets.truncate(arguments.limit as usize);
    session.output.answer(&json!({ "presets": presets }), |screen| table(&presets, screen))?;
    if presets.is_empty() {
        session.output.note("there are none");
    } else if has_more {
        session.output.note(format!("there are more; `--limit {}` shows them", arguments.limit * 2));
    }
    Ok(Exit::Done)
}

fn table(presets: &[PresetView], screen: &Screen) -> String {
    let mut table = Table::new(&["function", "preset", "input", "fits"], 2);
    for view in presets {
        let preset = &view.preset;
        table.row(vec![
            Cell::painted(NAME, preset.callable.as_str()),
            preset.name.clone().into(),
            Cell::painted(DIM, cut(&Value::Object(preset.input.clone()).to_string(), SHOWN)),
            if view.problem.is_none() { "yes" } else { "no" }.to_owned().into(),
        ]);
    }
    table.render(screen)
}
