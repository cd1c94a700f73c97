//! `selfmade graph blocks`: what a node can place, with its pins.

use model::graph::block::{BlockSignature, Pin};
use server::app::graphs::blocks::BuiltinView;

use crate::client::Brain;
use crate::commands::run::Reference;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{DIM, NAME};
use crate::terminal::table::{Cell, Table};
use crate::views::fields::Fields;
use crate::views::graph::{default, of_type};

/// List the built-in blocks, or the pins of a function or graph
///
/// Every function and every graph is a block: its parameters are input pins, and what it returns leaves on `output`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph blocks            the built-in blocks
  selfmade graph blocks greet      the pins of a function or graph
  selfmade graph blocks greet@2")]
pub(crate) struct Arguments {
    /// A function or graph, or NAME@VERSION
    name: Option<Reference>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    match &arguments.name {
        None => {
            let blocks = brain.blocks().await?;
            session.output.answer(&blocks, |screen| table(&blocks, screen))?;
        }
        Some(reference) => {
            let view = brain.callable(&reference.name, reference.number).await?;
            session.output.answer(&view, |screen| {
                let (name, kind) = (view.key.name.as_str(), view.key.kind.as_str());
                let head = Fields::of(name, &view.version.to_string(), kind, &view.description);
                // Its pins are all that is known of it here, so the table stands in the place of fields.
                head.above("") + &pins(&view.pins, screen)
            })?;
        }
    }
    Ok(Exit::Done)
}

fn table(blocks: &[BuiltinView], screen: &Screen) -> String {
    let names = |pins: &[Pin]| pins.iter().map(|pin| pin.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut table = Table::new(&["block", "inputs", "outputs", "description"], 3);
    for block in blocks {
        table.row(vec![
            Cell::painted(NAME, &block.block),
            names(&block.pins.inputs).into(),
            names(&block.pins.outputs).into(),
            Cell::painted(DIM, &block.description),
        ]);
    }
    table.render(screen)
}

fn pins(pins: &BlockSignature, screen: &Screen) -> String {
    let mut table = Table::new(&["pin", "", "type", "", "description"], 4);
    let sides = [("input", &pins.inputs), ("output", &pins.outputs)];
    for (side, pin) in sides.into_iter().flat_map(|(side, pins)| pins.iter().map(move |pin| (side, pin))) {
        table.row(vec![
            Cell::painted(NAME, &pin.name),
            Cell::painted(DIM, side),
            format!("{}{}", of_type(&pin.schema), default(pin)).into(),
            Cell::painted(DIM, if pin.required { "required" } else { "" }),
            pin.description.as_deref().unwrap_or_default().into(),
        ]);
    }
    let others = [("input", &pins.other_inputs), ("output", &pins.other_outputs)];
    for (side, schema) in others.into_iter().filter_map(|(side, schema)| Some((side, schema.as_ref()?))) {
        table.row(vec![
            Cell::painted(NAME, "(any other)"),
            Cell::painted(DIM, side),
            of_type(schema).into(),
            "".into(),
            "".into(),
        ]);
    }
    table.render(screen)
}
