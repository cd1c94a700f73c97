//! `selfmade model list`: which language models there are.

use serde_json::json;

use super::show::{key, roles};
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::style::{DIM, NAME};
use crate::terminal::table::{Cell, Table};

/// List language models
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade model list")]
pub(crate) struct Arguments {}

pub(crate) async fn run(session: &Session, brain: &Brain) -> Result<Exit, Error> {
    let models = brain.models().await?;
    session.output.answer(&json!({ "models": models }), |screen| {
        let mut table = Table::new(&["name", "model", "roles", "key", "tested", "url"], 5);
        for view in &models {
            let model = &view.model;
            let tested = match (view.configured, model.probed_at) {
                (true, _) => "configured".to_owned(),
                (false, Some(at)) => screen.time(at),
                (false, None) => "no".to_owned(),
            };
            table.row(vec![
                Cell::painted(NAME, model.name.as_str()),
                model.model_id.clone().into(),
                roles(model).into(),
                key(&model.key).into(),
                Cell::painted(DIM, tested),
                Cell::painted(DIM, &model.base_url),
            ]);
        }
        table.render(screen)
    })?;
    if models.is_empty() {
        session.output.note("there are none; `selfmade model find` looks for servers on this machine, `selfmade model add` adds one");
    }
    Ok(Exit::Done)
}
