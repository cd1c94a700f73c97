//! `selfmade token list`: which Tokens there are.

use model::access::token::Token;
use serde_json::json;
use server::clock::Clock;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::style::{BAD, DIM, NAME};
use crate::terminal::table::{Cell, Table};
use crate::terminal::time;

/// List tokens
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade token list")]
pub(crate) struct Arguments {}

fn uses(token: &Token) -> String {
    match (token.patterns.is_empty(), token.uses.is_empty()) {
        (true, _) => "all".to_owned(),
        (false, true) => "none".to_owned(),
        (false, false) => token.uses.join(" "),
    }
}

fn grants(token: &Token) -> String {
    let listed: Vec<String> = token.grants.0.iter().map(ToString::to_string).collect();
    if listed.is_empty() { "none".to_owned() } else { listed.join(" ") }
}

fn only(token: &Token) -> String {
    if token.patterns.is_empty() { "all".to_owned() } else { token.patterns.join(" ") }
}

pub(crate) async fn run(session: &Session, brain: &Brain) -> Result<Exit, Error> {
    let tokens = brain.tokens().await?;
    let now = Clock::System.now();
    session.output.answer(&json!({ "tokens": tokens }), |screen| {
        let mut table = Table::new(&["name", "role", "only", "uses", "grants", "made", "ends"], 2);
        for token in &tokens {
            let ends = match token.expires_at {
                None => Cell::painted(DIM, "never"),
                Some(end) if end <= now => Cell::painted(BAD, "is over"),
                Some(end) => Cell::painted(DIM, time::exact(end)),
            };
            table.row(vec![
                Cell::painted(NAME, &token.name),
                token.role.as_str().into(),
                only(token).into(),
                uses(token).into(),
                grants(token).into(),
                Cell::painted(DIM, screen.time(token.created_at)),
                ends,
            ]);
        }
        table.render(screen)
    })?;
    if tokens.is_empty() {
        session.output.note("there are none");
    }
    Ok(Exit::Done)
}
