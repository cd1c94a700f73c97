//! `selfmade trigger show`: one Trigger, and what it did last.

use model::trigger::senders::Senders;
use server::app::triggers::TriggerView;

use super::{firings, name};
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{DIM, GOOD, counted, paint};
use crate::views::fields::Fields;

/// Show a trigger and its last firings
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade trigger show check_it")]
pub(crate) struct Arguments {
    name: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let mut view = brain.trigger(&name(&arguments.name)?).await?;
    // As it is pasted elsewhere. A port that is not chosen yet is part of no address.
    if let (Some(path), Some(url)) = (&mut view.webhook, brain.url()) {
        path.insert_str(0, &url);
    }
    session.output.answer(&view, |screen| render(&view, screen))?;
    Ok(Exit::Done)
}

fn render(view: &TriggerView, screen: &Screen) -> String {
    let line = &view.line;
    let content = &line.content;
    let state = if line.enabled { paint(GOOD, "enabled") } else { paint(DIM, "disabled") };
    let mut fields = Fields::of(line.name.as_str(), &line.version.to_string(), &state, &content.description);
    fields.add("on", content.on.to_string());
    fields.add("source", content.source.as_deref().unwrap_or("any"));
    fields.add("if", content.condition.as_deref().unwrap_or_default());
    fields.add("runs", content.target.as_str());
    if let Some(path) = &view.webhook {
        fields.add("webhook", format!("POST {path}"));
        fields.add("senders", senders(content.senders.as_ref()));
    }
    let input = content.input.as_ref().map(|input| serde_json::Value::Object(input.clone()).to_string());
    fields.add("input", input.as_deref().unwrap_or("the event's payload, as the first parameter"));
    let rate = content.rate_limit.map(|limit| {
        format!("{} in {}", counted(limit.runs as usize, "run"), counted(limit.seconds as usize, "second"))
    });
    fields.add("at most", rate.unwrap_or_default());
    fields.add("debounce", content.debounce_ms.map(|ms| format!("{ms} ms")).unwrap_or_default());
    let last = line.last_fired.map(|at| format!(", last {}", screen.time(at))).unwrap_or_default();
    fields.add("fired", format!("{}{last}", counted(line.fired as usize, "time")));
    fields.add("stopped", counted(line.stopped as usize, "time"));
    fields.add("under", view.under.as_deref().unwrap_or_default());
    fields.add("written", format!("{} by {}", screen.time(view.written_at), view.who));
    fields.above(&firings::table(&view.firings, screen))
}

fn senders(senders: Option<&Senders>) -> String {
    match senders {
        None => "anyone with a token that may run it, as `Authorization: Bearer TOKEN`".to_owned(),
        Some(Senders::Anybody) => "everybody".to_owned(),
        Some(Senders::Secret(name)) => format!(
            "anyone who signs with the secret `{name}`: `webhook-signature: v1,BASE64` is the HMAC-SHA256 of ID.TIMESTAMP.BODY, with `webhook-id` and `webhook-timestamp`; or GitHub's `X-Hub-Signature-256`"
        ),
    }
}
