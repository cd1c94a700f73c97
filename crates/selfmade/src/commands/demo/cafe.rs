//! `selfmade serve --demo`: a brain with something in it, to look around in: a café whose functions call each other, some runs, one of
//! which failed, a trigger and a schedule.

use model::schedule::{Missed, Overlap, ScheduleContent, Times};
use model::trigger::TriggerContent;
use serde_json::{Map, json};
use server::app::schedules;
use server::http::FileBody;
use tempfile::TempDir;

use super::{name, start, tell_commands};
use crate::client::{Brain, PackLoad};
use crate::config::{Home, Why};
use crate::error::Error;
use crate::session::Session;
use crate::terminal::progress::Progress;
use crate::terminal::style::counted;

const PACK: &str = include_str!("../../../demos/cafe.py");
const NAME: &str = "demo";

/// Where the demo is: in what was named, else in a folder that goes when this does.
pub(in crate::commands) struct Stage {
    pub(in crate::commands) session: Session,
    _folder: Option<TempDir>,
}

impl Stage {
    pub(in crate::commands) fn of(session: &Session) -> Result<Stage, Error> {
        let settings = &session.settings;
        let named =
            matches!(settings.home.why, Why::Option | Why::Variable) || settings.given.says("database");
        if named {
            return Ok(Stage { session: session.clone(), _folder: None });
        }
        let folder = tempfile::Builder::new().prefix("selfmade-demo-").tempdir();
        let folder =
            folder.map_err(|source| Error::Write { what: "a temporary folder".to_owned(), source })?;
        let mut session = session.clone();
        let path = folder.path().to_owned();
        session.settings.program = format!("{} --home {}", session.settings.program, path.display());
        session.settings.home = Home { path, why: Why::Demo };
        Ok(Stage { session, _folder: Some(folder) })
    }
}

/// Puts everything in, unless it is there already.
pub(in crate::commands) async fn fill(session: &Session, brain: &Brain) -> Result<(), Error> {
    if brain.packs().await?.iter().any(|pack| pack.name == NAME) {
        return Ok(());
    }
    let functions = brain.holds().await?.functions;
    if functions > 0 {
        return Err(Error::Input {
            problem: format!(
                "this brain is not new: it contains {}",
                counted(functions as usize, "function")
            ),
            hint: "omit `--home` and `--database` to give the demo its own brain".to_owned(),
        });
    }
    let _progress = Progress::start(&session.output, "filling the brain");
    brain.load(&pack(), false).await?;
    brain.put_trigger(&name("thank_after_receipt")?, &trigger()?).await?;
    brain.put_schedule(&name("morning_board")?, &schedule()?).await?;
    for (function, input) in [
        ("receipt", json!({ "order": { "coffee": 2, "cake": 1 } })),
        ("receipt", json!({ "order": { "tea": 3, "sandwich": 2, "cake": 1 } })),
        ("bill", json!({ "order": { "coffee": 1 } })),
        ("board", json!({ "weekday": 4 })),
        // What a failed run looks like is worth seeing, too.
        ("price", json!({ "item": "coffe" })),
    ] {
        start(brain, function, input).await?;
    }
    Ok(())
}

fn pack() -> PackLoad {
    let file = FileBody { path: "demo.py".to_owned(), text: Some(PACK.to_owned()), base64: None };
    PackLoad {
        name: NAME.to_owned(),
        origin: "selfmade serve --demo".to_owned(),
        files: vec![file],
        prefix: String::new(),
        replace: false,
    }
}

fn trigger() -> Result<TriggerContent, Error> {
    Ok(TriggerContent {
        description: "Thanks for every order".to_owned(),
        on: model::trigger::on::On::Kind(model::event::EventKind::RunFinished),
        source: Some("receipt".to_owned()),
        condition: None,
        target: name("thank")?,
        input: None,
        enabled: true,
        rate_limit: None,
        debounce_ms: None,
        senders: None,
    })
}

fn schedule() -> Result<ScheduleContent, Error> {
    let zone = "UTC".to_owned();
    Ok(ScheduleContent {
        description: "The board is written before we open".to_owned(),
        times: Times::parse("0 8 * * *", &zone).map_err(|error| schedules::unreadable(&error))?,
        zone,
        target: name("board")?,
        input: Map::new(),
        missed: Missed::Once,
        overlap: Overlap::Skip,
        paused: false,
    })
}

/// What to type in another terminal.
pub(in crate::commands) fn suggest(session: &Session) {
    session.output.note("this is a demo: a café made of eight functions. Try in another terminal:");
    tell_commands(
        session,
        &[
            ("fn list", "see what is in the brain"),
            ("fn show bill", "see its signature, what it calls and what calls it"),
            (r#"run receipt '{"coffee": 2, "cake": 3}'"#, "run it; a trigger says thanks"),
            ("runs list", "see what ran, and how it ended"),
            ("run price tee", "a run that fails, and says why"),
            ("trigger firings thank_after_receipt", "see what the trigger did"),
            ("schedule show morning_board", "see when it runs next"),
            ("test", "run the tests of the functions"),
            ("fn dependents price", "see what may break if it is changed"),
        ],
    );
}
